// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/part_columns.hpp>

#include <gtest/gtest.h>
#include <support/halo_model.hpp>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using columns = hg::part_columns<std::int32_t, std::int32_t>;

hg::partition_plan<std::int32_t, std::int32_t> plan_of(const plain::graph& g,
                                                       const plain::owners& owner,
                                                       std::size_t parts) {
  return hg::make_partition_plan<std::int32_t, std::int32_t>(plain::columns<std::int32_t>(g).view(),
                                                             owner, parts, {}, hg::sequential{});
}

TEST(part_columns, count_halo_nodes_by_hop_as_the_format_describes) {
  hg::random_stream draw(12);
  for (int round = 0; round < 100; ++round) {
    const auto g = plain::random_graph(draw);
    const auto parts = static_cast<std::size_t>(2 + draw.below(3));
    const auto owner = plain::random_owners(draw, g.nodes, parts);
    const auto plan = plan_of(g, owner, parts);
    columns part(plan);
    for (const unsigned hops : {1u, 2u, 3u, 20u}) {
      for (std::size_t p = 0; p < parts; ++p) {
        part.expand(p, {.hops = hops});
        auto want = plain::expand(g, owner, p, hops, true);
        want.per_hop.resize(std::min<std::size_t>(hops, g.nodes));
        EXPECT_EQ(part.report().halo_nodes_per_hop,
                  std::vector<std::uint64_t>(want.per_hop.begin(), want.per_hop.end()));
        EXPECT_EQ(part.report().halo_nodes, want.nodes.size() - want.inner_nodes);
      }
    }
  }
}

TEST(part_columns, any_number_of_hops_takes_no_more_than_a_count_per_node) {
  const auto plan = plan_of({4, {{0, 1}, {1, 2}, {2, 3}}}, {0, 0, 0, 1}, 2);
  columns part(plan);
  part.expand(1, {.hops = std::numeric_limits<unsigned>::max()});
  EXPECT_EQ(part.report().halo_nodes_per_hop, (std::vector<std::uint64_t>{1, 1, 1, 0}));
  const auto nothing = plan_of({0, {}}, {}, 2);
  columns empty(nothing);
  empty.expand(0, {.hops = 7});
  EXPECT_TRUE(empty.report().halo_nodes_per_hop.empty());
}

// A sink that threads may write to at once; it fails where it is told to, and remembers what it was
// told afterwards.
struct apart_memory {
  std::vector<std::byte> bytes{};
  std::uint64_t fails_at = ~std::uint64_t{0};
  std::vector<std::pair<std::uint64_t, std::size_t>> accounted{};
  hg::status write_apart(std::uint64_t offset, std::span<const std::byte> data) {
    if (fails_at - offset < data.size()) return {hg::errc::io, fails_at};
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return hg::status::ok;
  }
  void account_for(std::uint64_t offset, std::span<const std::byte> data) {
    accounted.emplace_back(offset, data.size());
  }
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> data) {
    return write_apart(offset, data);
  }
};

TEST(part_columns, write_the_same_bytes_when_threads_share_a_part) {
  // More edges than a thread takes at once; walks enter rows and lists in their middle.
  hg::random_stream draw(3);
  plain::graph g{5000, {}};
  for (int i = 0; i < 150'000; ++i) g.edges.emplace_back(draw.below(5000), draw.below(5000));
  plain::owners owner(g.nodes);
  for (auto& part : owner) part = draw.below(3) == 0 ? 1 : 0;
  const auto plan = plan_of(g, owner, 2);
  columns alone(plan), shared(plan);
  shared.share(2, [](std::size_t count, const std::function<void(std::size_t)>& task) {
    std::thread other([&] {
      for (std::size_t i = 1; i < count; i += 2) task(i);
    });
    for (std::size_t i = 0; i < count; i += 2) task(i);
    other.join();
  });
  for (const unsigned hops : {1u, 2u}) {
    alone.expand(0, {.hops = hops});
    shared.expand(0, {.hops = hops});
    ASSERT_GT(alone.num_edges(), 120'000u);
    for (const auto what : {hg::column::coo_source, hg::column::coo_target, hg::column::edge_id,
                            hg::column::inner_edge, hg::column::node_id}) {
      for (const auto type : {hg::dtype::int64, hg::dtype::int32}) {
        const bool of_nodes = what == hg::column::node_id;
        const hg::section where{
            what, 0, 3, type, {of_nodes ? alone.num_nodes() : alone.num_edges()}};
        apart_memory one, two;
        one.bytes.resize(3 + static_cast<std::size_t>(where.bytes()));
        two.bytes.resize(one.bytes.size());
        ASSERT_EQ(alone.write(one, where), hg::status::ok);
        ASSERT_EQ(shared.write(two, where), hg::status::ok);
        EXPECT_TRUE(one.bytes == two.bytes) << static_cast<int>(what) << ' ' << hops;
        std::uint64_t next = 3;
        for (const auto& [offset, size] : two.accounted) {
          EXPECT_EQ(offset, next);
          next += size;
        }
        if (type != hg::dtype::int64 || what == hg::column::inner_edge || of_nodes) continue;
        // What is written at once or after it is told of, front to back; a failure is passed on.
        EXPECT_FALSE(two.accounted.empty());
        apart_memory full;
        full.bytes.resize(one.bytes.size());
        full.fails_at = 400'000;
        const hg::status answer = shared.write(full, where);
        EXPECT_EQ(answer.code, hg::errc::io);
        EXPECT_EQ(answer.position, 400'000u);
      }
    }
  }
}

}  // namespace
