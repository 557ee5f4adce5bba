// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, without their definitions. Default template arguments stay with those.
/// Layer: halo. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

namespace halograph {

struct halo_options;
template <id Node, id Edge>
struct cut_edges_view;
template <id Node, id Edge>
struct cut_edge;
template <id Node, id Edge>
struct cut_lists_view;
class part_finder;
template <id Node, id Edge>
struct halo_plan_view;
template <id Node, id Edge, unsigned_id Local>
class halo_buffer;
template <id Node>
class halo_counter;
template <id Node, id Edge>
struct halo;

}  // namespace halograph
