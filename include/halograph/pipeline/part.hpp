// SPDX-License-Identifier: BSL-1.0
/// @file part.hpp
/// One part of a graph with its HALO, in new and local IDs: everything its files hold, column by column.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/plan.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What all parts of one partitioning share: the graph by targets, owners, new IDs, cut edges.
/// Edges are named by their position in `rows`. Memory: 24 B per node, 12 B per edge and 8 B per cut
/// edge with 32-bit IDs. Thread-safe to read.
template <id Node, id Edge>
struct partition_plan {
  std::size_t parts = 0;
  bool reshuffled = true;                          ///< false: new IDs are the original ones
  std::vector<std::uint64_t> node_type_offsets{};  ///< [T+1]
  std::vector<std::uint64_t> edge_type_offsets{};  ///< [R+1]
  std::vector<part_id> owner{};                    ///< [V] by original ID
  csc_arrays<Node, Edge> rows{};                   ///< in-edges; rows.edges: original ID at a position
  std::vector<std::uint64_t> node_bounds{};        ///< [P*T+1] cells in the order (part, type)
  std::vector<std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::vector<std::uint64_t> part_begin{};         ///< [P+1] first cell of each part in old_node
  std::vector<Node> old_node{};                    ///< [V] original IDs by (part, type, original ID)
  std::vector<Node> new_node{};                    ///< [V] new ID of an original one
  std::vector<Edge> new_edge{};                    ///< [E] new ID of the edge at a position
  std::vector<Edge> cut_offsets{};                 ///< [V+1]
  std::vector<Node> cut_targets{};
  std::vector<Edge> cut_positions{};
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;                       ///< cut edges left out (0 hops, asked for)

  std::size_t num_node_types() const noexcept { return node_type_offsets.size() - 1; }
  std::size_t num_edge_types() const noexcept { return edge_type_offsets.size() - 1; }
  std::uint64_t num_nodes() const noexcept { return node_type_offsets.back(); }
  /// Edges that are numbered: all but the dropped ones.
  std::uint64_t num_edges() const noexcept { return edge_type_offsets.back() - dropped; }
  /// Cell (part, type) in the order of old_node: new IDs where reshuffled.
  id_range nodes(std::size_t part, std::size_t type) const {
    return {node_bounds[part * num_node_types() + type], node_bounds[part * num_node_types() + type + 1]};
  }
  id_range edges(std::size_t part, std::size_t type) const {
    return {edge_bounds[part * num_edge_types() + type], edge_bounds[part * num_edge_types() + type + 1]};
  }
  halo_plan_view<Node, Edge> halo() const { return {part_begin, old_node, {cut_offsets, cut_targets, cut_positions}}; }
  /// The type of an original node ID. @complexity O(log T)
  std::size_t node_type(std::uint64_t old) const { return type_in(node_type_offsets, old); }
  std::size_t edge_type(std::uint64_t old) const { return type_in(edge_type_offsets, old); }

