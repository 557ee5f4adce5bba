// SPDX-License-Identifier: BSL-1.0
/// @file stream.ipp
/// Bodies of the plain functions of io/formats/graphar/stream.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/io/formats/graphar/infos.hpp>
#include <halograph/io/formats/graphar/stream.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Reject an ID that is not a node. @param id  of a column of IDs
HALOGRAPH_INLINE void check_graphar_id(const graphar_column& column, std::uint64_t id,
                                       location where) {
  if (id < column.below) return;
  raise(error_kind::out_of_range,
        concat({"column ", graph_schema::quoted(column.name), " is ", id,
                "; it must be the index of a node, below ", column.below}),
        std::move(where));
}

HALOGRAPH_INLINE streamed_graph graphar_streamer::run() {
  graph_.name = infos_.name;
  const auto in_file = [](const std::string& file, auto&& f) {
    try {
      f();
    } catch (const error& problem) {
      raise(problem.code(), problem.message(), {.file = file});
    }
  };
  for (const auto& one : infos_.vertices)
    in_file(one.file, [&] { graph_.schema.add_node_type(one.type); });
  for (const auto& one : infos_.edges)
    in_file(one.file, [&] { graph_.schema.add_edge_type(one.type); });
  for (const auto& one : infos_.vertices)
    graph_.node_counts.push_back(count_in(one.folder + "/vertex_count"));
  for (std::size_t t = 0; t < infos_.vertices.size(); ++t) read_nodes(t);
  for (std::size_t r = 0; r < infos_.edges.size(); ++r) read_edges(r);
  graph_.read_edges = [ends = std::move(ends_)](type_id r, std::uint64_t first, std::uint64_t last,
                                                const edge_block_visitor& visit) {
    std::vector<std::uint64_t> from, to;
    for (; first < last; first += from.size()) {
      from.resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
      to.resize(from.size());
      ends[r].first->read_at(first * 8, std::as_writable_bytes(std::span(from)));
      ends[r].second->read_at(first * 8, std::as_writable_bytes(std::span(to)));
      visit(from, to, first);
    }
  };
  return std::move(graph_);
}

HALOGRAPH_INLINE std::uint64_t graphar_streamer::count_in(const std::string& path) const {
  const file_bytes content = open_(path);
  const auto count = content.bytes.size() == 8 ? load_le<std::uint64_t>(content.bytes.data())
                                               : ~std::uint64_t{0};
  if (content.bytes.size() != 8 || count >> 63 != 0) {
    raise(error_kind::malformed,
          content.bytes.size() == 8
              ? "the count is negative; it must be an integer of 8 bytes, little-endian, from 0 on"
              : "the file has " + std::to_string(content.bytes.size()) +
                    " bytes; it must be a count of 8 bytes, little-endian",
          {.file = path});
  }
  return count;
}

HALOGRAPH_INLINE void graphar_streamer::take_csv(const std::string& path, std::uint64_t rows,
                                                 columns& to) const {
  const progress_callback silent;
  csv_table table;
  table.files.push_back(path);
  csv_table_reader at(table, open_, {}, silent);
  std::vector<csv_column> wanted(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    wanted[i].name = to[i].name;
    at.want(wanted[i]);
  }
  const auto mismatch = [&](const std::string& has) {
    raise(error_kind::mismatch,
          "the chunk has " + has + " rows; by the counts and chunk_size it must have " +
              std::to_string(rows),
          {.file = path});
  };
  while (at.next()) {
    if (at.rows() > rows) mismatch("more than " + std::to_string(rows));
    for (std::size_t i = 0; i < to.size(); ++i) {
      graphar_column& column = to[i];
      if (!column.missing.empty()) continue;
      const std::string_view field = at.field(i);
      if (column.below == 0 && field.find_first_not_of(" \t") == std::string_view::npos) {
        column.missing = at.where().words();
        column.file.reset();
        continue;
      }
      std::byte element[8]{};
      if (!store_field(field, column.element, element)) {
        at.where().fail(error_kind::malformed, at.column_name(i) + " is " +
                                                   graph_schema::quoted(field) +
                                                   "; it must be a number that " +
                                                   std::string(name(column.element)) + " holds");
      }
      if (column.below != 0) {
        std::uint64_t id = 0;
        std::memcpy(&id, element, sizeof id);
        check_graphar_id(column, id, at.where().where);
      }
      column.file->append(std::span(element).first(item_bytes(column.element)));
    }
  }
  if (at.rows() != rows) mismatch(std::to_string(at.rows()));
}

