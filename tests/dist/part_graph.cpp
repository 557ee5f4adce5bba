// SPDX-License-Identifier: BSL-1.0
// A part of a folder's pairs, in and out of order, by a naive model; and the memory that it takes.
#include <halograph/core/error.hpp>
#include <halograph/core/random.hpp>
#include <halograph/dist/part_graph.hpp>

#include <gtest/gtest.h>
#include <support/live_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using int64s = std::vector<std::int64_t>;

constexpr std::size_t inner = 400, halo = 300, others = 500, owned_edges = 3000, other_edges = 600,
                      all_edges = 9000;

/// Part 0 of two, of a graph of one type.
struct drawn_part {
  int64s node_ids{}, edge_ids{}, sources{}, targets{};

  drawn_part(std::uint64_t seed, bool pairs_in_order, bool halo_in_order) {
    hg::random_stream draw(seed);
    const auto drawn = [&](std::size_t low, std::size_t high) {
      return static_cast<std::int64_t>(low + draw.below(high - low));
    };
    for (std::size_t v = 0; v < inner; ++v) node_ids.push_back(static_cast<std::int64_t>(v));
    int64s far;
    for (std::size_t v = inner; v < inner + others; ++v)
      far.push_back(static_cast<std::int64_t>(v));
    for (std::size_t i = 0; i < halo; ++i)
      std::swap(far[i], far[static_cast<std::size_t>(drawn(i, far.size()))]);
    far.resize(halo);
    if (halo_in_order) std::sort(far.begin(), far.end());
    node_ids.insert(node_ids.end(), far.begin(), far.end());
    for (std::size_t e = 0; e < owned_edges; ++e) targets.push_back(drawn(0, inner));
    for (std::size_t e = 0; e < other_edges; ++e) targets.push_back(drawn(inner, inner + halo));
    if (pairs_in_order) std::sort(targets.begin(), targets.end());
    for (std::size_t e = 0; e < targets.size(); ++e) sources.push_back(drawn(0, inner + halo));
    for (std::size_t e = 0; e < owned_edges; ++e) edge_ids.push_back(static_cast<std::int64_t>(e));
    for (std::size_t e = 0; e < other_edges; ++e)
      edge_ids.push_back(static_cast<std::int64_t>(owned_edges + 7 * e));
  }

  hg::loaded_structure structure() const {
    hg::loaded_structure out;
    out.nodes = node_ids.size();
    out.edges = edge_ids.size();
    out.coo = hg::coo_columns{hg::tensor::from(sources), hg::tensor::from(targets)};
    const auto column = [](const char* name, int64s values) {
      return hg::named_tensor{name, hg::tensor::from(std::move(values))};
    };
    const auto first = [](std::size_t count, std::size_t size) {
      int64s flags(size);
      std::fill_n(flags.begin(), count, 1);
      return flags;
    };
    out.node_columns = {column("_ID", node_ids),
                        column("inner_node", first(inner, node_ids.size()))};
    out.edge_columns = {column("_ID", edge_ids),
                        column("inner_edge", first(owned_edges, edge_ids.size()))};
    return out;
  }
};

hg::partition_config config_of(std::uint64_t hops) {
  hg::partition_config config;
  config.path = "g.json";
  config.num_nodes = inner + others;
  config.num_edges = all_edges;
  config.num_parts = 2;
  config.halo_hops = hops;
  config.schema = hg::graph_schema::homogeneous();
  config.parts = {{.graph = "graph"}, {.graph = "other"}};
  return config;
}

std::shared_ptr<const hg::partition_book> book() {
  const std::vector<std::uint64_t> nodes{0, inner, inner + others},
      edges{0, owned_edges, all_edges};
  return std::make_shared<const hg::partition_book>(hg::graph_schema::homogeneous(), 2, nodes,
                                                    edges);
}

