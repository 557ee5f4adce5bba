// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace hg = halograph;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

hg::dispatch_counts draw_counts(hg::random_stream& draw) {
  const auto number = [&](unsigned bits) {
    return draw.below(std::uint64_t{1} << (1 + draw.below(bits)));
  };
  hg::dispatch_counts out;
  out.nodes = number(38);
  out.edges = number(42);
  out.node_types = 1 + number(4);
  out.edge_types = 1 + number(5);
  out.parts = 1 + number(13);
  out.threads = 1 + number(6);
  out.ranks = draw.below(2) == 0 ? 1 : 1 + number(7);
  out.hops = draw.below(4);
  out.node_id_bytes = out.edge_id_bytes = draw.below(2) == 0 ? 4 : 8;
  out.node_features = draw.below(3);
  out.edge_features = draw.below(3);
  out.node_row_bytes = out.node_features == 0 ? 0 : number(14);
  out.edge_row_bytes = out.edge_features == 0 ? 0 : number(14);
  out.edge_feature_bytes = out.edge_row_bytes * out.edges;
  return out;
}

TEST(dispatch_budget, no_stage_exceeds_a_sufficient_budget) {
  hg::random_stream draw(1);
  for (int round = 0; round < 3000; ++round) {
    const auto counts = draw_counts(draw);
    const std::uint64_t least = hg::plan_dispatch_memory(counts, 0).least_bytes;
    for (const std::uint64_t budget : {least, least + 1, least + draw.below(64 * mib),
                                       least + draw.below(least), 2 * least + 4096 * mib}) {
      const auto need = hg::plan_dispatch_memory(counts, budget);
      EXPECT_EQ(need.least_bytes, least) << "the least does not depend on the budget";
      EXPECT_LE(need.bytes, budget);
      EXPECT_NO_THROW(hg::require_budget(need));
      for (const auto& stage : need.stages) EXPECT_GE(stage.bytes, stage.least_bytes) << stage.name;
    }
  }
}

TEST(dispatch_budget, error_names_the_smallest_budget_that_suffices) {
  hg::random_stream draw(2);
  for (int round = 0; round < 200; ++round) {
    const auto counts = draw_counts(draw);
    const auto need = hg::plan_dispatch_memory(counts, mib);
    try {
      hg::require_budget(need);
      ADD_FAILURE();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::memory);
      const std::uint64_t named = (need.least_bytes + mib - 1) / mib;
      EXPECT_NE(problem.message().find(" " + std::to_string(named) + "MiB"), std::string::npos)
          << problem.message();
      EXPECT_NO_THROW(hg::require_budget(hg::plan_dispatch_memory(counts, named * mib)));
    }
  }
}

TEST(dispatch_budget, grows_with_nodes_not_with_edges) {
  const hg::dispatch_counts few{.nodes = 1 << 20, .edges = 1 << 22};
  auto many = few;
  many.edges = std::uint64_t{1} << 36;
  EXPECT_LT(hg::plan_dispatch_memory(many, 0).least_bytes,
            hg::plan_dispatch_memory(few, 0).least_bytes + 16 * mib);
  many.nodes = std::uint64_t{1} << 30;
  EXPECT_GE(hg::plan_dispatch_memory(many, 0).least_bytes, std::uint64_t{4} << 30);
}

