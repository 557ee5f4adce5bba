// SPDX-License-Identifier: BSL-1.0
/// @file part_columns.hpp
/// One part of a graph with its HALO, in new and local IDs: everything its files hold, column by
/// column.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/relabel_rows.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// What all parts of one partitioning share, wherever it is kept. Nodes are named by their rank by
/// (part, type, original ID): each part is a range of rows, read front to back. Where `reshuffled`,
/// the rank is the new ID. Edges are named by their position in `rows`. Thread-safe to read.
template <id Node, id Edge>
struct partition_plan_view {
  std::size_t parts = 0;
  bool reshuffled = true;                              ///< false: new IDs are the original ones
  std::span<const std::uint64_t> node_type_offsets{};  ///< [T+1] of original IDs
  std::span<const std::uint64_t> edge_type_offsets{};  ///< [R+1]
  std::span<const std::uint64_t> node_bounds{};        ///< [P*T+1] cells in the order (part, type)
  std::span<const std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::span<const std::uint64_t> part_begin{};         ///< [P+1] first node of each part
  std::span<const Node> old_node{};                    ///< [V] original ID of each node
  csc_view<Node, Edge> rows{};                         ///< in-edges, in a row by original ID
  std::span<const Edge>
      old_edge{};  ///< [E] original ID of the edge at a position, or empty: not kept
  std::span<const Edge>
      new_edge{};  ///< [E] new ID of the edge at a position, or empty: where edge_id_is_position()
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;  ///< cut edges left out (0 hops, asked for)
  cut_lists_view<Node, Edge>
      cut_lists{};  ///< edges that leave their source's part, by part and position
  /// positions are a rank's own, behind the rows those of cut edges: never IDs
  bool own_positions = false;

  std::size_t num_node_types() const noexcept { return node_type_offsets.size() - 1; }
  std::size_t num_edge_types() const noexcept { return edge_type_offsets.size() - 1; }
  std::uint64_t num_nodes() const noexcept { return node_type_offsets.back(); }
  /// Edges that are numbered: all but the dropped ones.
  std::uint64_t num_edges() const noexcept { return edge_type_offsets.back() - dropped; }
  /// Cell (part, type).
  id_range nodes(std::size_t part, std::size_t type) const {
    return {node_bounds[part * num_node_types() + type],
            node_bounds[part * num_node_types() + type + 1]};
  }
  id_range edges(std::size_t part, std::size_t type) const {
    return {edge_bounds[part * num_edge_types() + type],
            edge_bounds[part * num_edge_types() + type + 1]};
  }
  /// Is the new ID of an edge its position? One edge type, everything numbered anew.
  bool edge_id_is_position() const noexcept {
    return reshuffled && parts > 1 && num_edge_types() == 1 && dropped == 0 && !own_positions;
  }
  /// The cell of a node: part * types + type. @complexity O(log(P*T))
  std::size_t node_cell(std::uint64_t node) const { return range_of(node_bounds, node); }
  /// The type of an original edge ID. @complexity O(log R)
  std::size_t edge_type(std::uint64_t old) const { return range_of(edge_type_offsets, old); }
};

