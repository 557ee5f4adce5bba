// SPDX-License-Identifier: BSL-1.0
/// @file graph_layout.ipp
/// Bodies of the plain functions of serial/dgl/graph_layout.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/graph_layout.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
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

namespace halograph::dgl::detail {

HALOGRAPH_INLINE void put_metagraph(layout_builder& out, std::size_t vertices,
                                    std::span<const std::pair<type_id, type_id>> edges) {
  std::vector<std::int64_t> indptr{0}, indices, data;
  for (std::size_t row = 0; row < vertices; ++row) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].first != row) continue;
      indices.push_back(edges[e].second);
      data.push_back(static_cast<std::int64_t>(e));
    }
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  out.number(metagraph_magic).number(csr_magic);
  out.number(static_cast<std::uint64_t>(vertices)).number(static_cast<std::uint64_t>(vertices));
  put_integers(out, indptr);
  put_integers(out, indices);
  put_integers(out, data);
  out.number(std::uint8_t{0});
}

HALOGRAPH_INLINE void put_compressed(layout_builder& out, const relation_plan& plan, column by,
                                     std::uint64_t rows, std::uint64_t columns,
                                     bool explicit_edges) {
  put_unit_metagraph(out, plan);
  out.number(csr_magic).number(columns).number(rows);
  put_column(out, by, plan.item, plan.ids, rows + 1);
  put_column(out, static_cast<column>(static_cast<int>(by) + 1), plan.item, plan.ids, plan.edges);
  if (explicit_edges)
    put_column(out, static_cast<column>(static_cast<int>(by) + 2), plan.item, plan.ids, plan.edges);
  else
    put_integers(out, {});
  out.number(std::uint8_t{0});
}

HALOGRAPH_INLINE void put_graph(layout_builder& out, const graph_plan& graph) {
  std::vector<std::pair<type_id, type_id>> ends;
  for (const auto& relation : graph.relations) ends.emplace_back(relation.source, relation.target);
  out.number(heterograph_magic);
  put_metagraph(out, graph.node_types.size(), ends);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) {
    const std::uint64_t sources = graph.node_types[relation.source].nodes,
                        targets = graph.node_types[relation.target].nodes;
    out.number(relation_magic)
        .number(code_of_bits | relation.stored.bits)
        .number(code_of_bits | relation.allowed.bits);
    if (relation.stored.has(sparse_format::coo)) {
      put_unit_metagraph(out, relation);
      out.number(coo_magic).number(targets).number(sources);
      put_column(out, column::coo_source, relation.item, relation.ids, relation.edges);
      put_column(out, column::coo_target, relation.item, relation.ids, relation.edges);
      put_integers(out, {});
      // "Not sorted" is always true enough; a wrong "sorted" makes DGL convert wrongly.
      out.number(std::uint8_t{0}).number(std::uint8_t{0});
    }
    if (relation.stored.has(sparse_format::csr)) {
      put_compressed(out, relation, column::csr_offsets, sources, targets, relation.csr_edges);
    }
    if (relation.stored.has(sparse_format::csc)) {
      put_compressed(out, relation, column::csc_offsets, targets, sources, relation.csc_edges);
    }
  }
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) out.number(type.nodes);
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) put_named_arrays(out, type.columns);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) put_named_arrays(out, relation.columns);
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) put_string(out, type.name);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) put_string(out, relation.name);
}

HALOGRAPH_INLINE file_layout layout_graphs(std::string file, std::span<const graph_plan> graphs,
                                           std::vector<tensor_plan> labels) {
  layout_builder head(file);
  put_named_arrays(head,
                   labels);  // measured first: the place of the first graph stands before them
  layout_builder out(std::move(file));
  out.number(graphs_magic)
      .number(std::uint64_t{2})
      .number(std::uint64_t{2})
      .number(static_cast<std::uint64_t>(graphs.size()));
  out.align(reserved_end).number(reserved_end + 8 + head.position());
  put_named_arrays(out, std::move(labels));
  std::vector<std::uint64_t> places;
  for (const auto& graph : graphs) {
    places.push_back(out.position());
    put_graph(out, graph);
  }
  const auto index_bytes = static_cast<std::uint64_t>(8 + 8 * graphs.size());
  out.number(index_bytes).number(static_cast<std::uint64_t>(graphs.size()));
  for (const std::uint64_t place : places) out.number(place);
  out.number(index_bytes);
  return std::move(out).finish();
}

