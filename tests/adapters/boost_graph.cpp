// SPDX-License-Identifier: BSL-1.0
// Boost's graphs give what our own storages give, where they lie: every call of operator new is
// counted.
#include "support/count_allocations.hpp"
#include "support/plain_graph.hpp"

#include <halograph/adapters/boost_graph.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/testing/laws.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::allocated_bytes;
using hg::testing::allocations;

using indexed = boost::property<boost::edge_index_t, std::uint32_t>;
template <class Out, class Direction, class Edge = boost::no_property>
using list_graph = boost::adjacency_list<Out, boost::vecS, Direction, boost::no_property, Edge>;
using compressed =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using compressed_both =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property,
                                       boost::no_property, boost::no_property, std::uint32_t,
                                       std::int64_t>;

template <class Graph>
Graph boost_of(const plain::graph& from) {
  Graph g(from.nodes);
  std::uint32_t e = 0;
  for (const auto& [u, v] : from.edges) {
    if constexpr (hg::detail::boost_access::has_edge_index<Graph>)
      add_edge(u, v, indexed(e++), g);
    else
      add_edge(u, v, g);
  }
  return g;
}
/// The edges in the order in which rows list them: what a graph without in-edges numbers.
plain::graph by_rows(plain::graph g) {
  std::stable_sort(g.edges.begin(), g.edges.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return g;
}
/// Each edge there and back.
plain::graph both_ways(plain::graph g) {
  plain::graph out{g.nodes, {}};
  for (const auto& [u, v] : g.edges) {
    out.edges.emplace_back(std::min(u, v), std::max(u, v));
    out.edges.emplace_back(std::max(u, v), std::min(u, v));
  }
  return out;
}
/// Each pair once, in either direction: what a container that is a set can hold.
plain::graph without_repetition(const plain::graph& g) {
  plain::graph out{g.nodes, {}};
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const auto& [u, v] : g.edges) {
    if (seen.insert(std::minmax(u, v)).second) out.edges.emplace_back(u, v);
  }
  return out;
}

/// What a part is, whatever the order in which it was found.
template <class Halo>
auto as_sets(const Halo& found) {
  std::set<std::uint64_t> nodes(found.nodes.begin(), found.nodes.end());
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> edges;
  for (std::size_t i = 0; i < found.edges.size(); ++i) {
    edges.emplace(found.edges[i], found.nodes[static_cast<std::size_t>(found.sources[i])],
                  found.nodes[static_cast<std::size_t>(found.targets[i])]);
  }
  return std::tuple(nodes, edges, found.inner_nodes, found.inner_edges, found.nodes_per_hop);
}
template <class Halo>
std::vector<std::uint64_t> in_order(const Halo& found) {
  std::vector<std::uint64_t> all(found.nodes.begin(), found.nodes.end());
  for (std::size_t i = 0; i < found.edges.size(); ++i)
    all.insert(all.end(),
               {found.sources[i], found.targets[i], static_cast<std::uint64_t>(found.edges[i])});
  return all;
}

/// The view is the graph `same`, edge by edge.
template <class View>
void expect_same_graph(const View& view, const plain::graph& same) {
  SCOPED_TRACE(testing::Message() << same);
  const auto law = hg::laws::graph(view);
  ASSERT_TRUE(law.holds) << law.why;
  ASSERT_EQ(view.validate(), hg::status::ok);
  ASSERT_EQ(hg::num_nodes(view), same.nodes);
  ASSERT_EQ(hg::num_edges(view), same.edges.size());
  hg::visit_edges(view, [&](auto u, auto v, auto e) {
    EXPECT_EQ(std::pair(hg::index(u), hg::index(v)), same.edges[hg::index(e)]) << "edge " << e;
  });
}