HALOGRAPH_INLINE void graphar_streamer::take_table(const std::string& path, std::uint64_t rows,
                                                   columns& to) const {
  table_info info = tables_.examine(path);
  if (info.rows != rows) {
    raise(error_kind::mismatch,
          concat({"the chunk has ", info.rows, " rows; by the counts and chunk_size it must have ",
                  rows}),
          {.file = path});
  }
  std::vector<std::size_t> places;  // of the wanted columns in the file
  for (auto& column : to) {
    const auto found = std::find_if(info.columns.begin(), info.columns.end(),
                                    [&](const table_column& c) { return c.name == column.name; });
    if (found == info.columns.end()) {
      raise(error_kind::not_found,
            "no column of numbers is called " + graph_schema::quoted(column.name) +
                "; the information file lists it",
            {.file = path});
    }
    if (found->list != column.list ||
        (column.below != 0 ? !is_integer(found->type) : found->type != column.element)) {
      raise(
          error_kind::mismatch,
          concat({"column ", graph_schema::quoted(column.name), " holds ",
                  found->list ? "lists of " : "", name(found->type), "; it must hold ",
                  column.below != 0 ? "integers"
                                    : concat({column.list ? "lists of " : "", name(column.element),
                                              ", as the information file says"})}),
          {.file = path});
    }
    if (column.list && rows != 0) {
      if (column.width == 0) column.width = found->width;
      if (column.width != found->width || column.width == 0) {
        raise(
            error_kind::mismatch,
            concat({"column ", graph_schema::quoted(column.name), " holds lists of ", found->width,
                    " numbers; all must have the same number of them, and at least one"}),
            {.file = path});
      }
    }
    places.push_back(static_cast<std::size_t>(found - info.columns.begin()));
  }
  // Only these are read, in the order of the file.
  std::vector<std::size_t> kept(places);
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i < kept.size(); ++i) info.columns[i] = info.columns[kept[i]];
  info.columns.resize(kept.size());
  for (auto& place : places)
    place = static_cast<std::size_t>(std::find(kept.begin(), kept.end(), place) - kept.begin());
  std::vector<std::uint64_t> ids;
  tables_.read(path, info, 0, rows,
               [&](std::uint64_t, std::uint64_t count, std::span<const table_values> values) {
                 for (std::size_t i = 0; i < to.size(); ++i) {
                   graphar_column& column = to[i];
                   const table_values& got = values[places[i]];
                   if (column.below == 0) {
                     column.file->append(got.values);
                     continue;
                   }
                   ids.resize(static_cast<std::size_t>(count));
                   with_element(got.type, [&](auto zero) {
                     using number = decltype(zero);
                     if constexpr (std::is_integral_v<number>) {
                       for (std::size_t n = 0; n < ids.size(); ++n) {
                         number id{};
                         std::memcpy(&id, got.values.data() + n * sizeof id, sizeof id);
                         // A negative number becomes a large one, which is no node either.
                         ids[n] = static_cast<std::uint64_t>(id);
                         check_graphar_id(column, ids[n], {.file = path});
                       }
                     }
                   });
                   column.file->append(std::as_bytes(std::span(ids)));
                 }
               });
}

HALOGRAPH_INLINE void graphar_streamer::take(graphar_file type, const std::string& path,
                                             std::uint64_t rows, columns& to) const {
  if (type == graphar_file::csv)
    take_csv(path, rows, to);
  else
    take_table(path, rows, to);
}

HALOGRAPH_INLINE void graphar_streamer::take_chunks(graphar_file type, const std::string& folder,
                                                    std::uint64_t chunk_size, std::uint64_t rows,
                                                    columns& to) const {
  if (to.empty()) return;
  for (std::uint64_t done = 0, k = 0; done < rows; ++k) {
    const std::uint64_t count = std::min(chunk_size, rows - done);
    take(type, folder + "/chunk" + std::to_string(k), count, to);
    done += count;
    if (options_.on_progress) options_.on_progress({"read chunks", done, rows, "rows"});
  }
}

HALOGRAPH_INLINE graphar_streamer::columns graphar_streamer::features_of(
    const graphar_group& group, const std::string& of, std::string& left_out) const {
  columns out;
  for (const auto& property : group.properties) {
    if (!property.element || !is_safe_name(property.name) ||
        (property.list && group.type == graphar_file::csv)) {
      left_out += (left_out.empty() ? "" : ", ") + graph_schema::quoted(property.name);
      continue;
    }
    for (const auto& other : out) {
      if (other.name == property.name)
        raise(error_kind::exists, "property " + graph_schema::quoted(property.name) + " of " + of +
                                      " is listed twice; names must differ");
    }
    graphar_column& one = out.emplace_back();
    one.name = property.name;
    one.element = *property.element;
    one.list = property.list;
    one.file = std::make_shared<scratch_file>(options_.scratch);
  }
  return out;
}

