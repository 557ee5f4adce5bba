// SPDX-License-Identifier: BSL-1.0
/// @file fixed.hpp
/// Partition a graph on a machine without a heap: every size is fixed when the program is compiled.
/// Layer: embedded (no allocation, no exceptions, no recursion; may run in constexpr).
///
///     constexpr hg::fixed_limits limits{.nodes = 128, .edges = 512, .parts = 4};
///     static hg::fixed_partitioning<limits> job;  // all the memory that it needs
///     job.partition(graph, hg::basic_random_parts<std::uint8_t>{.parts = 4, .seed = 1});
///     job.expand(2);                              // part 2 with its HALO
///     job.part().halo;                            // and edges, by local ID
///     job.book().nodes().part_of(id, part);       // who owns what
///
/// Streaming policies, and orders of nodes other than the original one, work in words of memory,
/// which are part of the limits:
///
///     constexpr hg::basic_ldg<std::uint8_t> policy{.parts = 4};
///     constexpr auto words = hg::fixed_scratch_size<limits>(policy);
///     constexpr hg::fixed_limits more = limits.with_scratch_words(words);
///
/// The same span cores run as everywhere else, so that a microcontroller and a server give the same
/// bytes.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace halograph {

/// The largest graph and the largest result that fit.
struct fixed_limits {
  std::size_t nodes = 0;       ///< V
  std::size_t edges = 0;       ///< E
  std::size_t parts = 1;       ///< P, at least 1
  std::size_t node_types = 1;  ///< T, at least 1
  std::size_t edge_types = 1;  ///< R, at least 1
  std::size_t cut_edges = 0;  ///< edges that cross parts; 0: as many as edges, which always suffice
  std::size_t part_nodes = 0;  ///< HALO nodes of one part; 0: as many as nodes
  std::size_t part_edges = 0;  ///< edges of one part with its HALO; 0: as many as edges
  /// of 64 bits, for policies and orders that work in memory: fixed_scratch_size()
  std::size_t scratch_words = 0;

  /// The same limits with another scratch_words.
  constexpr fixed_limits with_scratch_words(std::size_t words) const noexcept {
    fixed_limits out = *this;
    out.scratch_words = words;
    return out;
  }
};

/// The narrowest unsigned integer that can number `Count` things.
template <std::uint64_t Count>
using fixed_id =
    std::conditional_t<Count <= id_capacity<std::uint8_t>(), std::uint8_t,
                       std::conditional_t<Count <= id_capacity<std::uint16_t>(), std::uint16_t,
                                          std::conditional_t<Count <= id_capacity<std::uint32_t>(),
                                                             std::uint32_t, std::uint64_t>>>;

namespace detail {

/// The narrowest IDs within limits. (A struct: GCC 12 cannot read members of limits that a template
/// computes in the default argument of another.)
template <fixed_limits Limits>
struct narrowest {
  using node = fixed_id<Limits.nodes>;
  using edge = fixed_id<std::uint64_t{Limits.edges} + 1>;
  using part = fixed_id<Limits.parts>;
};

/// Rows by target with types: the graph that policies partition.
template <id Node, id Edge>
class typed_rows : public csc_view<Node, Edge> {
 public:
  constexpr typed_rows(const csc_view<Node, Edge>& rows, std::span<const std::uint64_t> node_begin,
                       std::span<const std::uint64_t> edge_begin)
      : csc_view<Node, Edge>(rows), node_begin_(node_begin), edge_begin_(edge_begin) {}
  constexpr std::span<const std::uint64_t> node_type_offsets() const noexcept {
    return node_begin_;
  }
  constexpr std::span<const std::uint64_t> edge_type_offsets() const noexcept {
    return edge_begin_;
  }

