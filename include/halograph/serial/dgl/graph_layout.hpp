// SPDX-License-Identifier: BSL-1.0
/// @file graph_layout.hpp
/// Where every byte of a DGL graph file goes, from counts, types and shapes alone.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::dgl {

namespace detail {

/// A graph before its data: what decides the bytes around them. `item` is what its sections carry.
struct relation_plan {
  std::string name{};
  type_id source = 0;
  type_id target = 0;
  std::uint64_t edges = 0;
  dtype ids = dtype::int64;
  sparse_formats stored{};
  sparse_formats allowed = sparse_formats::all();
  bool csr_edges = true;  ///< false: null, edge IDs are positions
  bool csc_edges = true;
  std::size_t item = 0;
  std::vector<tensor_plan> columns{};
};
struct node_type_plan {
  std::string name{};
  std::uint64_t nodes = 0;
  std::vector<tensor_plan> columns{};
};
struct graph_plan {
  std::vector<node_type_plan> node_types{};
  std::vector<relation_plan> relations{};
};

inline void put_integers(layout_builder& out, std::span<const std::int64_t> values) {
  const std::uint64_t shape[] = {values.size()};
  put_array_header(out, dtype::int64, shape);
  for (const std::int64_t value : values) out.number(value);
}

void put_metagraph(layout_builder& out, std::size_t vertices,
                   std::span<const std::pair<type_id, type_id>> edges);

inline void put_unit_metagraph(layout_builder& out, const relation_plan& plan) {
  const std::pair<type_id, type_id> edge{0, plan.source == plan.target ? 0 : 1};
  put_metagraph(out, plan.source == plan.target ? 1 : 2, std::span(&edge, 1));
}

inline void put_column(layout_builder& out, column what, std::size_t item, dtype type,
                       std::uint64_t count) {
  const std::uint64_t shape[] = {count};
  put_array_header(out, type, shape);
  out.array(what, item, type, {count});
}

void put_compressed(layout_builder& out, const relation_plan& plan, column by, std::uint64_t rows,
                    std::uint64_t columns, bool explicit_edges);

void put_graph(layout_builder& out, const graph_plan& graph);

file_layout layout_graphs(std::string file, std::span<const graph_plan> graphs,
                          std::vector<tensor_plan> labels);

/// The plan of a graph in memory, its tensors appended to `payload`; refuses what no reader would
/// accept.
graph_plan plan_of(const graph_data& graph, std::vector<tensor>& payload);

}  // namespace detail

}  // namespace halograph::dgl

#if !HALOGRAPH_COMPILED
#include <halograph/serial/dgl/impl/graph_layout.ipp>
#endif