/// The same in memory of its own: with 32-bit IDs 8 B per node, 4 B per edge and 12 B per cut edge;
/// 4 B per edge more where original IDs are kept, and again where there are several edge types.
template <id Node, id Edge>
struct partition_plan {
  std::size_t parts = 0;
  bool reshuffled = true;
  std::vector<std::uint64_t> node_type_offsets{}, edge_type_offsets{};
  std::vector<part_id> owner{};  ///< [V] by original ID, where not reshuffled
  std::vector<std::uint64_t> node_bounds{}, edge_bounds{}, part_begin{};
  uninitialized_array<Node> old_node{};
  uninitialized_array<Edge> offsets{};     ///< [V+1] in-edges of the nodes
  uninitialized_array<Node> sources{};     ///< [E]
  uninitialized_array<Edge> old_edge{};    ///< [E], or [0]
  uninitialized_array<Edge> new_edge{};    ///< [E], or [0]
  std::vector<std::uint64_t> cut_begin{};  ///< [P+1]
  uninitialized_array<cut_edge<Node, Edge>> cut_list{};
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;

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

namespace detail {

/// f(source, target, position) for each edge that crosses parts, where parts are ranges of nodes.
template <class Rows, class F>
void for_each_cut_edge(const Rows& rows, std::span<const std::uint64_t> part_begin,
                       std::size_t first_part, std::size_t last_part, F&& f) {
  for (std::size_t p = first_part; p < last_part; ++p) {
    const std::uint64_t begin = part_begin[p], size = part_begin[p + 1] - begin;
    for (auto v = static_cast<std::size_t>(begin); v < part_begin[p + 1]; ++v) {
      rows.for_each_in_edge(v, [&](auto u, auto position) {
        if (static_cast<std::uint64_t>(u) - begin >= size)
          f(u, v, position);  // below `begin` it wraps
      });
    }
  }
}

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

/// The rows of a plan. @errors raises overflow, out_of_range, mismatch
template <class Entry, graph Graph, id Node, id Edge, executor Executor>
void make_rows(const Graph& g, std::span<const Node> new_node, partition_plan<Node, Edge>& plan,
               const Executor& run) {
  const std::size_t nodes = new_node.size(), count = halograph::num_edges(g);
  constexpr const char* too_narrow =
      "the graph has more nodes or edges than its ID types can number; use wider ones";
  if (nodes > id_capacity<Node>() || count >= id_capacity<Edge>())
    raise(errc::overflow, too_narrow);  // before memory is asked for
  plan.offsets = make_array<Edge>(nodes + 1);
  plan.sources = make_array<Node>(count);
  if constexpr (std::is_same_v<Entry, row_entry_with_id<Node, Edge>>)
    plan.old_edge = make_array<Edge>(count);
  const auto cut = row_buckets::of(nodes, pieces_of(run));
  std::vector<std::uint64_t> counts(cut.counts());
  auto entries = make_array<Entry>(count);
  const status answer = relabel_rows_into(g, new_node, cut, std::span(counts), entries.values(),
                                          plan.offsets.values(), plan.sources.values(),
                                          plan.old_edge.values(), run);
  if (answer == status::out_of_range) {
    raise(answer.code, "edge " + std::to_string(answer.position) + " has an end outside the " +
                           std::to_string(nodes) + " nodes of the graph; IDs must be 0 to " +
                           std::to_string(nodes == 0 ? 0 : nodes - 1));
  }
  require_edge_count(answer == status::capacity ? answer.position
                     : answer                   ? static_cast<std::uint64_t>(plan.offsets[nodes])
                                                : count,
                     count);
  check(answer, too_narrow);
  if constexpr (std::is_same_v<Entry, row_entry_with_id<Node, Edge>>) {
    entries = {};  // the check takes no more memory than they did
    require_edge_ids_of(g, std::span<const Edge>(plan.offsets.values()),
                        std::span<const Node>(plan.sources.values()),
                        std::span<const Edge>(plan.old_edge.values()),
                        [&](std::size_t v) { return index(plan.old_node[v]); });
  }
}

}  // namespace detail

/// How the plan of a partitioning is made.
struct plan_options {
  bool reshuffle = true;
  bool drop_cut_edges = false;  ///< with 0 hops: leave cut edges out before numbering
  /// keep the original IDs of edges, which features, mappings and their columns need
  bool original_edges = true;
};

/// Compress, relabel and group: everything up to expansion.
///
/// @param g      any graph; its types where it is a typed_graph
/// @param owner  [V] part of each node, each below `parts`; moved from
/// @param order  of the nodes inside each (part, type)
/// @errors       raises mismatch, out_of_range, overflow
/// @complexity   O(V + E log R)
template <id Node, id Edge, graph Graph, executor Executor,
          node_order<csc_view<Node, Edge>, Node> Order = original_order>
partition_plan<Node, Edge> make_partition_plan(const Graph& g, std::vector<part_id> owner,
                                               std::size_t parts, const plan_options& options,
                                               const Executor& run, const Order& order = {}) {
  partition_plan<Node, Edge> plan;
  plan.parts = parts;
  plan.reshuffled = options.reshuffle;
  plan.owner = std::move(owner);
  const std::size_t nodes = halograph::num_nodes(g);
  if (plan.owner.size() != nodes) {
    raise(errc::mismatch, "the assignment names a part for " + std::to_string(plan.owner.size()) +
                              " nodes, the graph has " + std::to_string(nodes) +
                              "; it must name one part per node");
  }
  if constexpr (typed_graph<Graph>) {
    plan.node_type_offsets.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    plan.edge_type_offsets.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  } else {
    plan.node_type_offsets = {0, nodes};
    plan.edge_type_offsets = {0, halograph::num_edges(g)};
  }
  const std::size_t node_types = plan.node_type_offsets.size() - 1,
                    edge_types = plan.edge_type_offsets.size() - 1;
  plan.node_bounds.resize(parts * node_types + 1);
  plan.old_node = detail::make_array<Node>(nodes);
  {
    const std::span<const part_id> owners(plan.owner);
    const std::span<const std::uint64_t> types(plan.node_type_offsets);
    auto renumbered = detail::make_array<Node>(nodes);
    const std::span<Node> new_node = renumbered.values();
    status placed = status::ok;
    if (name_of_order(order) ==
        original_order::name) {  // taken at its word: there is nothing to arrange by
      // Counts of all cells for each piece: only where nodes are many more.
      const std::size_t pieces = std::min(detail::pieces_of(run), most_edge_slices);
      const std::size_t at_once = nodes / 8 / pieces > parts * node_types ? pieces : 1;
      std::vector<std::uint64_t> counts(
          at_once < 2 ? 0 : relabel_counts_count(parts, node_types, at_once));
      placed = relabel_nodes_into(owners, types, parts, std::span(plan.node_bounds),
                                  plan.old_node.values(), new_node, at_once, std::span(counts),
                                  run);
    } else {
      const auto rows = build_csc<Node, Edge>(g);
      const order_sizes sizes = order.sizes(nodes, node_types);
      std::vector<Node> scratch(sizes.nodes);
      std::vector<std::uint64_t> words(sizes.words);
      placed = relabel_nodes_into(rows.view(), owners, types, parts, order,
                                  std::span(plan.node_bounds), plan.old_node.values(), new_node,
                                  {scratch, words});
    }
    if (placed == status::out_of_range && placed.position < nodes &&
        plan.owner[static_cast<std::size_t>(placed.position)] >= parts) {
      raise(placed.code, "node " + std::to_string(placed.position) + " is assigned to part " +
                             std::to_string(plan.owner[static_cast<std::size_t>(placed.position)]) +
                             "; parts must be 0 to " + std::to_string(parts - 1));
    }
    check(placed, placed == status::overflow
                      ? "the graph has more nodes than its node IDs can number; use wider ones"
                      : "the types' offsets do not span the graph's nodes");
    if (options.reshuffle) plan.owner = {};
    // Where positions serve as new IDs, the original ones are kept on demand alone.
    const bool need_ids = options.original_edges || !options.reshuffle || options.drop_cut_edges ||
                          parts == 1 || edge_types > 1 || !edge_list<Graph>;
    if (need_ids)
      detail::make_rows<row_entry_with_id<Node, Edge>>(g, std::span<const Node>(new_node), plan,
                                                       run);
    else
      detail::make_rows<row_entry<Node, Edge>>(g, std::span<const Node>(new_node), plan, run);
  }
  plan.part_begin.resize(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p) plan.part_begin[p] = plan.node_bounds[p * node_types];

  const auto rows = plan.rows();
  const std::span<const std::uint64_t> part_begin(plan.part_begin);
  const std::size_t edges = plan.sources.size(), pieces = detail::pieces_of(run);
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
    plan.cut_list = detail::make_array<cut_edge<Node, Edge>>(
        static_cast<std::size_t>(plan.cut_edges));
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
  // Positions, not original IDs, index the edges: rows are then read front to back.
  const bool drop = plan.dropped != 0;
  const auto original = [&](auto position) {
    return static_cast<std::uint64_t>(plan.old_edge[index(position)]);
  };
  plan.new_edge = detail::make_array<Edge>(edges);
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

/// The order of a part's HALO nodes.
enum class halo_order : std::uint8_t {
  discovered,  ///< as expansion finds them: what DGL's partition_graph does
  ascending    ///< by new ID: what DGL's dispatch pipeline does
};

/// One part, expanded. Local nodes: inner by new ID, then HALO as found; local edges: inner by new
/// ID, then the others by new ID. Where edge_id_is_position() no edge is copied: columns are read
/// off the plan's rows and cut lists while they are written. Reuse one object for part after part;
/// its memory grows to the largest.
template <id Node, id Edge>
class part_columns {
 public:
  using local_id = std::make_unsigned_t<Node>;

  /// @param plan    what it views must outlive this object
  /// @param memory  for columns as long as the part has nodes or edges
  /// @param table   for the local ID of each node of the graph, read here and there
  explicit part_columns(const partition_plan_view<Node, Edge>& plan,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                        std::pmr::memory_resource* table = std::pmr::get_default_resource())
      : plan_(plan),
        part_of_(plan.part_begin),
        local_(table),
        halo_(memory),
        followed_(memory),
        places_(memory),
        listed_(memory),
        source_(memory),
        target_(memory),
        csr_(memory),
        csc_(memory) {
    const auto nodes = static_cast<std::size_t>(plan.num_nodes());
    local_.reserve(nodes);
    prefer_large_pages({reinterpret_cast<std::byte*>(local_.data()), nodes * sizeof(local_id)});
    local_.resize(nodes, absent<local_id>);
  }
  explicit part_columns(const partition_plan<Node, Edge>& plan) : part_columns(plan.view()) {}

  /// Let threads share the columns of this part, where parts alone would not keep them busy.
  /// @param for_each  for_each(n, f) calls f(0) to f(n - 1), some at once; empty: the caller's
  ///     thread does it all
  void share(std::size_t threads,
             std::function<void(std::size_t, const std::function<void(std::size_t)>&)> for_each) {
    threads_ = threads;
    for_each_ = threads < 2 ? nullptr : std::move(for_each);
  }

  /// @errors raises cut_edges: 0 hops although edges enter the part; overflow: Node is too narrow
  ///     for V + 1 values
  /// @complexity linear in the part's nodes and edges, whatever its number
  void expand(std::size_t part, const halo_options& options,
              halo_order order = halo_order::discovered) {
    clear();
    if (plan_.num_nodes() > absent<local_id>) {
      raise(errc::overflow, "the node IDs are too narrow to number a part's nodes; use wider ones");
    }
    part_ = part;
    report_ = {};
    // A hop without new nodes is the last: more than V hops do not need more than V counts.
    report_.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min<std::uint64_t>(options.hops, plan_.num_nodes())), 0);
    const std::size_t types = plan_.num_edge_types();
    node_begin_ = static_cast<std::size_t>(plan_.part_begin[part]);
    inner_nodes_ = static_cast<std::size_t>(plan_.part_begin[part + 1]) - node_begin_;
    edge_begin_ = plan_.edge_bounds[part * types];
    inner_edges_ = static_cast<std::size_t>(plan_.edge_bounds[(part + 1) * types] - edge_begin_);
    row_begin_ = inner_nodes_ == 0 ? 0 : plan_.rows.row_begin(node_begin_);
    row_end_ = inner_nodes_ == 0 ? 0 : plan_.rows.row_end(node_begin_ + inner_nodes_ - 1);
    for (std::size_t i = 0; i < inner_nodes_; ++i)
      local_[node_begin_ + i] = static_cast<local_id>(i);
    find_nodes(options);
    if (order == halo_order::ascending) {
      std::sort(halo_.begin(), halo_.end());
      for (std::size_t i = 0; i < halo_.size(); ++i)
        local_[index(halo_[i])] = static_cast<local_id>(inner_nodes_ + i);
    }
    mark_places();
    if (!plan_.edge_id_is_position()) list_edges();
    report_.inner_nodes = inner_nodes_;
    report_.halo_nodes = halo_.size();
    report_.inner_edges = inner_edges_;
    report_.halo_edges = other_edges_;
  }

