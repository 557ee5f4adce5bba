// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// DGL's graph files: any number of heterogeneous graphs with columns, and labels, written and read
/// as views.
/// Layer: serial. Words: README.md.
///
/// Version 2, written by DGL 0.5 and later; version 1 is rejected with its own message.
/// Little-endian and packed; string, array and tensors (u64 count | count x (string, array)) as in
/// dgl/tensors.hpp; null: an int64 array [0].
///
///     file       0 u64 magic 0xDD2E4FF046B4A13F | 8 u64 version, 2 | 16 u64 kind, 2
///                | 24 u64 graphs
///                | 32 reserved up to 4096 (written 0, never read) | 4096 u64 offset of first graph
///                | 4104 labels: tensors | graphs | u64 L = 8 + 8 x graphs | u64 graphs
///                | u64 x graphs offsets | u64 L
///     graph      u64 magic 0xDD589FBE35224ABF | metagraph | u64 count | relations
///                | u64 count | i64 x nodes by type
///                | u64 count | tensors by node type | u64 count | tensors by edge type
///                | u64 count | names of node types | u64 count | names of relations
///     metagraph  u64 magic 0xDD3C5FFE20046ABF | csr of int64: rows source types, columns target
///                types, data the number of the relation
///     relation   u64 magic 0xDD2E60F0F6B4A127 | i64 formats stored | i64 formats allowed
///                | [coo] [csr] [csc], each after the metagraph of this relation alone
///                (1 vertex with a loop, or 0 -> 1)
///     formats    2^32 + bits (1 coo, 2 csr, 4 csc); before DGL 1.0 stored: 1 coo, 2 csr, 3 csc;
///                allowed: 0 all
///     coo        u64 magic 0xDD61FFD305DFF127 | i64 columns | i64 rows | array row (sources)
///                | array col (targets) | array data (null: edge i has ID i)
///                | u8 rows sorted | u8 columns sorted (both written 0)
///     csr, csc   u64 magic 0xDD6CD31205DFF127 | i64 columns | i64 rows | array indptr
///                | array indices | array data (edge IDs; null: positions) | u8 sorted;
///                csc: rows are targets
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/graph_layout.hpp>
#include <halograph/serial/dgl/graph_reader.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::dgl {

/// Write graphs in memory as one file; equal content makes equal bytes.
/// @errors mismatch: what no reader would accept (an ID out of range, a column of the wrong length,
///     formats of different edges), in a sentence; exists: two columns of one name; those of the
///     sink
/// @complexity O(nodes + edges)
template <byte_sink Sink>
void write_graphs(Sink& sink, const graph_file& content, std::string file = "graph.dgl") {
  std::vector<tensor> payload;
  std::vector<detail::graph_plan> graphs;
  for (const auto& graph : content.graphs) graphs.push_back(detail::plan_of(graph, payload));
  std::vector<tensor_plan> labels;
  for (const auto& one : content.labels) {
    labels.push_back(
        {one.name, one.value.type(), one.value.shape(), column::node_feature, payload.size()});
    payload.push_back(one.value);
  }
  save(detail::layout_graphs(std::move(file), graphs, std::move(labels)), sink,
       [&](const section& target) -> const tensor& {
         const bool structural = target.what <= column::csc_edges;
         return payload[target.item + (structural ? static_cast<std::size_t>(target.what) : 0)];
       });
}

/// Read all graphs of a file. Tensors are views that keep `data.owner` alive; a coo with edge IDs
/// of its own is put in their order. Everything is checked: sizes, counts, IDs, offsets, edge IDs,
/// and (strict) that the formats of a relation hold the same edges, as agreement::by_sum says.
/// @param file     what errors call it
/// @param threads  check the IDs
/// @errors malformed, truncated, at a byte; unsupported: version 1, or one from the future
/// @complexity O(nodes + edges)
inline graph_file read_graphs(const file_bytes& data, const std::string& file,
                              strictness how = strictness::strict, executor_ref threads = {}) {
  return detail::graph_reader(data, file, how, threads).read(std::nullopt);
}

/// Read the graphs at some positions, in that order, repeats allowed; labels are always there in
/// full.
/// @errors as read_graphs(); out_of_range: a position beyond the last graph
/// @complexity that of the graphs asked for
inline graph_file read_graphs_at(const file_bytes& data, const std::string& file,
                                 std::span<const std::uint64_t> positions,
                                 strictness how = strictness::strict) {
  return detail::graph_reader(data, file, how).read(positions);
}

}  // namespace halograph::dgl
