// SPDX-License-Identifier: BSL-1.0
/// @file id_converter_from_metadata.hpp
/// The ID converter of a chunked graph, from its metadata.json.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/schema/id_converter.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Add the file to errors of calls that do not know it.
template <class Call>
decltype(auto) placed(const location& where, Call&& call) {
  try {
    return call();
  } catch (const error& problem) {
    raise(problem.code(), problem.message(), where);
  }
}

inline const json::array& metadata_list(const json::value& document, const char* key,
                                        const location& where) {
  const json::value* found = document.find(key);
  if (!found) raise(errc::not_found, std::string("key \"") + key + "\" is missing", where);
  const json::array* list = found->if_array();
  if (!list) raise(errc::malformed, std::string("\"") + key + "\" must be a list", where);
  return *list;
}

inline std::uint64_t metadata_count(const json::value& number, const char* key, std::size_t type,
                                    const location& where) {
  std::uint64_t count = 0;
  if (!number.to_uint(count)) {
    raise(errc::malformed,
          std::string("\"") + key + "\" of type " + std::to_string(type) +
              " holds something that is not a count; it must hold non-negative integers",
          where);
  }
  return count;
}

/// [types] counts of `num_<word>_per_type`, else the sums of the rows of `num_<word>_per_chunk`.
inline std::vector<std::uint64_t> metadata_counts(const json::value& document, const char* per_type,
                                                  const char* per_chunk, std::size_t types,
                                                  const location& where) {
  const bool by_type = document.find(per_type) != nullptr;
  const char* const key = by_type ? per_type : per_chunk;
  if (!by_type && !document.find(per_chunk)) {
    raise(errc::not_found,
          std::string("neither \"") + per_type + "\" nor \"" + per_chunk +
              "\" is present; one of them is required",
          where);
  }
  const json::array& list = metadata_list(document, key, where);
  if (list.size() != types) {
    raise(errc::mismatch,
          std::string("\"") + key + "\" has " + std::to_string(list.size()) + " entries for " +
              std::to_string(types) + " types; it must have one per type",
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
      raise(
          errc::malformed,
          std::string("\"") + key + "\" of type " + std::to_string(t) + " must be a list of counts",
          where);
    }
    for (const json::value& chunk : *chunks) {
      if (!add_into(counts[t], metadata_count(chunk, key, t, where), counts[t])) {
        raise(errc::overflow,
              std::string("the sum of \"") + key + "\" of type " + std::to_string(t) +
                  " exceeds 64 bits",
              where);
      }
    }
  }
  return counts;
}

}  // namespace detail

/// The schema of a chunked graph: `node_type` and `edge_type`, numbered in the order of these
/// lists.
/// @param metadata a chunked graph's metadata.json   @param where the file, for error messages
/// @errors not_found, malformed: missing keys, wrong types, no node type; invalid_argument, exists:
///     unsafe or repeated names
inline graph_schema schema_from_metadata(const json::value& metadata, const location& where = {}) {
  graph_schema schema;
  const auto& node_types = detail::metadata_list(metadata, "node_type", where);
  if (node_types.empty())
    raise(errc::malformed, "\"node_type\" is empty; a graph has at least one node type", where);
  for (const json::value& entry : node_types) {
    const std::string* text = entry.if_string();
    if (!text) raise(errc::malformed, "\"node_type\" must list names", where);
    detail::placed(where, [&] { schema.add_node_type(*text); });
  }
  for (const json::value& entry : detail::metadata_list(metadata, "edge_type", where)) {
    const std::string* text = entry.if_string();
    if (!text) raise(errc::malformed, "\"edge_type\" must list names", where);
    auto type = canonical_etype::parse(*text);
    if (!type) {
      raise(
          errc::malformed,
          "edge type " + graph_schema::quoted(*text) + " is not of the form source:relation:target",
          where);
    }
    detail::placed(where, [&] { schema.add_edge_type(std::move(*type)); });
  }
  return schema;
}

/// The ID converter of a chunked graph.
/// Counts are `num_nodes_per_type` and `num_edges_per_type` if present, else the sums over
/// `num_nodes_per_chunk` and `num_edges_per_chunk`; both generations of files are read.
/// @errors as schema_from_metadata; mismatch: not one count per type; malformed: an invalid count
template <id Node = std::uint64_t, id Edge = std::uint64_t>
basic_id_converter<Node, Edge> id_converter_from_metadata(const json::value& metadata,
                                                          const location& where = {}) {
  graph_schema schema = schema_from_metadata(metadata, where);
  const auto nodes = detail::metadata_counts(metadata, "num_nodes_per_type", "num_nodes_per_chunk",
                                             schema.num_node_types(), where);
  const auto edges = detail::metadata_counts(metadata, "num_edges_per_type", "num_edges_per_chunk",
                                             schema.num_edge_types(), where);
  return detail::placed(
      where, [&] { return basic_id_converter<Node, Edge>(std::move(schema), nodes, edges); });
}

}  // namespace halograph