HALOGRAPH_INLINE graph_plan plan_of(const graph_data& graph, std::vector<tensor>& payload) {
  const auto refuse = [](const relation_data& relation, const std::string& sentence) {
    raise(error_kind::mismatch,
          "relation " + graph_schema::quoted(relation.name) + ": " + sentence);
  };
  const auto columns_of = [&](const std::vector<named_tensor>& columns, std::uint64_t rows) {
    std::vector<tensor_plan> plans;
    for (const auto& one : columns) {
      if (one.value.rank() == 0 || one.value.rows() != rows) {
        raise(error_kind::mismatch, "column " + graph_schema::quoted(one.name) + " has shape " +
                                        to_string(one.value.shape()) + "; it must have " +
                                        std::to_string(rows) + " rows");
      }
      plans.push_back(
          {one.name, one.value.type(), one.value.shape(), column::node_feature, payload.size()});
      payload.push_back(one.value);
    }
    return plans;
  };
  graph_plan plan;
  for (const auto& type : graph.node_types)
    plan.node_types.push_back({type.name, type.nodes, columns_of(type.columns, type.nodes)});
  for (const auto& relation : graph.relations) {
    if (relation.source >= graph.node_types.size() || relation.target >= graph.node_types.size()) {
      refuse(relation, "its end types must be below " + std::to_string(graph.node_types.size()));
    }
    const std::uint64_t sources = graph.node_types[relation.source].nodes,
                        targets = graph.node_types[relation.target].nodes;
    relation_plan made{relation.name, relation.source,   relation.target,  relation.edges,
                       dtype::int64,  relation.stored(), relation.allowed, true,
                       true,          payload.size(),    columns_of({}, 0)};
    if (made.stored.empty()) refuse(relation, "it must be there as coo, csr or csc");
    const auto require = [&](std::optional<structure_fault> found, std::uint64_t edges) {
      if (found) refuse(relation, found->sentence);
      if (edges != relation.edges) {
        refuse(relation, "it is said to have " + std::to_string(relation.edges) +
                             " edges, but has " + std::to_string(edges));
      }
    };
    if (relation.coo) {
      require(check_coo(*relation.coo, sources, targets), relation.coo->source.rows());
      made.ids = relation.coo->source.type();
    }
    if (relation.csr) {
      require(check_compressed(*relation.csr, column::csr_offsets, sources, targets),
              relation.csr->neighbors.rows());
      made.csr_edges = relation.csr->edges.rows() != 0;
      made.ids = relation.csr->offsets.type();
    }
    if (relation.csc) {
      require(check_compressed(*relation.csc, column::csc_offsets, targets, sources),
              relation.csc->neighbors.rows());
      made.csc_edges = relation.csc->edges.rows() != 0;
      made.ids = relation.csc->offsets.type();
    }
    require(check_agreement(relation.coo, relation.csr, relation.csc), relation.edges);
    if (made.ids != dtype::int32) made.ids = dtype::int64;  // DGL knows these two
    // Eight places, in the order of `column`, so that a section finds its tensor.
    const compressed_columns none{};
    const compressed_columns &csr = relation.csr ? *relation.csr : none,
                             &csc = relation.csc ? *relation.csc : none;
    const coo_columns coo = relation.coo.value_or(coo_columns{});
    for (const tensor* one : {&coo.source, &coo.target, &csr.offsets, &csr.neighbors, &csr.edges,
                              &csc.offsets, &csc.neighbors, &csc.edges}) {
      payload.push_back(*one);
    }
    made.columns = columns_of(relation.columns, relation.edges);
    plan.relations.push_back(std::move(made));
  }
  return plan;
}

}  // namespace halograph::dgl::detail
