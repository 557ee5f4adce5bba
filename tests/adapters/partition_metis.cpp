// SPDX-License-Identifier: BSL-1.0
// What DGL's own suites assert of partition_graph with METIS.
#include "support/dgl_rows.hpp"
#include "support/partition_model.hpp"

#include <halograph/adapters/metis.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

class partition_metis : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {};

TEST_P(partition_metis, is_what_dgl_expects) {
  const auto [parts, formats] = GetParam();
  hg::partition_options options;
  options.formats = *hg::sparse_formats::parse(formats);
  options.hops = 2;
  ht::expect_what_dgl_expects(ht::graph_g1(), hg::metis::dgl(parts), options);
  options.hops = 1;
  ht::expect_what_dgl_expects(ht::graph_h1(), hg::metis::dgl(parts), options);
}

INSTANTIATE_TEST_SUITE_P(Grid, partition_metis,
                         testing::Combine(testing::Values(1u, 4u),
                                          testing::Values("coo", "csc", "coo,csc", "coo,csc,csr")),
                         [](const auto& one) {
                           std::string name = std::to_string(std::get<0>(one.param)) + "_" +
                                              std::get<1>(one.param);
                           for (auto& c : name) c = c == ',' ? '_' : c;
                           return name;
                         });

// DGL raises where METIS leaves a part without nodes of a rare type; here no part is empty and the
// rest holds.
TEST(partition_metis, of_few_edges_or_nodes_goes_through) {
  ht::expect_what_dgl_expects(ht::graph_h1(ht::few::edges), hg::metis::dgl(4), {});
  const auto result = ht::expect_what_dgl_expects(ht::graph_h1(ht::few::nodes), hg::metis::dgl(4),
                                                  {});
  for (const auto& part : result.report.parts) EXPECT_GT(part.inner_nodes, 0u);
}

TEST(partition_metis, with_trainers_names_them) {
  for (const std::size_t parts : {1u, 2u}) {
    hg::partition_options options;
    options.trainers_per_machine = 2;
    ht::expect_what_dgl_expects(ht::graph_h1(ht::few::nothing, 3, 80), hg::metis::dgl(2 * parts),
                                options);
  }
}

// A quarter, a half and a quarter of the nodes; each class balanced, with and without in-degrees.
TEST(partition_metis, balances_classes_of_nodes_and_their_edges) {
  const auto data = ht::graph_g1(4);
  const std::size_t nodes = static_cast<std::size_t>(data.num_nodes());
  std::vector<std::int64_t> degree(nodes, 0);
  for (const auto v : data.edges[0].target) ++degree[static_cast<std::size_t>(v)];
  std::vector<std::vector<std::int64_t>> loads(6, std::vector<std::int64_t>(nodes, 0));
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::size_t kind = v < nodes / 4 ? 0 : v < 3 * nodes / 4 ? 1 : 2;
    loads[kind][v] = 1;
    loads[3 + kind][v] = degree[v];
  }
  std::vector<hg::constraint> constraints;
  for (std::size_t c = 0; c < 6; ++c)
    constraints.push_back({"class " + std::to_string(c), loads[c], 0.03});
  for (const std::size_t count : {3u, 6u}) {
    auto policy = hg::metis::dgl(4);
    policy.constraints = std::span(constraints).first(count);
    hg::partition_options options;
    options.balance = policy.constraints;
    const auto result = ht::expect_what_dgl_expects(data, policy, options);
    ASSERT_EQ(result.report.balance.size(), count);
    for (const auto& one : result.report.balance)
      EXPECT_EQ(one.met, one.imbalance <= one.tolerance + 1e-9) << one.name;
  }
}

TEST(partition_metis, keeps_original_ids_where_asked_and_owns_every_node_once) {
  const auto data = ht::graph_g1(6);
  for (const unsigned hops : {0u, 1u, 2u}) {
    hg::partition_options options;
    options.graph_name = "g";
    options.hops = hops;
    options.drop_cut_edges = hops == 0;
    options.reshuffle = false;
    ht::memory_target<hg::dgl_serializer> to;
    hg::partition_graph(data, hg::metis::dgl(4), to, options);
    std::uint64_t nodes = 0;
    for (std::size_t p = 0; p < 4; ++p) {
      const auto part = hg::load_partition(
          "g.json", p,
          hg::folder_access(to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{}));
      const auto inner = ht::column_values(part.graph.node_columns, "inner_node"),
                 owner = ht::column_values(part.graph.node_columns, "part_id");
      for (std::size_t v = 0; v < inner.size(); ++v) {
        EXPECT_EQ(inner[v] == 1, owner[v] == static_cast<std::int64_t>(p));
        nodes += inner[v] == 1 ? 1u : 0u;
      }
    }
    EXPECT_EQ(nodes, data.num_nodes());
  }
}

TEST(partition_metis, owns_every_node_once_at_any_depth) {
  const auto data = ht::graph_g1(5);
  for (const unsigned hops : {1u, 2u}) {
    hg::partition_options options;
    options.hops = hops;
    const auto result = ht::expect_what_dgl_expects(data, hg::metis::dgl(4), options);
    std::uint64_t nodes = 0;
    for (const auto& part : result.report.parts) nodes += part.inner_nodes;
    EXPECT_EQ(nodes, data.num_nodes());
  }
}

}  // namespace
