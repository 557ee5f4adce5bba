// SPDX-License-Identifier: BSL-1.0
/// @file job.hpp
/// The whole job on a graph in memory, its time and its memory, and a target that discards the
/// result. Part of the benchmarks, not of the library.
#pragma once

#include "graphs.hpp"
#include "measure.hpp"

#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/serializer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace halograph::bench {

/// A target in DGL's formats that writes nothing and adds up how large the files would be.
class null_folder {
 public:
  struct output {
    std::shared_ptr<std::atomic<std::uint64_t>> bytes{};
    null_sink create(const std::string&, std::uint64_t size) {
      bytes->fetch_add(size, std::memory_order_relaxed);
      return {};
    }
    void commit(const json::value&) {}
  };

  dgl_serializer format() const { return {}; }
  output begin() const { return {bytes_}; }
  std::uint64_t bytes() const noexcept { return bytes_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> bytes_ = std::make_shared<std::atomic<std::uint64_t>>(
      0);
};
static_assert(partition_target<null_folder>);

/// Inner and HALO edges of all parts.
inline std::uint64_t stored_edges(const quality_report& report) {
  std::uint64_t out = 0;
  for (const auto& part : report.parts) out += part.inner_edges + part.halo_edges;
  return out;
}

/// Seconds of a step of a report, 0 if there is no such step.
inline double step_seconds(const quality_report& report, std::string_view name) {
  for (const auto& step : report.steps) {
    if (step.name == name) return step.seconds;
  }
  return 0;
}

/// One run of the whole job: its time, and its memory over time.
struct job {
  cost total = endless;
  quality_report report{};
  std::unique_ptr<memory_watch> watch{};  ///< stopped
};

/// Partition a graph by a given assignment: relabel, expand by the HALO, write. Quality is not
/// measured.
/// @param on_part  called with the number of parts that are done, whenever one is
template <partition_target Target, executor Executor>
job run_job(const edge_graph& g, std::span<const part_id> owner, std::uint64_t parts, unsigned hops,
            const Target& target, const Executor& on,
            const std::function<void(std::uint64_t)>& on_part = {}) {
  job out;
  out.watch = std::make_unique<memory_watch>();
  partition_options how{
      .graph_name = "bench", .hops = hops, .measure_quality = false, .executor = on};
  std::string step;
  how.on_progress = [&](const progress& now) {
    if (on_part && now.total != 0 && now.unit == "parts") on_part(now.done);
    if (now.total != 0 || now.step == step) return;
    step = now.step;
    out.watch->begin_step(step);
  };
  out.total = cost_of([&] {
    out.report =
        partition_graph(g.view(), given{.parts = parts, .owners = owner}, target, how).report;
  });
  out.watch->stop();
  return out;
}

}  // namespace halograph::bench
