// SPDX-License-Identifier: BSL-1.0
/// @file order.hpp
/// The order of the nodes inside each (part, type): by original ID, or so that nodes that an engine
/// reads together are stored together.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
///
/// | order | nodes of a cell | good for |
/// | --- | --- | --- |
/// | `original_order` | by original ID | comparing with the input; the default of partition_graph |
/// | `descending_degree` | most edges first; ties by original ID | caches: the rows that are read most often are contiguous |
/// | `breadth_first` | in the order of a breadth-first walk over in-neighbors inside the part | sampling: the rows that one batch reads are close together |
///
/// A user's own order is an aggregate with `sizes` and `arrange`; it may only reorder each cell.
/// Its `name`, if it has one, is written to configs; an order named "original" is not called.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halograph {

/// The nodes of P parts and T types, cell by cell: cell (p, t) is nodes[bounds[p*T+t]] to
/// nodes[bounds[p*T+t+1]].
template <unsigned_id Part, id Node>
struct node_cells {
  std::size_t parts = 0;          ///< P
  std::span<const Part> owner{};  ///< [V] part of each original node
  std::span<const std::uint64_t>
      type_begin{};                         ///< [T+1] first original ID of each node type; last: V
  std::span<const std::uint64_t> bounds{};  ///< [P*T+1]
  std::span<Node> nodes{};                  ///< [V] original IDs, to be reordered inside each cell

  constexpr std::size_t types() const noexcept { return type_begin.size() - 1; }  ///< T
};

/// Scratch memory of an order.
template <id Node>
struct order_scratch {
  std::span<Node> nodes{};           ///< size: order_sizes::nodes
  std::span<std::uint64_t> words{};  ///< size: order_sizes::words
};

/// Entries of each span of order_scratch.
struct order_sizes {
  std::size_t nodes = 0;  ///< at most V
  std::size_t words = 0;  ///< of 64 bits
};

namespace detail {
template <class O>
concept sizes_order = requires(const O& order, std::size_t n) {
  { order.sizes(n, n) } -> std::same_as<order_sizes>;
};
template <class O, class G, class Node>
concept arranges_cells = requires(const O& order, const G& g,
                                  const node_cells<part_id, Node>& cells,
                                  order_scratch<Node> scratch) {
  { order.arrange(g, cells, scratch) } -> std::same_as<status>;
};
}  // namespace detail

/// Reorders the nodes of each cell. Laws: every cell keeps its nodes; the same graph and cells give
/// the same order.
template <class O, class G, class Node = std::uint64_t>
concept node_order =
    (detail::sizes_order<O> ||
     unmet<"node_order: needs order_sizes sizes(size_t nodes, size_t types) const">()) &&
    (detail::arranges_cells<O, G, Node> ||
     unmet<
         "node_order: needs status arrange(const G&, const node_cells<Part, Node>&, order_scratch<Node>) const">());

/// The name of an order: its `name`, or "custom".
template <class O>
constexpr std::string_view name_of_order(const O& order) noexcept {
  if constexpr (requires {
                  { order.name } -> std::convertible_to<std::string_view>;
                }) {
    return order.name;
  } else {
    return "custom";
  }
}

/// By original ID.
struct original_order {
  static constexpr std::string_view name = "original";  ///< in configs
  /// No scratch memory.
  static constexpr order_sizes sizes(std::size_t /*nodes*/, std::size_t /*types*/) noexcept {
    return {};
  }
  /// Leaves the cells as they are, ascending.
  template <class Graph, unsigned_id Part, id Node>
  constexpr status arrange(const Graph&, const node_cells<Part, Node>&,
                           order_scratch<Node>) const noexcept {
    return status::ok;
  }
};

/// Nodes with most edges first, counting both directions, a loop twice; ties by original ID.
struct descending_degree {
  static constexpr std::string_view name = "descending_degree";  ///< in configs
  /// One node and one word for each node.
  static constexpr order_sizes sizes(std::size_t nodes, std::size_t /*types*/) noexcept {
    return {nodes, nodes};
  }

