// SPDX-License-Identifier: BSL-1.0
// needs: boost_graph
// expect: boost_graph: needs Boost's num_vertices, num_edges, vertices, edges, source and target of a const G&
#include <halograph/adapters/boost_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <utility>
#include <vector>

#ifdef MUST_FAIL
using mesh =
    std::pair<std::vector<int>, std::vector<int>>;  // a graph for halograph, but not for Boost
#else
using mesh = boost::adjacency_list<>;
#endif
template <halograph::boost_graph Graph>
struct reader {};
reader<mesh> answer;
