// SPDX-License-Identifier: BSL-1.0
/// @file part.hpp
/// One part of a graph with its HALO, in new and local IDs: everything its files hold, column by column.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/id_range.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What all parts of one partitioning share, wherever it is kept. Nodes are named by their rank by (part, type,
/// original ID): each part is a range of rows, read front to back. Where `reshuffled`, the rank is the new ID.
/// Edges are named by their position in `rows`. Thread-safe to read.
template <id Node, id Edge>
struct partition_plan_view {
  std::size_t parts = 0;
  bool reshuffled = true;                                ///< false: new IDs are the original ones
  std::span<const std::uint64_t> node_type_offsets{};    ///< [T+1] of original IDs
  std::span<const std::uint64_t> edge_type_offsets{};    ///< [R+1]
  std::span<const std::uint64_t> node_bounds{};          ///< [P*T+1] cells in the order (part, type)
  std::span<const std::uint64_t> edge_bounds{};          ///< [P*R+1]
  std::span<const std::uint64_t> part_begin{};           ///< [P+1] first node of each part
  std::span<const Node> old_node{};                      ///< [V] original ID of each node
  csc_view<Node, Edge> rows{};                           ///< in-edges, in a row by original ID
  std::span<const Edge> old_edge{};                      ///< [E] original ID of the edge at a position
  std::span<const Edge> new_edge{};                      ///< [E] new ID of the edge at a position
  cut_edges_view<Node, Edge> cut{};                      ///< edges that leave their source's part, at positions
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;                             ///< cut edges left out (0 hops, asked for)

  std::size_t num_node_types() const noexcept { return node_type_offsets.size() - 1; }
  std::size_t num_edge_types() const noexcept { return edge_type_offsets.size() - 1; }
  std::uint64_t num_nodes() const noexcept { return node_type_offsets.back(); }
  /// Edges that are numbered: all but the dropped ones.
  std::uint64_t num_edges() const noexcept { return edge_type_offsets.back() - dropped; }
  /// Cell (part, type).
  id_range nodes(std::size_t part, std::size_t type) const {
    return {node_bounds[part * num_node_types() + type], node_bounds[part * num_node_types() + type + 1]};
  }
  id_range edges(std::size_t part, std::size_t type) const {
    return {edge_bounds[part * num_edge_types() + type], edge_bounds[part * num_edge_types() + type + 1]};
  }
  halo_plan_view<Node, Edge> halo() const { return {part_begin, {}, cut}; }
  /// The cell of a node: part * types + type. @complexity O(log(P*T))
  std::size_t node_cell(std::uint64_t node) const { return last_from(node_bounds, node); }
  /// The type of an original edge ID. @complexity O(log R)
  std::size_t edge_type(std::uint64_t old) const { return last_from(edge_type_offsets, old); }

 private:
  /// The last of the ranges between bounds that starts at or before the value: empty ones are passed over.
  static std::size_t last_from(std::span<const std::uint64_t> bounds, std::uint64_t value) {
    return static_cast<std::size_t>(std::upper_bound(bounds.begin() + 1, bounds.end() - 1, value) - bounds.begin()) - 1;
  }
};

/// The same in memory of its own: 16 B per node, 12 B per edge and 8 B per cut edge with 32-bit IDs.
template <id Node, id Edge>
struct partition_plan {
  std::size_t parts = 0;
  bool reshuffled = true;
  std::vector<std::uint64_t> node_type_offsets{}, edge_type_offsets{};
  std::vector<part_id> owner{};                    ///< [V] by original ID
  std::vector<std::uint64_t> node_bounds{}, edge_bounds{}, part_begin{};
  std::vector<Node> old_node{};
  csc_arrays<Node, Edge> rows{};                   ///< rows.edges: original IDs
  std::vector<Edge> new_edge{};
  std::vector<Edge> cut_offsets{};
  std::vector<Node> cut_targets{};
  std::vector<Edge> cut_positions{};
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;

