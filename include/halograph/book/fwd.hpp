// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, without their definitions. Default template arguments stay with those.
/// Layer: book. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

namespace halograph {

template <id ID, id Offset>
class basic_range_map;
template <id Node, id Edge, id Offset>
class basic_range_book;
template <id Node, id Edge>
class basic_partition_book;
template <id ID, id Part, id Offset>
class basic_part_map;
template <id Node, id Edge, id Part, id Offset>
class basic_map_book;
template <id Node, id Edge>
class basic_map_partition_book;
class policy_name;
class data_name;
struct split_options;

}  // namespace halograph
