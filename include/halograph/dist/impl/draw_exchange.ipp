// SPDX-License-Identifier: BSL-1.0
/// @file draw_exchange.ipp
/// Bodies of the plain functions of dist/draw_exchange.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/error.hpp>
#include <halograph/dist/draw_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void draw_exchange::begin(std::uint64_t expected) {
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
}

}  // namespace halograph