 private:
  std::span<const std::uint64_t> node_begin_{}, edge_begin_{};
};

/// The largest graph within limits, without its edges: enough for a policy to say what memory it
/// needs.
template <fixed_limits Limits>
class largest_graph {
 public:
  constexpr largest_graph() noexcept {
    node_begin_.back() = Limits.nodes, edge_begin_.back() = Limits.edges;
  }
  constexpr std::size_t num_nodes() const noexcept { return Limits.nodes; }
  constexpr std::size_t num_edges() const noexcept { return Limits.edges; }
  template <class Node, class F>
  constexpr void for_each_in_edge(Node, F&&) const noexcept {}
  constexpr std::span<const std::uint64_t> node_type_offsets() const noexcept {
    return node_begin_;
  }
  constexpr std::span<const std::uint64_t> edge_type_offsets() const noexcept {
    return edge_begin_;
  }

 private:
  std::array<std::uint64_t, Limits.node_types + 1> node_begin_{};
  std::array<std::uint64_t, Limits.edge_types + 1> edge_begin_{};
};

}  // namespace detail

/// Words of memory that suffice for each of these policies and orders on any graph within the
/// limits.
/// @param all  partitioners (assign_scratch_size) and node orders (sizes); those that need no words
///     count 0
template <fixed_limits Limits, class... Policies>
constexpr std::size_t fixed_scratch_size(const Policies&... all) {
  const auto words = [](const auto& one) -> std::size_t {
    if constexpr (requires { one.assign_scratch_size(detail::largest_graph<Limits>{}); }) {
      return static_cast<std::size_t>(one.assign_scratch_size(detail::largest_graph<Limits>{}));
    } else if constexpr (requires { one.sizes(Limits.nodes, Limits.node_types).words; }) {
      return one.sizes(Limits.nodes, Limits.node_types).words;
    } else {
      return 0;
    }
  };
  std::size_t most = 0;
  ((most = std::max(most, words(all))), ...);
  return most;
}

/// The default hook of a fixed_partitioning: failures are only returned.
struct only_return {
  constexpr void operator()(status, const char*) const noexcept {}  ///< Does nothing.
};

/// Called with every failure before it is returned: the status, and the name of the step that
/// failed. It may log, count, or never return.
template <class Hook>
concept error_hook = (std::invocable<const Hook&, status, const char*> ||
                      unmet<"error_hook: needs operator()(status, const char* step) const">()) &&
                     (std::default_initializable<Hook> ||
                      unmet<"error_hook: needs a default constructor">());

/// A part with its HALO, in the caller's IDs. Local IDs are positions: inner nodes in the order of
/// their new IDs, then HALO nodes.
template <id Node, id Edge, unsigned_id Local>
struct fixed_part {
  std::span<const Node> inner{};     ///< nodes that the part owns
  std::span<const Node> halo{};      ///< nodes that it does not
  std::span<const Local> sources{};  ///< [M] local ID of each edge's source
  std::span<const Local> targets{};  ///< [M] local ID of each edge's target
  std::span<const Edge> edges{};     ///< [M] edge IDs, inner edges first
  std::span<const std::uint8_t>
      inner_edges{};  ///< [M] 1: the part owns the edge's target, 0: it does not

  /// Inner and HALO nodes.
  constexpr std::size_t num_nodes() const noexcept { return inner.size() + halo.size(); }
  constexpr std::size_t num_edges() const noexcept { return edges.size(); }  ///< M
  /// The node of a local ID. @pre local < num_nodes()
  constexpr Node node(std::size_t local) const noexcept {
    return local < inner.size() ? inner[local] : halo[local - inner.size()];
  }
};

/// A graph, its assignment, its new IDs, its partition book and one part at a time, in memory whose
/// size is a constant: sizeof this object. It points into itself and cannot be moved.
///
/// A graph's node IDs and edge IDs are global; it has types if it is a typed_graph.
/// @tparam Limits the largest sizes; a graph that exceeds them gives status::capacity
/// @tparam Node, Edge, Part  widths of IDs, by default the narrowest that the limits allow
/// @tparam Hook   an error_hook
template <fixed_limits Limits, id Node = typename detail::narrowest<Limits>::node,
          id Edge = typename detail::narrowest<Limits>::edge,
          unsigned_id Part = typename detail::narrowest<Limits>::part,
          error_hook Hook = only_return>
