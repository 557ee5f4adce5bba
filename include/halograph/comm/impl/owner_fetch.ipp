// SPDX-License-Identifier: BSL-1.0
/// @file owner_fetch.ipp
/// Bodies of the plain functions of comm/owner_fetch.hpp.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void check_rows(std::size_t ids, std::size_t width, std::size_t bytes) {
  if (width == 0 ? bytes != 0 : bytes % width != 0 || bytes / width != ids) {
    raise(error_kind::mismatch,
          concat({ids, " rows of ", width, " bytes need a buffer of exactly their size, not of ",
                  bytes, " bytes"}));
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void row_exchange::make_room(std::size_t step, std::size_t width, bool answers) {
  const std::size_t others = ranks_.size() - 1, out = (answers ? others : 1) * step * width,
                    in = answers ? step * width : 0;
  if (places_.size() >= step && in_ids_.size() >= others * step && out_rows_.size() >= out &&
      in_rows_.size() >= in)
    return;
  // Release everything first: the old memory beside the new might exceed the budget.
  for (auto* const memory : {&ids_, &out_ids_, &in_ids_}) *memory = {};
  for (auto* const memory : {&places_, &ranks_of_}) *memory = {};
  for (auto* const memory : {&out_rows_, &in_rows_}) *memory = {};
  ids_ = uninitialized_array<std::uint64_t>(step);  // untouched memory costs nothing
  places_ = uninitialized_array<std::size_t>(step);
  ranks_of_ = uninitialized_array<std::size_t>(step);
  out_ids_ = uninitialized_array<std::uint64_t>(step);
  in_ids_ = uninitialized_array<std::uint64_t>(others * step);
  out_rows_ = uninitialized_array<std::byte>(out);
  in_rows_ = uninitialized_array<std::byte>(in);
}

HALOGRAPH_INLINE std::uint64_t row_exchange::begin_rounds(std::size_t count, std::size_t width,
                                                          bool answers) {
  const std::size_t size = ranks_.size();
  peers_.allocate();
  starts_.resize(size);
  const std::uint64_t most = all_reduce_max(ranks_, count);
  // The most rows for which no rank receives more than the budget, and the memory for IDs, their
  // positions and rows is at most twice the budget.
  const std::size_t goes = budget_ / size / std::max<std::size_t>(width, 8),
                    held = budget_ / (12 + size * (4 + width / 2 + width % 2));
  step_ = static_cast<std::size_t>(
      std::min<std::uint64_t>(most, std::max<std::size_t>(1, std::min(goes, held))));
  make_room(step_, width, answers);
  check_peers(ranks_);
  const std::uint64_t rounds = most == 0 ? 0 : (most - 1) / step_ + 1;
  counters_.rounds += rounds;
  return rounds;
}

HALOGRAPH_INLINE std::span<const std::uint64_t> row_exchange::swap_ids(
    std::span<const std::uint64_t> ids) {
  const std::uint64_t coming = peers_.exchange_counts();
  if (coming > in_ids_.size()) check_ranks(status::mismatch);  // another budget there
  const auto out = out_ids_.values().first(remote_count_),
             in = in_ids_.values().first(static_cast<std::size_t>(coming));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = ids[places_[i]];
  peers_.exchange(std::as_bytes(out), std::as_writable_bytes(in), 8);
  counters_.served_rows += coming;
  return in;
}

}  // namespace halograph