  /// @errors capacity; out_of_range at e: an endpoint of edge e is out of range  @complexity O(V +
  ///     E), a sorting pass for each byte of the largest degree; 2 KiB of stack
  template <in_adjacency Graph, unsigned_id Part, id Node>
  constexpr status arrange(const Graph& g, const node_cells<Part, Node>& cells,
                           order_scratch<Node> scratch) const {
    const std::size_t nodes = cells.nodes.size();
    if (scratch.nodes.size() < nodes || scratch.words.size() < nodes)
      return status::capacity.at(nodes);
    const auto degree = scratch.words.first(nodes);
    std::fill(degree.begin(), degree.end(), std::uint64_t{0});
    status answer = status::ok;
    for (std::size_t v = 0; v < nodes; ++v) {
      for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto e) {
        if (index(u) >= nodes) {
          if (answer) answer = status::out_of_range.at(static_cast<std::uint64_t>(e));
          return;
        }
        ++degree[index(u)];
        ++degree[v];
      });
    }
    if (!answer) return answer;
    const std::size_t count = cells.parts * cells.types();
    for (std::size_t cell = 0; cell < count; ++cell) {
      const auto begin = static_cast<std::size_t>(cells.bounds[cell]);
      const auto members = cells.nodes.subspan(
          begin, static_cast<std::size_t>(cells.bounds[cell + 1]) - begin);
      std::uint64_t largest = 0;
      for (const Node v : members) largest = std::max(largest, degree[index(v)]);
      radix_sort<8>(
          members, scratch.nodes, [&](Node v) { return largest - degree[index(v)]; }, largest);
    }
    return status::ok;
  }
};

/// In the order of a breadth-first walk. It starts at the part's first node (by type, then original
/// ID), goes from each node to its in-neighbors in the part, of any type, and starts again at the
/// first node that it has not visited. In-neighbors, because sampling a node reads them.
struct breadth_first {
  static constexpr std::string_view name = "breadth_first";  ///< in configs
  /// The queue, a bit for each node, and a word for each type.
  static constexpr order_sizes sizes(std::size_t nodes, std::size_t types) noexcept {
    return {nodes, (nodes + 63) / 64 + types};
  }

  /// @errors capacity; out_of_range at e: an endpoint of edge e is out of range  @complexity O(V
  ///     log T + E)
  template <in_adjacency Graph, unsigned_id Part, id Node>
  constexpr status arrange(const Graph& g, const node_cells<Part, Node>& cells,
                           order_scratch<Node> scratch) const {
    const std::size_t nodes = cells.nodes.size(), types = cells.types(), marks = (nodes + 63) / 64;
    if (scratch.nodes.size() < nodes) return status::capacity.at(nodes);
    if (scratch.words.size() < marks + types) return status::capacity.at(marks + types);
    const auto met = scratch.words.first(marks);
    const auto next = scratch.words.subspan(marks, types);
    std::fill(met.begin(), met.end(), std::uint64_t{0});
    // Mark v; is this its first visit?
    const auto meet = [&](std::size_t v) {
      const std::uint64_t bit = std::uint64_t{1} << (v % 64);
      if ((met[v / 64] & bit) != 0) return false;
      met[v / 64] |= bit;
      return true;
    };
    status answer = status::ok;
    for (std::size_t p = 0; p < cells.parts; ++p) {
      const auto begin = static_cast<std::size_t>(cells.bounds[p * types]);
      const auto end = static_cast<std::size_t>(cells.bounds[(p + 1) * types]);
      const auto queue = scratch.nodes.subspan(begin, end - begin);
      std::size_t head = 0, tail = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (!meet(index(cells.nodes[i]))) continue;
        queue[tail++] = cells.nodes[i];
        for (; head < tail; ++head) {
          for_each_in_edge(g, static_cast<node_id_t<Graph>>(queue[head]), [&](auto u, auto e) {
            if (index(u) >= nodes) {
              if (answer) answer = status::out_of_range.at(static_cast<std::uint64_t>(e));
              return;
            }
            if (index(cells.owner[index(u)]) == p && meet(index(u)))
              queue[tail++] = static_cast<Node>(u);
          });
        }
      }
      if (!answer) return answer;
      for (std::size_t t = 0; t < types; ++t) next[t] = cells.bounds[p * types + t];
      for (const Node v : queue) {
        cells.nodes[static_cast<std::size_t>(
            next[range_of(cells.type_begin, static_cast<std::uint64_t>(v))]++)] = v;
      }
    }
    return status::ok;
  }
};

