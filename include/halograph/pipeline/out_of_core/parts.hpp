// SPDX-License-Identifier: BSL-1.0
/// @file parts.hpp
/// Dispatch, parts: each is expanded by its HALO and written, all but the rows of its features.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/local_ids.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/part_column_writer.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_writer.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

inline bool holds_rows(const section& one) {
  return one.what == column::node_feature || one.what == column::edge_feature;
}
inline bool holds_rows(const file_layout& file) {
  return std::any_of(file.sections.begin(), file.sections.end(),
                     [](const section& one) { return holds_rows(one); });
}

/// The folder of a part's files, relative to the result.
inline std::string part_folder(std::size_t p) { return concat({"part", p, "/"}); }

/// The files of each part, as the format of the target lays them out.
class part_layouts {
 public:
  part_layouts(const dispatch_state& job, const partition_ranges& plan)
      : job_(job), plan_(plan), writer_(job.input.schema, job.features, job.layout_options) {}

  const partition_ranges& plan() const noexcept { return plan_; }

  /// @param counts  the part's, as part_columns::describe() gives them
  part_layout of(part_description counts) const;
  /// @pre the report has the part's counts
  part_layout of_part(std::size_t p) const;

 private:
  const dispatch_state& job_;
  partition_ranges plan_;
  partition_writer_base writer_;
};

/// Counts of a part, to and from the record of its stage.
void counts_to_record(const part_report& part, stage_record& stage);
/// @param hops  that are counted
void counts_from_record(const stage_record& stage, std::size_t hops, part_report& part);

/// The phase of parts: each rank writes its own.
template <id Node, id Edge>
class part_phase {
 public:
  explicit part_phase(dispatch_job<Node, Edge>& job)
      : job_(job),
        layouts_(job, job.plan().ranges()),
        // A HALO ends where a hop finds no new node.
        hops_(
            static_cast<std::size_t>(std::min<std::uint64_t>(job.options.hops, job.num_nodes()))) {}

  void run() {
    auto& report = job_.result.report;
    report.parts.resize(job_.parts);
    job_.result.config.parts.resize(job_.parts);
    std::vector<std::size_t> todo;
    run_collective(job_.ranks, [&] {
      todo = resume_parts();
      write_parts(todo);
    });
    // Rows of features are in the files of parts: after a part they have to be written again.
    const std::uint64_t wrote = todo.empty() ? 0 : 1;
    if ((job_.several_ranks() ? all_reduce_max(job_.ranks, wrote) : wrote) != 0)
      job_.stages.rerun_from_here();
    if (job_.several_ranks()) share_reports();
    run_collective(job_.ranks, [&] {
      std::uint64_t nodes = 0, edges = 0;
      for (const auto& part : report.parts) {
        nodes += part.inner_nodes;
        edges += part.inner_edges;
      }
      require_equal(nodes, job_.num_nodes(), "nodes of all parts");
      require_equal(edges + job_.edges.dropped, job_.num_edges(), "edges of all parts");
      for (std::size_t p = 0; p < job_.parts; ++p)
        job_.result.config.parts[p] = part_paths_of(layouts_.of_part(p), part_folder(p));
    });
  }

 private:
  /// Take over the parts that an earlier run wrote. @return the others
  std::vector<std::size_t> resume_parts() {
    const id_range own = job_.shares.parts();
    std::vector<std::size_t> todo;
    for (auto p = static_cast<std::size_t>(own.begin); p < own.end; ++p) {
      if (const auto* const stage = job_.stages.completed_part(p); stage != nullptr) {
        take_part(p, *stage);
        for (const auto& file : layouts_.of_part(p).files)
          job_.output.add(part_folder(p) + file.name);
      } else {
        todo.push_back(p);
      }
    }
    return todo;
  }
  /// A part is written: take its counts and files into the result.
  void take_part(std::size_t p, const stage_record& stage) {
    counts_from_record(stage, hops_, job_.result.report.parts[p]);
    for (const auto& file : stage.files) job_.output.record(file);
  }

