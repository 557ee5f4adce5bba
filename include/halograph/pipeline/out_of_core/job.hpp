// SPDX-License-Identifier: BSL-1.0
/// @file job.hpp
/// The state that the phases of dispatch share: what the job is, where its files are, its budget,
/// and what each phase passes on to the next.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/output.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/pipeline/out_of_core/resume.hpp>
#include <halograph/pipeline/partition_options.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Runs loops as another executor does, and a task beside the first one.
class run_beside {
 public:
  /// @param run, task  must outlive this object
  run_beside(executor_ref run, function_ref<void()> task) : run_(run), task_(task) {}

  std::size_t concurrency() const { return run_.concurrency(); }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    if (std::exchange(done_, true)) return run_.parallel_for(first, last, grain, body);
    run_.parallel_for(first, last + 1, grain, [&](std::size_t begin, std::size_t end) {
      if (begin == first)
        task_();
      else
        --begin;
      if (begin < end - 1) body(begin, end - 1);
    });
  }

 private:
  executor_ref run_;
  function_ref<void()> task_;
  mutable bool done_ = false;
};
static_assert(executor<run_beside>);

/// Close and remove the files of arrays, several at once: the system takes a while to free what
/// they hold.
template <class... Arrays>
void remove_arrays(executor_ref run, Arrays&... arrays) {
  const std::array<std::function<void()>, sizeof...(arrays)> all{[&arrays] { arrays.remove(); }...};
  run.parallel_for(0, all.size(), 1, [&](std::size_t first, std::size_t last) {
    for (; first < last; ++first) all[first]();
  });
}

/// A feature before its rows are read: only its type and shape.
struct described_rows {
  dtype element = dtype::float32;
  tensor_shape row{};
  std::uint64_t count = 0;

  dtype type() const noexcept { return element; }
  std::uint64_t rows() const noexcept { return count; }
  std::span<const std::uint64_t> row_shape() const noexcept { return row; }
  status gather(std::span<const std::uint64_t>, std::span<std::byte>) const noexcept {
    return status::unsupported;
  }
};

/// Both orders of the nodes, in files.
template <id Node>
struct dispatched_nodes {
  scratch_array<Node> old_node{};         // by new ID, of the nodes in this rank's parts, or [V]
  scratch_array<Node> new_node{};         // [S] of this rank's share, by slot (row_readers)
  scratch_array<std::uint64_t> bounds{};  // [P*T+1]
};

/// In-edges of the nodes that this rank holds, in files, one row for each node. Edges are numbered
/// by their position there, which other ranks do not know.
template <id Node, id Edge>
struct dispatched_edges {
  /// Where the row of each node begins, by new ID of the target from first_row on: of the nodes in
  /// this rank's parts; or [V+1], where rows of others are held, and those that are not are empty.
  scratch_array<Edge> offsets{};
  std::uint64_t first_row = 0;
  scratch_array<Node> sources{};                   // [L]
  scratch_array<Edge> old_edge{};                  // [L]
  scratch_array<Edge> new_edge{};                  // [L], or [0]: dispatch_job::new_edges()
  scratch_array<std::uint64_t> bounds{};           // [P*R+1]
  scratch_array<std::uint64_t> cut_begin{};        // [P+1], or none
  scratch_array<cut_edge<Node, Edge>> cut_list{};  // [C] that leave the parts of this rank
  std::uint64_t rows = 0;                          // L, without cut edges
  std::uint64_t cut_edges = 0;                     // of all parts
  std::uint64_t dropped = 0;

  /// Open the files of the rows. @param prefix  of their paths  @param entries  edges in the files
  /// @param numbered  those in the file of new IDs
  void open_rows(const std::string& prefix, id_range nodes, std::uint64_t entries,
                 std::uint64_t numbered) {
    first_row = nodes.begin;
    offsets = scratch_array<Edge>::open(prefix + "offsets", nodes.size() + 1);
    sources = scratch_array<Node>::open(prefix + "sources", entries);
    old_edge = scratch_array<Edge>::open(prefix + "old_edge", entries);
    new_edge = scratch_array<Edge>::open(prefix + "new_edge", numbered);
  }
};

/// What one run of dispatch knows whatever the width of its IDs.
struct dispatch_state {
  /// @param node_bytes, edge_bytes  of an ID in memory and in scratch files
  dispatch_state(const chunked_graph& graph, const std::string& assigned, part_id part_count,
                 const any_target& to, const dispatch_options& asked, executor_ref threads,
                 communicator_ref all, std::uint64_t node_bytes, std::uint64_t edge_bytes,
                 std::uint64_t nodes_below, std::uint64_t edges_below);
  dispatch_state(const dispatch_state&) = delete;
  dispatch_state& operator=(const dispatch_state&) = delete;

  // What is asked for, and what follows from it.
  const chunked_graph& input;
  std::string assignment;
  part_id parts;
  any_target target;
  const dispatch_options& options;
  executor_ref run;
  communicator_ref ranks;
  std::string name;
  std::vector<std::uint64_t> node_offsets, edge_offsets;  // [T+1], [R+1]
  std::uint64_t node_id_bytes, edge_id_bytes;
  std::uint64_t node_capacity, edge_capacity;  // what the IDs can number
  basic_feature_set<described_rows> features{};
  partition_options layout_options{};

  // How the budget is split (start.hpp).
  dispatch_buffers buffers{};
  std::size_t slots = 1;  // blocks of edges that a rank reads in one round

  // Files (output.hpp, resume.hpp). Scratch arrays are closed before the folder is removed.
  staged_output output;
  stage_progress stages;
  std::optional<scratch_memory> scratch{};

