// SPDX-License-Identifier: BSL-1.0
/// @file archetypes.hpp
/// Minimal models of every concept, to prove that an algorithm requires no more.
/// Layer: testing. Words: README.md.
///
/// Archetypes are awkward on purpose: no default constructor, movable but not copyable, odd widths,
/// nothing beyond the concept. `near_miss` holds, for each clause of a concept, a type that lacks
/// only that clause. Instantiate your algorithm on an archetype; test your concept on the near
/// misses.
#pragma once

#include <halograph/testing/archetypes/awkward.hpp>
#include <halograph/testing/archetypes/book.hpp>
#include <halograph/testing/archetypes/core.hpp>
#include <halograph/testing/archetypes/embedded.hpp>
#include <halograph/testing/archetypes/folder.hpp>
#include <halograph/testing/archetypes/graph.hpp>
#include <halograph/testing/archetypes/halo.hpp>
#include <halograph/testing/archetypes/partition.hpp>
#include <halograph/testing/archetypes/relabel.hpp>
#include <halograph/testing/archetypes/serial.hpp>
