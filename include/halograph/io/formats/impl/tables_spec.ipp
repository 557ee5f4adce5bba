// SPDX-License-Identifier: BSL-1.0
/// @file tables_spec.ipp
/// Bodies of the plain functions of io/formats/tables_spec.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/text/csv.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE tables_spec tables_spec_reader::read() {
  refuse_unknown(root_, "the specification",
                 {"graph_name", "nodes", "edges", "delimiter", "quote", "header"});
  tables_spec spec;
  const auto* const name = root_.find("graph_name");
  spec.name = name != nullptr ? as_string(*name, "graph_name", file_)
                              : std::filesystem::path(file_).stem().string();
  const csv_table common = layout(root_, {});
  graph_schema schema;
  for (const auto& [name_of_type, entry] :
       as_object(required_member(root_, "nodes", file_), "nodes", file_)) {
    const auto& type = name_of_type;  // Clang 14 captures no structured binding
    here([&] { schema.add_node_type(type); });
    node_table& node = spec.nodes.emplace_back();
    node.type = type;
    refuse_unknown(entry, type,
                   {"files", "key", "keys", "features", "delimiter", "quote", "header"});
    node.table = table(entry, type, common, true);
    if (const auto* kind = entry.find("keys")) {
      const auto& word = as_string(*kind, "keys", file_);
      if (word != "text" && word != "integer")
        fail(error_kind::malformed, "\"keys\" of " + graph_schema::quoted(type) + " is " +
                                        graph_schema::quoted(word) +
                                        "; it must be \"text\" or \"integer\"");
      node.keys = word == "text" ? key_kind::text : key_kind::integer;
    }
    if (node.table.files.empty()) {
      for (const char* key : {"key", "features"}) {
        if (entry.find(key) != nullptr)
          fail(error_kind::malformed, "node type " + graph_schema::quoted(type) + " has \"" + key +
                                          "\" but no \"files\", which it would be in");
      }
    } else {
      node.key = column(required_member(entry, "key", file_), node.table, "key");
    }
  }
  if (spec.nodes.empty())
    fail(error_kind::malformed, "\"nodes\" is empty; a graph needs at least one node type");
  for (const auto& [type, entry] :
       as_object(required_member(root_, "edges", file_), "edges", file_)) {
    auto triple = canonical_etype::parse(type);
    if (!triple)
      fail(error_kind::malformed, "edge type " + graph_schema::quoted(type) +
                                      " is not of the form source:relation:target");
    here([&] { schema.add_edge_type(*triple); });
    edge_table& edge = spec.edges.emplace_back();
    edge.type = std::move(*triple);
    refuse_unknown(entry, type,
                   {"files", "source", "target", "features", "delimiter", "quote", "header"});
    edge.table = table(entry, type, common, false);
    edge.source = column(required_member(entry, "source", file_), edge.table, "source");
    edge.target = column(required_member(entry, "target", file_), edge.table, "target");
  }
  return spec;
}

HALOGRAPH_INLINE void tables_spec_reader::here(function_ref<void()> f) const {
  try {
    f();
  } catch (const error& problem) {
    fail(problem.code(), problem.message());
  }
}

HALOGRAPH_INLINE void tables_spec_reader::refuse_unknown(
    const json::value& entry, const std::string& of,
    std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : as_object(entry, of, file_)) {
    static_cast<void>(value);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string all;
    for (const auto one : known) all += (all.empty() ? "" : ", ") + std::string(one);
    fail(error_kind::malformed, "key " + graph_schema::quoted(key) + " of " +
                                    graph_schema::quoted(of) + " is unknown; known are " + all);
  }
}

HALOGRAPH_INLINE csv_table tables_spec_reader::layout(const json::value& entry,
                                                      csv_table out) const {
  const auto one_character = [&](const char* key) {
    const auto& text = as_string(*entry.find(key), key, file_);
    if (text.size() != 1)
      fail(error_kind::malformed, "\"" + std::string(key) + "\" is " + graph_schema::quoted(text) +
                                      "; it must be one character");
    return text[0];
  };
  if (entry.find("delimiter")) out.format.delimiter = one_character("delimiter");
  if (const auto* quote = entry.find("quote"))
    out.format.quote = quote->is_null() ? '\0' : one_character("quote");
  if (const auto* header = entry.find("header")) {
    const bool* const value = header->if_bool();
    if (value == nullptr) raise_kind("header", "true or false", file_);
    out.header = *value;
  }
  here([&] { csv_reader({}, out.format, file_); });
  return out;
}

