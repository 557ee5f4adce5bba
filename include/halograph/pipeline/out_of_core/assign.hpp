// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// Assign the nodes of a chunked graph to parts and write an assignment folder: the first step of
/// the chunked pipeline.
/// Layer: pipeline. Words: README.md.
///
/// | partitioner | how | memory | disk besides the result |
/// | --- | --- | --- | --- |
/// | `reads_edges` is false: random, hash, range, given | no edge is read | O(V) | none |
/// | a streaming_partitioner: ldg, fennel | each edge is sorted to its later endpoint (stream.hpp) | O(V) | 8 or 16 bytes an edge |
/// | a distributed_partitioner: distributed_label_propagation | each rank gets the rows of its nodes (share.hpp) | O((V + E) / R) and the partitioner's own | none |
/// | any other: metis | the edges are loaded | O(V + E) and the partitioner's own | none |
///
/// The kind of partitioner is found at compile time; assign_need.hpp says what each needs.
///
/// With several ranks: if no edge is read, each rank assigns all nodes. With a distributed
/// partitioner nothing is gathered on one rank, and each writes its own nodes. With any other
/// partitioner the first rank assigns all nodes and broadcasts the parts; ranks then share the
/// edges to count those that cross parts, and the first rank writes.
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
#include <halograph/core/offsets.hpp>
#include <halograph/core/permutation.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/chunked/digest.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>
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

/// The constraints to balance: the number of nodes of each class, and their in-degrees.
template <class Chunked, executor Executor>
balance_set balance_of(const Chunked& graph, const assign_balance& asked, double tolerance,
                       const progress_callback& on_progress, const Executor& run) {
  const auto nodes = static_cast<std::size_t>(graph.num_nodes());
  const auto begin = offsets_of(graph.node_counts);
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

/// Can constraints be given to a copy of a policy?
template <class Policy>
concept lends_constraints = takes_constraints<Policy> && std::copy_constructible<Policy>;

template <class Policy>
double tolerance_of(const Policy& policy) {
  if constexpr (takes_tolerance<Policy>)
    return static_cast<double>(policy.tolerance);
  else
    return default_tolerance;
}

}  // namespace detail

namespace detail {

/// Nodes of each type in each part, and the edges that end in them where these are balanced.
class part_loads {
 public:
  part_loads() = default;
  part_loads(std::size_t types, std::size_t parts)
      : types_(types), parts_(parts), counts_(2 * types * parts) {}

  std::uint64_t& nodes(std::size_t type, std::size_t p) { return counts_[type * parts_ + p]; }
  std::uint64_t& edges(std::size_t type, std::size_t p) { return nodes(types_ + type, p); }
  std::span<std::uint64_t> all() noexcept { return counts_; }

