// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// Assign the nodes of a chunked graph to parts: the first step of the chunked pipeline, an
/// assignment folder out.
/// Layer: pipeline. Words: README.md.
///
/// | partitioner | how | memory | disk besides the result |
/// | --- | --- | --- | --- |
/// | `reads_edges` is false: random, hash, range, given | no edge is read | O(V) | none |
/// | a streaming_partitioner: ldg, fennel | each edge is brought to its later end (stream_chunked.hpp) | O(V) | 8 or 16 bytes an edge |
/// | a distributed_partitioner: distributed_label_propagation | each rank gets its nodes' rows (chunked_share.hpp) | O((V + E) / R) and the partitioner's own | none |
/// | any other: metis | the edges are loaded | O(V + E) and the partitioner's own | none |
///
/// Which it is, is found at compile time; what it takes is told before it starts.
///
/// Of several ranks each assigns all nodes where no edge is read. A distributed partitioner's ranks
/// share everything: nothing is gathered on one, and each writes its own nodes. Otherwise the first
/// assigns, since streams and METIS go on from one node to the next, and tells the others; the
/// edges are shared where those that cross parts are counted, and the first writes.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/checked_communicator.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/permutation.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/serial/files/folder.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// How the edges of a chunked graph get to a partitioner.
enum class edge_access : std::uint8_t {
  none,      ///< not at all
  streamed,  ///< to their nodes, one node at a time
  loaded,    ///< all of them
  shared     ///< to the ranks of both their ends
};
constexpr std::string_view name(edge_access access) noexcept {
  constexpr std::array<std::string_view, 4> names{"none", "streamed", "loaded", "shared"};
  return names[static_cast<std::size_t>(access)];
}

/// What an assignment takes besides the result; memory is each rank's.
struct assign_need {
  edge_access edges = edge_access::none;
  /// at most; of shared edges about, where a node has more than a rank's share of them
  std::uint64_t memory_bytes = 0;
  std::uint64_t least_memory_bytes = 0;  ///< the smallest budget that suffices
  std::uint64_t disk_bytes = 0;          ///< of scratch files, at most
  /// of the folder's files, at least: a digit and a line's end for each node
  std::uint64_t result_bytes = 0;
};

/// How to assign.
struct assign_options {
  std::uint64_t memory_bytes = 0;  ///< budget; 0: as much as is needed, and no more than that
  std::uint64_t policy_bytes = 0;  ///< what a partitioner of loaded or shared edges takes besides
                                   ///< them (metis_bytes; of each rank)
  /// Edges only where the policy takes constraints or is distributed; all types together only where
  /// it is distributed or has a member balance_types, or edges are balanced.
  assign_balance balance{};
  /// what the caller makes of the result takes, announced with the rest
  std::uint64_t caller_bytes = 0;
  bool measure_cut = true;  ///< read the edges once more and count those that cross parts
  std::string method{};     ///< partition_meta.json's "method"; "": the policy's name
  json::value
      settings{};         ///< its "options": whatever else decided the result; null: nothing to say
  json::value command{};  ///< how the result was made, for the manifest
  std::function<void(const assign_need&)>
      on_need{};  ///< told before any edge is read; may throw to refuse
  progress_callback on_progress{};
};

/// What assign_chunked did.
struct assign_result {
  assign_need need{};
  std::string algorithm{};  ///< as partition_meta.json has it: "random" or "metis"
  std::vector<std::vector<std::uint64_t>> nodes{};  ///< [K][T] nodes of each part and type
  quality_report report{};  ///< nodes, edges, types, directed_cut (where measured), balance of each
                            ///< type, steps
  bool cut_known = false;
  std::vector<std::string> notes{};  ///< what the user should know
};