  /// Expand and write parts, several at once.
  void write_parts(const std::vector<std::size_t>& todo) {
    scratch_memory column_memory(job_.output.scratch(), job_.buffers.column_bytes);
    std::mutex mutex;
    const std::uint64_t own = job_.shares.parts().size();
    std::uint64_t finished = own - todo.size();
    std::atomic<std::size_t> next = 0;
    const auto lanes = std::min(static_cast<std::size_t>(job_.buffers.part_threads), todo.size());
    job_.run.parallel_for(0, lanes, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t lane = first; lane < last; ++lane) {
        // A table is read at random, so it is in memory; what is hashed may go to files.
        const bool hash = job_.buffers.local_ids == local_lookup::hash;
        auto columns = std::make_unique<part_columns<Node, Edge>>(
            job_.plan(), &column_memory, hash ? &column_memory : job_.memory(),
            job_.buffers.local_ids);
        for (std::size_t i = next++; i < todo.size(); i = next++) {
          stage_record stage = write_part_files(todo[i], *columns, column_memory);
          const std::lock_guard lock(mutex);
          take_part(todo[i], job_.stages.complete(std::move(stage)));
          job_.show_progress("parts", ++finished, own, "parts");
        }
      }
    });
  }

  /// Expand one part and write its files. Thread-safe.
  stage_record write_part_files(std::size_t p, part_columns<Node, Edge>& columns,
                                scratch_memory& column_memory) {
    const auto& options = job_.options;
    columns.expand(
        p, {options.hops, options.halo == dispatch_halo::full, options.drop_cut_edges},
        options.halo == dispatch_halo::in ? halo_order::ascending : halo_order::discovered);
    job_.measure_memory();
    const auto layout = layouts_.of(columns.describe());
    stage_record stage{job_.stages.part_stage(p), {}, {}, {}};
    counts_to_record(columns.report(), stage);
    const std::string folder = part_folder(p);
    part_column_writer<Node, Edge> sections(columns, &column_memory);
    write_part(
        layout,
        [&](const file_layout& file) -> any_sink {
          return job_.output.create_part_file(folder + file.name, file.bytes);
        },
        [&](any_sink& sink, const section& where) {
          return holds_rows(where) ? status::ok : sections.write(sink, where);
        });
    for (const auto& file : layout.files) {
      if (holds_rows(file))
        add_ranges_without_rows(stage, folder, file);
      else
        stage.files.push_back(job_.output.entry_of_part_file(folder + file.name));
    }
    return stage;
  }
  /// Record what a part has written of a file that later stages put rows into.
  void add_ranges_without_rows(stage_record& stage, const std::string& folder,
                               const file_layout& file) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rows{{file.bytes, file.bytes}};
    for (const auto& one : file.sections) {
      if (holds_rows(one)) rows.emplace_back(one.offset, one.offset + one.bytes());
    }
    std::sort(rows.begin(), rows.end());
    std::uint64_t done = 0;
    for (const auto& [begin, end] : rows) {
      if (begin > done)
        stage.ranges.push_back(
            digest_of_range(job_.output.path(), folder + file.name, done, begin - done));
      done = std::max(done, end);
    }
  }

  /// Send the counts of each rank's parts to all ranks.
  void share_reports() {
    auto& all = job_.result.report.parts;
    const id_range own = job_.shares.parts();
    std::vector<std::uint64_t> numbers(4 + hops_);
    for (auto& part : all) part.halo_nodes_per_hop.resize(hops_);
    check_peers(job_.ranks);
    // From here on only a lost rank makes this throw.
    for (std::size_t p = 0; p < job_.parts; ++p) {
      auto& part = all[p];
      std::fill(numbers.begin(), numbers.end(), 0);
      if (p >= own.begin && p < own.end) {
        numbers[0] = part.inner_nodes;
        numbers[1] = part.halo_nodes;
        numbers[2] = part.inner_edges;
        numbers[3] = part.halo_edges;
        std::copy(part.halo_nodes_per_hop.begin(), part.halo_nodes_per_hop.end(),
                  numbers.begin() + 4);
      }
      check_ranks(job_.ranks.sum(numbers));
      part.inner_nodes = numbers[0];
      part.halo_nodes = numbers[1];
      part.inner_edges = numbers[2];
      part.halo_edges = numbers[3];
      std::copy(numbers.begin() + 4, numbers.end(), part.halo_nodes_per_hop.begin());
    }
  }

  dispatch_job<Node, Edge>& job_;
  part_layouts layouts_;
  std::size_t hops_;
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/parts.ipp>
#endif
