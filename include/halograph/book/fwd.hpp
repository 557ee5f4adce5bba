// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, their default template arguments and short names, without their
/// definitions.
/// Layer: book. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>

namespace halograph {

template <id ID = std::uint64_t, id Offset = std::uint64_t>
class basic_range_map;
using range_map = basic_range_map<>;  ///< of 64-bit IDs
template <id Node = std::uint64_t, id Edge = std::uint64_t, id Offset = std::uint64_t>
class basic_range_book;
using range_book = basic_range_book<>;  ///< of 64-bit IDs
template <id Node = std::int64_t, id Edge = std::int64_t>
class basic_partition_book;
using partition_book = basic_partition_book<>;  ///< of 64-bit IDs, as DGL's
template <id ID = std::uint64_t, id Part = std::int64_t, id Offset = std::uint64_t>
class basic_part_map;
using part_map = basic_part_map<>;  ///< of 64-bit IDs
template <id Node = std::uint64_t, id Edge = std::uint64_t, id Part = std::int64_t,
          id Offset = std::uint64_t>
class basic_map_book;
using map_book = basic_map_book<>;  ///< of 64-bit IDs
template <id Node = std::int64_t, id Edge = std::int64_t>
class basic_map_partition_book;
using map_partition_book = basic_map_partition_book<>;  ///< of 64-bit IDs, as DGL's
class policy_name;
class data_name;
struct split_options;

}  // namespace halograph
