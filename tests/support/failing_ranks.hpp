// SPDX-License-Identifier: BSL-1.0
/// @file failing_ranks.hpp
/// For tests: a communicator whose calls fail from one on, as those of a broken network.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph::testing {

/// Fails with io at 7 after so many calls.
struct failing_ranks {
  const thread_rank* to;
  std::uint64_t* left;
  template <class Call>
  status unless_failed(const Call& call) const {
    if (*left == 0) return {error_kind::io, 7};
    --*left;
    return call();
  }
  std::size_t rank() const { return to->rank(); }
  std::size_t size() const { return to->size(); }
  status barrier() const {
    return unless_failed([&] { return to->barrier(); });
  }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return unless_failed([&] { return to->broadcast(data, root); });
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return unless_failed([&] { return to->all_gather(mine, all); });
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return unless_failed([&] { return to->all_to_all(out, out_counts, in, in_counts); });
  }
  status sum(std::span<std::uint64_t> values) const {
    return unless_failed([&] { return to->sum(values); });
  }
};

}  // namespace halograph::testing
