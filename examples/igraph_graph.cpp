// SPDX-License-Identifier: BSL-1.0
// An igraph graph, partitioned without a copy: the lines between the rules are the whole
// integration. igraph finds communities, and halograph makes parts of them, with their HALO, in
// igraph's own IDs.
// needs: igraph
#include <halograph/halograph.hpp>

#include <igraph.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>

namespace hg = halograph;

// ------------------------------------------------------------------------------------------------
std::size_t num_nodes(const igraph_t& g) { return static_cast<std::size_t>(igraph_vcount(&g)); }

void for_each_edge(const igraph_t& g, auto f) {
  const igraph_integer_t ways = igraph_is_directed(&g)
                                    ? 1
                                    : 2;  // an undirected edge is one edge in each direction
  for (igraph_integer_t e = 0; e < igraph_ecount(&g); ++e) {
    f(IGRAPH_FROM(&g, e), IGRAPH_TO(&g, e), ways * e);
    if (ways == 2) f(IGRAPH_TO(&g, e), IGRAPH_FROM(&g, e), ways * e + 1);
  }
}
// ------------------------------------------------------------------------------------------------

static_assert(hg::edge_list<igraph_t>);

int main() {
  igraph_t club;  // Zachary's karate club
  igraph_vector_int_t community;
  igraph_vector_int_init(&community, 0);
  if (igraph_famous(&club, "Zachary") != IGRAPH_SUCCESS) return 1;
  if (igraph_community_fastgreedy(&club, nullptr, nullptr, nullptr, &community) != IGRAPH_SUCCESS)
    return 1;

  // igraph's vector in memory is the assignment.
  const std::span<const igraph_integer_t> given(VECTOR(community), num_nodes(club));
  const auto parts = static_cast<std::uint64_t>(igraph_vector_int_max(&community)) + 1;
  const auto owner = hg::assign(
      club, hg::basic_given<hg::part_id, igraph_integer_t>{.parts = parts, .owners = given});
  std::cout << num_nodes(club) << " members, " << hg::num_edges(club) << " edges, " << parts
            << " communities\n";
  std::size_t inner = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto halo = hg::expand_halo(club, owner, part, {.hops = 1});
    inner += halo.inner_nodes;
    std::cout << "community " << part << ": " << halo.inner_nodes << " members, connected to "
              << halo.nodes.size() - halo.inner_nodes << " others\n";
  }
  const bool all = inner == num_nodes(club);
  igraph_vector_int_destroy(&community);
  igraph_destroy(&club);
  return all ? 0 : 1;
}