  /// Valid as long as this object is.
  partition_plan_view<Node, Edge> view() const {
    return {parts, reshuffled, node_type_offsets, edge_type_offsets, node_bounds, edge_bounds, part_begin, old_node, rows.positions(),
            rows.edges, new_edge, {cut_offsets, cut_targets, cut_positions}, cut_edges, dropped};
  }
};

namespace detail {

/// A graph with its nodes renumbered; ends that are no nodes stay none.
template <graph Graph, id Node>
class renumbered_view {
 public:
  using node_id = Node;
  using edge_id = edge_id_t<Graph>;
  renumbered_view(const Graph& g, std::span<const Node> new_node) : graph_(g), new_node_(new_node) {}

  std::size_t num_nodes() const { return new_node_.size(); }
  std::size_t num_edges() const { return halograph::num_edges(graph_); }
  /// f(u, v, e) in the graph's own order of visiting.
  template <class F>
  void for_each_edge(F&& f) const {
    const auto renumbered = [&](auto v) {
      return index(v) < new_node_.size() ? static_cast<std::uint64_t>(new_node_[index(v)]) : ~std::uint64_t{0};
    };
    visit_edges(graph_, [&](auto u, auto v, auto e) { f(renumbered(u), renumbered(v), e); });
  }

 private:
  const Graph& graph_;
  std::span<const Node> new_node_;
};

/// f(source, target, position) for each edge that crosses parts, where parts are ranges of nodes.
template <class Rows, class F>
void for_each_cut_edge(const Rows& rows, std::span<const std::uint64_t> part_begin, std::size_t first_part, std::size_t last_part, F&& f) {
  for (std::size_t p = first_part; p < last_part; ++p) {
    const std::uint64_t begin = part_begin[p], size = part_begin[p + 1] - begin;
    for (auto v = static_cast<std::size_t>(begin); v < part_begin[p + 1]; ++v) {
      rows.for_each_in_edge(v, [&](auto u, auto position) {
        if (static_cast<std::uint64_t>(u) - begin >= size) f(u, v, position);  // below `begin` it wraps
      });
    }
  }
}

template <class Rows>
std::uint64_t count_cut_edges_between(const Rows& rows, std::span<const std::uint64_t> part_begin) {
  std::uint64_t count = 0;
  for_each_cut_edge(rows, part_begin, 0, part_begin.size() - 1, [&](auto, auto, auto) { ++count; });
  return count;
}

/// Rows of sources; in a row by (target, original edge ID). @param offsets [V+1] zeros
template <id Node, id Edge, class Rows>
void group_cut_edges_between(const Rows& rows, std::span<const std::uint64_t> part_begin, std::span<Edge> offsets, std::span<Node> targets,
                             std::span<Edge> positions) {
  const std::size_t parts = part_begin.size() - 1, nodes = offsets.size() - 1;
  for_each_cut_edge(rows, part_begin, 0, parts, [&](auto u, auto, auto) { ++offsets[index(u)]; });
  Edge sum = 0;
  for (auto& offset : offsets) sum = static_cast<Edge>(sum + std::exchange(offset, sum));
  for_each_cut_edge(rows, part_begin, 0, parts, [&](auto u, auto v, auto position) {
    const std::size_t at = index(offsets[index(u)]++);
    targets[at] = static_cast<Node>(v);
    positions[at] = position;
  });
  for (std::size_t v = nodes; v > 0; --v) offsets[v] = offsets[v - 1];
  offsets[0] = 0;
}

}  // namespace detail

/// How the plan of a partitioning is made.
struct plan_options {
  bool reshuffle = true;
  bool drop_cut_edges = false;  ///< with 0 hops: leave cut edges out before numbering
};

