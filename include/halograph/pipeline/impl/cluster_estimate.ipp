// SPDX-License-Identifier: BSL-1.0
/// @file cluster_estimate.ipp
/// Bodies of the plain functions of pipeline/cluster_estimate.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/cluster_estimate.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// A count times a share; saturates.
inline std::uint64_t share_of_count(std::uint64_t count, double share) noexcept {
  const double product = std::round(static_cast<double>(count) * std::max(0.0, share));
  return product >= 18446744073709551615.0 ? ~std::uint64_t{0}
                                           : static_cast<std::uint64_t>(product);
}

/// The steps of a cluster_job, and what they add up to.
class cluster_steps {
 public:
  cluster_steps(const cluster_job& job, const cluster& on, const cluster_costs& costs)
      : job_(job), on_(on), costs_(costs), machines_(std::max<std::uint64_t>(1, on.machines)) {
    assign();
    dispatch();
    for (const cluster_step& one : out_.steps) {
      out_.processor_seconds += one.processor_seconds;
      out_.disk_seconds += one.disk_seconds;
      out_.net_seconds += one.net_seconds;
    }
    out_.seconds = out_.processor_seconds + out_.disk_seconds + out_.net_seconds;
  }
  cluster_estimate take() { return std::move(out_); }

 private:
  struct work {
    std::uint64_t units = 0;
    unit_cost cost{};
  };

  /// Add a step that `machines` machines share.
  void add(const char* name, std::uint64_t machines, std::uint64_t read, std::uint64_t written,
           std::uint64_t sent, std::initializer_list<work> works) {
    cluster_step one{name, machines, read, written, sent, 0, 0, 0};
    const double threads = static_cast<double>(std::max<std::uint64_t>(1, on_.threads)),
                 sharing = static_cast<double>(machines);
    for (const work& each : works) {
      one.processor_seconds += static_cast<double>(each.units) / 1e9 / on_.speed / sharing *
                               (each.cost.serial_ns + each.cost.parallel_ns / threads);
    }
    one.disk_seconds = (static_cast<double>(read) + static_cast<double>(written)) / sharing /
                       on_.disk_bytes_per_second;
    one.net_seconds = static_cast<double>(sent) / sharing / on_.net_bytes_per_second;
    out_.steps.push_back(std::move(one));
  }
  /// What of `bytes` goes to another machine, where all are as likely.
  std::uint64_t away(std::uint64_t bytes) const noexcept { return bytes - bytes / machines_; }

  void assign() {
    const std::uint64_t n = job_.graph.nodes, m = job_.graph.edges,
                        input = saturating(m, 2 * job_.input_id_bytes);
    const assign_need& need = job_.assignment;
    out_.assign_memory_bytes = need.least_memory_bytes;
    // Buckets are made from the input and read for either direction; the cut is counted last.
    const bool streamed = need.edges == edge_access::streamed;
    const std::uint64_t read = need.edges == edge_access::none
                                   ? 0
                                   : saturating(input, 2, saturating(need.disk_bytes, 2));
    add("assign", 1, read, saturating_sum(need.disk_bytes, need.result_bytes), 0,
        {{streamed ? m : 0, costs_.assign_edge}, {n, costs_.assign_node}});
  }

  void dispatch() {
    const estimate_input& g = job_.graph;
    const std::uint64_t n = g.nodes, m = g.edges, w = g.node_id_bytes,
                        record = 2 * w + g.edge_id_bytes,
                        input = saturating(m, 2 * job_.input_id_bytes),
                        cut = g.parts > 1 ? share_of_count(m, std::min(1.0, job_.cut_share)) : 0,
                        stored = g.hops == 0 ? m : saturating_sum(m, cut);
    const std::uint64_t parts = std::max<std::uint64_t>(1, g.parts);
    const double copies = g.hops == 0
                              ? 1
                              : std::clamp(job_.replication, 1.0, static_cast<double>(parts));
    const std::uint64_t held = share_of_count(n, copies);
    const stored_bytes rows = stored_bytes_of(g);
    out_.result_bytes = saturating_sum(
        rows.once,
        saturating(n, rows.mapping, saturating(held, rows.node, saturating(stored, rows.edge))));

    // Several machines read the assignment twice, first to find where their shares begin. Each has
    // its share of new IDs, which others ask for: about one node for each edge, since the edges of
    // a block share ends (bench/README.md).
    const std::uint64_t passes = machines_ == 1 ? 1 : 2;
    add("nodes", machines_, saturating(passes, job_.assignment.result_bytes), saturating(n, 2 * w),
        away(saturating(n, 2 * w)), {{saturating(n, passes), costs_.node}});
    add("edges", machines_, input, saturating(m, record), away(saturating(m, record + 2 * w)),
        {{m, costs_.edge}});
    add("rows", machines_, saturating(m, 2 * record), saturating(m, w + g.edge_id_bytes), 0,
        {{m, costs_.row}});
    if (g.hops != 0) {
      // One machine reads the rows twice and writes the lists; several sort them through buckets.
      const std::uint64_t lists = saturating(cut, record);
      if (machines_ == 1)
        add("cut", machines_, saturating(m, 2 * w), lists, 0, {{cut, costs_.cut_edge}});
      else
        add("cut", machines_, saturating(m, w, lists), saturating_sum(lists, lists), away(lists),
            {{cut, costs_.cut_edge}});
    }
    add("parts", machines_, saturating(m, w + g.edge_id_bytes, saturating(cut, record)),
        out_.result_bytes - std::min(out_.result_bytes, g.feature_bytes), 0,
        {{stored, costs_.stored_edge}});
    if (g.feature_bytes != 0) {
      add("features", machines_, g.feature_bytes, g.feature_bytes, away(g.feature_bytes),
          {{g.feature_bytes, costs_.feature_byte}});
    }

    dispatch_counts counts;
    counts.nodes = n;
    counts.edges = m;
    counts.node_types = g.node_types;
    counts.edge_types = g.edge_types;
    counts.parts = parts;
    counts.threads = std::max<std::uint64_t>(1, on_.threads);
    counts.ranks = machines_;
    counts.hops = g.hops;
    counts.node_id_bytes = g.node_id_bytes;
    counts.edge_id_bytes = g.edge_id_bytes;
    if (g.feature_bytes != 0 && n != 0) {
      counts.node_features = 1;
      counts.node_row_bytes = g.feature_bytes / n;
    }
    const dispatch_need need = plan_dispatch_memory(counts, on_.memory_bytes);
    out_.dispatch_memory_bytes = need.least_bytes;
    const auto share = [&](std::uint64_t bytes) {
      return bytes / machines_ + (bytes % machines_ != 0 ? 1 : 0);
    };
    out_.disk_bytes = saturating_sum(
        saturating_sum(share(saturating_sum(input, g.feature_bytes)), share(out_.result_bytes)),
        std::max(need.scratch_disk_bytes, job_.assignment.disk_bytes));
  }

