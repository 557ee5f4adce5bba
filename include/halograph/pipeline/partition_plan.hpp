// SPDX-License-Identifier: BSL-1.0
/// @file partition_plan.hpp
/// A graph relabeled for its parts: rows in new IDs, ranges of each part, cut edges.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph {

/// The numbers of nodes and edges in all parts of one partitioning, whatever the width of IDs.
struct partition_ranges {
  std::size_t parts = 0;                               ///< number of parts
  bool reshuffled = true;                              ///< false: new IDs are the original ones
  std::span<const std::uint64_t> node_type_offsets{};  ///< [T+1] of original IDs
  std::span<const std::uint64_t> edge_type_offsets{};  ///< [R+1]
  std::span<const std::uint64_t> node_bounds{};        ///< [P*T+1] cells in the order (part, type)
  std::span<const std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::uint64_t dropped = 0;                           ///< cut edges that were dropped (0 hops)

  /// Number of node types, T.
  std::size_t num_node_types() const noexcept { return node_type_offsets.size() - 1; }
  /// Number of edge types, R.
  std::size_t num_edge_types() const noexcept { return edge_type_offsets.size() - 1; }
  /// Number of nodes, V.
  std::uint64_t num_nodes() const noexcept { return node_type_offsets.back(); }
  /// Number of edges without the dropped ones.
  std::uint64_t num_edges() const noexcept { return edge_type_offsets.back() - dropped; }
  /// Cell (part, type).
  id_range nodes(std::size_t part, std::size_t type) const {
    return {node_bounds[part * num_node_types() + type],
            node_bounds[part * num_node_types() + type + 1]};
  }
  /// Cell (part, type) of edges.
  id_range edges(std::size_t part, std::size_t type) const {
    return {edge_bounds[part * num_edge_types() + type],
            edge_bounds[part * num_edge_types() + type + 1]};
  }
};

/// What all parts of one partitioning share, in any memory. Nodes are numbered by (part, type,
/// original ID), so that each part is a range of rows. Where `reshuffled`, this number is the new
/// ID. Edges are named by their position in `rows`. Thread-safe to read.
template <id Node, id Edge>
struct partition_plan_view {
  std::size_t parts = 0;                               ///< number of parts
  bool reshuffled = true;                              ///< false: new IDs are the original ones
  std::span<const std::uint64_t> node_type_offsets{};  ///< [T+1] of original IDs
  std::span<const std::uint64_t> edge_type_offsets{};  ///< [R+1]
  std::span<const std::uint64_t> node_bounds{};        ///< [P*T+1] cells in the order (part, type)
  std::span<const std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::span<const std::uint64_t> part_begin{};         ///< [P+1] first node of each part
  std::span<const Node> old_node{};  ///< original IDs of the nodes from `first_old_node` on
  csc_view<Node, Edge> rows{};       ///< in-edges of the nodes from `first_row` on, by original ID
  std::span<const Edge>
      old_edge{};  ///< [E] original ID of the edge at a position, or empty: not kept
  std::span<const Edge>
      new_edge{};  ///< [E] new ID of the edge at a position, or empty: where edge_id_is_position()
  std::uint64_t cut_edges = 0;  ///< edges that cross parts
  std::uint64_t dropped = 0;    ///< cut edges that were dropped (0 hops)
  cut_lists_view<Node, Edge>
      cut_lists{};  ///< edges that leave their source's part, by part and position
  /// positions are local to one rank of several, cut edges after the rows: they are never IDs
  bool own_positions = false;
  /// 0, or on one rank of several the first node of its parts: of others it has no original ID
  std::uint64_t first_old_node = 0;
  std::uint64_t first_row = 0;  ///< the node of the first of the rows, likewise