/// And every step gives what it gives for our columns of `same`.
/// @param ordered  in-edges are visited in ascending edge ID: HALO nodes come in the same order,
///     too
template <class View>
void expect_same_steps(const View& view, const plain::graph& same, const plain::owners& owner,
                       bool ordered) {
  expect_same_graph(view, same);
  SCOPED_TRACE(testing::Message() << same);
  const plain::columns<std::uint32_t> columns(same);
  const auto ours = columns.view();
  const auto plan = hg::relabel(view, owner, 3);
  const auto our_plan = hg::relabel(ours, owner, 3);
  EXPECT_TRUE(std::ranges::equal(plan.new_node, our_plan.new_node));
  EXPECT_TRUE(std::ranges::equal(plan.new_edge, our_plan.new_edge));
  EXPECT_EQ(plan.node_bounds, our_plan.node_bounds);
  EXPECT_EQ(plan.edge_bounds, our_plan.edge_bounds);
  const std::size_t parts = owner.empty()
                                ? 0
                                : *std::max_element(owner.begin(), owner.end()) + std::size_t{1};
  for (std::size_t part = 0; part < parts; ++part) {
    const auto theirs = hg::expand_halo(view, owner, part, {.hops = 2});
    const auto wanted = hg::expand_halo(ours, owner, part, {.hops = 2});
    EXPECT_EQ(as_sets(theirs), as_sets(wanted));
    if (ordered) {
      EXPECT_EQ(in_order(theirs), in_order(wanted));
    }
  }
}

/// f(graph, owner) on random graphs.
template <class F>
void for_random_graphs(F&& f) {
  hg::random_stream draw(7);
  for (int round = 0; round < 25; ++round) {
    const auto g = plain::random_graph(draw);
    f(g, plain::random_owners(draw, g.nodes, 3));
  }
}

template <class Graph>
void expect_same_on_random_graphs(plain::graph (*same)(plain::graph)) {
  for_random_graphs([&](const plain::graph& g, const plain::owners&) {
    const auto boosts = boost_of<Graph>(g);
    expect_same_graph(hg::boost_graph_view(boosts), same(g));
  });
}
plain::graph as_drawn(plain::graph g) { return g; }

// --- which abilities a view has

template <class Graph>
using view_of = decltype(hg::boost_graph_view(std::declval<const Graph&>()));
template <class V>
constexpr int abilities = (hg::edge_list<V> ? 1 : 0) + (hg::out_adjacency<V> ? 2 : 0) +
                          (hg::in_adjacency<V> ? 4 : 0);

static_assert(abilities<view_of<list_graph<boost::vecS, boost::directedS>>> == 1);
static_assert(abilities<view_of<list_graph<boost::vecS, boost::bidirectionalS>>> == 1);
static_assert(abilities<view_of<list_graph<boost::vecS, boost::undirectedS>>> == 1);
static_assert(abilities<view_of<list_graph<boost::vecS, boost::directedS, indexed>>> == 2);
static_assert(abilities<view_of<list_graph<boost::listS, boost::bidirectionalS, indexed>>> == 6);
static_assert(abilities<view_of<list_graph<boost::setS, boost::undirectedS, indexed>>> == 6);
static_assert(abilities<view_of<compressed>> == 3);
static_assert(abilities<view_of<compressed_both>> == 7);
static_assert(std::is_same_v<hg::node_id_t<view_of<compressed>>, std::uint32_t> &&
              std::is_same_v<hg::edge_id_t<view_of<compressed_both>>, std::int64_t>);
static_assert(
    std::is_same_v<hg::edge_id_t<view_of<list_graph<boost::vecS, boost::directedS, indexed>>>,
                   std::uint32_t>);
static_assert(!std::is_constructible_v<view_of<compressed>, compressed&&>,
              "a temporary would be gone");
static_assert(!hg::boost_graph<std::vector<int>> && hg::boost_graph<compressed>);

// --- adjacency_list

