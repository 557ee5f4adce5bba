// SPDX-License-Identifier: BSL-1.0
/// @file files.ipp
/// Bodies of the plain functions of parmetis/files.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/columns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE json::value attributes_to_json(const std::vector<parmetis_attribute>& attributes,
                                                const std::vector<std::string>& types) {
  json::value out{json::array{}};
  for (const auto& one : attributes) {
    json::value shape{json::array{}};
    for (const auto extent : one.row_shape) shape.push(extent);
    out.push(json::object{{"type", types[one.type]},
                          {"name", one.name},
                          {"dtype", std::string(name(one.element))},
                          {"shape", std::move(shape)}});
  }
  return out;
}

HALOGRAPH_INLINE std::vector<parmetis_attribute> attributes_from_json(
    const json::value& root, const char* key, const std::vector<std::string>& types,
    const std::string& file) {
  std::vector<parmetis_attribute> out;
  const auto* list = root.find(key);
  if (list == nullptr) return out;
  for (const auto& item : as_array(*list, key, file)) {
    parmetis_attribute one;
    const auto& type = as_string(required_member(item, "type", file), "type", file);
    const auto found = std::find(types.begin(), types.end(), type);
    if (found == types.end()) {
      raise(error_kind::not_found,
            graph_schema::quoted(key) + " names type " + graph_schema::quoted(type) +
                ", which the schema does not list",
            {.file = file});
    }
    one.type = static_cast<type_id>(found - types.begin());
    one.name = as_string(required_member(item, "name", file), "name", file);
    if (!is_safe_name(one.name)) {
      raise(error_kind::invalid_argument,
            graph_schema::quoted(key) + " has the name " + graph_schema::quoted(one.name) +
                "; it must be 1 to 200 bytes of UTF-8 without '/', '\\' and control characters",
            {.file = file});
    }
    const auto& element = as_string(required_member(item, "dtype", file), "dtype", file);
    const auto known = dtype_named(element);
    if (!known)
      raise(
          error_kind::unsupported,
          graph_schema::quoted(element) +
              " is not a dtype; known dtypes are int8 to uint64, float16, float32, float64, bfloat16 and bool",
          {.file = file});
    one.element = *known;
    for (const auto& extent : as_array(required_member(item, "shape", file), "shape", file))
      one.row_shape.push_back(as_count(extent, "shape", file));
    std::uint64_t bytes = 0;
    // A line of text holds them all, so more than 2^31 columns are invalid.
    if (!tensor_bytes_into(one.row_shape, one.element, bytes) ||
        one.columns() > (std::uint64_t{1} << 31)) {
      raise(error_kind::out_of_range,
            "the shape of attribute " + graph_schema::quoted(one.name) +
                " has more elements than a line can hold",
            {.file = file});
    }
    out.push_back(std::move(one));
  }
  return out;
}