namespace detail {

/// Does a policy work on the ranks' own rows? Behind checked_communicator, so that it may run out
/// of memory.
template <class Policy, class Ranks>
concept shares_edges =
    names_part<Policy> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint32_t>> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint64_t>>;

template <class Policy, class Ranks>
constexpr edge_access access_of() noexcept {
  if (!reads_edges<Policy>) return edge_access::none;
  if (shares_edges<Policy, Ranks>) return edge_access::shared;
  return streaming_partitioner<Policy> ? edge_access::streamed : edge_access::loaded;
}

/// Constraints of a chunked graph: ones to a type's nodes, and what edges end in them.
template <class Chunked, executor Executor>
balance_set balance_of(const Chunked& graph, const assign_balance& asked, double tolerance,
                       const progress_callback& on_progress, const Executor& run) {
  const auto nodes = static_cast<std::size_t>(graph.num_nodes());
  std::vector<std::uint64_t> begin{0};
  for (const auto count : graph.node_counts) begin.push_back(begin.back() + count);
  std::vector<std::int64_t> in_degree(nodes);
  std::mutex told;
  std::uint64_t seen = 0;
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const auto of_type = std::span(in_degree).subspan(
        static_cast<std::size_t>(begin[graph.schema.target_type(type)]));
    const auto blocks = graph.edge_blocks(type);
    run.parallel_for(0, blocks.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        graph.template read_edges<std::uint64_t>(
            type, blocks[i].first, blocks[i].last, std::size_t{1} << 15,
            [&](auto, auto targets, std::uint64_t) {
              for (const auto v : targets)
                std::atomic_ref(of_type[static_cast<std::size_t>(v)])
                    .fetch_add(1, std::memory_order_relaxed);
            });
        const std::lock_guard guard(told);
        seen += blocks[i].last - blocks[i].first;
        if (on_progress) on_progress({"degrees", seen, graph.num_edges(), "edges"});
      }
    });
  }
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

/// May a copy of a policy be given constraints?
template <class Policy>
concept lends_constraints = has_constraints<Policy> && std::copy_constructible<Policy>;

template <class Policy>
double tolerance_of(const Policy& policy) {
  if constexpr (requires {
                  { policy.tolerance } -> std::convertible_to<double>;
                })
    return static_cast<double>(policy.tolerance);
  else
    return default_tolerance;
}

}  // namespace detail

/// What assigning a graph of so many nodes and edges to so many parts takes. @param ranks  who
/// shares the work @complexity O(1)
template <class Policy, communicator Ranks = single_rank>
assign_need estimate_assign(const Policy& policy, std::uint64_t nodes, std::uint64_t edges,
                            std::size_t node_types, const assign_options& options = {},
                            const Ranks& ranks = {}) {
  constexpr edge_access access = detail::access_of<Policy, Ranks>();
  using detail::saturating;
  using detail::saturating_sum;
  // The process, blocks of edges, blocks of text.
  constexpr std::uint64_t base = std::uint64_t{32} << 20, least_window = std::uint64_t{1} << 20;
  assign_need out;
  out.edges = access;
  out.result_bytes = saturating(nodes, 2);
  const std::uint64_t owners = saturating(nodes, sizeof(typename Policy::part));
  const std::size_t constraints = (options.balance.types ? node_types : 1) *
                                  (options.balance.edges ? 2 : 1);
  // Nodes and edges by part and type, and the same as the result has them: a vector for each part.
  const std::uint64_t answer = saturating_sum(
      saturating(static_cast<std::uint64_t>(policy.parts), 24 * std::uint64_t{node_types} + 40),
      options.caller_bytes);
  out.least_memory_bytes = out.memory_bytes = saturating_sum(saturating_sum(base, answer), owners);
  if constexpr (access == edge_access::shared) {
    // Ends of edges on their way, then rows and loads; what the policy takes comes when the ends
    // are gone.
    const std::uint64_t node_bytes = nodes <= detail::most_shared_nodes<std::uint32_t> ? 4 : 8;
    std::uint64_t most = 0;
    for (const auto& [own_nodes, ends] : largest_shares(nodes, edges, ranks.size())) {
      const std::uint64_t kept = saturating_sum(
          saturating(own_nodes,
                     sizeof(typename Policy::part) + 8 * (constraints == 1 ? 1 : 1 + constraints)),
          saturating(ends, node_bytes));
      most = std::max(most, saturating_sum(kept, std::max(saturating(ends, 2 * node_bytes),
                                                          options.policy_bytes)));
    }
    out.memory_bytes = saturating_sum(
        saturating_sum(saturating_sum(base, answer), node_exchange_bytes), most);
    out.least_memory_bytes = out.memory_bytes;
    return out;
  }
  if (options.balance.edges)
    out.least_memory_bytes = out.memory_bytes = saturating_sum(
        out.memory_bytes, saturating(nodes, 8));  // in-degrees, of which constraints are views
  if constexpr (access == edge_access::streamed) {
    std::vector<std::uint64_t> offsets(node_types + 1);
    const auto words = static_cast<std::uint64_t>(
        policy.stream_scratch_size({.nodes = nodes, .edges = edges, .node_type_offsets = offsets}));
    const std::uint64_t fixed = saturating_sum(
        saturating_sum(out.memory_bytes, saturating(words, 8)), neighbor_stream_buffer_bytes);
    // Offsets of one of at least 64 windows are there however little memory is.
    const std::uint64_t offsets_bytes = nodes / 8;
    const std::uint64_t window = std::max(std::uint64_t{32} << 20, nodes);
    out.least_memory_bytes = saturating_sum(fixed, saturating_sum(least_window, offsets_bytes));
    out.memory_bytes = saturating_sum(fixed, saturating_sum(window, offsets_bytes));
    if (options.memory_bytes >= out.least_memory_bytes)
      out.memory_bytes = std::min(out.memory_bytes, options.memory_bytes);
    out.disk_bytes = neighbor_stream_disk_bytes(nodes, edges);
  } else if constexpr (access == edge_access::loaded) {
    const std::uint64_t node_bytes = nodes <= std::uint64_t{1} << 32 ? 4 : 8;
    out.memory_bytes = saturating_sum(
        saturating_sum(out.memory_bytes, saturating(edges, 2 * node_bytes)), options.policy_bytes);
    out.least_memory_bytes = out.memory_bytes;
  }
  return out;
}

