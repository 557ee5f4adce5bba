// SPDX-License-Identifier: BSL-1.0
/// @file assign_job.hpp
/// The steps of assigning a chunked graph that are the same for all partitioners: checks, measures
/// and the files.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What assign_chunked did.
struct assign_result {
  assign_need need{};       ///< what the run was allowed
  std::string algorithm{};  ///< as partition_meta.json has it: "random" or "metis"
  std::vector<std::vector<std::uint64_t>> nodes{};  ///< [K][T] nodes of each part and type
  quality_report report{};  ///< nodes, edges, types, directed_cut (where measured), balance of each
                            ///< type, steps
  bool cut_known = false;   ///< `report` holds the cut
  std::vector<std::string> notes{};  ///< what the user should know
};

namespace detail {

/// f(type, block) for the edges of all types, called by several threads; progress is told after
/// each block.
/// @param rank, ranks  visit only the share of this rank
/// @errors             what f raises
void visit_edge_blocks(const chunked_graph& graph, std::string_view step,
                       const progress_callback& on_progress, executor_ref run,
                       function_ref<void(type_id, const edge_block&)> f, std::size_t rank = 0,
                       std::size_t ranks = 1);

/// The constraints to balance: the number of nodes of each class, and their in-degrees.
balance_set balance_of(const chunked_graph& graph, const assign_balance& asked, double tolerance,
                       const progress_callback& on_progress, executor_ref run);

/// Nodes of each type in each part, and the edges that end in them where these are balanced.
class part_loads {
 public:
  part_loads() = default;
  part_loads(std::size_t types, std::size_t parts)
      : types_(types), parts_(parts), counts_(2 * types * parts), most_(types) {}

  std::uint64_t& nodes(std::size_t type, std::size_t p) { return counts_[type * parts_ + p]; }
  std::uint64_t& edges(std::size_t type, std::size_t p) { return nodes(types_ + type, p); }
  std::span<std::uint64_t> all() noexcept { return counts_; }
  /// The edges that end in one node of the type, at most; 0: not known.
  std::uint64_t& most_edges(std::size_t type) { return most_[type]; }
  std::span<std::uint64_t> most_edges() noexcept { return most_; }

  /// Describe the graph, the parts and their balance in the result.
  void report(const chunked_graph& graph, const assign_balance& balance, double tolerance,
              assign_result& out);

 private:
  /// The balance of the sums of rows [begin, end): types of nodes, then types of edges' targets.
  void add_balance(quality_report& report, const std::string& name, double tolerance,
                   std::size_t begin, std::size_t end);

  std::size_t types_ = 0, parts_ = 0;
  std::vector<std::uint64_t> counts_{}, most_{};
};

}  // namespace detail

/// Count the edges of a chunked graph that cross parts.
/// @param owner        [V] the part of each node, by global ID
/// @param rank, ranks  count only the share of this rank
/// @errors             those of chunked_graph::read_edges
/// @complexity         O(E / R) time, R ranks; O(1) memory per thread
template <id Node, unsigned_id Part>
std::uint64_t count_cut_edges_of(const chunked_graph& graph, std::span<const Part> owner,
                                 const progress_callback& on_progress = {}, executor_ref run = {},
                                 std::size_t rank = 0, std::size_t ranks = 1) {
  const auto begin = offsets_of(graph.node_counts);
  std::atomic<std::uint64_t> cut{0};
  const auto count = [&](type_id type, const edge_block& block) {
    const auto sources_owner = owner.subspan(
        static_cast<std::size_t>(begin[graph.schema.source_type(type)]));
    const auto targets_owner = owner.subspan(
        static_cast<std::size_t>(begin[graph.schema.target_type(type)]));
    std::uint64_t crossing = 0;
    graph.read_edges<Node>(
        type, block.first, block.last, std::size_t{1} << 15,
        [&](std::span<const Node> sources, std::span<const Node> targets, std::uint64_t) {
          for (std::size_t k = 0; k < sources.size(); ++k) {
            crossing += sources_owner[static_cast<std::size_t>(sources[k])] !=
                                targets_owner[static_cast<std::size_t>(targets[k])]
                            ? 1u
                            : 0u;
          }
        });
    cut += crossing;
  };
  detail::visit_edge_blocks(graph, "measure", on_progress, run, count, rank, ranks);
  return cut;
}

namespace detail {

/// One run of assign_chunked, whatever the policy.
struct assign_job {
  const chunked_graph& graph;
  const policy_facts& policy;
  const assign_options& options;
  executor_ref run;
  communicator_ref ranks;
  assign_result out{};
  std::optional<staged_folder> staged{};  ///< on the first rank
  json::value further{};                  ///< of the method, for partition_meta.json