/// Compress, relabel and group: everything up to expansion.
///
/// @param g      any graph; its types where it is a typed_graph
/// @param owner  [V] part of each node, each below `parts`; moved from
/// @param order  of the nodes inside each (part, type)
/// @errors       raises mismatch, out_of_range, overflow
/// @complexity   O(V + E log R)
template <id Node, id Edge, graph Graph, executor Executor, node_order<csc_view<Node, Edge>, Node> Order = original_order>
partition_plan<Node, Edge> make_partition_plan(const Graph& g, std::vector<part_id> owner, std::size_t parts,
                                               const plan_options& options, const Executor& run, const Order& order = {}) {
  partition_plan<Node, Edge> plan;
  plan.parts = parts;
  plan.reshuffled = options.reshuffle;
  plan.owner = std::move(owner);
  const std::size_t nodes = halograph::num_nodes(g);
  if (plan.owner.size() != nodes) {
    raise(errc::mismatch, "the assignment names a part for " + std::to_string(plan.owner.size()) + " nodes, the graph has " +
                              std::to_string(nodes) + "; it must name one part per node");
  }
  if constexpr (typed_graph<Graph>) {
    plan.node_type_offsets.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    plan.edge_type_offsets.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  } else {
    plan.node_type_offsets = {0, nodes};
    plan.edge_type_offsets = {0, halograph::num_edges(g)};
  }
  const std::size_t node_types = plan.node_type_offsets.size() - 1, edge_types = plan.edge_type_offsets.size() - 1;
  plan.node_bounds.resize(parts * node_types + 1);
  plan.old_node.resize(nodes);
  {
    const std::span<const part_id> owners(plan.owner);
    const std::span<const std::uint64_t> types(plan.node_type_offsets);
    std::vector<Node> new_node(nodes);
    status placed = status::ok;
    if (name_of_order(order) == original_order::name) {  // taken at its word: there is nothing to arrange by
      placed = relabel_nodes_into(owners, types, parts, std::span(plan.node_bounds), std::span(plan.old_node), std::span(new_node));
    } else {
      const auto rows = build_csc<Node, Edge>(g);
      const order_sizes sizes = order.sizes(nodes, node_types);
      std::vector<Node> scratch(sizes.nodes);
      std::vector<std::uint64_t> words(sizes.words);
      placed = relabel_nodes_into(rows.view(), owners, types, parts, order, std::span(plan.node_bounds), std::span(plan.old_node),
                                  std::span(new_node), {scratch, words});
    }
    if (placed == status::out_of_range && placed.position < nodes && plan.owner[static_cast<std::size_t>(placed.position)] >= parts) {
      raise(placed.code, "node " + std::to_string(placed.position) + " is assigned to part " +
                             std::to_string(plan.owner[static_cast<std::size_t>(placed.position)]) + "; parts must be 0 to " +
                             std::to_string(parts - 1));
    }
    check(placed, placed == status::overflow ? "the graph has more nodes than its node IDs can number; use wider ones"
                                             : "the types' offsets do not span the graph's nodes");
    plan.rows = build_csc<Node, Edge>(detail::renumbered_view<Graph, Node>(g, new_node));
  }
  plan.part_begin.resize(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p) plan.part_begin[p] = plan.node_bounds[p * node_types];

  // Positions, not original IDs, index the edges from here on: rows are then read front to back.
  const auto rows = plan.rows.positions();
  const std::size_t edges = plan.rows.sources.size();
  const auto original = [&](auto position) { return static_cast<std::uint64_t>(plan.rows.edges[index(position)]); };
  plan.cut_edges = detail::count_cut_edges_between(rows, std::span<const std::uint64_t>(plan.part_begin));
  const bool drop = options.drop_cut_edges && plan.cut_edges != 0;
  if (drop) plan.dropped = plan.cut_edges;
  plan.edge_bounds.resize(parts * edge_types + 1);
  plan.new_edge.resize(edges);
  check(relabel_edges_into(rows, std::span<const part_id>(), std::span<const Node>(), std::span<const std::uint64_t>(plan.part_begin),
                           std::span<const std::uint64_t>(plan.edge_type_offsets), original, drop,
                           std::span(plan.edge_bounds), std::span(plan.new_edge), run),
        "the types' offsets do not span the graph's edges");
  if (!options.reshuffle) {
    for (std::size_t k = 0; k < edges; ++k) {
      if (!drop || plan.new_edge[k] != dropped_edge<Edge>) plan.new_edge[k] = plan.rows.edges[k];
    }
  }
  plan.cut_offsets.resize(nodes + 1);
  if (!drop) {
    plan.cut_targets.resize(static_cast<std::size_t>(plan.cut_edges));
    plan.cut_positions.resize(static_cast<std::size_t>(plan.cut_edges));
    detail::group_cut_edges_between<Node, Edge>(rows, plan.part_begin, plan.cut_offsets, plan.cut_targets, plan.cut_positions);
  }
  return plan;
}