/// Count the edges of a chunked graph that cross parts. @param owner [V] homogenized
/// @param rank, ranks  whose share of the edges to count; one rank: all
/// @errors those of chunked_graph::read_edges @complexity O(E / R), memory O(1) a thread
template <id Node, class Chunked, unsigned_id Part, executor Executor = sequential>
std::uint64_t count_cut_edges_of(const Chunked& graph, std::span<const Part> owner,
                                 const progress_callback& on_progress = {},
                                 const Executor& run = {}, std::size_t rank = 0,
                                 std::size_t ranks = 1) {
  std::vector<std::uint64_t> begin{0};
  for (const auto count : graph.node_counts) begin.push_back(begin.back() + count);
  std::atomic<std::uint64_t> cut{0};
  std::mutex told;
  std::uint64_t seen = 0;
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const auto sources_owner = owner.subspan(
        static_cast<std::size_t>(begin[graph.schema.source_type(type)]));
    const auto targets_owner = owner.subspan(
        static_cast<std::size_t>(begin[graph.schema.target_type(type)]));
    const auto blocks = graph.edge_blocks(type);
    const id_range share = block_range(blocks.size(), rank, ranks);
    run.parallel_for(
        static_cast<std::size_t>(share.begin), static_cast<std::size_t>(share.end), 1,
        [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            std::uint64_t crossing = 0;
            graph.template read_edges<Node>(
                type, blocks[i].first, blocks[i].last, std::size_t{1} << 15,
                [&](auto sources, auto targets, std::uint64_t) {
                  for (std::size_t k = 0; k < sources.size(); ++k) {
                    crossing += sources_owner[static_cast<std::size_t>(sources[k])] !=
                                        targets_owner[static_cast<std::size_t>(targets[k])]
                                    ? 1u
                                    : 0u;
                  }
                });
            cut += crossing;
            const std::lock_guard guard(told);
            seen += blocks[i].last - blocks[i].first;
            if (on_progress) on_progress({"measure", seen, graph.num_edges() / ranks, "edges"});
          }
        });
  }
  return cut;
}