 private:
  static std::size_t type_in(const std::vector<std::uint64_t>& offsets, std::uint64_t old) {
    return static_cast<std::size_t>(std::upper_bound(offsets.begin() + 1, offsets.end() - 1, old) - offsets.begin()) - 1;
  }
};

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
  plan.rows = build_csc<Node, Edge>(g);
  const std::size_t edges = plan.rows.sources.size();
  if constexpr (typed_graph<Graph>) {
    plan.node_type_offsets.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    plan.edge_type_offsets.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  } else {
    plan.node_type_offsets = {0, nodes};
    plan.edge_type_offsets = {0, edges};
  }
  const std::size_t node_types = plan.num_node_types(), edge_types = plan.num_edge_types();
  plan.node_bounds.resize(parts * node_types + 1);
  plan.old_node.resize(nodes);
  plan.new_node.resize(nodes);
  const std::span<const part_id> owners(plan.owner);
  status placed = status::ok;
  {
    const order_sizes needed = order.sizes(nodes, node_types);
    std::vector<Node> scratch_nodes(needed.nodes);
    std::vector<std::uint64_t> scratch_words(needed.words);
    placed = relabel_nodes_into(plan.rows.view(), owners, std::span<const std::uint64_t>(plan.node_type_offsets), parts, order,
                                std::span(plan.node_bounds), std::span(plan.old_node), std::span(plan.new_node),
                                order_scratch<Node>{scratch_nodes, scratch_words});
  }
  if (placed == status::out_of_range) {
    raise(placed.code, "node " + std::to_string(placed.position) + " is assigned to part " +
                           std::to_string(plan.owner[static_cast<std::size_t>(placed.position)]) + "; parts must be 0 to " +
                           std::to_string(parts - 1));
  }
  check(placed, "the types' offsets do not span the graph's nodes");
  plan.part_begin.resize(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p) plan.part_begin[p] = plan.node_bounds[p * node_types];

  // Positions, not original IDs, index the graph from here on: rows are then read front to back.
  const auto rows = plan.rows.positions();
  const auto original = [&](auto position) { return static_cast<std::uint64_t>(plan.rows.edges[index(position)]); };
  plan.cut_edges = count_cut_edges(rows, owners);
  const bool drop = options.drop_cut_edges && plan.cut_edges != 0;
  if (drop) plan.dropped = plan.cut_edges;
  plan.edge_bounds.resize(parts * edge_types + 1);
  plan.new_edge.resize(edges);
  check(relabel_edges_into(rows, owners, std::span<const Node>(plan.old_node), std::span<const std::uint64_t>(plan.part_begin),
                           std::span<const std::uint64_t>(plan.edge_type_offsets), original, drop,
                           std::span(plan.edge_bounds), std::span(plan.new_edge), run),
        "the types' offsets do not span the graph's edges");
  if (!options.reshuffle) {
    for (std::size_t v = 0; v < nodes; ++v) plan.new_node[v] = static_cast<Node>(v);
    for (std::size_t k = 0; k < edges; ++k) {
      if (!drop || plan.new_edge[k] != dropped_edge<Edge>) plan.new_edge[k] = plan.rows.edges[k];
    }
  }
  const std::size_t cut = drop ? 0 : static_cast<std::size_t>(plan.cut_edges);
  plan.cut_offsets.resize(nodes + 1);
  if (!drop) {
    plan.cut_targets.resize(cut);
    plan.cut_positions.resize(cut);
    std::vector<Edge> cursor(nodes);
    check(group_cut_edges_into(rows, owners, std::span<const Node>(plan.old_node), std::span(cursor),
                               std::span(plan.cut_offsets), std::span(plan.cut_targets), std::span(plan.cut_positions)),
          "the graph has more cut edges than its edge IDs can count; use wider ones");
  }
  return plan;
}

/// One part, expanded. Local nodes: inner by new ID, then HALO as found; local edges: inner by new ID, then
/// the others by new ID. Reuse one object for part after part; its memory grows to the largest.
template <id Node, id Edge>
class part_columns {
 public:
  using local_id = std::make_unsigned_t<Node>;

  explicit part_columns(const partition_plan<Node, Edge>& plan)
      : plan_(plan), local_(static_cast<std::size_t>(plan.num_nodes()), absent<local_id>) {}

