// SPDX-License-Identifier: BSL-1.0
/// @file generate_chunked.hpp
/// Write a generated graph as a chunked graph, block by block, however large it is.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/pipeline/write_chunked.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// Rows of random numbers in [0, 1), float32; each is a function of seed, row and column alone. A feature store.
class random_rows {
 public:
  random_rows(std::uint64_t rows, std::uint64_t columns, std::uint64_t seed) : rows_(rows), shape_{columns}, seed_(seed) {}

  dtype type() const noexcept { return dtype::float32; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::span<const std::uint64_t> row_shape() const noexcept { return shape_; }
  /// @errors out_of_range at i: ids[i] is no row; capacity
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const noexcept {
    const auto columns = static_cast<std::size_t>(shape_[0]);
    if (out.size() / sizeof(float) < ids.size() * columns) return status::capacity.at(ids.size() * columns * sizeof(float));
    std::size_t at = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= rows_) return status::out_of_range.at(i);
      random_stream stream = random_stream::at(seed_, ids[i]);
      for (std::size_t c = 0; c < columns; ++c, at += sizeof(float)) {
        const float value = static_cast<float>(stream.next() >> 40) * 0x1p-24f;  // exact: 24 bits
        std::memcpy(out.data() + at, &value, sizeof value);
      }
    }
    return status::ok;
  }

 private:
  std::uint64_t rows_;
  std::array<std::uint64_t, 1> shape_;
  std::uint64_t seed_;
};
static_assert(feature_store<random_rows>);

/// A typed graph that exists as functions: what generate_chunked writes.
struct generated_graph {
  std::string name{};
  graph_schema schema{};
  std::vector<std::uint64_t> node_counts{};  ///< [T]
  std::vector<std::uint64_t> edge_counts{};  ///< [R]
  /// Fill columns with the edges first, first + 1, ... of relation r, in typed IDs.
  std::function<void(std::size_t r, std::uint64_t first, std::span<std::uint64_t> source, std::span<std::uint64_t> target)> fill{};
};

/// A graph of one node type from a generator. @errors whatever g.validate() says
template <generate::generator G>
generated_graph make_generated(std::string name, const G& g) {
  check(g.validate(), "the graph would be too large, or its options contradict each other");
  return {std::move(name), graph_schema::homogeneous(), {g.num_nodes()}, {g.num_edges()},
          [g](std::size_t, std::uint64_t first, std::span<std::uint64_t> source, std::span<std::uint64_t> target) {
            check(generate::fill(g, first, source, target), "the generator cannot make these edges");
          }};
}

/// Authors, papers and institutions. @errors overflow
inline generated_graph make_generated(std::string name, const generate::academic& g) {
  using generate::academic;
  check(g.validate(), "the graph would be too large");
  generated_graph out;
  out.name = std::move(name);
  for (std::size_t t = 0; t < academic::node_types.size(); ++t) {
    out.schema.add_node_type(std::string(academic::node_types[t]));
    out.node_counts.push_back(g.num_nodes(static_cast<academic::node_type>(t)));
  }
  for (std::size_t r = 0; r < academic::relations.size(); ++r) {
    out.schema.add_edge_type({std::string(academic::node_types[academic::source_types[r]]), std::string(academic::relations[r]),
                              std::string(academic::node_types[academic::target_types[r]])});
    out.edge_counts.push_back(g.num_edges(static_cast<academic::relation>(r)));
  }
  out.fill = [g](std::size_t r, std::uint64_t first, std::span<std::uint64_t> source, std::span<std::uint64_t> target) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto one = g.edge(static_cast<academic::relation>(r), first + i);
      source[i] = one.source;
      target[i] = one.target;
    }
  };
  return out;
}

/// How to write it.
struct generate_options {
  std::uint64_t chunks = 1;
  edge_file_format edges = edge_file_format::csv;
  std::uint64_t feature_columns = 0;  ///< N > 0: a float32 feature "feat" of shape (nodes, N) for each node type
  std::uint64_t seed = 0;             ///< of the features
  progress_callback on_progress{};
};

namespace detail {

/// Decimal digits of the largest ID below `count`.
constexpr std::uint64_t digits_below(std::uint64_t count) noexcept {
  std::uint64_t digits = 1;
  for (std::uint64_t rest = count > 1 ? count - 1 : 0; rest >= 10; rest /= 10) ++digits;
  return digits;
}

}  // namespace detail