class fixed_partitioning {
 public:
  using node_id = Node;    ///< of original and of new IDs
  using edge_id = Edge;    ///< of original and of new IDs
  using part_type = Part;  ///< numbers the parts
  /// Numbers the nodes of one part.
  using local_id = fixed_id<std::uint64_t{Limits.nodes} + 1>;
  using part_view = fixed_part<Node, Edge, local_id>;  ///< what part() fills, see fixed_part
  using book_type = basic_range_book<Node, Edge>;      ///< who owns which new ID
  using graph_type = detail::typed_rows<Node, Edge>;   ///< rows by target, with types

  static_assert(Limits.parts >= 1 && Limits.parts <= id_capacity<Part>(),
                "fixed_partitioning: Part must number 1 to limits.parts parts");
  static_assert(Limits.nodes <= id_capacity<Node>(),
                "fixed_partitioning: Node must number limits.nodes nodes");
  static_assert(Limits.edges < id_capacity<Edge>(),
                "fixed_partitioning: Edge must count up to limits.edges");

  static constexpr fixed_limits limits() noexcept { return Limits; }  ///< the template's

  /// Bytes of memory that make_in() needs, wherever they start.
  static constexpr std::size_t memory_bytes() noexcept {
    return sizeof(fixed_partitioning) + alignof(fixed_partitioning) - 1;
  }
  /// Make one in the caller's memory; there is nothing to destroy.
  /// @param memory [memory_bytes()]   @param made out
  /// @errors capacity: memory is too small (position: the size that suffices)
  static status make_in(std::span<std::byte> memory, fixed_partitioning*& made) noexcept {
    void* place = memory.data();
    std::size_t space = memory.size();
    if (std::align(alignof(fixed_partitioning), sizeof(fixed_partitioning), place, space) ==
        nullptr) {
      return status::capacity.at(memory_bytes());
    }
    made = std::construct_at(static_cast<fixed_partitioning*>(place));
    return status::ok;
  }

  constexpr fixed_partitioning() = default;
  fixed_partitioning(const fixed_partitioning&) = delete;
  fixed_partitioning& operator=(const fixed_partitioning&) = delete;

  /// Read a graph, assign each node a part, renumber nodes and edges, and bind the book. The
  /// previous result is lost, also after an error.
  /// @param g       V nodes, E edges; copied into rows by target; not needed later
  /// @param policy  a partitioner of graph_type whose part type is Part
  /// @param order   of the nodes inside each (part, type): relabel/order.hpp
  /// @errors  capacity: the limits are too low (position: what is needed); those of build_csc_into,
  ///     of the policy, and of relabeling; mismatch: the graph's type offsets do not span it, or
  ///     (at e) two edges have ID e; out_of_range at e: an edge has ID e, E or more
  /// @complexity the policy's, and O(V + E log R + P T)
  template <graph G, class Policy, class Order = original_order>
    requires partitioner<Policy, graph_type> && node_order<Order, graph_type, Node>
  constexpr status partition(const G& g, const Policy& policy, const Order& order = {}) {
    static_assert(
        std::same_as<typename Policy::part, Part>,
        "fixed_partitioning: the policy's part type must be part_type; write basic_random_parts<part_type> and the like");
    forget();
    if (const status read = load(g); !read) return failed(read, "load");
    if (const status assigned = assign(policy); !assigned) return failed(assigned, "assign");
    if (const status numbered = relabel(order); !numbered) return failed(numbered, "relabel");
    if (const status grouped = group(); !grouped) return failed(grouped, "group");
    ready_ = true;
    return status::ok;
  }

