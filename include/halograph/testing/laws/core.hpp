// SPDX-License-Identifier: BSL-1.0
/// @file core.hpp
/// The laws of executors and communicators.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/status.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph::laws {

/// Every call does what the concept says, for pieces of different sizes and for empty ones; counts
/// that do not match are rejected before anything is exchanged. Collective; each rank gets its own
/// verdict.
template <halograph::communicator Communicator>
verdict communicator(const Communicator& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  verdict answer;
  const auto expect = [&](bool seen, const char* what) {
    if (answer.holds && !seen)
      answer = detail::broken(std::string(what) + " (rank " + std::to_string(rank) + " of " +
                              std::to_string(size) + ")");
  };
  const auto byte = [](std::size_t x) { return static_cast<std::byte>(x); };
  if (size == 0) return detail::broken("size() must be at least 1");
  expect(rank < size, "rank() must be below size()");
  expect(static_cast<bool>(ranks.barrier()), "barrier() does not return ok");

  std::vector<std::byte> all(3 * size, byte(255));
  const std::vector<std::byte> mine(3, byte(rank));
  expect(static_cast<bool>(ranks.all_gather(mine, all)), "all_gather rejects 3 bytes of each rank");
  for (std::size_t i = 0; i < all.size(); ++i)
    expect(all[i] == byte(i / 3), "all_gather must give each rank's bytes in the order of ranks");
  expect(static_cast<bool>(ranks.all_gather({}, {})), "all_gather rejects 0 bytes");

  for (std::size_t root = 0; root < size; ++root) {
    std::vector<std::byte> data(5, byte(100 + rank));
    expect(static_cast<bool>(ranks.broadcast(data, root)), "broadcast rejects 5 bytes");
    expect(data == std::vector<std::byte>(5, byte(100 + root)),
           "broadcast must give all ranks the root's bytes");
  }

  // Rank r sends 2r + 4p bytes to rank p: rank 0 none to itself.
  std::vector<std::uint64_t> out_counts(size), in_counts(size), numbers{rank, ~std::uint64_t{0}};
  std::vector<std::byte> out, in, expected;
  for (std::size_t p = 0; p < size; ++p) {
    out_counts[p] = 2 * rank + 4 * p;
    in_counts[p] = 2 * p + 4 * rank;
    for (std::size_t i = 0; i < out_counts[p]; ++i) out.push_back(byte(rank * size + p + 37 * i));
    for (std::size_t i = 0; i < in_counts[p]; ++i)
      expected.push_back(byte(p * size + rank + 37 * i));
  }
  in.resize(expected.size());
  expect(static_cast<bool>(ranks.all_to_all(out, out_counts, in, in_counts)),
         "all_to_all rejects counts that match");
  expect(in == expected, "all_to_all must store the pieces end to end, in the order of ranks");
  const std::vector<std::uint64_t> none(size);
  expect(static_cast<bool>(ranks.all_to_all({}, none, {}, none)),
         "all_to_all rejects empty pieces");

  expect(static_cast<bool>(ranks.sum(numbers)), "sum rejects two numbers");
  expect(numbers[0] == size * (size - 1) / 2 && numbers[1] == ~std::uint64_t{0} - (size - 1),
         "sum must add the numbers of all ranks, modulo 2^64");

  expect(ranks.broadcast(out, size) == status::out_of_range,
         "a root out of range must be out_of_range");
  expect(ranks.all_gather(mine, std::span(all).first(3 * size - 1)) == status::mismatch,
         "all_gather into too few bytes must be mismatch");
  out.push_back(byte(0));
  expect(ranks.all_to_all(out, out_counts, in, in_counts) == status::mismatch,
         "counts that do not add up to the bytes sent must be mismatch");
  out.pop_back();
  in.push_back(byte(0));
  expect(ranks.all_to_all(out, out_counts, in, in_counts) == status::mismatch,
         "counts that do not add up to the bytes received must be mismatch");
  expect(ranks.all_to_all(out, std::span(out_counts).first(size - 1), in, in_counts) ==
             status::mismatch,
         "fewer counts than ranks must be mismatch");
  expect(static_cast<bool>(ranks.barrier()), "barrier() does not return ok");
  return answer;
}

/// Every index is visited once; pieces lie in the range and hold at least `grain` indices if the
/// range does; an empty range calls nothing; the call returns after the last piece; an exception of
/// the body reaches the caller.
template <halograph::executor Executor>
verdict executor(const Executor& e) {
  if (e.concurrency() == 0) return detail::broken("concurrency() must be at least 1");
  for (const std::size_t size : {0u, 1u, 2u, 7u, 64u, 1000u}) {
    for (const std::size_t grain : {1u, 3u, 64u, 5000u}) {
      const std::size_t first = 5;
      std::vector<std::atomic<unsigned>> visits(size);
      std::atomic<bool> outside{false}, small{false};
      e.parallel_for(first, first + size, grain, [&](std::size_t begin, std::size_t end) {
        if (begin < first || end > first + size || begin >= end) {
          outside = true;
          return;
        }
        if (end - begin < grain && size >= grain) small = true;
        for (std::size_t i = begin; i < end; ++i) ++visits[i - first];
      });
      const std::string range = " for " + std::to_string(size) + " indices and grain " +
                                std::to_string(grain);
      if (outside) return detail::broken("a piece is empty or lies outside the range" + range);
      if (small) return detail::broken("a piece is smaller than the grain" + range);
      for (std::size_t i = 0; i < size; ++i) {
        if (visits[i] != 1)
          return detail::broken("index " + std::to_string(i) + " is visited " +
                                std::to_string(visits[i]) + " times" + range);
      }
    }
  }
  try {
    e.parallel_for(0, 8, 1,
                   [](std::size_t, std::size_t) { raise(error_kind::canceled, "the body stops"); });
  } catch (const error& problem) {
    if (problem.code() == error_kind::canceled) return {};
  }
  return detail::broken("an exception of the body must reach the caller");
}

}  // namespace halograph::laws
