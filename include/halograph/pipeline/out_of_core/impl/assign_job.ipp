// SPDX-License-Identifier: BSL-1.0
/// @file assign_job.ipp
/// Bodies of the plain functions of pipeline/out_of_core/assign_job.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/io/chunked/digest.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/out_of_core/assign_job.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void visit_edge_blocks(const chunked_graph& graph, std::string_view step,
                                        const progress_callback& on_progress, executor_ref run,
                                        function_ref<void(type_id, const edge_block&)> f,
                                        std::size_t rank, std::size_t ranks) {
  std::vector<std::pair<type_id, edge_block>> blocks;
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    for (const edge_block& one : graph.edge_blocks(type)) blocks.emplace_back(type, one);
  }
  const id_range share = block_range(blocks.size(), rank, ranks);
  const auto own = std::span(blocks).subspan(static_cast<std::size_t>(share.begin),
                                             static_cast<std::size_t>(share.end - share.begin));
  std::uint64_t total = 0, seen = 0;
  for (const auto& one : own) total += one.second.last - one.second.first;
  std::mutex telling;
  run.parallel_for(0, own.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const edge_block& block = own[i].second;
      f(own[i].first, block);
      const std::lock_guard guard(telling);
      seen += block.last - block.first;
      if (on_progress) on_progress({step, seen, total, "edges"});
    }
  });
}

HALOGRAPH_INLINE balance_set balance_of(const chunked_graph& graph, const assign_balance& asked,
                                        double tolerance, const progress_callback& on_progress,
                                        executor_ref run) {
  const auto nodes = static_cast<std::size_t>(graph.num_nodes());
  const auto begin = offsets_of(graph.node_counts);
  std::vector<std::int64_t> in_degree(nodes);
  const auto count = [&](type_id type, const edge_block& block) {
    const auto of_type = std::span(in_degree).subspan(
        static_cast<std::size_t>(begin[graph.schema.target_type(type)]));
    graph.read_edges<std::uint64_t>(
        type, block.first, block.last, std::size_t{1} << 15,
        [&](std::span<const std::uint64_t>, std::span<const std::uint64_t> targets, std::uint64_t) {
          for (const auto v : targets)
            std::atomic_ref(of_type[static_cast<std::size_t>(v)])
                .fetch_add(1, std::memory_order_relaxed);
        });
  };
  visit_edge_blocks(graph, "degrees", on_progress, run, count);
  const chunked_classes classes = classes_of(graph, asked);
  std::vector<class_run> runs;
  std::size_t first = 0;
  for (const auto end : classes.end) {
    const auto last = static_cast<std::size_t>(end);
    runs.push_back({first, last, last - first});
    first = last;
  }
  balance_set out;
  out.add_classes(nodes, classes.names, runs, std::move(in_degree), tolerance);
  return out;
}

HALOGRAPH_INLINE void part_loads::report(const chunked_graph& graph, const assign_balance& balance,
                                         double tolerance, assign_result& out) {
  auto& report = out.report;
  report.nodes = graph.num_nodes();
  report.edges = graph.num_edges();
  out.nodes.assign(parts_, std::vector<std::uint64_t>(types_));
  const std::string all_nodes(all_nodes_class);
  const auto class_of = [&](std::size_t t) {
    return types_ == 1 ? all_nodes : class_of_type(graph.schema.node_types()[t]);
  };
  for (std::size_t t = 0; t < types_; ++t) {
    for (std::size_t p = 0; p < parts_; ++p) out.nodes[p][t] = nodes(t, p);
    report.node_types.emplace_back(graph.schema.node_types()[t], graph.node_counts[t]);
    // Also for types without nodes.
    if (types_ == 1 || balance.types) add_balance(report, class_of(t), tolerance, t, t + 1);
  }
  if (types_ > 1 && !balance.types) add_balance(report, all_nodes, tolerance, 0, types_);
  for (std::size_t t = 0; t < types_ && balance.edges && balance.types; ++t) {
    add_balance(report, in_degree_of_class(class_of(t)), tolerance, types_ + t, types_ + t + 1);
  }
  if (balance.edges && !balance.types)
    add_balance(report, in_degree_of_class(all_nodes), tolerance, types_, 2 * types_);
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r)
    report.edge_types.emplace_back(graph.schema.edge_types()[r].str(), graph.edge_counts[r]);
}

