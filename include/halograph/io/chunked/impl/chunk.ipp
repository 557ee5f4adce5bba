// SPDX-License-Identifier: BSL-1.0
/// @file chunk.ipp
/// Bodies of the plain functions of io/chunked/chunk.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE write_chunked_options write_options_of(const chunk_options& options) {
  write_chunked_options out;
  out.chunks = options.chunks;
  out.chunks_of = options.chunks_of;
  out.edges = options.edges;
  out.delimiter = options.delimiter;
  out.features = options.features;
  out.vector_rows = options.vector_rows;
  out.on_progress = options.on_progress;
  return out;
}

HALOGRAPH_INLINE chunk_result write_chunks(const streamed_graph& g, staged_folder& staged,
                                           const chunk_options& options,
                                           const any_table_writer& tables, executor_ref executor) {
  streamed_graph checked = detail::with_checked_edges(g);
  if (!options.name.empty()) checked.name = options.name;
  validate(checked);
  write_chunked_options how = write_options_of(options);
  if (options.absolute_paths)
    how.absolute =
        std::filesystem::path(detail::absolute_path(staged.target())).lexically_normal().string();
  chunk_result out;
  for (auto& file : write_chunked(checked, staged, how, tables, executor)) {
    out.bytes += file.bytes;
    out.files.push_back(std::move(file.path));
  }
  out.notes = g.notes;
  for (std::size_t r = 0; r < g.edge_counts.size() && options.edges == chunk_format::csv; ++r) {
    const std::string type = g.schema.edge_types()[r].str();
    if (g.edge_counts[r] >= detail::chunks_at(how, "edges/" + type)) continue;
    out.notes.push_back(
        "edge type " + graph_schema::quoted(type) + " has " + std::to_string(g.edge_counts[r]) +
        " edges, fewer than chunks; files without edges are fine here, but DGL's tools up to 2.4 fail on them");
    break;  // one such type suffices
  }
  if (options.edges == chunk_format::csv && options.delimiter != ' ') {
    out.notes.push_back("edges are separated by " +
                        graph_schema::quoted(std::string(1, options.delimiter)) +
                        "; DGL's dispatch splits at single blanks whatever metadata.json says");
  }
  if (options.edges == chunk_format::numpy) {
    out.notes.push_back(
        "edges are numpy arrays, which halograph and DGL's ParMETIS tools read, but DGL's dispatch does not");
  }
  return out;
}

HALOGRAPH_INLINE chunk_result chunk_graph(const streamed_graph& g, const std::string& target,
                                          const chunk_options& options,
                                          const any_table_writer& tables, executor_ref executor) {
  staged_folder staged(target);
  chunk_result out = write_chunks(g, staged, options, tables, executor);
  if (auto note = staged.commit(json::one_line(options.command)); !note.empty())
    out.notes.push_back(std::move(note));
  return out;
}

HALOGRAPH_INLINE streamed_graph stream_graph(chunked_graph chunked) {
  auto owner = std::make_shared<const chunked_graph>(std::move(chunked));
  streamed_graph out;
  out.name = owner->name;
  out.schema = owner->schema;
  out.node_counts = owner->node_counts;
  out.edge_counts = owner->edge_counts;
  out.read_edges = [owner](type_id r, std::uint64_t first, std::uint64_t last,
                           const edge_block_visitor& visit) {
    owner->read_edges<std::uint64_t>(r, first, last, static_cast<std::size_t>(edges_per_block),
                                     visit);
  };
  const auto features = [&](const std::vector<chunked_feature>& all,
                            std::vector<streamed_feature>& to) {
    for (const auto& one : all) {
      to.push_back(
          {one.type, one.name, one.dtype, one.row_shape, one.rows,
           [owner, &one](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
             owner->read_rows(one, first, last, bytes);
           }});
    }
  };
  features(owner->node_features, out.node_features);
  features(owner->edge_features, out.edge_features);
  return out;
}

}  // namespace halograph
