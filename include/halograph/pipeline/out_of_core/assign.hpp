// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// Assign the nodes of a chunked graph to parts and write an assignment folder: the first step of
/// the chunked pipeline.
/// Layer: pipeline. Words: README.md.
///
/// | partitioner | how | memory | disk besides the result |
/// | --- | --- | --- | --- |
/// | `reads_edges` is false: random, hash, range, given | no edge is read | O(V) | none |
/// | a streaming_partitioner: ldg, fennel, buffered | each edge is sorted to its later endpoint (stream.hpp) | O(V), and the partitioner's own | 8 or 16 bytes an edge |
/// | one that scans edges: new_nodes | each edge is read once, and kept if it ends in a new node | O(V + edges of new nodes) | none |
/// | a distributed_partitioner: distributed_label_propagation | each rank gets the rows of its nodes (share.hpp) | O((V + E) / R) and the partitioner's own | none |
/// | multilevel that compresses | the undirected rows are sorted (stream.hpp), and loaded packed | the partitioner's own | 16 or 32 bytes an edge |
/// | any other: metis | the edges are loaded | O(V + E) and the partitioner's own | none |
///
/// The kind of partitioner is found at compile time; assign_need.hpp says what each needs.
///
/// With several ranks: if no edge is read, each rank assigns all nodes. With a distributed
/// partitioner nothing is gathered on one rank, and each writes its own nodes. With any other
/// partitioner the first rank assigns all nodes and broadcasts the parts; ranks then share the
/// edges to count those that cross parts, and the first rank writes.
#pragma once

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/permutation.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/pipeline/out_of_core/assign_job.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Check that an assignment, and IDs that number so many nodes and edges, fit a graph.
void check_assignment(const chunked_graph& graph, std::size_t owners, std::uint64_t node_capacity,
                      std::uint64_t edge_capacity);

/// All edges of a chunked graph in memory.
template <id Node>
class loaded_edges {
 public:
  /// @errors those of chunked_graph::read_edges
  loaded_edges(const chunked_graph& graph, const progress_callback& on_progress, executor_ref run) {
    for (const std::uint64_t count : graph.edge_counts) {
      columns_.emplace_back(static_cast<std::size_t>(count));
      columns_.emplace_back(static_cast<std::size_t>(count));
    }
    const auto load = [&](type_id type, const edge_block& block) {
      const auto at = static_cast<std::size_t>(block.first),
                 count = static_cast<std::size_t>(block.last - block.first),
                 column = 2 * std::size_t{type};
      graph.read_edges_into(type, block.first, std::span(columns_[column]).subspan(at, count),
                            std::span(columns_[column + 1]).subspan(at, count));
    };
    visit_edge_blocks(graph, "read", on_progress, run, load);
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      relations_.push_back({graph.schema.source_type(type), graph.schema.target_type(type),
                            columns_[2 * r], columns_[2 * r + 1]});
    }
  }
  std::span<const relation_view<Node>> relations() const noexcept { return relations_; }

 private:
  std::vector<std::vector<Node>> columns_{};
  std::vector<relation_view<Node>> relations_{};
};

/// The undirected rows of a chunked graph, packed as they arrive.
/// @errors those of stream_undirected()
template <class Word>
weighted_graph<Word> load_undirected(const chunked_graph& graph,
                                     const neighbor_stream_options& streaming, executor_ref run) {
  row_packer<Word> rows(static_cast<std::size_t>(graph.num_nodes()));
  stream_undirected<Word>(
      graph, streaming,
      [&](std::uint64_t, std::span<const Word> neighbors) { rows.push(neighbors); }, run);
  return rows.finish();
}

/// Show a scan each edge once, in any order. @return the first status of it that is not ok
/// @errors those of chunked_graph::read_edges
template <id Node, class Scan>
status scan_edges(const chunked_graph& graph, Scan& scan, const progress_callback& on_progress,
                  executor_ref run) {
  constexpr std::size_t rows = std::size_t{1} << 15;
  const auto begin = offsets_of(graph.node_counts);
  status answer = status::ok;
  std::mutex adding;
  const auto show = [&](type_id type, const edge_block& block) {
    const std::uint64_t from = begin[graph.schema.source_type(type)],
                        to = begin[graph.schema.target_type(type)];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;
    graph.read_edges<Node>(
        type, block.first, block.last, rows,
        [&](std::span<const Node> sources, std::span<const Node> targets, std::uint64_t) {
          kept.clear();
          for (std::size_t k = 0; k < sources.size(); ++k) {
            const std::uint64_t u = from + static_cast<std::uint64_t>(sources[k]),
                                v = to + static_cast<std::uint64_t>(targets[k]);
            if (scan.touches(u, v)) kept.emplace_back(u, v);
          }
          if (kept.empty()) return;
          const std::lock_guard guard(adding);
          for (const auto& [u, v] : kept) {
            if (answer) answer = scan.add(u, v);
          }
        });
  };
  visit_edge_blocks(graph, "read", on_progress, run, show);
  return answer;
}

}  // namespace detail

