// SPDX-License-Identifier: BSL-1.0
/// @file expand.hpp
/// Grow a part by every node within k hops of it, from owners alone, in the graph's own IDs.
/// Layer: halo (no exceptions; the calls that return containers allocate them). Words: README.md.
///
/// Local IDs are positions in the list of nodes: inner nodes ascending, then HALO nodes in the
/// order of discovery. The part holds every in-edge of an inner node; every in-edge of a node found
/// in hops 1 to k-1; and, in a closing step that can be switched off, every out-edge of an inner
/// node, whose targets join the HALO but are not followed further.
/// @source the rules of DGL's partition_graph; C++ original:
///     src/graph/transform/partition_hetero.cc
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/fwd.hpp>
#include <halograph/halo/members.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// How far a part grows.
struct halo_options {
  unsigned hops = 1;  ///< 0: the part alone
  /// add out-edges of inner nodes and their targets (needs hops > 0)
  bool closing_out_edges = true;
  /// 0 hops only: drop edges that cross parts instead of failing
  bool drop_cut_edges = false;
};

/// Members and cut edges of all parts: built once, read by the expansion of each part.
template <id Node, id Edge>
struct halo_index_view {
  std::span<const std::uint64_t> member_begin{};  ///< [P+1]
  std::span<const Node>
      members{};  ///< [V] nodes part by part, ascending; or empty: IDs run part by part
  cut_edges_view<Node, Edge> cut{};  ///< edges that leave their source's part

  /// P; 0: no index was built.
  constexpr std::size_t num_parts() const noexcept {
    return member_begin.empty() ? 0 : member_begin.size() - 1;
  }
  /// The nodes of a part, ascending. @pre members are listed, part < num_parts()
  constexpr std::span<const Node> members_of(std::size_t part) const noexcept {
    return members.subspan(static_cast<std::size_t>(member_begin[part]), num_members(part));
  }
  /// How many nodes a part owns. @pre part < num_parts()
  constexpr std::size_t num_members(std::size_t part) const noexcept {
    return static_cast<std::size_t>(member_begin[part + 1] - member_begin[part]);
  }
  /// The i-th member of a part, whether they are listed or not.
  constexpr Node member(std::size_t part, std::size_t i) const noexcept {
    const std::size_t rank = static_cast<std::size_t>(member_begin[part]) + i;
    return members.empty() ? static_cast<Node>(rank) : members[rank];
  }
};

/// Marks nodes that are not in the part, in the scratch of expand_into.
template <unsigned_id Local>
inline constexpr Local absent = std::numeric_limits<Local>::max();

namespace detail {
template <class Out, class Node>
concept takes_halo_nodes = requires(Out& out, Node v, std::size_t i) {
  { out.node(v) } -> std::convertible_to<bool>;
  { out.halo_node(i) } -> std::convertible_to<Node>;
};
template <class Out, class Local, class Edge>
concept takes_local_edges = requires(Out& out, Local local, Edge e) {
  { out.edge(local, local, e, true) } -> std::convertible_to<bool>;
};
template <class Out>
concept takes_hops = requires(Out& out, std::size_t k) { out.hop(k); };
}  // namespace detail

/// Receives what expansion finds.
/// - `bool node(v)`: HALO node v is the next local node; false when the output is full;
/// - `halo_node(i)`: the i-th HALO node given to node();
/// - `bool edge(lu, lv, e, inner)`: edge e from local node lu to lv; inner: its target is inner.
///   Inner edges come first, row by row of their targets;
/// - `void hop(k)`: hop k (from 1) is complete; hops+1 stands for the closing step. Hops after the
///   first that finds no node are not reported.
template <class Out, class Node, class Local, class Edge>
concept halo_output =
    (detail::takes_halo_nodes<Out, Node> ||
     unmet<"halo_output: needs bool node(v) and halo_node(i), the i-th node taken">()) &&
    (detail::takes_local_edges<Out, Local, Edge> ||
     unmet<"halo_output: needs bool edge(local u, local v, e, inner)">()) &&
    (detail::takes_hops<Out> || unmet<"halo_output: needs void hop(size_t k)">());

