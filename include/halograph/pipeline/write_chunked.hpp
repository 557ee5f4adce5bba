// SPDX-License-Identifier: BSL-1.0
/// @file write_chunked.hpp
/// Write a graph in DGL's Chunked Graph Format: metadata.json, edges as text or arrays, features as .npy.
/// Layer: pipeline. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `metadata.json` | names, counts by type and by chunk, lists of files; paths relative to the folder |
/// | `edge_index/<source:relation:target><i>.txt` | chunk i: `source target` a line, one blank between |
/// | `edge_index/<source:relation:target><i>.npy` | instead, where asked for: int64 [n, 2] |
/// | `node_data/<type>/<feature>-<i>.npy`, `edge_data/<source:relation:target>/<feature>-<i>.npy` | rows of chunk i |
///
/// Of n items and c chunks, chunk i has n div c, and one more if i < n mod c.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/pipeline/dataset.hpp>
#include <halograph/pipeline/read_chunked.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// How edges are written.
enum class edge_file_format : std::uint8_t {
  csv,   ///< text; what DGL's tools read
  numpy  ///< arrays; faster, read by halograph and by DGL's ParMETIS preprocessing
};

struct write_chunked_options {
  std::uint64_t chunks = 1;
  edge_file_format edges = edge_file_format::csv;
};

namespace detail {

class chunked_writer {
 public:
  chunked_writer(std::string folder, std::uint64_t chunks) : folder_(std::move(folder)), chunks_(chunks) {
    if (chunks_ == 0 || chunks_ > 1'000'000) {
      raise(errc::invalid_argument, std::to_string(chunks_) + " chunks are asked for; it must be 1 to 1000000");
    }
  }

  /// First item of a chunk.
  std::uint64_t begin(std::uint64_t items, std::uint64_t chunk) const noexcept {
    return items / chunks_ * chunk + std::min(chunk, items % chunks_);
  }
  json::value counts(std::uint64_t items) const {
    json::value row = json::array{};
    for (std::uint64_t i = 0; i < chunks_; ++i) row.push(begin(items, i + 1) - begin(items, i));
    return row;
  }

  /// f(first, last, file) for each chunk. @return the file specification
  template <class WriteChunk>
  json::value write(std::uint64_t items, const std::string& prefix, const std::string& ending, json::value format, WriteChunk&& f) {
    make_parent(folder_ + "/" + prefix);
    json::value files = json::array{};
    for (std::uint64_t i = 0; i < chunks_; ++i) {
      const std::string name = prefix + std::to_string(i) + ending;
      f(begin(items, i), begin(items, i + 1), folder_ + "/" + name);
      files.push(name);
    }
    json::value spec;
    spec.set("format", std::move(format)).set("data", std::move(files));
    return spec;
  }

  template <id Node>
  json::value write_edges(const relation_view<Node>& edges, const std::string& type, edge_file_format how) {
    json::value format;
    const bool text = how == edge_file_format::csv;
    if (text) format.set("name", "csv").set("delimiter", " ");
    else format.set("name", "numpy");
    return write(edges.source.size(), "edge_index/" + type, text ? ".txt" : ".npy", std::move(format),
                 [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                   const auto from = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
                   const auto source = edges.source.subspan(from, count), target = edges.target.subspan(from, count);
                   if (text) {
                     std::string lines;
                     append_edges(lines, source, target);
                     write_file(file, std::as_bytes(std::span(lines)));
                   } else {
                     std::vector<std::int64_t> pairs(2 * count);
                     for (std::size_t e = 0; e < count; ++e) {
                       pairs[2 * e] = static_cast<std::int64_t>(source[e]);
                       pairs[2 * e + 1] = static_cast<std::int64_t>(target[e]);
                     }
                     const auto layout = npy_layout(file, dtype::int64, {count, 2});
                     auto sink = file_sink::create(file, layout.bytes);
                     sink.require(write_literals(layout, sink));
                     sink.require(write_as(sink, layout.sections.at(0), 0, std::span<const std::int64_t>(pairs)));
                     sink.close();
                   }
                 });
  }

