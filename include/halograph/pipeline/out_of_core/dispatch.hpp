// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.hpp
/// From a chunked graph and an assignment to partition folders, within a memory budget, however
/// large the graph.
/// Layer: pipeline. Words: README.md.
///
/// | phase | reads | leaves in the staging folder | header |
/// | --- | --- | --- | --- |
/// | start | the job | an empty folder, or what an earlier run left | start.hpp, budget.hpp, resume.hpp |
/// | nodes | assignment files | nodes in new order; `owners.npy`, for the result | nodes.hpp |
/// | edges, rows | edge files | rows by target, new edge IDs | edges.hpp |
/// | cut | rows | cut edges by part of the source (not with in-edges only) | cut.hpp, remote_rows.hpp |
/// | parts | rows, cut edges | everything of each part but the rows of features | parts.hpp |
/// | features | feature files | rows of features | features.hpp, feature_rows.hpp |
/// | finish | | the result, in place of the target | finish.hpp |
///
/// The phases share one state (job.hpp). Each counts what it received and what it passes on, and
/// records that it is complete (checkpoint.hpp), as does each part: a run that was killed can be
/// resumed after them. The result is what partition_graph writes of the same graph, assignment and
/// options, byte for byte, whatever the chunks and the budget.
///
/// Several ranks (core/communicator.hpp) share the work: each reads its share of the edges and
/// rows, and sends them to the rank that owns the part they belong to (core/block_range.hpp). The
/// bytes are those of one rank. Each rank reads its share of the assignment and keeps the new IDs
/// of those nodes in memory; original IDs and rows, of the nodes in its parts, are in files. Some
/// of what a rank keeps still grows with all nodes: original IDs, if HALO nodes are stored with
/// them (store_original_ids); with 2 hops or more the offsets of all rows and up to four bits for
/// each node; and the node mapping of its own folder. Ranks share one output folder, or have one
/// each (dispatch_options::own_folders). If one rank fails, all throw its error
/// (collective_errors.hpp).
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/pipeline/out_of_core/cut.hpp>
#include <halograph/pipeline/out_of_core/edges.hpp>
#include <halograph/pipeline/out_of_core/features.hpp>
#include <halograph/pipeline/out_of_core/finish.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/parts.hpp>
#include <halograph/pipeline/out_of_core/start.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace halograph {

namespace detail {

/// Run all phases. Collective.
template <id Node, id Edge>
dispatch_result run_phases(dispatch_job<Node, Edge>& job) {
  try {
    // Whatever a rank does between two collective calls is inside this one.
    run_collective(job.ranks, [&] {
      start_dispatch(job);
      step_clock clock(job.result.report, job.options.on_progress);
      clock.run("nodes", [&] { node_phase<Node, Edge>(job).run(); });
      clock.run("edges", [&] { dispatch_edges(job); });
      clock.run("cut", [&] { dispatch_cut_edges(job); });
      describe_partition(job.result.config, job.result.report, job.plan().ranges(),
                         job.input.schema);
      clock.run("parts", [&] { part_phase<Node, Edge>(job).run(); });
      clock.run("features", [&] { feature_phase<Node, Edge>(job).run(); });
      clock.run("finish", [&] {
        finish_dispatch(job, job.edges.cut_edges, [&job] {
          auto& [old_node, new_node, node_bounds] = job.nodes;
          auto& edges = job.edges;
          remove_arrays(job.run, edges.cut_list, edges.old_edge, edges.sources, edges.new_edge,
                        edges.offsets, old_node, new_node, node_bounds, edges.bounds,
                        edges.cut_begin);
        });
      });
    });
  } catch (const error& problem) {
    end_failed(job, problem);
  }
  return std::move(job.result);
}

}  // namespace detail

/// Dispatch a chunked graph with a given width of IDs in memory and in scratch files.
/// @errors as dispatch(); overflow: the graph has more nodes or edges than the IDs can number
template <id Node, id Edge>
dispatch_result dispatch_at(const chunked_graph& input, const std::string& assignment,
                            part_id parts, const any_target& target,
                            const dispatch_options& options = {}, executor_ref run = {},
                            communicator_ref ranks = {}) {
  std::optional<detail::dispatch_job<Node, Edge>> job;
  run_collective(ranks,
                 [&] { job.emplace(input, assignment, parts, target, options, run, ranks); });
  return detail::run_phases(*job);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/dispatch.ipp).
extern template dispatch_result dispatch_at<std::uint32_t, std::uint32_t>(
    const chunked_graph&, const std::string&, part_id, const any_target&, const dispatch_options&,
    executor_ref, communicator_ref);
extern template dispatch_result dispatch_at<std::uint64_t, std::uint64_t>(
    const chunked_graph&, const std::string&, part_id, const any_target&, const dispatch_options&,
    executor_ref, communicator_ref);
#endif

/// The same for a target of any type.
template <id Node, id Edge, partition_target Target>
  requires(!std::same_as<Target, any_target>)
dispatch_result dispatch_at(const chunked_graph& input, const std::string& assignment,
                            part_id parts, const Target& target,
                            const dispatch_options& options = {}, executor_ref run = {},
                            communicator_ref ranks = {}) {
  return dispatch_at<Node, Edge>(input, assignment, parts, detail::refer_to(target), options, run,
                                 ranks);
}

/// Dispatch a chunked graph: write its parts, as an assignment defines them.
///
/// @param input       an opened chunked graph (open_chunked), the same on each rank. Ranks compare
///     what they know without reading it all: names, counts, features and, of each file, its size,
///     the offsets of its lines and its beginning
/// @param assignment  folder with the part of each node, `<node type>.txt`, or for a graph of one
///     node type that file itself; the same on each rank. Ranks compare the sizes and beginnings
///     of its files, and all parts if each writes a mapping into its own folder
/// @param parts       the number of parts (resolve_num_parts, count_parts_assigned)
/// @param target      dgl_folder{path}, native_folder{path} or format_folder{path, your format};
///     with several ranks a folder that all of them see, or with own_folders one for each
/// @param run         reads, sorts and writes; the bytes are the same for any executor
/// @param ranks       share the work; the bytes are the same for any number of ranks. Collective
/// @errors            memory: the budget is too small, with the smallest that suffices, before
///     anything is read; mismatch, out_of_range, malformed: what is wrong in which file and line;
///     cut_edges (0 hops); mismatch: resumed with other options or inputs, or on another number of
///     ranks; mismatch: the options, graphs or assignments of the ranks differ; busy and exists
///     (the target); io. An earlier result stays in any case. A run that ran out of memory or disk
///     space, or was canceled by the progress callback, can be resumed. With several ranks
///     joint_error, unless communication fails
/// @complexity        O(bytes in and out) time, a few passes; anonymous memory of each rank within
///     the budget
/// @repeatable        yes: a function of graph, assignment and options
dispatch_result dispatch(const chunked_graph& input, const std::string& assignment, part_id parts,
                         const any_target& target, const dispatch_options& options = {},
                         executor_ref run = {}, communicator_ref ranks = {});

/// The same for a target of any type.
template <partition_target Target>
  requires(!std::same_as<Target, any_target>)
dispatch_result dispatch(const chunked_graph& input, const std::string& assignment, part_id parts,
                         const Target& target, const dispatch_options& options = {},
                         executor_ref run = {}, communicator_ref ranks = {}) {
  return dispatch(input, assignment, parts, detail::refer_to(target), options, run, ranks);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/dispatch.ipp>
#endif
