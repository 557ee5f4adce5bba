// SPDX-License-Identifier: BSL-1.0
/// @file open.ipp
/// Bodies of the plain functions of io/chunked/open.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void chunked_opener::read_names() {
  if (!metadata_.is_object())
    raise(error_kind::malformed, "the document must be an object", {.file = file_});
  const auto* const name = metadata_.find("graph_name");
  graph_.name = name != nullptr ? as_string(*name, "graph_name", file_) : folder_name(folder_);
  try {
    graph_.schema = schema_from_metadata(metadata_, {.file = file_});
  } catch (const error& problem) {
    if (!problem.where().file.empty()) throw;
    raise(problem.code(), problem.message(), {.file = file_});
  }
  graph_.node_counts = metadata_counts(metadata_, "num_nodes_per_type", "num_nodes_per_chunk",
                                       graph_.schema.num_node_types(), {.file = file_});
  check_graph_size(graph_.schema, graph_.node_counts, {}, {.file = file_});
}

HALOGRAPH_INLINE chunked_graph chunked_opener::read_files() {
  open_edges();
  if (options_.features) {
    open_features("node_data", true);
    open_features("edge_data", false);
  }
  return std::move(graph_);
}

HALOGRAPH_INLINE void chunked_opener::open_edges() {
  const std::size_t types = graph_.schema.num_edge_types();
  std::optional<std::vector<std::uint64_t>> counts;
  if (metadata_.find("num_edges_per_type") || metadata_.find("num_edges_per_chunk")) {
    counts = metadata_counts(metadata_, "num_edges_per_type", "num_edges_per_chunk", types,
                             {.file = file_});
  }
  const json::value& edges = required_member(metadata_, "edges", file_);
  for (const auto& [key, entry] : as_object(edges, "edges", file_)) {
    static_cast<void>(entry);
    if (const auto type = canonical_etype::parse(key); !type || !graph_.schema.edge_type(*type)) {
      raise(error_kind::not_found,
            "\"edges\" has files of " + graph_schema::quoted(key) +
                ", which \"edge_type\" does not list",
            {.file = file_});
    }
  }
  graph_.edges.resize(types);
  graph_.edge_counts.assign(types, 0);
  for (std::size_t t = 0; t < types; ++t) {
    const std::string key = graph_.schema.edge_types()[t].str();
    const auto* const entry = edges.find(key);
    if (entry == nullptr) {
      if (counts && (*counts)[t] == 0) continue;
      raise(
          error_kind::not_found,
          "\"edges\" has no files of " + graph_schema::quoted(key) + "; every edge type needs them",
          {.file = file_});
    }
    graph_.edges[t] = chunk_list_from(*entry, key, folder_, file_);
    open_edges_of(static_cast<type_id>(t), key,
                  counts ? std::optional((*counts)[t]) : std::nullopt);
    graph_.edge_counts[t] = graph_.edges[t].rows();
  }
  check_graph_size(graph_.schema, graph_.node_counts, graph_.edge_counts, {.file = file_});
}

HALOGRAPH_INLINE void chunked_opener::open_edges_of(type_id type, const std::string& key,
                                                    std::optional<std::uint64_t> count) {
  chunk_list& list = graph_.edges[type];
  const std::vector<std::uint64_t> chunk_counts = edge_chunk_counts(type, list.files.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < list.files.size(); ++i) {
    chunk_file& file = list.files[i];
    const file_bytes opened = count_edges(list, file);
    file.first = before;
    const auto disagree = [&](std::uint64_t announced, const std::string& in) {
      std::optional<std::uint64_t> line;
      if (list.format == chunk_format::csv)
        line = line_of_record(as_text(opened.bytes), std::min(file.rows, announced), list.text);
      raise(error_kind::mismatch,
            "the file has " + std::to_string(file.rows) + " edges of " + graph_schema::quoted(key) +
                " where " + std::to_string(announced) + " are " + in,
            {.file = file.path, .line = line});
    };
    if (!chunk_counts.empty() && file.rows != chunk_counts[i])
      disagree(chunk_counts[i], "announced by \"num_edges_per_chunk\"");
    if (count && (file.rows > *count - before ||
                  (i + 1 == list.files.size() && file.rows != *count - before))) {
      disagree(*count - before, "left of the " + std::to_string(*count) + " announced");
    }
    if (!add_into(before, file.rows, before))
      raise(error_kind::overflow, "there are more edges than 64 bits can number",
            {.file = file.path});
  }
  if (count && before != *count) {
    raise(error_kind::mismatch,
          graph_schema::quoted(key) + " has " + std::to_string(before) +
              " edges in its files, but " + std::to_string(*count) + " are announced",
          {.file = file_});
  }
}

