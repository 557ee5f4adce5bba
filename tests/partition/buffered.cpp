// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Policy>
class widths : public ::testing::Test {};
using policies =
    ::testing::Types<hg::basic_buffered<std::uint8_t>, hg::basic_buffered<std::uint16_t>,
                     hg::buffered, hg::basic_buffered<std::uint64_t>>;
TYPED_TEST_SUITE(widths, policies);

TYPED_TEST(widths, keep_the_laws_of_streaming_partitioners_on_every_small_graph) {
  for (const auto& g : hg::small_graphs<>()) {
    for (const std::uint64_t parts : {1u, 3u, 200u}) {
      TypeParam policy;
      policy.parts = parts;
      const auto lawful = hg::laws::streaming_partitioner(policy, parts, g);
      EXPECT_TRUE(lawful) << g.name() << ", " << parts << " parts: " << lawful.why;
    }
  }
}

TYPED_TEST(widths, keep_the_laws_of_partitioners_on_every_small_graph) {
  static_assert(hg::takes_seed<TypeParam> && hg::takes_constraints<TypeParam> &&
                hg::names_parts<TypeParam> && hg::chooses_order<TypeParam>);
  for (const auto& g : hg::small_graphs<>()) {
    for (const std::uint64_t parts : {1u, 2u, 3u, 7u}) {
      for (const auto order : {hg::stream_order::natural, hg::stream_order::shuffled}) {
        TypeParam policy;
        policy.parts = parts;
        policy.order = order;
        policy.seed = 5;
        const auto lawful = hg::laws::partitioner(policy, parts, g);
        EXPECT_TRUE(lawful) << g.name() << ": " << lawful.why;
        EXPECT_EQ(hg::assign(g, policy), hg::assign(g.coo(), policy))
            << g.name() << ": a storage with both directions, and a list";
      }
    }
  }
}

using hg::testing::few_threads;

using owners = std::vector<hg::part_id>;

template <class G>
std::uint64_t cut_of(const G& g, const owners& owner) {
  std::uint64_t cut = 0;
  hg::visit_edges(g, [&](auto u, auto v, auto) {
    cut += owner[static_cast<std::size_t>(u)] != owner[static_cast<std::size_t>(v)] ? 1u : 0u;
  });
  return cut;
}
std::vector<std::uint64_t> sizes(const owners& owner, std::size_t parts) {
  std::vector<std::uint64_t> out(parts);
  for (const auto p : owner) ++out.at(static_cast<std::size_t>(p));
  return out;
}

static_assert(hg::streaming_partitioner<hg::buffered>);
static_assert(hg::detail::finishes<hg::buffered::stream> &&
              hg::detail::takes_threads<hg::buffered::stream>);
static_assert(!hg::detail::finishes<hg::fennel::stream>);

TEST(buffered, cuts_a_grid_far_better_than_fennel_with_few_edges_held) {
  const hg::generators::grid g{.width = 200, .height = 200};
  const auto fennel = cut_of(g, hg::assign(g, hg::fennel{.parts = 8}));
  // A graph of 159,200 entries. Batches of 1 are held as the least that there may be, 2,048:
  // light edges are dropped there.
  for (const auto& [batch, most] : {std::pair<std::uint64_t, std::uint64_t>{1, 2500},
                                    {20000, 1900},
                                    {std::uint64_t{1} << 20, 1300}}) {
    const hg::buffered policy{.parts = 8, .batch = batch};
    const auto owner = hg::assign(g, policy);
    EXPECT_LT(cut_of(g, owner), fennel / 3 * 2) << batch;
    EXPECT_LE(cut_of(g, owner), most) << batch;
    for (const auto held : sizes(owner, 8)) {
      EXPECT_LE(held, 5150u);
      EXPECT_GE(held, 1u);
    }
  }
}

TEST(buffered, never_cuts_more_than_fennel) {
  const hg::generators::rmat g{.scale = 12, .edge_factor = 12, .seed = 3};
  for (const std::uint64_t batch : {1u, 20000u, 1u << 20}) {
    for (const std::uint64_t parts : {2u, 9u, 64u}) {
      const auto fennel = hg::assign(g, hg::fennel{.parts = parts});
      const auto owner = hg::assign(g, hg::buffered{.parts = parts, .batch = batch});
      EXPECT_LE(cut_of(g, owner), cut_of(g, fennel)) << batch << " " << parts;
    }
  }
}

TEST(buffered, caps_are_met_where_nodes_weigh_one) {
  const hg::generators::grid g{.width = 150, .height = 100};
  for (const std::uint64_t parts : {7u, 50u}) {
    for (const double tolerance : {0.0, 0.01}) {
      for (const std::uint64_t batch : {1u, 1u << 20}) {
        const auto owner = hg::assign(
            g, hg::buffered{.parts = parts, .batch = batch, .tolerance = tolerance});
        const std::uint64_t cap = std::max<std::uint64_t>(
            (15000 + parts - 1) / parts,
            15000 * static_cast<std::uint64_t>(100 + 100 * tolerance) / (100 * parts));
        for (const auto held : sizes(owner, static_cast<std::size_t>(parts)))
          EXPECT_LE(held, cap) << parts << " " << tolerance << " " << batch;
      }
    }
  }
}

