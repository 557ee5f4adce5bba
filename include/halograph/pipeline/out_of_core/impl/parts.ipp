// SPDX-License-Identifier: BSL-1.0
/// @file parts.ipp
/// Bodies of the plain functions of pipeline/out_of_core/parts.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/pipeline/out_of_core/parts.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE part_layout part_layouts::of(part_description counts) const {
  const auto& options = job_.options;
  part_description all = writer_.describe(plan_, std::move(counts));
  if (options.halo == dispatch_halo::in) {
    all.types = true;
    all.part_ids = false;
  }
  part_layout layout = job_.layout_of(all);
  // Only one of the two mapping files may be asked for. A file with several roles stays.
  const auto leave_out = [&](std::string& file) {
    const std::string* const roles[] = {&layout.graph_file, &layout.node_feature_file,
                                        &layout.edge_feature_file, &layout.original_nodes_file,
                                        &layout.original_edges_file};
    if (std::count_if(std::begin(roles), std::end(roles),
                      [&](const auto* role) { return *role == file; }) > 1)
      return;
    std::erase_if(layout.files, [&](const file_layout& one) { return one.name == file; });
    file.clear();
  };
  if (!options.save_original_nodes) leave_out(layout.original_nodes_file);
  if (!options.save_original_edges) leave_out(layout.original_edges_file);
  return layout;
}

HALOGRAPH_INLINE part_layout part_layouts::of_part(std::size_t p) const {
  const auto& part = job_.result.report.parts[p];
  part_description counts;
  counts.part = static_cast<part_id>(p);
  counts.parts = job_.parts;
  counts.inner_nodes = part.inner_nodes;
  counts.nodes = part.inner_nodes + part.halo_nodes;
  counts.inner_edges = part.inner_edges;
  counts.edges = part.inner_edges + part.halo_edges;
  return of(std::move(counts));
}

HALOGRAPH_INLINE void counts_to_record(const part_report& part, stage_record& stage) {
  stage.counts = {{"inner_nodes", part.inner_nodes},
                  {"halo_nodes", part.halo_nodes},
                  {"inner_edges", part.inner_edges},
                  {"halo_edges", part.halo_edges}};
  for (std::size_t hop = 0; hop < part.halo_nodes_per_hop.size(); ++hop) {
    if (part.halo_nodes_per_hop[hop] != 0)
      stage.counts.emplace_back(concat({"hop", hop}), part.halo_nodes_per_hop[hop]);
  }
}

HALOGRAPH_INLINE void counts_from_record(const stage_record& stage, std::size_t hops,
                                         part_report& part) {
  part.inner_nodes = stage.count("inner_nodes");
  part.halo_nodes = stage.count("halo_nodes");
  part.inner_edges = stage.count("inner_edges");
  part.halo_edges = stage.count("halo_edges");
  part.halo_nodes_per_hop.assign(hops, 0);
  for (const auto& [key, value] : stage.counts) {
    std::uint64_t hop = 0;
    if (key.starts_with("hop") && parse_whole(std::string_view(key).substr(3), hop) && hop < hops)
      part.halo_nodes_per_hop[static_cast<std::size_t>(hop)] = value;
  }
}

}  // namespace halograph::detail
