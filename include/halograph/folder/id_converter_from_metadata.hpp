// SPDX-License-Identifier: BSL-1.0
/// @file id_converter_from_metadata.hpp
/// The ID converter of a chunked graph, from its metadata.json.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
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

const json::array& metadata_list(const json::value& document, const char* key,
                                 const location& where);

std::uint64_t metadata_count(const json::value& number, const char* key, std::size_t type,
                             const location& where);

/// [types] counts of `num_<word>_per_type`, else the sums of the rows of `num_<word>_per_chunk`.
std::vector<std::uint64_t> metadata_counts(const json::value& document, const char* per_type,
                                           const char* per_chunk, std::size_t types,
                                           const location& where);

}  // namespace detail

/// The schema of a chunked graph: `node_type` and `edge_type`, numbered in the order of these
/// lists.
/// @param metadata a chunked graph's metadata.json   @param where the file, for error messages
/// @errors not_found, malformed: missing keys, wrong types, no node type; invalid_argument, exists:
///     unsafe or repeated names
graph_schema schema_from_metadata(const json::value& metadata, const location& where = {});

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

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/id_converter_from_metadata.ipp>
#endif