HALOGRAPH_INLINE void part_loads::add_balance(quality_report& report, const std::string& name,
                                              double tolerance, std::size_t begin,
                                              std::size_t end) {
  spread over{0, 0, parts_};
  for (std::size_t p = 0; p < parts_; ++p) {
    std::uint64_t load = 0;
    for (std::size_t t = begin; t < end; ++t) load += nodes(t, p);
    over.total += static_cast<std::int64_t>(load);
    over.largest = std::max(over.largest, static_cast<std::int64_t>(load));
  }
  for (std::size_t t = std::max(begin, types_); t < end; ++t)
    over.heaviest = std::max(over.heaviest, static_cast<std::int64_t>(most_edges(t - types_)));
  report.balance.push_back(
      {name, tolerance, over.imbalance(), over.met(tolerance), over.least_imbalance()});
}

HALOGRAPH_INLINE void assign_job::commit(const std::vector<std::string>& names) {
  if (!first()) return;
  for (const auto& name : names) staged->add(name);
  if (auto note = staged->commit(json::one_line(options.command)); !note.empty())
    out.notes.push_back(std::move(note));
}

HALOGRAPH_INLINE void begin_assign(assign_job& job, const std::string& target) {
  const auto& graph = job.graph;
  const auto& policy = job.policy;
  const auto& options = job.options;
  const communicator_ref ranks = job.ranks;
  assign_result& out = job.out;
  const std::uint64_t nodes = graph.num_nodes();
  const std::string_view method = options.method.empty() ? policy.name
                                                         : std::string_view(options.method);
  run_collective(ranks, [&] {
    if (ranks.size() > 1) {
      require_same_input(ranks, graph);
      json::value said = json::object{{"parts", policy.parts},
                                      {"method", method},
                                      {"edges", name(policy.access)},
                                      {"settings", options.settings},
                                      {"balance_types", options.balance.types},
                                      {"balance_edges", options.balance.edges},
                                      {"measure", options.measure_cut},
                                      {"tolerance", policy.tolerance}};
      if (policy.seed) said.set("seed", *policy.seed);
      require_same(ranks, json::print(said, 0), "assigns with other options than",
                   "they must be the same on all ranks");
    }
    check_num_parts(policy.parts);
    if (options.balance.edges && policy.access != edge_access::shared &&
        !policy.lends_constraints) {
      raise(error_kind::unsupported,
            "this partitioner takes no constraints and cannot balance the edges that end in parts");
    }
    keep_files_of(target, graph);
    if (nodes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 32) {
      raise(error_kind::memory,
            concat(
                {nodes, " nodes are more than this machine can address"}));  // as dataset::finish()
    }
    out.need = estimate_by(policy, nodes, graph.num_edges(), graph.node_counts.size(), options,
                           ranks.size(), job.run.concurrency());
    if (options.memory_bytes != 0 && options.memory_bytes < out.need.least_memory_bytes) {
      raise(error_kind::memory,
            concat({"a budget of ", options.memory_bytes, " bytes is too small; ",
                    (options.least_policy_bytes == 0
                         ? std::string()
                         : concat({out.need.least_memory_bytes, " bytes may do, and "})),
                    (options.least_policy_bytes == 0 ? out.need.least_memory_bytes
                                                     : out.need.memory_bytes),
                    " bytes suffice",
                    (out.need.edges == edge_access::loaded ? " because this method loads all edges"
                                                           : "")}));
    }
    if (options.on_need) options.on_need(out.need);
    out.algorithm = policy.access == edge_access::none ? "random" : "metis";
    job.further.set("method", method);
    if (!options.settings.is_null()) job.further.set("options", options.settings);
    out.report.steps.reserve(8);
    if (job.first()) job.staged.emplace(target);
  });
}

}  // namespace halograph::detail
