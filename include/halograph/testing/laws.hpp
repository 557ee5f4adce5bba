// SPDX-License-Identifier: BSL-1.0
/// @file laws.hpp
/// What a model of a concept must do beyond compiling: run these on yours.
/// Layer: testing (no test framework: a law answers with a verdict). Words: README.md.
///
///     EXPECT_EQ(hg::laws::partitioner(my_policy{.parts = 4}, 4, graph).why, "");
///
/// Laws of what reads and writes files stand in serial_laws.hpp. check.hpp puts a model through all
/// laws of its concept, over all drawn graphs.
#pragma once

#include <halograph/testing/laws/book.hpp>
#include <halograph/testing/laws/core.hpp>
#include <halograph/testing/laws/graph.hpp>
#include <halograph/testing/laws/partition.hpp>
#include <halograph/testing/laws/relabel.hpp>
#include <halograph/testing/laws/serial.hpp>
#include <halograph/testing/laws/verdict.hpp>