HALOGRAPH_INLINE csv_table tables_spec_reader::table(const json::value& entry,
                                                     const std::string& of, const csv_table& common,
                                                     bool files_optional) const {
  csv_table out = layout(entry, common);
  const auto* const files = entry.find("files");
  if (files == nullptr && !files_optional)
    static_cast<void>(required_member(entry, "files", file_));
  if (files != nullptr) {
    for (const auto& path : as_array(*files, "files", file_)) {
      const auto& text = as_string(path, "files", file_);
      out.files.push_back(text.starts_with('/') || folder_.empty() ? text : folder_ + "/" + text);
    }
    if (out.files.empty() && files_optional)
      fail(error_kind::malformed, "\"files\" of " + graph_schema::quoted(of) +
                                      " is empty; leave it out where edges name the nodes");
  }
  if (const auto* const features = optional_object(entry, "features", file_)) {
    for (const auto& [name, description] : *features) {
      if (!is_safe_name(name))
        fail(error_kind::invalid_argument,
             "feature name " + graph_schema::quoted(name) +
                 " must be 1 to 200 bytes without '/' and control characters");
      for (const auto& other : out.features) {
        if (other.name == name)
          fail(error_kind::exists, "feature " + graph_schema::quoted(name) + " of " +
                                       graph_schema::quoted(of) +
                                       " is listed twice; names must differ");
      }
      out.features.push_back(feature(name, description, out));
    }
  }
  return out;
}

HALOGRAPH_INLINE csv_feature tables_spec_reader::feature(const std::string& name,
                                                         const json::value& entry,
                                                         const csv_table& table) const {
  refuse_unknown(entry, name, {"columns", "dtype", "missing"});
  csv_feature out;
  out.name = name;
  const json::value& columns = required_member(entry, "columns", file_);
  if (const auto* list = columns.if_array()) {
    out.vector = true;
    for (const auto& one : *list) out.columns.push_back(column(one, table, "columns"));
    if (out.columns.empty())
      fail(error_kind::malformed,
           "feature " + graph_schema::quoted(name) + " has an empty list of columns; it needs one");
  } else {
    out.columns.push_back(column(columns, table, "columns"));
  }
  if (const auto* type = entry.find("dtype")) {
    const auto& word = as_string(*type, "dtype", file_);
    const auto known = dtype_named(word);
    if (!known || *known == dtype::bfloat16)
      fail(error_kind::unsupported,
           "\"dtype\" of " + graph_schema::quoted(name) + " is " + graph_schema::quoted(word) +
               "; it must be int8 to int64, uint8 to uint64, float16, float32, float64 or bool");
    out.element = *known;
  }
  if (const auto* missing = entry.find("missing"); missing != nullptr && !missing->is_null()) {
    if (const auto* text = missing->if_string())
      out.missing = *text;
    else if (missing->is_array() || missing->is_object())
      raise_kind("missing", "a number, or text such as \"nan\"", file_);
    else
      out.missing = json::print(*missing, 0);
  }
  return out;
}

HALOGRAPH_INLINE csv_column tables_spec_reader::column(const json::value& v, const csv_table& table,
                                                       const char* key) const {
  csv_column out;
  if (const auto* name = v.if_string()) {
    out.name = *name;
    const auto has_names = [&] {  // those of Parquet files need no header
      return table.header || (!table.files.empty() &&
                              std::all_of(table.files.begin(), table.files.end(), is_parquet));
    };
    if (!has_names())
      fail(error_kind::malformed,
           "\"" + std::string(key) + "\" is column " + graph_schema::quoted(*name) +
               ", but there is no header to find it in; give its number, from 0");
    if (out.name.empty())
      fail(error_kind::malformed,
           "\"" + std::string(key) + "\" is empty; it must be a column's name or number");
  } else if (!v.to_uint(out.number)) {
    raise_kind(key, "a column's name, or its number from 0", file_);
  }
  return out;
}

}  // namespace halograph::detail
