// SPDX-License-Identifier: BSL-1.0
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace hg = halograph;

namespace {

/// What each rank is told where `body(rank)` runs jointly.
template <class Body>
std::vector<std::string> told(std::size_t ranks, const Body& body) {
  std::vector<std::string> out(ranks);
  hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
    try {
      hg::run_collective(me, [&] { body(me.rank()); });
    } catch (const hg::joint_error& problem) {
      out[me.rank()] = std::string(hg::name(problem.code())) + " " + problem.what();
    }
  });
  return out;
}

TEST(error_of, makes_sentences_of_what_the_standard_library_throws) {
  const auto thrown_by = [](auto&& throws) {
    try {
      throws();
    } catch (...) {
      return hg::error_of(std::current_exception());
    }
    return hg::error(hg::error_kind::ok, "");
  };
  const hg::error own(hg::error_kind::malformed, "wrong", {"file", 3, {}});
  EXPECT_STREQ(thrown_by([&] { throw own; }).what(), own.what());
  const auto too_long = thrown_by([] { std::vector<int>().reserve(~std::size_t{0}); });
  EXPECT_EQ(too_long.code(), hg::error_kind::memory);
  EXPECT_EQ(too_long.message().find("vector"), std::string::npos) << too_long.what();
  EXPECT_EQ(thrown_by([] { throw std::bad_alloc(); }).code(), hg::error_kind::memory);
  const auto file = thrown_by([] { static_cast<void>(std::filesystem::file_size("/none/x")); });
  EXPECT_EQ(file.code(), hg::error_kind::io);
  EXPECT_EQ(file.where().file, "/none/x");
  EXPECT_EQ(file.message().find("filesystem"), std::string::npos) << file.what();
  const auto threads = thrown_by([] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  EXPECT_EQ(threads.code(), hg::error_kind::io);
  EXPECT_NE(threads.message().find("--threads"), std::string::npos) << threads.what();
  EXPECT_EQ(thrown_by([] { throw 3; }).code(), hg::error_kind::internal);
}

TEST(run_collective, every_rank_raises_what_the_lowest_failed_with) {
  const auto said = told(4, [](std::size_t rank) {
    if (rank == 1)
      hg::raise(hg::error_kind::malformed, "no number", {.file = "a.txt", .line = 7, .byte = 0});
    if (rank == 3) hg::raise(hg::error_kind::io, "no room");
  });
  for (const auto& one : said)
    EXPECT_EQ(one, "malformed a.txt, line 7, byte 0: no number (on rank 1 of 4)");
}

TEST(run_collective, other_exceptions_become_errors_on_all_ranks) {
  EXPECT_EQ(told(2,
                 [](std::size_t rank) {
                   if (rank == 1) throw std::bad_alloc();
                 })[0],
            "memory not enough memory (on rank 1 of 2)");
  EXPECT_EQ(told(2,
                 [](std::size_t rank) {
                   if (rank == 0) throw std::runtime_error("odd");
                 })[1],
            "internal odd (on rank 0 of 2)");
}

TEST(run_collective, one_rank_raises_what_it_raised) {
  try {
    hg::run_collective(hg::single_rank{}, [] { hg::raise(hg::error_kind::io, "no room"); });
    FAIL();
  } catch (const hg::joint_error&) {
    FAIL() << "one rank tells nobody";
  } catch (const hg::error& problem) {
    EXPECT_STREQ(problem.what(), "no room");
  }
}

TEST(run_collective, a_rank_that_has_ended_is_an_error_of_each_rank_alone) {
  std::atomic<int> alone = 0;
  hg::run_ranks(3, [&](const hg::thread_rank& me) {
    if (me.rank() == 0) return;
    try {
      hg::run_collective(me, [] {});
    } catch (const hg::joint_error&) {
    } catch (const hg::error& problem) {
      if (problem.code() == hg::error_kind::canceled) ++alone;
    }
  });
  EXPECT_EQ(alone, 2);
}

TEST(run_collective, what_a_rank_throws_between_two_calls_of_all_is_raised_on_all) {
  for (int at = 0; at < 5; ++at) {
    std::vector<std::string> said(3);
    hg::run_ranks(3, [&](const hg::thread_rank& me) {
      const auto here = [&](int now) {
        if (now == at && me.rank() == 1)
          hg::raise(hg::error_kind::io, "no room at " + std::to_string(now));
      };
      try {
        hg::run_collective(me, [&] {
          here(0);
          static_cast<void>(hg::gather_numbers(me, 1));
          here(1);
          hg::run_collective(me, [&] { here(2); });
          here(3);
          std::string text = "words";
          hg::broadcast_text(me, text, 0);
          here(4);
        });
      } catch (const hg::joint_error& problem) {
        said[me.rank()] = problem.what();
      }
    });
    for (const auto& one : said)
      EXPECT_EQ(one, "no room at " + std::to_string(at) + " (on rank 1 of 3)");
  }
}

TEST(run_collective, what_all_ranks_have_found_is_raised_once_all_can_say_it) {
  for (const bool short_of_memory : {false, true}) {
    std::vector<std::string> said(3);
    hg::run_ranks(3, [&](const hg::thread_rank& me) {
      const auto sentence = [&] {
        if (short_of_memory && me.rank() == 1) throw std::bad_alloc();
        return std::string("there are no rows");
      };
      try {
        hg::run_collective(me, [&] {
          hg::raise_collective(
              me, hg::joint_error(hg::error_kind::mismatch, sentence(), {"rows.txt", 1, {}}));
        });
      } catch (const hg::joint_error& problem) {
        said[me.rank()] = problem.what();
      }
    });
    for (const auto& one : said)
      EXPECT_EQ(one, short_of_memory ? "not enough memory (on rank 1 of 3)"
                                     : "rows.txt, line 1: there are no rows");
  }
}

TEST(run_collective, ranks_that_say_different_things_raise_one_sentence) {
  // What each of three ranks says; rank 1 may fail before it can.
  const auto told_of = [](std::vector<std::string> said, bool fails = false) {
    std::vector<std::string> out(3);
    hg::run_ranks(3, [&](const hg::thread_rank& me) {
      try {
        hg::run_collective(me, [&] {
          if (fails && me.rank() == 1) hg::raise(hg::error_kind::io, "no room");
          hg::require_same(me, said[me.rank()], "asks for other things than",
                           "they must be the same on all ranks");
          out[me.rank()] = "on";
        });
      } catch (const hg::joint_error& problem) {
        out[me.rank()] = std::string(hg::name(problem.code())) + " " + problem.what();
      }
    });
    EXPECT_EQ(out[1], out[0]);
    EXPECT_EQ(out[2], out[0]);
    return out[0];
  };
  EXPECT_EQ(told_of({"a", "a", "a"}), "on");
  EXPECT_EQ(told_of({"", "", ""}), "on");
  EXPECT_EQ(
      told_of({"a", "a", "b"}),
      "mismatch rank 2 asks for other things than rank 0; they must be the same on all ranks");
  EXPECT_EQ(
      told_of({"b", "a", "a"}),
      "mismatch rank 1 asks for other things than rank 0; they must be the same on all ranks");
  EXPECT_EQ(
      told_of({"a", "a", "a "}),
      "mismatch rank 2 asks for other things than rank 0; they must be the same on all ranks");
  EXPECT_EQ(told_of({"a", "b", "b"}, true), "io no room (on rank 1 of 3)");
  // One rank asks nobody.
  hg::require_same(hg::single_rank{}, "a", "", "");
}

TEST(run_collective, numbers_and_texts_reach_all) {
  hg::run_ranks(3, [&](const hg::thread_rank& me) {
    EXPECT_EQ(hg::gather_numbers(me, std::vector<std::uint64_t>{me.rank(), 7}),
              (std::vector<std::uint64_t>{0, 7, 1, 7, 2, 7}));
    EXPECT_TRUE(hg::gather_numbers(me, std::vector<std::uint64_t>{}).empty());
    EXPECT_EQ(hg::gather_numbers(me, 10 * me.rank() + 1), (std::vector<std::uint64_t>{1, 11, 21}));
    std::string text = me.rank() == 2 ? "words" : "something longer";
    hg::broadcast_text(me, text, 2);
    EXPECT_EQ(text, "words");
  });
}

}  // namespace
