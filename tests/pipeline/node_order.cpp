// SPDX-License-Identifier: BSL-1.0
// Partition folders whose nodes are ordered otherwise: everything but the numbers inside a cell
// stays.
#include "support/memory_folder.hpp"
#include "support/partition_model.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

const hg::format_set<hg::dgl_serializer> formats;
const hg::nlohmann_codec codec;
const hg::random_parts policy{.parts = 3, .seed = 5};

template <class Order>
ht::memory_folder written(const hg::dataset<>& data, const Order& order, bool mapping,
                          hg::partition_result* result = nullptr, bool compact = true,
                          hg::part_id parts = 3) {
  const ht::memory_target<hg::dgl_serializer> target;
  const hg::random_parts in_parts{.parts = parts, .seed = policy.seed};
  auto made = hg::partition_graph(data, in_parts, target,
                                  hg::basic_partition_options<Order>{.graph_name = "g",
                                                                     .hops = 2,
                                                                     .save_mapping = mapping,
                                                                     .compact_mapping = compact,
                                                                     .return_mapping = true,
                                                                     .order = order});
  if (result) *result = std::move(made);
  return target.folder;
}

TEST(node_order, of_every_kind_is_verified_against_the_input) {
  for (const auto& data : {ht::graph_g1(1, 200), ht::graph_h1(ht::few::nothing, 2)}) {
    const auto check = [&](const auto& order) {
      for (const bool saved : {true, false}) {  // else by the compact mapping
        for (const hg::part_id parts : {3u, 1u}) {
          const auto found = hg::verify_partition(
              "g.json", data,
              hg::folder_access(written(data, order, saved, nullptr, true, parts), codec, formats));
          EXPECT_TRUE(found.ok()) << hg::name_of_order(order) << " " << saved << " " << parts
                                  << ": "
                                  << (found.findings.empty() ? "" : found.findings[0].sentence);
          EXPECT_TRUE(found.checks[static_cast<std::size_t>(hg::check_kind::input)].done);
        }
      }
    };
    check(hg::original_order{});
    check(hg::descending_degree{});
    check(hg::breadth_first{});
  }
}

TEST(node_order, changes_no_byte_by_default) {
  const auto data = ht::graph_h1(ht::few::nothing, 3);
  const ht::memory_target<hg::dgl_serializer> target;
  hg::partition_graph(data, policy, target, {.graph_name = "g", .hops = 2});
  const auto same = written(data, hg::original_order{}, false),
             other = written(data, hg::breadth_first{}, false);
  for (const auto& name : target.folder.names()) {
    EXPECT_TRUE(std::ranges::equal(target.folder(name).bytes, same(name).bytes)) << name;
  }
  EXPECT_TRUE(target.folder.has("owners.npy") && !other.has("owners.npy") &&
              other.has("original_nodes.npy"));
  EXPECT_EQ(target.folder.text("g.json").find("node_order"), std::string::npos);
  EXPECT_NE(other.text("g.json").find("\"node_order\": \"breadth_first\""), std::string::npos);
}

TEST(node_order, keeps_ranges_and_members) {
  const auto data = ht::graph_h1(ht::few::nothing, 4);
  hg::partition_result original, other;
  written(data, hg::original_order{}, false, &original);
  written(data, hg::descending_degree{}, false, &other);
  EXPECT_EQ(original.config.node_map, other.config.node_map);
  EXPECT_EQ(original.config.edge_map, other.config.edge_map);
  EXPECT_NE(original.node_mapping, other.node_mapping);
  for (std::size_t t = 0; t < original.config.node_map.size(); ++t) {
    std::size_t at = 0;
    for (const auto& range : original.config.node_map[t]) {
      const auto first = static_cast<std::ptrdiff_t>(at),
                 last = first + static_cast<std::ptrdiff_t>(range.size());
      std::sort(other.node_mapping[t].begin() + first, other.node_mapping[t].begin() + last);
      at += static_cast<std::size_t>(range.size());
    }
  }
  EXPECT_EQ(original.node_mapping, other.node_mapping);
}

TEST(node_order, other_than_the_original_does_not_follow_from_the_assignment_alone) {
  const auto data = ht::graph_g1(5, 100);
  const auto owner = hg::assign(data.graph(), policy);
  const hg::verify_options assigned{.assignment = owner};
  EXPECT_TRUE(hg::verify_partition(
                  "g.json", data,
                  hg::folder_access(written(data, hg::original_order{}, false), codec, formats),
                  assigned)
                  .ok());
  EXPECT_TRUE(hg::verify_partition(
                  "g.json", data,
                  hg::folder_access(written(data, hg::breadth_first{}, true), codec, formats),
                  assigned)
                  .ok());
  try {
    static_cast<void>(hg::verify_partition(
        "g.json", data,
        hg::folder_access(written(data, hg::breadth_first{}, false, nullptr, false), codec,
                          formats),
        assigned));
    ADD_FAILURE() << "verified";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::not_found);
    EXPECT_NE(
        std::string(problem.what())
            .find("ordered by \"breadth_first\", which the assignment alone does not determine"),
        std::string::npos)
        << problem.what();
  }
}

TEST(node_order, needs_new_ids) {
  const auto data = ht::graph_g1(6, 50);
  const ht::memory_target<hg::dgl_serializer> target;
  EXPECT_THROW(hg::partition_graph(data, policy, target,
                                   hg::basic_partition_options<hg::breadth_first>{
                                       .graph_name = "g", .reshuffle = false}),
               hg::error);
}

}  // namespace
