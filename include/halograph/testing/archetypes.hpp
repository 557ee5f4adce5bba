// SPDX-License-Identifier: BSL-1.0
/// @file archetypes.hpp
/// The least that each concept asks for, to prove that an algorithm asks for no more.
/// Layer: testing. Words: README.md.
///
/// Archetypes are awkward on purpose: without a default constructor, moved but not copied, odd
/// widths, nothing beyond the concept. `near_miss` holds, for each clause of a concept, a type that
/// lacks that clause alone. Instantiate your algorithm on an archetype; check your concept on the
/// near misses.
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