  template <feature_store Store>
  json::value write_rows(const Store& rows, const std::string& prefix) {
    json::value format;
    format.set("name", "numpy");
    return write(rows.rows(), prefix + "-", ".npy", std::move(format),
                 [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                   tensor_shape shape{last - first};
                   shape.insert(shape.end(), rows.row_shape().begin(), rows.row_shape().end());
                   const auto layout = npy_layout(file, rows.type(), shape);
                   auto sink = file_sink::create(file, layout.bytes);
                   sink.require(write_literals(layout, sink));
                   const std::size_t width = static_cast<std::size_t>(element_count(rows.row_shape())) * item_bytes(rows.type());
                   const std::uint64_t step = std::clamp<std::uint64_t>((std::size_t{1} << 20) / std::max<std::size_t>(width, 1), 1, 65536);
                   std::vector<std::uint64_t> ids;
                   std::vector<std::byte> buffer;
                   for (std::uint64_t row = first; row < last && width != 0; row += step) {
                     ids.resize(static_cast<std::size_t>(std::min(step, last - row)));
                     std::iota(ids.begin(), ids.end(), row);
                     buffer.resize(ids.size() * width);
                     check(rows.gather(std::span<const std::uint64_t>(ids), std::span(buffer)), "a feature cannot give its rows");
                     swap_elements_to_little_endian(buffer, item_bytes(rows.type()));
                     sink.require(sink.write_at(layout.sections.at(0).offset + (row - first) * width, buffer));
                   }
                   sink.close();
                 });
  }

  static void write_file(const std::string& file, std::span<const std::byte> bytes) {
    auto sink = file_sink::create(file, bytes.size());
    sink.require(sink.write_at(0, bytes));
    sink.close();
  }

 private:
  static void make_parent(const std::string& file) {
    const auto parent = std::filesystem::path(file).parent_path();
    std::error_code problem;
    std::filesystem::create_directories(parent, problem);
    if (problem) raise_io(parent.string(), "create the folder", problem.value());
  }

  std::string folder_;
  std::uint64_t chunks_;
};

/// What a metadata.json lists.
struct chunked_metadata {
  std::string name{};
  json::value node_type{}, edge_type{};          // names, in the order of their numbers
  json::value edges{}, node_data{}, edge_data{};  // type -> files
  json::value nodes_per_type{}, edges_per_type{}, nodes_per_chunk{}, edges_per_chunk{};
};

/// Write metadata.json, keys sorted as DGL's tool sorts them; last, since it is what makes the folder a graph.
inline void write_metadata(const std::string& folder, chunked_metadata lists) {
  json::value metadata;
  metadata.set("edge_data", std::move(lists.edge_data))
      .set("edge_type", std::move(lists.edge_type))
      .set("edges", std::move(lists.edges))
      .set("graph_name", std::move(lists.name))
      .set("node_data", std::move(lists.node_data))
      .set("node_type", std::move(lists.node_type))
      .set("num_edges_per_chunk", std::move(lists.edges_per_chunk))
      .set("num_edges_per_type", std::move(lists.edges_per_type))
      .set("num_nodes_per_chunk", std::move(lists.nodes_per_chunk))
      .set("num_nodes_per_type", std::move(lists.nodes_per_type));
  const std::string text = json::print(metadata);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) raise_io(folder, "create the folder", problem.value());
  chunked_writer::write_file(folder + "/metadata.json", std::as_bytes(std::span(text)));
}

}  // namespace detail