  /// Where the rows of some nodes begin, and the last one ends: [count+1].
  std::span<const Edge> row_offsets(std::uint64_t first, std::size_t count) const noexcept {
    return rows.offsets().subspan(static_cast<std::size_t>(first - first_row), count + 1);
  }
  /// Where the row of a node begins; also of the node after the last.
  std::size_t row_begin(std::uint64_t node) const noexcept {
    return index(row_offsets(node, 0)[0]);
  }
  /// The original ID of a node.
  Node original_node(std::uint64_t node) const noexcept {
    return old_node[static_cast<std::size_t>(node - first_old_node)];
  }
  /// Number of node types, T.
  std::size_t num_node_types() const noexcept { return node_type_offsets.size() - 1; }
  /// Number of edge types, R.
  std::size_t num_edge_types() const noexcept { return edge_type_offsets.size() - 1; }
  /// Number of nodes, V.
  std::uint64_t num_nodes() const noexcept { return node_type_offsets.back(); }
  /// Number of edges without the dropped ones.
  std::uint64_t num_edges() const noexcept { return edge_type_offsets.back() - dropped; }
  /// Cell (part, type).
  id_range nodes(std::size_t part, std::size_t type) const { return ranges().nodes(part, type); }
  /// Cell (part, type) of edges.
  id_range edges(std::size_t part, std::size_t type) const { return ranges().edges(part, type); }
  /// What of this does not depend on the width of IDs.
  partition_ranges ranges() const noexcept {
    return {parts,       reshuffled, node_type_offsets, edge_type_offsets, node_bounds,
            edge_bounds, dropped};
  }
  /// Is the new ID of an edge its position? With one edge type, if everything is renumbered.
  bool edge_id_is_position() const noexcept {
    return reshuffled && parts > 1 && num_edge_types() == 1 && dropped == 0 && !own_positions;
  }
  /// The new ID of the edge at a position.
  Edge new_id(std::size_t position) const noexcept {
    return new_edge.empty() ? static_cast<Edge>(position) : new_edge[position];
  }
  /// The cell of a node: part * types + type. @complexity O(log(P*T))
  std::size_t node_cell(std::uint64_t node) const { return range_of(node_bounds, node); }
  /// The type of an original edge ID. @complexity O(log R)
  std::size_t edge_type(std::uint64_t old) const { return range_of(edge_type_offsets, old); }
};

/// The same with its own memory: with 32-bit IDs 8 B per node, 4 B per edge and 12 B per cut edge;
/// 4 B more per edge where original IDs are kept, and again where there are several edge types.
template <id Node, id Edge>
struct partition_plan {
  std::size_t parts = 0;                           ///< number of parts
  bool reshuffled = true;                          ///< false: new IDs are the original ones
  std::vector<std::uint64_t> node_type_offsets{};  ///< [T+1] of original IDs
  std::vector<std::uint64_t> edge_type_offsets{};  ///< [R+1]
  std::vector<part_id> owner{};                    ///< [V] by original ID, where not reshuffled
  std::vector<std::uint64_t> node_bounds{};        ///< [P*T+1] cells in the order (part, type)
  std::vector<std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::vector<std::uint64_t> part_begin{};         ///< [P+1] first node of each part
  uninitialized_array<Node> old_node{};            ///< [V] original ID of each node
  uninitialized_array<Edge> offsets{};             ///< [V+1] in-edges of the nodes
  uninitialized_array<Node> sources{};             ///< [E]
  uninitialized_array<Edge> old_edge{};            ///< [E], or [0]
  uninitialized_array<Edge> new_edge{};            ///< [E], or [0]
  std::vector<std::uint64_t> cut_begin{};          ///< [P+1]
  uninitialized_array<cut_edge<Node, Edge>> cut_list{};  ///< by part and position
  std::uint64_t cut_edges = 0;                           ///< edges that cross parts
  std::uint64_t dropped = 0;                             ///< cut edges that were dropped (0 hops)

  /// In-edges of each node. Valid as long as this object is.
  csc_view<Node, Edge> rows() const { return {offsets.values(), sources.values()}; }
  /// Valid as long as this object is.
  partition_plan_view<Node, Edge> view() const {
    return {parts,
            reshuffled,
            node_type_offsets,
            edge_type_offsets,
            node_bounds,
            edge_bounds,
            part_begin,
            old_node.values(),
            rows(),
            old_edge.values(),
            new_edge.values(),
            cut_edges,
            dropped,
            {cut_begin, cut_list.values()}};
  }
};

/// How a partition_plan is made.
struct partition_plan_options {
  bool reshuffle = true;        ///< renumber nodes and edges
  bool drop_cut_edges = false;  ///< with 0 hops: drop cut edges before numbering
  /// keep the original IDs of edges, which features, mappings and their columns need
  bool original_edges = true;
};