  const cluster_job& job_;
  const cluster& on_;
  const cluster_costs& costs_;
  std::uint64_t machines_;
  cluster_estimate out_{};
};

/// What of twice as much saves most time, and what each machine must have in any case.
inline std::vector<std::string> what_to_buy(const cluster_job& job, const cluster& on,
                                            const cluster_costs& costs,
                                            const cluster_estimate& now) {
  struct choice {
    std::string what;
    double seconds;
  };
  std::vector<choice> choices;
  const auto twice = [&](std::string what, auto&& change) {
    cluster more = on;
    change(more);
    choices.push_back({std::move(what), cluster_steps(job, more, costs).take().seconds});
  };
  twice("twice as many machines, " + readable::grouped(2 * on.machines),
        [](cluster& c) { c.machines *= 2; });
  twice("twice as many threads on each machine, " + readable::grouped(2 * on.threads),
        [](cluster& c) { c.threads *= 2; });
  twice("disks twice as fast, " + readable::bytes(2 * on.disk_bytes_per_second) + "/s",
        [](cluster& c) { c.disk_bytes_per_second *= 2; });
  if (on.machines > 1) {
    twice("a network twice as fast, " + readable::bytes(2 * on.net_bytes_per_second) + "/s",
          [](cluster& c) { c.net_bytes_per_second *= 2; });
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const choice& a, const choice& b) { return a.seconds < b.seconds; });
  std::vector<std::string> out;
  const std::uint64_t most = std::max(now.assign_memory_bytes, now.dispatch_memory_bytes);
  if (most > on.memory_bytes) {
    out.push_back("memory: " + readable::bytes(now.assign_memory_bytes) +
                  " for the machine that assigns and " +
                  readable::bytes(now.dispatch_memory_bytes) + " for each that dispatches; " +
                  readable::bytes(on.memory_bytes) + " will not do");
  }
  for (const choice& one : choices) {
    if (now.seconds - one.seconds < std::max(1.0, now.seconds / 100)) break;
    out.push_back(one.what + ": " + readable::duration(one.seconds) + " instead of " +
                  readable::duration(now.seconds));
  }
  return out;
}

}  // namespace detail

HALOGRAPH_INLINE cluster_estimate estimate_cluster(const cluster_job& job, const cluster& on,
                                                   const cluster_costs& costs) {
  cluster_estimate out = detail::cluster_steps(job, on, costs).take();
  out.assumptions = {
      readable::percent(job.cut_share) + " of the edges are between parts, and " +
          readable::fixed(job.replication, 1) +
          " parts hold a node on average; the report of a smaller graph of that kind tells",
      "assign runs on one machine, since its result depends on the order of edges; dispatch runs on all, which have equal shares",
      "the input is read from disks that are as fast as those written to, and nothing is cached",
      "processors, disks and the network wait for each other",
      "a thread is " + readable::fixed(on.speed, 2) +
          " times as fast as one of the machine in bench/README.md"};
  out.recommendations = detail::what_to_buy(job, on, costs, out);
  return out;
}

HALOGRAPH_INLINE json::value to_json(const cluster_estimate& estimate) {
  json::value steps{json::array{}}, assumptions{json::array{}}, recommendations{json::array{}};
  for (const cluster_step& one : estimate.steps) {
    steps.push(json::object{{"name", one.name},
                            {"machines", one.machines},
                            {"read_bytes", one.read_bytes},
                            {"written_bytes", one.written_bytes},
                            {"sent_bytes", one.sent_bytes},
                            {"processor_seconds", one.processor_seconds},
                            {"disk_seconds", one.disk_seconds},
                            {"net_seconds", one.net_seconds},
                            {"seconds", one.seconds()}});
  }
  for (const std::string& one : estimate.assumptions) assumptions.push(one);
  for (const std::string& one : estimate.recommendations) recommendations.push(one);
  return json::object{{"steps", std::move(steps)},
                      {"seconds", estimate.seconds},
                      {"processor_seconds", estimate.processor_seconds},
                      {"disk_seconds", estimate.disk_seconds},
                      {"net_seconds", estimate.net_seconds},
                      {"assign_memory_bytes", estimate.assign_memory_bytes},
                      {"dispatch_memory_bytes", estimate.dispatch_memory_bytes},
                      {"disk_bytes", estimate.disk_bytes},
                      {"result_bytes", estimate.result_bytes},
                      {"assumptions", std::move(assumptions)},
                      {"recommendations", std::move(recommendations)}};
}

}  // namespace halograph
