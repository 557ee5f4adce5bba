// SPDX-License-Identifier: BSL-1.0
/// @file tbb.hpp
/// Run loops on oneTBB's threads.
/// Layer: adapters (oneTBB). Words: README.md.
#pragma once

#if !__has_include(<tbb/parallel_for.h>)
#error "halograph/adapters/tbb.hpp needs oneTBB's headers (Debian: libtbb-dev)"
#else

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace halograph {

namespace detail {

/// Check that the system allows so many threads besides this one: start and end them once. oneTBB
/// starts its threads from its own threads, where a failure would end the program. @errors io
inline void require_threads(std::size_t count) {
  static std::atomic<std::size_t> granted{0};
  if (count <= granted.load()) return;
  std::latch all_asked(1);
  std::vector<std::thread> started;
  started.reserve(count);
  std::string refused;
  try {
    while (started.size() < count) started.emplace_back([&] { all_asked.wait(); });
  } catch (const std::system_error& problem) {
    refused = problem.code().message();
  } catch (const std::bad_alloc&) {
    refused = "not enough memory";
  }
  all_asked.count_down();
  for (auto& one : started) one.join();
  if (!refused.empty()) {
    raise(error_kind::io, "the system allows " + std::to_string(started.size() + 1) + " of " +
                              std::to_string(count + 1) + " threads (" + refused +
                              "); use fewer, --threads " + std::to_string(started.size() + 1) +
                              " for example");
  }
  granted.store(count);
}

}  // namespace detail

/// An executor of a fixed number of threads. Cheap to copy; copies share the threads.
/// Which thread runs a piece is not repeatable; the algorithms of this library give the same result
/// anyway.
class tbb_threads {
 public:
  /// @param threads  1 or more; 0: one per core  @errors io: the system does not allow so many
  explicit tbb_threads(std::size_t threads = 0)
      : pool_(std::make_shared<pool>(std::min<std::size_t>(threads, 4096))) {}

  /// @{
  /// The calls of `executor`, on the threads that this object shares with its copies.
  std::size_t concurrency() const {
    return static_cast<std::size_t>(std::max(1, pool_->arena.max_concurrency()));
  }

  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    if (first >= last) return;
    // oneTBB halves ranges above its grain size: halves of 2 * grain or more have ours.
    const std::size_t most = std::min(std::max<std::size_t>(1, grain), (last - first) / 2 + 1);
    pool_->arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(first, last, 2 * most - 1),
          [&](const tbb::blocked_range<std::size_t>& piece) { body(piece.begin(), piece.end()); });
    });
  }
  /// @}

 private:
  struct pool {
    // oneTBB must be allowed more threads than cores first; otherwise it drops them and prints a
    // warning.
    std::optional<tbb::global_control> allowed{};
    tbb::task_arena arena;
    explicit pool(std::size_t threads)
        : arena(threads == 0 ? tbb::task_arena::automatic : static_cast<int>(threads)) {
      if (threads > static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency()))) {
        allowed.emplace(tbb::global_control::max_allowed_parallelism, threads);
      }
      detail::require_threads(static_cast<std::size_t>(std::max(1, arena.max_concurrency())) - 1);
    }
  };
  std::shared_ptr<pool> pool_;
};
static_assert(executor<tbb_threads>);

}  // namespace halograph

#endif