  /// @errors raises cut_edges: 0 hops although edges enter the part; overflow: Node is too narrow for V + 1 values
  void expand(std::size_t part, const halo_options& options) {
    part_ = part;
    hops_ = options.hops;
    report_ = {};
    // A hop without new nodes is the last: more than V hops do not need more than V counts.
    report_.halo_nodes_per_hop.assign(static_cast<std::size_t>(std::min<std::uint64_t>(options.hops, plan_.num_nodes())), 0);
    seen_ = 0;
    halo_.clear();
    others_.clear();
    csr_ = {};
    csc_ = {};
    const std::size_t types = plan_.num_edge_types();
    inner_nodes_ = static_cast<std::size_t>(plan_.part_begin[part + 1] - plan_.part_begin[part]);
    edge_begin_ = plan_.edge_bounds[part * types];
    inner_edges_ = static_cast<std::size_t>(plan_.edge_bounds[(part + 1) * types] - edge_begin_);
    source_.resize(inner_edges_);
    target_.resize(inner_edges_);
    position_.resize(inner_edges_);
    auto rows = plan_.rows.positions();
    const status answer = expand_into(rows, std::span<const part_id>(plan_.owner), plan_.halo(), part, options,
                                      std::span<local_id>(local_), *this);
    if (answer == status::cut_edges) {
      raise(errc::cut_edges, "0 hops cannot keep the " + std::to_string(plan_.cut_edges) +
                                 " edges that cross parts; ask for 1 hop or more, or for dropping them");
    }
    check(answer, "the node IDs are too narrow to number a part's nodes; use wider ones");
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
  std::uint64_t old_node(std::size_t v) const {
    return static_cast<std::uint64_t>(v < inner_nodes_ ? plan_.old_node[static_cast<std::size_t>(plan_.part_begin[part_]) + v]
                                                       : halo_[v - inner_nodes_]);
  }
  std::uint64_t new_node(std::size_t v) const {
    if (v < inner_nodes_ && plan_.reshuffled) return plan_.part_begin[part_] + v;
    return static_cast<std::uint64_t>(plan_.new_node[static_cast<std::size_t>(old_node(v))]);
  }
  std::uint64_t source(std::size_t e) const { return e < inner_edges_ ? source_[e] : others_[e - inner_edges_].source; }
  std::uint64_t target(std::size_t e) const { return e < inner_edges_ ? target_[e] : others_[e - inner_edges_].target; }
  std::uint64_t new_edge(std::size_t e) const {
    if (e >= inner_edges_) return static_cast<std::uint64_t>(others_[e - inner_edges_].id);
    return plan_.reshuffled ? edge_begin_ + e : old_edge(e);
  }
  std::uint64_t old_edge(std::size_t e) const {
    return static_cast<std::uint64_t>(
        plan_.rows.edges[index(e < inner_edges_ ? position_[e] : others_[e - inner_edges_].position)]);
  }
  part_id node_owner(std::size_t v) const { return plan_.owner[static_cast<std::size_t>(old_node(v))]; }
  std::size_t node_type(std::size_t v) const { return plan_.node_type(old_node(v)); }
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
        return generate(sink, where, inner_of_type(where.item).size(),
                        [&, first = inner_of_type(where.item).begin](std::size_t i) {
                          return old_node(static_cast<std::size_t>(first) + i) - plan_.node_type_offsets[where.item];
                        });
      case column::original_edges:
        return generate(sink, where, inner_edges_of_type(where.item).size(),
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
    std::vector<std::uint64_t> offsets{};
    std::vector<std::uint64_t> edges{};  // local edge IDs, ascending in a row
  };

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

  void sort_by_id(std::vector<other_edge>& edges) {
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
  compressed compress(bool by_source) const {
    compressed out;
    out.offsets.assign(num_nodes() + 1, 0);
    out.edges.resize(num_edges());
    const auto row = [&](std::size_t e) { return static_cast<std::size_t>(by_source ? source(e) : target(e)); };
    for (std::size_t e = 0; e < num_edges(); ++e) ++out.offsets[row(e)];
    std::uint64_t sum = 0;
    for (auto& offset : out.offsets) sum += std::exchange(offset, sum);
    for (std::size_t e = 0; e < num_edges(); ++e) out.edges[static_cast<std::size_t>(out.offsets[row(e)]++)] = e;
    for (std::size_t v = num_nodes(); v > 0; --v) out.offsets[v] = out.offsets[v - 1];
    out.offsets[0] = 0;
    return out;
  }
  const compressed& csr() {
    if (csr_.offsets.empty()) csr_ = compress(true);
    return csr_;
  }
  const compressed& csc() {
    if (csc_.offsets.empty()) csc_ = compress(false);
    return csc_;
  }

  const partition_plan<Node, Edge>& plan_;
  std::vector<local_id> local_;  // scratch of expand_into
  std::size_t part_ = 0;
  unsigned hops_ = 0;
  std::size_t inner_nodes_ = 0, inner_edges_ = 0, seen_ = 0;
  std::uint64_t edge_begin_ = 0;
  std::vector<Node> halo_{};            // original IDs
  std::vector<local_id> source_{}, target_{};
  std::vector<Edge> position_{};        // [inner_edges_]
  std::vector<other_edge> others_{}, originals_{}, sorting_{};
  compressed csr_{}, csc_{};
  part_report report_{};
  std::vector<std::int64_t> numbers_{};
  std::vector<std::uint64_t> ids_{};
  std::vector<std::byte> bytes_{};
};

}  // namespace halograph
