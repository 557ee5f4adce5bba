// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, without their definitions. Default template arguments stay with those.
/// Layer: graph. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

namespace halograph {

template <class G>
struct graph_traits;
template <id Node, id Edge>
class coo_view;
template <id Node, id Edge, id Offset>
class csr_view;
template <id Node, id Edge, id Offset>
class csc_view;
template <id Node, id Edge>
struct csc_arrays;
struct row_buckets;
template <id Node, id Edge>
struct row_entry;
template <id Node, id Edge>
struct row_entry_with_id;
template <id Node>
struct relation_view;
template <id Node, id Edge>
class hetero_view;

}  // namespace halograph