namespace detail {

/// The hops of every HALO: in-edges of the inner nodes, then those of the nodes that the hop before
/// found, until a hop finds none. Expansion from a user's graph (expand_into) and from the rows of
/// a partition plan (part_columns) grow by this loop. They differ in the closing step, and must:
/// the former emits each edge when it meets it and walks cut edges by source, in the user's IDs;
/// the latter looks for nodes alone, since its edges are ranges of rows that are read while they
/// are written, and has cut edges by position, which threads list at once and dispatch streams.
///
/// @param found         number of HALO nodes so far
/// @param follow_inner  visits the in-edges of all inner nodes
/// @param follow        follow(i) visits the in-edges of the i-th HALO node
/// @param hop           hop(k) is called after hop k, from 1
/// @return how many HALO nodes were followed
template <class Found, class FollowInner, class Follow, class Hop>
constexpr std::size_t grow_halo(unsigned hops, const Found& found, const FollowInner& follow_inner,
                                const Follow& follow, const Hop& hop) {
  follow_inner();
  if (hops == 0) return 0;
  hop(std::size_t{1});
  std::size_t followed = 0;
  for (std::uint64_t k = 2; k <= hops && followed < found(); ++k) {
    for (const std::size_t end = found(); followed < end; ++followed) follow(followed);
    hop(static_cast<std::size_t>(k));
  }
  return followed;
}

}  // namespace detail

/// Expand one part into `out`.
///
/// @param g        V nodes; in-edges of a node in ascending edge ID give DGL's order of HALO nodes
/// @param parts    members and cut edges of all parts
/// @param part     which
/// @param options  hops and what else
/// @param local    [V] scratch: every entry absent<Local> on entry and again on return, so that
///                 the next part can use it without clearing
/// @param out      receives nodes and edges
/// @errors       out_of_range: no such part, or (at e) the source of edge e is out of range;
///     mismatch: not one member per node; overflow: Local cannot number V nodes besides `absent`;
///     capacity: `local` is too small or `out` is full; cut_edges (position: how many into this
///     part): 0 hops and drop_cut_edges off. `local` is restored after any of them
/// @complexity   O(nodes and edges of the result): independent of the other parts
/// @repeatable   yes
template <in_adjacency Graph, id Node, id Edge, unsigned_id Local, class Out>
  requires halo_output<Out, Node, Local, edge_id_t<Graph>>
