// SPDX-License-Identifier: BSL-1.0
// The engine's own graph type, partitioned without a copy: two functions make it a graph.
#include <halograph/halograph.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

namespace hg = halograph;

namespace my_engine {

struct link {
  std::uint32_t from, number;
};
struct graph {
  using node_id = std::uint32_t;  // optional: without them IDs have 64 bits
  using edge_id = std::uint32_t;
  std::vector<std::vector<link>> incoming;  // by node
};

// halograph requires these two functions and nothing else.
std::size_t num_nodes(const graph& g) { return g.incoming.size(); }
void for_each_in_edge(const graph& g, std::uint32_t v, auto f) {
  for (const link& in : g.incoming[v]) f(in.from, in.number);
}

}  // namespace my_engine

static_assert(hg::in_adjacency<my_engine::graph>);

int main() {
  // A ring of six: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 0.
  my_engine::graph ring;
  for (std::uint32_t v = 0; v < 6; ++v) ring.incoming.push_back({{(v + 5) % 6, (v + 5) % 6}});

  const auto owner = hg::assign(ring, hg::range_parts{.parts = 2});
  const auto halo = hg::expand_halo(ring, owner, /*part=*/1, {.hops = 2});
  const auto plan = hg::relabel(ring, owner);

  std::cout << "part 1 owns " << halo.inner_nodes << " nodes and holds " << halo.nodes.size()
            << ":";
  for (const auto v : halo.nodes) std::cout << ' ' << v;
  std::cout << "\nits new node IDs are " << plan.nodes(1).begin << " to " << plan.nodes(1).end - 1
            << '\n';
  return halo.nodes.size() == 6 && plan.nodes(1).begin == 3 ? 0 : 1;
}