/// Write a graph and its features as a chunked graph. metadata.json is written last: a folder without it is not
/// whole. Files already there under these names are replaced, others left alone.
///
/// @param schema       the types
/// @param node_counts  [T] nodes of each type
/// @param relations    [R] edges of each type, typed IDs
/// @param features     rows by typed ID
/// @param name         the graph's name
/// @param folder       created where missing; hand in a staged_folder's path to have all appear at once
/// @errors mismatch: sizes disagree with the schema; invalid_argument: no chunks, a name that could be a path or
///         is reserved; io; unsupported: a dtype that .npy has not (bfloat16)
/// @complexity O(bytes written); memory of the text of one chunk of edges
template <id Node, feature_store Store>
void write_chunked(const graph_schema& schema, std::span<const std::uint64_t> node_counts,
                   std::span<const relation_view<Node>> relations, const basic_feature_set<Store>& features,
                   const std::string& name, const std::string& folder, const write_chunked_options& options = {}) {
  if (node_counts.size() != schema.num_node_types() || relations.size() != schema.num_edge_types()) {
    raise(errc::mismatch, "there are counts of " + std::to_string(node_counts.size()) + " node types and edges of " +
                              std::to_string(relations.size()) + " edge types, but the schema has " +
                              std::to_string(schema.num_node_types()) + " and " + std::to_string(schema.num_edge_types()));
  }
  const auto check_features = [&](const auto& all, bool of_nodes) {
    for (const auto& one : all) {
      detail::check_feature_name(one.name, of_nodes, {});
      const std::size_t types = of_nodes ? node_counts.size() : relations.size();
      if (one.type >= types ||
          one.rows.rows() != (of_nodes ? node_counts[one.type] : std::uint64_t{relations[one.type].source.size()})) {
        raise(errc::mismatch, "feature " + graph_schema::quoted(one.name) + " has not one row for each " +
                                  (of_nodes ? "node" : "edge") + " of its type");
      }
    }
  };
  check_features(features.nodes, true);
  check_features(features.edges, false);

  detail::chunked_writer writer(folder, options.chunks);
  json::value edges = json::object{}, node_types = json::array{}, edge_types = json::array{};
  json::value nodes_per_type = json::array{}, nodes_per_chunk = json::array{};
  json::value edges_per_type = json::array{}, edges_per_chunk = json::array{};
  for (std::size_t t = 0; t < node_counts.size(); ++t) {
    node_types.push(schema.node_types()[t]);
    nodes_per_type.push(node_counts[t]);
    nodes_per_chunk.push(writer.counts(node_counts[t]));
  }
  for (std::size_t t = 0; t < relations.size(); ++t) {
    const std::string type = schema.edge_types()[t].str();
    edges.set(type, writer.write_edges(relations[t], type, options.edges));
    edge_types.push(type);
    edges_per_type.push(std::uint64_t{relations[t].source.size()});
    edges_per_chunk.push(writer.counts(relations[t].source.size()));
  }
  const auto write_features = [&](const auto& all, bool of_nodes) {
    json::value data = json::object{};
    for (std::size_t t = 0; t < (of_nodes ? node_counts.size() : relations.size()); ++t) {
      const std::string type = of_nodes ? schema.node_types()[t] : schema.edge_types()[t].str();
      json::value of_type;
      for (const auto& one : all) {
        if (one.type != t) continue;
        of_type.set(one.name, writer.write_rows(one.rows, (of_nodes ? "node_data/" : "edge_data/") + type + "/" + one.name));
      }
      if (!of_type.is_null()) data.set(type, std::move(of_type));
    }
    return data;
  };
  json::value node_data = write_features(features.nodes, true);
  json::value edge_data = write_features(features.edges, false);
  detail::write_metadata(folder, {name, std::move(node_types), std::move(edge_types), std::move(edges), std::move(node_data), std::move(edge_data),
                                  std::move(nodes_per_type), std::move(edges_per_type), std::move(nodes_per_chunk), std::move(edges_per_chunk)});
}

/// Write a dataset as a chunked graph. Weights and sizes of nodes that are no features (METIS's) have no place in
/// the format and are left out.
template <id Node, id Edge>
void write_chunked(const dataset<Node, Edge>& data, const std::string& folder, const write_chunked_options& options = {}) {
  const auto graph = data.graph();
  write_chunked<Node>(data.schema, data.node_counts, graph.relations(), data.features, data.name, folder, options);
}

}  // namespace halograph
