// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/pipeline/part_column_writer.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_plan.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

/// Every other index on a thread of its own.
struct two_threads {
  static std::size_t concurrency() { return 2; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::thread other([&] {
      for (std::size_t i = first + 1; i < last; i += 2) body(i, i + 1);
    });
    for (std::size_t i = first; i < last; i += 2) body(i, i + 1);
    other.join();
  }
};

// A sink that threads may write to at once; it fails where it is told to, and remembers what it was
// told afterwards.
struct apart_memory {
  std::vector<std::byte> bytes{};
  std::uint64_t fails_at = ~std::uint64_t{0};
  std::vector<std::pair<std::uint64_t, std::size_t>> accounted{};
  std::vector<std::byte> told{};  // the bytes themselves
  hg::status write_apart(std::uint64_t offset, std::span<const std::byte> data) {
    if (fails_at - offset < data.size()) return {hg::error_kind::io, fails_at};
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return hg::status::ok;
  }
  void account_for(std::uint64_t offset, std::span<const std::byte> data) {
    accounted.emplace_back(offset, data.size());
    told.insert(told.end(), data.begin(), data.end());
  }
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> data) {
    return write_apart(offset, data);
  }
};
// The same, kept by the test.
struct apart_reference {
  apart_memory* memory;
  hg::status write_apart(std::uint64_t offset, std::span<const std::byte> data) {
    return memory->write_apart(offset, data);
  }
  void account_for(std::uint64_t offset, std::span<const std::byte> data) {
    memory->account_for(offset, data);
  }
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> data) {
    return memory->write_at(offset, data);
  }
};

TEST(part_column_writer, writes_the_same_bytes_when_threads_share_a_part) {
  // More edges than all threads take at once, more than twice; walks enter rows and lists in their
  // middle.
  hg::random_stream draw(3);
  plain::graph g{5000, {}};
  for (int i = 0; i < 500'000; ++i) g.edges.emplace_back(draw.below(5000), draw.below(5000));
  plain::owners owner(g.nodes);
  for (auto& part : owner) part = draw.below(3) == 0 ? 1 : 0;
  const auto plan = hg::make_partition_plan<std::int32_t, std::int32_t>(
      plain::columns<std::int32_t>(g).view(), owner, 2, {}, hg::sequential{});
  hg::part_columns<std::int32_t, std::int32_t> part(plan);
  const two_threads threads;
  for (const unsigned hops : {1u, 2u}) {
    part.expand(0, {.hops = hops});
    hg::part_column_writer<std::int32_t, std::int32_t> alone(part),
        shared(part, std::pmr::get_default_resource(), threads);
    ASSERT_GT(part.num_edges(), 3u * 131'072);
    for (const auto what : {hg::column::coo_source, hg::column::coo_target, hg::column::edge_id,
                            hg::column::inner_edge, hg::column::node_id}) {
      for (const auto type : {hg::dtype::int64, hg::dtype::int32}) {
        const bool of_nodes = what == hg::column::node_id;
        const hg::section where{what, 0, 3, type, {of_nodes ? part.num_nodes() : part.num_edges()}};
        apart_memory one, two;
        one.bytes.resize(3 + static_cast<std::size_t>(where.bytes()));
        two.bytes.resize(one.bytes.size());
        hg::any_sink to_one(apart_reference{&one}), to_two(apart_reference{&two});
        ASSERT_EQ(alone.write(to_one, where), hg::status::ok);
        ASSERT_EQ(shared.write(to_two, where), hg::status::ok);
        EXPECT_TRUE(one.bytes == two.bytes) << static_cast<int>(what) << ' ' << hops;
        std::uint64_t next = 3;
        for (const auto& [offset, size] : two.accounted) {
          EXPECT_EQ(offset, next);
          next += size;
        }
        if (type != hg::dtype::int64 || what == hg::column::inner_edge || of_nodes) continue;
        // The sink is told of what is written, front to back; a failure is passed on. The rest,
        // less than a block, is written and told of at once.
        EXPECT_GE(two.accounted.size(), 3u);
        const std::size_t rest = two.bytes.size() - 3 - two.told.size();
        EXPECT_LE(rest, std::size_t{1} << 18);
        EXPECT_TRUE(std::equal(two.told.begin(), two.told.end(), two.bytes.begin() + 3));
        apart_memory full;
        full.bytes.resize(one.bytes.size());
        full.fails_at = 400'000;
        hg::any_sink to_full(apart_reference{&full});
        const hg::status answer = shared.write(to_full, where);
        EXPECT_EQ(answer.code, hg::error_kind::io);
        EXPECT_EQ(answer.position, 400'000u);
      }
    }
  }
}

}  // namespace
