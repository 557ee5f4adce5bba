// SPDX-License-Identifier: BSL-1.0
/// @file metadata.ipp
/// Bodies of the plain functions of io/chunked/metadata.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void check_feature_name(std::string_view name, bool of_nodes,
                                         const std::string& file) {
  if (!is_safe_name(name)) {
    raise(error_kind::invalid_argument,
          "feature name " + graph_schema::quoted(name) +
              " must be 1 to 200 bytes without '/' and control characters",
          {.file = file});
  }
  if (is_reserved_feature(name, of_nodes)) {
    raise(error_kind::invalid_argument,
          "feature name " + graph_schema::quoted(name) +
              " is reserved for the partitions' own columns; it must be another",
          {.file = file});
  }
}

HALOGRAPH_INLINE chunk_list chunk_list_from(const json::value& entry, const std::string& of,
                                            const std::string& folder, const std::string& file) {
  static_cast<void>(as_object(entry, of, file));
  chunk_list out;
  out.text.comments =
      true;  // DGL's guide shows its files with a heading; no other line could begin with #
  const json::value& format = required_member(entry, "format", file);
  static_cast<void>(as_object(format, "format", file));
  const std::string& called = as_string(required_member(format, "name", file), "name", file);
  if (called == "csv")
    out.format = chunk_format::csv;
  else if (called == "numpy")
    out.format = chunk_format::numpy;
  else if (called == "parquet")
    out.format = chunk_format::parquet;
  else {
    raise(error_kind::unsupported,
          "the files of " + graph_schema::quoted(of) + " are in format " +
              graph_schema::quoted(called) + "; it must be \"csv\", \"numpy\" or \"parquet\"",
          {.file = file});
  }
  if (const auto* delimiter = format.find("delimiter");
      delimiter != nullptr && out.format == chunk_format::csv) {
    const auto& text = as_string(*delimiter, "delimiter", file);
    const auto one = delimiter_from(text);
    if (!one) {
      raise(error_kind::unsupported,
            "\"delimiter\" of " + graph_schema::quoted(of) + " is " + graph_schema::quoted(text) +
                "; it must be one character",
            {.file = file});
    }
    out.text.delimiter = *one;
    placed({.file = file}, [&] { check_format(out.text); });
  }
  for (const auto& path : as_array(required_member(entry, "data", file), "data", file)) {
    out.files.emplace_back().path = path_in(folder, as_string(path, "data", file));
  }
  return out;
}

HALOGRAPH_INLINE void write_metadata(const std::string& folder, chunked_metadata lists) {
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
  auto sink = file_sink::create(folder + "/metadata.json", text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text))));
  sink.close();
}

}  // namespace halograph::detail
