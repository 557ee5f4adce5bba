// SPDX-License-Identifier: BSL-1.0
/// @file state.hpp
/// The state that the checks of a partition folder share, and how they open a part.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

enum class reading : std::uint8_t { columns, judge, again };

/// The graph of a part, with named columns.
struct open_part {
  loaded_structure graph{};
  coo_columns ends{};
  std::string file{};
  const tensor *id = nullptr, *inner = nullptr, *owner = nullptr, *type = nullptr,
               *original = nullptr;
  const tensor *edge_id = nullptr, *inner_edge = nullptr, *edge_type = nullptr,
               *edge_original = nullptr;
};

inline std::int64_t at(const tensor* column, std::uint64_t i) {
  return column->integer(static_cast<std::size_t>(i));
}

/// The number of parts checked at once; each needs its own memory.
template <executor Executor>
std::size_t wave_of(const Executor& executor) {
  return std::clamp<std::size_t>(executor.concurrency(), 1, 16);
}

/// Call f(begin, end) for consecutive runs of parts.
template <executor Executor, class Function>
void in_waves(std::size_t first, std::size_t last, const Executor& executor, const Function& f) {
  const std::size_t wave = wave_of(executor);
  for (std::size_t begin = first; begin < last; begin += wave)
    f(begin, std::min(last, begin + wave));
}

/// What the checks share. Id holds every node and edge ID, and one more value.
template <class Id, class Files, class Formats>
struct verify_state {
  using id_type = Id;
  static constexpr Id none = static_cast<Id>(-1);

  const partition_config& config;
  const verify_options& options;
  const Files& files;
  const Formats& formats;
  id_space nodes, edges;

  std::vector<Id> node_old{},
      edge_old{};  ///< [V], [E] original typed IDs by new ID; empty where unknown
  bool mapping_good = false, mapping_partial = false;
  bool compact_mapping_wrong = false;                             ///< it exists but cannot be used
  std::vector<std::size_t> input_node_type{}, input_edge_type{};  ///< by config type
  std::vector<std::uint64_t> input_nodes{}, input_edges{};
  std::vector<part_id> assigned{};  ///< [V] by original ID, the config's types laid end to end
  std::uint64_t trainers = 1;
  std::vector<Id> new_node{};  ///< [V] likewise
  bool truth_known = false;    ///< source and target are the input's
  bool trainers_are_input = false;
  std::vector<Id> source{},
      target{};  ///< [E] new IDs of the ends, by new edge ID; none where absent
  std::vector<std::uint8_t> usable{};  ///< [P] 1: the part's IDs can be used to index what is kept

  std::string node_type_name(std::size_t t) const {
    return graph_schema::quoted(config.schema.node_types()[t]);
  }
  std::string edge_type_name(std::size_t r) const {
    return graph_schema::quoted(config.schema.edge_types()[r].str());
  }
  std::string type_name(bool of_nodes, std::size_t t) const {
    return of_nodes ? node_type_name(t) : edge_type_name(t);
  }
  static const char* noun(bool of_nodes) { return of_nodes ? "node" : "edge"; }
  /// "edge 7 of type "a:b:c"" by new ID, with the original ID if it is known.
  std::string input_edge(std::uint64_t id) const {
    if (edge_old.empty()) return "edge " + std::to_string(id);
    return "edge " + std::to_string(std::uint64_t{edge_old[static_cast<std::size_t>(id)]}) +
           " of type " + edge_type_name(edges.type(id));
  }
  std::string input_node(std::uint64_t id) const {
    if (node_old.empty()) return "node " + std::to_string(id);
    return "node " + std::to_string(std::uint64_t{node_old[static_cast<std::size_t>(id)]}) +
           " of type " + node_type_name(nodes.type(id));
  }

  /// The file of original IDs: named by the config, or where DGL's pipeline puts it; "" if none.
  std::string mapping_file(std::size_t p, bool of_nodes) const {
    if (p >= config.parts.size()) return "";
    const auto& paths = config.parts[p];
    const std::string& named = of_nodes ? paths.original_nodes : paths.original_edges;
    if (!named.empty()) return config.resolve(named);
    if (config.serializer != "dgl" || paths.graph.empty()) return "";
    const std::string beside = config.resolve(unlisted_original_ids(paths, of_nodes));
    try {
      static_cast<void>(files(beside));
    } catch (const error& problem) {
      if (problem.code() == errc::not_found) return "";
    }
    return beside;
  }

  std::optional<std::size_t> find_type(bool of_nodes, std::string_view text_of) const {
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

  /// Position of a node among original IDs, the config's types concatenated.
  std::size_t original_place(std::uint64_t v) const {
    return static_cast<std::size_t>(nodes.begin_of(nodes.type(v)) +
                                    node_old[static_cast<std::size_t>(v)]);
  }
};

inline std::string place_of(column what, std::uint64_t element) {
  constexpr const char* words[] = {"coo sources",  "coo targets", "csr offsets", "csr targets",
                                   "csr edge IDs", "csc offsets", "csc sources", "csc edge IDs"};
  const auto i = static_cast<std::size_t>(what);
  return i < std::size(words)
             ? std::string(words[i]) + ", element " + std::to_string(element) + ": "
             : std::string();
}

template <class State, class Findings>
void check_index_dtypes(const State& state, const open_part& part, Findings& findings) {
  const auto check = [&](const tensor& values, const char* what) {
    const bool fine = values.type() == dtype::int64 ||
                      (state.config.serializer != "dgl" && is_integer(values.type()));
    if (!fine) {
      findings.add(check_kind::structure, part.file,
                   std::string(what) + " are of dtype " + std::string(name(values.type())) +
                       "; parts hold int64");
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

/// Read the graph of a part: only its columns; or all, reporting problems; or all once more.
/// @return whether it is usable
template <class State, class Findings>
bool open(const State& state, std::size_t p, open_part& part, reading how, Findings& findings) {
  part = {};
  try {
    part.file = state.config.resolve(paths_of(state.config, p).graph);
    part.graph = load_partition_graph(state.config, p, state.files, state.formats);
  } catch (const error& problem) {
    if (how == reading::judge) findings.add(check_kind::structure, state.config.path, problem);
    return false;
  }
  const auto& graph = part.graph;
  if (how == reading::judge) {
    if (auto fault = check_structure(graph)) {
      findings.add(check_kind::structure, part.file,
                   place_of(fault->what, fault->element) + fault->sentence);
      return false;
    }
    check_index_dtypes(state, part, findings);
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

}  // namespace detail

}  // namespace halograph