/// Any order of the nodes of a graph in rows, by reference: code that takes it is compiled once for
/// all of them. A model of node_order.
template <id Node, id Edge>
class node_order_ref {
 public:
  /// @param order  must outlive this object and its copies
  template <node_order<csc_view<Node, Edge>, Node> Order>
    requires(!std::same_as<Order, node_order_ref>)
  constexpr node_order_ref(const Order& order) noexcept
      : name(name_of_order(order)),
        order_(&order),
        sizes_([](const void* held, std::size_t nodes, std::size_t types) {
          return static_cast<const Order*>(held)->sizes(nodes, types);
        }),
        arrange_([](const void* held, const csc_view<Node, Edge>& g,
                    const node_cells<part_id, Node>& cells, order_scratch<Node> scratch) {
          return static_cast<const Order*>(held)->arrange(g, cells, scratch);
        }) {}

  /// @{
  /// The calls of `node_order`, passed on.
  constexpr order_sizes sizes(std::size_t nodes, std::size_t types) const {
    return sizes_(order_, nodes, types);
  }
  constexpr status arrange(const csc_view<Node, Edge>& g, const node_cells<part_id, Node>& cells,
                           order_scratch<Node> scratch) const {
    return arrange_(order_, g, cells, scratch);
  }
  /// @}

  std::string_view name;  ///< name_of_order() of the order referred to

 private:
  const void* order_;
  order_sizes (*sizes_)(const void*, std::size_t, std::size_t);
  status (*arrange_)(const void*, const csc_view<Node, Edge>&, const node_cells<part_id, Node>&,
                     order_scratch<Node>);
};

/// Sort nodes by (part, type), and inside each by `order`. As relabel_nodes_into without an order;
/// besides:
/// @param g        V nodes; the graph that the order reads
/// @param scratch  spans of order.sizes(V, T) entries
/// @errors       as there; those of the order; mismatch: not one owner per node of g
/// @complexity   O(V + P*T) and the order's
template <in_adjacency Graph, unsigned_id Part, id Node, node_order<Graph, Node> Order>
constexpr status relabel_nodes_into(const Graph& g, std::span<const Part> owner,
                                    std::span<const std::uint64_t> type_begin, std::size_t parts,
                                    const Order& order, std::span<std::uint64_t> bounds,
                                    std::span<Node> old_of_new, std::span<Node> new_of_old,
                                    order_scratch<Node> scratch) {
  const std::size_t nodes = owner.size();
  if (num_nodes(g) != nodes) return status::mismatch.at(num_nodes(g));
  const order_sizes needed = order.sizes(nodes, type_begin.empty() ? 0 : type_begin.size() - 1);
  if (scratch.nodes.size() < needed.nodes) return status::capacity.at(needed.nodes);
  if (scratch.words.size() < needed.words) return status::capacity.at(needed.words);
  if (const status placed = relabel_nodes_into(owner, type_begin, parts, bounds, old_of_new,
                                               new_of_old);
      !placed)
    return placed;
  const std::size_t types = type_begin.size() - 1;
  const node_cells<Part, Node> cells{parts, owner, type_begin, bounds.first(parts * types + 1),
                                     old_of_new.first(nodes)};
  if (const status arranged = order.arrange(g, cells, scratch); !arranged) return arranged;
  if (!new_of_old.empty()) {
    for (std::size_t i = 0; i < nodes; ++i) new_of_old[index(old_of_new[i])] = static_cast<Node>(i);
  }
  return status::ok;
}

}  // namespace halograph
