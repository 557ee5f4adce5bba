// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder with their default template arguments, without their definitions.
/// Layer: relabel. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>

namespace halograph {

struct same_edge_id;
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct relabeling;

}  // namespace halograph
