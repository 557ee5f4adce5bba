// SPDX-License-Identifier: BSL-1.0
/// @file piece_threads.hpp
/// For tests: an executor with a thread for each index, whatever its concurrency(), so that small
/// work is split, too.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace halograph::testing {

struct piece_threads {
  std::size_t count = 3;
  std::size_t concurrency() const { return count; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::vector<std::thread> workers;
    for (std::size_t i = first; i < last; ++i) workers.emplace_back([&body, i] { body(i, i + 1); });
    for (auto& worker : workers) worker.join();
  }
};

}  // namespace halograph::testing