/// The order of a part's HALO nodes.
enum class halo_order : std::uint8_t {
  discovered,  ///< as expansion finds them: what DGL's partition_graph does
  ascending    ///< by new ID: what DGL's dispatch pipeline does
};

/// One part, expanded. Local nodes: inner by new ID, then HALO as found; local edges: inner by new ID, then
/// the others by new ID. Reuse one object for part after part; its memory grows to the largest.
template <id Node, id Edge>
class part_columns {
 public:
  using local_id = std::make_unsigned_t<Node>;

  /// @param plan    what it views must outlive this object
  /// @param memory  for columns as long as the part has nodes or edges
  /// @param table   for the local ID of each node of the graph, read here and there
  explicit part_columns(const partition_plan_view<Node, Edge>& plan, std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                        std::pmr::memory_resource* table = std::pmr::get_default_resource())
      : plan_(plan), local_(static_cast<std::size_t>(plan.num_nodes()), absent<local_id>, table), halo_(memory), source_(memory),
        target_(memory), position_(memory), others_(memory), originals_(memory), sorting_(memory), csr_(memory), csc_(memory) {}
  explicit part_columns(const partition_plan<Node, Edge>& plan) : part_columns(plan.view()) {}

  /// @errors raises cut_edges: 0 hops although edges enter the part; overflow: Node is too narrow for V + 1 values
  void expand(std::size_t part, const halo_options& options, halo_order order = halo_order::discovered) {
    part_ = part;
    hops_ = options.hops;
    report_ = {};
    // A hop without new nodes is the last: more than V hops do not need more than V counts.
    report_.halo_nodes_per_hop.assign(static_cast<std::size_t>(std::min<std::uint64_t>(options.hops, plan_.num_nodes())), 0);
    seen_ = 0;
    halo_.clear();
    others_.clear();
    csr_.clear();
    csc_.clear();
    const std::size_t types = plan_.num_edge_types();
    inner_nodes_ = static_cast<std::size_t>(plan_.part_begin[part + 1] - plan_.part_begin[part]);
    edge_begin_ = plan_.edge_bounds[part * types];
    inner_edges_ = static_cast<std::size_t>(plan_.edge_bounds[(part + 1) * types] - edge_begin_);
    source_.resize(inner_edges_);
    target_.resize(inner_edges_);
    position_.resize(inner_edges_);
    const status answer = expand_into(plan_.rows, plan_.halo(), part, options, std::span<local_id>(local_), *this);
    if (answer == status::cut_edges) {
      raise(errc::cut_edges, "0 hops cannot keep the " + std::to_string(plan_.cut_edges) +
                                 " edges that cross parts; ask for 1 hop or more, or for dropping them");
    }
    check(answer, "the node IDs are too narrow to number a part's nodes; use wider ones");
    if (order == halo_order::ascending) sort_halo();
    sort_others();
    report_.inner_nodes = inner_nodes_;
    report_.halo_nodes = halo_.size();
    report_.inner_edges = inner_edges_;
    report_.halo_edges = others_.size();
  }

