// SPDX-License-Identifier: BSL-1.0
#include "auto_method.hpp"
#include "estimate_cluster.hpp"

#include <halograph/core/ids.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/pipeline/cluster_estimate.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace halograph::cli {

namespace {

constexpr double bytes_per_gigabit = 1e9 / 8;

/// A number of seconds, with more digits where there are few.
std::string seconds_text(double seconds) {
  return seconds < 10 ? readable::fixed(seconds, 2) + " s" : readable::duration(seconds);
}

std::string text_of(const cluster_estimate& found, const cluster& on) {
  std::vector<std::vector<std::string>> rows{
      {"step", "machines", "read", "written", "sent", "processors", "disks", "network", "time"}};
  const auto bytes = [](std::uint64_t count) {
    return count == 0 ? std::string("-") : readable::bytes(count);
  };
  for (const cluster_step& one : found.steps) {
    rows.push_back({one.name, readable::grouped(one.machines), bytes(one.read_bytes),
                    bytes(one.written_bytes), bytes(one.sent_bytes),
                    seconds_text(one.processor_seconds), seconds_text(one.disk_seconds),
                    seconds_text(one.net_seconds), seconds_text(one.seconds())});
  }
  rows.push_back({"sum", "", "", "", "", seconds_text(found.processor_seconds),
                  seconds_text(found.disk_seconds), seconds_text(found.net_seconds),
                  seconds_text(found.seconds)});
  std::string out = table(rows) + "\neach machine needs " +
                    readable::bytes(found.dispatch_memory_bytes) + " of memory and " +
                    readable::bytes(found.disk_bytes) + " of disk, the one that assigns " +
                    readable::bytes(found.assign_memory_bytes) + " of memory; the result has " +
                    readable::bytes(found.result_bytes) + "\n";
  if (!found.recommendations.empty()) {
    out += "\nwhat to buy, the best first:\n";
    for (const std::string& one : found.recommendations) out += "  " + one + "\n";
  }
  out += "\nassumed (" + counted(on.machines, "machine") + " with " +
         counted(on.threads, "thread") + " each, " + readable::bytes(on.disk_bytes_per_second) +
         "/s of disk and " + readable::bytes(on.net_bytes_per_second) + "/s of network):\n";
  for (const std::string& one : found.assumptions) out += "  " + one + "\n";
  return out;
}

/// What the method takes on the machine that assigns.
assign_need need_of(const estimate_input& graph, const partition_flags& run) {
  const auto parts = static_cast<part_id>(run.parts);
  const auto with = [&](const auto& policy) {
    return estimate_assign(policy, graph.nodes, graph.edges,
                           static_cast<std::size_t>(graph.node_types));
  };
  if (run.method == hash_parts::name) return with(hash_parts{.parts = parts});
  if (run.method == random_parts::name) return with(random_parts{.parts = parts});
  if (run.method == range_parts::name) return with(range_parts{.parts = parts});
  buffered policy{.parts = parts};
  if (run.batch != 0) policy.batch = 2 * run.batch;
  return with(policy);
}

}  // namespace

void bind_cluster_flags(flag_set& app, cluster_flags& flags) {
  app.section("On several machines");
  const bound_flag machines = add_number(
      app, "--machines", flags.machines,
      "tell what assign and dispatch would take on N machines, and what to buy", 1, 1'000'000);
  add_real(app, "--disk-gbps", flags.disk_gbps,
           "gigabits per second that a machine reads and writes (default: 8, 1 GB/s)", 0.001, 1e6)
      .needs(machines);
  add_real(app, "--net-gbps", flags.net_gbps,
           "gigabits per second that a machine sends, and receives (default: 10)", 0.001, 1e6)
      .needs(machines);
  add_real(app, "--speed", flags.speed,
           "of a thread, relative to that of the machine in bench/README.md (default: 1)", 0.001,
           1000)
      .needs(machines);
  add_real(app, "--cut-share", flags.cut_share,
           "edges between parts, of all edges; the report of a smaller graph tells (default: 0.35)",
           0, 1)
      .needs(machines);
  add_real(app, "--replication", flags.replication,
           "parts that hold a node, on average; the report of a smaller graph tells (default: 3)",
           1, 1e6)
      .needs(machines);
  app.section("A graph that is not there yet");
  const bound_flag edges = add_number(
      app, "--num-edges", flags.num_edges,
      "in place of an input: number of edges; --num-nodes tells the number of nodes", 0,
      std::uint64_t{1} << 60);
  add_number(app, "--feature-bytes", flags.feature_bytes,
             "with --num-edges: bytes of the features of a node (default: 0)", 0,
             std::uint64_t{1} << 40)
      .needs(edges);
}

void check_cluster_flags(const cluster_flags& flags, const partition_flags& run) {
  if (flags.num_edges.has_value() == !run.input.empty()) {
    throw usage_error(flags.num_edges ? "--num-edges goes without an input"
                                      : "an input is required: name one, or give --num-nodes and "
                                        "--num-edges");
  }
  if (flags.num_edges && !run.sized) throw usage_error("--num-edges needs --num-nodes");
  if (flags.machines == 0) return;
  for (const std::string_view method :
       {auto_method, std::string_view(buffered::name), std::string_view(hash_parts::name),
        std::string_view(random_parts::name), std::string_view(range_parts::name)}) {
    if (run.method == method) return;
  }
  throw usage_error(
      "--machines goes with --method auto, which is buffered, or with buffered, "
      "hash, random or range");
}

estimate_input counts_of_flags(const cluster_flags& flags, const partition_flags& run) {
  estimate_input out;
  out.nodes = run.num_nodes;
  out.edges = flags.num_edges.value_or(0);
  out.feature_bytes = detail::saturating(run.num_nodes, flags.feature_bytes);
  return out;
}

answer tell_cluster(const estimate_input& counts, const cluster_flags& flags,
                    const partition_flags& run) {
  cluster_job job;
  cluster on;
  job.graph = counts;
  job.assignment = need_of(job.graph, run);
  job.cut_share = flags.cut_share;
  job.replication = flags.replication;
  on.machines = flags.machines;
  on.threads = job.graph.threads;
  if (run.memory != 0) on.memory_bytes = run.memory;
  on.disk_bytes_per_second = flags.disk_gbps * bytes_per_gigabit;
  on.net_bytes_per_second = flags.net_gbps * bytes_per_gigabit;
  on.speed = flags.speed;
  const cluster_estimate found = estimate_cluster(job, on);
  answer done;
  done.details = to_json(found);
  done.text = text_of(found, on);
  return done;
}

}  // namespace halograph::cli
