// SPDX-License-Identifier: BSL-1.0
// What verification allocates at its peak is at most what it announces, and not much less.
#include "support/count_allocations.hpp"
#include "support/live_bytes.hpp"
#include "support/memory_folder.hpp"
#include "support/piece_threads.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/verify/run_checks.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::memory_folder;

namespace {

constexpr std::uint64_t nodes = 6000, edges = 60000, parts = 4, base = 8u << 20;
using graph = hg::dataset<std::uint32_t, std::uint32_t>;

graph drawn() {
  graph out;
  out.name = "drawn";
  out.schema = hg::graph_schema::homogeneous();
  out.node_counts = {nodes};
  out.edges.resize(1);
  hg::random_stream draws(5);
  for (std::uint64_t e = 0; e < edges; ++e) {
    out.edges[0].source.push_back(static_cast<std::uint32_t>(draws.below(nodes)));
    out.edges[0].target.push_back(static_cast<std::uint32_t>(draws.below(nodes)));
  }
  out.finish();
  return out;
}

memory_folder written(const graph& data, unsigned hops, bool mapping) {
  const hg::testing::memory_target<hg::dgl_serializer> target;
  std::vector<hg::part_id> owner;
  for (std::uint64_t v = 0; v < nodes; ++v) owner.push_back(static_cast<hg::part_id>(v % parts));
  hg::partition_options options;
  options.graph_name = "g";
  options.hops = hops;
  options.save_mapping = mapping;
  hg::partition_graph(data, hg::given{.parts = parts, .owners = owner}, target, options);
  return target.folder;
}

const hg::format_set<hg::dgl_serializer> formats;
const hg::nlohmann_codec codec;

/// The least budget that is not refused, given one that suffices.
template <class Verify>
std::uint64_t least_that_suffices(const Verify& verify, std::uint64_t most,
                                  const std::string& what) {
  std::uint64_t refused = 0;
  while (most - refused > 1) {
    const std::uint64_t middle = refused + (most - refused) / 2;
    try {
      EXPECT_TRUE(verify({.most_bytes = middle}).ok()) << what;
      most = middle;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::memory) << what;
      EXPECT_NE(std::string(problem.what()).find("verifying this folder needs up to "),
                std::string::npos)
          << problem.what();
      refused = middle;
    }
  }
  return most;
}

template <class Verify>
void expect_announced(const Verify& verify, const std::string& what) {
  hg::verification found;
  const std::size_t peak = hg::testing::peak_of([&] { found = verify(hg::verify_options{}); });
  EXPECT_TRUE(found.ok()) << what;
  ASSERT_GT(found.memory_bytes, base) << what;
  EXPECT_LE(peak, found.memory_bytes - base) << what;
  EXPECT_LE((found.memory_bytes - base) / 2, peak) << what;
  EXPECT_TRUE(verify({.most_bytes = found.memory_bytes}).ok()) << what;
  const std::uint64_t least = least_that_suffices(verify, found.memory_bytes, what);
  EXPECT_EQ(least, found.least_bytes) << what;
  for (const std::uint64_t most :
       {least, least + (found.memory_bytes - least) / 3, found.memory_bytes - 1}) {
    if (most < least) continue;
    hg::verification within;
    const std::size_t taken = hg::testing::peak_of(
        [&] { within = verify(hg::verify_options{.most_bytes = most}); });
    EXPECT_TRUE(within.ok()) << what;
    EXPECT_LE(within.memory_bytes, most) << what;
    EXPECT_LE(taken, within.memory_bytes - base) << what;
  }
}

TEST(verify_memory, is_announced_and_no_more_is_taken) {
  const graph data = drawn();
  const hg::testing::piece_threads two_threads{2};
  for (const unsigned hops : {1u, 2u}) {
    for (const bool mapping : {false, true}) {
      const memory_folder files = written(data, hops, mapping);
      const hg::folder_access access(files, codec, formats);
      const std::string what = std::to_string(hops) + (mapping ? " hops, mapped" : " hops");
      expect_announced(
          [&](const hg::verify_options& options) {
            return hg::verify_partition("g.json", access, options);
          },
          what);
      expect_announced(
          [&](const hg::verify_options& options) {
            return hg::verify_partition("g.json", access, options, two_threads);
          },
          what + ", two threads");
      expect_announced(
          [&](const hg::verify_options& options) {
            return hg::verify_partition("g.json", data, access, options);
          },
          what + ", against the input");
    }
  }
}

TEST(verify_memory, of_one_part_grows_with_nodes_alone) {
  using hg::detail::ends_kept;
  const auto of = [](std::uint64_t n, std::uint64_t m, ends_kept ends, std::uint64_t hops = 1) {
    return hg::detail::verify_memory({.nodes = n, .edges = m, .hops = hops, .ends = ends});
  };
  EXPECT_LT(of(1000, 8000000, ends_kept::nowhere), of(1000, 8000000, ends_kept::in_memory) / 2);
  EXPECT_LT(of(1000, 8000000, ends_kept::in_parts), of(1000, 8000000, ends_kept::in_memory) / 2)
      << "edges are read from the parts";
  EXPECT_GE(of(1000, 8000000, ends_kept::in_parts, 2),
            of(1000, 8000000, ends_kept::in_parts) + 8000000 * 4)
      << "edges by their target";
  EXPECT_EQ(of(0, 0, ends_kept::in_memory), base);
  EXPECT_EQ(of(~std::uint64_t{0}, ~std::uint64_t{0}, ends_kept::in_memory), ~std::uint64_t{0});
}

}  // namespace
