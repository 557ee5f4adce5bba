// SPDX-License-Identifier: BSL-1.0
/// @file relabel_graph.hpp
/// The steps of relabeling a whole graph, in memory of their own: relabel() and
/// make_partition_plan() consist of them.
/// Layer: relabel (no exceptions but through raise()). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/row_buckets.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/relabel_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace halograph::detail {

/// Into how many pieces loops are cut: enough for threads of different speed.
template <executor Executor>
std::size_t pieces_of(const Executor& run) {
  const auto threads = static_cast<std::size_t>(run.concurrency());
  return threads <= 1 ? 1 : 4 * threads;
}

/// A large array that is filled soon.
template <class T>
uninitialized_array<T> make_array(std::size_t size) {
  uninitialized_array<T> out(size);
  prefer_large_pages(std::as_writable_bytes(out.values()));
  return out;
}

/// First global ID of each node type and of each edge type; last: V and E.
template <graph Graph>
void type_offsets_of(const Graph& g, std::vector<std::uint64_t>& nodes,
                     std::vector<std::uint64_t>& edges) {
  if constexpr (typed_graph<Graph>) {
    nodes.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    edges.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  } else {
    nodes = {0, num_nodes(g)};
    edges = {0, halograph::num_edges(g)};
  }
}

/// @errors raises mismatch: not one owner per node
inline void require_owners(std::size_t owners, std::size_t nodes) {
  if (owners == nodes) return;
  raise(error_kind::mismatch, "the assignment names a part for " + std::to_string(owners) +
                                  " nodes, the graph has " + std::to_string(nodes) +
                                  "; it must name one part per node");
}

/// Number the nodes by (part, type, order).
///
/// @param owner       [V] part of each node
/// @param type_begin  [T+1] first original ID of each node type
/// @param bounds      [P*T+1] out
/// @param old_node    [V] out   @param new_node [V] out
/// @param rows_of     the graph's rows by target; called if the order is not the original one
/// @errors raises out_of_range: a part >= P; overflow; mismatch: the offsets of types
template <id Node, id Edge, unsigned_id Part, executor Executor, class Order>
void number_nodes(std::span<const Part> owner, std::span<const std::uint64_t> type_begin,
                  std::size_t parts, const Order& order, std::span<std::uint64_t> bounds,
                  std::span<Node> old_node, std::span<Node> new_node, const Executor& run,
                  function_ref<csc_arrays<Node, Edge>()> rows_of) {
  const std::size_t nodes = owner.size(), types = type_begin.empty() ? 0 : type_begin.size() - 1;
  status placed = status::ok;
  if (name_of_order(order) == original_order::name) {  // there is nothing to arrange by
    // Counts of all cells for each piece: only where nodes are many more.
    const std::size_t pieces = std::min(pieces_of(run), most_edge_slices);
    const std::size_t at_once = nodes / 8 / pieces > parts * types ? pieces : 1;
    std::vector<std::uint64_t> counts(at_once < 2 ? 0
                                                  : relabel_counts_count(parts, types, at_once));
    placed = relabel_nodes_into(owner, type_begin, parts, bounds, old_node, new_node, at_once,
                                std::span(counts), run);
  } else {
    const csc_arrays<Node, Edge> rows = rows_of();
    const order_sizes sizes = order.sizes(nodes, types);
    std::vector<Node> scratch(sizes.nodes);
    std::vector<std::uint64_t> words(sizes.words);
    placed = relabel_nodes_into(rows.view(), owner, type_begin, parts, order, bounds, old_node,
                                new_node, order_scratch<Node>{scratch, words});
  }
  if (placed == status::out_of_range && placed.position < nodes &&
      owner[static_cast<std::size_t>(placed.position)] >= parts) {
    raise(placed.code, "node " + std::to_string(placed.position) + " is assigned to part " +
                           std::to_string(owner[static_cast<std::size_t>(placed.position)]) +
                           "; parts must be 0 to " + std::to_string(parts - 1));
  }
  check(placed, placed == status::overflow
                    ? "the graph has more nodes than its node IDs can number; use wider ones"
                    : "the types' offsets do not span the graph's nodes");
}

/// Rows by target in new node IDs; in a row by original edge ID.
template <id Node, id Edge>
struct relabeled_rows {
  uninitialized_array<Edge> offsets{};  ///< [V+1]
  uninitialized_array<Node> sources{};  ///< [E]
  uninitialized_array<Edge> edges{};    ///< [E] original edge IDs, or [0]
};

/// @tparam WithIds   keep the original edge IDs, which graphs that are no edge list need
/// @param new_node  [V] new ID of each node   @param old_node [V] its inverse
/// @errors raises overflow, out_of_range, mismatch
template <bool WithIds, id Edge, graph Graph, id Node, executor Executor>
relabeled_rows<Node, Edge> make_relabeled_rows(const Graph& g, std::span<const Node> new_node,
                                               std::span<const Node> old_node,
                                               const Executor& run) {
  using entry = std::conditional_t<WithIds, row_entry_with_id<Node, Edge>, row_entry<Node, Edge>>;
  const std::size_t nodes = new_node.size(), count = halograph::num_edges(g);
  constexpr const char* too_narrow =
      "the graph has more nodes or edges than its ID types can number; use wider ones";
  if (nodes > id_capacity<Node>() || count >= id_capacity<Edge>())
    raise(error_kind::overflow, too_narrow);  // before memory is allocated
  relabeled_rows<Node, Edge> out;
  out.offsets = make_array<Edge>(nodes + 1);
  out.sources = make_array<Node>(count);
  if constexpr (WithIds) out.edges = make_array<Edge>(count);
  const auto cut = row_buckets::of(nodes, pieces_of(run));
  std::vector<std::uint64_t> counts(cut.counts());
  auto entries = make_array<entry>(count);
  const status answer = relabel_rows_into(g, new_node, cut, std::span(counts), entries.values(),
                                          out.offsets.values(), out.sources.values(),
                                          out.edges.values(), run);
  if (answer == status::out_of_range) {
    raise(answer.code, "edge " + std::to_string(answer.position) + " has an endpoint outside the " +
                           std::to_string(nodes) + " nodes of the graph; IDs must be 0 to " +
                           std::to_string(nodes == 0 ? 0 : nodes - 1));
  }
  require_edge_count(answer == status::capacity ? answer.position
                     : answer                   ? static_cast<std::uint64_t>(out.offsets[nodes])
                                                : count,
                     count);
  check(answer, too_narrow);
  if constexpr (WithIds) {
    entries = {};  // the check takes no more memory than they did
    require_edge_ids_of(g, std::span<const Edge>(out.offsets.values()),
                        std::span<const Node>(out.sources.values()),
                        std::span<const Edge>(out.edges.values()),
                        [&](std::size_t v) { return index(old_node[v]); });
  }
  return out;
}

}  // namespace halograph::detail