  // What phases pass on: nodes.hpp
  std::vector<std::uint64_t> part_begin{};  // [P+1] first new node of each part
  rank_shares shares{};
  std::uint64_t assignment_digest = 0;
  // all
  dispatch_result result{};
  std::atomic<std::uint64_t> peak = 0;

  bool several_ranks() const noexcept { return ranks.size() > 1; }
  /// Does each rank keep the original IDs of all nodes? HALO nodes are in the parts of others.
  bool keeps_all_original_nodes() const noexcept {
    return options.store_original_ids && options.hops != 0;
  }
  /// Which rank reads which nodes and their features, and has their new IDs.
  row_readers node_readers() const { return {node_offsets, ranks.rank(), ranks.size()}; }
  /// Which rank reads the features of which edges.
  row_readers edge_readers() const { return {edge_offsets, ranks.rank(), ranks.size()}; }
  std::uint64_t num_nodes() const noexcept { return node_offsets.back(); }
  std::uint64_t num_edges() const noexcept { return edge_offsets.back(); }
  /// (part, type) pairs.
  std::uint64_t node_cells() const noexcept {
    return std::uint64_t{parts} * input.node_counts.size();
  }
  std::uint64_t edge_cells() const noexcept {
    return std::uint64_t{parts} * input.edge_counts.size();
  }
  /// Does each folder get `owners.npy`?
  bool writes_mapping() const noexcept { return options.compact_mapping && parts > 1; }
  static std::string mapping_name() { return std::string(node_mapping_name(original_order::name)); }

  std::pmr::memory_resource* memory() noexcept { return &*scratch; }
  /// The path of a scratch file.
  std::string scratch_file(const std::string& file) const {
    return concat({output.scratch(), "/", file});
  }
  /// The files of a part, as the format of the target lays them out.
  part_layout layout_of(const part_description& part) const {
    part_layout layout = target.format().layout(part);
    check_roles(target.format(), part, layout);
    return layout;
  }

  void measure_memory();
  void show_progress(std::string_view step, std::uint64_t done, std::uint64_t total,
                     std::string_view unit) {
    measure_memory();
    if (options.on_progress) options.on_progress({step, done, total, unit});
  }

 private:
  static void describe_features(const std::vector<chunked_feature>& all,
                                std::vector<feature<described_rows>>& out) {
    for (const auto& one : all)
      out.push_back({one.type, one.name, {one.dtype, one.row_shape, one.rows}});
  }
};

/// One run of dispatch at one width of IDs.
template <id Node, id Edge>
struct dispatch_job : dispatch_state {
  dispatch_job(const chunked_graph& graph, const std::string& assigned, part_id part_count,
               const any_target& to, const dispatch_options& asked, executor_ref threads,
               communicator_ref all)
      : dispatch_state(graph, assigned, part_count, to, asked, threads, all, sizeof(Node),
                       sizeof(Edge), id_capacity<Node>(), id_capacity<Edge>()) {}

  // What phases pass on: nodes.hpp
  dispatched_nodes<Node> nodes{};
  // edges.hpp, cut.hpp
  dispatched_edges<Node, Edge> edges{};

  /// Entries of edges.new_edge. @pre rows and dropped are known
  std::uint64_t new_edges() const noexcept { return plan().edge_id_is_position() ? 0 : edges.rows; }
  /// From edges.first_row on.
  csc_view<Node, Edge> rows() const { return {edges.offsets.values(), edges.sources.values()}; }
  partition_plan_view<Node, Edge> plan() const {
    return {parts,
            true,
            node_offsets,
            edge_offsets,
            nodes.bounds.values(),
            edges.bounds.values(),
            part_begin,
            nodes.old_node.values(),
            rows(),
            edges.old_edge.values(),
            edges.new_edge.values(),
            edges.cut_edges,
            edges.dropped,
            {edges.cut_begin.values(), edges.cut_list.values()},
            several_ranks(),
            keeps_all_original_nodes() ? 0 : shares.nodes().begin,
            edges.first_row};
  }

  /// Add a scratch array to the files of a stage.
  template <class T>
  void add_file(stage_record& stage, const scratch_array<T>& array, const std::string& file) const {
    add_files(stage, std::array<named_bytes, 1>{{{file, std::as_bytes(array.values())}}});
  }
  /// Add the files of the rows. @param prefix  of their names
  void add_rows(stage_record& stage, const std::string& prefix) const {
    add_files(stage, std::array<named_bytes, 4>{
                         {{concat({prefix, "offsets"}), std::as_bytes(edges.offsets.values())},
                          {concat({prefix, "sources"}), std::as_bytes(edges.sources.values())},
                          {concat({prefix, "old_edge"}), std::as_bytes(edges.old_edge.values())},
                          {concat({prefix, "new_edge"}), std::as_bytes(edges.new_edge.values())}}});
  }

 private:
  struct named_bytes {
    std::string name{};
    std::span<const std::byte> bytes{};
  };
  void add_files(stage_record& stage, std::span<const named_bytes> files) const {
    std::vector<std::uint64_t> digests(files.size());
    run.parallel_for(0, files.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) digests[i] = digest_of(files[i].bytes);
    });
    for (std::size_t i = 0; i < files.size(); ++i) {
      stage.files.push_back({digests[i], files[i].bytes.size(),
                             scratch_file(files[i].name).substr(output.path().size() + 1)});
    }
  }
};

/// Compare what a stage received with what it should have received.
/// @errors internal: the counts differ
inline void require_equal(std::uint64_t got, std::uint64_t want, const std::string& what) {
  if (got != want) raise(error_kind::internal, concat({what, ": ", got, " of ", want, " arrived"}));
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/job.ipp>
#endif