constexpr status expand_into(const Graph& g, const halo_index_view<Node, Edge>& parts,
                             std::size_t part, const halo_options& options, std::span<Local> local,
                             Out& out) {
  using graph_node = node_id_t<Graph>;
  using graph_edge = edge_id_t<Graph>;
  const std::size_t nodes = num_nodes(g);
  if (part >= parts.num_parts()) return status::out_of_range.at(part);
  if (parts.member_begin.back() != nodes ||
      (!parts.members.empty() && parts.members.size() != nodes))
    return status::mismatch.at(nodes);
  // Local IDs are 0 to V-1, and `absent` is none of them.
  if (nodes > absent<Local> || nodes > id_capacity<graph_node>()) return status::overflow.at(nodes);
  if (local.size() < nodes) return status::capacity.at(nodes);

  const std::size_t inner = parts.num_members(part);
  const auto inner_count = static_cast<Local>(inner);
  for (std::size_t i = 0; i < inner; ++i)
    local[index(parts.member(part, i))] = static_cast<Local>(i);

  std::size_t halo_count = 0;
  std::uint64_t dropped = 0;
  bool room = true;
  status problem = status::ok;
  const auto is_node = [&](auto u, auto e) {
    if (index(u) < nodes) return true;
    if (problem) problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
    return false;
  };
  const auto local_of = [&](auto v) {
    Local& slot = local[index(v)];
    if (slot == absent<Local>) {
      slot = static_cast<Local>(inner + halo_count);
      if (out.node(static_cast<Node>(v))) {
        ++halo_count;
      } else {
        slot = absent<Local>;
        room = false;
        return static_cast<Local>(0);
      }
    }
    return slot;
  };

  detail::grow_halo(
      options.hops, [&] { return halo_count; },
      [&] {  // in-edges of inner nodes: all of them are inner
        for (std::size_t i = 0; i < inner && room; ++i) {
          for_each_in_edge(g, static_cast<graph_node>(parts.member(part, i)), [&](auto u, auto e) {
            if (!is_node(u, e)) return;
            if (options.hops == 0 && local[index(u)] >= inner_count) {
              ++dropped;
              return;
            }
            const Local source = local_of(u);
            room = room &&
                   out.edge(source, static_cast<Local>(i), static_cast<graph_edge>(e), true);
          });
        }
      },
      [&](std::size_t i) {  // those from inner nodes belong to the closing step
        if (!room) return;
        const auto target = static_cast<Local>(inner + i);
        for_each_in_edge(g, static_cast<graph_node>(out.halo_node(i)), [&](auto u, auto e) {
          if (!is_node(u, e)) return;
          if (options.closing_out_edges && local[index(u)] < inner_count) return;
          const Local source = local_of(u);
          room = room && out.edge(source, target, static_cast<graph_edge>(e), false);
        });
      },
      [&](std::size_t hop) { out.hop(hop); });

  if (options.hops > 0 && options.closing_out_edges) {
    const std::size_t first_rank = static_cast<std::size_t>(parts.member_begin[part]);
    for (std::size_t i = 0; i < inner && room; ++i) {
      const std::size_t row_end = index(parts.cut.offsets[first_rank + i + 1]);
      for (std::size_t k = index(parts.cut.offsets[first_rank + i]); k < row_end && room; ++k) {
        const Local target = local_of(parts.cut.targets[k]);
        room = room && out.edge(static_cast<Local>(i), target,
                                static_cast<graph_edge>(parts.cut.edges[k]), false);
      }
    }
    out.hop(std::size_t{options.hops} + 1);
  }

  for (std::size_t i = 0; i < inner; ++i) local[index(parts.member(part, i))] = absent<Local>;
  for (std::size_t i = 0; i < halo_count; ++i) local[index(out.halo_node(i))] = absent<Local>;
  if (!problem) return problem;
  if (!room) return status::capacity;
  if (dropped != 0 && !options.drop_cut_edges) return status::cut_edges.at(dropped);
  return status::ok;
}

/// The same, and checks that the assignment has one owner per node. @param
/// owner [V]
template <in_adjacency Graph, unsigned_id Part, id Node, id Edge, unsigned_id Local, class Out>
  requires halo_output<Out, Node, Local, edge_id_t<Graph>>
constexpr status expand_into(const Graph& g, std::span<const Part> owner,
                             const halo_index_view<Node, Edge>& parts, std::size_t part,
                             const halo_options& options, std::span<Local> local, Out& out) {
  if (owner.size() != num_nodes(g)) return status::mismatch.at(owner.size());
  return expand_into(g, parts, part, options, local, out);
}

/// Writes an expansion into the caller's arrays; a full array ends it with status::capacity.
template <id Node, id Edge, unsigned_id Local>
class halo_buffer {
 public:
  /// @param nodes    HALO nodes out (without the inner ones)
  /// @param sources  local IDs out, one per edge; `targets`, `edges` and `inner` likewise
  constexpr halo_buffer(std::span<Node> nodes, std::span<Local> sources, std::span<Local> targets,
                        std::span<Edge> edges, std::span<std::uint8_t> inner)
      : nodes_(nodes), sources_(sources), targets_(targets), edges_(edges), inner_(inner) {}
  /// @{
  /// Entries written so far.
  constexpr std::size_t num_halo_nodes() const noexcept { return node_count_; }
  constexpr std::size_t num_edges() const noexcept { return edge_count_; }
  /// @}

