// SPDX-License-Identifier: BSL-1.0
/// @file partition_graph.hpp
/// The whole job: assign, relabel, expand, write. Generic over the graph, the partitioner and the
/// target (a folder in a serializer's format).
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/measure.hpp>
#include <halograph/pipeline/partition_options.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/pipeline/partition_writer.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// The job of both overloads of partition_graph.
template <graph Graph, class Policy, class Target, class Order>
partition_result run_partition_job(const Graph& g, const graph_schema& schema,
                                   feature_set_ref features, const Policy& policy,
                                   const Target& target,
                                   const basic_partition_options<Order>& options) {
  using node = node_id_t<Graph>;
  using edge = edge_id_t<Graph>;
  const executor_ref run = options.executor;
  const Order& order = options.order;
  partition_result result;
  const auto policy_parts = static_cast<std::uint64_t>(policy.parts);
  if (auto warning = check_job({.graph_name = options.graph_name,
                                .parts = policy_parts,
                                .trainers_per_machine = options.trainers_per_machine,
                                .hops = options.hops,
                                .formats = options.formats,
                                .reshuffle = options.reshuffle,
                                .node_order = name_of_order(order)});
      !warning.empty())
    result.notes.push_back(std::move(warning));
  const auto parts = static_cast<std::size_t>(policy_parts / options.trainers_per_machine);
  if constexpr (typed_graph<Graph>) {
    if (g.node_type_offsets().size() != schema.num_node_types() + 1 ||
        g.edge_type_offsets().size() != schema.num_edge_types() + 1) {
      raise(errc::mismatch, "the schema names " + std::to_string(schema.num_node_types()) +
                                " node types and " + std::to_string(schema.num_edge_types()) +
                                " edge types, the graph has others; they must agree");
    }
  } else if (schema.num_node_types() != 1 || schema.num_edge_types() != 1) {
    raise(errc::mismatch,
          "the schema names several types but the graph has no types; give a typed_graph");
  }
  const partition_writer<node, edge, Target, basic_partition_options<Order>> writer(
      schema, std::move(features), target, options);

  // A target that rejects the job does so before the work.
  auto output = target.begin();
  auto& report = result.report;
  step_clock clock(report, options.on_progress);
  std::vector<part_id> owner, trainers;
  clock.run("assign", [&] {
    const auto assigned = assign(g, policy, run);
    owner.assign(assigned.begin(), assigned.end());
    if (options.trainers_per_machine > 1) {
      trainers = owner;
      for (auto& p : owner) p = static_cast<part_id>(p / options.trainers_per_machine);
    }
  });
  if (options.measure_quality)
    clock.run("measure", [&] {
      measure_into(report, g, std::span<const part_id>(owner), parts, options.balance, run);
    });
  partition_plan<node, edge> made;
  clock.run("relabel", [&] {
    made = make_partition_plan<node, edge>(
        g, std::move(owner), parts,
        {options.reshuffle, options.hops == 0 && options.drop_cut_edges,
         writer.needs_original_edges()},
        run, order);
  });
  const partition_plan_view<node, edge> plan = made.view();
  check_cut_edges(plan.cut_edges, options.hops, options.drop_cut_edges);

  auto& config = result.config;
  describe_partition(config, report, plan, schema);
  config.graph_name = options.graph_name;
  config.part_method = options.part_method.empty() ? std::string(name_of_policy<Policy>())
                                                   : options.part_method;
  config.halo_hops = options.hops;
  config.serializer = std::string(target.format().name());
  config.node_order = std::string(name_of_order(order));
  if (!options.reshuffle) {
    result.notes.push_back(
        "keeping original IDs (reshuffle off) is deprecated; its maps take 8 bytes per node and edge");
    config.node_map_file = "node_map.npy";
    config.edge_map_file = "edge_map.npy";
    for (const auto& [name, count] : report.node_types) config.nodes_per_type.push_back(count);
    for (const auto& [name, count] : report.edge_types) config.edges_per_type.push_back(count);
  }
  clock.run("write", [&] { writer.write(output, made, trainers, result); });

  if (auto sentence = sum_up_parts(report); !sentence.empty())
    result.notes.push_back(std::move(sentence));
  if constexpr (requires { target.path; }) {
    config.path = std::string(target.path) + "/" + options.graph_name + ".json";
  }
  return result;
}

}  // namespace detail

/// Partition a graph and write the result: assign with `policy`, relabel, expand by `options.hops`,
/// write each part and the config `<graph_name>.json`, all of which appears at once or not at all.
///
/// @param g        any graph, with types where it is a typed_graph; not changed
/// @param policy   a partitioner of g with a member `parts`; with T trainers per machine it names
///     trainers
/// @param target   where to: dgl_folder{path}, native_folder{path}, or a user's own
/// @param options  everything else, by name: `{.hops = 2, .features = rows, .executor = threads}`;
///     with another order of nodes a basic_partition_options<breadth_first>
/// @errors         raises what the policy, the target and the checks raise; cut_edges (0 hops);
///     busy and exists (the target); mismatch, out_of_range: edge IDs of the graph's own that are
///     not 0 to E-1, each once; an earlier result then stays, and nothing else is left
/// @complexity     the policy's, and O(V + E log R + sizes of the parts) time; memory:
///     partition_plan and, per running part, 4 bytes per node of the graph and 12 per node of the
///     part with 32-bit IDs
/// @repeatable     as the policy; the bytes do not depend on the executor
template <graph Graph, class Policy, partition_target Target, class Order = original_order>
  requires partitioner<Policy, Graph> && names_parts<Policy> &&
           node_order<Order, csc_view<node_id_t<Graph>, edge_id_t<Graph>>, node_id_t<Graph>>
partition_result partition_graph(const Graph& g, const Policy& policy, const Target& target,
                                 const basic_partition_options<Order>& options = {}) {
  return detail::run_partition_job(g, options.schema, options.features, policy, target, options);
}

/// Partition a dataset as it was read: its schema and features replace those of `options`.
template <id Node, id Edge, class Policy, partition_target Target, class Order = original_order>
  requires partitioner<Policy, hetero_view<Node, Edge>> && names_parts<Policy> &&
           node_order<Order, csc_view<Node, Edge>, Node>
partition_result partition_graph(const dataset<Node, Edge>& data, const Policy& policy,
                                 const Target& target,
                                 const basic_partition_options<Order>& options = {}) {
  return detail::run_partition_job(data.graph(), data.schema, data.features, policy, target,
                                   options);
}

}  // namespace halograph