namespace detail {

/// make_partition_plan(), for graphs of any type.
/// @param plan  parts, owners and the offsets of types; the rest is filled in
/// @param is_edge_list  is the graph an edge_list?
/// @param rows_of  the graph's rows by target; called if the order is not the original one
/// @param relabel_rows  relabel_rows(new_node, old_node, with IDs): as make_relabeled_rows
template <id Node, id Edge>
partition_plan<Node, Edge> fill_partition_plan(
    partition_plan<Node, Edge> plan, bool is_edge_list, const partition_plan_options& options,
    executor_ref run, const node_order_ref<Node, Edge>& order,
    function_ref<csc_arrays<Node, Edge>()> rows_of,
    function_ref<relabeled_rows<Node, Edge>(std::span<const Node>, std::span<const Node>, bool)>
        relabel_rows) {
  plan.reshuffled = options.reshuffle;
  const std::size_t parts = plan.parts, nodes = plan.owner.size();
  const std::size_t node_types = plan.node_type_offsets.size() - 1,
                    edge_types = plan.edge_type_offsets.size() - 1;
  plan.node_bounds.resize(parts * node_types + 1);
  plan.old_node = make_array<Node>(nodes);
  {
    auto new_node = make_array<Node>(nodes);
    number_nodes<Node, Edge>(std::span<const part_id>(plan.owner),
                             std::span<const std::uint64_t>(plan.node_type_offsets), parts, order,
                             std::span(plan.node_bounds), plan.old_node.values(), new_node.values(),
                             run, rows_of);
    if (options.reshuffle) plan.owner = {};
    // Where positions are the new IDs, original ones are kept only on demand.
    const bool need_ids = options.original_edges || !options.reshuffle || options.drop_cut_edges ||
                          parts == 1 || edge_types > 1 || !is_edge_list;
    auto rows = relabel_rows(new_node.values(), plan.old_node.values(), need_ids);
    plan.offsets = std::move(rows.offsets);
    plan.sources = std::move(rows.sources);
    plan.old_edge = std::move(rows.edges);
  }
  plan.part_begin.resize(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p) plan.part_begin[p] = plan.node_bounds[p * node_types];

  const auto rows = plan.rows();
  const std::span<const std::uint64_t> part_begin(plan.part_begin);
  const std::size_t edges = plan.sources.size(), pieces = pieces_of(run);
  plan.cut_begin.assign(parts + 1, 0);
  std::vector<std::uint64_t> counts(cut_counts_count(parts, pieces));
  check(
      count_cut_lists(rows, part_begin, pieces, std::span(counts), std::span(plan.cut_begin), run),
      "cut edges could not be counted");
  plan.cut_edges = plan.cut_begin.back();
  if (options.drop_cut_edges) {
    plan.dropped = plan.cut_edges;
    std::fill(plan.cut_begin.begin(), plan.cut_begin.end(), std::uint64_t{0});
  } else {
    plan.cut_list = make_array<cut_edge<Node, Edge>>(static_cast<std::size_t>(plan.cut_edges));
    check(fill_cut_lists(rows, part_begin, pieces, std::span(counts), plan.cut_list.values(), run),
          "cut edges could not be listed");
  }
  plan.edge_bounds.resize(parts * edge_types + 1);
  constexpr const char* unfit = "the types' offsets do not span the graph's edges";
  if (plan.view().edge_id_is_position()) {
    check(plan.edge_type_offsets[0] == 0 && plan.edge_type_offsets[1] == edges ? status::ok
                                                                               : status::mismatch,
          unfit);
    for (std::size_t p = 0; p <= parts; ++p)
      plan.edge_bounds[p] = static_cast<std::uint64_t>(
          plan.offsets[static_cast<std::size_t>(part_begin[p])]);
    return plan;
  }
  // Edges are indexed by position, not by original ID, so that rows are read in order.
  const bool drop = plan.dropped != 0;
  const auto original = [&](auto position) {
    return static_cast<std::uint64_t>(plan.old_edge[index(position)]);
  };
  plan.new_edge = make_array<Edge>(edges);
  check(relabel_edges_into(rows, std::span<const part_id>(), std::span<const Node>(), part_begin,
                           std::span<const std::uint64_t>(plan.edge_type_offsets), original, drop,
                           std::span(plan.edge_bounds), plan.new_edge.values(), run),
        unfit);
  if (!options.reshuffle) {
    for (std::size_t k = 0; k < edges; ++k) {
      if (!drop || plan.new_edge[k] != dropped_edge<Edge>) plan.new_edge[k] = plan.old_edge[k];
    }
  }
  return plan;
}

/// make_partition_plan(), for orders of any type.
template <id Node, id Edge, graph Graph>
partition_plan<Node, Edge> plan_of_graph(const Graph& g, std::vector<part_id> owner,
                                         std::size_t parts, const partition_plan_options& options,
                                         executor_ref run,
                                         const node_order_ref<Node, Edge>& order) {
  partition_plan<Node, Edge> plan;
  plan.parts = parts;
  plan.owner = std::move(owner);
  require_owners(plan.owner.size(), halograph::num_nodes(g));
  type_offsets_of(g, plan.node_type_offsets, plan.edge_type_offsets);
  return fill_partition_plan<Node, Edge>(
      std::move(plan), edge_list<Graph>, options, run, order,
      [&g] { return build_csc<Node, Edge>(g); },
      [&g, run](std::span<const Node> new_node, std::span<const Node> old_node, bool with_ids) {
        return with_ids ? make_relabeled_rows<true, Edge>(g, new_node, old_node, run)
                        : make_relabeled_rows<false, Edge>(g, new_node, old_node, run);
      });
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template partition_plan<std::uint32_t, std::uint32_t> fill_partition_plan(
    partition_plan<std::uint32_t, std::uint32_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint32_t>&,
    function_ref<csc_arrays<std::uint32_t, std::uint32_t>()>,
    function_ref<relabeled_rows<std::uint32_t, std::uint32_t>(
        std::span<const std::uint32_t>, std::span<const std::uint32_t>, bool)>);
extern template partition_plan<std::uint32_t, std::uint64_t> fill_partition_plan(
    partition_plan<std::uint32_t, std::uint64_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint64_t>&,
    function_ref<csc_arrays<std::uint32_t, std::uint64_t>()>,
    function_ref<relabeled_rows<std::uint32_t, std::uint64_t>(
        std::span<const std::uint32_t>, std::span<const std::uint32_t>, bool)>);
extern template partition_plan<std::uint64_t, std::uint64_t> fill_partition_plan(
    partition_plan<std::uint64_t, std::uint64_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint64_t, std::uint64_t>&,
    function_ref<csc_arrays<std::uint64_t, std::uint64_t>()>,
    function_ref<relabeled_rows<std::uint64_t, std::uint64_t>(
        std::span<const std::uint64_t>, std::span<const std::uint64_t>, bool)>);
#endif

}  // namespace detail

#if HALOGRAPH_COMPILED
extern template csc_arrays<std::uint32_t, std::uint32_t> build_csc<std::uint32_t, std::uint32_t>(
    const hetero_view<std::uint32_t, std::uint32_t>&, const sequential&);
extern template csc_arrays<std::uint64_t, std::uint64_t> build_csc<std::uint64_t, std::uint64_t>(
    const hetero_view<std::uint64_t, std::uint64_t>&, const sequential&);
#endif

/// Relabel a graph, put it into rows and list its cut edges: everything before expansion.
///
/// @param g      any graph; its types where it is a typed_graph
/// @param owner  [V] part of each node, each below `parts`; moved from
/// @param order  of the nodes inside each (part, type)
/// @errors       raises mismatch, out_of_range, overflow
/// @complexity   O(V + E log R)
template <id Node, id Edge, graph Graph,
          node_order<csc_view<Node, Edge>, Node> Order = original_order>
partition_plan<Node, Edge> make_partition_plan(const Graph& g, std::vector<part_id> owner,
                                               std::size_t parts,
                                               const partition_plan_options& options,
                                               executor_ref run, const Order& order = {}) {
  return detail::plan_of_graph<Node, Edge>(g, std::move(owner), parts, options, run, order);
}

}  // namespace halograph