HALOGRAPH_INLINE file_bytes chunked_opener::count_edges(const chunk_list& list, chunk_file& file) {
  if (list.format == chunk_format::parquet) {
    file.table = examine_numbers(graph_.tables(), file.path);
    file.rows = file.table.rows;
    if (file.table.columns.size() != 2) {
      raise(error_kind::malformed,
            "a table of " + std::to_string(file.table.columns.size()) +
                " columns holds no edges; it must have two, source and target",
            {.file = file.path});
    }
    for (const auto& column : file.table.columns) {
      if (column.list || !is_integer(column.type) || column.type == dtype::boolean) {
        raise(error_kind::malformed,
              "column " + graph_schema::quoted(column.name) + " of " +
                  (column.list ? "lists" : std::string(halograph::name(column.type))) +
                  " holds no node IDs; it must be of integers",
              {.file = file.path});
      }
    }
    return {};
  }
  file_bytes opened = list.format == chunk_format::csv ? open_lines(graph_.opener(), file.path)
                                                       : graph_.opener()(file.path);
  if (list.format == chunk_format::csv) {
    file.text = index_text(opened.bytes, list.text, executor_);
    file.rows = file.text.records;
  } else {
    const npy_view array = view_npy(opened.bytes, file.path);
    if (array.elements.empty()) return opened;
    if (array.shape.size() != 2 || array.shape[1] != 2 || !is_integer(array.type) ||
        array.type == dtype::boolean) {
      raise(error_kind::malformed,
            "an array of shape " + to_string(array.shape) + " and dtype " +
                std::string(halograph::name(array.type)) +
                " holds no edges; it must be (n, 2) integers",
            {.file = file.path});
    }
    file.rows = array.rows();
  }
  return opened;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> chunked_opener::edge_chunk_counts(
    type_id type, std::size_t files) const {
  const auto* const rows = metadata_.find("num_edges_per_chunk");
  if (rows == nullptr) return {};
  const auto& all = as_array(*rows, "num_edges_per_chunk", file_);
  if (all.size() != graph_.schema.num_edge_types()) {
    raise(error_kind::mismatch,
          "\"num_edges_per_chunk\" has " + std::to_string(all.size()) + " rows for " +
              std::to_string(graph_.schema.num_edge_types()) + " edge types",
          {.file = file_});
  }
  const auto& row = as_array(all[type], "num_edges_per_chunk", file_);
  if (row.size() != files) return {};
  std::vector<std::uint64_t> counts;
  for (const auto& count : row) counts.push_back(as_count(count, "num_edges_per_chunk", file_));
  return counts;
}

HALOGRAPH_INLINE void chunked_opener::open_features(const char* key, bool of_nodes) {
  const json::object* const types = optional_object(metadata_, key, file_);
  if (types == nullptr) return;
  auto& all = of_nodes ? graph_.node_features : graph_.edge_features;
  for (const auto& [type_name, entries] : *types) {
    type_id type = 0;
    if (of_nodes) {
      const auto found = graph_.schema.node_type(type_name);
      if (!found) {
        raise(error_kind::not_found,
              "\"node_data\" has features of " + graph_schema::quoted(type_name) +
                  ", which \"node_type\" does not list",
              {.file = file_});
      }
      type = *found;
    } else {
      try {
        type = graph_.schema.resolve_edge_type(type_name);
      } catch (const error& problem) {
        raise(problem.code(), "\"edge_data\": " + problem.message(), {.file = file_});
      }
    }
    for (const auto& [feature_name, entry] : as_object(entries, type_name, file_)) {
      check_feature_name(feature_name, of_nodes, file_);
      const std::string label = type_name + "/" + feature_name;
      const auto& called = feature_name;
      if (std::any_of(all.begin(), all.end(),
                      [&](const auto& f) { return f.type == type && f.name == called; })) {
        raise(error_kind::exists,
              "feature " + graph_schema::quoted(label) + " is listed twice; names must differ",
              {.file = file_});
      }
      chunked_feature feature;
      feature.type = type;
      feature.name = feature_name;
      feature.rows = of_nodes ? graph_.node_counts[type] : graph_.edge_counts[type];
      feature.list = chunk_list_from(entry, label, folder_, file_);
      open_feature(feature, label, of_nodes ? "node" : "edge");
      all.push_back(std::move(feature));
    }
  }
}

HALOGRAPH_INLINE void chunked_opener::open_feature(chunked_feature& feature,
                                                   const std::string& label, const char* rows_of) {
  auto& files = feature.list.files;
  if (files.empty()) {
    raise(error_kind::malformed,
          "the list of files of feature " + graph_schema::quoted(label) +
              " is empty; leave the feature out instead",
          {.file = file_});
  }
  std::uint64_t total = 0;
  const chunk_file* like = nullptr;  // the first file with rows, else the first
  for (chunk_file& file : files) {
    const dtype type = examine_feature(feature.list, file);
    if (file.shape.empty()) {
      raise(error_kind::malformed,
            "an array without dimensions has no rows; a feature needs at least one dimension",
            {.file = file.path});
    }
    file.first = total;
    file.rows = file.shape[0];
    const auto row_shape = std::span<const std::uint64_t>(file.shape).subspan(1);
    // An empty file may be of any dtype and shape: there was nothing to take them from.
    if (like == nullptr || (like->rows == 0 && file.rows != 0)) {
      like = &file;
      feature.dtype = type;
      feature.row_shape.assign(row_shape.begin(), row_shape.end());
    } else if (file.rows != 0) {
      const bool text = feature.list.format ==
                        chunk_format::csv;  // has no dtype of its own: a later file may be the
                                            // first with a fraction
      if (!std::ranges::equal(row_shape, feature.row_shape) || (type != feature.dtype && !text)) {
        raise(error_kind::mismatch,
              "chunk of dtype " + std::string(halograph::name(type)) + " and shape " +
                  to_string(file.shape) + " does not continue one of dtype " +
                  std::string(halograph::name(feature.dtype)) + " and shape " +
                  to_string(like->shape) + "; all but the first extent must be equal",
              {.file = file.path});
      }
      feature.dtype = promoted(feature.dtype, type);
    }
    if (file.rows > feature.rows - total) {
      const std::optional<std::uint64_t> line = feature.list.format == chunk_format::csv
                                                    ? std::optional(line_of_record(
                                                          as_text(graph_.opener()(file.path).bytes),
                                                          feature.rows - total, feature.list.text))
                                                    : std::nullopt;
      raise(error_kind::mismatch,
            "feature " + graph_schema::quoted(label) + " has row " + std::to_string(feature.rows) +
                " here; it must have " + std::to_string(feature.rows) +
                " rows in all, one for each " + rows_of,
            {.file = file.path, .line = line});
    }
    total += file.rows;
  }
  if (total != feature.rows) {
    raise(error_kind::mismatch,
          "feature " + graph_schema::quoted(label) + " ends here after " + std::to_string(total) +
              " rows; it must have " + std::to_string(feature.rows) + ", one for each " + rows_of,
          {.file = files.back().path});
  }
}

HALOGRAPH_INLINE dtype chunked_opener::examine_feature(const chunk_list& list, chunk_file& file) {
  if (list.format == chunk_format::parquet) return examine_table(file);
  file_bytes opened = list.format == chunk_format::csv ? open_lines(graph_.opener(), file.path)
                                                       : graph_.opener()(file.path);
  if (list.format == chunk_format::numpy) {
    npy_view array = view_npy(opened.bytes, file.path);
    file.shape = std::move(array.shape);
    if (options_.keep_arrays) file.kept = std::move(opened);
    return array.type;
  }
  file.text = index_text(opened.bytes, list.text, executor_);
  text_records records(opened.bytes, file.text.places.front(), list.text, file.path);
  const std::size_t columns = records.count_columns();
  file.shape = {file.text.records, std::max<std::size_t>(columns, 1)};
  return records.all_integers() ? dtype::int64 : dtype::float64;
}

HALOGRAPH_INLINE dtype chunked_opener::examine_table(chunk_file& file) {
  file.table = examine_numbers(graph_.tables(), file.path);
  const auto& columns = file.table.columns;
  dtype type = columns.empty() ? dtype::float64 : columns[0].type;
  for (const auto& column : columns) {
    if (column.list && columns.size() != 1) {
      raise(
          error_kind::malformed,
          "column " + graph_schema::quoted(column.name) +
              " of lists is next to other columns; a feature is one column of lists, or columns of numbers",
          {.file = file.path});
    }
    type = promoted(type, column.type);
  }
  const std::uint64_t width = columns.size() == 1 ? columns[0].width : columns.size();
  file.shape = {file.table.rows, width};
  std::uint64_t bytes = 0;
  if (!tensor_bytes_into(file.shape, type, bytes))
    raise(error_kind::overflow, "the table has more than 2^64 bytes", {.file = file.path});
  if (file.table.shape) {
    auto shape = parse_shape(*file.table.shape);
    std::uint64_t reshaped = 0;
    if (!shape || shape->empty()) {
      raise(error_kind::malformed,
            "the file's metadata have the shape " + graph_schema::quoted(*file.table.shape) +
                "; it must be a tuple of numbers, as in \"(300, 10)\"",
            {.file = file.path});
    }
    if (!tensor_bytes_into(*shape, type, reshaped) || reshaped != bytes) {
      raise(error_kind::mismatch,
            "the file's metadata have the shape " + to_string(*shape) + ", but its columns hold " +
                to_string(file.shape) +
                " numbers; "
                "both must be as many",
            {.file = file.path});
    }
    file.shape = std::move(*shape);
  }
  return type;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE chunked_graph open_chunked(const std::string& path, any_file_opener open,
                                            const any_json_codec& codec, any_table_reader tables,
                                            const chunked_options& options, executor_ref executor) {
  const detail::chunked_place place(path);
  const json::value metadata = read_json(place.file, open, codec);
  detail::chunked_opener opener(metadata, place.file, place.folder, std::move(open),
                                std::move(tables), options, executor);
  opener.read_names();
  return opener.read_files();
}

}  // namespace halograph
