// SPDX-License-Identifier: BSL-1.0
/// @file features.hpp
/// Dispatch, features: rows are copied from the input into the files of parts, feature by feature.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>
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
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The phase of features: each rank reads its share of the rows, and writes those of its parts.
template <id Node, id Edge>
class feature_phase {
 public:
  explicit feature_phase(dispatch_job<Node, Edge>& job)
      : job_(job), layouts_(job), own_(job.shares.parts()) {}

  void run() {
    write_all(job_.input.node_features, column::node_feature);
    write_all(job_.input.edge_features, column::edge_feature);
    // The files that hold rows are complete now, and have digests.
    if (const auto* const done = job_.stages.completed_after_parts("features", own_);
        done != nullptr) {
      for (const auto& file : done->files) job_.output.record(file);
      return;
    }
    run_collective(job_.ranks, [&] {
      stage_record stage{"features", {}, {}, {}};
      for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p) {
        for (const auto& file : layouts_.of_part(p).files) {
          const std::string path = part_folder(p) + file.name;
          if (holds_rows(file))
            stage.files.push_back(digest_file(concat({job_.output.path(), "/", path}), path));
        }
      }
      for (const auto& file : job_.stages.complete(std::move(stage)).files)
        job_.output.record(file);
    });
  }

 private:
  /// Rows are synced, and their stages completed, once so many bytes have been written: to sync
  /// the files of all parts for each feature would take longer.
  static constexpr std::uint64_t bytes_between_syncs = std::uint64_t{1} << 30;

  /// Where the rows of all features of one kind go.
  struct places {
    std::vector<feature_places> features{};  // by index of the feature
    std::vector<std::string> paths{};        // [P] of each part's file; "": another rank's
  };
  places find_places(column what, std::size_t features) const {
    places out{std::vector<feature_places>(features), std::vector<std::string>(job_.parts)};
    for (auto& one : out.features) one.sections.resize(job_.parts);
    for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p) {
      for (const auto& file : layouts_.of_part(p).files) {
        for (const auto& one : file.sections) {
          if (one.what != what) continue;
          out.features[one.item].sections[p] = one;
          out.paths[p] = part_folder(p) + file.name;
        }
      }
    }
    return out;
  }

  /// Write the rows of all features of nodes, or of edges, that no earlier run has written.
  void write_all(const std::vector<chunked_feature>& all, column what) {
    const std::string stage = what == column::node_feature ? "node_feature" : "edge_feature";
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (job_.stages.completed_after_parts(stage + std::to_string(i), own_) == nullptr)
        todo.push_back(i);
    }
    if (todo.empty()) return;
    run_collective(job_.ranks, [&] { write_some(all, todo, what, stage); });
  }

  /// Inside run_collective().
  void write_some(const std::vector<chunked_feature>& all, const std::vector<std::size_t>& todo,
                  column what, const std::string& stage) {
    const bool of_nodes = what == column::node_feature;
    const std::string step = of_nodes ? "node features" : "edge features";
    places to = find_places(what, all.size());
    std::vector<std::string> whole_paths;
    for (const auto& path : to.paths)
      whole_paths.push_back(path.empty() ? path : concat({job_.output.path(), "/", path}));
    open_files files(std::move(whole_paths));
    // By original ID: the new node IDs, or the places of the edges whose rows this rank reads.
    std::pmr::vector<Node> fresh(job_.memory());
    scratch_array<Edge> edge_place;
    const edge_readers readers(job_.edge_offsets, job_.ranks.rank(), job_.ranks.size());
    if (of_nodes)
      fresh = new_nodes(job_.nodes, job_.memory());
    else
      edge_place = edge_places_to_file<Node, Edge>(job_.output.scratch(), layouts_.plan(),
                                                   job_.shares, readers, job_.buffers,
                                                   job_.memory(), job_.ranks, job_.run);
    std::vector<std::size_t> unsynced;  // features whose stage is not complete yet
    std::vector<stage_record> records(all.size());
    std::uint64_t unsynced_bytes = 0, before = 0, total = 0;
    for (const auto i : todo) total += all[i].rows * all[i].row_bytes();
    for (const auto i : todo) {
      const chunked_feature& one = all[i];
      to.features[i].row_elements = element_count(one.row_shape);
      const std::function<void(std::uint64_t)> told = [&](std::uint64_t done) {
        job_.show_progress(step, before + done * one.row_bytes(), total, "bytes");
      };
      std::uint64_t rows = 0;
      if (one.row_bytes() != 0 && one.rows != 0) {
        rows = of_nodes ? write_node_rows(one, fresh, to.features[i], files, told)
                        : write_edge_rows(one, edge_place, readers, to.features[i], files, told);
        require_equal(rows, rows_of_parts(one.type, of_nodes),
                      concat({"rows of ", (of_nodes ? "node" : "edge"), " feature ",
                              graph_schema::quoted(one.name)}));
      }
      records[i] = {
          stage + std::to_string(i), {{"rows", rows}, {"bytes", rows * one.row_bytes()}}, {}, {}};
      unsynced.push_back(i);
      before += one.rows * one.row_bytes();
      unsynced_bytes += rows * one.row_bytes();
      if (unsynced_bytes < bytes_between_syncs && i != todo.back()) continue;
      files.sync();
      for (const auto k : unsynced) complete(std::move(records[k]), to.features[k], to.paths);
      unsynced.clear();
      unsynced_bytes = 0;
    }
  }

  std::uint64_t write_node_rows(const chunked_feature& one, std::span<const Node> fresh,
                                const feature_places& to, open_files& files,
                                const std::function<void(std::uint64_t)>& told) {
    const auto of_type = fresh.subspan(static_cast<std::size_t>(job_.node_offsets[one.type]),
                                       static_cast<std::size_t>(one.rows));
    return node_rows_to_parts<Node, Edge>(job_.input, one, layouts_.plan(), of_type, job_.shares,
                                          to, files, job_.buffers, job_.memory(), job_.ranks, told);
  }
  std::uint64_t write_edge_rows(const chunked_feature& one, const scratch_array<Edge>& place,
                                const edge_readers& readers, const feature_places& to,
                                open_files& files, const std::function<void(std::uint64_t)>& told) {
    const id_range read = readers.rows(one.type);
    const auto of_type = place.values().subspan(
        static_cast<std::size_t>(readers.slot(one.type, read.begin)),
        static_cast<std::size_t>(read.size()));
    return edge_rows_to_parts<Node, Edge>(job_.input, one, layouts_.plan(), of_type, job_.shares,
                                          readers, to, files, job_.output.scratch(), job_.buffers,
                                          job_.memory(), job_.ranks, told);
  }
  /// The nodes, or edges, of a type in the parts of this rank.
  std::uint64_t rows_of_parts(std::size_t type, bool of_nodes) const {
    std::uint64_t rows = 0;
    for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p)
      rows += of_nodes ? layouts_.plan().nodes(p, type).size()
                       : layouts_.plan().edges(p, type).size();
    return rows;
  }
  void complete(stage_record stage, const feature_places& to,
                const std::vector<std::string>& paths) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
      const section& rows = to.sections[p];
      if (!paths[p].empty() && rows.bytes() != 0)
        stage.ranges.push_back(
            digest_of_range(job_.output.path(), paths[p], rows.offset, rows.bytes()));
    }
    job_.stages.complete(std::move(stage));
  }

  dispatch_job<Node, Edge>& job_;
  part_layouts<Node, Edge> layouts_;
  id_range own_;
};

}  // namespace halograph::detail
