// SPDX-License-Identifier: BSL-1.0
#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/random.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

struct letter {
  std::uint32_t from, number, to;
};

/// Each rank writes `count` letters to drawn ranks. @return [R] what each got, in the order of
/// arrival
std::vector<std::vector<letter>> send(std::size_t ranks, std::uint32_t count,
                                      std::size_t per_round) {
  std::vector<std::vector<letter>> got(ranks);
  hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
    hg::random_stream draw(me.rank());
    const auto mine = static_cast<std::uint32_t>(me.rank() * count);  // rank 0 has none
    std::uint32_t next = 0;
    hg::run_collective(me, [&] {
      hg::record_exchange exchange(me, sizeof(letter), per_round);
      exchange.run(
          [&](std::uint64_t) {
            for (; next < mine && exchange.room() != 0; ++next) {
              const auto to = static_cast<std::uint32_t>(draw.below(ranks));
              exchange.push(to, letter{static_cast<std::uint32_t>(me.rank()), next, to});
            }
            return next < mine;
          },
          [&](std::uint64_t, std::size_t from, std::span<const std::byte> bytes) {
            for (std::size_t at = 0; at < bytes.size(); at += sizeof(letter)) {
              letter one;
              std::memcpy(&one, bytes.data() + at, sizeof one);
              EXPECT_EQ(one.from, from);
              got[me.rank()].push_back(one);
            }
          });
    });
  });
  return got;
}

TEST(record_exchange, records_arrive_once_where_they_belong_in_their_senders_order) {
  for (const std::size_t ranks : {1u, 2u, 3u, 4u}) {
    for (const std::size_t per_round : {1u, 7u, 1000u}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(per_round) + " a round");
      const auto got = send(ranks, 50, per_round);
      std::size_t all = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        std::vector<std::int64_t> last(ranks, -1);
        for (const auto& one : got[r]) {
          EXPECT_EQ(one.to, r);
          EXPECT_GT(std::int64_t{one.number}, last[one.from]);
          last[one.from] = one.number;
        }
        all += got[r].size();
      }
      EXPECT_EQ(all, 50 * (ranks * (ranks - 1) / 2));
    }
  }
}

/// What all ranks are told where rank 1 of 3 fails at a point of its work.
std::string told_where(const std::string& where) {
  std::mutex mutex;
  std::vector<std::string> said;
  hg::run_ranks(3, [&](const hg::thread_rank& me) {
    const auto fail = [&](const char* here, bool now = true) {
      if (me.rank() == 1 && where == here && now) hg::raise(hg::error_kind::io, where);
    };
    try {
      hg::run_collective(me, [&] {
        fail("before");
        hg::record_exchange exchange(me, 4, 2);
        exchange.run(
            [&](std::uint64_t round) {
              fail("produce", round == 2);
              exchange.push(2, std::uint32_t{1});
              return round < 5;
            },
            [&](std::uint64_t round, std::size_t, std::span<const std::byte>) {
              fail("consume", round == 1);
            });
        fail("behind");
      });
    } catch (const hg::joint_error& problem) {
      const std::lock_guard lock(mutex);
      said.emplace_back(problem.what());
    }
    EXPECT_TRUE(me.barrier()) << "ranks have parted";
  });
  if (said.size() != 3 || said[0] != said[1] || said[1] != said[2]) return "not the same";
  return said[0];
}

TEST(record_exchange, a_failure_anywhere_in_the_work_reaches_all_ranks) {
  for (const std::string where : {"before", "produce", "consume", "behind"})
    EXPECT_EQ(told_where(where), where + " (on rank 1 of 3)");
}

TEST(record_exchange, rounds_fit_their_memory) {
  EXPECT_EQ(hg::records_per_round(6000, 3, 12), 6000u / 64);
  EXPECT_EQ(hg::records_per_round(1, 3, 12), 1u);
}

TEST(record_exchange, numbers_of_all_ranks_are_brought_together) {
  hg::run_ranks(3, [&](const hg::thread_rank& me) {
    EXPECT_EQ(hg::all_reduce_min(me, 5 + me.rank()), 5u);
    EXPECT_EQ(hg::all_reduce_max(me, 5 + me.rank()), 7u);
    EXPECT_EQ(hg::all_reduce_sum(me, 5 + me.rank()), 18u);
  });
}

}  // namespace
