// SPDX-License-Identifier: BSL-1.0
/// @file write.ipp
/// Bodies of the plain functions of io/chunked/write.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
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
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::uint64_t chunks_at(const write_chunked_options& options,
                                         std::string_view place) {
  for (;;) {
    for (const auto& [name, chunks] : options.chunks_of) {
      if (name == place) return chunks;
    }
    const auto slash = place.rfind('/');
    if (slash == std::string_view::npos) return options.chunks;
    place = place.substr(0, slash);
  }
}

HALOGRAPH_INLINE chunked_writer::chunked_writer(const streamed_graph& graph,
                                                const std::string& folder, staged_folder* staged,
                                                const write_chunked_options& options,
                                                const any_table_writer& tables,
                                                executor_ref executor)
    : graph_(graph),
      folder_(folder),
      staged_(staged),
      options_(options),
      tables_(tables),
      executor_(executor) {
  check_chunks();
  if (options.features == chunk_format::csv) {
    raise(
        error_kind::invalid_argument,
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

HALOGRAPH_INLINE void chunked_writer::run() {
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

HALOGRAPH_INLINE void chunked_writer::check_chunks() const {
  const auto check_number = [](std::uint64_t chunks) {
    if (chunks == 0 || chunks > 1'000'000)
      raise(error_kind::invalid_argument,
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
    add("node_data", graph_.schema.node_types()[t], static_cast<type_id>(t), graph_.node_features);
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
    raise(error_kind::not_found, "a number of chunks is given for " + graph_schema::quoted(place) +
                                     ", which does not exist; there are " + known);
  }
}

HALOGRAPH_INLINE const char* chunked_writer::edge_separator() const {
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

HALOGRAPH_INLINE json::value chunked_writer::counts(std::uint64_t items, std::uint64_t chunks) {
  json::value row = json::array{};
  for (std::uint64_t i = 0; i < chunks; ++i)
    row.push(begin(items, i + 1, chunks) - begin(items, i, chunks));
  return row;
}

HALOGRAPH_INLINE any_sink chunked_writer::create(const std::string& name, std::uint64_t bytes) {
  if (staged_ != nullptr) return staged_->create(name, bytes);
  return file_sink::create(path_of(name), bytes);
}

HALOGRAPH_INLINE json::value chunked_writer::write(
    std::uint64_t items, std::uint64_t chunks, const std::string& prefix, chunk_format format,
    const char* text_ending,
    function_ref<void(std::uint64_t, std::uint64_t, const std::string&)> f) {
  const auto parent = std::filesystem::path(path_of(prefix)).parent_path();
  std::error_code problem;
  std::filesystem::create_directories(parent, problem);
  if (problem) raise_io(parent.string(), "create the folder", problem.value());
  json::value files = json::array{}, how;
  const std::string ending = format == chunk_format::csv     ? text_ending
                             : format == chunk_format::numpy ? ".npy"
                                                             : ".parquet";
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::string name = prefix + std::to_string(i) + ending;
    f(begin(items, i, chunks), begin(items, i + 1, chunks), name);
    files.push(options_.absolute.empty() ? name : options_.absolute + "/" + name);
  }
  how.set("name", halograph::name(format));
  if (format == chunk_format::csv) how.set("delimiter", std::string(1, options_.delimiter));
  json::value list;
  list.set("format", std::move(how)).set("data", std::move(files));
  return list;
}

HALOGRAPH_INLINE json::value chunked_writer::write_edges(type_id r, const std::string& type) {
  return write(graph_.edge_counts[r], chunks_at(options_, "edges/" + type),
               "edge_index/" + type + between_, options_.edges, ".txt",
               [&](std::uint64_t first, std::uint64_t last, const std::string& name) {
                 switch (options_.edges) {
                   case chunk_format::csv:
                     write_text(r, first, last, name);
                     break;
                   case chunk_format::numpy:
                     write_array(r, first, last, name);
                     break;
                   case chunk_format::parquet:
                     write_table(r, first, last, name);
                     break;
                 }
               });
}

HALOGRAPH_INLINE void chunked_writer::each_block(type_id r, std::uint64_t first, std::uint64_t last,
                                                 function_ref<void(id_block, id_block)> f) {
  std::uint64_t next = first;
  if (first == last) return;
  graph_.read_edges(
      r, first, last,
      [&](std::span<const std::uint64_t> source, std::span<const std::uint64_t> target,
          std::uint64_t at) {
        if (at != next || source.size() != target.size() || source.size() > last - next) {
          raise(error_kind::mismatch, "a block of edges begins at " + std::to_string(at) +
                                          " where " + std::to_string(next) +
                                          " is next; blocks must be consecutive");
        }
        f(source, target);
        next += source.size();
        edges_done_ += source.size();
        progressed(options_.step, edges_done_, graph_.num_edges(), "edges");
      });
  if (next != last) {
    raise(error_kind::mismatch, "edges end at " + std::to_string(next) + " of " +
                                    graph_schema::quoted(graph_.schema.edge_type_name(r).str()) +
                                    "; " + std::to_string(last) + " were announced");
  }
}

HALOGRAPH_INLINE void chunked_writer::write_text(type_id r, std::uint64_t first, std::uint64_t last,
                                                 const std::string& name) {
  auto sink = create(name, file_sink::grows);
  std::uint64_t written = 0;
  std::string lines;
  each_block(r, first, last, [&](id_block source, id_block target) {
    while (!source.empty()) {  // a block may be the whole graph
      const std::size_t some = std::min<std::size_t>(source.size(), 1 << 16);
      lines.clear();
      append_edges(lines, source.first(some), target.first(some), options_.delimiter, executor_);
      sink.require(sink.write_at(written, std::as_bytes(std::span(lines))));
      written += lines.size();
      source = source.subspan(some);
      target = target.subspan(some);
    }
  });
  sink.close();
}

HALOGRAPH_INLINE void chunked_writer::write_array(type_id r, std::uint64_t first,
                                                  std::uint64_t last, const std::string& name) {
  const auto layout = npy_layout(path_of(name), dtype::int64, {last - first, 2});
  auto sink = create(name, layout.bytes);
  sink.require(write_literals(layout, sink));
  std::uint64_t done = 0;
  std::vector<std::uint64_t> pairs;
  each_block(r, first, last, [&](id_block source, id_block target) {
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

HALOGRAPH_INLINE void chunked_writer::write_table(type_id r, std::uint64_t first,
                                                  std::uint64_t last, const std::string& name) {
  const table_column columns[] = {{"src", dtype::int64, false, 1}, {"dst", dtype::int64, false, 1}};
  std::vector<std::uint64_t> source, target;  // edges that were read and not yet asked for
  std::size_t used = 0;
  std::uint64_t next = first;
  tables_.write(path_of(name), columns, std::nullopt, last - first,
                [&](std::uint64_t, std::uint64_t rows, std::span<const std::span<std::byte>> out) {
                  for (std::size_t done = 0; done < rows;) {
                    if (used == source.size()) {
                      source.clear();
                      target.clear();
                      used = 0;
                      const std::uint64_t end = std::min(last, next + (std::uint64_t{1} << 17));
                      each_block(r, next, end, [&](id_block from, id_block to) {
                        source.insert(source.end(), from.begin(), from.end());
                        target.insert(target.end(), to.begin(), to.end());
                      });
                      next = end;
                    }
                    const std::size_t some = std::min<std::size_t>(
                        source.size() - used, static_cast<std::size_t>(rows) - done);
                    std::memcpy(out[0].data() + done * 8, source.data() + used, some * 8);
                    std::memcpy(out[1].data() + done * 8, target.data() + used, some * 8);
                    used += some;
                    done += some;
                  }
                });
}

HALOGRAPH_INLINE void chunked_writer::write_features(const std::vector<streamed_feature>& all,
                                                     bool of_nodes, json::value& data) {
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
                [&](std::uint64_t first, std::uint64_t last, const std::string& name) {
                  if (options_.features == chunk_format::numpy)
                    write_rows(one, first, last, name);
                  else
                    write_row_table(one, first, last, name);
                }));
    }
    if (!of_type.is_null()) data.set(type, std::move(of_type));
  }
}

HALOGRAPH_INLINE void chunked_writer::write_rows(const streamed_feature& rows, std::uint64_t first,
                                                 std::uint64_t last, const std::string& name) {
  const auto layout = npy_layout(path_of(name), rows.element, shape_of(rows, last - first));
  auto sink = create(name, layout.bytes);
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

HALOGRAPH_INLINE void chunked_writer::write_row_table(const streamed_feature& rows,
                                                      std::uint64_t first, std::uint64_t last,
                                                      const std::string& name) {
  const std::size_t elements = rows.row_elements(), item = item_bytes(rows.element);
  if (elements == 0)
    raise(error_kind::unsupported, "rows without elements have no place in Parquet; write numpy",
          {.file = path_of(name)});
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
      path_of(name), columns, shape, last - first,
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::vector<manifest_entry> write_chunked(const streamed_graph& graph,
                                                           staged_folder& staged,
                                                           const write_chunked_options& options,
                                                           const any_table_writer& tables,
                                                           executor_ref executor) {
  detail::chunked_writer(graph, staged.path(), &staged, options, tables, executor).run();
  return staged.add_all();
}

HALOGRAPH_INLINE std::uint64_t chunked_bytes(const streamed_graph& graph,
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

}  // namespace halograph
