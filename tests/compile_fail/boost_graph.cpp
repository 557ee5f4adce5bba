// SPDX-License-Identifier: BSL-1.0
// expect: boost_graph: needs Boost's num_vertices, num_edges, vertices, edges, source and target of a const G&
// expect: boost_graph_view: with an edge index, vertices that are no numbers must be given by index
// expect: boost_graph_view: the edge index must give integers
#include <halograph/adapters/boost_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <vector>

namespace hg = halograph;

using indexed = boost::property<boost::edge_index_t, unsigned, boost::property<boost::edge_weight_t, double>>;
using listed = boost::adjacency_list<boost::vecS, boost::listS, boost::directedS, boost::property<boost::vertex_index_t, unsigned>, indexed>;
using numbered = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, indexed>;

template <hg::boost_graph G> struct reader {};
auto by_index(const listed& g, [[maybe_unused]] const std::vector<listed::vertex_descriptor>& vertices) {
#ifdef MUST_FAIL
  return hg::boost_graph_view(g);  // in-edges and out-edges of which vertex?
#else
  return hg::boost_graph_view(g, get(boost::vertex_index, g), get(boost::edge_index, g), vertices);
#endif
}
#ifdef MUST_FAIL
reader<std::vector<int>> a;
auto by_weight(const numbered& g) { return hg::boost_graph_view(g, get(boost::vertex_index, g), get(boost::edge_weight, g)); }
#else
reader<numbered> a;
auto by_weight(const numbered& g) { return hg::boost_graph_view(g, get(boost::vertex_index, g), get(boost::edge_index, g)); }
#endif
