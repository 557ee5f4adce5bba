// SPDX-License-Identifier: BSL-1.0
/// @file concepts.hpp
/// What a graph is: a number of nodes, and its edges as a list, by target or by source.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
///
/// | letter | meaning |
/// | --- | --- |
/// | g, G | a graph and its type |
/// | V, E | number of nodes, number of edges |
/// | u -> v, e | source, target and ID of an edge |
///
/// A type joins with two functions, as members or found by argument-dependent lookup:
///
///     std::size_t num_nodes(const my_graph& g);                    // and one of:
///     void for_each_in_neighbor(const my_graph& g, auto v, auto f);   // f(u) for every u -> v
///     void for_each_out_neighbor(const my_graph& g, auto u, auto f);  // f(v) for every u -> v
///     void for_each_edge(const my_graph& g, auto f);                  // f(u, v, e), e from 0
///     void for_each_in_edge(const my_graph& g, auto v, auto f);       // f(u, e) for every u -> v
///     void for_each_out_edge(const my_graph& g, auto u, auto f);      // f(v, e) for every u -> v
///
/// The neighbor functions need no edge IDs: edges are numbered by position, row by row. The others
/// pass edge IDs, which must be 0 to E-1 over the whole graph, one for each edge; they do not
/// restart in each row. Calls that store edges by ID check that with one bit per edge, unless
/// `bool edge_id_is_position() const` returns true. `num_edges` is counted where it is missing.
/// `node_id` and `edge_id` are 64-bit where the type does not name them. Internal iteration (a
/// function that gets each edge) instead of iterators: every storage can offer it at the speed of
/// its own loop, in three lines. Visiting a node's in-edges in ascending edge ID gives
/// DGL's order of HALO nodes; any other order gives the same sets.
///
/// Standard containers are graphs: a range of ranges of IDs lists the out-neighbors of each node
/// (edges numbered row by row), a pair of spans is CSR (offsets from 0 to E that do not decrease,
/// and E targets). A row may also list pairs of an ID and something else, such as a weight, which
/// is not read; policies take weights by edge ID. For lists of edges: edge_pairs (coo.hpp).
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/fwd.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

