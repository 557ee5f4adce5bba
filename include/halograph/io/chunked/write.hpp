// SPDX-License-Identifier: BSL-1.0
/// @file write.hpp
/// Write a graph in DGL's Chunked Graph Format: metadata.json, and edges and features in files of
/// their own.
/// Layer: io. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `metadata.json` | names, counts by type and by chunk, lists of files |
/// | `edge_index/<source:relation:target><i>.txt` | chunk i: `source target` a line, one delimiter between |
/// | `edge_index/<source:relation:target><i>.npy` | instead, where asked for: int64 [n, 2] |
/// | `edge_index/<source:relation:target><i>.parquet` | or two columns of int64, `src` and `dst` |
/// | `node_data/<type>/<feature>-<i>.npy`, `edge_data/<source:relation:target>/<feature>-<i>.npy` | rows of chunk i |
/// | the same with `.parquet` | a column for each number of a row, called 0, 1, ..., and the shape in the metadata; or, where asked for, one column of lists called `vector` |
///
/// Of n items and c chunks, chunk i has n div c, and one more if i < n mod c. Where two files of
/// edges would be called alike, as chunk 10 of `a:r:b` and chunk 0 of `a:r:b1`, `-` stands before
/// the number of all of them.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/numbers.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// How edges are written: csv, which all of DGL's tools read; numpy, faster, read by halograph and
/// by DGL's ParMETIS preprocessing; parquet, read by DGL's tools since 1.0.
using edge_file_format = chunk_format;

struct write_chunked_options {
  std::uint64_t chunks = 1;
  /// Other numbers of chunks: of "edges", "node_data" or "edge_data", of a type there
  /// ("edges/user:buys:item", "node_data/user") or of a feature ("node_data/user/age"); the longest
  /// name counts.
  std::vector<std::pair<std::string, std::uint64_t>> chunks_of{};
  edge_file_format edges = edge_file_format::csv;
  char delimiter = ' ';                         ///< csv; DGL's dispatch reads no other
  chunk_format features = chunk_format::numpy;  ///< numpy or parquet
  /// parquet features: one column of lists, not one column for each number
  bool vector_rows = false;
  std::string absolute{};  ///< the final place of the folder, with which paths begin; empty: paths
                           ///< are relative
  std::string step = "write";  ///< the name of the step, for on_progress
  progress_callback on_progress{};
};

namespace detail {

/// The number of chunks at a place: its own, or that of the nearest place that contains it.
inline std::uint64_t chunks_at(const write_chunked_options& options, std::string_view place) {
  for (;;) {
    for (const auto& [name, chunks] : options.chunks_of) {
      if (name == place) return chunks;
    }
    const auto slash = place.rfind('/');
    if (slash == std::string_view::npos) return options.chunks;
    place = place.substr(0, slash);
  }
}

/// Decimal digits of the largest ID below `count`.
constexpr std::uint64_t digits_below(std::uint64_t count) noexcept {
  std::uint64_t digits = 1;
  for (std::uint64_t rest = count > 1 ? count - 1 : 0; rest >= 10; rest /= 10) ++digits;
  return digits;
}

/// Split consecutive rows into columns.
template <std::size_t Width>
void split_rows(const std::byte* from, std::size_t rows,
                std::span<const std::span<std::byte>> columns) noexcept {
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& column : columns) {
      std::memcpy(column.data() + row * Width, from, Width);
      from += Width;
    }
  }
}

/// Writes the chunks of a streamed graph.
template <table_writer Tables, executor Executor>
class chunked_writer {
 public:
  chunked_writer(const streamed_graph& graph, const std::string& folder,
                 const write_chunked_options& options, const Tables& tables,
                 const Executor& executor)
      : graph_(graph), folder_(folder), options_(options), tables_(tables), executor_(executor) {
    check_chunks();
    if (options.features == chunk_format::csv) {
      raise(
          errc::invalid_argument,
          "features cannot be written as csv, which forgets their dtype; it must be numpy or parquet");
    }
    check_format({.delimiter = options.delimiter});
    validate(graph);
    between_ = edge_separator();
    for (const auto& one : graph.node_features) check_feature_name(one.name, true, {});
    for (const auto& one : graph.edge_features) check_feature_name(one.name, false, {});
    for (const auto& one : graph.node_features) rows_ += one.rows;
    for (const auto& one : graph.edge_features) rows_ += one.rows;
  }