TEST(dispatch_budget, a_graph_of_few_edges_is_not_announced_with_buffers_that_it_cannot_fill) {
  hg::dispatch_counts small{.nodes = 1000, .edges = 20'000, .parts = 8, .threads = 2};
  const auto need = hg::plan_dispatch_memory(small, 4096 * mib);
  EXPECT_LE(need.buffers.block_edges, small.edges);
  EXPECT_LT(need.bytes, need.least_bytes + 8 * mib);
  // Edges of several types are copied, part by part.
  small.edge_types = 2;
  EXPECT_GT(hg::plan_dispatch_memory(small, 4096 * mib).bytes, need.bytes);
}

TEST(dispatch_budget, buffers_of_few_rows_and_of_few_edges_to_send_are_small) {
  hg::dispatch_counts small{.nodes = 1000, .edges = 20'000, .parts = 8, .threads = 2};
  const auto bytes = [&] { return hg::plan_dispatch_memory(small, 4096 * mib).bytes; };
  const std::uint64_t without = bytes();
  small.node_features = small.edge_features = 1;
  small.node_row_bytes = small.edge_row_bytes = 8;
  small.edge_feature_bytes = small.edges * small.edge_row_bytes;
  EXPECT_LT(bytes(), without + 8 * mib);
  small.ranks = 4;
  EXPECT_LE(hg::plan_dispatch_memory(small, 4096 * mib).buffers.exchange_bytes, 4 * mib);
  small.edges = 1 << 28;
  EXPECT_EQ(hg::plan_dispatch_memory(small, 4096 * mib).buffers.exchange_bytes, 64 * mib);
}

TEST(dispatch_budget, ranks_remember_nodes_in_a_quarter_of_what_is_left) {
  hg::dispatch_counts counts{.nodes = 1'000'000, .edges = 1 << 26, .parts = 8, .threads = 2};
  const auto known = [&](std::uint64_t budget) {
    const auto need = hg::plan_dispatch_memory(counts, budget);
    EXPECT_LE(need.bytes, std::max(budget, need.least_bytes));
    return need.buffers.known_nodes;
  };
  EXPECT_EQ(known(4096 * mib), 0u);  // one rank has all
  counts.ranks = 4;
  EXPECT_EQ(known(0), 0u);
  EXPECT_EQ(known(4096 * mib), 1u << 20);  // all, and no more
  const std::uint64_t some = known(64 * mib);
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, 1u << 20);
  EXPECT_TRUE(std::has_single_bit(some));
  EXPECT_LT(9 * some, 16 * mib);
  counts.nodes = ~std::uint64_t{0};
  EXPECT_EQ(known(4096 * mib), 0u);
}

TEST(dispatch_budget, columns_of_parts_are_announced_for_what_parts_hold) {
  hg::dispatch_counts counts{.nodes = 1 << 20, .edges = 1 << 25, .parts = 64, .threads = 2};
  const auto columns = [&] {
    return hg::plan_dispatch_memory(counts, 65536 * mib).buffers.column_bytes;
  };
  counts.other_formats = false;
  const auto halo = columns();  // nodes of each HALO alone
  EXPECT_LE(halo, 2 * (mib + (std::uint64_t{4} << 20) / 64 * 32));
  counts.other_formats = true;
  const auto formats = columns();
  EXPECT_GT(formats, halo);
  EXPECT_LE(formats, halo + 2 * (std::uint64_t{4} << 25) / 64 * 32);
  counts.edge_types = 2;
  EXPECT_GT(columns(), formats) << "edges in the order of their IDs";
  counts.edge_types = 1;
  counts.hops = 2;
  EXPECT_GT(columns(), 8 * formats) << "a part may hold all of the graph";
}

TEST(dispatch_budget, each_rank_has_tables_of_its_share_of_the_nodes) {
  hg::dispatch_counts many{.nodes = std::uint64_t{1} << 32, .edges = 1 << 20, .parts = 64};
  many.node_features = 1;
  many.node_row_bytes = 256;
  const std::uint64_t alone = hg::plan_dispatch_memory(many, 0).least_bytes;
  EXPECT_GE(alone, std::uint64_t{16} << 30);
  for (const std::uint64_t ranks : {2u, 8u, 64u}) {
    many.ranks = ranks;
    const std::uint64_t each = hg::plan_dispatch_memory(many, 0).least_bytes;
    EXPECT_GE(each, (std::uint64_t{16} << 30) / ranks);
    EXPECT_LE(each, (std::uint64_t{16} << 30) / ranks + 64 * mib);
  }
}

TEST(dispatch_budget, local_ids_are_hashed_where_a_rank_has_no_room_for_a_table) {
  hg::dispatch_counts many{.nodes = std::uint64_t{1} << 30, .edges = 1 << 20, .parts = 64};
  const auto lookup = [&](std::uint64_t budget) {
    return hg::plan_dispatch_memory(many, budget).buffers.local_ids;
  };
  EXPECT_EQ(lookup(0), hg::local_lookup::table) << "one rank needs as much for the edges";
  many.ranks = 8;
  EXPECT_EQ(lookup(2048 * mib), hg::local_lookup::hash);
  EXPECT_EQ(lookup(8192 * mib), hg::local_lookup::table);
}

}  // namespace
