// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder with their default template arguments, without their definitions.
/// Layer: graph. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>

namespace halograph {

template <class G>
struct graph_traits;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
class coo_view;
template <id Node = std::uint64_t, id Edge = std::uint64_t, id Offset = Edge>
class csr_view;
template <id Node = std::uint64_t, id Edge = std::uint64_t, id Offset = Edge>
class csc_view;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct csc_arrays;
struct row_buckets;
template <id Node, id Edge>
struct row_entry;
template <id Node, id Edge>
struct row_entry_with_id;
template <id Node = std::uint64_t>
struct relation_view;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
class hetero_view;

}  // namespace halograph
