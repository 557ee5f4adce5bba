// SPDX-License-Identifier: BSL-1.0
/// @file chunk_graph.hpp
/// Make a chunked graph of any graph and its features, block by block, however large it is.
/// Layer: pipeline. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `metadata.json` | names, counts by type and by chunk, lists of files |
/// | `edge_index/<source:relation:target><i>.txt`, `.npy`, `.parquet` | edges of chunk i, in the order of their IDs |
/// | `node_data/<type>/<feature>-<i>.npy`, `.parquet` | rows of chunk i |
/// | `edge_data/<source:relation:target>/<feature>-<i>.npy`, `.parquet` | rows of chunk i |
///
/// Of n items and c chunks, chunk i has n div c, and one more if i < n mod c: DGL's own rule. Parquet has one column for each
/// number of a row, called "0", "1", ..., and the chunk's shape in its metadata.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/pipeline/chunked_graph.hpp>
#include <halograph/pipeline/dataset.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/pipeline/streamed_graph.hpp>
#include <halograph/pipeline/write_chunked.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// How a chunked graph is written.
struct chunk_options {
  std::string name{};                          ///< the graph's name; "": the stream's own
  std::uint64_t chunks = 1;                    ///< files for each edge type and feature
  chunk_format edges = chunk_format::csv;
  char delimiter = ' ';                        ///< csv; DGL reads no other than the blank
  chunk_format features = chunk_format::numpy;  ///< numpy or parquet
  bool absolute_paths = false;                 ///< in metadata.json; else relative to its folder
  json::value command{};                       ///< how the result was made, for the manifest
  progress_callback on_progress{};
};

/// What was written.
struct chunk_result {
  std::vector<std::string> files{};  ///< relative to the folder
  std::uint64_t bytes = 0;           ///< of them all
  std::vector<std::string> notes{};  ///< sentences that a user should hear
};

namespace detail {

template <table_writer Tables>
class chunk_files {
 public:
  /// @param prefix  what stands before a file's name in metadata.json
  chunk_files(const streamed_graph& g, const std::string& folder, const std::string& prefix, const chunk_options& options, const Tables& tables)
      : g_(g), folder_(folder), prefix_(prefix), options_(options), tables_(tables), writer_(folder, options.chunks) {
    for (const auto count : g.edge_counts) edges_total_ += count;
    for (const auto* const all : {&g.node_features, &g.edge_features}) {
      for (const auto& feature : *all) rows_total_ += feature.rows;
    }
  }

  chunk_result run() {
    chunked_metadata lists;
    lists.name = options_.name.empty() ? g_.name : options_.name;
    lists.node_type = lists.edge_type = lists.nodes_per_type = lists.nodes_per_chunk = lists.edges_per_type = lists.edges_per_chunk = json::array{};
    lists.edges = json::object{};
    for (std::size_t t = 0; t < g_.node_counts.size(); ++t) {
      lists.node_type.push(g_.schema.node_types()[t]);
      lists.nodes_per_type.push(g_.node_counts[t]);
      lists.nodes_per_chunk.push(writer_.counts(g_.node_counts[t]));
    }
    for (std::size_t r = 0; r < g_.edge_counts.size(); ++r) {
      const std::string type = g_.schema.edge_types()[r].str();
      lists.edge_type.push(type);
      lists.edges_per_type.push(g_.edge_counts[r]);
      lists.edges_per_chunk.push(writer_.counts(g_.edge_counts[r]));
      lists.edges.set(type, write_edges(static_cast<type_id>(r), type));
    }
    lists.node_data = write_features(g_.node_features, true);
    lists.edge_data = write_features(g_.edge_features, false);
    write_metadata(folder_, std::move(lists));
    out_.files.push_back("metadata.json");
    for (const auto& file : out_.files) out_.bytes += std::filesystem::file_size(folder_ + "/" + file);
    out_.notes = g_.notes;
    const auto few = std::find_if(g_.edge_counts.begin(), g_.edge_counts.end(), [&](std::uint64_t count) { return count < options_.chunks; });
    if (few != g_.edge_counts.end()) {
      out_.notes.push_back("edge type " + graph_schema::quoted(g_.schema.edge_types()[static_cast<std::size_t>(few - g_.edge_counts.begin())].str()) + " has " +
                           std::to_string(*few) + " edges, fewer than there are chunks; files without edges are fine here, but DGL's tools up to 2.4 fail on them");
    }
    return std::move(out_);
  }

 private:
  static const char* ending(chunk_format format) noexcept {
    return format == chunk_format::csv ? ".txt" : format == chunk_format::numpy ? ".npy" : ".parquet";
  }