TEST(adjacency_list, without_an_index_numbers_its_edges_row_by_row) {
  expect_same_on_random_graphs<list_graph<boost::vecS, boost::directedS>>(by_rows);
}
TEST(adjacency_list, with_in_edges_numbers_its_edges_as_they_were_added) {
  expect_same_on_random_graphs<list_graph<boost::listS, boost::bidirectionalS>>(as_drawn);
}
TEST(adjacency_list, that_is_directed_takes_its_edge_index) {
  expect_same_on_random_graphs<list_graph<boost::multisetS, boost::directedS, indexed>>(as_drawn);
}
TEST(adjacency_list, that_is_bidirectional_takes_its_edge_index) {
  expect_same_on_random_graphs<list_graph<boost::hash_multisetS, boost::bidirectionalS, indexed>>(
      as_drawn);
}
TEST(adjacency_list, that_is_undirected_has_each_edge_there_and_back) {
  expect_same_on_random_graphs<list_graph<boost::vecS, boost::undirectedS>>(both_ways);
  expect_same_on_random_graphs<list_graph<boost::hash_multisetS, boost::undirectedS, indexed>>(
      both_ways);
}
TEST(every_step, gives_for_boosts_graph_what_it_gives_for_ours) {
  for_random_graphs([](const plain::graph& g, const plain::owners& owner) {
    const auto both = boost_of<list_graph<boost::vecS, boost::bidirectionalS, indexed>>(g);
    expect_same_steps(hg::boost_graph_view(both), g, owner, true);
    const auto undirected = boost_of<list_graph<boost::vecS, boost::undirectedS, indexed>>(g);
    expect_same_steps(hg::boost_graph_view(undirected), both_ways(g), owner, false);
    const compressed rows(boost::edges_are_unsorted_multi_pass, g.edges.begin(), g.edges.end(),
                          static_cast<std::uint32_t>(g.nodes));
    expect_same_steps(hg::boost_graph_view(rows), by_rows(g), owner, true);
  });
}

TEST(adjacency_list, of_sets_shows_a_loop_both_ways_too) {
  for_random_graphs([](const plain::graph& drawn, const plain::owners&) {
    const auto g = without_repetition(drawn);
    const auto boosts = boost_of<list_graph<boost::setS, boost::undirectedS, indexed>>(g);
    expect_same_graph(hg::boost_graph_view(boosts), both_ways(g));
  });
}

struct road {
  std::int16_t number = 0;
};

TEST(adjacency_list, takes_an_edge_index_from_outside) {
  for_random_graphs([](const plain::graph& g, const plain::owners&) {
    using graph = list_graph<boost::vecS, boost::bidirectionalS, road>;
    graph boosts(g.nodes);
    auto left = static_cast<std::int16_t>(g.edges.size());
    for (const auto& [u, v] : g.edges) add_edge(u, v, road{--left}, boosts);
    const plain::graph backwards{g.nodes, {g.edges.rbegin(), g.edges.rend()}};
    const hg::boost_graph_view view(boosts, get(boost::vertex_index, boosts),
                                    get(&road::number, boosts));
    static_assert(abilities<decltype(view)> == 6);
    static_assert(std::is_same_v<hg::edge_id_t<decltype(view)>, std::int16_t>);
    expect_same_graph(view, backwards);
  });
}

TEST(adjacency_list, whose_edge_index_is_ignored_numbers_its_edges) {
  for_random_graphs([](const plain::graph& g, const plain::owners&) {
    const auto boosts = boost_of<list_graph<boost::vecS, boost::directedS, indexed>>(g);
    const hg::boost_graph_view view(boosts, get(boost::vertex_index, boosts), hg::by_position{});
    static_assert(abilities<decltype(view)> == 1);
    expect_same_graph(view, by_rows(g));
  });
}

// Vertices that are no numbers, numbered from the last to the first.
template <class Edge>
struct listed {
  using graph = boost::adjacency_list<boost::vecS, boost::listS, boost::bidirectionalS,
                                      boost::property<boost::vertex_index_t, std::size_t>, Edge>;
  graph boosts;
  std::vector<typename graph::vertex_descriptor> by_index;

