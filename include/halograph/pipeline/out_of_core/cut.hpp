// SPDX-License-Identifier: BSL-1.0
/// @file cut.hpp
/// Dispatch, cut edges: listed by the part of their source, which holds them as HALO edges.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/remote_rows.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/relabel/relabel_graph.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// List cut edges by the part of their source.
/// @param cut  the number of cut edges
/// @errors internal: there are others
template <id Node, id Edge>
void cut_edges_to_files(const std::string& folder, const csc_view<Node, Edge>& rows,
                        std::span<const std::uint64_t> part_begin, std::uint64_t cut,
                        std::pmr::memory_resource* memory, executor_ref run,
                        dispatched_edges<Node, Edge>& out) {
  const std::size_t parts = part_begin.size() - 1,
                    pieces = std::min(pieces_of(run), most_cut_pieces);
  std::pmr::vector<std::uint64_t> counts(cut_counts_count(parts, pieces), memory);
  out.cut_begin = scratch_array<std::uint64_t>::create(folder + "/cut_begin", parts + 1);
  const auto begin = out.cut_begin.values();
  const auto create = [&] {
    out.cut_list = scratch_array<cut_edge<Node, Edge>>::create(folder + "/cut_list", cut);
  };
  const run_beside and_create(run, create);
  check(count_cut_lists(rows, part_begin, pieces, std::span(counts), begin, and_create),
        "cut edges could not be counted");
  require_equal(begin[parts], cut, "cut edges");
  check(fill_cut_lists(rows, part_begin, pieces, std::span(counts), out.cut_list.values(), run),
        "cut edges could not be listed");
}

/// Which edges a rank needs besides the rows of its parts.
struct needed_edges {
  bool cut = false;     ///< cut edges that leave its parts
  bool remote = false;  ///< edges that other ranks have: new files hold these and its own
};
inline needed_edges edges_needed(const dispatch_state& job) {
  const bool cut = job.options.hops != 0 && job.options.halo == dispatch_halo::full;
  return {cut, job.several_ranks() && (cut || job.options.hops > 1)};
}

/// Find the edges and write them to files.
template <id Node, id Edge>
void write_cut_edges(dispatch_job<Node, Edge>& job, const needed_edges& needed) {
  auto& edges = job.edges;
  run_collective(job.ranks, [&] {
    if (job.several_ranks()) {
      hold_rows<Node, Edge>(job.output.scratch(), job.part_begin, job.shares, job.options.hops,
                            needed.cut, job.buffers, job.memory(), job.ranks, edges);
    } else {
      cut_edges_to_files<Node, Edge>(job.output.scratch(), job.rows(), job.part_begin,
                                     edges.cut_edges, job.memory(), job.run, edges);
    }
    job.measure_memory();
  });
  const std::uint64_t count = needed.cut ? edges.cut_list.size() : 0;
  const std::uint64_t all = job.several_ranks() ? all_reduce_sum(job.ranks, count) : count;
  run_collective(job.ranks, [&] {
    if (needed.cut) require_equal(all, edges.cut_edges, "cut edges");
    stage_record stage{"cut", {{"cut_edges", count}, {"held", edges.rows}}, {}, {}};
    if (needed.cut) {
      job.add_file(stage, edges.cut_begin, "cut_begin");
      job.add_file(stage, edges.cut_list, "cut_list");
    }
    if (needed.remote) job.add_rows(stage, "held_");
    job.stages.complete(std::move(stage));
  });
}

/// The phase of cut edges.
template <id Node, id Edge>
void dispatch_cut_edges(dispatch_job<Node, Edge>& job) {
  const needed_edges needed = edges_needed(job);
  if (!needed.cut && !needed.remote) return;
  const stage_record* done = job.stages.completed("cut");
  if (done == nullptr) {
    write_cut_edges(job, needed);
    done = &job.stages.record_of("cut");
  }
  run_collective(job.ranks, [&] {
    auto& edges = job.edges;
    const std::uint64_t count = done->count("cut_edges");
    edges.rows = done->count("held");
    if (needed.cut) {
      edges.cut_begin = scratch_array<std::uint64_t>::open(job.scratch_file("cut_begin"),
                                                           std::uint64_t{job.parts} + 1);
      edges.cut_list = scratch_array<cut_edge<Node, Edge>>::open(job.scratch_file("cut_list"),
                                                                 count);
    }
    if (needed.remote)
      edges.open_rows(job.scratch_file("held_"),
                      nodes_with_rows(job.shares.nodes(), job.num_nodes(), job.options.hops),
                      edges.rows + count, edges.rows + count);
  });
}

}  // namespace halograph::detail
