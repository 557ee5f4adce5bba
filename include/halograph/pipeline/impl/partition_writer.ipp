// SPDX-License-Identifier: BSL-1.0
/// @file partition_writer.ipp
/// Bodies of the plain functions of pipeline/partition_writer.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/pipeline/partition_writer.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<std::string> feature_keys(
    const std::vector<feature<feature_store_ref>>& features, const graph_schema& schema,
    bool of_nodes, bool trainers) {
  std::vector<std::string> keys;
  const std::size_t types = of_nodes ? schema.num_node_types() : schema.num_edge_types();
  const auto type_name = [&](std::size_t type) {
    return of_nodes ? schema.node_types()[type] : schema.edge_types()[type].str();
  };
  for (const auto& one : features) {
    const std::string kind = of_nodes ? "node" : "edge";
    if (one.type >= types)
      raise(error_kind::not_found, concat({kind, " feature ", graph_schema::quoted(one.name),
                                           " belongs to a type that the graph does not have"}));
    if (is_reserved_feature(one.name, of_nodes)) {
      raise(error_kind::invalid_argument,
            concat({kind, " feature ",
                    graph_schema::quoted(concat({type_name(one.type), "/", one.name})),
                    " has a name reserved for the part's own columns; rename it"}));
    }
    if (one.name.empty() || one.name.find('\0') != std::string::npos) {
      raise(error_kind::invalid_argument,
            concat({"a ", kind, " feature of ", graph_schema::quoted(type_name(one.type)),
                    " has no usable name; names are not empty and hold no NUL byte"}));
    }
    keys.push_back(concat({type_name(one.type), "/", one.name}));
  }
  if (trainers) {
    for (std::size_t type = 0; type < types; ++type)
      keys.push_back(type_name(type) + "/trainer_id");
  }
  auto sorted = keys;
  sort_names(sorted);
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    raise(error_kind::exists, concat({"feature ", graph_schema::quoted(*twice),
                                      " is given twice; names must differ within a type"}));
  }
  return keys;
}

HALOGRAPH_INLINE part_paths part_paths_of(const part_layout& layout, const std::string& folder) {
  const auto path = [&](const std::string& file) {
    return file.empty() ? std::string() : folder + file;
  };
  return {path(layout.graph_file),          path(layout.node_feature_file),
          path(layout.edge_feature_file),   path(layout.original_nodes_file),
          path(layout.original_edges_file), ""};
}

HALOGRAPH_INLINE std::string sum_up_parts(quality_report& report) {
  std::uint64_t stored = 0, empty = 0;
  for (const auto& part : report.parts) {
    stored += part.inner_nodes + part.halo_nodes;
    empty += part.inner_nodes == 0 ? 1 : 0;
  }
  report.replication_factor = report.nodes == 0
                                  ? 1.0
                                  : static_cast<double>(stored) / static_cast<double>(report.nodes);
  if (empty == 0) return {};
  return concat(
      {empty, " of ", report.parts.size(), " parts own no node; trainers may reject them"});
}

HALOGRAPH_INLINE void describe_partition(partition_config& config, quality_report& report,
                                         const partition_ranges& plan, const graph_schema& schema) {
  config.num_nodes = plan.num_nodes();
  config.num_edges = plan.num_edges();
  config.num_parts = plan.parts;
  config.schema = schema;
  if (plan.dropped != 0) config.cut_edges_dropped = plan.dropped;
  for (std::size_t t = 0; t < plan.num_node_types(); ++t) {
    config.node_types_listed.push_back(static_cast<type_id>(t));
    report.node_types.emplace_back(schema.node_types()[t],
                                   plan.node_type_offsets[t + 1] - plan.node_type_offsets[t]);
  }
  for (std::size_t r = 0; r < plan.num_edge_types(); ++r) {
    config.edge_types_listed.push_back(static_cast<type_id>(r));
    report.edge_types.emplace_back(schema.edge_types()[r].str(),
                                   plan.edge_type_offsets[r + 1] - plan.edge_type_offsets[r]);
  }
  report.nodes = plan.num_nodes();
  report.edges = plan.edge_type_offsets.back();
  if (!plan.reshuffled) return;
  config.node_map.resize(plan.num_node_types());
  config.edge_map.resize(plan.num_edge_types());
  for (std::size_t p = 0; p < plan.parts; ++p) {
    for (std::size_t t = 0; t < plan.num_node_types(); ++t)
      config.node_map[t].push_back(plan.nodes(p, t));
    for (std::size_t r = 0; r < plan.num_edge_types(); ++r)
      config.edge_map[r].push_back(plan.edges(p, r));
  }
}

