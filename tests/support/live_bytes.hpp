// SPDX-License-Identifier: BSL-1.0
// How much memory is allocated now, and was at most; counted where count_allocations.hpp is in the
// executable.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace halograph::testing {
inline std::atomic<std::size_t> live_bytes{0}, most_live_bytes{0};

inline void add_live_bytes(std::size_t bytes) {
  const std::size_t now = live_bytes.fetch_add(bytes) + bytes;
  std::size_t most = most_live_bytes;
  while (now > most && !most_live_bytes.compare_exchange_weak(most, now)) {
  }
}

/// By how much more is allocated while f() runs than before, at its peak. Other threads count, too.
template <class F>
std::size_t peak_of(F&& f) {
  const std::size_t before = live_bytes;
  most_live_bytes = before;
  f();
  return most_live_bytes - before;
}
}  // namespace halograph::testing