  /// @{
  /// The calls of `halo_output`; false: an array is full, and nothing was written.
  constexpr bool node(Node v) {
    if (node_count_ == nodes_.size()) return false;
    nodes_[node_count_++] = v;
    return true;
  }
  constexpr Node halo_node(std::size_t i) const { return nodes_[i]; }
  constexpr bool edge(Local u, Local v, Edge e, bool inner) {
    if (edge_count_ >= std::min({sources_.size(), targets_.size(), edges_.size(), inner_.size()}))
      return false;
    sources_[edge_count_] = u;
    targets_[edge_count_] = v;
    edges_[edge_count_] = e;
    inner_[edge_count_++] = inner ? 1 : 0;
    return true;
  }
  constexpr void hop(std::size_t) {}
  /// @}

 private:
  std::span<Node> nodes_;
  std::span<Local> sources_, targets_;
  std::span<Edge> edges_;
  std::span<std::uint8_t> inner_;
  std::size_t node_count_ = 0, edge_count_ = 0;
};

/// Measures an expansion: writes the HALO nodes into the caller's array and counts the edges, so
/// that a halo_buffer of exactly the right size can follow.
template <id Node>
class halo_counter {
 public:
  /// @param nodes  HALO nodes out; halo_nodes_bound() entries always suffice
  constexpr explicit halo_counter(std::span<Node> nodes) : nodes_(nodes) {}
  /// @{
  /// Counted so far; an inner edge is one whose target the part owns.
  constexpr std::size_t num_halo_nodes() const noexcept { return node_count_; }
  constexpr std::size_t num_edges() const noexcept { return edge_count_; }
  constexpr std::size_t num_inner_edges() const noexcept { return inner_edge_count_; }
  /// @}

  /// @{
  /// The calls of `halo_output`; false: the array of nodes is full.
  constexpr bool node(Node v) {
    if (node_count_ == nodes_.size()) return false;
    nodes_[node_count_++] = v;
    return true;
  }
  constexpr Node halo_node(std::size_t i) const { return nodes_[i]; }
  template <class Local, class Edge>
  constexpr bool edge(Local, Local, Edge, bool inner) {
    ++edge_count_;
    inner_edge_count_ += inner ? 1 : 0;
    return true;
  }
  constexpr void hop(std::size_t) {}
  /// @}

 private:
  std::span<Node> nodes_;
  std::size_t node_count_ = 0, edge_count_ = 0, inner_edge_count_ = 0;
};

/// Upper bound on the HALO nodes of a part with `inner` nodes: all other nodes.
constexpr std::size_t halo_nodes_bound(std::size_t nodes, std::size_t inner) noexcept {
  return nodes - inner;
}

/// A part with its HALO, in the graph's IDs.
/// @tparam Local  names nodes by their position in `nodes`
template <id Node, id Edge, unsigned_id Local>
struct halo {
  std::vector<Node> nodes{};                   ///< inner nodes ascending, then HALO nodes as found
  std::size_t inner_nodes = 0;                 ///< how many of them are inner
  std::vector<std::uint64_t> nodes_per_hop{};  ///< [hops, at most V] HALO nodes by hop; the closing
                                               ///< step's count with hop 1
  std::vector<Local> sources{};                ///< local ID of each edge's source
  std::vector<Local> targets{};                ///< local ID of each edge's target
  std::vector<Edge> edges{};                   ///< edge IDs of the graph; inner edges first
  std::size_t inner_edges = 0;                 ///< how many of them end in an inner node
};

