// SPDX-License-Identifier: BSL-1.0
/// @file dgl.ipp
/// Bodies of the plain functions of io/formats/dgl.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/structure.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_dgl_graph(const std::string& path,
                                                 const dgl_graph_options& options,
                                                 const any_file_opener& open) {
  const std::array<std::uint64_t, 1> wanted{options.graph};
  const dgl::graph_file file = dgl::read_graphs_at(open(path), path, wanted);
  const dgl::graph_data& graph = file.graphs.at(0);
  if (std::any_of(graph.relations.begin(), graph.relations.end(),
                  [](const auto& relation) { return !relation.coo; })) {
    std::uint64_t edges = 0;
    for (const auto& relation : graph.relations) edges += std::min(relation.edges, ~edges);
    require_room_for_edges(edges, 16, options.most_bytes, path);
    return stream_dataset(read_dgl_graph<std::uint64_t, std::uint64_t>(path, options, open));
  }
  auto described = detail::describe_dgl_graph<std::uint64_t, std::uint64_t>(graph, path,
                                                                            options.features);
  streamed_graph out;
  out.name = std::move(described.name);
  out.schema = std::move(described.schema);
  out.node_counts = std::move(described.node_counts);
  out.notes = std::move(described.notes);
  std::vector<coo_columns> edges;
  for (const auto& relation : graph.relations) {
    edges.push_back(*relation.coo);
    out.edge_counts.push_back(relation.coo->source.rows());
  }
  out.read_edges = [edges](type_id r, std::uint64_t first, std::uint64_t last,
                           const edge_block_visitor& visit) {
    std::array<std::vector<std::uint64_t>, 2> ends;
    for (; first < last; first += ends[0].size()) {
      for (const std::size_t end : {0u, 1u}) {
        ends[end].resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
        detail::with_integers(end == 0 ? edges[r].source : edges[r].target, [&](auto at) {
          for (std::size_t i = 0; i < ends[end].size(); ++i)
            ends[end][i] = static_cast<std::uint64_t>(at(first + i));
        });
      }
      visit(ends[0], ends[1], first);
    }
  };
  for (const auto& one : described.features.nodes)
    out.node_features.push_back(stream_feature(one.type, one.name, one.rows));
  for (const auto& one : described.features.edges)
    out.edge_features.push_back(stream_feature(one.type, one.name, one.rows));
  return out;
}

}  // namespace halograph