  /// f(first, last, file) for each chunk. @return the file specification
  template <class WriteChunk>
  json::value write(std::uint64_t items, const std::string& start, chunk_format format, WriteChunk&& f) {
    json::value description;
    description.set("name", name(format));
    if (format == chunk_format::csv) description.set("delimiter", std::string(1, options_.delimiter));
    std::size_t chunk = 0;
    json::value files = json::array{};
    static_cast<void>(writer_.write(items, start, ending(format), json::value(), [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
      f(first, last, file);
      const std::string relative = start + std::to_string(chunk++) + ending(format);
      files.push(prefix_ + relative);
      out_.files.push_back(relative);
    }));
    json::value spec;
    spec.set("format", std::move(description)).set("data", std::move(files));
    return spec;
  }

  // --- edges -----------------------------------------------------------------------------------------

  /// Edges [first, last) of a type, each end proved to be a node: f(sources, targets, edge ID of the first).
  template <class Visit>
  void checked_edges(type_id type, std::uint64_t first, std::uint64_t last, Visit&& f) {
    const std::uint64_t sources = g_.node_counts[g_.schema.source_type(type)], targets = g_.node_counts[g_.schema.target_type(type)];
    std::uint64_t expected = first;
    g_.read_edges(type, first, last, [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to, std::uint64_t at) {
      if (from.size() != to.size() || at != expected || from.size() > last - at) raise_stream(type);
      std::uint64_t largest_source = 0, largest_target = 0;
      for (std::size_t i = 0; i < from.size(); ++i) {
        largest_source = std::max(largest_source, from[i]);
        largest_target = std::max(largest_target, to[i]);
      }
      if (!from.empty() && (largest_source >= sources || largest_target >= targets)) {
        for (std::size_t i = 0; i < from.size(); ++i) {
          const bool source = from[i] >= sources;
          if (!source && to[i] < targets) continue;
          raise(errc::out_of_range, "edge " + std::to_string(at + i) + " of " + graph_schema::quoted(g_.schema.edge_type_name(type).str()) + " has " +
                                        (source ? "source " : "target ") + std::to_string(source ? from[i] : to[i]) + "; its type has " +
                                        std::to_string(source ? sources : targets) + " nodes, numbered from 0");
        }
      }
      f(from, to, at);
      expected = at + from.size();
      edges_done_ += from.size();
      if (options_.on_progress) options_.on_progress({"write edges", edges_done_, edges_total_, "edges"});
    });
    if (expected != last) raise_stream(type);
  }
  [[noreturn]] void raise_stream(type_id type) const {
    raise(errc::mismatch, "the edges of " + graph_schema::quoted(g_.schema.edge_type_name(type).str()) + " do not come as they were announced; the input may have changed");
  }

  json::value write_edges(type_id type, const std::string& label) {
    const std::string start = "edge_index/" + label;
    return write(g_.edge_counts[type], start, options_.edges, [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
      if (options_.edges == chunk_format::csv) edges_as_text(type, first, last, file);
      else if (options_.edges == chunk_format::numpy) edges_as_array(type, first, last, file);
      else edges_as_table(type, first, last, file);
    });
  }
  void edges_as_text(type_id type, std::uint64_t first, std::uint64_t last, const std::string& file) {
    auto out = file_writer::create(file);
    std::string lines;
    checked_edges(type, first, last, [&](auto from, auto to, std::uint64_t) {
      // A block may be a whole column.
      for (std::size_t at = 0; at < from.size(); at += edges_per_block) {
        const std::size_t count = std::min<std::size_t>(edges_per_block, from.size() - at);
        lines.clear();
        append_edges(lines, from.subspan(at, count), to.subspan(at, count), options_.delimiter);
        out.write(std::as_bytes(std::span(lines)));
      }
    });
    out.close();
  }
  void edges_as_array(type_id type, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const auto layout = npy_layout(file, dtype::int64, {last - first, 2});
    auto sink = file_sink::create(file, layout.bytes);
    sink.require(write_literals(layout, sink));
    std::vector<std::uint64_t> pairs;
    checked_edges(type, first, last, [&](auto from, auto to, std::uint64_t edge) {
      for (std::size_t at = 0; at < from.size(); at += edges_per_block) {
        pairs.resize(2 * std::min<std::size_t>(edges_per_block, from.size() - at));
        for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
          pairs[2 * i] = from[at + i];
          pairs[2 * i + 1] = to[at + i];
        }
        sink.require(write_as(sink, layout.sections.at(0), 2 * (edge - first + at), std::span<const std::uint64_t>(pairs)));
      }
    });
    sink.close();
  }
  void edges_as_table(type_id type, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const std::vector<table_column> columns{{"src", dtype::int64, false, 1}, {"dst", dtype::int64, false, 1}};
    tables_.write(file, columns, std::nullopt, last - first, [&](std::uint64_t row, std::uint64_t rows, std::span<const std::span<std::byte>> out) {
      checked_edges(type, first + row, first + row + rows, [&](auto from, auto to, std::uint64_t edge) {
        const auto place = static_cast<std::size_t>(edge - first - row) * 8;
        std::memcpy(out[0].data() + place, from.data(), from.size() * 8);
        std::memcpy(out[1].data() + place, to.data(), to.size() * 8);
      });
    });
  }