HALOGRAPH_INLINE void graphar_streamer::give(columns from, const std::string& of, type_id type,
                                             std::uint64_t rows,
                                             std::vector<streamed_feature>& out) {
  for (auto& column : from) {
    if (!column.missing.empty()) {
      graph_.notes.push_back("property " + graph_schema::quoted(column.name) + " of " + of +
                             " is left out, because it has no value in " + column.missing);
      continue;
    }
    for (const auto& other : out) {
      if (other.type == type && other.name == column.name)
        raise(error_kind::exists, "property " + graph_schema::quoted(column.name) + " of " + of +
                                      " is in two property groups; names must differ");
    }
    column.file->flush();
    streamed_feature one{type, column.name, column.element, {}, rows, {}};
    if (column.list) one.row_shape.push_back(column.width);
    one.read = [file = column.file, row = one.row_bytes()](std::uint64_t first, std::uint64_t,
                                                           std::span<std::byte> bytes) {
      file->read_at(first * row, bytes);
    };
    out.push_back(std::move(one));
  }
}

HALOGRAPH_INLINE void graphar_streamer::note_left_out(const std::string& of,
                                                      const std::string& left_out) {
  if (left_out.empty()) return;
  graph_.notes.push_back("properties of " + of +
                         " that are not numbers of one width are left out: " + left_out);
}

HALOGRAPH_INLINE void graphar_streamer::read_nodes(std::size_t t) {
  const graphar_vertex_info& info = infos_.vertices[t];
  if (!options_.features) return;
  const std::string of = "node type " + graph_schema::quoted(info.type);
  const std::uint64_t rows = graph_.node_counts[t];
  std::string left_out;
  for (const auto& group : info.groups) {
    columns features = features_of(group, of, left_out);
    take_chunks(group.type, group.folder, info.chunk_size, rows, features);
    give(std::move(features), of, static_cast<type_id>(t), rows, graph_.node_features);
  }
  note_left_out(of, left_out);
}

HALOGRAPH_INLINE void graphar_streamer::read_edges(std::size_t r) {
  const graphar_edge_info& info = infos_.edges[r];
  const std::string of = "edge type " + graph_schema::quoted(info.type.str());
  const auto type = static_cast<type_id>(r);
  const std::uint64_t sources = graph_.node_counts[graph_.schema.source_type(type)],
                      targets = graph_.node_counts[graph_.schema.target_type(type)],
                      aligned = info.by_source ? sources : targets;
  columns ends(2);
  ends[0].name = "_graphArSrcIndex";
  ends[0].below = sources;
  ends[1].name = "_graphArDstIndex";
  ends[1].below = targets;
  for (auto& end : ends) end.file = std::make_shared<scratch_file>(options_.scratch);
  std::vector<columns> features;
  std::string left_out;
  for (const auto& group : info.groups)
    features.push_back(options_.features ? features_of(group, of, left_out) : columns{});
  std::uint64_t edges = 0;
  for (std::uint64_t part = 0; part < aligned / info.part_nodes + (aligned % info.part_nodes != 0);
       ++part) {
    const std::string number = std::to_string(part), counted = info.folder + "/edge_count" + number;
    const std::uint64_t rows = count_in(counted);
    if (rows != 0 && (sources == 0 || targets == 0))
      raise(error_kind::out_of_range, "there are edges, but one end of them has no nodes",
            {.file = counted});
    take_chunks(info.list_type, info.folder + "/adj_list/part" + number, info.chunk_size, rows,
                ends);
    for (std::size_t i = 0; i < features.size(); ++i) {
      take_chunks(info.groups[i].type, info.groups[i].folder + "/part" + number, info.chunk_size,
                  rows, features[i]);
    }
    edges += rows;  // each was read
  }
  graph_.edge_counts.push_back(edges);
  for (auto& end : ends) end.file->flush();
  ends_.emplace_back(ends[0].file, ends[1].file);
  for (auto& columns_of_group : features)
    give(std::move(columns_of_group), of, type, edges, graph_.edge_features);
  note_left_out(of, left_out);
  if (!info.directed) {
    graph_.notes.push_back(of +
                           " is undirected in the data set; each of its edges is read as it "
                           "is stored, from source to destination");
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_graphar(const std::string& path,
                                               const graphar_options& options,
                                               const any_file_opener& open,
                                               const any_json_codec& yaml,
                                               const any_table_reader& tables) {
  const graphar_infos infos = read_graphar_infos(path, open, yaml);
  return detail::graphar_streamer(infos, options, open, tables).run();
}

}  // namespace halograph
