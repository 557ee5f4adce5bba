// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

namespace hg = halograph;

namespace {

constexpr bool alone_in_constant_evaluation() {
  const hg::single_rank ranks;
  const std::array<std::byte, 3> mine{std::byte{1}, std::byte{2}, std::byte{3}};
  std::array<std::byte, 3> all{}, in{};
  const std::array<std::uint64_t, 1> three{3};
  return ranks.all_gather(mine, all) && all == mine && ranks.all_to_all(mine, three, in, three) &&
         in == mine && ranks.barrier() && ranks.size() == 1;
}
static_assert(alone_in_constant_evaluation());

TEST(communicator_ref, keeps_the_laws_over_one_rank_and_over_threads) {
  const hg::single_rank alone;
  for (const hg::communicator_ref ranks : {hg::communicator_ref{}, hg::communicator_ref{alone},
                                           hg::communicator_ref{hg::single_rank{}}}) {
    const auto verdict = hg::laws::communicator(ranks);
    EXPECT_TRUE(verdict) << verdict.why;
    EXPECT_EQ(ranks.size(), 1u);
  }
  for (const std::size_t size : {1u, 2u, 3u, 5u}) {
    hg::run_ranks(size, [&](const auto& threads) {
      const hg::communicator_ref ranks = threads;
      EXPECT_EQ(ranks.size(), size);
      EXPECT_EQ(ranks.rank(), threads.rank());
      const auto verdict = hg::laws::communicator(ranks);
      EXPECT_TRUE(verdict) << verdict.why;
    });
  }
}

/// Has a member, so a reference to a temporary would dangle.
struct with_state : hg::single_rank {
  int state = 0;
};
static_assert(hg::communicator<with_state>);
static_assert(std::is_constructible_v<hg::communicator_ref, const with_state&>);
static_assert(!std::is_constructible_v<hg::communicator_ref, with_state>);
static_assert(!std::is_constructible_v<hg::communicator_ref, int>);

TEST(check_exchange, wants_one_count_per_rank_and_buffers_of_their_sum) {
  const std::array<std::uint64_t, 2> counts{3, 4};
  EXPECT_EQ(hg::check_exchange(2, 7, counts), hg::status::ok);
  EXPECT_EQ(hg::check_exchange(2, 8, counts), hg::status::mismatch);
  EXPECT_EQ(hg::check_exchange(2, 8, counts).position, 7u);
  EXPECT_EQ(hg::check_exchange(3, 7, counts), hg::status::mismatch);
  // A sum that wraps around to the buffer's size does not fit it.
  const std::array<std::uint64_t, 2> wraps{~std::uint64_t{0}, 8};
  EXPECT_EQ(hg::check_exchange(2, 7, wraps), hg::status::mismatch);
  EXPECT_EQ(hg::check_exchange(2, 7, wraps).position, ~std::uint64_t{0});
}

TEST(agree, every_rank_hears_of_the_lowest_rank_that_failed) {
  for (const std::size_t size : {1u, 2u, 3u, 5u}) {
    for (std::size_t failing = 0; failing <= size;
         ++failing) {  // ranks failing.. fail; none where failing == size
      hg::run_ranks(size, [&](const auto& ranks) {
        const auto mine = ranks.rank() >= failing
                              ? hg::status::capacity.at(0x1234567890 + ranks.rank())
                              : hg::status::ok;
        const hg::status heard = hg::agree(ranks, mine);
        EXPECT_EQ(heard, failing < size ? hg::status::capacity : hg::status::ok);
        EXPECT_EQ(heard.position, failing < size ? 0x1234567890 + failing : 0);
      });
    }
  }
}

// One rank, whose calls of one kind fail, or whose sum counts a failure that no rank reports.
struct faulty_rank : hg::single_rank {
  hg::status of_sum{}, of_broadcast{}, of_all_to_all{};
  std::uint64_t added = 0;
  hg::status sum(std::span<std::uint64_t> values) const {
    for (auto& value : values) value += added;
    return of_sum;
  }
  hg::status broadcast(std::span<std::byte>, std::size_t) const { return of_broadcast; }
  hg::status all_to_all(std::span<const std::byte>, std::span<const std::uint64_t>,
                        std::span<std::byte>, std::span<const std::uint64_t>) const {
    return of_all_to_all;
  }
};
static_assert(hg::communicator<faulty_rank>);
constexpr hg::status stopped{hg::error_kind::canceled, 0};

TEST(agree, passes_on_what_the_communicator_reports) {
  faulty_rank ranks;
  ranks.of_sum = stopped.at(7);
  EXPECT_EQ(hg::agree(ranks, hg::status::ok), stopped.at(7));
  ranks.of_sum = {};
  ranks.of_broadcast = stopped.at(8);
  EXPECT_EQ(hg::agree(ranks, hg::status::ok), hg::status::ok) << "there is nothing to broadcast";
  EXPECT_EQ(hg::agree(ranks, hg::status::capacity), stopped.at(8));
  ranks.of_broadcast = {};
  ranks.added = 1;
  EXPECT_EQ(hg::agree(ranks, hg::status::ok), hg::status::internal);
}

TEST(exchange_counts, passes_on_what_the_communicator_reports_and_checks_every_length) {
  faulty_rank ranks;
  std::vector<std::uint64_t> one(1), two(2);
  std::vector<std::byte> bytes(16);
  ranks.of_all_to_all = stopped.at(7);
  EXPECT_EQ(hg::exchange_counts(ranks, one, one, one, bytes), stopped.at(7));
  for (const auto answer : {hg::exchange_counts(ranks, two, one, one, bytes),
                            hg::exchange_counts(ranks, one, two, one, bytes),
                            hg::exchange_counts(ranks, one, one, two, bytes),
                            hg::exchange_counts(ranks, one, one, one, std::span(bytes).first(15))})
    EXPECT_EQ(answer, hg::status::mismatch.at(1));
}

TEST(single_rank, refuses_buffers_that_do_not_fit_each_other) {
  const hg::single_rank alone;
  std::vector<std::byte> two(2), three(3);
  const std::vector<std::uint64_t> of_two{2}, of_three{3}, of_both{2, 0};
  EXPECT_EQ(alone.broadcast(two, 1), hg::status::out_of_range.at(1));
  EXPECT_EQ(alone.all_gather(two, three), hg::status::mismatch.at(2));
  EXPECT_EQ(alone.all_to_all(two, of_two, three, of_three), hg::status::mismatch.at(2));
  EXPECT_EQ(alone.all_to_all(two, of_three, two, of_two), hg::status::mismatch.at(3));
  EXPECT_EQ(alone.all_to_all(two, of_two, two, of_both), hg::status::mismatch.at(1));
}

TEST(exchange_counts, tells_each_rank_what_it_will_get) {
  for (const std::size_t size : {1u, 2u, 4u}) {
    hg::run_ranks(size, [&](const auto& ranks) {
      std::vector<std::uint64_t> out(size), in(size), eights(size);
      std::vector<std::byte> bytes(16 * size);
      for (std::size_t r = 0; r < size; ++r) out[r] = (std::uint64_t{1} << 40) * ranks.rank() + r;
      ASSERT_EQ(hg::exchange_counts(ranks, out, in, eights, bytes), hg::status::ok);
      for (std::size_t r = 0; r < size; ++r)
        EXPECT_EQ(in[r], (std::uint64_t{1} << 40) * r + ranks.rank());
      EXPECT_EQ(hg::exchange_counts(ranks, out, in, eights, std::span(bytes).first(15)),
                hg::status::mismatch);
    });
  }
}

TEST(run_ranks, a_rank_that_gives_up_keeps_nobody_waiting) {
  std::mutex guard;
  std::vector<hg::error_kind> seen;
  const auto three = [&](const auto& ranks) {
    if (ranks.rank() == 1) hg::raise(hg::error_kind::io, "the disk is full");
    for (int call = 0; call < 3; ++call) {
      const hg::status answer = ranks.barrier();
      const std::lock_guard lock(guard);
      seen.push_back(answer.code);
    }
  };
  try {
    hg::run_ranks(3, three);
    FAIL() << "the exception is lost";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::io);
  }
  EXPECT_EQ(seen, std::vector<hg::error_kind>(6, hg::error_kind::canceled));
}

TEST(run_ranks, ranks_that_disagree_about_a_size_are_told) {
  const auto body = [](const auto& ranks) {
    std::vector<std::byte> data(ranks.rank() + 1);
    EXPECT_EQ(ranks.broadcast(data, 0), ranks.rank() == 0 ? hg::status::ok : hg::status::mismatch);
    std::vector<std::byte> all(2 * data.size());
    EXPECT_EQ(ranks.all_gather(data, all), hg::status::mismatch);
    std::vector<std::uint64_t> values(ranks.rank() + 1);
    EXPECT_EQ(ranks.sum(values), hg::status::mismatch);
    const std::array<std::uint64_t, 2> out{1, ranks.rank()}, in{1, 1};
    std::vector<std::byte> out_bytes(1 + ranks.rank()), in_bytes(2);
    EXPECT_EQ(ranks.all_to_all(out_bytes, out, in_bytes, in),
              ranks.rank() == 0 ? hg::status::ok : hg::status::mismatch);
  };
  for (std::uint64_t seed = 0; seed < 9; ++seed) {  // whichever rank comes first
    SCOPED_TRACE(seed);
    hg::run_ranks(2, body, {.seed = seed});
  }
}

}  // namespace