  /// Grow one part by its HALO; part() then returns it.
  /// @errors invalid_argument: nothing was partitioned; capacity: more HALO nodes or edges than the
  ///     limits allow; those of expand_into. part() is empty then
  /// @complexity O(nodes and edges of the result)
  constexpr status expand(std::size_t part, const halo_options& options = {}) {
    view_ = {};
    if (!ready_) return failed(status::invalid_argument, "expand");
    if (part >= parts_) return failed(status::out_of_range.at(part), "expand");
    halo_buffer<Node, Edge, local_id> out{
        std::span<Node>(halo_), std::span<local_id>(part_sources_),
        std::span<local_id>(part_targets_), std::span<Edge>(part_edges_),
        std::span<std::uint8_t>(part_inner_)};
    const status answer = expand_into(graph(), owner(), halo_index(), part, options,
                                      std::span<local_id>(local_), out);
    if (!answer) return failed(answer, "expand");
    const std::size_t edges = out.num_edges();
    view_.inner = halo_index().members_of(part);
    view_.halo = std::span<const Node>(halo_).first(out.num_halo_nodes());
    view_.sources = std::span<const local_id>(part_sources_).first(edges);
    view_.targets = std::span<const local_id>(part_targets_).first(edges);
    view_.edges = std::span<const Edge>(part_edges_).first(edges);
    view_.inner_edges = std::span<const std::uint8_t>(part_inner_).first(edges);
    return status::ok;
  }

  /// @{
  /// Of the graph at hand; 0 where none was given yet.
  constexpr std::size_t num_nodes() const noexcept { return nodes_; }
  constexpr std::size_t num_edges() const noexcept { return edges_; }
  constexpr std::size_t num_parts() const noexcept { return parts_; }
  constexpr std::size_t num_node_types() const noexcept { return node_types_; }
  constexpr std::size_t num_edge_types() const noexcept { return edge_types_; }
  /// @}
  /// The graph, by targets, and where its types start.
  constexpr graph_type graph() const noexcept {
    const csc_view<Node, Edge> rows(
        std::span<const Edge>(row_offsets_).first(edges_known_ ? nodes_ + 1 : 0),
        std::span<const Node>(row_sources_).first(edges_),
        std::span<const Edge>(row_edges_).first(edges_));
    return {rows,
            std::span<const std::uint64_t>(node_begin_).first(edges_known_ ? node_types_ + 1 : 0),
            std::span<const std::uint64_t>(edge_begin_).first(edges_known_ ? edge_types_ + 1 : 0)};
  }
  /// [V] part of each node.
  constexpr std::span<const Part> owner() const noexcept {
    return std::span<const Part>(owner_).first(nodes_);
  }
  /// [V] original ID of each new node ID, and its inverse; [E] the same of edges.
  constexpr std::span<const Node> old_node() const noexcept {
    return std::span<const Node>(old_node_).first(nodes_);
  }
  /// [V] new ID of each original node ID.
  constexpr std::span<const Node> new_node() const noexcept {
    return std::span<const Node>(new_node_).first(nodes_);
  }
  /// [E] original ID of each new edge ID.
  constexpr std::span<const Edge> old_edge() const noexcept {
    return std::span<const Edge>(old_edge_).first(edges_);
  }
  /// [E] new ID of each original edge ID.
  constexpr std::span<const Edge> new_edge() const noexcept {
    return std::span<const Edge>(new_edge_).first(edges_);
  }
  /// [P*T+1] first new node ID of each (part, type), and [P*R+1] of edges.
  constexpr std::span<const std::uint64_t> node_bounds() const noexcept {
    return std::span<const std::uint64_t>(node_bounds_)
        .first(bounds_known_ ? parts_ * node_types_ + 1 : 0);
  }
  /// [P*R+1] first new edge ID of each (part, type); last: E.
  constexpr std::span<const std::uint64_t> edge_bounds() const noexcept {
    return std::span<const std::uint64_t>(edge_bounds_)
        .first(bounds_known_ ? parts_ * edge_types_ + 1 : 0);
  }
  /// Who owns which new ID.
  constexpr const book_type& book() const noexcept { return book_; }
  /// The part expanded last.
  constexpr const part_view& part() const noexcept { return view_; }
  /// What expand_into needs besides, for a user's own output.
  constexpr halo_index_view<Node, Edge> halo_index() const noexcept {
    // New IDs ascend with the part: the nodes by new ID are the members of the parts.
    return {std::span<const std::uint64_t>(part_begin_).first(parts_ + 1),
            old_node(),
            {std::span<const Edge>(cut_offsets_).first(nodes_ + 1), cut_targets_, cut_edges_}};
  }

