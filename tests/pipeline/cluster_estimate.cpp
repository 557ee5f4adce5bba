// SPDX-License-Identifier: BSL-1.0
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/cluster_estimate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace {

namespace hg = halograph;

hg::cluster_job million_edges() {
  hg::cluster_job out;
  out.graph.nodes = 100'000;
  out.graph.edges = 1'000'000;
  out.graph.parts = 8;
  out.assignment = hg::estimate_assign(hg::buffered{.parts = 8}, 100'000, 1'000'000, 1);
  out.cut_share = 0.25;
  out.replication = 2;
  return out;
}

hg::cluster machines(std::uint64_t count) {
  hg::cluster out;
  out.machines = count;
  out.disk_bytes_per_second = 1e8;
  out.net_bytes_per_second = 1e7;
  return out;
}

const hg::cluster_step& step(const hg::cluster_estimate& found, std::string_view name) {
  for (const auto& one : found.steps) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return found.steps.front();
}

TEST(cluster_estimate, counts_the_traffic_of_each_step) {
  const auto one = hg::estimate_cluster(million_edges(), machines(1)),
             four = hg::estimate_cluster(million_edges(), machines(4));
  // Edges: two IDs of 8 bytes are read, records of three IDs of 4 bytes written and, to three of
  // four machines, sent, after a node for each has been asked for, 4 bytes each way.
  EXPECT_EQ(step(one, "edges").read_bytes, 16'000'000u);
  EXPECT_EQ(step(one, "edges").written_bytes, 12'000'000u);
  EXPECT_EQ(step(one, "edges").sent_bytes, 0u);
  EXPECT_EQ(step(four, "edges").sent_bytes, 9'000'000u + 6'000'000u);
  // Nodes: machines share the original and the new IDs, and read the assignment once more to find
  // their shares of it.
  EXPECT_EQ(step(one, "nodes").written_bytes, 100'000u * 8);
  EXPECT_EQ(step(four, "nodes").written_bytes, 100'000u * 8);
  EXPECT_EQ(step(four, "nodes").read_bytes, 2 * step(one, "nodes").read_bytes);
  EXPECT_EQ(step(one, "nodes").sent_bytes, 0u);
  EXPECT_EQ(step(four, "nodes").sent_bytes, 600'000u);
  EXPECT_EQ(step(one, "cut").written_bytes, 250'000u * 12);
  EXPECT_EQ(step(four, "cut").sent_bytes, 250'000u * 9);
  // What each part holds: 25 bytes for each edge, 17 for each node; one byte for each node, once.
  const std::uint64_t result = 1'250'000 * 25 + 200'000 * 17 + 100'000;
  EXPECT_GE(one.result_bytes, result);
  EXPECT_LT(one.result_bytes, result + 200'000);
  EXPECT_EQ(four.result_bytes, one.result_bytes);
  for (const auto& found : {one, four}) {
    for (const auto& each : found.steps) {
      EXPECT_DOUBLE_EQ(each.disk_seconds,
                       static_cast<double>(each.read_bytes + each.written_bytes) / 1e8 /
                           static_cast<double>(each.machines));
      EXPECT_DOUBLE_EQ(each.net_seconds, static_cast<double>(each.sent_bytes) / 1e7 /
                                             static_cast<double>(each.machines));
      EXPECT_GT(each.processor_seconds, 0) << each.name;
    }
  }
  EXPECT_EQ(step(four, "assign").machines, 1u);
  EXPECT_EQ(step(four, "rows").machines, 4u);
}

TEST(cluster_estimate, sums_up) {
  const auto found = hg::estimate_cluster(million_edges(), machines(3));
  double sum = 0;
  for (const auto& each : found.steps) sum += each.seconds();
  EXPECT_NEAR(found.seconds, sum, sum * 1e-9);
  EXPECT_NEAR(found.seconds, found.processor_seconds + found.disk_seconds + found.net_seconds,
              sum * 1e-9);
}

TEST(cluster_estimate, costs_are_shared_by_threads_and_machines) {
  hg::cluster_costs costs;
  costs.row = {10, 100};
  hg::cluster on = machines(2);
  on.threads = 4;
  const auto rows = [&] {
    return step(hg::estimate_cluster(million_edges(), on, costs), "rows").processor_seconds;
  };
  EXPECT_NEAR(rows(), 1e6 * (10 + 25) / 1e9 / 2, 1e-9);
  on.speed = 2;
  EXPECT_NEAR(rows(), 1e6 * (10 + 25) / 1e9 / 4, 1e-9);
  // Two machines read half of the assignment each, twice.
  costs.node = {1000, 0};
  EXPECT_NEAR(step(hg::estimate_cluster(million_edges(), on, costs), "nodes").processor_seconds,
              1e5 * 1000 / 1e9 / 2, 1e-9);
}

TEST(cluster_estimate, what_is_not_done_costs_nothing) {
  hg::cluster_job job = million_edges();
  job.graph.hops = 0;
  const auto found = hg::estimate_cluster(job, machines(2));
  for (const auto& each : found.steps) EXPECT_TRUE(each.name != "cut" && each.name != "features");
  job.graph.hops = 1;
  job.graph.parts = 1;
  EXPECT_EQ(step(hg::estimate_cluster(job, machines(2)), "cut").written_bytes, 0u);
  job.graph.feature_bytes = 1'000'000;
  EXPECT_EQ(step(hg::estimate_cluster(job, machines(2)), "features").sent_bytes, 500'000u);
  job.assignment = hg::estimate_assign(hg::random_parts{.parts = 8}, 100'000, 1'000'000, 1);
  EXPECT_EQ(step(hg::estimate_cluster(job, machines(2)), "assign").read_bytes, 0u);
}

TEST(cluster_estimate, names_first_what_saves_most_time) {
  hg::cluster on = machines(4);
  on.net_bytes_per_second = 1e3;
  const auto slow_net = hg::estimate_cluster(million_edges(), on);
  ASSERT_FALSE(slow_net.recommendations.empty());
  on.net_bytes_per_second = 1e12;
  on.disk_bytes_per_second = 1e4;
  const auto slow_disk = hg::estimate_cluster(million_edges(), on);
  ASSERT_FALSE(slow_disk.recommendations.empty());
  EXPECT_TRUE(slow_disk.recommendations[0].starts_with("disks twice as fast, 19.5 KiB/s: "))
      << slow_disk.recommendations[0];
  for (const auto& one : slow_disk.recommendations)
    EXPECT_FALSE(one.starts_with("a network")) << one;
  bool net = false;
  for (const auto& one : slow_net.recommendations)
    net |= one.starts_with("a network twice as fast");
  EXPECT_TRUE(net);
  on.memory_bytes = 1 << 20;
  const auto small = hg::estimate_cluster(million_edges(), on);
  EXPECT_TRUE(small.recommendations.at(0).starts_with("memory: ")) << small.recommendations[0];
}

TEST(cluster_estimate, takes_numbers_of_any_size) {
  hg::cluster_job job = million_edges();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  job.graph.nodes = job.graph.edges = job.graph.feature_bytes = most;
  job.graph.parts = most;
  const auto large = hg::estimate_cluster(job, machines(most));
  EXPECT_TRUE(std::isfinite(large.seconds));
  EXPECT_EQ(large.result_bytes, most);
  job.graph = {};
  job.assignment = {};
  const auto none = hg::estimate_cluster(job, machines(0));
  EXPECT_EQ(step(none, "rows").seconds(), 0);
  EXPECT_TRUE(none.recommendations.empty());
  const hg::json::value document = to_json(none);
  EXPECT_EQ(document.find("steps")->if_array()->size(), none.steps.size());
  EXPECT_EQ(document.find("assumptions")->if_array()->size(), 5u);
}

}  // namespace