namespace halograph {

namespace detail {

/// Takes whatever a storage passes to an edge visitor: a caller's function in concepts.
struct any_visitor {
  template <class A, class B>
  constexpr void operator()(A, B) const {}
  template <class A, class B, class C>
  constexpr void operator()(A, B, C) const {}
};
struct any_neighbor_visitor {
  template <class A>
  constexpr void operator()(A) const {}
};

// A compiler takes a nested requirement for one condition. Alternatives and range concepts stand in
// such here, since a compiler would list dozens of conditions anew for each template that a graph
// concept constrains.
template <class Entry>
struct target_id {
  using type = std::remove_cvref_t<Entry>;
};
template <class Entry>
  requires requires { typename std::remove_cvref_t<Entry>::first_type; }
struct target_id<Entry> {
  using type = std::remove_cv_t<typename std::remove_cvref_t<Entry>::first_type>;
};
/// The target in an entry of a row: an ID, or a pair of an ID and something else.
template <class Entry>
constexpr auto target_of(const Entry& entry) {
  if constexpr (requires { typename Entry::first_type; })
    return entry.first;
  else
    return entry;
}
template <class G>
using row_target_t = typename target_id<
    std::ranges::range_reference_t<std::ranges::range_reference_t<const G>>>::type;

template <class G>
concept adjacency_rows = requires {
  requires std::ranges::random_access_range<const G> && std::ranges::sized_range<const G> &&
               std::ranges::forward_range<std::ranges::range_reference_t<const G>> &&
               id<row_target_t<G>>;
};

/// Edges as a range of pairs: how many nodes there are is not known.
template <class G>
concept list_of_pairs = requires {
  requires std::ranges::range<const G>;
  requires id<std::remove_cv_t<
      typename std::remove_cvref_t<std::ranges::range_reference_t<const G>>::first_type>>;
  requires id<std::remove_cv_t<
      typename std::remove_cvref_t<std::ranges::range_reference_t<const G>>::second_type>>;
};

template <class G>
concept offsets_and_targets = requires(const G& g) {
  requires std::tuple_size<G>::value == 2;
  requires std::ranges::contiguous_range<const std::remove_cvref_t<decltype(g.first)>>;
  requires std::ranges::contiguous_range<const std::remove_cvref_t<decltype(g.second)>>;
  requires id<std::remove_cvref_t<decltype(g.first[0])>>;
  requires id<std::remove_cvref_t<decltype(g.second[0])>>;
};

template <class G>
struct node_id_of {
  using type = std::uint64_t;
};
template <class G>
  requires requires { typename G::node_id; }
struct node_id_of<G> {
  using type = typename G::node_id;
};
template <adjacency_rows G>
  requires(!requires { typename G::node_id; })
struct node_id_of<G> {
  using type = row_target_t<G>;
};
template <offsets_and_targets G>
struct node_id_of<G> {
  using type = std::remove_cvref_t<decltype(std::declval<const G&>().second[0])>;
};

template <class G>
struct edge_id_of {
  using type = std::uint64_t;
};
template <class G>
  requires requires { typename G::edge_id; }
struct edge_id_of<G> {
  using type = typename G::edge_id;
};
template <offsets_and_targets G>
struct edge_id_of<G> {
  using type = std::remove_cvref_t<decltype(std::declval<const G&>().first[0])>;
};

}  // namespace detail

/// The types of a graph's node and edge IDs. Specialize for a type of yours that cannot name
/// `node_id` and `edge_id` as members; 64-bit by default.
template <class G>
struct graph_traits {
  /// An id; the graph's member `node_id`, if there is one.
  using node_id = typename detail::node_id_of<G>::type;
  /// An id; the graph's member `edge_id`, if there is one.
  using edge_id = typename detail::edge_id_of<G>::type;
};
/// What G's node IDs are.
template <class G>
using node_id_t = typename graph_traits<std::remove_cvref_t<G>>::node_id;
/// What G's edge IDs are.
template <class G>
using edge_id_t = typename graph_traits<std::remove_cvref_t<G>>::edge_id;

namespace detail {

namespace access {

void num_nodes() = delete;
void num_edges() = delete;
void for_each_edge() = delete;
void for_each_in_edge() = delete;
void for_each_out_edge() = delete;
void for_each_in_neighbor() = delete;
void for_each_out_neighbor() = delete;

template <class G>
concept member_num_nodes = requires(const G& g) {
  { g.num_nodes() } -> std::convertible_to<std::size_t>;
};
template <class G>
concept adl_num_nodes = requires(const G& g) {
  { num_nodes(g) } -> std::convertible_to<std::size_t>;
};

template <class G>
concept has_num_nodes = requires {
  requires member_num_nodes<G> || adl_num_nodes<G> || adjacency_rows<G> || offsets_and_targets<G>;
};

struct num_nodes_fn {
  template <has_num_nodes G>
  constexpr std::size_t operator()(const G& g) const {
    if constexpr (member_num_nodes<G>) {
      return static_cast<std::size_t>(g.num_nodes());
    } else if constexpr (adl_num_nodes<G>) {
      return static_cast<std::size_t>(num_nodes(g));
    } else if constexpr (adjacency_rows<G>) {
      return static_cast<std::size_t>(std::ranges::size(g));
    } else {
      return std::size(g.first) == 0 ? 0 : static_cast<std::size_t>(std::size(g.first) - 1);
    }
  }
};

template <class G>
concept member_in_edges = requires(const G& g) { g.for_each_in_edge(0u, any_visitor{}); };
template <class G>
concept adl_in_edges = requires(const G& g) { for_each_in_edge(g, 0u, any_visitor{}); };
template <class G>
concept has_in_edges = requires { requires member_in_edges<G> || adl_in_edges<G>; };

struct for_each_in_edge_fn {
  template <has_in_edges G, id Node, class F>
  constexpr void operator()(const G& g, Node v, F&& f) const {
    if constexpr (member_in_edges<G>) {
      g.for_each_in_edge(v, f);
    } else {
      for_each_in_edge(g, v, f);
    }
  }
  template <class G, class Node, class F>
    requires(!has_in_edges<G>)
  __attribute__((unavailable(
      "in_adjacency: needs for_each_in_edge(g, v, f), which rows of out-neighbors do not have; build_csc(g).view() has it"))) void
  operator()(const G&, Node, F&&) const;
};

template <class G>
concept member_out_edges = requires(const G& g) { g.for_each_out_edge(0u, any_visitor{}); };
template <class G>
concept adl_out_edges = requires(const G& g) { for_each_out_edge(g, 0u, any_visitor{}); };
template <class G>
concept has_out_edges = requires {
  requires member_out_edges<G> || adl_out_edges<G> || offsets_and_targets<G>;
};

struct for_each_out_edge_fn {
  template <has_out_edges G, id Node, class F>
  constexpr void operator()(const G& g, Node u, F&& f) const {
    if constexpr (member_out_edges<G>) {
      g.for_each_out_edge(u, f);
    } else if constexpr (adl_out_edges<G>) {
      for_each_out_edge(g, u, f);
    } else {
      const auto row = index(u);
      for (auto e = static_cast<std::uint64_t>(g.first[row]);
           e < static_cast<std::uint64_t>(g.first[row + 1]); ++e) {
        f(g.second[e], e);
      }
    }
  }
  template <class G, class Node, class F>
    requires(!has_out_edges<G>)
  __attribute__((unavailable(
      "out_adjacency: needs for_each_out_edge(g, u, f); rows of a container have it as indexed_rows(rows), any graph undirected as neighbors(g)"))) void
  operator()(const G&, Node, F&&) const;
};

template <class G>
concept member_edges = requires(const G& g) { g.for_each_edge(any_visitor{}); };
template <class G>
concept adl_edges = requires(const G& g) { for_each_edge(g, any_visitor{}); };
template <class G>
concept member_in_neighbors = requires(const G& g) {
  g.for_each_in_neighbor(node_id_t<G>{}, any_neighbor_visitor{});
};
template <class G>
concept adl_in_neighbors = requires(const G& g) {
  for_each_in_neighbor(g, node_id_t<G>{}, any_neighbor_visitor{});
};
template <class G>
concept member_out_neighbors = requires(const G& g) {
  g.for_each_out_neighbor(node_id_t<G>{}, any_neighbor_visitor{});
};
template <class G>
concept adl_out_neighbors = requires(const G& g) {
  for_each_out_neighbor(g, node_id_t<G>{}, any_neighbor_visitor{});
};

/// Rows of nodes without edge IDs: what numbers edges by position, unless the type numbers them
/// itself.
template <class G>
concept in_neighbor_rows = requires {
  requires has_num_nodes<G> && !has_in_edges<G> && !has_out_edges<G> &&
               (member_in_neighbors<G> || adl_in_neighbors<G>);
};
template <class G>
concept out_neighbor_rows = requires {
  requires has_num_nodes<G> && !has_in_edges<G> && !has_out_edges<G> &&
               (member_out_neighbors<G> || adl_out_neighbors<G>);
};
template <class G>
concept neighbor_rows = out_neighbor_rows<G> || in_neighbor_rows<G>;

template <class G>
concept has_edges = requires {
  requires member_edges<G> || adl_edges<G> || adjacency_rows<G> || offsets_and_targets<G> ||
               neighbor_rows<G>;
};

struct for_each_edge_fn {
  template <has_edges G, class F>
  constexpr void operator()(const G& g, F&& f) const {
    if constexpr (member_edges<G>) {
      g.for_each_edge(f);
    } else if constexpr (adl_edges<G>) {
      for_each_edge(g, f);
    } else if constexpr (adjacency_rows<G>) {
      std::uint64_t u = 0, e = 0;
      for (const auto& row : g) {
        for (const auto& entry : row) f(u, target_of(entry), e++);
        ++u;
      }
    } else if constexpr (neighbor_rows<G>) {
      edge_id_t<G> e = 0;
      for (std::size_t row = 0, n = num_nodes_fn{}(g); row < n; ++row) {
        const auto v = static_cast<node_id_t<G>>(row);
        const auto out = [&](auto target) { f(v, target, e++); };
        const auto in = [&](auto source) { f(source, v, e++); };
        if constexpr (member_out_neighbors<G>)
          g.for_each_out_neighbor(v, out);
        else if constexpr (adl_out_neighbors<G>)
          for_each_out_neighbor(g, v, out);
        else if constexpr (member_in_neighbors<G>)
          g.for_each_in_neighbor(v, in);
        else
          for_each_in_neighbor(g, v, in);
      }
    } else {
      std::uint64_t e = 0;
      for (std::size_t u = 0; u + 1 < std::size(g.first); ++u) {
        for (const auto end = index(g.first[u + 1]); e < end; ++e) f(u, g.second[e], e);
      }
    }
  }
};

template <class G>
concept member_num_edges = requires(const G& g) {
  { g.num_edges() } -> std::convertible_to<std::size_t>;
};
template <class G>
concept adl_num_edges = requires(const G& g) {
  { num_edges(g) } -> std::convertible_to<std::size_t>;
};

struct num_edges_fn {
  template <class G>
    requires(has_num_nodes<G> && (has_edges<G> || has_in_edges<G> || has_out_edges<G>))
  constexpr std::size_t operator()(const G& g) const {
    if constexpr (member_num_edges<G>) {
      return static_cast<std::size_t>(g.num_edges());
    } else if constexpr (adl_num_edges<G>) {
      return static_cast<std::size_t>(num_edges(g));
    } else if constexpr (offsets_and_targets<G>) {
      return static_cast<std::size_t>(std::size(g.second));
    } else {
      std::size_t count = 0;
      if constexpr (has_edges<G>) {
        for_each_edge_fn{}(g, [&](auto, auto, auto) { ++count; });
      } else {
        const std::size_t nodes = num_nodes_fn{}(g);
        for (std::size_t v = 0; v < nodes; ++v) {
          if constexpr (has_in_edges<G>) {
            for_each_in_edge_fn{}(g, static_cast<node_id_t<G>>(v), [&](auto, auto) { ++count; });
          } else {
            for_each_out_edge_fn{}(g, static_cast<node_id_t<G>>(v), [&](auto, auto) { ++count; });
          }
        }
      }
      return count;
    }
  }
};

}  // namespace access

}  // namespace detail

/// V. @complexity O(1) on our storages
inline constexpr detail::access::num_nodes_fn num_nodes{};
/// E. @complexity O(1) on our storages, O(V + E) on a type without num_edges
inline constexpr detail::access::num_edges_fn num_edges{};
/// f(u, v, e) for every edge, e ascending from 0. @complexity O(V + E)
inline constexpr detail::access::for_each_edge_fn for_each_edge{};
/// f(u, e) for every edge u -> v. @complexity O(in-degree)
inline constexpr detail::access::for_each_in_edge_fn for_each_in_edge{};
/// f(v, e) for every edge u -> v. @complexity O(out-degree)
inline constexpr detail::access::for_each_out_edge_fn for_each_out_edge{};

namespace detail {

/// Are edge IDs positions because the library numbers the edges, or a storage that says so? Then
/// they need no check.
template <class G>
constexpr bool edge_id_is_position(const G& g) {
  if constexpr (requires {
                  { g.edge_id_is_position() } -> std::convertible_to<bool>;
                }) {
    return g.edge_id_is_position();
  } else {
    return !access::member_edges<G> && !access::adl_edges<G> && access::has_edges<G>;
  }
}

template <class G>
concept counts_nodes = access::has_num_nodes<G> && id<node_id_t<G>> && id<edge_id_t<G>>;
}  // namespace detail

/// Visits all its edges in the order of their IDs.
template <class G>
concept edge_list =
    (detail::counts_nodes<G> ||
     unmet<"graph: needs num_nodes(g), as a member or beside the type">()) &&
    (detail::access::has_edges<G> ||
     unmet<
         "edge_list: needs for_each_edge(g, f), handing f(source, target, edge ID) each edge, or rows of neighbors">());

/// Visits the edges that end in a node.
template <class G>
concept in_adjacency =
    (detail::counts_nodes<G> ||
     unmet<"graph: needs num_nodes(g), as a member or beside the type">()) &&
    (detail::access::has_in_edges<G> ||
     unmet<
         "in_adjacency: needs for_each_in_edge(g, v, f), handing f(source, edge ID) each edge into v">());

/// Visits the edges that start at a node.
template <class G>
concept out_adjacency =
    (detail::counts_nodes<G> ||
     unmet<"graph: needs num_nodes(g), as a member or beside the type">()) &&
    (detail::access::has_out_edges<G> ||
     unmet<
         "out_adjacency: needs for_each_out_edge(g, u, f), handing f(target, edge ID) each edge out of u">());

/// Any of the three: enough to be assigned, relabeled, expanded and written.
template <class G>
concept graph =
    (!detail::list_of_pairs<G> ||
     unmet<
         "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)">()) &&
    (detail::counts_nodes<G> ||
     unmet<"graph: needs num_nodes(g), as a member or beside the type">()) &&
    ((detail::access::has_edges<G> || detail::access::has_in_edges<G> ||
      detail::access::has_out_edges<G>) ||
     unmet<
         "graph: needs one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge">());

/// Optional: checks itself by `status validate() const`, which is ok or says what is wrong and
/// where.
template <class G>
concept validates = requires(const G& g) {
  { g.validate() } -> std::same_as<status>;
};

/// f(u, v, e) for every edge of any graph, in the storage's own order (edge lists: e ascending).
/// @pre node_id_t<G> can name all nodes: num_nodes(g) <= id_capacity<node_id_t<G>>()
/// @complexity O(V + E)
template <graph G, class F>
constexpr void visit_edges(const G& g, F&& f) {
  if constexpr (edge_list<G>) {
    for_each_edge(g, f);
  } else if constexpr (in_adjacency<G>) {
    for (std::size_t v = 0, n = num_nodes(g); v < n; ++v) {
      for_each_in_edge(g, static_cast<node_id_t<G>>(v),
                       [&](auto u, auto e) { f(u, static_cast<node_id_t<G>>(v), e); });
    }
  } else {
    for (std::size_t u = 0, n = num_nodes(g); u < n; ++u) {
      for_each_out_edge(g, static_cast<node_id_t<G>>(u),
                        [&](auto v, auto e) { f(static_cast<node_id_t<G>>(u), v, e); });
    }
  }
}

}  // namespace halograph