  explicit listed(const plain::graph& from) : by_index(from.nodes) {
    for (std::size_t v = from.nodes; v-- > 0;)
      by_index[v] = add_vertex(boost::property<boost::vertex_index_t, std::size_t>(v), boosts);
    std::uint32_t e = 0;
    for (const auto& [u, v] : from.edges) {
      if constexpr (std::is_same_v<Edge, indexed>)
        add_edge(by_index[u], by_index[v], indexed(e++), boosts);
      else
        add_edge(by_index[u], by_index[v], boosts);
    }
  }
};

TEST(adjacency_list, of_listed_vertices_takes_a_vertex_index) {
  for_random_graphs([](const plain::graph& g, const plain::owners&) {
    const listed<boost::no_property> plainly(g);
    expect_same_graph(hg::boost_graph_view(plainly.boosts), g);  // its own index
    std::map<decltype(plainly.boosts)::vertex_descriptor, std::uint8_t> index;
    for (std::size_t v = 0; v < g.nodes; ++v)
      index[plainly.by_index[v]] = static_cast<std::uint8_t>(v);
    const hg::boost_graph_view given(plainly.boosts, boost::make_assoc_property_map(index));
    static_assert(abilities<decltype(given)> == 1 &&
                  std::is_same_v<hg::node_id_t<decltype(given)>, std::uint8_t>);
    expect_same_graph(given, g);
    const listed<indexed> numbered(g);
    const hg::boost_graph_view both(numbered.boosts, get(boost::vertex_index, numbered.boosts),
                                    get(boost::edge_index, numbered.boosts), numbered.by_index);
    static_assert(abilities<decltype(both)> == 6);
    expect_same_graph(both, g);
  });
}

// --- other graphs of Boost's

TEST(compressed_sparse_row_graph, with_in_edges_is_a_graph_without_a_copy) {
  for_random_graphs([](const plain::graph& g, const plain::owners&) {
    const compressed_both and_back(boost::edges_are_unsorted_multi_pass, g.edges.begin(),
                                   g.edges.end(), static_cast<std::uint32_t>(g.nodes));
    expect_same_graph(hg::boost_graph_view(and_back), by_rows(g));
  });
}

struct not_a_loop {
  const list_graph<boost::vecS, boost::bidirectionalS>* g = nullptr;
  bool operator()(const list_graph<boost::vecS, boost::bidirectionalS>::edge_descriptor& e) const {
    return source(e, *g) != target(e, *g);
  }
};

TEST(other_graphs, of_boost_are_graphs_too) {
  const plain::graph g{4, {{0, 1}, {2, 2}, {1, 3}, {0, 3}}};
  boost::adjacency_matrix<boost::directedS> matrix(4);
  for (const auto& [u, v] : g.edges) add_edge(u, v, matrix);
  expect_same_graph(hg::boost_graph_view(matrix), {4, {{0, 1}, {0, 3}, {1, 3}, {2, 2}}});
  const auto list = boost_of<list_graph<boost::vecS, boost::bidirectionalS>>(g);
  const boost::filtered_graph filtered(list, not_a_loop{&list});
  expect_same_graph(hg::boost_graph_view(filtered, get(boost::vertex_index, list)),
                    {4, {{0, 1}, {1, 3}, {0, 3}}});
}

// --- the same answers from partitioners

TEST(metis, cuts_boosts_graph_as_it_cuts_ours) {
  hg::random_stream draw(3);
  plain::graph g{60, {}};
  for (int i = 0; i < 200; ++i) g.edges.emplace_back(draw.below(60), draw.below(60));
  const auto boosts = boost_of<list_graph<boost::vecS, boost::bidirectionalS, indexed>>(g);
  const plain::columns<std::uint32_t> ours(g);
  const hg::metis policy{.parts = 4, .seed = 1};
  EXPECT_EQ(hg::assign(hg::boost_graph_view(boosts), policy), hg::assign(ours.view(), policy));
}