  // --- features --------------------------------------------------------------------------------------

  json::value write_features(const std::vector<streamed_feature>& all, bool of_nodes) {
    json::value data = json::object{};
    const std::size_t types = of_nodes ? g_.node_counts.size() : g_.edge_counts.size();
    for (std::size_t t = 0; t < types; ++t) {
      const std::string type = of_nodes ? g_.schema.node_types()[t] : g_.schema.edge_types()[t].str();
      json::value of_type;
      for (const auto& feature : all) {
        if (feature.type != t) continue;
        const std::string start = (of_nodes ? "node_data/" : "edge_data/") + type + "/" + feature.name + "-";
        of_type.set(feature.name, write(feature.rows, start, options_.features, [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                      if (options_.features == chunk_format::numpy) rows_as_array(feature, first, last, file);
                      else rows_as_table(feature, type, first, last, file);
                    }));
      }
      if (!of_type.is_null()) data.set(type, std::move(of_type));
    }
    return data;
  }
  void rows_done(std::uint64_t count) {
    rows_done_ += count;
    if (options_.on_progress) options_.on_progress({"write features", rows_done_, rows_total_, "rows"});
  }
  static tensor_shape shape_of(const streamed_feature& feature, std::uint64_t rows) {
    tensor_shape shape{rows};
    shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
    return shape;
  }
  void rows_as_array(const streamed_feature& feature, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const auto layout = npy_layout(file, feature.element, shape_of(feature, last - first));
    auto sink = file_sink::create(file, layout.bytes);
    sink.require(write_literals(layout, sink));
    const std::size_t width = feature.row_bytes();
    if (width != 0) {
      for_each_row_block(feature, first, last, [&](std::uint64_t begin, std::uint64_t end) {
        buffer_.resize(static_cast<std::size_t>(end - begin) * width);
        feature.read(begin, end, buffer_);
        swap_elements_to_little_endian(buffer_, item_bytes(feature.element));
        sink.require(sink.write_at(layout.sections.at(0).offset + (begin - first) * width, buffer_));
        rows_done(end - begin);
      });
    }
    sink.close();
  }
  void rows_as_table(const streamed_feature& feature, const std::string& type, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const std::size_t columns = feature.row_elements(), width = item_bytes(feature.element);
    if (columns == 0) {
      raise(errc::unsupported, "feature " + graph_schema::quoted(type + "/" + feature.name) + " has rows of shape " + to_string(feature.row_shape) +
                                   ", without numbers; Parquet has no such tables, write it as numpy", {.file = file});
    }
    std::vector<table_column> described(columns);
    for (std::size_t c = 0; c < columns; ++c) described[c] = {std::to_string(c), feature.element, false, 1};
    tables_.write(file, described, to_string(shape_of(feature, last - first)), last - first,
                  [&](std::uint64_t row, std::uint64_t rows, std::span<const std::span<std::byte>> out) {
                    for_each_row_block(feature, first + row, first + row + rows, [&](std::uint64_t begin, std::uint64_t end) {
                      const auto count = static_cast<std::size_t>(end - begin), place = static_cast<std::size_t>(begin - first - row);
                      buffer_.resize(count * columns * width);
                      feature.read(begin, end, buffer_);
                      for (std::size_t c = 0; c < columns; ++c) {
                        const std::byte* from = buffer_.data() + c * width;
                        std::byte* to = out[c].data() + place * width;
                        for (std::size_t i = 0; i < count; ++i, from += columns * width, to += width) std::memcpy(to, from, width);
                      }
                      rows_done(end - begin);
                    });
                  });
  }

  const streamed_graph& g_;
  const std::string& folder_;
  const std::string& prefix_;
  const chunk_options& options_;
  const Tables& tables_;
  chunked_writer writer_;
  chunk_result out_{};
  std::vector<std::byte> buffer_{};
  std::uint64_t edges_done_ = 0, edges_total_ = 0, rows_done_ = 0, rows_total_ = 0;
};

}  // namespace detail

