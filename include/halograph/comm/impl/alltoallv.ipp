// SPDX-License-Identifier: BSL-1.0
/// @file alltoallv.ipp
/// Bodies of the plain functions of comm/alltoallv.hpp.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::uint64_t all_reduce_sum(communicator_ref ranks, std::uint64_t mine) {
  check_peers(ranks);
  std::array<std::uint64_t, 1> sum{mine};
  check_ranks(ranks.sum(sum));
  return sum[0];
}

HALOGRAPH_INLINE void alltoallv::allocate() {
  const std::size_t size = ranks_.size();
  for (auto* const numbers : {&out, &in, &eights_, &out_bytes_, &in_bytes_}) numbers->resize(size);
  scratch_.resize(16 * size);
}

HALOGRAPH_INLINE std::uint64_t alltoallv::exchange_counts() {
  check_ranks(halograph::exchange_counts(
      ranks_, std::span<const std::uint64_t>(out), std::span<std::uint64_t>(in),
      std::span<std::uint64_t>(eights_), std::span<std::byte>(scratch_)));
  return std::accumulate(in.begin(), in.end(), std::uint64_t{0});
}

HALOGRAPH_INLINE void alltoallv::exchange(std::span<const std::byte> sent,
                                          std::span<const std::uint64_t> sent_items,
                                          std::span<std::byte> received,
                                          std::span<const std::uint64_t> received_items,
                                          std::size_t width) {
  for (std::size_t r = 0; r < sent_items.size(); ++r) {
    out_bytes_[r] = sent_items[r] * width;
    in_bytes_[r] = received_items[r] * width;
  }
  check_ranks(ranks_.all_to_all(sent, out_bytes_, received, in_bytes_));
  sent_bytes_ += sent.size();
  received_bytes_ += received.size();
}

HALOGRAPH_INLINE void record_exchange::run(
    function_ref<bool(std::uint64_t)> produce,
    function_ref<void(std::uint64_t, std::size_t, std::span<const std::byte>)> consume) {
  std::exception_ptr problem;
  bool more = true;
  for (std::uint64_t round = 0;; ++round) {
    count_ = 0;
    if (more && !problem) {
      try {
        more = produce(round);
      } catch (const collective_abort&) {
        throw;
      } catch (...) {
        problem = std::current_exception();
      }
    }
    const auto [failed, any] = ask_ranks(ranks_, problem != nullptr, more || count_ != 0);
    if (failed) throw collective_abort{problem};
    if (!any) return;
    swap();
    for (std::size_t from = 0, at = 0; from < peers_.in.size() && !problem; ++from) {
      const auto bytes = width_ * static_cast<std::size_t>(peers_.in[from]);
      try {
        consume(round, from, std::span<const std::byte>(got_.data() + at, bytes));
      } catch (...) {
        problem = std::current_exception();
      }
      at += bytes;
    }
  }
}

HALOGRAPH_INLINE void record_exchange::swap() {
  // By rank, stable.
  auto& out = peers_.out;
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t i = 0; i < count_; ++i) ++out[to_of(i)];
  at_[0] = 0;
  for (std::size_t r = 1; r < at_.size(); ++r)
    at_[r] = at_[r - 1] + static_cast<std::size_t>(out[r - 1]);
  for (std::size_t i = 0; i < count_; ++i)
    std::memcpy(sorted_.data() + width_ * at_[to_of(i)]++, held_.data() + width_ * i, width_);
  const std::uint64_t total = peers_.exchange_counts();
  if (total > ranks_.size() * most_)
    raise(error_kind::mismatch, "a rank sends more records in a round than this rank has room for");
  peers_.exchange(sorted_.first(count_ * width_),
                  got_.first(static_cast<std::size_t>(total) * width_), width_);
}

}  // namespace halograph
