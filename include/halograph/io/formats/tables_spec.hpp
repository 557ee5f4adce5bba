// SPDX-License-Identifier: BSL-1.0
/// @file tables_spec.hpp
/// The specification of a graph's tables, in JSON: which files and columns are its nodes, edges and
/// features.
/// Layer: io. Words: README.md.
///
///     {"graph_name": "shop", "delimiter": ",",
///      "nodes": {"user": {"files": ["users.csv"], "key": "id",
///                         "features": {"age": {"columns": "age", "dtype": "float32", "missing":
///                         -1}}},
///                "item": {"keys": "integer"}},
///      "edges": {"user:buys:item": {"files": ["buys-0.csv", "buys-1.csv.gz"], "source": "user",
///      "target": "item"}}}
///
/// | key | meaning |
/// | --- | --- |
/// | `graph_name` | optional; else the specification's own name |
/// | `nodes`, `edges` | node type, `source:relation:target` -> table; their order is that of the types |
/// | `files` | paths of csv or Parquet files, absolute or beside the specification, laid end to end; of a node type optional |
/// | `key`; `source`, `target` | columns of the keys |
/// | `keys` | of a node type: "text" (default), each byte counts; "integer", 007 is 7 |
/// | `features` | name -> `columns`, one (rows of shape [n]) or a list ([n, columns]); `dtype`, default float32; `missing`, the value of an empty field, default none |
/// | `delimiter`, `quote`, `header` | of all tables, or of one: default "," and "\"" (null: no quotes) and true |
///
/// A column is a name from the header, or a number from 0. Quotes are those of RFC 4180 (csv.hpp).
///
/// Files that end in `.parquet` are read as text, which a missing value leaves empty; `delimiter`,
/// `quote` and `header` do not apply. A column of lists of equal length is a feature by itself
/// ("columns": "feat"), whose rows have that length.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The table of a node type; without files, the type has the keys that edges use.
struct node_table {
  std::string type{};              ///< name of the node type
  csv_column key{};                ///< column of the nodes' keys, which must be unique
  key_kind keys = key_kind::text;  ///< type of the keys, here and in edge tables
  csv_table table{};               ///< one row for each node
};

/// The table of an edge type.
struct edge_table {
  canonical_etype type{};  ///< whose node types say which keys are meant
  csv_column source{};     ///< column of the sources' keys
  csv_column target{};     ///< column of the targets' keys
  csv_table table{};       ///< one row for each edge
};

/// A specification of tables.
struct tables_spec {
  std::string name{};               ///< of the graph
  std::vector<node_table> nodes{};  ///< [T] in the order of the types' numbers
  std::vector<edge_table> edges{};  ///< [R] in the order of the types' numbers
};

namespace detail {

class tables_spec_reader {
 public:
  tables_spec_reader(const json::value& root, std::string file)
      : root_(root), file_(std::move(file)) {
    folder_ = std::filesystem::path(file_).parent_path().string();
  }

  tables_spec read();

 private:
  [[noreturn]] void fail(error_kind code, const std::string& sentence) const {
    raise(code, sentence, {.file = file_});
  }
  void here(function_ref<void()> f) const;
  /// Reject unknown keys: a misspelled key would be ignored silently.
  void refuse_unknown(const json::value& entry, const std::string& of,
                      std::initializer_list<std::string_view> known) const;
  csv_table layout(const json::value& entry, csv_table out) const;
  csv_table table(const json::value& entry, const std::string& of, const csv_table& common,
                  bool files_optional) const;
  csv_feature feature(const std::string& name, const json::value& entry,
                      const csv_table& table) const;
  csv_column column(const json::value& v, const csv_table& table, const char* key) const;

  const json::value& root_;
  std::string file_;
  std::string folder_{};
};

}  // namespace detail

/// Read a specification of tables; see atop. @errors not_found, malformed, unsupported, exists,
/// invalid_argument: with the key
inline tables_spec read_tables_spec(const std::string& path, const any_file_opener& open,
                                    const any_json_codec& codec) {
  const json::value root = read_json(path, open, codec);
  return detail::tables_spec_reader(root, path).read();
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/tables_spec.ipp>
#endif
