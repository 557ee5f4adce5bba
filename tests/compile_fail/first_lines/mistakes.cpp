// SPDX-License-Identifier: BSL-1.0
// The commonest mistakes, one for each value of MISTAKE, and the sentence that must be among the
// first five lines of the compiler. Without MISTAKE all that is right compiles. See check.cmake.
#include <halograph/folder/load.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/halograph.hpp>

#include <forward_list>
#include <list>
#include <utility>
#include <vector>

namespace hg = halograph;

const std::vector<std::vector<int>> rows{{1, 2}, {2}, {}};
const std::vector<std::pair<int, int>> links{{0, 1}, {0, 2}, {1, 2}};
const std::vector<int> owner{0, 0, 1};
const std::vector<double> halves{0, 0, .5};
const std::list<int> listed{0, 0, 1};
const hg::ldg policy{.parts = 2};

struct mesh {
  std::size_t size = 3;
};
struct not_const {
  using part = unsigned;
  unsigned parts = 2;
  hg::status assign(const auto&, std::span<part>) { return hg::status::ok; }
};
struct without_parts {
  using part = unsigned;
  hg::status assign(const auto&, std::span<part>) const { return hg::status::ok; }
};

int main() {
#if !defined(MISTAKE)
  hg::assign(rows, policy);
  hg::assign(hg::edge_pairs(3, links), policy);
  hg::assign(rows, without_parts{});
  hg::expand_halo(rows, owner, 1, {.hops = 2});
  hg::relabel(rows, owner);
  hg::measure_quality(rows, owner, 2);
  hg::partition_graph(rows, policy, hg::dgl_folder{"out"});
  hg::partition_graph(rows, hg::given{.parts = 2, .owners = owner}, hg::dgl_folder{"out"});
  hg::for_each_out_edge(hg::neighbors(rows), 0, [](auto, auto) {});
  // clang-format off: a sentence is a line
// 1: graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs\(nodes, pairs\)
#elif MISTAKE == 1
  hg::assign(links, policy);
// 2: graph: needs num_nodes\(g\), and one of for_each_in_neighbor
#elif MISTAKE == 2
  hg::assign(mesh{}, policy);
// 3: assign: takes the graph first, then the policy
#elif MISTAKE == 3
  hg::assign(policy, rows);
// 4: partitioner: needs a policy such as ldg{.parts = 8}, whose P::part must name an unsigned integer
#elif MISTAKE == 4
  hg::assign(rows, 8);
// 5: partitioner: needs status assign\(const G&, span<part>\) const, for a graph of this type
#elif MISTAKE == 5
  hg::assign(rows, not_const{});
// 6: id_row: owners need contiguous memory of integers, as a vector, array or span of them has
#elif MISTAKE == 6
  hg::expand_halo(rows, halves, 1, {.hops = 2});
// 7: id_row: owners need contiguous memory of integers, as a vector, array or span of them has
#elif MISTAKE == 7
  hg::relabel(rows, listed);
// 8: id_row: owners need contiguous memory of integers, as a vector, array or span of them has
#elif MISTAKE == 8
  hg::measure_quality(rows, listed, 2);
// 9: partition_target: needs a folder and its format, such as dgl_folder{path} or native_folder{path}
#elif MISTAKE == 9
  hg::partition_graph(rows, policy, "out", {.hops = 2});
// 10: partitioner: owners become a policy by given{.parts = 8, .owners = owners}
#elif MISTAKE == 10
  hg::partition_graph(rows, owner, hg::dgl_folder{"out"});
// 11: names_parts: needs a data member parts, the number of parts
#elif MISTAKE == 11
  hg::partition_graph(rows, without_parts{}, hg::dgl_folder{"out"});
// 12: graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs\(nodes, pairs\)
#elif MISTAKE == 12
  hg::partition_graph(links, policy, hg::dgl_folder{"out"}, {.hops = 2});
// 13: load_partition: needs a folder_access as third argument, or halograph/hosted.hpp
#elif MISTAKE == 13
  hg::load_partition("out/graph.json", 1);
// 14: out_adjacency: needs for_each_out_edge\(g, u, f\); rows of a container have it as indexed_rows
#elif MISTAKE == 14
  hg::for_each_out_edge(rows, 0, [](auto, auto) {});
// 15: in_adjacency: needs for_each_in_edge\(g, v, f\), which rows of out-neighbors do not have
#elif MISTAKE == 15
  hg::for_each_in_edge(rows, 0, [](auto, auto) {});
// 16: partitioner: needs status assign\(const G&, span<part>\) const, for a graph of this type
#elif MISTAKE == 16
  hg::partition_graph(rows, not_const{}, hg::dgl_folder{"out"});
// 17: load_partition_feats: needs a folder_access as third argument, or halograph/hosted.hpp
#elif MISTAKE == 17
  hg::load_partition_feats("out/graph.json", 1);
// 18: load_partition_book: needs a folder_access as third argument, or halograph/hosted.hpp
#elif MISTAKE == 18
  hg::load_partition_book("out/graph.json");
// 19: open_config: needs a folder_access as second argument, or halograph/hosted.hpp
#elif MISTAKE == 19
  hg::open_config("out/graph.json");
#endif
}
// clang-format on
