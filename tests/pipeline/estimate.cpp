// SPDX-License-Identifier: BSL-1.0
#include <halograph/pipeline/estimate.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

namespace hg = halograph;

const hg::step_estimate& step(const hg::resource_estimate& estimate, std::string_view name) {
  for (const auto& one : estimate.steps) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return estimate.steps.front();
}

hg::estimate_input million() {
  hg::estimate_input in;
  in.nodes = 100'000;
  in.edges = 1'000'000;
  in.parts = 8;
  return in;
}

TEST(Estimate, DiskHoldsEveryColumnOfEveryEdgeOnceAtLeast) {
  const auto estimate = hg::estimate_partition(million());
  // coo 16, _ID 8, inner_edge 1 per edge; _ID 8, inner_node 1, part_id 8 per node.
  EXPECT_GE(estimate.disk_bytes_least, 1'000'000u * 25 + 100'000u * 17);
  EXPECT_LT(estimate.disk_bytes_least, 1'000'000u * 25 + 100'000u * 17 + 1'000'000u);
  EXPECT_GE(estimate.disk_bytes_most, 2u * 1'000'000 * 25);
  EXPECT_EQ(step(estimate, "write").disk_bytes_least, estimate.disk_bytes_least);
}

TEST(Estimate, WhatIsAskedForCosts) {
  const auto plain = hg::estimate_partition(million());
  const auto more = [&](auto change) {
    auto in = million();
    change(in);
    return hg::estimate_partition(in);
  };
  EXPECT_EQ(more([](auto& in) { in.feature_bytes = 1 << 20; }).disk_bytes_least,
            plain.disk_bytes_least + (1 << 20));
  EXPECT_EQ(more([](auto& in) { in.mapping = true; }).disk_bytes_least,
            plain.disk_bytes_least + 8u * 1'100'000);
  const auto unmapped = more([](auto& in) { in.compact_mapping = false; });
  EXPECT_EQ(plain.disk_bytes_least, unmapped.disk_bytes_least + 100'000u);
  EXPECT_EQ(plain.disk_bytes_most, unmapped.disk_bytes_most + 100'000u);
  EXPECT_EQ(more([](auto& in) { in.original_order = false; }).disk_bytes_least,
            unmapped.disk_bytes_least + 4u * 100'000);
  EXPECT_GT(more([](auto& in) { in.formats = hg::sparse_formats::all(); }).disk_bytes_least,
            plain.disk_bytes_least + 32u * 1'000'000);
  EXPECT_GT(more([](auto& in) { in.node_id_bytes = in.edge_id_bytes = 8; }).peak_bytes,
            plain.peak_bytes + 16u * 1'000'000);
  EXPECT_GT(more([](auto& in) { in.hops = 2; }).peak_bytes, plain.peak_bytes);
  // Edges of one type are written from rows that all parts share, others are listed for each part.
  EXPECT_GT(more([](auto& in) { in.edge_types = 2; }).peak_bytes,
            plain.peak_bytes + 8u * 1'000'000);
  EXPECT_GT(more([](auto& in) { in.edge_types = in.hops = 2; }).peak_bytes,
            more([](auto& in) { in.edge_types = 2; }).peak_bytes + 8u * 1'000'000);
  EXPECT_GT(more([](auto& in) { in.original_ids = true; }).peak_bytes,
            plain.peak_bytes + 4u * 1'000'000);
  EXPECT_GT(more([](auto& in) { in.policy_bytes = 1u << 30; }).peak_bytes, 1u << 30);
  EXPECT_EQ(step(more([](auto& in) { in.policy_bytes = 1u << 30; }), "write").memory_bytes,
            step(plain, "write").memory_bytes);
}

TEST(Estimate, HugeNumbersSaturateInsteadOfWrapping) {
  auto in = million();
  in.nodes = in.edges = std::numeric_limits<std::uint64_t>::max();
  in.feature_bytes = std::numeric_limits<std::uint64_t>::max();
  const auto estimate = hg::estimate_partition(in);
  EXPECT_EQ(estimate.peak_bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(estimate.disk_bytes_least, std::numeric_limits<std::uint64_t>::max());
}

TEST(Estimate, AnEmptyGraphIsNoDivisionByZero) {
  hg::estimate_input in;
  in.parts = 0;
  EXPECT_GT(hg::estimate_partition(in).peak_bytes, 0u);
}

}  // namespace