  const part_report& report() const noexcept { return report_; }
  std::size_t part() const noexcept { return part_; }
  std::size_t num_nodes() const noexcept { return inner_nodes_ + halo_.size(); }
  std::size_t num_inner_nodes() const noexcept { return inner_nodes_; }
  std::size_t num_edges() const noexcept { return inner_edges_ + other_edges_; }
  std::size_t num_inner_edges() const noexcept { return inner_edges_; }

  // At local IDs. Edges' columns come in pieces: out[i] belongs to local edge first + i.
  std::uint64_t old_node(std::size_t v) const {
    return static_cast<std::uint64_t>(plan_.old_node[static_cast<std::size_t>(rank(v))]);
  }
  std::uint64_t new_node(std::size_t v) const { return plan_.reshuffled ? rank(v) : old_node(v); }
  part_id node_owner(std::size_t v) const {
    return static_cast<part_id>(v < inner_nodes_ ? part_ : part_of_(rank(v)));
  }
  std::size_t node_type(std::size_t v) const {
    return plan_.num_node_types() == 1 ? 0 : plan_.node_cell(rank(v)) % plan_.num_node_types();
  }
  void sources_into(std::size_t first, std::span<std::int64_t> out) const {
    const Node* const source = plan_.rows.neighbors().data();
    const local_id* const local = local_.data();
    if (!listed_.empty()) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int64_t>(
            local[index(source[index(listed_[first + i].position)])]);
      }
      return;
    }
    const auto row = [&](Node, std::size_t position, std::span<std::int64_t> to) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<std::int64_t>(local[index(source[position + i])]);
    };
    const std::size_t inner = first < inner_edges_ ? std::min(out.size(), inner_edges_ - first) : 0;
    row(Node{}, row_begin_ + first, out.first(inner));
    halo_edges_into(first + inner, out.subspan(inner), row,
                    [&](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
                      for (std::size_t i = 0; i < to.size(); ++i)
                        to[i] = static_cast<std::int64_t>(index(edge[i].source) - node_begin_);
                    });
  }
  void targets_into(std::size_t first, std::span<std::int64_t> out) const {
    const local_id* const local = local_.data();
    if (!listed_.empty()) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::int64_t>(local[index(listed_[first + i].target)]);
      return;
    }
    std::size_t done = 0;
    if (first < inner_edges_ && !out.empty()) {
      const std::size_t inner = std::min(out.size(), inner_edges_ - first);
      const auto offsets = plan_.rows.offsets().subspan(node_begin_, inner_nodes_ + 1);
      const auto behind = [&](Edge offset) { return index(offset) <= row_begin_ + first; };
      auto v = static_cast<std::size_t>(
                   std::partition_point(offsets.begin(), offsets.end(), behind) - offsets.begin()) -
               1;
      for (; done < inner; ++v) {
        const std::size_t end = std::min(inner, index(offsets[v + 1]) - row_begin_ - first);
        for (; done < end; ++done) out[done] = static_cast<std::int64_t>(v);
      }
    }
    halo_edges_into(
        first + done, out.subspan(done),
        [&](Node target, std::size_t, std::span<std::int64_t> to) {
          std::fill(to.begin(), to.end(), static_cast<std::int64_t>(local[index(target)]));
        },
        [&](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
          for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = static_cast<std::int64_t>(local[index(edge[i].target)]);
        });
  }
  /// Positions in the plan's rows.
  void positions_into(std::size_t first, std::span<std::int64_t> out) const {
    if (!listed_.empty()) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::int64_t>(listed_[first + i].position);
      return;
    }
    const auto row = [](Node, std::size_t position, std::span<std::int64_t> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int64_t>(position + i);
    };
    const std::size_t inner = first < inner_edges_ ? std::min(out.size(), inner_edges_ - first) : 0;
    row(Node{}, row_begin_ + first, out.first(inner));
    halo_edges_into(first + inner, out.subspan(inner), row,
                    [](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
                      for (std::size_t i = 0; i < to.size(); ++i)
                        to[i] = static_cast<std::int64_t>(edge[i].position);
                    });
  }
  void new_edges_into(std::size_t first, std::span<std::int64_t> out) const {
    positions_into(first, out);
    if (plan_.edge_id_is_position()) return;
    for (auto& one : out)
      one = static_cast<std::int64_t>(plan_.new_edge[static_cast<std::size_t>(one)]);
  }
  /// @pre the plan keeps original IDs
  void old_edges_into(std::size_t first, std::span<std::int64_t> out) const {
    positions_into(first, out);
    for (auto& one : out)
      one = static_cast<std::int64_t>(plan_.old_edge[static_cast<std::size_t>(one)]);
  }

  /// Sizes, dtypes and shapes of everything to be written, features aside.
  part_plan describe() const {
    part_plan out;
    out.part = static_cast<part_id>(part_);
    out.parts = static_cast<part_id>(plan_.parts);
    out.nodes = num_nodes();
    out.inner_nodes = inner_nodes_;
    out.edges = num_edges();
    out.inner_edges = inner_edges_;
    return out;
  }

  /// Write one structural section. @errors those of the sink
  template <byte_sink Sink>
  status write(Sink& sink, const section& where) {
    // Most columns: a value for each node.
    const auto each = [](auto&& value) {
      return [value](std::size_t first, std::span<std::int64_t> out) {
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = static_cast<std::int64_t>(value(first + i));
      };
    };
    switch (where.what) {
      case column::coo_source:
        return generate(
            sink, where, num_edges(),
            [&](std::size_t first, std::span<std::int64_t> out) { sources_into(first, out); });
      case column::coo_target:
        return generate(
            sink, where, num_edges(),
            [&](std::size_t first, std::span<std::int64_t> out) { targets_into(first, out); });
      case column::csr_offsets:
        return write_as(sink, where, 0, std::span<const std::uint64_t>(csr().offsets));
      case column::csr_targets:
        return generate(sink, where, num_edges(),
                        each([&, edges = csr().edges.data()](std::size_t k) {
                          return target_[index(edges[k])];
                        }));
      case column::csr_edges:
        return write_as(sink, where, 0, std::span<const edge_number>(csr().edges));
      case column::csc_offsets:
        return write_as(sink, where, 0, std::span<const std::uint64_t>(csc().offsets));
      case column::csc_sources:
        return generate(sink, where, num_edges(),
                        each([&, edges = csc().edges.data()](std::size_t k) {
                          return source_[index(edges[k])];
                        }));
      case column::csc_edges:
        return write_as(sink, where, 0, std::span<const edge_number>(csc().edges));
      case column::node_id:
        return generate(sink, where, num_nodes(), each([&](std::size_t v) { return new_node(v); }));
      case column::inner_node:
        return flags(sink, where, inner_nodes_, num_nodes());
      case column::node_part:
        return generate(sink, where, num_nodes(),
                        each([&](std::size_t v) { return node_owner(v); }));
      case column::node_type:
        return generate(sink, where, num_nodes(),
                        each([&](std::size_t v) { return node_type(v); }));
      case column::node_original:
        return generate(sink, where, num_nodes(), each([&](std::size_t v) {
                          return old_node(v) - plan_.node_type_offsets[node_type(v)];
                        }));
      case column::edge_id:
        return generate(
            sink, where, num_edges(),
            [&](std::size_t first, std::span<std::int64_t> out) { new_edges_into(first, out); });
      case column::inner_edge:
        return flags(sink, where, inner_edges_, num_edges());
      case column::edge_type:
        return generate(
            sink, where, num_edges(), [&](std::size_t first, std::span<std::int64_t> out) {
              if (plan_.num_edge_types() == 1)
                return std::fill(out.begin(), out.end(), std::int64_t{0});
              old_edges_into(first, out);
              for (auto& one : out)
                one = static_cast<std::int64_t>(plan_.edge_type(static_cast<std::uint64_t>(one)));
            });
      case column::edge_original:
        return generate(
            sink, where, num_edges(), [&](std::size_t first, std::span<std::int64_t> out) {
              old_edges_into(first, out);
              for (auto& one : out) {
                const auto old = static_cast<std::uint64_t>(one);
                one = static_cast<std::int64_t>(old -
                                                plan_.edge_type_offsets[plan_.edge_type(old)]);
              }
            });
      case column::original_nodes:
        return generate(sink, where, static_cast<std::size_t>(inner_of_type(where.item).size()),
                        each([&, first = inner_of_type(where.item).begin](std::size_t i) {
                          return old_node(static_cast<std::size_t>(first) + i) -
                                 plan_.node_type_offsets[where.item];
                        }));
      case column::original_edges:
        return generate(
            sink, where, static_cast<std::size_t>(inner_edges_of_type(where.item).size()),
            [&, begin = static_cast<std::size_t>(inner_edges_of_type(where.item).begin)](
                std::size_t first, std::span<std::int64_t> out) {
              old_edges_into(begin + first, out);
              for (auto& one : out)
                one -= static_cast<std::int64_t>(plan_.edge_type_offsets[where.item]);
            });
      case column::node_feature:
      case column::edge_feature:
        return status::unsupported;
    }
    return status::internal;
  }

  /// Local IDs of the inner nodes of a type.
  id_range inner_of_type(std::size_t type) const {
    const auto cell = plan_.nodes(part_, type);
    return {cell.begin - plan_.part_begin[part_], cell.end - plan_.part_begin[part_]};
  }
  /// Local IDs of the inner edges of a type.
  id_range inner_edges_of_type(std::size_t type) const {
    const auto cell = plan_.edges(part_, type);
    return {cell.begin - edge_begin_, cell.end - edge_begin_};
  }

  /// Write the rows of a feature for the inner nodes (or edges) of its type, through a fixed
  /// buffer.
  /// @errors those of the store and the sink
  template <byte_sink Sink, feature_store Store>
  status write_rows(Sink& sink, const section& where, const Store& store, std::size_t type,
                    bool of_nodes) {
    const id_range local = of_nodes ? inner_of_type(type) : inner_edges_of_type(type);
    const std::uint64_t base = of_nodes ? plan_.node_type_offsets[type]
                                        : plan_.edge_type_offsets[type];
    const std::uint64_t row_elements = element_count(store.row_shape());
    const std::size_t row_bytes = static_cast<std::size_t>(row_elements) * item_bytes(store.type());
    if (row_bytes == 0) return status::ok;
    const std::size_t rows_at_once = std::max<std::size_t>(1, buffer_bytes / row_bytes);
    for (std::uint64_t done = 0; done < local.size();) {
      const auto count = static_cast<std::size_t>(
          std::min<std::uint64_t>(rows_at_once, local.size() - done));
      const auto first = static_cast<std::size_t>(local.begin + done);
      ids_.resize(count);
      if (of_nodes) {
        for (std::size_t i = 0; i < count; ++i) ids_[i] = old_node(first + i) - base;
      } else {
        numbers_.resize(std::max(numbers_.size(), count));
        const auto old = std::span(numbers_).first(count);
        old_edges_into(first, old);
        for (std::size_t i = 0; i < count; ++i) ids_[i] = static_cast<std::uint64_t>(old[i]) - base;
      }
      bytes_.resize(count * row_bytes);
      if (const status answer = store.gather(std::span<const std::uint64_t>(ids_),
                                             std::span(bytes_));
          !answer)
        return answer;
      if (const status answer = write_elements(sink, where, done * row_elements,
                                               std::span<const std::byte>(bytes_));
          !answer) {
        return answer;
      }
      done += count;
    }
    return status::ok;
  }

 private:
  using edge_number = std::make_unsigned_t<Edge>;
  static constexpr std::size_t buffer_bytes = 1 << 18;
  static constexpr std::size_t block = buffer_bytes / sizeof(std::int64_t);

  /// How far a walk over the other edges has come: rows of nodes that were followed, cut edges in
  /// between.
  struct place {
    std::size_t row = 0;     // in followed_
    std::size_t inside = 0;  // edges of that row behind us
    std::size_t cut = 0;     // in cut()
  };
  struct listed_edge {
    Edge position;  // in plan_.rows
    Node target;    // of the plan
  };
  struct compressed {
    explicit compressed(std::pmr::memory_resource* memory) : offsets(memory), edges(memory) {}
    void clear() {
      offsets.clear();
      edges.clear();
    }
    std::pmr::vector<std::uint64_t> offsets;
    std::pmr::vector<edge_number> edges;  // local edge IDs, ascending in a row
  };

  /// The node of the plan that a local node is.
  std::uint64_t rank(std::size_t v) const {
    return v < inner_nodes_ ? plan_.part_begin[part_] + v
                            : static_cast<std::uint64_t>(halo_[v - inner_nodes_]);
  }

  /// Forget the part before.
  void clear() {
    std::fill_n(local_.begin() + static_cast<std::ptrdiff_t>(node_begin_), inner_nodes_,
                absent<local_id>);
    for (const Node v : halo_) local_[index(v)] = absent<local_id>;
    node_begin_ = inner_nodes_ = inner_edges_ = other_edges_ = 0;
    halo_.clear();
    followed_.clear();
    cut_ = {};
    places_.clear();
    listed_.clear();
    source_.clear();
    target_.clear();
    csr_.clear();
    csc_.clear();
  }

  // --- nodes ---

  /// All nodes in DGL's order: sources of hop after hop, then the targets of cut edges by (source,
  /// target).
  void find_nodes(const halo_options& options) {
    const std::size_t nodes = static_cast<std::size_t>(plan_.num_nodes());
    const Node* const source = plan_.rows.neighbors().data();
    local_id* const local = local_.data();
    const auto strange = [] {
      raise(errc::out_of_range, "an edge of the plan has an end that is no node");
    };
    if (options.hops == 0) {
      std::uint64_t entering = 0;
      for (std::size_t i = row_begin_; i < row_end_; ++i)
        entering += index(source[i]) - node_begin_ >= inner_nodes_ ? 1u : 0u;
      if (entering != 0 && !options.drop_cut_edges) {
        raise(errc::cut_edges,
              "0 hops cannot keep the " + std::to_string(plan_.cut_edges) +
                  " edges that cross parts; ask for 1 hop or more, or for dropping them");
      }
      return;
    }
    const auto add = [&](std::size_t v) {
      local[v] = static_cast<local_id>(inner_nodes_ + halo_.size());
      halo_.push_back(static_cast<Node>(v));
    };
    const auto follow = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t u = index(source[i]);
        if (u >= nodes) strange();
        if (local[u] == absent<local_id>) add(u);
      }
    };
    follow(row_begin_, row_end_);
    count_hop(0, 0);
    std::size_t layer_begin = 0;
    for (std::uint64_t hop = 2; hop <= options.hops && layer_begin < halo_.size(); ++hop) {
      const std::size_t layer_end = halo_.size();
      for (std::size_t i = layer_begin; i < layer_end; ++i)
        follow(plan_.rows.row_begin(index(halo_[i])), plan_.rows.row_end(index(halo_[i])));
      layer_begin = layer_end;
      count_hop(static_cast<std::size_t>(hop) - 1, layer_end);
    }
    followed_.assign(halo_.begin(), halo_.begin() + static_cast<std::ptrdiff_t>(layer_begin));
    sort_followed();
    if (!options.closing_out_edges) return;
    cut_ = plan_.cut_lists.of(part_);
    const std::size_t before = halo_.size();
    add_targets();
    count_hop(0, before);
  }

  void count_hop(std::size_t slot, std::size_t before) {
    if (halo_.size() != before) report_.halo_nodes_per_hop[slot] += halo_.size() - before;
  }

  void sort_followed() {
    if (followed_.empty()) return;
    // Where most nodes were followed, looking at all is cheaper than sorting.
    const std::size_t nodes = local_.size(), count = followed_.size();
    if (count >= nodes / 8) {
      std::size_t at = 0;
      for (std::size_t v = 0; v < nodes; ++v) {
        const local_id local = local_[v];
        if (local != absent<local_id> && local - inner_nodes_ < count)
          followed_[at++] = static_cast<Node>(v);
      }
    } else {
      std::pmr::vector<Node> scratch(count, followed_.get_allocator());
      radix_sort(
          std::span(followed_), std::span(scratch),
          [](Node v) { return static_cast<std::uint64_t>(v); }, nodes);
    }
  }

  /// Targets of cut edges that no hop found, in the order in which sources meet them: by (least
  /// source, target).
  void add_targets() {
    struct found {
      Node source, target;
    };
    std::pmr::vector<found> more(halo_.get_allocator());
    for (std::size_t i = 0; i < cut_.size();) {
      const Node target = cut_[i].target;
      if (local_[index(target)] != absent<local_id>) {
        ++i;
        continue;
      }
      Node least = cut_[i].source;
      while (++i < cut_.size() && cut_[i].target == target) least = std::min(least, cut_[i].source);
      more.push_back({least, target});
    }
    std::pmr::vector<found> scratch(more.size(), halo_.get_allocator());
    radix_sort(
        std::span(more), std::span(scratch),
        [&](const found& one) {
          return static_cast<std::uint64_t>(index(one.source) - node_begin_);
        },
        inner_nodes_);
    for (const found& one : more) {
      local_[index(one.target)] = static_cast<local_id>(inner_nodes_ + halo_.size());
      halo_.push_back(one.target);
    }
  }

  // --- edges that are not inner: whole rows of followed nodes, and cut edges into the others, by
  // position ---

  /// Visit `count` of them from `at` on, `skip` left out first. @return how many were visited
  /// @param row  row(target, first position, count);  @param cut  cut(first cut edge, count)
  template <class Row, class Cut>
  std::size_t walk(place& at, std::size_t skip, std::size_t count, Row&& row, Cut&& cut) const {
    const std::size_t wanted = count;
    const auto take = [&](std::size_t there, std::size_t& moved) {
      const std::size_t passed = std::min(skip, there);
      skip -= passed;
      moved = passed;
      return std::min(count, there - passed);
    };
    while (count != 0) {
      const bool rows_left = at.row < followed_.size();
      std::size_t cut_end = cut_.size(), passed = 0;
      if (rows_left) {
        // No further than is asked for: long runs are met again by every block.
        const std::size_t enough = at.cut + std::min(cut_.size() - at.cut, skip + count);
        for (cut_end = at.cut; cut_end < enough && cut_[cut_end].target < followed_[at.row];
             ++cut_end) {
        }
      }
      if (at.inside == 0 && at.cut < cut_end) {
        const std::size_t now = take(cut_end - at.cut, passed);
        if (now != 0) cut(at.cut + passed, now);
        at.cut += passed + now;
        count -= now;
        continue;
      }
      if (!rows_left) break;
      const Node v = followed_[at.row];
      const std::size_t begin = plan_.rows.row_begin(index(v)),
                        length = plan_.rows.row_end(index(v)) - begin;
      const std::size_t now = take(length - at.inside, passed);
      if (now != 0) row(v, begin + at.inside + passed, now);
      at.inside += passed + now;
      count -= now;
      if (at.inside == length) {
        ++at.row;
        at.inside = 0;
        while (at.cut < cut_.size() && cut_[at.cut].target == v) ++at.cut;  // in the row too
      }
    }
    return wanted - count;
  }

  /// Count them, and remember a place every so often so that a column can be entered anywhere.
  void mark_places() {
    place at;
    while (true) {
      places_.push_back(at);
      const std::size_t seen = walk(
          at, 0, block, [](Node, std::size_t, std::size_t) {}, [](std::size_t, std::size_t) {});
      other_edges_ += seen;
      if (seen < block) return;
    }
  }

  /// Fill a column of local edges from `first` on, which are no inner ones.
  /// @param row  row(target, first position, out);  @param cut  cut(first cut edge, out)
  template <class Row, class Cut>
  void halo_edges_into(std::size_t first, std::span<std::int64_t> out, Row&& row, Cut&& cut) const {
    if (out.empty()) return;
    const std::size_t other = first - inner_edges_;
    place at = places_[other / block];
    std::size_t done = 0;
    const auto next = [&](std::size_t count) {
      const auto piece = out.subspan(done, count);
      done += count;
      return piece;
    };
    walk(
        at, other % block, out.size(),
        [&](Node target, std::size_t position, std::size_t count) {
          row(target, position, next(count));
        },
        [&](std::size_t edge, std::size_t count) { cut(cut_.data() + edge, next(count)); });
  }

  /// Where IDs are not positions: list the edges in the order of their IDs.
  void list_edges() {
    std::pmr::vector<listed_edge> found(listed_.get_allocator());
    found.reserve(std::max(inner_edges_, other_edges_));
    listed_.resize(num_edges());
    const bool dropped = plan_.dropped != 0;
    for (std::size_t v = node_begin_; v < node_begin_ + inner_nodes_; ++v) {
      for (std::size_t i = plan_.rows.row_begin(v); i < plan_.rows.row_end(v); ++i) {
        const Edge fresh = plan_.new_edge[i];
        if (dropped && fresh == dropped_edge<Edge>) continue;
        const listed_edge one{static_cast<Edge>(i), static_cast<Node>(v)};
        if (plan_.reshuffled)
          listed_[static_cast<std::size_t>(static_cast<std::uint64_t>(fresh) - edge_begin_)] = one;
        else
          found.push_back(one);
      }
    }
    const auto sort = [&](std::span<listed_edge> to) {
      radix_sort(
          std::span(found), to,
          [&](const listed_edge& one) {
            return static_cast<std::uint64_t>(plan_.new_edge[index(one.position)]);
          },
          plan_.edge_type_offsets.back());
      std::copy(found.begin(), found.end(), to.begin());
    };
    if (!plan_.reshuffled) sort(std::span(listed_).first(inner_edges_));
    found.clear();
    place at;
    walk(
        at, 0, other_edges_,
        [&](Node target, std::size_t position, std::size_t count) {
          for (std::size_t i = 0; i < count; ++i)
            found.push_back({static_cast<Edge>(position + i), target});
        },
        [&](std::size_t edge, std::size_t count) {
          for (std::size_t i = 0; i < count; ++i)
            found.push_back({cut_[edge + i].position, cut_[edge + i].target});
        });
    if (plan_.reshuffled)
      deal_by_type(found, std::span(listed_).subspan(inner_edges_));
    else
      sort(std::span(listed_).subspan(inner_edges_));
  }

  /// Edges by position are sorted by part of the target; in a part, deal them by type.
  void deal_by_type(std::span<const listed_edge> found, std::span<listed_edge> to) const {
    const std::size_t types = plan_.num_edge_types();
    std::vector<std::size_t> next(types + 1);
    for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
      const std::size_t part = part_of_(static_cast<std::uint64_t>(found[begin].target));
      const auto bounds = plan_.edge_bounds.subspan(part * types, types + 1);
      const auto type = [&](const listed_edge& one) {
        return range_of(bounds, static_cast<std::uint64_t>(plan_.new_edge[index(one.position)]));
      };
      std::fill(next.begin(), next.end(), std::size_t{0});
      for (; end < found.size() &&
             static_cast<std::uint64_t>(found[end].target) < plan_.part_begin[part + 1];
           ++end)
        ++next[type(found[end])];
      std::size_t sum = begin;
      for (auto& one : next) sum += std::exchange(one, sum);
      for (std::size_t i = begin; i < end; ++i) to[next[type(found[i])]++] = found[i];
    }
  }

  // --- writing ---

  /// fill(first, out) gives the values from `first` on.
  template <byte_sink Sink, class F>
  status generate(Sink& sink, const section& where, std::size_t count, const F& fill) {
    const std::size_t window = count > block && for_each_ ? 2 * threads_ * block : block;
    numbers_.resize(std::max(numbers_.size(), std::min(count, window)));
    for (std::size_t done = 0; done < count;) {
      const auto piece = std::span(numbers_).first(std::min(window, count - done));
      if (const status answer = piece.size() <= block
                                    ? fill_and_write(sink, where, done, piece, fill)
                                    : fill_at_once(sink, where, done, piece, fill);
          !answer) {
        return answer;
      }
      done += piece.size();
    }
    return status::ok;
  }
  template <byte_sink Sink, class F>
  status fill_and_write(Sink& sink, const section& where, std::size_t first,
                        std::span<std::int64_t> piece, const F& fill) {
    fill(first, piece);
    return write_as(sink, where, first, std::span<const std::int64_t>(piece));
  }
  /// On several threads, where the sink can: a block each.
  template <byte_sink Sink, class F>
  status fill_at_once(Sink& sink, const section& where, std::size_t first,
                      std::span<std::int64_t> piece, const F& fill) {
    const std::size_t blocks = (piece.size() + block - 1) / block;
    const auto block_of = [&](std::size_t i) {
      return piece.subspan(i * block, std::min(block, piece.size() - i * block));
    };
    if constexpr (detail::apart_sink<Sink>) {
      // Where memory and file agree.
      if (where.type == dtype::int64 && std::endian::native == std::endian::little) {
        if (first > where.elements() || piece.size() > where.elements() - first)
          return status::out_of_range.at(first);
        const std::uint64_t offset = where.offset + std::uint64_t{first} * sizeof(std::int64_t);
        std::vector<status> answers(blocks);
        for_each_(blocks, [&](std::size_t i) {
          fill(first + i * block, block_of(i));
          answers[i] = sink.write_apart(offset + i * buffer_bytes, std::as_bytes(block_of(i)));
        });
        for (const status answer : answers) {
          if (!answer) return answer;
        }
        sink.account_for(offset, std::as_bytes(piece));
        return status::ok;
      }
    }
    for_each_(blocks, [&](std::size_t i) { fill(first + i * block, block_of(i)); });
    return write_as(sink, where, first, std::span<const std::int64_t>(piece));
  }

  /// Ones, then zeros.
  template <byte_sink Sink>
  status flags(Sink& sink, const section& where, std::size_t ones, std::size_t count) {
    bytes_.resize(std::max(bytes_.size(), std::min(count, buffer_bytes)));
    for (std::size_t done = 0; done < count;) {
      const std::size_t piece = std::min(buffer_bytes, count - done),
                        set = done < ones ? std::min(piece, ones - done) : 0;
      auto* const byte = reinterpret_cast<std::uint8_t*>(bytes_.data());
      std::fill_n(byte, set, std::uint8_t{1});
      std::fill_n(byte + set, piece - set, std::uint8_t{0});
      if (const status answer = write_as(sink, where, done,
                                         std::span<const std::uint8_t>(byte, piece));
          !answer)
        return answer;
      done += piece;
    }
    return status::ok;
  }

  /// The ends of all edges in memory, for what reads them out of order.
  void keep_ends() {
    if (!source_.empty()) return;
    const auto keep = [&](auto& into, const auto& fill) {
      into.resize(num_edges());
      numbers_.resize(std::max(numbers_.size(), std::min(into.size(), block)));
      for (std::size_t done = 0; done < into.size();) {
        const auto piece = std::span(numbers_).first(std::min(block, into.size() - done));
        fill(done, piece);
        for (std::size_t i = 0; i < piece.size(); ++i)
          into[done + i] = static_cast<local_id>(piece[i]);
        done += piece.size();
      }
    };
    keep(source_,
         [&](std::size_t first, std::span<std::int64_t> out) { sources_into(first, out); });
    keep(target_,
         [&](std::size_t first, std::span<std::int64_t> out) { targets_into(first, out); });
  }

  /// Stable in edge ID.
  void compress(compressed& out, bool by_source) {
    keep_ends();
    out.offsets.assign(num_nodes() + 1, 0);
    out.edges.resize(num_edges());
    const auto& row = by_source ? source_ : target_;
    for (std::size_t e = 0; e < num_edges(); ++e) ++out.offsets[static_cast<std::size_t>(row[e])];
    std::uint64_t sum = 0;
    for (auto& offset : out.offsets) sum += std::exchange(offset, sum);
    for (std::size_t e = 0; e < num_edges(); ++e) {
      auto& next = out.offsets[static_cast<std::size_t>(row[e])];
      out.edges[static_cast<std::size_t>(next++)] = static_cast<edge_number>(e);
    }
    for (std::size_t v = num_nodes(); v > 0; --v) out.offsets[v] = out.offsets[v - 1];
    out.offsets[0] = 0;
  }
  const compressed& csr() {
    if (csr_.offsets.empty()) compress(csr_, true);
    return csr_;
  }
  const compressed& csc() {
    if (csc_.offsets.empty()) compress(csc_, false);
    return csc_;
  }

  partition_plan_view<Node, Edge> plan_;
  part_finder part_of_;
  std::pmr::vector<local_id> local_;  // of each node of the plan, or absent
  std::size_t part_ = 0;
  std::size_t node_begin_ = 0, inner_nodes_ = 0;
  std::size_t inner_edges_ = 0, other_edges_ = 0;
  std::uint64_t edge_begin_ = 0;
  std::size_t row_begin_ = 0, row_end_ = 0;  // positions of the edges into inner nodes
  std::pmr::vector<Node> halo_;              // nodes of the plan
  std::pmr::vector<Node> followed_;          // those whose in-edges are all here, ascending
  std::span<const cut_edge<Node, Edge>> cut_{};
  std::pmr::vector<place> places_;              // before each block of other edges
  std::pmr::vector<listed_edge> listed_;        // [num_edges()] unless edge_id_is_position()
  std::pmr::vector<local_id> source_, target_;  // where csr or csc is asked for
  compressed csr_, csc_;
  part_report report_{};
  std::vector<std::int64_t> numbers_{};
  std::vector<std::uint64_t> ids_{};
  std::vector<std::byte> bytes_{};
  std::size_t threads_ = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> for_each_{};
};

}  // namespace halograph
