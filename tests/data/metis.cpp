// SPDX-License-Identifier: BSL-1.0
// METIS on real graphs: cuts near the best known ones, and every constraint judged.
#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

auto load(const std::string& path) {
  return hg::load_dataset<std::uint32_t, std::uint32_t>(
      std::string(HALOGRAPH_SHARED_DIR) + "/data/" + path, {}, hg::gz_files<hg::mapped_files>{},
      hg::nlohmann_codec{});
}

template <class G>
hg::assignment_quality judge(const G& g, const hg::metis& policy) {
  const auto owner = hg::assign(g, policy);
  return hg::measure_quality(g, std::span<const hg::part_id>(owner), policy.parts,
                             policy.constraints);
}

TEST(metis_on_meshes, bisections_come_near_the_best_known) {
  const auto airfoil = load("mesh-4elt/4elt.graph");
  EXPECT_LE(judge(airfoil.graph(), {.parts = 2, .method = hg::metis_method::recursive, .cuts = 4})
                .edge_cut,
            137u * 5 / 4);
  EXPECT_LE(judge(airfoil.graph(), {.parts = 2}).edge_cut, 137u * 3 / 2);
  const auto wing = load("mesh-wing/wing.graph");
  EXPECT_LE(judge(wing.graph(),
                  {.parts = 2, .method = hg::metis_method::recursive, .cuts = 4, .tolerance = 0.05})
                .edge_cut,
            770u * 5 / 4);
}

TEST(metis_on_meshes, both_weights_of_a_multi_constraint_graph_are_balanced) {
  const auto data = load("mesh-4elt/test.mgraph");
  ASSERT_EQ(data.node_weights.size(), 2u);
  std::vector<hg::constraint> constraints;
  for (std::size_t i = 0; i < 2; ++i)
    constraints.push_back({"weight:" + std::to_string(i), data.node_weights[i], 0.05});
  for (const auto& line : judge(data.graph(), {.parts = 4, .constraints = constraints}).balance) {
    EXPECT_LE(line.imbalance, 0.15) << line.name;
    EXPECT_EQ(line.met, line.imbalance <= 0.05) << line.name;
  }
}

TEST(metis_on_citations, three_classes_and_their_edges_are_judged_each) {
  const auto data = load("cora");
  const std::size_t nodes = hg::num_nodes(data.graph());
  std::vector<std::int64_t> three(nodes);
  for (std::size_t v = 0; v < nodes; ++v)
    three[v] = static_cast<std::int64_t>(v % 4 == 0 ? 0 : v % 4 == 3 ? 2 : 1);
  const auto balance = hg::balance_like_dgl(
      data.graph(), hg::classes_by_value(std::span<const std::int64_t>(three)), true, 0.1);
  const auto lines =
      judge(data.graph(), {.parts = 4, .constraints = balance.constraints()}).balance;
  ASSERT_EQ(lines.size(), 6u);
  std::size_t met = 0;
  for (const auto& line : lines) {
    met += line.met;
    EXPECT_LE(line.imbalance, 0.5) << line.name;
  }
  EXPECT_GE(met, 4u) << "METIS reaches most of six constraints within 10 %";
}

}  // namespace
