// SPDX-License-Identifier: BSL-1.0
/// @file serializer.ipp
/// Bodies of the plain functions of serial/dgl/serializer.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE part_layout dgl_serializer::layout(const part_description& plan) const {
  part_layout out;
  out.graph_file = "graph.dgl";
  out.node_feature_file = file_names == dgl_file_names::guide ? "node_feats.dgl" : "node_feat.dgl";
  out.edge_feature_file = file_names == dgl_file_names::guide ? "edge_feats.dgl" : "edge_feat.dgl";
  out.files.push_back(graph_layout(out.graph_file, plan));
  out.files.push_back(dgl::layout_tensors(out.node_feature_file,
                                          features(plan.node_features, column::node_feature)));
  out.files.push_back(dgl::layout_tensors(out.edge_feature_file,
                                          features(plan.edge_features, column::edge_feature)));
  if (plan.mapping) {
    out.original_nodes_file = "orig_nids.dgl";
    out.original_edges_file = "orig_eids.dgl";
    out.files.push_back(dgl::layout_tensors(
        out.original_nodes_file, originals(plan.original_nodes, column::original_nodes)));
    out.files.push_back(dgl::layout_tensors(
        out.original_edges_file, originals(plan.original_edges, column::original_edges)));
  }
  return out;
}

HALOGRAPH_INLINE loaded_structure dgl_serializer::read_structure(const file_bytes& data,
                                                                 const std::string& file,
                                                                 executor_ref threads) const {
  dgl::graph_file content = dgl::read_graphs(data, file, dgl::strictness::strict, threads);
  if (content.graphs.size() != 1) {
    raise(error_kind::malformed,
          "the file of a part must hold one graph, this one holds " +
              std::to_string(content.graphs.size()),
          {.file = file, .byte = 24});
  }
  dgl::graph_data& graph = content.graphs[0];
  if (graph.node_types.size() != 1 || graph.relations.size() != 1) {
    raise(error_kind::malformed,
          "the graph of a part must have one node type and one edge type, this one has " +
              std::to_string(graph.node_types.size()) + " and " +
              std::to_string(graph.relations.size()),
          {.file = file});
  }
  dgl::relation_data& edges = graph.relations[0];
  loaded_structure out;
  out.nodes = graph.node_types[0].nodes;
  out.edges = edges.edges;
  out.coo = std::move(edges.coo);
  out.csr = std::move(edges.csr);
  out.csc = std::move(edges.csc);
  out.node_columns = std::move(graph.node_types[0].columns);
  out.edge_columns = std::move(edges.columns);
  out.formats_checked = true;
  return out;
}

HALOGRAPH_INLINE file_layout dgl_serializer::graph_layout(const std::string& file,
                                                          const part_description& plan) {
  if (plan.formats.empty())
    raise(error_kind::invalid_argument, "a graph must be stored as coo, csr or csc");
  const auto columns = [&](std::uint64_t rows, const char* inner, column id, column is_inner,
                           column type, column original) {
    std::vector<dgl::tensor_plan> made{{"_ID", dtype::int64, {rows}, id, 0},
                                       {inner, dtype::uint8, {rows}, is_inner, 0}};
    if (plan.types) made.push_back({"_TYPE", dtype::int32, {rows}, type, 0});
    if (plan.original_ids) made.push_back({"orig_id", dtype::int64, {rows}, original, 0});
    return made;
  };
  dgl::detail::graph_plan graph;
  graph.node_types.push_back({"_N", plan.nodes,
                              columns(plan.nodes, "inner_node", column::node_id, column::inner_node,
                                      column::node_type, column::node_original)});
  if (plan.part_ids) {
    graph.node_types[0].columns.push_back(
        {"part_id", dtype::int64, {plan.nodes}, column::node_part, 0});
  }
  dgl::detail::relation_plan edges;
  edges.name = "_E";
  edges.edges = plan.edges;
  edges.stored = plan.formats;
  edges.columns = columns(plan.edges, "inner_edge", column::edge_id, column::inner_edge,
                          column::edge_type, column::edge_original);
  graph.relations.push_back(std::move(edges));
  return dgl::detail::layout_graphs(file, std::span(&graph, 1), {});
}

HALOGRAPH_INLINE std::vector<dgl::tensor_plan> dgl_serializer::features(
    const std::vector<feature_plan>& plans, column what) {
  std::vector<dgl::tensor_plan> made;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].shape.empty()) {
      raise(error_kind::invalid_argument, "feature " + graph_schema::quoted(plans[i].key) +
                                              " has no rows; its shape must start with them");
    }
    made.push_back({plans[i].key, plans[i].type, plans[i].shape, what, i});
  }
  return made;
}

HALOGRAPH_INLINE std::vector<dgl::tensor_plan> dgl_serializer::originals(
    const std::vector<mapping_plan>& plans, column what) {
  std::vector<dgl::tensor_plan> made;
  for (std::size_t i = 0; i < plans.size(); ++i)
    made.push_back({plans[i].type, dtype::int64, {plans[i].count}, what, i});
  return made;
}

}  // namespace halograph
