// SPDX-License-Identifier: BSL-1.0
/// @file features.hpp
/// Dispatch, features: rows are copied from the input into the files of parts, feature by feature.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/parts.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// What of the phase of features does not depend on the width of IDs.
class feature_phase_base {
 protected:
  /// Writes the rows of a feature. @return how many this rank has written
  using row_writer =
      function_ref<std::uint64_t(const chunked_feature&, const feature_places&, row_files&,
                                 const std::function<void(std::uint64_t)>&)>;

  feature_phase_base(dispatch_state& job, const partition_ranges& plan)
      : job_(job), layouts_(job, plan), own_(job.shares.parts()) {}

  /// The features whose rows no earlier run has written.
  std::vector<std::size_t> unwritten(const std::vector<chunked_feature>& all, column what) const;

  /// Inside run_collective().
  void write_some(const std::vector<chunked_feature>& all, const std::vector<std::size_t>& todo,
                  column what, row_writer write_rows);

  /// The files that hold rows are complete now, and have digests.
  void finish();

 private:
  /// Rows are synced, and their stages completed, once so many bytes have been written: to sync
  /// the files of all parts for each feature would take longer.
  static constexpr std::uint64_t bytes_between_syncs = std::uint64_t{1} << 30;

  /// Where the rows of all features of one kind go.
  struct places {
    std::vector<feature_places> features{};  // by index of the feature
    std::vector<std::string> paths{};        // [P] of each part's file; "": another rank's
  };
  places find_places(column what, std::size_t features) const;
  /// The nodes, or edges, of a type in the parts of this rank.
  std::uint64_t rows_of_parts(std::size_t type, bool of_nodes) const;
  /// The rows of a feature are on disk.
  void complete(stage_record stage, const feature_places& to, const std::vector<std::string>& paths,
                row_files& files);
  static std::string stage_of(column what) {
    return what == column::node_feature ? "node_feature" : "edge_feature";
  }

  dispatch_state& job_;
  part_layouts layouts_;
  id_range own_;
  /// Digests of whole files whose rows were written in order, by path.
  std::map<std::string, std::uint64_t, std::less<>> digested_{};
};

/// The phase of features: each rank reads its share of the rows, and writes those of its parts.
template <id Node, id Edge>
class feature_phase : feature_phase_base {
 public:
  explicit feature_phase(dispatch_job<Node, Edge>& job)
      : feature_phase_base(job, job.plan().ranges()), job_(job), plan_(job.plan()) {}

  void run() {
    write_all(job_.input.node_features, column::node_feature);
    write_all(job_.input.edge_features, column::edge_feature);
    finish();
  }

 private:
  /// Write the rows of all features of nodes, or of edges, that no earlier run has written.
  void write_all(const std::vector<chunked_feature>& all, column what) {
    const std::vector<std::size_t> todo = unwritten(all, what);
    if (todo.empty()) return;
    run_collective(job_.ranks, [&] {
      const bool of_nodes = what == column::node_feature;
      const row_readers readers = of_nodes ? job_.node_readers() : job_.edge_readers();
      // The places of the edges whose rows this rank reads.
      scratch_array<Edge> edge_place;
      if (!of_nodes)
        edge_place = edge_places_to_file<Node, Edge>(job_.output.scratch(), plan_, job_.shares,
                                                     readers, job_.buffers, job_.memory(),
                                                     job_.ranks, job_.run);
      write_some(all, todo, what,
                 [&](const chunked_feature& one, const feature_places& to, row_files& files,
                     const std::function<void(std::uint64_t)>& told) {
                   return of_nodes ? write_node_rows(one, readers, to, files, told)
                                   : write_edge_rows(one, edge_place, readers, to, files, told);
                 });
    });
  }

  std::uint64_t write_node_rows(const chunked_feature& one, const row_readers& readers,
                                const feature_places& to, row_files& files,
                                const std::function<void(std::uint64_t)>& told) {
    return node_rows_to_parts<Node, Edge>(
        job_.input, one, plan_, of_type(std::as_const(job_.nodes.new_node).values(), one, readers),
        job_.shares, readers, to, files, job_.buffers, job_.memory(), job_.ranks, job_.run, told);
  }
  std::uint64_t write_edge_rows(const chunked_feature& one, const scratch_array<Edge>& place,
                                const row_readers& readers, const feature_places& to,
                                row_files& files, const std::function<void(std::uint64_t)>& told) {
    return edge_rows_to_parts<Node, Edge>(
        job_.input, one, plan_, of_type(place.values(), one, readers), job_.shares, readers, to,
        files, job_.output.scratch(), job_.buffers, job_.memory(), job_.ranks, job_.run, told);
  }
  /// What this rank knows of the rows of a feature that it reads.
  template <class T>
  static std::span<const T> of_type(std::span<const T> slots, const chunked_feature& one,
                                    const row_readers& readers) {
    const id_range read = readers.rows(one.type);
    return slots.subspan(static_cast<std::size_t>(readers.slot(one.type, read.begin)),
                         static_cast<std::size_t>(read.size()));
  }

  dispatch_job<Node, Edge>& job_;
  partition_plan_view<Node, Edge> plan_;
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/features.ipp>
#endif