  void run() {
    chunked_metadata out{.name = graph_.name,
                         .node_type = json::array{},
                         .edge_type = json::array{},
                         .edges = json::object{},
                         .node_data = json::object{},
                         .edge_data = json::object{},
                         .nodes_per_type = json::array{},
                         .edges_per_type = json::array{},
                         .nodes_per_chunk = json::array{},
                         .edges_per_chunk = json::array{}};
    for (std::size_t t = 0; t < graph_.node_counts.size(); ++t) {
      out.node_type.push(graph_.schema.node_types()[t]);
      out.nodes_per_type.push(graph_.node_counts[t]);
      out.nodes_per_chunk.push(counts(graph_.node_counts[t], options_.chunks));
    }
    for (std::size_t r = 0; r < graph_.edge_counts.size(); ++r) {
      const std::string type = graph_.schema.edge_types()[r].str();
      out.edges.set(type, write_edges(static_cast<type_id>(r), type));
      out.edge_type.push(type);
      out.edges_per_type.push(graph_.edge_counts[r]);
      out.edges_per_chunk.push(counts(graph_.edge_counts[r], chunks_at(options_, "edges/" + type)));
    }
    write_features(graph_.node_features, true, out.node_data);
    write_features(graph_.edge_features, false, out.edge_data);
    write_metadata(folder_, std::move(out));
  }

 private:
  /// Check the numbers of chunks, and that their places exist.
  void check_chunks() const {
    const auto check_number = [](std::uint64_t chunks) {
      if (chunks == 0 || chunks > 1'000'000)
        raise(errc::invalid_argument,
              std::to_string(chunks) + " chunks are requested; it must be 1 to 1000000");
    };
    check_number(options_.chunks);
    if (options_.chunks_of.empty()) return;
    std::vector<std::string> places{"edges", "node_data", "edge_data"};
    const auto add = [&](const std::string& data, const std::string& type, type_id t,
                         const std::vector<streamed_feature>& all) {
      places.push_back(data + "/" + type);
      for (const auto& one : all) {
        if (one.type == t) places.push_back(data + "/" + type + "/" + one.name);
      }
    };
    for (std::size_t t = 0; t < graph_.schema.num_node_types(); ++t)
      add("node_data", graph_.schema.node_types()[t], static_cast<type_id>(t),
          graph_.node_features);
    for (std::size_t r = 0; r < graph_.schema.num_edge_types(); ++r) {
      const std::string type = graph_.schema.edge_types()[r].str();
      places.push_back("edges/" + type);
      add("edge_data", type, static_cast<type_id>(r), graph_.edge_features);
    }
    for (const auto& [place, chunks] : options_.chunks_of) {
      check_number(chunks);
      if (std::find(places.begin(), places.end(), place) != places.end()) continue;
      std::string known;
      for (const auto& one : places) known += (known.empty() ? "" : ", ") + one;
      raise(errc::not_found, "a number of chunks is given for " + graph_schema::quoted(place) +
                                 ", which does not exist; there are " + known);
    }
  }

  /// The separator between an edge type and a chunk's number.
  const char* edge_separator() const {
    const auto& types = graph_.schema.edge_types();
    for (const auto& one : types) {
      const std::string shorter = one.str();
      const std::uint64_t chunks = chunks_at(options_, "edges/" + shorter);
      if (chunks <= 10) continue;
      for (const auto& other : types) {
        const std::string longer = other.str();
        if (longer.size() == shorter.size() || !longer.starts_with(shorter) ||
            longer[shorter.size()] == '0')
          continue;
        // Of the longer one's chunks, 0 is called as the first of the shorter one's.
        std::uint64_t digits = 0;
        const char* const last = longer.data() + longer.size();
        const auto read = std::from_chars(longer.data() + shorter.size(), last, digits);
        if (read.ec == std::errc{} && read.ptr == last && digits < (chunks + 9) / 10) return "-";
      }
    }
    return "";
  }

