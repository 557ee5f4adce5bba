// SPDX-License-Identifier: BSL-1.0
/// @file estimate.hpp
/// The memory and disk that partition_graph needs, per step, from counts alone.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Input of an estimate.
struct estimate_input {
  std::uint64_t nodes = 0;          ///< number of nodes
  std::uint64_t edges = 0;          ///< number of edges
  std::uint64_t node_types = 1;     ///< number of node types
  std::uint64_t edge_types = 1;     ///< number of edge types
  std::uint64_t feature_bytes = 0;  ///< of all rows, stored once
  /// what the input itself keeps in memory (mapped files: 0)
  std::uint64_t resident_input_bytes = 0;
  std::uint64_t parts = 1;          ///< number of parts
  unsigned hops = 1;                ///< HALO depth
  std::uint64_t node_id_bytes = 4;  ///< in memory
  std::uint64_t edge_id_bytes = 4;  ///< in memory
  std::uint64_t policy_bytes = 0;   ///< memory of the partitioner besides its result
  std::uint64_t threads = 1;        ///< of the executor
  bool measure_quality = true;      ///< the report holds cut, volume and balance
  bool original_ids = false;        ///< `orig_id` columns are written
  bool mapping = false;             ///< `orig_nids` and `orig_eids` files are written
  bool compact_mapping = true;      ///< node_mapping.hpp
  bool original_order = true;       ///< of the nodes inside each part and type
  bool reshuffle = true;            ///< nodes and edges are renumbered
  bool return_mapping = false;      ///< the mappings are also returned
  sparse_formats formats{};         ///< stored in the part graphs
};

/// One step: the resident memory while it runs, and the disk space it uses.
struct step_estimate {
  std::string name{};                  ///< such as "write"
  std::uint64_t memory_bytes = 0;      ///< resident while the step runs
  std::uint64_t disk_bytes_least = 0;  ///< with no edge cut
  std::uint64_t disk_bytes_most = 0;   ///< with every edge cut
};

/// All steps.
struct resource_estimate {
  std::vector<step_estimate> steps{};  ///< in the order in which they run
  std::uint64_t peak_bytes = 0;        ///< the largest memory_bytes
  std::uint64_t disk_bytes_least = 0;  ///< with no edge cut
  std::uint64_t disk_bytes_most = 0;   ///< with every edge cut
};

namespace detail {

/// What DGL's files hold, in bytes.
struct stored_bytes {
  std::uint64_t node = 0;     ///< for each node of each part, HALO included
  std::uint64_t edge = 0;     ///< for each edge of each part
  std::uint64_t mapping = 0;  ///< for each node, once
  std::uint64_t once = 0;     ///< of features, mappings to original IDs, and headers
};
stored_bytes stored_bytes_of(const estimate_input& in);

/// Memory that measuring an assignment takes besides the graph and the parts of its nodes.
std::uint64_t bytes_to_measure(const estimate_input& in);

}  // namespace detail

/// Estimate a run of partition_graph with DGL's files.
///
/// Memory is the peak of what each step allocates, without the pages of mapped input files, which
/// the system can reclaim. HALOs are unknown before the assignment, so the `write` step counts the
/// largest that one hop can hold (every edge into or out of a part of mean size) and, for more
/// hops, the whole graph. Disk space is bounded from both sides: no edge cut, every edge cut.
/// @complexity O(1)
resource_estimate estimate_partition(const estimate_input& in);

/// The estimate as JSON: steps[{name, memory_bytes, disk_bytes_least, disk_bytes_most}],
/// peak_bytes, disk_bytes_least, disk_bytes_most.
json::value to_json(const resource_estimate& estimate);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/estimate.ipp>
#endif