/// Give every node of a chunked graph a part. @param owner [V] out, homogenized
/// @param window_bytes, scratch  as neighbor_stream_options; for streaming partitioners
/// @errors what the policy answers, with its sentence; those of reading; overflow: Node or Edge is
///     too narrow
template <id Node, id Edge, class Chunked, class Policy, executor Executor = sequential>
void assign_chunked_into(const Chunked& graph, const Policy& policy,
                         std::span<typename Policy::part> owner, std::uint64_t window_bytes,
                         const std::string& scratch, const progress_callback& on_progress = {},
                         const Executor& run = {}) {
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  if (owner.size() != nodes)
    raise(errc::mismatch,
          "an assignment of " + std::to_string(nodes) + " nodes needs exactly one part for each");
  if (nodes > id_capacity<Node>() || edges > id_capacity<Edge>()) {
    raise(errc::overflow, std::to_string(nodes) + " nodes and " + std::to_string(edges) +
                              " edges do not fit the ID types; use wider ones");
  }
  const auto require = [&](status answer) {
    if (!answer) raise(answer.code, explain_assignment(policy, answer));
  };
  std::vector<std::uint64_t> node_offsets{0}, edge_offsets{0};
  for (const auto count : graph.node_counts) node_offsets.push_back(node_offsets.back() + count);
  for (const auto count : graph.edge_counts) edge_offsets.push_back(edge_offsets.back() + count);
  if constexpr (!reads_edges<Policy>) {
    require(assign_into(detail::nodes_alone{static_cast<std::size_t>(nodes)}, policy, owner));
  } else if constexpr (streaming_partitioner<Policy>) {
    const stream_shape shape{nodes, edges, node_offsets};
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(policy.stream_scratch_size(shape)));
    typename Policy::stream stream{};
    require(policy.begin(shape, owner, memory, stream));
    const neighbor_stream_options streaming{scratch, window_bytes, on_progress};
    const auto push = [&](std::uint64_t v, const auto& neighbors) {
      require(stream.push(v, neighbors));
    };
    if (order_of(policy) == stream_order::natural) {
      stream_neighbors<Node>(graph, by_id{}, by_id{}, streaming, push);
    } else {
      std::uint64_t seed = 0;
      if constexpr (takes_seed<Policy>) seed = static_cast<std::uint64_t>(policy.seed);
      const id_permutation order(nodes, seed);
      stream_neighbors<Node>(
          graph, order, [&order](std::uint64_t v) { return order.rank(v); }, streaming, push);
    }
    if constexpr (names_parts<Policy>) {
      if (const auto checked = check_owners(std::span<const typename Policy::part>(owner),
                                            static_cast<std::uint64_t>(policy.parts));
          !checked) {
        require(status::internal.at(checked.position));
      }
    }
  } else {
    std::vector<std::vector<Node>> columns;
    std::vector<relation_view<Node>> relations;
    std::uint64_t seen = 0;
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      auto& source = columns.emplace_back(static_cast<std::size_t>(graph.edge_counts[r]));
      std::vector<Node> target(source.size());
      const auto blocks = graph.edge_blocks(type);
      std::mutex told;
      run.parallel_for(0, blocks.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const auto at = static_cast<std::size_t>(blocks[i].first),
                     count = static_cast<std::size_t>(blocks[i].last - blocks[i].first);
          graph.read_edges_into(type, blocks[i].first, std::span<Node>(source).subspan(at, count),
                                std::span<Node>(target).subspan(at, count));
          const std::lock_guard guard(told);
          seen += count;
          if (on_progress) on_progress({"read", seen, edges, "edges"});
        }
      });
      columns.push_back(std::move(target));
    }
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      relations.push_back({graph.schema.source_type(type), graph.schema.target_type(type),
                           columns[2 * r], columns[2 * r + 1]});
    }
    const hetero_view<Node, Edge> g(node_offsets, edge_offsets, relations);
    require(assign_into(g, policy, owner, run));
  }
}

