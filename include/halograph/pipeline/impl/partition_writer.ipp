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
      raise(errc::not_found, concat({kind, " feature ", graph_schema::quoted(one.name),
                                     " belongs to a type that the graph does not have"}));
    if (is_reserved_feature(one.name, of_nodes)) {
      raise(errc::invalid_argument,
            concat({kind, " feature ",
                    graph_schema::quoted(concat({type_name(one.type), "/", one.name})),
                    " has a name reserved for the part's own columns; rename it"}));
    }
    if (one.name.empty() || one.name.find('\0') != std::string::npos) {
      raise(errc::invalid_argument,
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
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    raise(errc::exists, concat({"feature ", graph_schema::quoted(*twice),
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

}  // namespace halograph::detail