  const part_report& report() const noexcept { return report_; }
  std::size_t part() const noexcept { return part_; }
  std::size_t num_nodes() const noexcept { return inner_nodes_ + halo_.size(); }
  std::size_t num_inner_nodes() const noexcept { return inner_nodes_; }
  std::size_t num_edges() const noexcept { return inner_edges_ + others_.size(); }
  std::size_t num_inner_edges() const noexcept { return inner_edges_; }

  // Column by column, at local IDs.
  std::uint64_t old_node(std::size_t v) const { return static_cast<std::uint64_t>(plan_.old_node[static_cast<std::size_t>(rank(v))]); }
  std::uint64_t new_node(std::size_t v) const { return plan_.reshuffled ? rank(v) : old_node(v); }
  std::uint64_t source(std::size_t e) const { return e < inner_edges_ ? source_[e] : others_[e - inner_edges_].source; }
  std::uint64_t target(std::size_t e) const { return e < inner_edges_ ? target_[e] : others_[e - inner_edges_].target; }
  std::uint64_t new_edge(std::size_t e) const {
    if (e >= inner_edges_) return static_cast<std::uint64_t>(others_[e - inner_edges_].id);
    return plan_.reshuffled ? edge_begin_ + e : old_edge(e);
  }
  std::uint64_t old_edge(std::size_t e) const {
    return static_cast<std::uint64_t>(plan_.old_edge[index(e < inner_edges_ ? position_[e] : others_[e - inner_edges_].position)]);
  }
  part_id node_owner(std::size_t v) const {
    return static_cast<part_id>(v < inner_nodes_ ? part_ : plan_.node_cell(rank(v)) / plan_.num_node_types());
  }
  std::size_t node_type(std::size_t v) const { return plan_.node_cell(rank(v)) % plan_.num_node_types(); }
  std::size_t edge_type(std::size_t e) const { return plan_.edge_type(old_edge(e)); }

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
    switch (where.what) {
      case column::coo_source: return generate(sink, where, num_edges(), [&](std::size_t e) { return source(e); });
      case column::coo_target: return generate(sink, where, num_edges(), [&](std::size_t e) { return target(e); });
      case column::csr_offsets: return write_as(sink, where, 0, std::span<const std::uint64_t>(csr().offsets));
      case column::csr_targets: return generate(sink, where, num_edges(), [&](std::size_t k) { return target(index(csr().edges[k])); });
      case column::csr_edges: return write_as(sink, where, 0, std::span<const std::uint64_t>(csr().edges));
      case column::csc_offsets: return write_as(sink, where, 0, std::span<const std::uint64_t>(csc().offsets));
      case column::csc_sources: return generate(sink, where, num_edges(), [&](std::size_t k) { return source(index(csc().edges[k])); });
      case column::csc_edges: return write_as(sink, where, 0, std::span<const std::uint64_t>(csc().edges));
      case column::node_id: return generate(sink, where, num_nodes(), [&](std::size_t v) { return new_node(v); });
      case column::inner_node: return generate(sink, where, num_nodes(), [&](std::size_t v) { return std::uint64_t{v < inner_nodes_}; });
      case column::node_part: return generate(sink, where, num_nodes(), [&](std::size_t v) { return std::uint64_t{node_owner(v)}; });
      case column::node_type: return generate(sink, where, num_nodes(), [&](std::size_t v) { return std::uint64_t{node_type(v)}; });
      case column::node_original:
        return generate(sink, where, num_nodes(), [&](std::size_t v) { return old_node(v) - plan_.node_type_offsets[node_type(v)]; });
      case column::edge_id: return generate(sink, where, num_edges(), [&](std::size_t e) { return new_edge(e); });
      case column::inner_edge: return generate(sink, where, num_edges(), [&](std::size_t e) { return std::uint64_t{e < inner_edges_}; });
      case column::edge_type: return generate(sink, where, num_edges(), [&](std::size_t e) { return std::uint64_t{edge_type(e)}; });
      case column::edge_original:
        return generate(sink, where, num_edges(), [&](std::size_t e) { return old_edge(e) - plan_.edge_type_offsets[edge_type(e)]; });
      case column::original_nodes:
        return generate(sink, where, static_cast<std::size_t>(inner_of_type(where.item).size()),
                        [&, first = inner_of_type(where.item).begin](std::size_t i) {
                          return old_node(static_cast<std::size_t>(first) + i) - plan_.node_type_offsets[where.item];
                        });
      case column::original_edges:
        return generate(sink, where, static_cast<std::size_t>(inner_edges_of_type(where.item).size()),
                        [&, first = inner_edges_of_type(where.item).begin](std::size_t i) {
                          return old_edge(static_cast<std::size_t>(first) + i) - plan_.edge_type_offsets[where.item];
                        });
      case column::node_feature:
      case column::edge_feature: return status::unsupported;
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

  /// Write the rows of a feature for the inner nodes (or edges) of its type, through a fixed buffer.
  /// @errors those of the store and the sink
  template <byte_sink Sink, feature_store Store>
  status write_rows(Sink& sink, const section& where, const Store& store, std::size_t type, bool of_nodes) {
    const id_range local = of_nodes ? inner_of_type(type) : inner_edges_of_type(type);
    const std::uint64_t base = of_nodes ? plan_.node_type_offsets[type] : plan_.edge_type_offsets[type];
    const std::uint64_t row_elements = element_count(store.row_shape());
    const std::size_t row_bytes = static_cast<std::size_t>(row_elements) * item_bytes(store.type());
    if (row_bytes == 0) return status::ok;
    const std::size_t rows_at_once = std::max<std::size_t>(1, buffer_bytes / row_bytes);
    for (std::uint64_t done = 0; done < local.size();) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_once, local.size() - done));
      ids_.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(local.begin + done) + i;
        ids_[i] = (of_nodes ? old_node(at) : old_edge(at)) - base;
      }
      bytes_.resize(count * row_bytes);
      if (const status answer = store.gather(std::span<const std::uint64_t>(ids_), std::span(bytes_)); !answer) return answer;
      if (const status answer = write_elements(sink, where, done * row_elements, std::span<const std::byte>(bytes_)); !answer) {
        return answer;
      }
      done += count;
    }
    return status::ok;
  }

  // halo_output, called by expand_into.
  bool node(Node v) {
    halo_.push_back(v);
    return true;
  }
  Node halo_node(std::size_t i) const { return halo_[i]; }
  bool edge(local_id u, local_id v, Edge at, bool inner) {
    const Edge fresh = plan_.new_edge[index(at)];
    if (inner && plan_.reshuffled) {
      const std::size_t slot = static_cast<std::size_t>(static_cast<std::uint64_t>(fresh) - edge_begin_);
      source_[slot] = u;
      target_[slot] = v;
      position_[slot] = at;
    } else if (inner) {
      // Original IDs in a part are not contiguous: sorted like the others, then put in front.
      originals_.push_back({fresh, at, u, v});
    } else {
      others_.push_back({fresh, at, u, v});
    }
    return true;
  }
  void hop(std::size_t k) {
    if (report_.halo_nodes_per_hop.empty()) return;
    if (halo_.size() != seen_) report_.halo_nodes_per_hop[k > hops_ ? 0 : k - 1] += halo_.size() - seen_;
    seen_ = halo_.size();
  }

 private:
  static constexpr std::size_t buffer_bytes = 1 << 20;

  struct other_edge {
    Edge id;        // new
    Edge position;  // in plan_.rows
    local_id source, target;
  };
  struct compressed {
    explicit compressed(std::pmr::memory_resource* memory) : offsets(memory), edges(memory) {}
    void clear() {
      offsets.clear();
      edges.clear();
    }
    std::pmr::vector<std::uint64_t> offsets;
    std::pmr::vector<std::uint64_t> edges;  // local edge IDs, ascending in a row
  };

  /// The node of the plan that a local node is.
  std::uint64_t rank(std::size_t v) const {
    return v < inner_nodes_ ? plan_.part_begin[part_] + v : static_cast<std::uint64_t>(halo_[v - inner_nodes_]);
  }

  /// Put HALO nodes in ascending order, and the edges' ends after them.
  void sort_halo() {
    std::pmr::vector<Node> found(halo_, halo_.get_allocator());
    std::sort(halo_.begin(), halo_.end());
    // expand_into leaves its scratch clear.
    for (std::size_t i = 0; i < halo_.size(); ++i) local_[index(halo_[i])] = static_cast<local_id>(inner_nodes_ + i);
    const auto follow = [&](local_id& v) {
      if (v >= inner_nodes_) v = local_[index(found[static_cast<std::size_t>(v) - inner_nodes_])];
    };
    for (auto& u : source_) follow(u);
    for (auto* edges : {&others_, &originals_}) {
      for (auto& edge : *edges) {
        follow(edge.source);
        follow(edge.target);
      }
    }
    for (const Node v : halo_) local_[index(v)] = absent<local_id>;
  }

  void sort_others() {
    sort_by_id(others_);
    if (plan_.reshuffled) return;
    sort_by_id(originals_);
    for (std::size_t e = 0; e < originals_.size(); ++e) {
      source_[e] = originals_[e].source;
      target_[e] = originals_[e].target;
      position_[e] = originals_[e].position;
    }
    originals_.clear();
  }

  void sort_by_id(std::pmr::vector<other_edge>& edges) {
    sorting_.resize(edges.size());
    radix_sort(std::span(edges), std::span(sorting_),
               [](const other_edge& one) { return static_cast<std::uint64_t>(one.id); }, plan_.edge_type_offsets.back());
  }

  template <byte_sink Sink, class F>
  status generate(Sink& sink, const section& where, std::size_t count, const F& value) {
    numbers_.resize(std::min<std::size_t>(count, buffer_bytes / 8));
    for (std::size_t done = 0; done < count;) {
      const std::size_t piece = std::min(numbers_.size(), count - done);
      for (std::size_t i = 0; i < piece; ++i) numbers_[i] = static_cast<std::int64_t>(value(done + i));
      if (const status answer = write_as(sink, where, done, std::span<const std::int64_t>(numbers_).first(piece)); !answer) {
        return answer;
      }
      done += piece;
    }
    return status::ok;
  }

  /// Stable in edge ID.
  void compress(compressed& out, bool by_source) const {
    out.offsets.assign(num_nodes() + 1, 0);
    out.edges.resize(num_edges());
    const auto row = [&](std::size_t e) { return static_cast<std::size_t>(by_source ? source(e) : target(e)); };
    for (std::size_t e = 0; e < num_edges(); ++e) ++out.offsets[row(e)];
    std::uint64_t sum = 0;
    for (auto& offset : out.offsets) sum += std::exchange(offset, sum);
    for (std::size_t e = 0; e < num_edges(); ++e) out.edges[static_cast<std::size_t>(out.offsets[row(e)]++)] = e;
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
  std::pmr::vector<local_id> local_;  // scratch of expand_into
  std::size_t part_ = 0;
  unsigned hops_ = 0;
  std::size_t inner_nodes_ = 0, inner_edges_ = 0, seen_ = 0;
  std::uint64_t edge_begin_ = 0;
  std::pmr::vector<Node> halo_;            // nodes of the plan
  std::pmr::vector<local_id> source_, target_;
  std::pmr::vector<Edge> position_;        // [inner_edges_]
  std::pmr::vector<other_edge> others_, originals_, sorting_;
  compressed csr_, csc_;
  part_report report_{};
  std::vector<std::int64_t> numbers_{};
  std::vector<std::uint64_t> ids_{};
  std::vector<std::byte> bytes_{};
};

}  // namespace halograph
