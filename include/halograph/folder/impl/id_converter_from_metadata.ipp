// SPDX-License-Identifier: BSL-1.0
/// @file id_converter_from_metadata.ipp
/// Bodies of the plain functions of folder/id_converter_from_metadata.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE const json::array& metadata_list(const json::value& document, const char* key,
                                                  const location& where) {
  const json::value* found = document.find(key);
  if (!found) raise(error_kind::not_found, concat({"key \"", key, "\" is missing"}), where);
  const json::array* list = found->if_array();
  if (!list) raise(error_kind::malformed, concat({"\"", key, "\" must be a list"}), where);
  return *list;
}

HALOGRAPH_INLINE std::uint64_t metadata_count(const json::value& number, const char* key,
                                              std::size_t type, const location& where) {
  std::uint64_t count = 0;
  if (!number.to_uint(count)) {
    raise(error_kind::malformed,
          concat({"\"", key, "\" of type ", type,
                  " holds something that is not a count; it must hold non-negative integers"}),
          where);
  }
  return count;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> metadata_counts(const json::value& document,
                                                            const char* per_type,
                                                            const char* per_chunk,
                                                            std::size_t types,
                                                            const location& where) {
  const bool by_type = document.find(per_type) != nullptr;
  const char* const key = by_type ? per_type : per_chunk;
  if (!by_type && !document.find(per_chunk)) {
    raise(error_kind::not_found,
          concat({"neither \"", per_type, "\" nor \"", per_chunk,
                  "\" is present; one of them is required"}),
          where);
  }
  const json::array& list = metadata_list(document, key, where);
  if (list.size() != types) {
    raise(error_kind::mismatch,
          concat({"\"", key, "\" has ", list.size(), " entries for ", types,
                  " types; it must have one per type"}),
          where);
  }
  std::vector<std::uint64_t> counts(types);
  for (std::size_t t = 0; t < types; ++t) {
    if (by_type) {
      counts[t] = metadata_count(list[t], key, t, where);
      continue;
    }
    const json::array* chunks = list[t].if_array();
    if (!chunks) {
      raise(error_kind::malformed,
            concat({"\"", key, "\" of type ", t, " must be a list of counts"}), where);
    }
    for (const json::value& chunk : *chunks) {
      if (!add_into(counts[t], metadata_count(chunk, key, t, where), counts[t])) {
        raise(error_kind::overflow,
              concat({"the sum of \"", key, "\" of type ", t, " exceeds 64 bits"}), where);
      }
    }
  }
  return counts;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE graph_schema schema_from_metadata(const json::value& metadata,
                                                   const location& where) {
  graph_schema schema;
  const auto& node_types = detail::metadata_list(metadata, "node_type", where);
  if (node_types.empty())
    raise(error_kind::malformed, "\"node_type\" is empty; a graph has at least one node type",
          where);
  for (const json::value& entry : node_types) {
    const std::string* text = entry.if_string();
    if (!text) raise(error_kind::malformed, "\"node_type\" must list names", where);
    detail::placed(where, [&] { schema.add_node_type(*text); });
  }
  for (const json::value& entry : detail::metadata_list(metadata, "edge_type", where)) {
    const std::string* text = entry.if_string();
    if (!text) raise(error_kind::malformed, "\"edge_type\" must list names", where);
    auto type = canonical_etype::parse(*text);
    if (!type) {
      raise(error_kind::malformed,
            concat({"edge type ", graph_schema::quoted(*text),
                    " is not of the form source:relation:target"}),
            where);
    }
    detail::placed(where, [&] { schema.add_edge_type(std::move(*type)); });
  }
  return schema;
}

}  // namespace halograph