HALOGRAPH_INLINE void ranges_from_json(const json::value& root, const char* key,
                                       std::vector<std::string>& names,
                                       std::vector<id_range>& ranges, const std::string& file) {
  std::vector<std::pair<std::string, id_range>> listed;
  for (const auto& [type, bounds] : as_object(required_member(root, key, file), key, file)) {
    const auto* pair = bounds.if_array();
    std::uint64_t begin = 0, end = 0;
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].to_uint(begin) ||
        !(*pair)[1].to_uint(end) || begin > end) {
      raise(error_kind::malformed,
            graph_schema::quoted(key) + " of " + graph_schema::quoted(type) +
                " must be [first, last + 1], two non-negative integers in ascending order",
            {.file = file});
    }
    for (const auto& [known, ignored] : listed) {
      if (known == type)
        raise(error_kind::exists,
              graph_schema::quoted(key) + " lists type " + graph_schema::quoted(type) + " twice",
              {.file = file});
    }
    listed.emplace_back(type, id_range{begin, end});
  }
  std::stable_sort(listed.begin(), listed.end(),
                   [](const auto& a, const auto& b) { return a.second.begin < b.second.begin; });
  for (auto& [type, ids] : listed) {
    names.push_back(std::move(type));
    ranges.push_back(ids);
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE json::value to_json(const parmetis_schema& schema) {
  json::value nid{json::object{}}, eid{json::object{}}, types{json::object{}};
  for (std::size_t t = 0; t < schema.node_types.size(); ++t) {
    nid.set(schema.node_types[t],
            json::array{schema.node_ranges[t].begin, schema.node_ranges[t].end});
  }
  for (std::size_t r = 0; r < schema.edge_names.size(); ++r) {
    eid.set(schema.edge_names[r],
            json::array{schema.edge_ranges[r].begin, schema.edge_ranges[r].end});
    if (schema.edge_types[r]) types.set(schema.edge_names[r], schema.edge_types[r]->str());
  }
  json::value root{json::object{}};
  root.set("nid", std::move(nid)).set("eid", std::move(eid)).set("edge_types", std::move(types));
  if (!schema.node_attributes.empty())
    root.set("node_attributes",
             detail::attributes_to_json(schema.node_attributes, schema.node_types));
  if (!schema.edge_attributes.empty())
    root.set("edge_attributes",
             detail::attributes_to_json(schema.edge_attributes, schema.edge_names));
  return root;
}

HALOGRAPH_INLINE parmetis_schema parmetis_schema_from_json(const json::value& root,
                                                           const std::string& file) {
  if (!root.is_object())
    raise(error_kind::malformed, "a schema must be an object with the keys \"nid\" and \"eid\"",
          {.file = file});
  parmetis_schema out;
  detail::ranges_from_json(root, "nid", out.node_types, out.node_ranges, file);
  detail::ranges_from_json(root, "eid", out.edge_names, out.edge_ranges, file);
  std::uint64_t next = 0;
  for (std::size_t t = 0; t < out.node_types.size(); ++t) {
    auto& ids = out.node_ranges[t];
    if (ids.size() == 0) ids = {next, next};  // an empty range may begin anywhere
    if (ids.begin != next) {
      raise(error_kind::mismatch,
            "\"nid\" of " + graph_schema::quoted(out.node_types[t]) + " begins at " +
                std::to_string(ids.begin) + "; the IDs before it end at " + std::to_string(next) +
                ", and types follow one another without gaps",
            {.file = file});
    }
    next = ids.end;
  }
  // Names become parts of paths and of other names, so the usual rules apply.
  try {
    graph_schema check;
    for (const auto& type : out.node_types) check.add_node_type(type);
    if (out.node_types.empty())
      raise(error_kind::malformed, "\"nid\" lists no node type; a graph has at least one");
    const auto* known = root.find("edge_types");
    for (const auto& name : out.edge_names) {
      std::optional<canonical_etype> type;
      if (const auto* text = known ? known->find(name) : nullptr) {
        type = canonical_etype::parse(detail::as_string(*text, name, file));
        if (!type)
          raise(error_kind::malformed, "\"edge_types\" of " + graph_schema::quoted(name) +
                                           " must be source:relation:target");
      } else if (name.find(':') != std::string::npos) {
        type = canonical_etype::parse(name);
        if (!type)
          raise(error_kind::malformed, "edge type " + graph_schema::quoted(name) +
                                           " must be a relation or source:relation:target");
      } else if (!is_safe_name(name)) {
        raise(error_kind::invalid_argument,
              "relation name " + graph_schema::quoted(name) +
                  " must be 1 to 200 bytes of UTF-8 without '/', '\\', ':' and control characters");
      }
      if (type) check.add_edge_type(*type);
      out.edge_types.push_back(std::move(type));
    }
  } catch (const error& problem) {
    if (!problem.where().file.empty()) throw;
    raise(problem.code(), problem.message(), {.file = file});
  }
  out.node_attributes = detail::attributes_from_json(root, "node_attributes", out.node_types, file);
  out.edge_attributes = detail::attributes_from_json(root, "edge_attributes", out.edge_names, file);
  return out;
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE std::string_view share_of_text(std::string_view text, std::size_t rank,
                                                std::size_t ranks) {
  const auto line_start = [&](std::uint64_t byte) {  // of the first line from there on
    if (byte == 0 || byte >= text.size())
      return static_cast<std::size_t>(std::min<std::uint64_t>(byte, text.size()));
    const auto found = text.find('\n', static_cast<std::size_t>(byte - 1));
    return found == std::string_view::npos ? text.size() : found + 1;
  };
  const id_range mine = block_range(text.size(), rank, ranks);
  const std::size_t begin = line_start(mine.begin);
  return text.substr(begin, line_start(mine.end) - begin);
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE parmetis_stats read_parmetis_stats(const std::string& path,
                                                    const any_file_opener& open) {
  const file_bytes content = open(path);
  const auto columns = read_columns(content.bytes, path, 3,
                                    {.format = detail::parmetis_text,
                                     .least = 0,
                                     .what = "a number of nodes, edges or weight columns"});
  if (columns[0].size() != 1) {
    raise(error_kind::malformed,
          "there are " + std::to_string(columns[0].size()) +
              " lines; the file must have one line: nodes, edges and weight columns",
          {.file = path});
  }
  return {static_cast<std::uint64_t>(columns[0][0]), static_cast<std::uint64_t>(columns[1][0]),
          static_cast<std::uint64_t>(columns[2][0])};
}

}  // namespace halograph
