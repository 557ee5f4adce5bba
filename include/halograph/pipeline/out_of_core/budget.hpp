// SPDX-License-Identifier: BSL-1.0
/// @file budget.hpp
/// The memory budget of dispatch: what each stage takes, and how the budget is split among buffers.
/// Layer: pipeline. Words: README.md.
///
/// The budget covers anonymous memory. Everything that grows with edges is in mapped files of the
/// staging folder. Tables by node that are read at random are in memory, because the system may
/// evict the pages of a file when they are needed most.
///
/// | stage | in memory, with IDs of N bytes for V nodes, K parts, T threads, R ranks |
/// | --- | --- |
/// | nodes | blocks of the assignment; on several ranks, what is exchanged |
/// | edges | N V / R: new IDs; blocks of edges and a buffer per bucket; on several ranks, new IDs of others' nodes as far as a quarter of the rest allows |
/// | rows, cut | buffers; on several ranks, with 2 hops or more, V / 2 bits |
/// | parts | T N V: local IDs; columns of parts as far as the budget allows, the rest in files |
/// | node features | a buffer per part and rank |
/// | edge features | a window of rows, a buffer per window |
///
/// With several ranks each has this budget. Each has the new IDs of its share of the nodes, and
/// asks the others for theirs; edges, rows and parts are shared, as evenly as the sizes of the
/// parts allow; ranks exchange data through buffers of a fixed size (exchange_bytes). Where a table
/// of local IDs does not fit the budget of a rank, they are hashed: then it takes no memory that
/// grows with all nodes, but for a bit or four each in the stage "cut" with 2 hops or more.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/local_ids.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// By how much the anonymous memory of a process may exceed the budget: memory that the allocator
/// keeps.
inline constexpr std::uint64_t dispatch_slack_bytes = std::uint64_t{64} << 20;

namespace detail {
/// Pieces of the rows whose cut edges are counted for each part, at most.
inline constexpr std::size_t most_cut_pieces = 32;
/// Nodes of a piece of edges that are remembered, so that they are asked for once, each 4 bytes.
/// @{
inline constexpr unsigned recent_node_bits = 16;
inline constexpr std::size_t recent_nodes = std::size_t{1} << recent_node_bits;
/// @}
}  // namespace detail

/// What the memory of a run is computed from.
struct dispatch_counts {
  std::uint64_t nodes = 0;               ///< number of nodes
  std::uint64_t edges = 0;               ///< number of edges
  std::uint64_t node_types = 1;          ///< number of node types
  std::uint64_t edge_types = 1;          ///< number of edge types
  std::uint64_t parts = 1;               ///< number of parts
  std::uint64_t threads = 1;             ///< of one rank
  std::uint64_t ranks = 1;               ///< number of ranks
  std::uint64_t hops = 1;                ///< HALO depth
  bool other_formats = true;             ///< parts are stored in csr or csc, too
  bool all_original_nodes = false;       ///< are kept on each of several ranks
  std::uint64_t node_id_bytes = 4;       ///< in memory
  std::uint64_t edge_id_bytes = 4;       ///< in memory
  std::uint64_t node_features = 0;       ///< number of features
  std::uint64_t edge_features = 0;       ///< number of features
  std::uint64_t node_row_bytes = 0;      ///< of the widest feature
  std::uint64_t edge_row_bytes = 0;      ///< of the widest feature
  std::uint64_t edge_feature_bytes = 0;  ///< of all rows of the largest feature
};

/// How the budget is split: the sizes of buffers.
struct dispatch_buffers {
  std::uint64_t buckets = 1;       ///< files that edges are sorted through
  std::uint64_t bucket_bytes = 0;  ///< buffer of each
  std::uint64_t cut_bytes = 0;     ///< buffer of each part's cut edges
  /// for data to and from other ranks; one rank: 0
  std::uint64_t exchange_bytes = 0;
  std::uint64_t block_edges = 0;  ///< edges that a thread reads at once
  /// nodes of other ranks whose new IDs are remembered: a power of 2, or 0
  std::uint64_t known_nodes = 0;
  std::uint64_t window_bytes = 0;                ///< a thread reads buckets through
  std::uint64_t sorted_bytes = 0;                ///< a thread sorts the rows of a bucket in
  std::uint64_t part_threads = 1;                ///< parts at once
  local_lookup local_ids = local_lookup::table;  ///< of a part
  std::uint64_t column_bytes = 0;                ///< columns of all running parts, in memory
  std::uint64_t part_row_bytes = 0;              ///< buffer of rows of each part from each rank
  std::uint64_t feature_window_bytes = 0;        ///< feature rows are read through
  std::uint64_t feature_bucket_bytes = 0;  ///< of each file that feature rows are sorted through
};

/// Memory of one stage.
struct dispatch_stage_need {
  std::string name{};             ///< such as "edges"
  std::uint64_t least_bytes = 0;  ///< the smallest budget that suffices
  std::uint64_t bytes = 0;        ///< upper bound with this budget
};

/// Memory of a whole run.
struct dispatch_need {
  std::vector<dispatch_stage_need> stages{};  ///< in the order in which they run
  std::uint64_t least_bytes = 0;              ///< the smallest budget that suffices
  std::uint64_t bytes = 0;                    ///< upper bound with this budget
  std::uint64_t budget_bytes = 0;             ///< as given
  std::uint64_t ranks = 1;                    ///< all other numbers are per rank
  /// of files of the staging folder besides the result, upper bound
  std::uint64_t scratch_disk_bytes = 0;
  dispatch_buffers buffers{};  ///< how it is split
};

/// Compute the memory of a run and split the budget.
/// @errors none: if the budget is too small, bytes > budget_bytes; see require_budget()
/// @complexity O(1)
dispatch_need plan_dispatch_memory(const dispatch_counts& in, std::uint64_t budget);

/// A size as flags take it, such as 38MiB: in whole MiB, rounded up, so that it suffices as a
/// budget.
inline std::string budget_text(std::uint64_t bytes) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  return concat({(bytes / mib + (bytes % mib != 0 ? 1 : 0)), "MiB"});
}

/// Reject a budget that is too small. @errors memory, with the smallest budget that suffices
void require_budget(const dispatch_need& need);

/// The memory of each rank as JSON: {ranks, budget_bytes, bytes, least_bytes, scratch_disk_bytes,
/// stages: [{name, bytes, least_bytes}]}.
json::value to_json(const dispatch_need& need);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/budget.ipp>
#endif