 private:
  static constexpr std::size_t or_all(std::size_t limit, std::size_t all) noexcept {
    return limit == 0 ? all : std::min(limit, all);
  }
  static constexpr std::size_t most_cut = or_all(Limits.cut_edges, Limits.edges);
  static constexpr std::size_t most_halo = or_all(Limits.part_nodes, Limits.nodes);
  static constexpr std::size_t most_edges = or_all(Limits.part_edges, Limits.edges);

  constexpr status failed(status problem, const char* step) const {
    Hook{}(problem, step);
    return problem;
  }
  constexpr void forget() {
    nodes_ = edges_ = parts_ = node_types_ = edge_types_ = 0;
    ready_ = edges_known_ = bounds_known_ = false;
    book_ = {};
    view_ = {};
  }

  template <class G>
  constexpr status load(const G& g) {
    const std::size_t nodes = halograph::num_nodes(g), edges = halograph::num_edges(g);
    if (nodes > Limits.nodes) return status::capacity.at(nodes);
    if (edges > Limits.edges) return status::capacity.at(edges);
    if constexpr (typed_graph<G>) {
      const auto node_offsets = g.node_type_offsets(), edge_offsets = g.edge_type_offsets();
      if (node_offsets.empty() || edge_offsets.empty()) return status::mismatch;
      if (node_offsets.size() > node_begin_.size())
        return status::capacity.at(node_offsets.size() - 1);
      if (edge_offsets.size() > edge_begin_.size())
        return status::capacity.at(edge_offsets.size() - 1);
      std::copy(node_offsets.begin(), node_offsets.end(), node_begin_.begin());
      std::copy(edge_offsets.begin(), edge_offsets.end(), edge_begin_.begin());
      node_types_ = node_offsets.size() - 1;
      edge_types_ = edge_offsets.size() - 1;
    } else {
      node_begin_[0] = edge_begin_[0] = 0;
      node_begin_[1] = nodes;
      edge_begin_[1] = edges;
      node_types_ = edge_types_ = 1;
    }
    const status built = build_csc_into(g, std::span<Edge>(row_offsets_).first(nodes + 1),
                                        std::span<Node>(row_sources_).first(edges),
                                        std::span<Edge>(row_edges_).first(edges));
    // The graph has more edges than num_edges() says.
    if (built == status::capacity) return status::mismatch.at(built.position);
    if (!built) return built;
    if (index(row_offsets_[nodes]) != edges) return status::mismatch.at(edges);
    const auto ids = std::span<const Edge>(row_edges_).first(edges);
    if (!detail::edge_id_is_position(g)) {
      // new_edge_ is scratch until edges are relabeled.
      if (const status numbered = check_edge_ids(ids, std::span<Edge>(new_edge_)); !numbered) {
        return numbered.at(
            static_cast<std::uint64_t>(ids[static_cast<std::size_t>(numbered.position)]));
      }
    }
    nodes_ = nodes;
    edges_ = edges;
    edges_known_ = true;
    sort_rows_by_edge(graph().offsets(), std::span<Node>(row_sources_),
                      std::span<Edge>(row_edges_));
    return status::ok;
  }

  template <class Policy>
  constexpr status assign(const Policy& policy) {
    if constexpr (names_parts<Policy>) {
      const auto parts = static_cast<std::uint64_t>(policy.parts);
      if (parts > Limits.parts) return status::capacity.at(parts);
      parts_ = static_cast<std::size_t>(parts);
    }
    const auto owners = std::span<Part>(owner_).first(nodes_);
    if (const status answer = assign_into(graph(), policy, owners,
                                          std::span<std::uint64_t>(scratch_));
        !answer)
      return answer;
    if constexpr (!names_parts<Policy>) {
      for (const Part p : owner()) parts_ = std::max(parts_, index(p) + 1);
      if (parts_ > Limits.parts) return status::capacity.at(parts_);
    }
    return status::ok;
  }