/// The most bytes that generate_chunked will write; 2^64 - 1 stands for anything larger.
inline std::uint64_t generated_bytes(const generated_graph& graph, const generate_options& options) {
  std::uint64_t sum = 65536;  // metadata
  bool fits = true;
  const auto add = [&](std::uint64_t count, std::uint64_t each) {
    std::uint64_t product = 0;
    fits = fits && multiply_into(count, each, product) && add_into(sum, product, sum);
  };
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const bool text = options.edges == edge_file_format::csv;
    add(graph.edge_counts[r], text ? detail::digits_below(graph.node_counts[graph.schema.source_type(type)]) +
                                         detail::digits_below(graph.node_counts[graph.schema.target_type(type)]) + 2
                                   : 16);
    add(options.chunks, 256);
  }
  if (options.feature_columns != 0) {
    for (const auto count : graph.node_counts) {
      std::uint64_t width = 0;
      fits = fits && multiply_into(options.feature_columns, 4, width);
      add(count, width);
      add(options.chunks, 256);
    }
  }
  return fits ? sum : ~std::uint64_t{0};
}

/// Write a generated graph as a chunked graph into `folder` (hand in a staged_folder's path to have all appear at
/// once); metadata.json is written last. The bytes depend on the graph and the options alone.
///
/// @errors io; invalid_argument: a number of chunks that cannot be
/// @complexity O(bytes written); memory: 2 MiB
inline void generate_chunked(const generated_graph& graph, const std::string& folder, const generate_options& options = {}) {
  constexpr std::size_t block = 1 << 16;
  detail::chunked_writer writer(folder, options.chunks);
  std::vector<std::uint64_t> source(block), target(block);
  std::uint64_t total = 0, done = 0;
  for (const auto count : graph.edge_counts) total += count;

  // f(piece of source, piece of target, position in the chunk) for a chunk's edges, block by block.
  const auto blocks = [&](std::size_t r, std::uint64_t first, std::uint64_t last, const auto& f) {
    for (std::uint64_t at = first; at < last; at += block) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, last - at));
      const auto from = std::span(source).first(count), to = std::span(target).first(count);
      graph.fill(r, at, from, to);
      f(std::span<const std::uint64_t>(from), std::span<const std::uint64_t>(to), at - first);
      done += count;
      if (options.on_progress) options.on_progress({"generate", done, total, "edges"});
    }
  };
  const auto write_text = [&](std::size_t r, std::uint64_t first, std::uint64_t last, const std::string& file) {
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    if (!out) raise_io(file, "create", errno != 0 ? errno : EIO);
    std::string lines;
    blocks(r, first, last, [&](auto from, auto to, std::uint64_t) {
      lines.clear();
      append_edges(lines, from, to);
      if (!out.write(lines.data(), static_cast<std::streamsize>(lines.size()))) raise_io(file, "write", errno != 0 ? errno : EIO);
    });
    out.close();
    if (!out) raise_io(file, "write", errno != 0 ? errno : EIO);
  };
  const auto write_array = [&](std::size_t r, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const auto layout = npy_layout(file, dtype::int64, {last - first, 2});
    auto sink = file_sink::create(file, layout.bytes);
    sink.require(write_literals(layout, sink));
    std::vector<std::uint64_t> pairs(2 * block);
    blocks(r, first, last, [&](auto from, auto to, std::uint64_t at) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        pairs[2 * i] = from[i];
        pairs[2 * i + 1] = to[i];
      }
      sink.require(write_as(sink, layout.sections.at(0), 2 * at, std::span<const std::uint64_t>(pairs).first(2 * from.size())));
    });
    sink.close();
  };

  const bool text = options.edges == edge_file_format::csv;
  json::value edges = json::object{}, node_types = json::array{}, edge_types = json::array{}, node_data = json::object{};
  json::value nodes_per_type = json::array{}, nodes_per_chunk = json::array{};
  json::value edges_per_type = json::array{}, edges_per_chunk = json::array{};
  for (std::size_t t = 0; t < graph.node_counts.size(); ++t) {
    const auto& type = graph.schema.node_types()[t];
    node_types.push(type);
    nodes_per_type.push(graph.node_counts[t]);
    nodes_per_chunk.push(writer.counts(graph.node_counts[t]));
    if (options.feature_columns == 0) continue;
    const random_rows rows(graph.node_counts[t], options.feature_columns, mix(options.seed) + t);
    node_data.set(type, json::object{{"feat", writer.write_rows(rows, "node_data/" + type + "/feat")}});
  }
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const std::string type = graph.schema.edge_types()[r].str();
    json::value format;
    if (text) format.set("name", "csv").set("delimiter", " ");
    else format.set("name", "numpy");
    edges.set(type, writer.write(graph.edge_counts[r], "edge_index/" + type, text ? ".txt" : ".npy", std::move(format),
                                 [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                                   if (text) write_text(r, first, last, file);
                                   else write_array(r, first, last, file);
                                 }));
    edge_types.push(type);
    edges_per_type.push(graph.edge_counts[r]);
    edges_per_chunk.push(writer.counts(graph.edge_counts[r]));
  }
  detail::write_metadata(folder, {graph.name, std::move(node_types), std::move(edge_types), std::move(edges), std::move(node_data), json::object{},
                                  std::move(nodes_per_type), std::move(edges_per_type), std::move(nodes_per_chunk), std::move(edges_per_chunk)});
}

}  // namespace halograph