namespace detail {

template <id Node, id Edge, unsigned_id Local>
struct halo_collector {
  halo<Node, Edge, Local>& into;
  std::size_t hops;
  std::size_t seen = 0;
  bool node(Node v) {
    into.nodes.push_back(v);
    return true;
  }
  Node halo_node(std::size_t i) const { return into.nodes[into.inner_nodes + i]; }
  bool edge(std::uint64_t u, std::uint64_t v, Edge e, bool inner) {
    into.sources.push_back(static_cast<Local>(u));
    into.targets.push_back(static_cast<Local>(v));
    into.edges.push_back(e);
    into.inner_edges += inner ? 1 : 0;
    return true;
  }
  void hop(std::size_t k) {
    const std::size_t now = into.nodes.size() - into.inner_nodes;
    if (now != seen) into.nodes_per_hop[k > hops ? 0 : k - 1] += now - seen;
    seen = now;
  }
};

}  // namespace detail

/// Expands the parts of one graph and one assignment one after another; holds what they share.
/// Memory: O(V + cut edges). One thread at a time; make one per thread.
/// @tparam Local  local IDs of the results
template <in_adjacency Graph, unsigned_id Local = std::make_unsigned_t<node_id_t<Graph>>>
class halo_expander {
 public:
  using node_id = node_id_t<Graph>;  ///< the graph's, see graph_traits
  using edge_id = edge_id_t<Graph>;  ///< the graph's, see graph_traits

  /// @param g      must outlive the expander
  /// @param owners [V] part of each node, contiguous, of any integer type; not needed later
  /// @param parts  P; 0: the largest owner + 1
  /// @errors raises mismatch: not one owner per node; out_of_range: a part < 0 or >= P, or an edge
  ///     whose source is out of range; overflow: the graph's ID types are too narrow for it
  template <id_row Owner>
  halo_expander(const Graph& g, const Owner& owners, std::size_t parts = 0) : graph_(g) {
    const auto owner = parts_of(owners);
    const std::size_t nodes = halograph::num_nodes(g);
    if (owner.size() != nodes) {
      raise(error_kind::mismatch, "the assignment names a part for " +
                                      std::to_string(owner.size()) + " nodes, the graph has " +
                                      std::to_string(nodes) + "; it must name one part per node");
    }
    if (nodes > id_capacity<Local>()) {
      raise(error_kind::overflow,
            "the graph has more nodes than its local IDs can number; use wider ones");
    }
    if (parts == 0 && nodes != 0) {
      parts = std::size_t{checked_cast<part_id>(*std::max_element(owner.begin(), owner.end()),
                                                "the part of a node")} +
              1;
    }
    begin_.resize(parts + 1);
    members_.resize(nodes);
    const status grouped = group_members_into(owner, parts, std::span(begin_), std::span(members_));
    check(grouped == status::overflow ? grouped : status::ok,
          "the graph has more nodes than its node IDs can number; use wider ones");
    if (!grouped) {
      raise(grouped.code, "node " + std::to_string(grouped.position) + " is assigned to part " +
                              std::to_string(owner[static_cast<std::size_t>(grouped.position)]) +
                              "; parts must be 0 to " + std::to_string(parts - 1));
    }
    const auto cut = static_cast<std::size_t>(count_cut_edges(g, owner));
    cut_offsets_.resize(nodes + 1);
    cut_targets_.resize(cut);
    cut_edges_.resize(cut);
    std::vector<edge_id> cursor(nodes);
    const status cut_grouped = group_cut_edges_into(g, owner, std::span<const node_id>(members_),
                                                    std::span(cursor), std::span(cut_offsets_),
                                                    std::span(cut_targets_), std::span(cut_edges_));
    if (cut_grouped == status::out_of_range) {
      raise(cut_grouped.code, "edge " + std::to_string(cut_grouped.position) +
                                  " has a source outside the " + std::to_string(nodes) +
                                  " nodes of the graph; IDs must be 0 to " +
                                  std::to_string(nodes - 1));
    }
    check(cut_grouped,
          "the graph has more nodes or cut edges than its ID types can number; use wider ones");
    local_.assign(nodes, absent<std::uint64_t>);
  }