  /// First item of a chunk.
  static std::uint64_t begin(std::uint64_t items, std::uint64_t chunk,
                             std::uint64_t chunks) noexcept {
    return items / chunks * chunk + std::min(chunk, items % chunks);
  }
  static json::value counts(std::uint64_t items, std::uint64_t chunks) {
    json::value row = json::array{};
    for (std::uint64_t i = 0; i < chunks; ++i)
      row.push(begin(items, i + 1, chunks) - begin(items, i, chunks));
    return row;
  }
  void progressed(std::string_view step, std::uint64_t done, std::uint64_t total,
                  std::string_view unit) const {
    if (options_.on_progress) options_.on_progress({step, done, total, unit});
  }

  /// f(first, last, file) for each chunk. @return the list of files
  template <class WriteChunk>
  json::value write(std::uint64_t items, std::uint64_t chunks, const std::string& prefix,
                    chunk_format format, const char* text_ending, WriteChunk&& f) {
    const auto parent = std::filesystem::path(folder_ + "/" + prefix).parent_path();
    std::error_code problem;
    std::filesystem::create_directories(parent, problem);
    if (problem) raise_io(parent.string(), "create the folder", problem.value());
    json::value files = json::array{}, how;
    const std::string ending = format == chunk_format::csv     ? text_ending
                               : format == chunk_format::numpy ? ".npy"
                                                               : ".parquet";
    for (std::uint64_t i = 0; i < chunks; ++i) {
      const std::string name = prefix + std::to_string(i) + ending;
      f(begin(items, i, chunks), begin(items, i + 1, chunks), folder_ + "/" + name);
      files.push(options_.absolute.empty() ? name : options_.absolute + "/" + name);
    }
    how.set("name", halograph::name(format));
    if (format == chunk_format::csv) how.set("delimiter", std::string(1, options_.delimiter));
    json::value list;
    list.set("format", std::move(how)).set("data", std::move(files));
    return list;
  }

