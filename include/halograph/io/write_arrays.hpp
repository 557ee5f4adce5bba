// SPDX-License-Identifier: BSL-1.0
/// @file write_arrays.hpp
/// Writes a streamed graph as a folder of `.npy` arrays: GraphBolt's OnDiskDataset with CSC arrays,
/// and the partition layout of PyTorch Geometric.
/// Layer: io. Words: README.md.
///
/// write_graphbolt(); a graph with the names of graph_schema::homogeneous() has no TYPE in its
/// paths and no types in its metadata:
///
/// | file | holds |
/// | --- | --- |
/// | `metadata.yaml` | `dataset_name`, `graph` (`nodes`, `edges` with `format: numpy`), `feature_data` |
/// | `edges/TYPE.npy` | [2, E] int64: sources, targets; typed IDs (without types `edges/edges.npy`) |
/// | `node_data/TYPE/NAME.npy`, `edge_data/TYPE/NAME.npy` | features |
/// | `csc/csc_indptr.npy` | [V + 1] where the incoming edges of a node begin; types laid end to end, sorted by name |
/// | `csc/indices.npy` | [E] sources; of a node by edge type, then by edge ID |
/// | `csc/original_edge_id.npy` | [E] edge ID within its type |
/// | `csc/node_type_offset.npy`, `csc/type_per_edge.npy`, `csc/types.json` | with types: [T + 1], [E]; `node_type_to_id`, `edge_type_to_id` |
///
/// dtypes are those of GraphBolt: int32 where all nodes (or edges) fit, else int64.
/// @source dgl.graphbolt.OnDiskDataset and fused_csc_sampling_graph, DGL 2.1 and later
///
/// write_pyg(); an edge belongs to the part of its target. ETYPE is `source__relation__target`:
///
/// | file | holds |
/// | --- | --- |
/// | `META.json` | `num_parts`, `node_types`, `edge_types`, `node_offset`, `is_hetero`, `is_sorted` |
/// | `node_map.npy`, `edge_map.npy` | [V], [E] the part of each; with types `node_map/TYPE.npy`, `edge_map/ETYPE.npy` |
/// | `part_P/graph/[ETYPE/]row.npy`, `col.npy`, `edge_id.npy`, `size.npy` | sources and targets, typed IDs, by target and then by edge; edge IDs, types laid end to end; number of sources and targets |
/// | `part_P/node_feats/[TYPE/]global_id.npy`, `feats/NAME.npy` | IDs, types laid end to end, ascending, and the rows of each; with types also `id.npy`, within the type |
/// | `part_P/edge_feats/[ETYPE/]global_id.npy`, `feats/NAME.npy` | where there are features: IDs within the type, ascending, and the rows of each |
///
/// All numbers are int64.
/// @source torch_geometric.distributed.Partitioner, PyG 2.5 and later, which pickles what is here a
///     folder
#pragma once

#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace halograph {

/// Memory that write_graphbolt() and write_pyg() may take.
struct write_arrays_options {
  /// bytes to sort edges with; where they do not suffice, edges are read several times
  std::uint64_t memory = std::uint64_t{1} << 28;
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< that all nodes may take
};

/// What was written.
struct written_arrays {
  /// number of files, metadata included
  std::uint64_t files = 0, bytes = 0;  ///< of all files
};

/// Write GraphBolt's OnDiskDataset, and the same graph as CSC arrays, into a staging folder; the
/// caller commits. Not thread-safe.
/// @errors memory: 16 bytes a node are more than most_bytes, or the edges of one node more than
///     `memory`; unsupported: bfloat16, which NumPy has not; io; those of validate() and the stream
/// @complexity O(nodes + bytes of features + edges * passes), passes = 1 + 32 * edges / memory;
///     memory: 16 bytes a node, options.memory
written_arrays write_graphbolt(const streamed_graph& g, staged_folder& staged,
                               const write_arrays_options& options = {});

/// Write a partitioned graph in the layout of PyTorch Geometric into a staging folder; the caller
/// commits. Not thread-safe.
/// @param owner  [V] the part of each node, types laid end to end; contiguous, of any integer type
/// @param parts  how many
/// @errors mismatch: not one part for each node; out_of_range: a part; exists: two edge types of
///     one name ETYPE; memory: 28 bytes a node, 32 where owner is not of part_id, are more than
///     most_bytes, else as write_graphbolt()
/// @complexity as write_graphbolt(); features are read once for every 64 parts
written_arrays write_pyg(const streamed_graph& g, const any_id_row& owner, part_id parts,
                         staged_folder& staged, const write_arrays_options& options = {});

/// Does not compile: owners must be contiguous memory of integers.
template <class Owner>
  requires(!std::convertible_to<const Owner&, any_id_row>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
written_arrays
write_pyg(const streamed_graph&, const Owner&, part_id, staged_folder&,
          const write_arrays_options& = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/write_arrays.ipp>
#endif
