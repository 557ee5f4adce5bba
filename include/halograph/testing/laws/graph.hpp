// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// The laws of graphs, typed graphs and generators.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::laws {

/// Edge IDs are 0..E-1, each once; endpoints are nodes; num_edges is the number of edges; if the
/// type gives several ways to visit edges, they agree. @complexity O(V + E)
template <halograph::graph Graph>
verdict graph(const Graph& g) {
  const std::size_t nodes = num_nodes(g), edges = num_edges(g);
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> ends(edges, {none, none});
  verdict answer;
  std::size_t previous = none;
  const auto see = [&](std::size_t u, std::size_t v, std::size_t e, bool first_way,
                       const char* way) {
    const std::string edge = std::string(way) + " visits edge " + std::to_string(e);
    if (!answer.holds) return;
    if (e >= edges)
      answer = detail::broken(edge + ", but num_edges is " + std::to_string(edges));
    else if (u >= nodes || v >= nodes)
      answer = detail::broken(edge + ", whose endpoint is out of range");
    else if (first_way && ends[e].first != none)
      answer = detail::broken(edge + " twice");
    else if (!first_way && ends[e] != std::pair{u, v})
      answer = detail::broken(edge + ", but another way of visiting does not");
    if (!answer.holds) return;
    ends[e] = {u, v};
  };
  bool first_way = true;
  std::size_t seen = 0;
  const auto finish = [&](const char* way) {
    if (answer.holds && seen != edges) {
      answer = detail::broken(std::string(way) + " visits " + std::to_string(seen) +
                              " edges, num_edges is " + std::to_string(edges));
    }
    first_way = false;
    seen = 0;
  };
  if constexpr (halograph::edge_list<Graph>) {
    for_each_edge(g, [&](auto u, auto v, auto e) {
      if (answer.holds && index(e) != previous + 1)
        answer = detail::broken("for_each_edge visits edge " + std::to_string(index(e)) +
                                " out of order");
      previous = index(e);
      see(index(u), index(v), index(e), first_way, "for_each_edge");
      ++seen;
    });
    finish("for_each_edge");
  }
  if constexpr (halograph::in_adjacency<Graph>) {
    for (std::size_t v = 0; v < nodes; ++v) {
      for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto e) {
        see(index(u), v, index(e), first_way, "for_each_in_edge");
        ++seen;
      });
    }
    finish("for_each_in_edge");
  }
  if constexpr (halograph::out_adjacency<Graph>) {
    for (std::size_t u = 0; u < nodes; ++u) {
      for_each_out_edge(g, static_cast<node_id_t<Graph>>(u), [&](auto v, auto e) {
        see(u, index(v), index(e), first_way, "for_each_out_edge");
        ++seen;
      });
    }
    finish("for_each_out_edge");
  }
  return answer;
}

/// Node offsets ascend from 0 to V and edge offsets from 0 to E; all edges of a type have sources
/// of one node type and targets of one node type; and the law of graphs. @complexity O(V + E log
/// types)
template <halograph::typed_graph Graph>
verdict typed_graph(const Graph& g) {
  if (verdict plain = graph(g); !plain) return plain;
  const std::span<const std::uint64_t> nodes = g.node_type_offsets(), edges = g.edge_type_offsets();
  const auto rises = [](std::span<const std::uint64_t> offsets, std::size_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == last &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  if (!rises(nodes, num_nodes(g)))
    return detail::broken("node_type_offsets must ascend from 0 to " +
                          std::to_string(num_nodes(g)));
  if (!rises(edges, num_edges(g)))
    return detail::broken("edge_type_offsets must ascend from 0 to " +
                          std::to_string(num_edges(g)));
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> joins(edges.size() - 1, {none, none});
  verdict answer;
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::pair ends{range_of(nodes, index(u)), range_of(nodes, index(v))};
    auto& join = joins[range_of(edges, index(e))];
    if (join.first == none) join = ends;
    if (answer.holds && join != ends) {
      answer = detail::broken("edge " + std::to_string(index(e)) +
                              " connects other node types than earlier edges of its type");
    }
  });
  return answer;
}

/// validate() returns ok; edge i is the same whenever it is requested; both endpoints are nodes.
/// @complexity O(E)
template <generators::generator Generator>
verdict generator(const Generator& g) {
  if (const status valid = g.validate(); !valid)
    return detail::broken("validate() returns " + std::string(name(valid.code)));
  const std::uint64_t nodes = g.num_nodes(), edges = g.num_edges();
  std::vector<generators::ends> once;
  for (std::uint64_t i = 0; i < edges; ++i) {
    once.push_back(g.edge(i));
    if (once.back().source >= nodes || once.back().target >= nodes) {
      return detail::broken("an endpoint of edge " + std::to_string(i) +
                            " is out of range; nodes: " + std::to_string(nodes));
    }
  }
  for (std::uint64_t i = edges; i-- > 0;) {
    if (g.edge(i) != once[static_cast<std::size_t>(i)])
      return detail::broken("edge " + std::to_string(i) + " differs when it is requested again");
  }
  return {};
}

}  // namespace halograph::laws