TEST(buffered, constraints_are_balanced) {
  const hg::generators::grid g{.width = 100, .height = 100};
  std::vector<std::int64_t> ones(10000, 1), other(10000);
  for (std::size_t v = 0; v < other.size(); ++v) other[v] = static_cast<std::int64_t>(v % 7);
  const std::vector<hg::constraint> constraints{{.name = "nodes", .load = ones, .tolerance = 0.05},
                                                {.name = "other", .load = other, .tolerance = 0.1}};
  for (const std::uint64_t batch : {1u, 1u << 20}) {
    const auto owner = hg::assign(
        g, hg::buffered{.parts = 6, .batch = batch, .constraints = constraints});
    for (const auto& line :
         hg::measure_balance(std::span<const hg::part_id>(owner), 6, constraints))
      EXPECT_TRUE(line.met) << line.name << " " << line.imbalance << " " << batch;
  }
}

TEST(buffered, the_owners_do_not_depend_on_the_threads) {
  const hg::generators::rmat skewed{.scale = 10, .edge_factor = 6, .seed = 4};
  const hg::generators::grid even{.width = 120, .height = 90};
  for (const std::uint64_t batch : {1u, 1u << 20}) {
    const hg::buffered policy{.parts = 7, .batch = batch, .seed = 9};
    for (const std::size_t threads : {2u, 3u}) {
      const few_threads pool{threads};
      EXPECT_EQ(hg::assign(skewed, policy), hg::assign(skewed, policy, pool)) << threads;
      EXPECT_EQ(hg::assign(even, policy), hg::assign(even, policy, pool)) << threads;
    }
  }
}

TEST(buffered, the_owners_do_not_depend_on_the_order_of_the_edges) {
  const hg::generators::grid g{.width = 60, .height = 60};
  std::vector<std::uint32_t> from, to;
  hg::for_each_edge(g, [&](auto u, auto v, auto) {
    from.push_back(static_cast<std::uint32_t>(v));
    to.push_back(static_cast<std::uint32_t>(u));
  });
  std::reverse(from.begin(), from.end());
  std::reverse(to.begin(), to.end());
  for (const std::uint64_t batch : {1u, 1u << 20}) {
    const hg::buffered policy{.parts = 5, .batch = batch};
    EXPECT_EQ(hg::assign(g, policy),
              hg::assign(hg::coo_view<std::uint32_t>(3600, from, to), policy));
  }
}

TEST(buffered, a_stream_that_is_not_finished_is_fennels) {
  const hg::generators::grid g{.width = 30, .height = 30};
  const auto shape = hg::shape_of(g);
  const hg::buffered policy{.parts = 4};
  owners owner(900);
  std::vector<std::uint64_t> memory(policy.stream_scratch_size(shape));
  hg::buffered::stream stream;
  ASSERT_EQ(policy.begin(shape, owner, memory, stream), hg::status::ok);
  std::vector<std::vector<std::uint32_t>> rows(900);
  hg::for_each_edge(g, [&](auto u, auto v, auto) {
    rows[static_cast<std::size_t>(v)].push_back(static_cast<std::uint32_t>(u));
  });
  for (std::size_t v = 0; v < 900; ++v)
    ASSERT_EQ(stream.push(v, hg::each_of(rows[v])), hg::status::ok);
  EXPECT_EQ(owner, hg::assign(g, hg::fennel{.parts = 4}));
  ASSERT_EQ(stream.finish(), hg::status::ok);
  EXPECT_EQ(owner, hg::assign(g, policy));
  EXPECT_NE(owner, hg::assign(g, hg::fennel{.parts = 4}));
}

TEST(buffered, many_nodes_without_earlier_neighbors_are_held_within_the_batch) {
  // The first half of the nodes arrives without an edge; of the others each has two to it.
  constexpr std::uint32_t half = 20000;
  std::vector<std::uint32_t> from, to;
  for (std::uint32_t v = 0; v < half; ++v) {
    for (const std::uint32_t u : {v, (v + 1) % half}) {
      from.push_back(u);
      to.push_back(half + v);
    }
  }
  const hg::coo_view<std::uint32_t> g(std::size_t{2} * half, from, to);
  for (const std::uint64_t batch : {1u, 8192u, 1u << 20}) {
    const auto owner = hg::assign(g, hg::buffered{.parts = 4, .batch = batch});
    EXPECT_LE(cut_of(g, owner), cut_of(g, hg::assign(g, hg::fennel{.parts = 4}))) << batch;
    for (const auto held : sizes(owner, 4)) EXPECT_LE(held, 10300u) << batch;
  }
}

TEST(buffered, memory_is_a_few_words_for_each_node_and_the_batch) {
  const std::uint64_t few = hg::buffered_bytes(1000000, 3000000, 1 << 16, 1, 8),
                      many = hg::buffered_bytes(2000000, 3000000, 1 << 16, 1, 8);
  EXPECT_EQ(many - few, 8 * std::uint64_t{1000000});
  EXPECT_LT(few, std::uint64_t{24} << 20);
}

TEST(buffered, memory_grows_with_nodes_and_batch_and_not_with_edges) {
  const auto few = hg::buffered_bytes(1000000, 3000000, 1 << 20, 1, 8);
  EXPECT_EQ(few, hg::buffered_bytes(1000000, 3000000000u / 4, 1 << 20, 1, 8));
  EXPECT_LT(few, hg::buffered_bytes(1000000, 3000000, 1 << 22, 1, 8));
  EXPECT_EQ(hg::buffered_bytes(~std::uint64_t{0}, 1, 1, 1, 1), ~std::uint64_t{0});
}

}  // namespace