/// Assign a chunked graph and write the assignment folder, which appears whole or not at all.
///
/// @param graph   as open_chunked gives it (features are not looked at: chunked_options{.features =
///     false})
/// @param policy  any partitioner with a member `parts`, or a distributed_partitioner of `Ranks`
///     (through checked_communicator) and views of 32- and 64-bit nodes with one
/// @param target  the folder to be: one text file per node type, and partition_meta.json, whose
///     `algo_name` is "random" for partitioners that read no edges and "metis" for those that do,
///     since DGL knows these words alone; `method` and `options` say what it really was
/// @param ranks   who shares the work; the bytes are the same for any number, as far as the
///     policy's answer is, and the result is the same on each. Collective
/// @errors memory: options.memory_bytes does not suffice (and what does); invalid_argument: the
///     target would replace the graph; unsupported: the policy does not take what options.balance
///     asks for; mismatch: ranks have another graph (as dispatch() compares them), policy or
///     settings than each other; those of assign_chunked_into and staged_folder. On several ranks
///     joint_error, unless they cannot reach each other
/// @repeatable as the policy; with any chunking, budget and number of threads
template <class Chunked, class Policy, executor Executor = sequential,
          communicator Ranks = single_rank>
  requires names_parts<Policy>
assign_result assign_chunked(const Chunked& graph, const Policy& policy, const std::string& target,
                             const assign_options& options = {}, const Executor& run = {},
                             const Ranks& ranks = {}) {
  using part = typename Policy::part;
  constexpr edge_access access = detail::access_of<Policy, Ranks>();
  constexpr bool on_shares = access == edge_access::shared;
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  assign_result out;
  const auto policy_parts = static_cast<std::uint64_t>(policy.parts);
  std::optional<staged_folder> staged;  // the first rank's
  const bool first = ranks.rank() == 0;
  const std::string_view method = options.method.empty()
                                      ? std::string_view(name_of_policy<Policy>())
                                      : std::string_view(options.method);
  json::value further{};
  run_collective(ranks, [&] {
    if (ranks.size() > 1) {
      detail::require_same_input(ranks, graph);
      json::value said = json::object{{"parts", policy_parts},
                                      {"method", std::string(method)},
                                      {"edges", name(access)},
                                      {"settings", options.settings},
                                      {"balance_types", options.balance.types},
                                      {"balance_edges", options.balance.edges},
                                      {"measure", options.measure_cut},
                                      {"tolerance", detail::tolerance_of(policy)}};
      if constexpr (takes_seed<Policy>) said.set("seed", static_cast<std::uint64_t>(policy.seed));
      require_same(ranks, json::print(said, 0), "assigns with other options than",
                   "they must be the same on all ranks");
    }
    if (policy_parts == 0 || policy_parts > 0x7FFFFFFFu) {
      raise(errc::invalid_argument, "the partitioner makes " + std::to_string(policy_parts) +
                                        " parts; it must make 1 to 2147483647");
    }
    if (options.balance.edges && !on_shares && !detail::lends_constraints<Policy>) {
      raise(errc::unsupported,
            "this partitioner takes no constraints: it cannot balance the edges that end in parts");
    }
    keep_files_of(target, graph);
    if (nodes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 32) {
      raise(errc::memory,
            std::to_string(nodes) +
                " nodes are more than this machine can address");  // as dataset::finish()
    }
    out.need = estimate_assign(policy, nodes, edges, graph.node_counts.size(), options, ranks);
    if (options.memory_bytes != 0 && options.memory_bytes < out.need.least_memory_bytes) {
      raise(
          errc::memory,
          "a budget of " + std::to_string(options.memory_bytes) + " bytes does not suffice; " +
              std::to_string(out.need.least_memory_bytes) + " bytes do" +
              (out.need.edges == edge_access::loaded ? ", since this method holds all edges" : ""));
    }
    if (options.on_need) options.on_need(out.need);
    out.algorithm = access == edge_access::none ? "random" : "metis";
    further.set("method", std::string(method));
    if (!options.settings.is_null()) further.set("options", options.settings);
    out.report.steps.reserve(8);
    if (first) staged.emplace(target);
  });
  const auto parts = static_cast<std::size_t>(policy_parts);
  auto& report = out.report;
  step_clock clock(report, options.on_progress);
  const double tolerance = detail::tolerance_of(policy);
  // Of each type and part the nodes, then the edges that end there, where that is known.
  const std::size_t types = graph.node_counts.size();
  std::vector<std::uint64_t> held;
  const auto holds = [&](std::size_t t, std::size_t p) -> std::uint64_t& {
    return held[t * parts + p];
  };
  const auto tell = [&] {
    report.nodes = nodes;
    report.edges = edges;
    out.nodes.assign(parts, std::vector<std::uint64_t>(types));
    const auto balance_line_of = [&](const std::string& name, std::size_t begin, std::size_t end) {
      spread over{0, 0, parts};
      for (std::size_t p = 0; p < parts; ++p) {
        std::uint64_t load = 0;
        for (std::size_t t = begin; t < end; ++t) load += holds(t, p);
        over.total += static_cast<std::int64_t>(load);
        over.largest = std::max(over.largest, static_cast<std::int64_t>(load));
      }
      report.balance.push_back({name, tolerance, over.imbalance(), over.met(tolerance)});
    };
    // Types without nodes are told of too.
    const std::string all(detail::all_nodes_class);
    const auto class_of = [&](std::size_t t) {
      return types == 1 ? all : detail::class_of_type(graph.schema.node_types()[t]);
    };
    for (std::size_t t = 0; t < types; ++t) {
      for (std::size_t p = 0; p < parts; ++p) out.nodes[p][t] = holds(t, p);
      report.node_types.emplace_back(graph.schema.node_types()[t], graph.node_counts[t]);
      if (types == 1 || options.balance.types) balance_line_of(class_of(t), t, t + 1);
    }
    if (types > 1 && !options.balance.types) balance_line_of(all, 0, types);
    for (std::size_t t = 0; t < types && options.balance.edges && options.balance.types; ++t) {
      balance_line_of(detail::in_degree_of_class(class_of(t)), types + t, types + t + 1);
    }
    if (options.balance.edges && !options.balance.types)
      balance_line_of(detail::in_degree_of_class(all), types, 2 * types);
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r)
      report.edge_types.emplace_back(graph.schema.edge_types()[r].str(), graph.edge_counts[r]);
  };
  // The first makes what is written final.
  const auto commit = [&](const std::vector<std::string>& names) {
    if (!first) return;
    for (const auto& name : names) staged->add(name);
    if (auto note = staged->commit(command_text(options.command)); !note.empty())
      out.notes.push_back(std::move(note));
  };

  if constexpr (on_shares) {
    const auto at = [&]<id Node>(Node) {
      std::optional<chunked_share<Node>> read;
      clock.run("read", [&] {
        run_collective(ranks, [&] {
          read = read_chunked_share<Node>(ranks, graph, options.balance, options.on_progress);
        });
      });
      const auto& share = *read;
      std::vector<part> owner;
      clock.run("assign", [&] {
        run_collective(ranks, [&] {
          owner.resize(share.num_nodes());
          const status answer = policy.assign(checked_communicator<Ranks>(ranks), share.graph(),
                                              std::span<part>(owner));
          if (!answer)
            raise_collective(ranks, joint_error(answer.code, explain_assignment(policy, answer)));
        });
        run_collective(ranks, [&] {
          if (const auto checked = check_owners(std::span<const part>(owner), policy_parts);
              !checked) {
            raise(errc::internal,
                  explain_assignment(policy, status::internal.at(checked.position)));
          }
        });
      });
      const std::span<const part> owners(owner);
      clock.run("measure", [&] {
        run_collective(ranks, [&] {
          if (options.measure_cut)
            report.directed_cut = all_reduce_sum(
                ranks, count_cut_edges_of_share(ranks, graph, share, owners, options.on_progress));
          held.assign(2 * types * parts, 0);
          const std::uint64_t begin = share.ranges[ranks.rank()];
          const std::size_t width = share.constraints.size();
          std::size_t t = 0;
          std::uint64_t end = types == 0 ? 0 : graph.node_counts[0];
          for (std::size_t v = 0; v < owner.size(); ++v) {
            while (begin + v >= end) end += graph.node_counts[++t];
            const auto p = static_cast<std::size_t>(owner[v]);
            ++holds(t, p);
            for (std::size_t c = width / 2; c < width && options.balance.edges; ++c)
              holds(types + t, p) += static_cast<std::uint64_t>(share.weights[v * width + c]);
          }
          check_peers(ranks);
          check_ranks(ranks.sum(held));
          tell();
        });
      });
      clock.run("write", [&] {
        run_collective(ranks, [&] { settle_inputs(graph); });
        run_collective(ranks, [&] {
          commit(write_assignment_share(ranks, staged ? staged->path() : std::string(),
                                        graph.schema, graph.node_counts, share.ranges, owners,
                                        policy_parts, out.algorithm, further));
        });
      });
    };
    if (nodes <= detail::most_shared_nodes<std::uint32_t>)
      at(std::uint32_t{});
    else
      at(std::uint64_t{});
    out.cut_known = options.measure_cut;
  } else {
    std::vector<part> owner;
    balance_set balance;
    // What the budget leaves to the window.
    const std::uint64_t window = out.need.memory_bytes - out.need.least_memory_bytes +
                                 (std::uint64_t{1} << 20);
    const bool narrow = nodes <= id_capacity<std::uint32_t>() &&
                        edges <= id_capacity<std::uint32_t>();
    const bool alone = access != edge_access::none;
    clock.run("assign", [&] {
      run_collective(ranks, [&] {
        owner.resize(static_cast<std::size_t>(nodes));
        if (alone && !first) return;
        const auto by = [&](const Policy& chosen) {
          const auto at = [&]<class Node>(Node) {
            assign_chunked_into<Node, Node>(graph, chosen, std::span<part>(owner), window,
                                            staged ? staged->path() : std::string(),
                                            options.on_progress, run);
          };
          if (narrow)
            at(std::uint32_t{});
          else
            at(std::uint64_t{});
        };
        if constexpr (detail::lends_constraints<Policy>) {
          if (options.balance.edges) {
            balance = detail::balance_of(graph, options.balance, tolerance, options.on_progress,
                                         run);
            Policy balanced = policy;
            balanced.constraints = balance.constraints();
            by(balanced);
            return;
          }
        }
        if constexpr (std::copy_constructible<Policy> &&
                      requires(Policy& chosen) { chosen.balance_types = false; }) {
          if (!options.balance.types) {
            Policy chosen = policy;
            chosen.balance_types = false;
            by(chosen);
            return;
          }
        }
        by(policy);
      });
      if (alone && ranks.size() > 1)
        check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(owner)), 0));
    });
    const std::span<const part> owners(owner);
    if (options.measure_cut) {
      clock.run("measure", [&] {
        std::uint64_t cut = 0;
        run_collective(ranks, [&] {
          cut = narrow ? count_cut_edges_of<std::uint32_t>(graph, owners, options.on_progress, run,
                                                           ranks.rank(), ranks.size())
                       : count_cut_edges_of<std::uint64_t>(graph, owners, options.on_progress, run,
                                                           ranks.rank(), ranks.size());
          report.directed_cut = all_reduce_sum(ranks, cut);
        });
      });
      out.cut_known = true;
    }
    run_collective(ranks, [&] {
      held.assign(2 * types * parts, 0);
      std::size_t v = 0;
      const auto constraints = balance.constraints();
      for (std::size_t t = 0; t < types; ++t) {
        for (std::uint64_t i = 0; i < graph.node_counts[t]; ++i, ++v) {
          const auto p = static_cast<std::size_t>(owner[v]);
          ++holds(t, p);
          for (std::size_t c = constraints.size() / 2; c < constraints.size(); ++c)
            holds(types + t, p) += static_cast<std::uint64_t>(constraints[c].load[v]);
        }
      }
      // The others have no loads: what the first knows is told.
      if (options.balance.edges && ranks.size() > 1) {
        check_peers(ranks);
        check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(held)), 0));
      }
      tell();
    });
    clock.run("write", [&] {
      run_collective(ranks, [&] { settle_inputs(graph); });
      run_collective(ranks, [&] {
        if (first)
          commit(write_assignment(staged->path(), graph.schema, graph.node_counts, owners,
                                  policy_parts, out.algorithm, further));
      });
    });
  }
  return out;
}

}  // namespace halograph
