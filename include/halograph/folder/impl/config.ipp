// SPDX-License-Identifier: BSL-1.0
/// @file config.ipp
/// Bodies of the plain functions of folder/config.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE json::value to_json(const partition_config& config) {
  json::value root{json::object{}};
  root.set("graph_name", config.graph_name);
  root.set("num_nodes", config.num_nodes);
  root.set("num_edges", config.num_edges);
  root.set("part_method", config.part_method);
  root.set("num_parts", config.num_parts);
  root.set("halo_hops", config.halo_hops);
  json::value node_map{json::object{}}, edge_map{json::object{}}, ntypes{json::object{}},
      etypes{json::object{}};
  for (std::size_t t = 0; t < config.schema.num_node_types(); ++t) {
    const auto& type = config.schema.node_types()[t];
    if (config.reshuffled()) node_map.set(type, detail::ranges_to_json(config.node_map[t]));
    ntypes.set(type, t);
  }
  for (std::size_t r = 0; r < config.schema.num_edge_types(); ++r) {
    const auto type = config.schema.edge_types()[r].str();
    if (config.reshuffled()) edge_map.set(type, detail::ranges_to_json(config.edge_map[r]));
    etypes.set(type, r);
  }
  root.set("node_map",
           config.reshuffled() ? std::move(node_map) : json::value(config.node_map_file));
  root.set("edge_map",
           config.reshuffled() ? std::move(edge_map) : json::value(config.edge_map_file));
  root.set("ntypes", std::move(ntypes));
  root.set("etypes", std::move(etypes));
  if (!config.node_map_dtype.empty()) root.set("node_map_dtype", config.node_map_dtype);
  if (!config.edge_map_dtype.empty()) root.set("edge_map_dtype", config.edge_map_dtype);
  const auto counts = [](const std::vector<std::uint64_t>& numbers) {
    json::value list{json::array{}};
    for (const auto n : numbers) list.push(n);
    return list;
  };
  if (!config.reshuffled()) {
    root.set("num_nodes_per_type", counts(config.nodes_per_type));
    root.set("num_edges_per_type", counts(config.edges_per_type));
  }
  if (config.serializer != "dgl") root.set("serializer", config.serializer);
  if (config.node_order != "original") root.set("node_order", config.node_order);
  if (config.cut_edges_dropped) root.set("cut_edges_dropped", *config.cut_edges_dropped);
  for (std::size_t p = 0; p < config.parts.size(); ++p) {
    const auto& paths = config.parts[p];
    json::value part{json::object{}};
    if (!paths.node_features.empty()) part.set("node_feats", paths.node_features);
    if (!paths.edge_features.empty()) part.set("edge_feats", paths.edge_features);
    part.set("part_graph", paths.graph);
    if (!paths.original_nodes.empty()) part.set("orig_nids", paths.original_nodes);
    if (!paths.original_edges.empty()) part.set("orig_eids", paths.original_edges);
    root.set(concat({"part-", p}), std::move(part));
  }
  return root;
}

}  // namespace halograph