  json::value write_edges(type_id r, const std::string& type) {
    return write(graph_.edge_counts[r], chunks_at(options_, "edges/" + type),
                 "edge_index/" + type + between_, options_.edges, ".txt",
                 [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                   switch (options_.edges) {
                     case chunk_format::csv:
                       write_text(r, first, last, file);
                       break;
                     case chunk_format::numpy:
                       write_array(r, first, last, file);
                       break;
                     case chunk_format::parquet:
                       write_table(r, first, last, file);
                       break;
                   }
                 });
  }
  /// f(sources, targets) for edges [first, last) of r, block by block.
  template <class F>
  void each_block(type_id r, std::uint64_t first, std::uint64_t last, F&& f) {
    std::uint64_t next = first;
    if (first == last) return;
    graph_.read_edges(
        r, first, last,
        [&](std::span<const std::uint64_t> source, std::span<const std::uint64_t> target,
            std::uint64_t at) {
          if (at != next || source.size() != target.size() || source.size() > last - next) {
            raise(errc::mismatch, "a block of edges begins at " + std::to_string(at) + " where " +
                                      std::to_string(next) +
                                      " is next; blocks must be consecutive");
          }
          f(source, target);
          next += source.size();
          edges_done_ += source.size();
          progressed(options_.step, edges_done_, graph_.num_edges(), "edges");
        });
    if (next != last) {
      raise(errc::mismatch, "edges end at " + std::to_string(next) + " of " +
                                graph_schema::quoted(graph_.schema.edge_type_name(r).str()) + "; " +
                                std::to_string(last) + " were announced");
    }
  }
  void write_text(type_id r, std::uint64_t first, std::uint64_t last, const std::string& file) {
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    if (!out) raise_io(file, "create", errno != 0 ? errno : EIO);
    std::string lines;
    each_block(r, first, last, [&](auto source, auto target) {
      while (!source.empty()) {  // a block may be the whole graph
        const std::size_t some = std::min<std::size_t>(source.size(), 1 << 16);
        lines.clear();
        append_edges(lines, source.first(some), target.first(some), options_.delimiter, executor_);
        if (!out.write(lines.data(), static_cast<std::streamsize>(lines.size())))
          raise_io(file, "write", errno != 0 ? errno : EIO);
        source = source.subspan(some);
        target = target.subspan(some);
      }
    });
    out.close();
    if (!out) raise_io(file, "write", errno != 0 ? errno : EIO);
  }
  void write_array(type_id r, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const auto layout = npy_layout(file, dtype::int64, {last - first, 2});
    auto sink = file_sink::create(file, layout.bytes);
    sink.require(write_literals(layout, sink));
    std::uint64_t done = 0;
    std::vector<std::uint64_t> pairs;
    each_block(r, first, last, [&](auto source, auto target) {
      while (!source.empty()) {
        const std::size_t some = std::min<std::size_t>(source.size(), 1 << 16);
        pairs.resize(2 * some);
        for (std::size_t i = 0; i < some; ++i) {
          pairs[2 * i] = source[i];
          pairs[2 * i + 1] = target[i];
        }
        sink.require(
            write_as(sink, layout.sections.at(0), 2 * done, std::span<const std::uint64_t>(pairs)));
        done += some;
        source = source.subspan(some);
        target = target.subspan(some);
      }
    });
    sink.close();
  }
  void write_table(type_id r, std::uint64_t first, std::uint64_t last, const std::string& file) {
    const table_column columns[] = {{"src", dtype::int64, false, 1},
                                    {"dst", dtype::int64, false, 1}};
    std::vector<std::uint64_t> source, target;  // edges that were read and not yet asked for
    std::size_t used = 0;
    std::uint64_t next = first;
    tables_.write(
        file, columns, std::nullopt, last - first,
        [&](std::uint64_t, std::uint64_t rows, std::span<const std::span<std::byte>> out) {
          for (std::size_t done = 0; done < rows;) {
            if (used == source.size()) {
              source.clear();
              target.clear();
              used = 0;
              const std::uint64_t end = std::min(last, next + (std::uint64_t{1} << 17));
              each_block(r, next, end, [&](auto from, auto to) {
                source.insert(source.end(), from.begin(), from.end());
                target.insert(target.end(), to.begin(), to.end());
              });
              next = end;
            }
            const std::size_t some = std::min<std::size_t>(source.size() - used,
                                                           static_cast<std::size_t>(rows) - done);
            std::memcpy(out[0].data() + done * 8, source.data() + used, some * 8);
            std::memcpy(out[1].data() + done * 8, target.data() + used, some * 8);
            used += some;
            done += some;
          }
        });
  }