/// Write a stream into a staging folder, as files of it; the caller commits.
///
/// @param staged  takes the files; other files of the result (dictionaries of keys) may be there already
/// @param tables  writes Parquet, where asked for
/// @errors mismatch, invalid_argument: names, sizes and options that do not fit; out_of_range: an edge whose end is no node;
///         those of the stream's source; unsupported: a dtype that the format has not; io
/// @complexity O(bytes read and written); memory of a block of edges and one of rows, and what the source takes
template <table_writer Tables = no_tables>
chunk_result write_chunks(const streamed_graph& g, staged_folder& staged, const chunk_options& options = {}, const Tables& tables = {}) {
  validate(g);
  if (options.features == chunk_format::csv) raise(errc::invalid_argument, "features can be written as numpy or parquet, not as csv, which has neither dtype nor shape");
  if (options.edges == chunk_format::csv) detail::check_format({.delimiter = options.delimiter});
  const std::string prefix = options.absolute_paths ? std::filesystem::absolute(staged.target()).lexically_normal().string() + "/" : std::string();
  chunk_result out = detail::chunk_files<Tables>(g, staged.path(), prefix, options, tables).run();
  for (const auto& file : out.files) staged.add(file);
  if (options.edges == chunk_format::csv && options.delimiter != ' ') {
    out.notes.push_back("edges are separated by " + graph_schema::quoted(std::string(1, options.delimiter)) + "; DGL's dispatch splits at single blanks whatever metadata.json says");
  }
  return out;
}

/// Make a chunked graph of a stream. It appears whole or not at all.
///
/// @param target  the folder to be; a result of ours there is replaced
/// @errors as write_chunks() and staged_folder
template <table_writer Tables = no_tables>
chunk_result chunk_graph(const streamed_graph& g, const std::string& target, const chunk_options& options = {}, const Tables& tables = {}) {
  staged_folder staged(target);
  chunk_result out = write_chunks(g, staged, options, tables);
  staged.commit(options.command);
  return out;
}

/// Make a chunked graph of a graph in memory and its features, rows by typed ID, wherever those live.
/// @errors as stream_graph() and chunk_graph() of a stream
template <graph Graph, feature_store Store, table_writer Tables = no_tables>
chunk_result chunk_graph(const Graph& g, const graph_schema& schema, const basic_feature_set<Store>& features, const std::string& target,
                         const chunk_options& options = {}, const Tables& tables = {}) {
  return chunk_graph(stream_graph(g, schema, features, options.name.empty() ? "graph" : options.name), target, options, tables);
}

/// The same of a graph without types.
template <graph Graph, feature_store Store, table_writer Tables = no_tables>
chunk_result chunk_graph(const Graph& g, const basic_feature_set<Store>& features, const std::string& target, const chunk_options& options = {},
                         const Tables& tables = {}) {
  return chunk_graph(g, graph_schema::homogeneous(), features, target, options, tables);
}

/// The same of a dataset as it was read.
template <id Node, id Edge, table_writer Tables = no_tables>
chunk_result chunk_graph(const dataset<Node, Edge>& data, const std::string& target, const chunk_options& options = {}, const Tables& tables = {}) {
  streamed_graph g = stream_graph(data.graph(), data.schema, data.features, data.name);
  g.notes = data.notes;
  return chunk_graph(g, target, options, tables);
}

/// A chunked graph as a stream: to be chunked anew, in other formats or numbers. It is moved into the stream.
template <file_opener Opener, table_reader Tables>
streamed_graph stream_graph(chunked_graph<Opener, Tables> chunked) {
  auto owner = std::make_shared<const chunked_graph<Opener, Tables>>(std::move(chunked));
  streamed_graph out;
  out.name = owner->name;
  out.schema = owner->schema;
  out.node_counts = owner->node_counts;
  out.edge_counts = owner->edge_counts;
  out.read_edges = [owner](type_id r, std::uint64_t first, std::uint64_t last, const edge_block_visitor& visit) {
    owner->template read_edges<std::uint64_t>(r, first, last, static_cast<std::size_t>(edges_per_block), visit);
  };
  const auto features = [&](const std::vector<chunked_feature>& all, std::vector<streamed_feature>& to) {
    for (const auto& one : all) {
      to.push_back({one.type, one.name, one.dtype, one.row_shape, one.rows,
                    [owner, &one](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) { owner->read_rows(one, first, last, bytes); }});
    }
  };
  features(owner->node_features, out.node_features);
  features(owner->edge_features, out.edge_features);
  return out;
}

}  // namespace halograph
