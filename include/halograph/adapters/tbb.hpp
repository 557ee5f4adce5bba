// SPDX-License-Identifier: BSL-1.0
/// @file tbb.hpp
/// Run loops on oneTBB's threads.
/// Layer: adapters (oneTBB). Words: README.md.
#pragma once

#if !__has_include(<tbb/parallel_for.h>)
#error "halograph/adapters/tbb.hpp needs oneTBB's headers (Debian: libtbb-dev)"
#endif

#include <halograph/core/executor.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace halograph {

/// An executor of a fixed number of threads. Cheap to copy; copies share the threads.
/// Which thread runs a piece is not repeatable; our algorithms give the same result all the same.
class tbb_threads {
 public:
  /// @param threads  1 or more; 0: one per core
  explicit tbb_threads(std::size_t threads = 0)
      : arena_(std::make_shared<tbb::task_arena>(threads == 0 ? tbb::task_arena::automatic : static_cast<int>(std::min<std::size_t>(threads, 4096)))) {}

  std::size_t concurrency() const { return static_cast<std::size_t>(std::max(1, arena_->max_concurrency())); }

  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    if (first >= last) return;
    arena_->execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(first, last, std::max<std::size_t>(1, grain)),
                        [&](const tbb::blocked_range<std::size_t>& piece) { body(piece.begin(), piece.end()); });
    });
  }

 private:
  std::shared_ptr<tbb::task_arena> arena_;
};
static_assert(executor<tbb_threads>);

}  // namespace halograph
