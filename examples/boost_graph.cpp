// SPDX-License-Identifier: BSL-1.0
// A Boost graph, partitioned without a copy; the owners are a property map for Boost's algorithms,
// and a part with its HALO is a Boost graph again.
// needs: component boost_graph
#include <halograph/adapters/boost_graph.hpp>
#include <halograph/halograph.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>

#include <cstddef>
#include <iostream>
#include <iterator>
#include <vector>

namespace hg = halograph;

int main() {
  // Streets between eight crossings, walked both ways.
  using streets = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  streets town(8);
  for (const auto& [a, b] :
       {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 4}}) {
    add_edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), town);
  }
  const hg::boost_graph_view view(town);  // nothing is copied
  const auto owner = hg::assign(view, hg::range_parts{.parts = 2});
  std::cout << num_edges(town) << " streets are " << hg::num_edges(view) << " edges\n";

  // Boost's filter on our owners: part 0 without its HALO, not copied.
  const boost::filtered_graph mine(town, boost::keep_all{}, hg::in_part(hg::owner_map(owner), 0));
  std::vector<int> component(num_vertices(town));
  std::cout << "connected components of part 0: "
            << boost::connected_components(mine, component.data()) << '\n';

  // Boost's algorithm on our part: a spanning tree of part 1 and its HALO, in local IDs.
  const auto part = hg::expand_halo(view, owner, 1);
  const auto local = hg::as_boost_graph(part);
  const std::vector<int> length(num_edges(local), 1);
  std::vector<decltype(local)::edge_descriptor> tree;
  boost::kruskal_minimum_spanning_tree(local, std::back_inserter(tree),
                                       boost::weight_map(boost::make_iterator_property_map(
                                           length.begin(), get(boost::edge_index, local))));
  std::cout << "part 1 and its HALO have " << num_vertices(local) << " crossings; " << tree.size()
            << " edges span them\n";
  const hg::local_id_map place(part);
  std::cout << "crossing 3 is local node " << get(place, std::size_t{3}) << " there, in its HALO\n";
  return tree.size() + 1 == num_vertices(local) ? 0 : 1;
}
