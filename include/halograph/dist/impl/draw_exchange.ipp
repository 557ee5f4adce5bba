// SPDX-License-Identifier: BSL-1.0
/// @file draw_exchange.ipp
/// Bodies of the plain functions of dist/draw_exchange.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/draw_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::size_t draw_exchange::begin(std::uint64_t expected) {
  const std::size_t size = ranks_.size(), others = size - 1,
                    most = std::max<std::size_t>(1, share_ / 2);  // requests to each
  const auto row = static_cast<std::size_t>(std::min<std::uint64_t>(expected, share_)) + 1;
  peers_.resize(size);
  for (std::size_t r = 0; r < size; ++r) {
    auto& one = peers_[r];
    one.asked.clear();
    one.inbox.clear();
    one.begin = 0;
    if (r == ranks_.rank()) continue;
    one.asked.reserve(most);
    one.inbox.reserve(2 * share_ + row);
  }
  order_.clear();
  order_.reserve(others * (2 * share_ + most));
  taken_ = 0;
  traffic_.allocate();
  make_room(requests_out_, others * 2 * most);
  make_room(requests_in_, others * 2 * most);
  make_room(answers_in_, others * (share_ + row));
  answers_out_.reserve(others * (share_ + row));
  return static_cast<std::size_t>(
      std::max<std::uint64_t>(1, share_ / (std::clamp<std::uint64_t>(expected, 1, share_) + 1)));
}

HALOGRAPH_INLINE void draw_exchange::run_rounds(
    bool seeded, function_ref<bool()> look_ahead,
    function_ref<bool(std::span<const std::uint64_t>)> answer_all,
    function_ref<void()> take_answers) {
  const std::size_t size = ranks_.size(), width = seeded ? 2 : 1;
  bool more = true;
  std::exception_ptr problem;
  const auto guarded = [&](function_ref<void()> act) {
    if (problem) return;
    try {
      act();
    } catch (...) {
      problem = std::current_exception();
    }
  };
  guarded([&] { more = look_ahead(); });
  auto [failed, any] = ask_ranks(ranks_, problem != nullptr, !order_.empty());
  while (any && !failed) {
    // Requests without an answer, to ranks whose answers have been taken.
    std::size_t words = 0;
    bool left = more;  // will there be another round?
    for (std::size_t r = 0; r < size; ++r) {
      traffic_.out[r] = 0;
      if (problem) continue;
      if (peers_[r].words() >= share_) {
        left = left || !peers_[r].asked.empty();
        continue;
      }
      traffic_.out[r] = width * peers_[r].asked.size();
      for (const auto& one : peers_[r].asked) {
        requests_out_[words++] = static_cast<std::uint64_t>(one.node);
        if (seeded) requests_out_[words++] = one.seed;
      }
    }
    const std::uint64_t coming = traffic_.exchange_counts();
    if (coming > requests_in_.size()) check_ranks(status::mismatch);  // another budget there
    const auto asked = requests_in_.values().first(static_cast<std::size_t>(coming));
    traffic_.exchange(std::as_bytes(requests_out_.values().first(words)),
                      std::as_writable_bytes(asked), 8);

    std::fill(traffic_.out.begin(), traffic_.out.end(), 0);
    answers_out_.clear();
    guarded([&] {
      if (answer_all(asked)) left = true;
    });
    if (problem) {
      std::fill(traffic_.out.begin(), traffic_.out.end(), 0);
      answers_out_.clear();
    }
    const std::uint64_t got = traffic_.exchange_counts();
    guarded([&] {
      make_room(answers_in_, static_cast<std::size_t>(got));
      for (std::size_t r = 0; r < size; ++r)
        peers_[r].reserve(static_cast<std::size_t>(traffic_.in[r]));
    });
    const auto told = ask_ranks(ranks_, problem != nullptr, left);
    failed = told.first;
    any = told.second;
    if (failed) break;
    const auto came = answers_in_.values().first(static_cast<std::size_t>(got));
    traffic_.exchange(std::as_bytes(std::span(answers_out_)), std::as_writable_bytes(came), 8);
    for (std::size_t r = 0, at = 0; r < size; ++r) {
      peers_[r].receive(came.subspan(at, static_cast<std::size_t>(traffic_.in[r])));
      at += static_cast<std::size_t>(traffic_.in[r]);
    }
    guarded([&] {
      take_answers();
      order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(taken_));
      taken_ = 0;
      more = look_ahead();
    });
  }
  if (failed) throw collective_abort{problem};
  if (problem) std::rethrow_exception(problem);
}

}  // namespace halograph