/// Assign every node of a chunked graph to a part.
/// @param owner                  [V] out, by global ID
/// @param window_bytes, scratch  as neighbor_stream_options; for streaming partitioners
/// @errors the status of the policy, with its explanation; those of reading; mismatch: owner has
///     another size; overflow: Node or Edge is too narrow
template <id Node, id Edge, class Policy>
void assign_chunked_into(const chunked_graph& graph, const Policy& policy,
                         std::span<typename Policy::part> owner, std::uint64_t window_bytes,
                         const std::string& scratch, const progress_callback& on_progress = {},
                         executor_ref run = {}) {
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  detail::check_assignment(graph, owner.size(), id_capacity<Node>(), id_capacity<Edge>());
  const auto require = [&](status answer) {
    if (!answer) raise(answer.code, explain_assignment(policy, answer));
  };
  const auto node_offsets = offsets_of(graph.node_counts);
  if constexpr (!reads_edges<Policy>) {
    require(assign_into(detail::nodes_alone{static_cast<std::size_t>(nodes)}, policy, owner));
  } else if constexpr (detail::scans_edges<Policy>) {
    typename Policy::scan scan{};
    require(policy.begin_scan({nodes, edges, node_offsets}, owner, scan));
    require(detail::scan_edges<Node>(graph, scan, on_progress, run));
    require(scan.finish());
  } else if constexpr (streaming_partitioner<Policy>) {
    const stream_shape shape{nodes, edges, node_offsets};
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(policy.stream_scratch_size(shape)));
    typename Policy::stream stream{};
    require(policy.begin(shape, owner, memory, stream));
    detail::lend_threads(stream, run);
    const neighbor_stream_options streaming{scratch, window_bytes, on_progress};
    const auto push = [&](std::uint64_t v, const auto& neighbors) {
      require(stream.push(v, neighbors));
    };
    const auto soon = [&](std::span<const std::uint64_t> nodes_soon) {
      detail::fetch_neighbors(stream, nodes_soon);
    };
    if (order_of(policy) == stream_order::natural) {
      stream_neighbors<Node>(graph, by_id{}, by_id{}, streaming, push, run, soon);
    } else {
      std::uint64_t seed = 0;
      if constexpr (takes_seed<Policy>) seed = static_cast<std::uint64_t>(policy.seed);
      const id_permutation order(nodes, seed);
      stream_neighbors<Node>(
          graph, order, [&order](std::uint64_t v) { return order.rank(v); }, streaming, push, run,
          soon);
    }
    require(detail::finish_stream(stream));
    if constexpr (names_parts<Policy>) {
      if (const auto checked = check_owners(std::span<const typename Policy::part>(owner),
                                            static_cast<std::uint64_t>(policy.parts));
          !checked) {
        require(status::internal.at(checked.position));
      }
    }
  } else {
    if constexpr (detail::assigns_rows<Policy>) {
      if (policy.compress) {
        const neighbor_stream_options streaming{scratch, window_bytes, on_progress};
        if (detail::counts_in_32_bits(nodes, edges))
          require(policy.assign_rows(detail::load_undirected<std::uint32_t>(graph, streaming, run),
                                     node_offsets, owner, run));
        else
          require(policy.assign_rows(detail::load_undirected<std::uint64_t>(graph, streaming, run),
                                     node_offsets, owner, run));
        return;
      }
    }
    const auto edge_offsets = offsets_of(graph.edge_counts);
    const detail::loaded_edges<Node> loaded(graph, on_progress, run);
    const hetero_view<Node, Edge> g(node_offsets, edge_offsets, loaded.relations());
    require(assign_into(g, policy, owner, run));
  }
}

namespace detail {

/// Assign all nodes by a policy that may have to balance what the job asks for.
template <class Policy>
void assign_balanced(const assign_job& job, const Policy& policy,
                     std::span<typename Policy::part> owner, balance_set& balance) {
  const auto& graph = job.graph;
  const auto& options = job.options;
  const std::uint64_t window = job.out.need.window_bytes;
  const auto by = [&](const Policy& chosen) {
    if (graph.num_nodes() <= id_capacity<std::uint32_t>() &&
        graph.num_edges() <= id_capacity<std::uint32_t>())
      assign_chunked_into<std::uint32_t, std::uint32_t>(graph, chosen, owner, window, job.staging(),
                                                        options.on_progress, job.run);
    else
      assign_chunked_into<std::uint64_t, std::uint64_t>(graph, chosen, owner, window, job.staging(),
                                                        options.on_progress, job.run);
  };
  if constexpr (lends_constraints<Policy>) {
    if (options.balance.edges) {
      balance = balance_of(graph, options.balance, job.policy.tolerance, options.on_progress,
                           job.run);
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
}

}  // namespace detail

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
template <class Policy, communicator Ranks = single_rank>
  requires names_parts<Policy>
assign_result assign_chunked(const chunked_graph& graph, const Policy& policy,
                             const std::string& target, const assign_options& options = {},
                             executor_ref run = {}, const Ranks& ranks = {}) {
  using part = typename Policy::part;
  const detail::policy_facts facts = detail::facts_of<Policy, Ranks>(policy);
  const communicator_ref all(ranks);
  detail::assign_job job{graph, facts, options, run, all};
  detail::begin_assign(job, target);
  if constexpr (detail::access_of<Policy, Ranks>() == edge_access::shared) {
    const auto assign = [&](const auto& share, std::span<part> owner) -> status {
      return policy.assign(checked_communicator<Ranks>(ranks), share.graph(), owner);
    };
    const auto explain = [&](status answer) { return explain_assignment(policy, answer); };
    if (graph.num_nodes() <= detail::most_shared_nodes<std::uint32_t>)
      detail::assign_by_shares<std::uint32_t, part>(job, assign, explain);
    else
      detail::assign_by_shares<std::uint64_t, part>(job, assign, explain);
  } else {
    detail::assign_at_once<part>(job, [&](std::span<part> owner, balance_set& balance) {
      detail::assign_balanced(job, policy, owner, balance);
    });
  }
  return std::move(job.out);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/assign.ipp>
#endif