  void write_features(const std::vector<streamed_feature>& all, bool of_nodes, json::value& data) {
    const std::size_t types = of_nodes ? graph_.node_counts.size() : graph_.edge_counts.size();
    for (std::size_t t = 0; t < types; ++t) {
      const std::string type = of_nodes ? graph_.schema.node_types()[t]
                                        : graph_.schema.edge_types()[t].str();
      json::value of_type;
      for (const auto& one : all) {
        if (one.type != t) continue;
        const std::string place = (of_nodes ? "node_data/" : "edge_data/") + type + "/" + one.name;
        of_type.set(
            one.name,
            write(one.rows, chunks_at(options_, place), place + "-", options_.features, ".csv",
                  [&](std::uint64_t first, std::uint64_t last, const std::string& file) {
                    if (options_.features == chunk_format::numpy)
                      write_rows(one, first, last, file);
                    else
                      write_row_table(one, first, last, file);
                  }));
      }
      if (!of_type.is_null()) data.set(type, std::move(of_type));
    }
  }
  static tensor_shape shape_of(const streamed_feature& rows, std::uint64_t count) {
    tensor_shape shape{count};
    shape.insert(shape.end(), rows.row_shape.begin(), rows.row_shape.end());
    return shape;
  }
  void write_rows(const streamed_feature& rows, std::uint64_t first, std::uint64_t last,
                  const std::string& file) {
    const auto layout = npy_layout(file, rows.element, shape_of(rows, last - first));
    auto sink = file_sink::create(file, layout.bytes);
    sink.require(write_literals(layout, sink));
    const std::size_t width = rows.row_bytes();
    std::vector<std::byte> buffer;
    for_each_row_block(rows, first, last, [&](std::uint64_t from, std::uint64_t to) {
      if (width != 0) {
        buffer.resize(static_cast<std::size_t>(to - from) * width);
        rows.read(from, to, buffer);
        swap_elements_to_little_endian(buffer, item_bytes(rows.element));
        sink.require(sink.write_at(layout.sections.at(0).offset + (from - first) * width, buffer));
      }
      rows_done_ += to - from;
      progressed("features", rows_done_, rows_, "rows");
    });
    sink.close();
  }
  void write_row_table(const streamed_feature& rows, std::uint64_t first, std::uint64_t last,
                       const std::string& file) {
    const std::size_t elements = rows.row_elements(), item = item_bytes(rows.element);
    if (elements == 0)
      raise(errc::unsupported, "rows without elements have no place in Parquet; write numpy",
            {.file = file});
    std::vector<table_column> columns;
    if (options_.vector_rows) {
      columns.push_back({"vector", rows.element, true, elements});
    } else {
      for (std::size_t c = 0; c < elements; ++c)
        columns.push_back({std::to_string(c), rows.element, false, 1});
    }
    // As DGL writes it: a list's length is its own shape, columns say theirs.
    std::optional<std::string> shape;
    if (!options_.vector_rows || rows.row_shape.size() != 1)
      shape = to_string(shape_of(rows, last - first));
    std::vector<std::byte> buffer;
    tables_.write(
        file, columns, shape, last - first,
        [&](std::uint64_t row, std::uint64_t count, std::span<const std::span<std::byte>> out) {
          if (out.size() == 1) {
            rows.read(first + row, first + row + count, out[0]);
          } else {
            buffer.resize(static_cast<std::size_t>(count) * elements * item);
            rows.read(first + row, first + row + count, buffer);
            const auto some = static_cast<std::size_t>(count);
            switch (item) {
              case 1:
                split_rows<1>(buffer.data(), some, out);
                break;
              case 2:
                split_rows<2>(buffer.data(), some, out);
                break;
              case 4:
                split_rows<4>(buffer.data(), some, out);
                break;
              default:
                split_rows<8>(buffer.data(), some, out);
                break;
            }
          }
          rows_done_ += count;
          progressed("features", rows_done_, rows_, "rows");
        });
  }

  const streamed_graph& graph_;
  const std::string& folder_;
  const write_chunked_options& options_;
  const Tables& tables_;
  const Executor& executor_;
  const char* between_ = "";
  std::uint64_t edges_done_ = 0, rows_ = 0, rows_done_ = 0;
};

}  // namespace detail

/// The most bytes that write_chunked() will write, Parquet uncompressed; 2^64 - 1 stands for
/// anything larger.
inline std::uint64_t chunked_bytes(const streamed_graph& graph,
                                   const write_chunked_options& options) {
  std::uint64_t sum = 65536;  // metadata
  bool fits = true;
  const auto add = [&](std::uint64_t count, std::uint64_t each) {
    std::uint64_t product = 0;
    fits = fits && multiply_into(count, each, product) && add_into(sum, product, sum);
  };
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    add(graph.edge_counts[r],
        options.edges == chunk_format::csv
            ? detail::digits_below(graph.node_counts[graph.schema.source_type(type)]) +
                  detail::digits_below(graph.node_counts[graph.schema.target_type(type)]) + 2
            : 16);
    add(detail::chunks_at(options, "edges/" + graph.schema.edge_type_name(type).str()),
        options.edges == chunk_format::parquet ? 2048 : 256);
  }
  for (const auto* const all : {&graph.node_features, &graph.edge_features}) {
    for (const auto& one : *all) {
      std::uint64_t width = item_bytes(one.element);
      for (const auto extent : one.row_shape) fits = fits && multiply_into(width, extent, width);
      add(one.rows, width);
      const bool of_nodes = all == &graph.node_features;
      const std::uint64_t chunks = detail::chunks_at(
          options, (of_nodes ? "node_data/" + graph.schema.node_type_name(one.type)
                             : "edge_data/" + graph.schema.edge_type_name(one.type).str()) +
                       "/" + one.name);
      add(chunks, 256);
      if (options.features == chunk_format::parquet)
        add(chunks, options.vector_rows ? 2048 : 512 * (width / item_bytes(one.element)));
    }
  }
  return fits ? sum : ~std::uint64_t{0};
}

