// SPDX-License-Identifier: BSL-1.0
/// @file state.ipp
/// Bodies of the plain functions of verify/state.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/state.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::string verify_context::mapping_file(std::size_t p, bool of_nodes) const {
  if (p >= config.parts.size()) return "";
  const auto& paths = config.parts[p];
  const std::string& named = of_nodes ? paths.original_nodes : paths.original_edges;
  if (!named.empty()) return config.resolve(named);
  if (config.serializer != "dgl" || paths.graph.empty()) return "";
  const std::string beside = config.resolve(unlisted_original_ids(paths, of_nodes));
  try {
    static_cast<void>(files(beside));
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return "";
  }
  return beside;
}

HALOGRAPH_INLINE std::optional<std::size_t> verify_context::find_type(
    bool of_nodes, std::string_view text_of) const {
  if (of_nodes) {
    if (const auto t = config.schema.node_type(text_of)) return *t;
    return std::nullopt;
  }
  for (std::size_t r = 0; r < config.schema.num_edge_types(); ++r) {
    if (config.schema.edge_types()[r].str() == text_of) return r;
  }
  // Before DGL 1.0 by relation alone; no relation name holds a colon.
  std::optional<std::size_t> found;
  for (std::size_t r = 0; r < config.schema.num_edge_types(); ++r) {
    if (config.schema.edge_types()[r].relation != text_of) continue;
    if (found) return std::nullopt;
    found = r;
  }
  return found;
}

HALOGRAPH_INLINE std::string place_of(column what, std::uint64_t element) {
  constexpr const char* words[] = {"coo sources",  "coo targets", "csr offsets", "csr targets",
                                   "csr edge IDs", "csc offsets", "csc sources", "csc edge IDs"};
  const auto i = static_cast<std::size_t>(what);
  return i < std::size(words) ? concat({words[i], ", element ", element, ": "}) : std::string();
}

HALOGRAPH_INLINE void check_index_dtypes(const verify_context& state, const open_part& part,
                                         finding_log& findings) {
  const auto check = [&](const tensor& values, const char* what) {
    const bool fine = values.type() == dtype::int64 ||
                      (state.config.serializer != "dgl" && is_integer(values.type()));
    if (!fine) {
      findings.add(check_kind::structure, part.file,
                   concat({what, " are of dtype ", name(values.type()), "; parts hold int64"}));
    }
  };
  if (part.graph.coo) {
    check(part.graph.coo->source, "coo sources");
    check(part.graph.coo->target, "coo targets");
  }
  for (const auto* adjacency : {&part.graph.csr, &part.graph.csc}) {
    if (!*adjacency) continue;
    check((*adjacency)->offsets, "offsets");
    check((*adjacency)->neighbors, "neighbors");
    check((*adjacency)->edges, "edge IDs");
  }
}

HALOGRAPH_INLINE bool open(const verify_context& state, std::size_t p, open_part& part, reading how,
                           finding_log* findings) {
  part = {};
  try {
    part.file = state.config.resolve(paths_of(state.config, p).graph);
    part.graph = load_partition_graph(state.config, p, state.files, state.formats);
  } catch (const error& problem) {
    if (findings != nullptr) findings->add(check_kind::structure, state.config.path, problem);
    return false;
  }
  const auto& graph = part.graph;
  if (findings != nullptr) {
    if (auto fault = check_structure(graph)) {
      findings->add(check_kind::structure, part.file,
                    place_of(fault->what, fault->element) + fault->sentence);
      return false;
    }
    check_index_dtypes(state, part, *findings);
  }
  if (how != reading::columns) {
    part.ends = graph.coo   ? *graph.coo
                : graph.csc ? pairs_of(*graph.csc, false)
                            : pairs_of(*graph.csr, true);
  }
  part.id = find_column(graph.node_columns, "_ID");
  part.inner = find_column(graph.node_columns, "inner_node");
  part.owner = find_column(graph.node_columns, "part_id");
  part.type = find_column(graph.node_columns, "_TYPE");
  part.original = find_column(graph.node_columns, "orig_id");
  part.edge_id = find_column(graph.edge_columns, "_ID");
  part.inner_edge = find_column(graph.edge_columns, "inner_edge");
  part.edge_type = find_column(graph.edge_columns, "_TYPE");
  part.edge_original = find_column(graph.edge_columns, "orig_id");
  return true;
}

}  // namespace halograph::detail
