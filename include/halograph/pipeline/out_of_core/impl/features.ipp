// SPDX-License-Identifier: BSL-1.0
/// @file features.ipp
/// Bodies of the plain functions of pipeline/out_of_core/features.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/pipeline/out_of_core/features.hpp>
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

HALOGRAPH_INLINE std::vector<std::size_t> feature_phase_base::unwritten(
    const std::vector<chunked_feature>& all, column what) const {
  const std::string stage = stage_of(what);
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (job_.stages.completed_after_parts(stage + std::to_string(i), own_) == nullptr)
      todo.push_back(i);
  }
  return todo;
}

HALOGRAPH_INLINE void feature_phase_base::write_some(const std::vector<chunked_feature>& all,
                                                     const std::vector<std::size_t>& todo,
                                                     column what, row_writer write_rows) {
  const bool of_nodes = what == column::node_feature;
  const std::string stage = stage_of(what);
  const std::string step = of_nodes ? "node features" : "edge features";
  places to = find_places(what, all.size());
  std::vector<std::string> whole_paths;
  for (const auto& path : to.paths)
    whole_paths.push_back(path.empty() ? path : concat({job_.output.path(), "/", path}));
  row_files files(std::move(whole_paths), own_, job_.run.concurrency());
  for (const auto& path : to.paths) digested_.erase(path);
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
      rows = write_rows(one, to.features[i], files, told);
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
    for (const auto k : unsynced) complete(std::move(records[k]), to.features[k], to.paths, files);
    unsynced.clear();
    unsynced_bytes = 0;
  }
  for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p) {
    for (const auto& file : layouts_.of_part(p).files) {
      if (part_folder(p) + file.name != to.paths[p]) continue;
      if (const auto digest = files.digest_of_file(p, file.bytes))
        digested_.emplace(to.paths[p], *digest);
    }
  }
}

HALOGRAPH_INLINE void feature_phase_base::finish() {
  if (const auto* const done = job_.stages.completed_after_parts("features", own_);
      done != nullptr) {
    for (const auto& file : done->files) job_.output.record(file);
    return;
  }
  run_collective(job_.ranks, [&] {
    stage_record stage{"features", {}, {}, {}};
    for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p) {
      for (const auto& file : layouts_.of_part(p).files) {
        if (holds_rows(file)) stage.files.push_back({0, file.bytes, part_folder(p) + file.name});
      }
    }
    job_.run.parallel_for(0, stage.files.size(), 1, [&](std::size_t first, std::size_t last) {
      for (auto& file : std::span(stage.files).subspan(first, last - first)) {
        const auto digested = digested_.find(file.path);
        if (digested != digested_.end())
          file.digest = digested->second;
        else
          file = digest_file(concat({job_.output.path(), "/", file.path}), file.path);
      }
    });
    for (const auto& file : job_.stages.complete(std::move(stage)).files) job_.output.record(file);
  });
}

HALOGRAPH_INLINE feature_phase_base::places feature_phase_base::find_places(
    column what, std::size_t features) const {
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

HALOGRAPH_INLINE std::uint64_t feature_phase_base::rows_of_parts(std::size_t type,
                                                                 bool of_nodes) const {
  std::uint64_t rows = 0;
  for (auto p = static_cast<std::size_t>(own_.begin); p < own_.end; ++p)
    rows += of_nodes ? layouts_.plan().nodes(p, type).size()
                     : layouts_.plan().edges(p, type).size();
  return rows;
}

HALOGRAPH_INLINE void feature_phase_base::complete(stage_record stage, const feature_places& to,
                                                   const std::vector<std::string>& paths,
                                                   row_files& files) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const section& rows = to.sections[p];
    if (paths[p].empty() || rows.bytes() == 0) continue;
    if (const auto digest = files.take_digest(p, rows))
      stage.ranges.push_back({*digest, rows.offset, rows.bytes(), paths[p]});
    else
      stage.ranges.push_back(
          digest_of_range(job_.output.path(), paths[p], rows.offset, rows.bytes()));
  }
  job_.stages.complete(std::move(stage));
}

}  // namespace halograph::detail
