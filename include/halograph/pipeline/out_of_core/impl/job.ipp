// SPDX-License-Identifier: BSL-1.0
/// @file job.ipp
/// Bodies of the plain functions of pipeline/out_of_core/job.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/pipeline/part_column_writer.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/resident_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE dispatch_state::dispatch_state(const chunked_graph& graph,
                                                const std::string& assigned, part_id part_count,
                                                const any_target& to, const dispatch_options& asked,
                                                executor_ref threads, communicator_ref all,
                                                std::uint64_t node_bytes, std::uint64_t edge_bytes,
                                                std::uint64_t nodes_below,
                                                std::uint64_t edges_below)
    : input(graph),
      assignment(assigned),
      parts(part_count),
      target(to),
      options(asked),
      run(threads),
      ranks(all),
      name(asked.graph_name.empty() ? graph.name : asked.graph_name),
      node_offsets(offsets_of(graph.node_counts)),
      edge_offsets(offsets_of(graph.edge_counts)),
      node_id_bytes(node_bytes),
      edge_id_bytes(edge_bytes),
      node_capacity(nodes_below),
      edge_capacity(edges_below),
      output(all, to.path(), asked.own_folders),
      stages(all) {
  describe_features(graph.node_features, features.nodes);
  describe_features(graph.edge_features, features.edges);
  layout_options.graph_name = name;
  layout_options.formats = asked.formats;
  layout_options.store_original_ids = asked.store_original_ids;
  layout_options.save_mapping = asked.save_original_nodes || asked.save_original_edges;
}

HALOGRAPH_INLINE void dispatch_state::measure_memory() {
  const std::uint64_t now = anonymous_resident_bytes();
  std::uint64_t before = peak.load();
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
}

}  // namespace halograph::detail
