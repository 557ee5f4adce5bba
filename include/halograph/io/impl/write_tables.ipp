// SPDX-License-Identifier: BSL-1.0
/// @file write_tables.ipp
/// Bodies of the plain functions of io/write_tables.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/impl/array_files.ipp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/io/write_tables.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
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

/// Writes the tables of one graph.
class table_folder {
 public:
  table_folder(const streamed_graph& g, staged_folder& staged, const any_table_writer& tables)
      : g_(g), checked_(with_checked_edges(g)), staged_(staged), tables_(tables) {}

  written_arrays run();

 private:
  /// @param name  of the table   @param ids  its first columns: IDs   @param of_type  what of
  json::value table(const std::string& name, std::span<const std::string_view> ids,
                    const std::vector<streamed_feature>& all, type_id type, std::uint64_t rows,
                    bool edges);
  /// @errors exists
  void add_column(const std::string& table, std::vector<table_column>& columns,
                  table_column column) const;

  const streamed_graph& g_;
  streamed_graph checked_;
  staged_folder& staged_;
  const any_table_writer& tables_;
  written_arrays made_{};
};

HALOGRAPH_INLINE written_arrays table_folder::run() {
  json::value nodes{json::object{}}, edges{json::object{}};
  for (std::size_t t = 0; t < g_.node_counts.size(); ++t) {
    const auto type = static_cast<type_id>(t);
    const std::string& name = g_.schema.node_type_name(type);
    json::value of = table("nodes/" + name, std::vector<std::string_view>{"id"}, g_.node_features,
                           type, g_.node_counts[t], false);
    of.set("key", "id").set("keys", "integer");
    nodes.set(name, std::move(of));
  }
  for (std::size_t r = 0; r < g_.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const std::string name = g_.schema.edge_type_name(type).str();
    json::value of = table("edges/" + name, std::vector<std::string_view>{"source", "target"},
                           g_.edge_features, type, g_.edge_counts[r], true);
    of.set("source", "source").set("target", "target");
    edges.set(name, std::move(of));
  }
  json::value spec{json::object{}};
  if (!g_.name.empty()) spec.set("graph_name", g_.name);
  spec.set("nodes", std::move(nodes)).set("edges", std::move(edges));
  put_text(staged_, made_, "tables.json", json::print(spec) + "\n");
  return made_;
}

HALOGRAPH_INLINE void table_folder::add_column(const std::string& table,
                                               std::vector<table_column>& columns,
                                               table_column column) const {
  const auto lower = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  };
  for (const auto& other : columns) {
    if (lower(other.name) != lower(column.name)) continue;
    raise(error_kind::exists, "feature " + graph_schema::quoted(column.name) + " of " +
                                  graph_schema::quoted(table) + " would be a second column " +
                                  graph_schema::quoted(other.name) + "; rename it");
  }
  columns.push_back(std::move(column));
}

HALOGRAPH_INLINE json::value table_folder::table(const std::string& name,
                                                 std::span<const std::string_view> ids,
                                                 const std::vector<streamed_feature>& all,
                                                 type_id type, std::uint64_t rows, bool edges) {
  std::vector<table_column> columns;
  for (const auto id : ids) columns.push_back({std::string(id), dtype::int64, false, 1});
  std::vector<const streamed_feature*> features;
  json::value described{json::object{}};
  for (const auto& one : all) {
    if (one.type != type) continue;
    add_column(name, columns, {one.name, one.element, !one.row_shape.empty(), one.row_elements()});
    features.push_back(&one);
    described.set(one.name, json::object{{"columns", one.name},
                                         {"dtype", std::string(halograph::name(one.element))}});
  }
  const std::string file = name + ".parquet", path = staged_.path() + "/" + file;
  staged_.add(file);
  // Edges are read in larger runs than the library asks for rows.
  std::vector<std::uint64_t> source, target;
  std::uint64_t first_read = 0;
  const auto read_edges = [&](std::uint64_t first) {
    source.clear();
    target.clear();
    first_read = first;
    checked_.read_edges(
        type, first, std::min(rows, first + edges_per_block),
        [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to, std::uint64_t) {
          source.insert(source.end(), from.begin(), from.end());
          target.insert(target.end(), to.begin(), to.end());
        });
  };
  tables_.write(
      path, columns, std::nullopt, rows,
      [&](std::uint64_t first, std::uint64_t count, std::span<const std::span<std::byte>> out) {
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::uint64_t row = first + i;
          if (edges && (row < first_read || row - first_read >= source.size())) read_edges(row);
          const std::uint64_t values[] = {
              edges ? source[static_cast<std::size_t>(row - first_read)] : row,
              edges ? target[static_cast<std::size_t>(row - first_read)] : 0};
          for (std::size_t c = 0; c < ids.size(); ++c)
            std::memcpy(out[c].data() + i * sizeof values[c], &values[c], sizeof values[c]);
        }
        for (std::size_t f = 0; f < features.size(); ++f)
          features[f]->read(first, first + count, out[ids.size() + f]);
      });
  std::error_code problem;
  made_.bytes += std::filesystem::file_size(path, problem);
  if (problem) raise_io(path, "open", problem.value());
  ++made_.files;
  json::value of{json::object{}};
  of.set("files", json::array{file});
  if (!features.empty()) of.set("features", std::move(described));
  return of;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE written_arrays write_tables(const streamed_graph& g, staged_folder& staged,
                                             const any_table_writer& tables) {
  validate(g);
  return detail::table_folder(g, staged, tables).run();
}

}  // namespace halograph
