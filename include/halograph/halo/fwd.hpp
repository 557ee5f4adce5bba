// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder with their default template arguments, without their definitions.
/// Layer: halo. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>
#include <type_traits>

namespace halograph {

struct halo_options;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct cut_edges_view;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct cut_edge;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct cut_lists_view;
class part_finder;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct halo_index_view;
template <id Node, id Edge, unsigned_id Local>
class halo_buffer;
template <id Node>
class halo_counter;
template <id Node = std::uint64_t, id Edge = std::uint64_t,
          unsigned_id Local = std::make_unsigned_t<Node>>
struct halo;

}  // namespace halograph