// --- what is wrong

TEST(boost_graph_view, says_which_index_is_wrong) {
  list_graph<boost::vecS, boost::directedS, indexed> g(3);
  add_edge(0, 1, indexed(1), g);
  add_edge(1, 2, indexed(1), g);
  const auto twice = hg::boost_graph_view(g).validate();
  EXPECT_EQ(twice, hg::status::malformed);
  EXPECT_EQ(twice.position, 1u);
  put(boost::edge_index, g, edge(0, 1, g).first, 0u);
  EXPECT_EQ(hg::boost_graph_view(g).validate(), hg::status::ok);
  put(boost::edge_index, g, edge(0, 1, g).first, 2u);
  EXPECT_EQ(hg::boost_graph_view(g).validate().position, 0u);
  EXPECT_THROW(
      static_cast<void>(hg::relabel(hg::boost_graph_view(g), std::vector<std::uint8_t>{0, 1, 0})),
      hg::error);

  listed<indexed> list(plain::graph{3, {{0, 1}}});
  const auto check = [&] {
    return hg::boost_graph_view(list.boosts, get(boost::vertex_index, list.boosts),
                                get(boost::edge_index, list.boosts), list.by_index)
        .validate();
  };
  EXPECT_EQ(check(), hg::status::ok);
  std::swap(list.by_index[0], list.by_index[1]);
  EXPECT_EQ(check(), hg::status::malformed);
  list.by_index.pop_back();
  EXPECT_EQ(check(), hg::status::mismatch);
  put(boost::vertex_index, list.boosts, list.by_index[0], 7u);
  EXPECT_EQ(
      hg::boost_graph_view(list.boosts, get(boost::vertex_index, list.boosts), hg::by_position{})
          .validate(),
      hg::status::malformed);
}

TEST(boost_graph_view, refuses_more_nodes_than_its_index_can_number) {
  const list_graph<boost::vecS, boost::directedS> g(200);
  const hg::boost_graph_view narrow(g,
                                    boost::make_function_property_map<std::size_t>(
                                        [](std::size_t v) { return static_cast<std::int8_t>(v); }));
  EXPECT_EQ(narrow.validate(), hg::status::overflow);
}

// --- nothing is copied

template <class F>
std::pair<std::size_t, std::size_t> memory_of(F&& f) {
  const std::size_t count = allocations, bytes = allocated_bytes;
  f();
  return {allocations - count, allocated_bytes - bytes};
}

TEST(boost_graph_view, copies_nothing) {
  hg::random_stream draw(5);
  plain::graph g{300, {}};
  for (int i = 0; i < 2000; ++i) g.edges.emplace_back(draw.below(300), draw.below(300));
  const auto owner = plain::random_owners(draw, 300, 3);
  const auto boosts = boost_of<list_graph<boost::vecS, boost::bidirectionalS, indexed>>(g);
  const auto undirected = boost_of<list_graph<boost::vecS, boost::undirectedS>>(g);
  const compressed rows(boost::edges_are_unsorted_multi_pass, g.edges.begin(), g.edges.end(), 300);
  const listed<boost::no_property> list(g);
  EXPECT_GT(memory_of([] {
              std::vector<int> one(3);
              static_cast<void>(one.data());
            }).first,
            0u)
      << "the counter counts";
  std::size_t seen = 0;
  const auto count = [&](auto...) { ++seen; };
  EXPECT_EQ(memory_of([&] {
              for (std::size_t v = 0; v < 300; ++v) {
                hg::for_each_in_edge(hg::boost_graph_view(boosts), v, count);
                hg::for_each_out_edge(hg::boost_graph_view(rows), v, count);
              }
              hg::for_each_edge(hg::boost_graph_view(undirected), count);
              hg::for_each_edge(hg::boost_graph_view(list.boosts), count);
              const auto owners = hg::owner_map(owner);
              seen += get(owners, 0u) < 3 ? 0u : 1u;
            }).first,
            0u);
  EXPECT_EQ(seen, 2000u * 5);

  // Expanding Boost's graph takes what expanding our rows of the same graph takes: results, to the
  // byte.
  const plain::columns<std::uint64_t, std::uint32_t> columns(g);
  const auto compressed_rows = hg::build_csc<std::uint64_t, std::uint32_t>(columns.view());
  const auto ours = compressed_rows.view();
  const hg::boost_graph_view theirs(boosts);
  static_assert(std::is_same_v<hg::node_id_t<decltype(theirs)>, std::size_t>);
  const auto memory = [&](const auto& graph) {
    return memory_of([&] { seen += hg::expand_halo(graph, owner, 1, {.hops = 2}).nodes.size(); });
  };
  EXPECT_EQ(memory(theirs), memory(ours));
}

