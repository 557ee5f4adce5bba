// SPDX-License-Identifier: BSL-1.0
/// @file relabel.hpp
/// A minimal node order, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <algorithm>
#include <cstddef>

namespace halograph::archetype {

/// Models `node_order`: reverses the nodes of each cell.
struct node_order : awkward {
  using awkward::awkward;
  constexpr order_sizes sizes(std::size_t, std::size_t) const { return {}; }
  template <class Graph, unsigned_id Part, id Node>
  constexpr status arrange(const Graph&, const node_cells<Part, Node>& cells,
                           order_scratch<Node>) const {
    for (std::size_t cell = 0; cell + 1 < cells.bounds.size(); ++cell) {
      std::reverse(cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[cell]),
                   cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[cell + 1]));
    }
    return status::ok;
  }
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Has no sizes().
struct node_order_without_sizes {
  template <class Graph, class Cells, class Scratch>
  status arrange(const Graph&, const Cells&, Scratch) const {
    return status::ok;
  }
};
/// arrange() takes no graph.
struct node_order_without_graph {
  order_sizes sizes(std::size_t, std::size_t) const { return {}; }
  template <class Cells, class Scratch>
  status arrange(const Cells&, Scratch) const {
    return status::ok;
  }
};

}  // namespace halograph::near_miss
