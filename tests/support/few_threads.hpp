// SPDX-License-Identifier: BSL-1.0
/// @file few_threads.hpp
/// For tests: an executor with a thread for each of a few equal pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace halograph::testing {

struct few_threads {
  std::size_t count = 2;
  std::size_t concurrency() const { return count; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::vector<std::thread> workers;
    const std::size_t each = (last - first + count - 1) / count;
    for (std::size_t begin = first; begin < last; begin += each)
      workers.emplace_back([&, begin] { body(begin, std::min(last, begin + each)); });
    for (auto& worker : workers) worker.join();
  }
};

}  // namespace halograph::testing