  /// A temporary would be destroyed before the first part is expanded.
  template <id_row Owner>
  halo_expander(const Graph&&, const Owner&, std::size_t = 0) = delete;

  std::size_t num_parts() const noexcept { return begin_.size() - 1; }  ///< P
  /// Edges whose ends are in different parts.
  std::uint64_t num_cut_edges() const noexcept { return cut_targets_.size(); }
  /// A view into this object, for expand_into().
  halo_index_view<node_id, edge_id> halo_index() const {
    return {begin_, members_, {cut_offsets_, cut_targets_, cut_edges_}};
  }

  /// @errors raises out_of_range: no such part; cut_edges: 0 hops although edges cross parts
  halo<node_id, edge_id, Local> expand(std::size_t part, const halo_options& options = {}) {
    if (part >= num_parts()) {
      raise(error_kind::out_of_range, "part " + std::to_string(part) +
                                          " does not exist; parts are 0 to " +
                                          std::to_string(num_parts() == 0 ? 0 : num_parts() - 1));
    }
    halo<node_id, edge_id, Local> result;
    const auto inner = halo_index().members_of(part);
    result.nodes.assign(inner.begin(), inner.end());
    result.inner_nodes = inner.size();
    // A hop without new nodes is the last: more than V hops do not need more than V counts.
    result.nodes_per_hop.resize(std::min<std::size_t>(options.hops, local_.size()));
    detail::halo_collector<node_id, edge_id, Local> collector{result, options.hops};
    const status answer = expand_into(graph_, halo_index(), part, options, std::span(local_),
                                      collector);
    if (answer == status::cut_edges) {
      raise(answer.code, "0 hops cannot keep the " + std::to_string(answer.position) +
                             " edges that enter part " + std::to_string(part) +
                             " from other parts; use 1 hop or more, or drop them");
    }
    check(answer, "a part could not be expanded");
    return result;
  }

 private:
  const Graph& graph_;
  std::vector<std::uint64_t> begin_{};
  std::vector<node_id> members_{};
  std::vector<edge_id> cut_offsets_{};
  std::vector<node_id> cut_targets_{};
  std::vector<edge_id> cut_edges_{};
  std::vector<std::uint64_t> local_{};
};

/// Expand one part of any graph. For several parts of the same graph make a halo_expander once.
///
/// @param g        any graph; one without in-adjacency is compressed first, into memory that is
///     freed again
/// @param owner    [V] part of each node: a vector, array, span ... of any integer type
/// @param part     which
/// @errors raises as halo_expander
template <graph Graph, id_row Owner>
auto expand_halo(const Graph& g, const Owner& owner, std::size_t part,
                 const halo_options& options = {}) {
  if constexpr (in_adjacency<Graph>) {
    halo_expander<Graph> expander(g, owner);
    return expander.expand(part, options);
  } else {
    using node = node_id_t<Graph>;
    using edge = edge_id_t<Graph>;
    const auto rows = build_csc<node, edge>(g);
    const auto view = rows.view();
    halo_expander<csc_view<node, edge>> expander(view, owner);
    return expander.expand(part, options);
  }
}

// Sentences for the commonest mistakes, which compilers print first, at the line of the call.
template <class Graph, class Owner>
  requires detail::list_of_pairs<Graph>
__attribute__((unavailable(
    "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)")))
halo<std::uint64_t, std::uint64_t>
expand_halo(const Graph&, const Owner&, std::size_t, const halo_options& = {});
template <class Graph, class Owner>
  requires(!graph<Graph> && !detail::list_of_pairs<Graph>)
__attribute__((unavailable(
    "graph: needs num_nodes(g), and one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge")))
halo<std::uint64_t, std::uint64_t>
expand_halo(const Graph&, const Owner&, std::size_t, const halo_options& = {});
template <graph Graph, class Owner>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
halo<std::uint64_t, std::uint64_t>
expand_halo(const Graph&, const Owner&, std::size_t, const halo_options& = {});

}  // namespace halograph