  /// Describe the graph, the parts and their balance in the result.
  template <class Chunked>
  void report(const Chunked& graph, const assign_balance& balance, double tolerance,
              assign_result& out) {
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

 private:
  /// The balance of the sums of rows [begin, end): types of nodes, then types of edges' targets.
  void add_balance(quality_report& report, const std::string& name, double tolerance,
                   std::size_t begin, std::size_t end) {
    spread over{0, 0, parts_};
    for (std::size_t p = 0; p < parts_; ++p) {
      std::uint64_t load = 0;
      for (std::size_t t = begin; t < end; ++t) load += nodes(t, p);
      over.total += static_cast<std::int64_t>(load);
      over.largest = std::max(over.largest, static_cast<std::int64_t>(load));
    }
    report.balance.push_back({name, tolerance, over.imbalance(), over.met(tolerance)});
  }

  std::size_t types_ = 0, parts_ = 0;
  std::vector<std::uint64_t> counts_{};
};

}  // namespace detail

/// Count the edges of a chunked graph that cross parts.
/// @param owner        [V] the part of each node, by global ID
/// @param rank, ranks  count only the share of this rank
/// @errors             those of chunked_graph::read_edges
/// @complexity         O(E / R) time, R ranks; O(1) memory per thread
template <id Node, class Chunked, unsigned_id Part, executor Executor = sequential>
std::uint64_t count_cut_edges_of(const Chunked& graph, std::span<const Part> owner,
                                 const progress_callback& on_progress = {},
                                 const Executor& run = {}, std::size_t rank = 0,
                                 std::size_t ranks = 1) {
  const auto begin = offsets_of(graph.node_counts);
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

/// Assign every node of a chunked graph to a part.
/// @param owner                  [V] out, by global ID
/// @param window_bytes, scratch  as neighbor_stream_options; for streaming partitioners
/// @errors the status of the policy, with its explanation; those of reading; mismatch: owner has
///     another size; overflow: Node or Edge is too narrow
template <id Node, id Edge, class Chunked, class Policy, executor Executor = sequential>
void assign_chunked_into(const Chunked& graph, const Policy& policy,
                         std::span<typename Policy::part> owner, std::uint64_t window_bytes,
                         const std::string& scratch, const progress_callback& on_progress = {},
                         const Executor& run = {}) {
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  if (owner.size() != nodes)
    raise(errc::mismatch, "an assignment of " + std::to_string(nodes) +
                              " nodes must have exactly one part for each");
  if (nodes > id_capacity<Node>() || edges > id_capacity<Edge>()) {
    raise(errc::overflow, std::to_string(nodes) + " nodes and " + std::to_string(edges) +
                              " edges do not fit the ID types; use wider IDs");
  }
  const auto require = [&](status answer) {
    if (!answer) raise(answer.code, explain_assignment(policy, answer));
  };
  const auto node_offsets = offsets_of(graph.node_counts),
             edge_offsets = offsets_of(graph.edge_counts);
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

/// Assign a chunked graph and write the assignment folder, which appears as a whole or not at all.
///
/// @param graph   as open_chunked returns it (features are not used: chunked_options{.features =
///     false})
/// @param policy  any partitioner with a member `parts`, or a distributed_partitioner of `Ranks`
///     (through checked_communicator) and views of 32- and 64-bit nodes with one
/// @param target  the folder to write: one text file per node type, and partition_meta.json, whose
///     `algo_name` is "random" for partitioners that read no edges and "metis" for those that do,
///     because DGL accepts no other words; `method` and `options` say how it was really made
/// @param ranks   the ranks that share the work; the bytes are the same for any number of ranks if
///     the policy's parts are, and the result is the same on each rank. Collective
/// @errors memory: options.memory_bytes does not suffice (and how much does); invalid_argument: the
///     target would replace the graph; unsupported: the policy cannot balance what options.balance
///     asks for; mismatch: the graphs (as dispatch() compares them), policies or settings of the
///     ranks differ; those of assign_chunked_into and staged_folder. With several ranks
///     joint_error, unless communication fails
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
  std::optional<staged_folder> staged;  // on the first rank
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
    check_num_parts(policy_parts);
    if (options.balance.edges && !on_shares && !detail::lends_constraints<Policy>) {
      raise(errc::unsupported,
            "this partitioner takes no constraints and cannot balance the edges that end in parts");
    }
    keep_files_of(target, graph);
    if (nodes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 32) {
      raise(errc::memory,
            std::to_string(nodes) +
                " nodes are more than this machine can address");  // as dataset::finish()
    }
    out.need = estimate_assign(policy, nodes, edges, graph.node_counts.size(), options, ranks);
    if (options.memory_bytes != 0 && options.memory_bytes < out.need.least_memory_bytes) {
      raise(errc::memory,
            "a budget of " + std::to_string(options.memory_bytes) + " bytes is too small; " +
                std::to_string(out.need.least_memory_bytes) + " bytes suffice" +
                (out.need.edges == edge_access::loaded ? " because this method loads all edges"
                                                       : ""));
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
  const std::size_t types = graph.node_counts.size();
  detail::part_loads loads;
  // The first rank puts the folder in place.
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
          loads = detail::part_loads(types, parts);
          const std::uint64_t begin = share.ranges[ranks.rank()];
          const std::size_t width = share.constraints.size();
          std::size_t t = 0;
          std::uint64_t end = types == 0 ? 0 : graph.node_counts[0];
          for (std::size_t v = 0; v < owner.size(); ++v) {
            while (begin + v >= end) end += graph.node_counts[++t];
            const auto p = static_cast<std::size_t>(owner[v]);
            ++loads.nodes(t, p);
            for (std::size_t c = width / 2; c < width && options.balance.edges; ++c)
              loads.edges(t, p) += static_cast<std::uint64_t>(share.weights[v * width + c]);
          }
          check_peers(ranks);
          check_ranks(ranks.sum(loads.all()));
          loads.report(graph, options.balance, tolerance, out);
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
    // The window of a stream gets what is left of the budget.
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
        if constexpr (std::copy_constructible<Policy> && balances_types<Policy>) {
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
      loads = detail::part_loads(types, parts);
      std::size_t v = 0;
      const auto constraints = balance.constraints();
      for (std::size_t t = 0; t < types; ++t) {
        for (std::uint64_t i = 0; i < graph.node_counts[t]; ++i, ++v) {
          const auto p = static_cast<std::size_t>(owner[v]);
          ++loads.nodes(t, p);
          for (std::size_t c = constraints.size() / 2; c < constraints.size(); ++c)
            loads.edges(t, p) += static_cast<std::uint64_t>(constraints[c].load[v]);
        }
      }
      // Only the first rank has the loads.
      if (options.balance.edges && ranks.size() > 1) {
        check_peers(ranks);
        check_ranks(ranks.broadcast(std::as_writable_bytes(loads.all()), 0));
      }
      loads.report(graph, options.balance, tolerance, out);
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
