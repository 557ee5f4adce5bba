// SPDX-License-Identifier: BSL-1.0
/// @file laws.hpp
/// The laws of each concept: what a model must do beyond compiling. Run them on yours.
/// Layer: testing (no test framework: a law returns a verdict). Words: README.md.
///
///     EXPECT_EQ(hg::laws::partitioner(my_policy{.parts = 4}, 4, graph).why, "");
///
/// serial_laws.hpp has the laws of what reads and writes files. check.hpp checks a model against
/// all laws of its concept, over all test graphs.
#pragma once

#include <halograph/testing/laws/book.hpp>
#include <halograph/testing/laws/core.hpp>
#include <halograph/testing/laws/graph.hpp>
#include <halograph/testing/laws/partition.hpp>
#include <halograph/testing/laws/relabel.hpp>
#include <halograph/testing/laws/serial.hpp>
#include <halograph/testing/laws/verdict.hpp>