  bool first() const { return ranks.rank() == 0; }
  /// The staging folder, or "".
  std::string staging() const { return staged ? staged->path() : std::string(); }
  /// The first rank puts the folder in place. @param names  of the files written
  void commit(const std::vector<std::string>& names);
};

/// Compare what the ranks are asked for, check it and begin the output. Collective.
void begin_assign(assign_job& job, const std::string& target);

/// Each rank assigns the nodes of its share. Collective.
/// @param assign   assign(share, owner): the policy's; called inside run_collective()
/// @param explain  the sentence of a status of the policy
template <id Node, unsigned_id Part>
void assign_by_shares(assign_job& job,
                      function_ref<status(const chunked_share<Node>&, std::span<Part>)> assign,
                      function_ref<std::string(status)> explain) {
  const auto& graph = job.graph;
  const auto& options = job.options;
  const communicator_ref ranks = job.ranks;
  const auto parts = static_cast<std::size_t>(job.policy.parts);
  const std::size_t types = graph.node_counts.size();
  auto& report = job.out.report;
  step_clock clock(report, options.on_progress);
  std::optional<chunked_share<Node>> read;
  clock.run("read", [&] {
    run_collective(ranks, [&] {
      read = read_chunked_share<Node>(ranks, graph, options.balance, options.on_progress);
    });
  });
  const chunked_share<Node>& share = *read;
  std::vector<Part> owner;
  clock.run("assign", [&] {
    run_collective(ranks, [&] {
      owner.resize(share.num_nodes());
      const status answer = assign(share, owner);
      if (!answer) raise_collective(ranks, joint_error(answer.code, explain(answer)));
    });
    run_collective(ranks, [&] {
      if (const auto checked = check_owners(std::span<const Part>(owner), job.policy.parts);
          !checked) {
        raise(error_kind::internal, explain(status::internal.at(checked.position)));
      }
    });
  });
  const std::span<const Part> owners(owner);
  clock.run("measure", [&] {
    run_collective(ranks, [&] {
      if (options.measure_cut)
        report.directed_cut = all_reduce_sum(
            ranks, count_cut_edges_of_share(ranks, graph, share, owners, options.on_progress));
      part_loads loads(types, parts);
      const std::uint64_t begin = share.ranges[ranks.rank()];
      const std::size_t width = share.constraints.size();
      std::size_t t = 0;
      std::uint64_t end = types == 0 ? 0 : graph.node_counts[0];
      for (std::size_t v = 0; v < owner.size(); ++v) {
        while (begin + v >= end) end += graph.node_counts[++t];
        const auto p = static_cast<std::size_t>(owner[v]);
        ++loads.nodes(t, p);
        for (std::size_t c = width / 2; c < width && options.balance.edges; ++c) {
          const auto load = static_cast<std::uint64_t>(share.weights[v * width + c]);
          loads.edges(t, p) += load;
          loads.most_edges(t) = std::max(loads.most_edges(t), load);
        }
      }
      check_peers(ranks);
      check_ranks(ranks.sum(loads.all()));
      if (options.balance.edges) {
        for (std::uint64_t& most : loads.most_edges()) most = all_reduce_max(ranks, most);
      }
      loads.report(graph, options.balance, job.policy.tolerance, job.out);
    });
  });
  clock.run("write", [&] {
    run_collective(ranks, [&] { settle_inputs(graph); });
    run_collective(ranks, [&] {
      job.commit(write_assignment_share(ranks, job.staging(), graph.schema, graph.node_counts,
                                        share.ranges, owners, job.policy.parts, job.out.algorithm,
                                        job.further));
    });
  });
  job.out.cut_known = options.measure_cut;
}

/// The first rank assigns all nodes; if no edge is read, each rank does. Collective.
/// @param assign  assign(owner, balance): the policy's, with what it balances; called inside
///     run_collective()
template <unsigned_id Part>
void assign_at_once(assign_job& job, function_ref<void(std::span<Part>, balance_set&)> assign) {
  const auto& graph = job.graph;
  const auto& options = job.options;
  const communicator_ref ranks = job.ranks;
  const auto parts = static_cast<std::size_t>(job.policy.parts);
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  const std::size_t types = graph.node_counts.size();
  auto& report = job.out.report;
  step_clock clock(report, options.on_progress);
  std::vector<Part> owner;
  balance_set balance;
  const bool alone = job.policy.access != edge_access::none;
  clock.run("assign", [&] {
    run_collective(ranks, [&] {
      owner.resize(static_cast<std::size_t>(nodes));
      if (!alone || job.first()) assign(owner, balance);
    });
    if (alone && ranks.size() > 1)
      check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(owner)), 0));
  });
  const std::span<const Part> owners(owner);
  if (options.measure_cut) {
    clock.run("measure", [&] {
      run_collective(ranks, [&] {
        const bool narrow = nodes <= id_capacity<std::uint32_t>() &&
                            edges <= id_capacity<std::uint32_t>();
        const std::uint64_t cut =
            narrow ? count_cut_edges_of<std::uint32_t>(graph, owners, options.on_progress, job.run,
                                                       ranks.rank(), ranks.size())
                   : count_cut_edges_of<std::uint64_t>(graph, owners, options.on_progress, job.run,
                                                       ranks.rank(), ranks.size());
        report.directed_cut = all_reduce_sum(ranks, cut);
      });
    });
    job.out.cut_known = true;
  }
  run_collective(ranks, [&] {
    part_loads loads(types, parts);
    std::size_t v = 0;
    const auto constraints = balance.constraints();
    for (std::size_t t = 0; t < types; ++t) {
      for (std::uint64_t i = 0; i < graph.node_counts[t]; ++i, ++v) {
        const auto p = static_cast<std::size_t>(owner[v]);
        ++loads.nodes(t, p);
        for (std::size_t c = constraints.size() / 2; c < constraints.size(); ++c) {
          const auto load = static_cast<std::uint64_t>(constraints[c].load[v]);
          loads.edges(t, p) += load;
          loads.most_edges(t) = std::max(loads.most_edges(t), load);
        }
      }
    }
    // Only the first rank has the loads.
    if (options.balance.edges && ranks.size() > 1) {
      check_peers(ranks);
      check_ranks(ranks.broadcast(std::as_writable_bytes(loads.all()), 0));
      check_ranks(ranks.broadcast(std::as_writable_bytes(loads.most_edges()), 0));
    }
    loads.report(graph, options.balance, job.policy.tolerance, job.out);
  });
  clock.run("write", [&] {
    run_collective(ranks, [&] { settle_inputs(graph); });
    run_collective(ranks, [&] {
      if (job.first())
        job.commit(write_assignment(job.staged->path(), graph.schema, graph.node_counts, owners,
                                    job.policy.parts, job.out.algorithm, job.further));
    });
  });
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/assign_job.ipp>
#endif
