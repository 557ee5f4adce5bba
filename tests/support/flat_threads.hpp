// SPDX-License-Identifier: BSL-1.0
/// @file flat_threads.hpp
/// For tests: threads that refuse a loop within a loop, which an executor need not allow.
#pragma once

#include "support/few_threads.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>

namespace halograph::testing {

class flat_threads {
 public:
  explicit flat_threads(std::size_t count) : threads_{count} {}
  std::size_t concurrency() const { return threads_.count; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    const std::unique_lock<std::mutex> alone(running_, std::try_to_lock);
    EXPECT_TRUE(alone.owns_lock()) << "a loop within a loop";
    threads_.parallel_for(first, last, grain, body);
  }

 private:
  few_threads threads_;
  mutable std::mutex running_{};
};

}  // namespace halograph::testing
