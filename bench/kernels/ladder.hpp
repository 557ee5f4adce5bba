// SPDX-License-Identifier: BSL-1.0
/// @file ladder.hpp
/// A kernel as a ladder: a plain loop, our core over spans, our full call, all on the same
/// input, each with the bytes it moves and how long memcpy takes for as many. Part of the
/// benchmarks, not of the library.
#pragma once

#include "graphs.hpp"
#include "measure.hpp"
#include "yardsticks.hpp"

#include <halograph/adapters/tbb.hpp>
#include <halograph/core/ids.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::bench {

/// What all kernels work on.
struct subject {
  edge_graph g{};
  std::uint64_t parts = 8;
  std::vector<part_id> owner{};
  std::size_t threads = 2;
  tbb_threads one{1}, many{2};
  std::size_t ids = 1000000;
  std::string scratch{};  ///< a folder of our own
  double memcpy_one = 0;  ///< bytes per second

  double edges() const { return static_cast<double>(g.edges()); }
  double nodes() const { return static_cast<double>(g.nodes); }
};

/// One rung: `work` handles `items` and reads and writes so many bytes at each call.
struct rung {
  std::string name{};
  double items = 0;
  double bytes_in = 0;
  double bytes_out = 0;
  std::size_t threads = 1;
  std::string item{"edge"};
};

/// Register it with Google Benchmark. Counters: bytes in and out, GB/s of both, nanoseconds per
/// item, and the time over what one core's memcpy takes to move as many bytes. One thread is
/// measured in processor time, several in wall time.
inline void add(const subject& s, rung one, std::function<void()> work) {
  const double copied = (one.bytes_in + one.bytes_out) / 2 / s.memcpy_one;
  const std::string name = one.name + "/" + std::to_string(one.threads);
  auto* const made = benchmark::RegisterBenchmark(
      name.c_str(), [one, copied, work = std::move(work)](benchmark::State& state) {
        // Around the iterations only: what Google Benchmark does before and after them does not
        // count.
        cost begin{}, end{};
        bool begun = false;
        for ([[maybe_unused]] auto turn : state) {
          if (!std::exchange(begun, true)) begin = clocks();
          work();
          end = clocks();
        }
        const double each = seconds(end - begin,
                                    one.threads == 1 ? time_base::cpu : time_base::wall) /
                            static_cast<double>(state.iterations());
        using benchmark::Counter;
        state.counters["in"] = Counter(one.bytes_in, Counter::kDefaults, Counter::kIs1000);
        state.counters["out"] = Counter(one.bytes_out, Counter::kDefaults, Counter::kIs1000);
        state.counters["GB/s"] = (one.bytes_in + one.bytes_out) / each / 1e9;
        state.counters["ns/" + one.item] = each * 1e9 / one.items;
        state.counters["x_memcpy"] = each / copied;
      });
  made->Unit(benchmark::kMillisecond);
  if (one.threads == 1)
    made->MeasureProcessCPUTime();
  else
    made->UseRealTime();
}

/// A value made when it is first used: input of kernels that may be filtered out.
template <class T>
class lazy {
 public:
  explicit lazy(std::function<T()> make)
      : state_(std::make_shared<state>(state{std::move(make), {}})) {}
  T& operator*() const {
    if (!state_->value) state_->value.emplace(state_->make());
    return *state_->value;
  }
  T* operator->() const { return &**this; }

 private:
  struct state {
    std::function<T()> make;
    std::optional<T> value;
  };
  std::shared_ptr<state> state_;
};

/// The ladders of one file, added when the file is linked:
///
///     const ladder these([](const subject& s) { add(s, {"copy/plain", ...}, [&s] { ... }); });
///
/// `s` lives as long as the kernels do.
class ladder {
 public:
  explicit ladder(void (*add_all)(const subject&)) { all().push_back(add_all); }
  static std::vector<void (*)(const subject&)>& all() {
    static std::vector<void (*)(const subject&)> known;
    return known;
  }
};

}  // namespace halograph::bench