// --- results as property maps

TEST(owner_map, gives_the_part_of_vertices_and_edges) {
  BOOST_CONCEPT_ASSERT(
      (boost::ReadablePropertyMapConcept<
          decltype(hg::owner_map(std::declval<const std::vector<std::uint8_t>&>())), std::size_t>));
  const auto g = boost_of<list_graph<boost::vecS, boost::directedS>>(
      plain::graph{3, {{0, 1}, {1, 2}, {2, 2}}});
  const std::vector<std::uint8_t> owner{0, 1, 1};
  const auto owners = hg::owner_map(owner);
  EXPECT_EQ(get(owners, vertex(0, g)), 0);
  EXPECT_EQ(get(owners, vertex(2, g)), 1);
  EXPECT_EQ(&owners[1], &owner[1]) << "the caller's memory";
  const hg::edge_owner_map edge_owners(g, owners);
  BOOST_CONCEPT_ASSERT(
      (boost::ReadablePropertyMapConcept<std::remove_const_t<decltype(edge_owners)>,
                                         decltype(g)::edge_descriptor>));
  EXPECT_EQ(get(edge_owners, edge(0, 1, g).first), 1);

  // A part in place: Boost's own filter on our map.
  const boost::filtered_graph part(g, boost::keep_all{}, hg::in_part(owners, 1));
  EXPECT_EQ(std::distance(vertices(part).first, vertices(part).second), 2);
  EXPECT_EQ(std::distance(edges(part).first, edges(part).second), 2);

  const listed<boost::no_property> list(plain::graph{3, {}});
  EXPECT_EQ(get(hg::owner_map(owner, get(boost::vertex_index, list.boosts)), list.by_index[1]), 1);
}

TEST(new_ids, are_property_maps) {
  const auto g = boost_of<list_graph<boost::vecS, boost::directedS, indexed>>(
      plain::graph{3, {{0, 1}, {1, 0}, {2, 1}}});
  const auto plan = hg::relabel(hg::boost_graph_view(g), std::vector<std::uint8_t>{1, 0, 1});
  const auto nodes = hg::new_node_map(plan);
  const auto edges = hg::new_edge_map(plan, get(boost::edge_index, g));
  EXPECT_EQ(get(nodes, vertex(1, g)), 0u);
  EXPECT_EQ(get(nodes, vertex(0, g)), 1u);
  EXPECT_EQ(get(edges, edge(0, 1, g).first), 0u);
  EXPECT_EQ(get(edges, edge(1, 0, g).first), 2u);
}

