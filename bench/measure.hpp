// SPDX-License-Identifier: BSL-1.0
/// @file measure.hpp
/// What a piece of work costs: wall time, processor time, growth of anonymous memory. Part of the
/// benchmarks, not of the library. Linux.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace halograph::bench {

/// Seconds of one run, or the minimum of several.
struct cost {
  double wall = 0;
  double cpu = 0;  ///< user and system, all threads
};

/// Worse than any run: the start of a minimum.
inline constexpr cost endless{std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};

constexpr cost least(cost a, cost b) noexcept {
  return {std::min(a.wall, b.wall), std::min(a.cpu, b.cpu)};
}
constexpr cost operator-(cost a, cost b) noexcept { return {a.wall - b.wall, a.cpu - b.cpu}; }
constexpr cost operator+(cost a, cost b) noexcept { return {a.wall + b.wall, a.cpu + b.cpu}; }

/// Which of the two a table compares: wall time, or processor time on a busy machine.
enum class time_base : std::uint8_t { wall, cpu };
constexpr double seconds(cost c, time_base base) noexcept {
  return base == time_base::wall ? c.wall : c.cpu;
}

inline double seconds_of(const timeval& t) noexcept {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}
inline double seconds_of(const rusage& used) noexcept {
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

/// The clocks now; only differences are meaningful.
inline cost clocks() noexcept {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(now).count(), seconds_of(used)};
}

/// Run once.
template <class Work>
cost cost_of(Work&& work) {
  const cost begin = clocks();
  work();
  return clocks() - begin;
}

/// Measure `once()` at least `runs` times, and repeat until a quarter of a second has passed:
/// measurements of milliseconds vary by a third.
template <class Once>
void measured_often(std::size_t runs, Once&& once) {
  constexpr double enough = 0.25;
  const double begin = clocks().wall;
  for (std::size_t i = 0; i < runs || clocks().wall - begin < enough; ++i) once();
}
/// The minimum of each clock over `runs` runs or more.
template <class Work>
cost least_cost_of(std::size_t runs, Work&& work) {
  cost out = endless;
  measured_often(runs, [&] { out = least(out, cost_of(work)); });
  return out;
}
/// The same for two that are compared, alternately, so that a slow moment affects both.
template <class Work, class Other>
std::pair<cost, cost> least_costs_of(std::size_t runs, Work&& work, Other&& other) {
  std::pair<cost, cost> out{endless, endless};
  measured_often(runs, [&] {
    out.first = least(out.first, cost_of(work));
    out.second = least(out.second, cost_of(other));
  });
  return out;
}

/// Keep the compiler from removing the computation of an unused result.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Anonymous resident memory over time: a thread reads it once per millisecond. Memory
/// that was freed but kept by the allocator is returned first, so that it cannot hide growth.
class memory_watch {
 public:
  struct sample {
    double seconds = 0;       ///< since the watch began
    std::uint64_t bytes = 0;  ///< over what was resident then
  };
  struct mark {
    double seconds = 0;
    std::string step{};
  };

  memory_watch() {
    malloc_trim(0);
    samples_.reserve(1 << 12);
    base_ = resident();
    begin_ = std::chrono::steady_clock::now();
    thread_ = std::thread([this] {
      while (!stop_.load(std::memory_order_relaxed)) {
        take();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;
  ~memory_watch() { stop(); }

  /// A step begins. From one thread.
  void begin_step(std::string_view step) { marks_.push_back({elapsed(), std::string(step)}); }
  /// The number of samples so far.
  std::size_t samples_taken() const noexcept { return taken_.load(std::memory_order_relaxed); }
  /// Take the last sample.
  void stop() {
    if (!thread_.joinable()) return;
    end_ = elapsed();
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
    take();
  }

  /// The maximum, over the beginning. @pre stop() was called, for this and all below
  std::uint64_t growth() const {
    std::uint64_t most = 0;
    for (const auto& one : samples_) most = std::max(most, one.bytes);
    return most;
  }
  const std::vector<sample>& samples() const noexcept { return samples_; }
  const std::vector<mark>& marks() const noexcept { return marks_; }
  double duration() const noexcept { return end_; }

  /// Anonymous resident memory of this process now, in bytes: resident pages that belong to no
  /// file, nor to shared memory.
  static std::uint64_t resident() {
    unsigned long long size = 0, all = 0, shared = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
      if (std::fscanf(file, "%llu %llu %llu", &size, &all, &shared) != 3) all = shared = 0;
      std::fclose(file);
    }
    return static_cast<std::uint64_t>(all > shared ? all - shared : 0) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void take() {
    const std::uint64_t now = resident();
    samples_.push_back({elapsed(), now > base_ ? now - base_ : 0});
    taken_.fetch_add(1, std::memory_order_relaxed);
  }

  std::uint64_t base_ = 0;
  double end_ = 0;
  std::chrono::steady_clock::time_point begin_{};
  std::vector<sample> samples_{};  // the watching thread's until stop()
  std::vector<mark> marks_{};
  std::atomic<std::size_t> taken_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_{};
};

}  // namespace halograph::bench