HALOGRAPH_INLINE partition_writer_base::partition_writer_base(const graph_schema& schema,
                                                              feature_set_ref features,
                                                              const partition_options& options)
    : schema_(schema),
      features_(std::move(features)),
      options_(options),
      node_keys_(feature_keys(features_.nodes, schema, true, options.trainers_per_machine > 1)),
      edge_keys_(feature_keys(features_.edges, schema, false, options.trainers_per_machine > 1)) {}

HALOGRAPH_INLINE part_description partition_writer_base::describe(const partition_ranges& plan,
                                                                  part_description out) const {
  // A graph of one type has type columns only where nothing was renumbered, as with DGL.
  out.types = plan.parts == 1 || plan.num_node_types() > 1 || plan.num_edge_types() > 1;
  out.part_ids = plan.parts > 1;
  out.original_ids = options_.store_original_ids;
  out.formats = options_.formats;
  out.mapping = options_.save_mapping;
  const auto shape = [](std::uint64_t rows, std::span<const std::uint64_t> row) {
    tensor_shape extents{rows};
    extents.insert(extents.end(), row.begin(), row.end());
    return extents;
  };
  for (std::size_t i = 0; i < node_keys_.size(); ++i) {
    const bool stored = i < features_.nodes.size();
    const std::size_t type = stored ? features_.nodes[i].type : i - features_.nodes.size();
    const auto rows = plan.nodes(out.part, type).size();
    out.node_features.push_back(
        {node_keys_[i], stored ? features_.nodes[i].rows.type() : dtype::int64,
         stored ? shape(rows, features_.nodes[i].rows.row_shape()) : tensor_shape{rows}});
  }
  for (std::size_t i = 0; i < edge_keys_.size(); ++i) {
    const bool stored = i < features_.edges.size();
    const std::size_t type = stored ? features_.edges[i].type : i - features_.edges.size();
    const auto rows = plan.edges(out.part, type).size();
    out.edge_features.push_back(
        {edge_keys_[i], stored ? features_.edges[i].rows.type() : dtype::int64,
         stored ? shape(rows, features_.edges[i].rows.row_shape()) : tensor_shape{rows}});
  }
  if (options_.save_mapping) {
    for (std::size_t t = 0; t < plan.num_node_types(); ++t) {
      out.original_nodes.push_back({schema_.node_types()[t], plan.nodes(out.part, t).size()});
    }
    for (std::size_t r = 0; r < plan.num_edge_types(); ++r) {
      out.original_edges.push_back({schema_.edge_types()[r].str(), plan.edges(out.part, r).size()});
    }
  }
  return out;
}

HALOGRAPH_INLINE void partition_writer_base::check_rows(const partition_ranges& plan) const {
  const auto check = [&](const auto& all, const auto& offsets, const auto& keys, const char* kind) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint64_t count = offsets[all[i].type + 1] - offsets[all[i].type];
      if (all[i].rows.rows() != count) {
        raise(error_kind::mismatch,
              concat({kind, " feature ", graph_schema::quoted(keys[i]), " has ", all[i].rows.rows(),
                      " rows for ", count, " ", kind, "s; it needs one row each"}));
      }
    }
  };
  check(features_.nodes, plan.node_type_offsets, node_keys_, "node");
  check(features_.edges, plan.edge_type_offsets, edge_keys_, "edge");
}

HALOGRAPH_INLINE void partition_writer_base::prepare_mapping(const partition_ranges& plan,
                                                             partition_result& result) const {
  if (!options_.return_mapping) return;
  const auto size = [](auto& mapping, std::size_t types, const auto& cell, std::size_t parts) {
    mapping.resize(types);
    for (std::size_t t = 0; t < types; ++t) {
      std::uint64_t count = 0;
      for (std::size_t p = 0; p < parts; ++p) count += cell(p, t).size();
      mapping[t].resize(static_cast<std::size_t>(count));
    }
  };
  size(
      result.node_mapping, plan.num_node_types(), [&](auto p, auto t) { return plan.nodes(p, t); },
      plan.parts);
  size(
      result.edge_mapping, plan.num_edge_types(), [&](auto p, auto t) { return plan.edges(p, t); },
      plan.parts);
}

HALOGRAPH_INLINE void write_text_file(any_output& output, const std::string& name,
                                      std::string_view text) {
  any_sink sink = output.create(name, text.size());
  require_written(sink, sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))), name);
  finish_sink(sink);
}

}  // namespace halograph::detail