  template <class Order>
  constexpr status relabel(const Order& order) {
    const auto node_begin = graph().node_type_offsets(), edge_begin = graph().edge_type_offsets();
    if (edge_begin.back() != edges_) return status::mismatch.at(edges_);
    // new_node_ is scratch until the order is known.
    const auto old_node = std::span<Node>(old_node_).first(nodes_),
               new_node = std::span<Node>(new_node_).first(nodes_);
    status answer = relabel_nodes_into(
        graph(), owner(), node_begin, parts_, order, std::span<std::uint64_t>(node_bounds_),
        old_node, std::span<Node>(),
        order_scratch<Node>{new_node, std::span<std::uint64_t>(scratch_)});
    if (!answer) return answer;
    for (std::size_t i = 0; i < nodes_; ++i) new_node[index(old_node[i])] = static_cast<Node>(i);
    for (std::size_t p = 0; p <= parts_; ++p) part_begin_[p] = node_bounds_[p * node_types_];
    answer = relabel_edges_into(
        graph(), owner(), this->old_node(),
        std::span<const std::uint64_t>(part_begin_).first(parts_ + 1), edge_begin, same_edge_id{},
        false, std::span<std::uint64_t>(edge_bounds_), std::span<Edge>(new_edge_).first(edges_));
    if (!answer) return answer;
    for (std::size_t e = 0; e < edges_; ++e) old_edge_[index(new_edge_[e])] = static_cast<Edge>(e);
    bounds_known_ = true;
    return book_.bind(parts_, node_types_, node_bounds(), edge_types_, edge_bounds(),
                      std::span<std::uint64_t>(book_memory_));
  }

  constexpr status group() {
    local_.fill(absent<local_id>);
    return group_cut_edges_into(graph(), owner(), old_node(), std::span<Edge>(cursor_),
                                std::span<Edge>(cut_offsets_), std::span<Node>(cut_targets_),
                                std::span<Edge>(cut_edges_));
  }

  std::size_t nodes_ = 0, edges_ = 0, parts_ = 0, node_types_ = 0, edge_types_ = 0;
  bool ready_ = false, edges_known_ = false, bounds_known_ = false;
  std::array<std::uint64_t, Limits.node_types + 1> node_begin_{};
  std::array<std::uint64_t, Limits.edge_types + 1> edge_begin_{};
  std::array<Edge, csc_offsets_count(Limits.nodes)> row_offsets_{};
  std::array<Node, Limits.edges> row_sources_{};
  std::array<Edge, Limits.edges> row_edges_{};
  std::array<Part, Limits.nodes> owner_{};
  std::array<std::uint64_t, relabel_bounds_count(Limits.parts, Limits.node_types)> node_bounds_{};
  std::array<std::uint64_t, relabel_bounds_count(Limits.parts, Limits.edge_types)> edge_bounds_{};
  std::array<std::uint64_t, Limits.parts + 1> part_begin_{};
  std::array<Node, Limits.nodes> old_node_{}, new_node_{};
  std::array<Edge, Limits.edges> old_edge_{}, new_edge_{};
  std::array<std::uint64_t,
             book_type::memory_size(Limits.parts, Limits.node_types, Limits.edge_types)>
      book_memory_{};
  book_type book_{};
  std::array<Edge, Limits.nodes> cursor_{};
  std::array<Edge, cut_offsets_count(Limits.nodes)> cut_offsets_{};
  std::array<Node, most_cut> cut_targets_{};
  std::array<Edge, most_cut> cut_edges_{};
  std::array<local_id, Limits.nodes> local_{};
  std::array<Node, most_halo> halo_{};
  std::array<local_id, most_edges> part_sources_{}, part_targets_{};
  std::array<Edge, most_edges> part_edges_{};
  std::array<std::uint8_t, most_edges> part_inner_{};
  std::array<std::uint64_t, Limits.scratch_words> scratch_{};
  part_view view_{};
};

}  // namespace halograph
