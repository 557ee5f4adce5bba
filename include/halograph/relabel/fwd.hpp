// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, without their definitions. Default template arguments stay with those.
/// Layer: relabel. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

namespace halograph {

struct same_edge_id;
template <id Node, id Edge>
struct relabel_plan;

}  // namespace halograph
