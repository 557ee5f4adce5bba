// SPDX-License-Identifier: BSL-1.0
/// @file partition_graph.hpp
/// The whole job: assign, relabel, expand, write. Generic over the graph, the partitioner and the
/// target (a folder in a serializer's format).
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/quality_report.hpp>
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
#include <halograph/serial/partition_target.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

struct dgl_folder;     // include <halograph/folder/targets.hpp>
struct native_folder;  // include <halograph/folder/targets.hpp>

namespace detail {

/// What a job does with the graph, the policy and the order: all that depends on their types.
template <id Node, id Edge>
struct partition_steps {
  /// Do the types of the graph agree with the schema? Raises if not.
  function_ref<void(const graph_schema&)> check_types;
  /// [V] part of each node
  function_ref<std::vector<part_id>()> assign;
  function_ref<void(quality_report&, std::span<const part_id>, std::size_t)> measure;
  function_ref<partition_plan<Node, Edge>(std::vector<part_id>, std::size_t,
                                          const partition_plan_options&)>
      plan;
};

/// A job, for graphs, policies and orders of any type.
/// @param policy_parts  parts that the policy names
/// @param policy        its name
/// @param order         the name of the order of nodes, which replaces that of `options`
template <id Node, id Edge>
partition_result run_partition_job(const partition_steps<Node, Edge>& steps,
                                   std::uint64_t policy_parts, std::string_view policy,
                                   std::string_view order, const graph_schema& schema,
                                   feature_set_ref features, const any_target& target,
                                   const partition_options& options) {
  partition_result result;
  if (auto warning = check_job({.graph_name = options.graph_name,
                                .parts = policy_parts,
                                .trainers_per_machine = options.trainers_per_machine,
                                .hops = options.hops,
                                .formats = options.formats,
                                .reshuffle = options.reshuffle,
                                .node_order = order});
      !warning.empty())
    result.notes.push_back(std::move(warning));
  const auto parts = static_cast<std::size_t>(policy_parts / options.trainers_per_machine);
  steps.check_types(schema);
  const partition_writer<Node, Edge> writer(schema, std::move(features), options);

  // A target that rejects the job does so before the work.
  any_output output = target.begin();
  auto& report = result.report;
  step_clock clock(report, options.on_progress);
  std::vector<part_id> owner, trainers;
  clock.run("assign", [&] {
    owner = steps.assign();
    if (options.trainers_per_machine > 1) {
      trainers = owner;
      for (auto& p : owner) p = static_cast<part_id>(p / options.trainers_per_machine);
    }
  });
  if (options.measure_quality) clock.run("measure", [&] { steps.measure(report, owner, parts); });
  partition_plan<Node, Edge> made;
  clock.run("relabel", [&] {
    made = steps.plan(std::move(owner), parts,
                      {options.reshuffle, options.hops == 0 && options.drop_cut_edges,
                       writer.needs_original_edges()});
  });
  const partition_plan_view<Node, Edge> plan = made.view();
  check_cut_edges(plan.cut_edges, options.hops, options.drop_cut_edges);

  auto& config = result.config;
  describe_partition(config, report, plan.ranges(), schema);
  config.graph_name = options.graph_name;
  config.part_method = options.part_method.empty() ? std::string(policy) : options.part_method;
  config.halo_hops = options.hops;
  config.serializer = std::string(target.format().name());
  config.node_order = std::string(order);
  if (!options.reshuffle) {
    result.notes.push_back(
        "keeping original IDs (reshuffle off) is deprecated; its maps take 8 bytes per node and edge");
    config.node_map_file = "node_map.npy";
    config.edge_map_file = "edge_map.npy";
    for (const auto& [name, count] : report.node_types) config.nodes_per_type.push_back(count);
    for (const auto& [name, count] : report.edge_types) config.edges_per_type.push_back(count);
  }
  clock.run("write", [&] { writer.write(output, target.format(), made, trainers, result); });

  if (auto sentence = sum_up_parts(report); !sentence.empty())
    result.notes.push_back(std::move(sentence));
  if (!target.path().empty())
    config.path = concat({target.path(), "/", options.graph_name, ".json"});
  return result;
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template partition_plan<std::uint32_t, std::uint32_t> plan_of_graph(
    const hetero_view<std::uint32_t, std::uint32_t>&, std::vector<part_id>, std::size_t,
    const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint32_t>&);
extern template partition_plan<std::uint64_t, std::uint64_t> plan_of_graph(
    const hetero_view<std::uint64_t, std::uint64_t>&, std::vector<part_id>, std::size_t,
    const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint64_t, std::uint64_t>&);
extern template partition_result run_partition_job(
    const partition_steps<std::uint32_t, std::uint32_t>&, std::uint64_t, std::string_view,
    std::string_view, const graph_schema&, feature_set_ref, const any_target&,
    const partition_options&);
extern template partition_result run_partition_job(
    const partition_steps<std::uint32_t, std::uint64_t>&, std::uint64_t, std::string_view,
    std::string_view, const graph_schema&, feature_set_ref, const any_target&,
    const partition_options&);
extern template partition_result run_partition_job(
    const partition_steps<std::uint64_t, std::uint64_t>&, std::uint64_t, std::string_view,
    std::string_view, const graph_schema&, feature_set_ref, const any_target&,
    const partition_options&);
#endif

/// Check that a schema has the types of a graph. @param typed  is it a typed_graph?
/// @errors mismatch
void check_types(const graph_schema& schema, bool typed, std::size_t node_types,
                 std::size_t edge_types);

/// A target by reference, for the duration of a job: targets need not be copyable.
template <partition_target Target>
class target_reference {
 public:
  explicit target_reference(const Target& target) : target_(&target) {
    if constexpr (requires { std::string(target.path); }) path = target.path;
  }
  decltype(std::declval<const Target&>().format()) format() const { return target_->format(); }
  decltype(std::declval<const Target&>().begin()) begin() const { return target_->begin(); }

  std::string path{};

 private:
  const Target* target_;
};
template <partition_target Target>
any_target refer_to(const Target& target) {
  if constexpr (std::same_as<Target, any_target>)
    return target;
  else
    return target_reference<Target>(target);
}

/// The job of both overloads of partition_graph.
template <graph Graph, class Policy, class Order>
partition_result partition_by(const Graph& g, const Policy& policy, const Order& order,
                              const graph_schema& schema, feature_set_ref features,
                              const any_target& target, const partition_options& options) {
  using node = node_id_t<Graph>;
  using edge = edge_id_t<Graph>;
  const executor_ref run = options.executor;
  const auto check = [&](const graph_schema& named) {
    if constexpr (typed_graph<Graph>) {
      check_types(named, true, g.node_type_offsets().size() - 1, g.edge_type_offsets().size() - 1);
    } else {
      check_types(named, false, 1, 1);
    }
  };
  const auto assign_nodes = [&] {
    auto assigned = assign(g, policy, run);
    if constexpr (std::same_as<decltype(assigned), std::vector<part_id>>)
      return assigned;
    else
      return std::vector<part_id>(assigned.begin(), assigned.end());
  };
  const auto measure = [&](quality_report& report, std::span<const part_id> owner,
                           std::size_t parts) {
    measure_into(report, g, owner, parts, options.balance, run);
  };
  const auto plan = [&](std::vector<part_id> owner, std::size_t parts,
                        const partition_plan_options& asked) {
    return make_partition_plan<node, edge>(g, std::move(owner), parts, asked, run, order);
  };
  return run_partition_job<node, edge>(
      {check, assign_nodes, measure, plan}, static_cast<std::uint64_t>(policy.parts),
      name_of_policy<Policy>(), name_of_order(order), schema, std::move(features), target, options);
}

/// The same, with the order taken out of the options.
template <graph Graph, class Policy, class Order>
partition_result partition_by(const Graph& g, const Policy& policy, const graph_schema& schema,
                              feature_set_ref features, const any_target& target,
                              const basic_partition_options<Order>& options) {
  if constexpr (std::same_as<Order, original_order>)
    return partition_by(g, policy, options.order, schema, std::move(features), target, options);
  else
    return partition_by(g, policy, options.order, schema, std::move(features), target,
                        without_order(options));
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
  requires(detail::walks_rows<Policy, Graph> || partitioner<Policy, Graph>) &&
          names_parts<Policy> &&
          node_order<Order, csc_view<node_id_t<Graph>, edge_id_t<Graph>>, node_id_t<Graph>>
partition_result partition_graph(const Graph& g, const Policy& policy, const Target& target,
                                 const basic_partition_options<Order>& options = {}) {
  return detail::partition_by(g, policy, options.schema, options.features, detail::refer_to(target),
                              options);
}

/// Partition a dataset as it was read: its schema and features replace those of `options`.
template <id Node, id Edge, class Policy, partition_target Target, class Order = original_order>
  requires partitioner<Policy, hetero_view<Node, Edge>> && names_parts<Policy> &&
           node_order<Order, csc_view<Node, Edge>, Node>
partition_result partition_graph(const dataset<Node, Edge>& data, const Policy& policy,
                                 const Target& target,
                                 const basic_partition_options<Order>& options = {}) {
  return detail::partition_by(data.graph(), policy, data.schema, data.features,
                              detail::refer_to(target), options);
}

namespace detail {
template <class G>
inline constexpr bool is_dataset = false;
template <id Node, id Edge>
inline constexpr bool is_dataset<dataset<Node, Edge>> = true;
/// What a call of partition_graph is right about, from left to right.
template <class G>
concept job_input = is_dataset<G> || graph<G>;
template <class G, class Target>
concept job_ends = requires { requires job_input<G> && partition_target<Target>; };
}  // namespace detail

// Sentences for the commonest mistakes, which compilers print first, at the line of the call.
template <class Graph, class Policy, class Target, class Order = original_order>
  requires detail::list_of_pairs<Graph>
__attribute__((unavailable(
    "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)")))
partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(!detail::job_input<Graph> && !detail::list_of_pairs<Graph>)
__attribute__((unavailable(
    "graph: needs num_nodes(g), and one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge")))
partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(detail::job_input<Graph> && !partition_target<Target>)
__attribute__((unavailable(
    "partition_target: needs a folder and its format, such as dgl_folder{path} or native_folder{path}")))
partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(detail::job_ends<Graph, Target> && id_row<Policy>)
__attribute__((unavailable(
    "partitioner: owners become a policy by given{.parts = 8, .owners = owners}"))) partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(detail::job_ends<Graph, Target> && !id_row<Policy> && !detail::names_part<Policy>)
__attribute__((unavailable(
    "partitioner: needs a policy such as ldg{.parts = 8}, whose P::part must name an unsigned integer")))
partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(detail::job_ends<Graph, Target> && detail::names_part<Policy> && !names_parts<Policy>)
__attribute__((
    unavailable("names_parts: needs a data member parts, the number of parts"))) partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});
template <class Graph, class Policy, class Target, class Order = original_order>
  requires(detail::job_ends<Graph, Target> && names_parts<Policy> && !detail::is_dataset<Graph> &&
           !partitioner<Policy, Graph> && !detail::walks_rows<Policy, Graph>)
__attribute__((unavailable(
    "partitioner: needs status assign(const G&, span<part>) const, for a graph of this type; one that walks along out-edges takes neighbors(g)")))
partition_result
partition_graph(const Graph&, const Policy&, const Target&,
                const basic_partition_options<Order>& = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/partition_graph.ipp>
#endif