TEST(part_graph, lists_neighbors_by_edge_and_finds_halo_nodes_in_any_order) {
  for (const bool pairs_in_order : {false, true}) {
    for (const bool halo_in_order : {false, true}) {
      const drawn_part drawn(3, pairs_in_order, halo_in_order);
      const hg::part_graph part(config_of(1), 0, drawn.structure(), book());
      const std::size_t nodes = drawn.node_ids.size();
      std::vector<std::vector<std::pair<std::size_t, std::size_t>>> in(nodes), out(nodes);
      for (std::size_t e = 0; e < drawn.sources.size(); ++e) {
        const auto u = static_cast<std::size_t>(drawn.sources[e]),
                   v = static_cast<std::size_t>(drawn.targets[e]);
        in[v].emplace_back(u, e);
        out[u].emplace_back(v, e);
      }
      for (std::size_t v = 0; v < nodes; ++v) {
        std::vector<std::pair<std::size_t, std::size_t>> got;
        const auto take = [&](std::size_t neighbor, std::size_t e) {
          got.emplace_back(neighbor, e);
        };
        part.for_each_in_edge(v, take);
        EXPECT_EQ(got, in[v]);
        ASSERT_EQ(part.in_degree(v), in[v].size());
        for (std::size_t k = 0; k < in[v].size(); ++k) EXPECT_EQ(part.in_edge(v, k), in[v][k]);
        got.clear();
        part.for_each_out_edge(v, take);
        EXPECT_EQ(got, out[v]);
        ASSERT_EQ(part.out_degree(v), out[v].size());
        for (std::size_t k = 0; k < out[v].size(); ++k) EXPECT_EQ(part.out_edge(v, k), out[v][k]);
      }
      for (std::size_t id = 0; id < inner + others; ++id) {
        const auto found = std::find(drawn.node_ids.begin(), drawn.node_ids.end(),
                                     static_cast<std::int64_t>(id));
        const auto wanted = found == drawn.node_ids.end() ? std::nullopt
                                                          : std::optional(static_cast<std::size_t>(
                                                                found - drawn.node_ids.begin()));
        EXPECT_EQ(part.local_of(static_cast<hg::global_id>(id)), wanted) << id;
      }
      EXPECT_EQ(part.local_of(std::numeric_limits<hg::global_id>::max()), std::nullopt);
    }
  }
}

TEST(part_graph, refuses_a_halo_node_that_is_there_twice_in_any_order) {
  for (const bool in_order : {false, true}) {
    drawn_part drawn(4, true, in_order);
    drawn.node_ids[inner + 7] = drawn.node_ids[inner + 6];
    try {
      const hg::part_graph part(config_of(1), 0, drawn.structure(), book());
      ADD_FAILURE() << "it was opened";
    } catch (const hg::error& problem) {
      EXPECT_NE(problem.message().find("HALO node " + std::to_string(drawn.node_ids[inner + 6]) +
                                       " is there twice"),
                std::string::npos)
          << problem.what();
      EXPECT_NE(problem.message().find("element " + std::to_string(inner + 7)), std::string::npos)
          << problem.what();
    }
  }
}

/// Edges that keep their places if they are sorted by row.
std::uint64_t in_place(int64s rows) {
  auto sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t count = 0;
  while (count < rows.size() && rows[count] == sorted[count]) ++count;
  return count;
}

TEST(part_graph, takes_what_is_announced_and_nothing_for_edges_in_order) {
  constexpr std::uint64_t nodes = inner + halo;
  for (const std::uint64_t hops : {1u, 3u}) {
    for (const bool pairs_in_order : {false, true}) {
      for (const bool halo_in_order : {false, true}) {
        for (const bool out : {false, true}) {
          for (const bool halo_rows : {false, true}) {
            const drawn_part drawn(5, pairs_in_order, halo_in_order);
            const hg::part_options options{.out_edges = out, .halo_rows = halo_rows};
            auto structure = drawn.structure();
            const auto config = config_of(hops);
            const auto of = book();
            const std::uint64_t announced = hg::part_graph_memory(structure, inner, hops, options);
            std::optional<hg::part_graph> part;
            const std::size_t peak = hg::testing::peak_of(
                [&] { part.emplace(config, 0, std::move(structure), of, options); });
            EXPECT_LE(peak, announced);
            if (hops == 1) {
              EXPECT_LE(announced - 2048, peak) << "but for names";
            }
            const bool inner_alone = !halo_rows && hops < 2;
            auto rows = drawn.targets;
            if (inner_alone) rows.resize(owned_edges);
            std::uint64_t wanted = 2048 + 4 * ((inner_alone ? inner : nodes) + 1) +
                                   4 * (rows.size() - in_place(rows)) +
                                   halo * ((halo_in_order ? 0u : 4u) + (hops > 1 ? 17u : 0u));
            if (out)
              wanted += 4 * (nodes + 1) + 4 * (drawn.sources.size() - in_place(drawn.sources));
            EXPECT_EQ(announced, wanted);
            for (std::size_t v = 0; v < nodes; ++v) {
              const bool kept = v < inner || !inner_alone;
              EXPECT_EQ(part->in_degree(v), kept ? static_cast<std::size_t>(std::count(
                                                       drawn.targets.begin(), drawn.targets.end(),
                                                       static_cast<std::int64_t>(v)))
                                                 : 0u);
            }
          }
        }
      }
    }
  }
}

}  // namespace