TEST(local_id_map, inverts_the_nodes_of_a_part) {
  for_random_graphs([](const plain::graph& g, const plain::owners& owner) {
    if (owner.empty()) return;
    const auto boosts = boost_of<list_graph<boost::vecS, boost::directedS>>(g);
    const auto part = hg::expand_halo(hg::boost_graph_view(boosts), owner, 0, {.hops = 2});
    const hg::local_id_map local(part);
    const auto node = hg::node_map(part);
    BOOST_CONCEPT_ASSERT(
        (boost::ReadablePropertyMapConcept<std::remove_const_t<decltype(local)>, std::size_t>));
    std::size_t held = 0;
    for (std::size_t v = 0; v < g.nodes; ++v) {
      const auto at = get(local, v);
      EXPECT_EQ(local.is_inner(v), owner[v] == 0);
      if (at == hg::absent<std::uint64_t>) continue;
      ++held;
      EXPECT_EQ(get(node, at), v);
      EXPECT_EQ(at < part.inner_nodes, owner[v] == 0);
    }
    EXPECT_EQ(held, part.nodes.size());
  });
}

// --- our graphs as Boost's

TEST(row_graph, is_boosts) {
  const std::vector<std::int32_t> offsets{0, 2, 3, 4, 4};
  const std::vector<std::uint16_t> targets{1, 2, 3, 3};
  const std::vector<std::int64_t> names{3, 0, 1, 2};
  const auto g = hg::as_boost_graph(hg::csr_view(offsets, targets, names));
  using graph = std::remove_const_t<decltype(g)>;
  BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<graph>));
  BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<graph>));
  BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<graph>));
  BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<graph>));
  const std::vector<int> weight{1, 1, 1, 10};  // by edge ID: 0 -> 1 is edge 3
  std::vector<int> distance(4);
  boost::dijkstra_shortest_paths(g, std::uint16_t{0},
                                 boost::weight_map(boost::make_iterator_property_map(
                                                       weight.begin(), get(boost::edge_index, g)))
                                     .distance_map(boost::make_iterator_property_map(
                                         distance.begin(), get(boost::vertex_index, g))));
  EXPECT_EQ(distance, (std::vector<int>{0, 10, 1, 2}));
  std::vector<std::size_t> ends;
  for (auto [e, last] = edges(g); e != last; ++e)
    ends.insert(ends.end(), {source(*e, g), target(*e, g)});
  EXPECT_EQ(ends, (std::vector<std::size_t>{0, 1, 0, 2, 1, 3, 2, 3}));
  EXPECT_EQ(out_degree(0, g), 2u);
  EXPECT_EQ(std::distance(adjacent_vertices(0, g).first, adjacent_vertices(0, g).second), 2);

  // And back again: ours, as Boost's, as ours.
  expect_same_graph(hg::boost_graph_view(g, get(boost::vertex_index, g), hg::by_position{}),
                    {4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}});
  const hg::boost_graph_view again(g, get(boost::vertex_index, g), get(boost::edge_index, g));
  static_assert(abilities<decltype(again)> == 2);
  EXPECT_TRUE(hg::laws::graph(again).holds);
}

TEST(edge_list_graph, of_a_part_is_boosts) {
  const auto g = boost_of<list_graph<boost::vecS, boost::directedS>>(
      plain::graph{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}});
  const std::vector<std::uint8_t> owner{0, 0, 0, 1, 1};
  const auto part = hg::expand_halo(hg::boost_graph_view(g), owner, 0);
  const auto as_boosts = hg::as_boost_graph(part);
  using graph = std::remove_const_t<decltype(as_boosts)>;
  BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<graph>));
  BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<graph>));
  EXPECT_EQ(num_vertices(as_boosts), part.nodes.size());
  EXPECT_EQ(num_edges(as_boosts), part.edges.size());
  // A spanning tree of the part, in local IDs.
  const std::vector<int> weight(part.edges.size(), 1);
  std::vector<graph::edge_descriptor> tree;
  boost::kruskal_minimum_spanning_tree(
      as_boosts, std::back_inserter(tree),
      boost::weight_map(
          boost::make_iterator_property_map(weight.begin(), get(boost::edge_index, as_boosts)))
          .vertex_index_map(get(boost::vertex_index, as_boosts)));
  EXPECT_EQ(tree.size(), part.nodes.size() - 1);
}

}  // namespace