/// Write a streamed graph as a chunked graph. metadata.json, which has the counts by type and by
/// chunk, is written last: a folder without it is incomplete. Existing files of these names are
/// replaced, others are kept.
///
/// @param folder  created if missing; pass a staged_folder's path so that all files appear at once
/// @param tables  writes Parquet files; no_tables refuses them
/// @param executor  makes text of numbers; the bytes do not depend on it
/// @errors mismatch: sizes disagree with the schema, or blocks do not follow each other;
///     invalid_argument: no chunks, a name that could be a path or is reserved, a delimiter that
///     can be part of a number; io; unsupported: a dtype that .npy does not support (bfloat16) or
///     that the library for tables cannot write
/// @complexity O(bytes written); memory: 4 MiB, or a row where it is larger, and what the library
///     for tables takes
template <table_writer Tables = no_tables, executor Executor = sequential>
void write_chunked(const streamed_graph& graph, const std::string& folder,
                   const write_chunked_options& options = {}, const Tables& tables = {},
                   const Executor& executor = {}) {
  detail::chunked_writer<Tables, Executor>(graph, folder, options, tables, executor).run();
}

/// Write columns and features as a chunked graph.
///
/// @param schema       the types
/// @param node_counts  [T] nodes of each type
/// @param relations    [R] edges of each type, typed IDs
/// @param features     rows by typed ID
/// @param name         the graph's name
/// @errors as above
template <id Node, feature_store Store, table_writer Tables = no_tables,
          executor Executor = sequential>
void write_chunked(const graph_schema& schema, std::span<const std::uint64_t> node_counts,
                   std::span<const relation_view<Node>> relations,
                   const basic_feature_set<Store>& features, const std::string& name,
                   const std::string& folder, const write_chunked_options& options = {},
                   const Tables& tables = {}, const Executor& executor = {}) {
  streamed_graph graph;
  graph.name = name;
  graph.schema = schema;
  graph.node_counts.assign(node_counts.begin(), node_counts.end());
  for (const auto& relation : relations) {
    if (relation.source.size() != relation.target.size()) {
      raise(errc::mismatch, "there are " + std::to_string(relation.source.size()) +
                                " sources and " + std::to_string(relation.target.size()) +
                                " targets of one edge type; each edge has one of each");
    }
    graph.edge_counts.push_back(relation.source.size());
  }
  graph.read_edges = [relations](type_id r, std::uint64_t first, std::uint64_t last,
                                 const edge_block_visitor& visit) {
    detail::visit_columns(relations[r].source, relations[r].target, first, last, visit);
  };
  for (const auto& one : features.nodes)
    graph.node_features.push_back(
        detail::stream_rows(one.type, one.name, detail::shared_store(one.rows)));
  for (const auto& one : features.edges)
    graph.edge_features.push_back(
        detail::stream_rows(one.type, one.name, detail::shared_store(one.rows)));
  write_chunked(graph, folder, options, tables, executor);
}

/// Write a dataset as a chunked graph. Node weights and sizes that are not features (METIS's)
/// cannot be stored and are omitted.
template <id Node, id Edge, table_writer Tables = no_tables, executor Executor = sequential>
void write_chunked(const dataset<Node, Edge>& data, const std::string& folder,
                   const write_chunked_options& options = {}, const Tables& tables = {},
                   const Executor& executor = {}) {
  const auto graph = data.graph();
  write_chunked<Node>(data.schema, data.node_counts, graph.relations(), data.features, data.name,
                      folder, options, tables, executor);
}

}  // namespace halograph
