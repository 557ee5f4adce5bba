// SPDX-License-Identifier: BSL-1.0
// What DGL's own suites assert of partition_graph and load_partition, on graphs of their sizes.
#include "support/dgl_rows.hpp"
#include "support/partition_model.hpp"

#include <halograph/partition/given.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

const char* const stored[] = {"coo", "csc", "coo,csc", "coo,csc,csr"};

class partition_graph_like_dgl : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {
 protected:
  std::size_t parts() const { return std::get<0>(GetParam()); }
  hg::partition_options options(unsigned hops) const {
    hg::partition_options out;
    out.hops = hops;
    out.formats = *hg::sparse_formats::parse(std::get<1>(GetParam()));
    return out;
  }
};

TEST_P(partition_graph_like_dgl, of_one_type_is_what_dgl_expects) {
  const auto data = ht::graph_g1();
  ht::expect_what_dgl_expects(data, hg::random{.parts = parts(), .seed = 5}, options(2));
}

TEST_P(partition_graph_like_dgl, of_several_types_is_what_dgl_expects) {
  const auto data = ht::graph_h1();
  ht::expect_what_dgl_expects(data, hg::random{.parts = parts(), .seed = 6}, options(1));
}

INSTANTIATE_TEST_SUITE_P(Grid, partition_graph_like_dgl, testing::Combine(testing::Values(1u, 4u), testing::ValuesIn(stored)), [](const auto& one) {
  std::string name = std::to_string(std::get<0>(one.param)) + "_" + std::get<1>(one.param);
  for (auto& c : name) c = c == ',' ? '_' : c;
  return name;
});

TEST(partition_graph_like_dgl, by_ranges_or_given_owners_is_what_dgl_expects) {
  const auto one = ht::graph_g1(3), several = ht::graph_h1(ht::few::nothing, 4);
  hg::partition_options options;
  ht::expect_what_dgl_expects(one, hg::range{.parts = 3}, options);
  ht::expect_what_dgl_expects(several, hg::range{.parts = 3}, options);
  const auto owners = ht::draw_owners(several.num_nodes(), 5, 8);
  ht::expect_what_dgl_expects(several, hg::given{.parts = 5, .owners = owners}, options);
}

TEST(partition_graph_like_dgl, of_few_edges_leaves_parts_without_some) {
  const auto data = ht::graph_h1(ht::few::edges);
  const auto result = ht::expect_what_dgl_expects(data, hg::random{.parts = 4, .seed = 9}, {});
  for (const std::size_t r : {4u, 5u}) {
    std::size_t empty = 0;
    for (const auto& range : result.config.edge_map[r]) empty += range.size() == 0 ? 1u : 0u;
    EXPECT_GE(empty, 2u);
  }
}

TEST(partition_graph_like_dgl, of_few_nodes_leaves_parts_without_some) {
  const auto data = ht::graph_h1(ht::few::nodes);
  const auto result = ht::expect_what_dgl_expects(data, hg::random{.parts = 4, .seed = 10}, {});
  std::uint64_t at = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t t = 0; t < 6; ++t) {
      const auto range = result.config.node_map[t][p];
      EXPECT_EQ(range.begin, at) << "an empty range lies where the range before it ends";
      at = range.end;
    }
  }
  for (const std::size_t t : {3u, 4u, 5u}) {
    std::size_t empty = 0;
    for (const auto& range : result.config.node_map[t]) empty += range.size() == 0 ? 1u : 0u;
    EXPECT_GE(empty, 2u);
  }
}

TEST(partition_graph_like_dgl, with_trainers_names_them_for_nodes_and_edges) {
  for (const std::size_t parts : {1u, 2u}) {
    hg::partition_options options;
    options.trainers_per_machine = 3;
    const auto data = ht::graph_h1(ht::few::nothing, 11, 60);
    const auto result = ht::expect_what_dgl_expects(data, hg::random{.parts = 3 * parts, .seed = 12}, options);
    EXPECT_EQ(result.config.num_parts, parts);
  }
}

TEST(partition_graph_like_dgl, keeps_the_out_neighbourhood_of_owned_nodes_whole) {
  const auto data = ht::graph_g1(13);
  const auto owners = ht::draw_owners(data.num_nodes(), 4, 14);
  ht::memory_target<hg::dgl_serializer> to;
  const auto result = hg::partition_graph(data, hg::given{.parts = 4, .owners = owners}, to, {.graph_name = "g", .hops = 2, .return_mapping = true});
  std::vector<std::size_t> degrees(static_cast<std::size_t>(data.num_nodes()));
  for (const auto u : data.edges[0].source) ++degrees[static_cast<std::size_t>(u)];
  std::set<std::uint64_t> seen;
  for (std::size_t p = 0; p < 4; ++p) {
    const auto part = hg::load_partition("g.json", p, to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{});
    const auto ids = ht::column_values(part.graph.node_columns, "_ID"), inner = ht::column_values(part.graph.node_columns, "inner_node");
    std::vector<std::size_t> found(ids.size());
    for (const auto& [u, v] : ht::ends_of(part.graph)) ++found[static_cast<std::size_t>(u)];
    for (std::size_t v = 0; v < ids.size() && inner[v] == 1; ++v) {
      const auto original = result.node_mapping[0][static_cast<std::size_t>(ids[v])];
      EXPECT_EQ(owners[original], p);
      EXPECT_EQ(found[v], degrees[original]);
      EXPECT_TRUE(seen.insert(original).second);
    }
  }
  EXPECT_EQ(seen.size(), data.num_nodes());
}

TEST(partition_graph_like_dgl, owns_every_edge_exactly_once) {
  for (const unsigned hops : {1u, 2u, 3u}) {
    const auto data = ht::graph_g1(15, 300);
    ht::memory_target<hg::dgl_serializer> to;
    hg::partition_graph(data, hg::random{.parts = 4, .seed = hops}, to, {.graph_name = "g", .hops = hops});
    std::set<std::int64_t> owned;
    for (std::size_t p = 0; p < 4; ++p) {
      const auto part = hg::load_partition("g.json", p, to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{});
      const auto ids = ht::column_values(part.graph.edge_columns, "_ID"), inner = ht::column_values(part.graph.edge_columns, "inner_edge");
      for (std::size_t e = 0; e < ids.size(); ++e) {
        if (inner[e] == 1) {
          EXPECT_TRUE(owned.insert(ids[e]).second);
        }
      }
    }
    EXPECT_EQ(owned.size(), data.num_edges());
  }
}

}  // namespace
