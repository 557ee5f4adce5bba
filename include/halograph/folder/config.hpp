// SPDX-License-Identifier: BSL-1.0
/// @file config.hpp
/// The config JSON of a partition folder: its content, and printing it.
/// Layer: folder. Words: README.md.
///
/// | key | content |
/// | --- | --- |
/// | `graph_name`, `num_nodes`, `num_edges`, `part_method`, `num_parts`, `halo_hops` | totals and how it was made |
/// | `node_map`, `edge_map` | per type a list of P pairs [start, end) of global IDs; or the name of a `.npy` file |
/// | `ntypes`, `etypes` | type name -> type number; edge types as `source:relation:target` |
/// | `part-0` ... | `node_feats`, `edge_feats`, `part_graph`: paths relative to the config |
/// | `node_map_dtype`, `edge_map_dtype` | "int32" or "int64", optional |
///
/// Our own keys, left out where they have the default value: `serializer` (absent: DGL's files),
/// `node_order` (absent: by original ID inside each part and type), `cut_edges_dropped`,
/// `num_nodes_per_type` and `num_edges_per_type` (with `.npy` maps), and in a part `orig_nids`,
/// `orig_eids`. The compact mapping lies beside the config and is not named in it:
/// node_mapping.hpp.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halograph {

/// The paths of one part's files, as in the config.
struct part_paths {
  std::string graph{};           ///< structure and columns; "": the part has only `graphbolt`
  std::string node_features{};   ///< "" if the format writes no such file; equal to another path if
                                 ///< they share one file
  std::string edge_features{};   ///< as node_features
  std::string original_nodes{};  ///< "" if the config names no mapping
  std::string original_edges{};  ///< as original_nodes
  std::string graphbolt{};       ///< DGL's fused_csc_sampling_graph.pt, which we do not read
};

/// The most hops that a config may declare; the number is untrusted input.
inline constexpr std::uint64_t max_halo_hops = std::uint64_t{1} << 20;

/// The content of a config JSON.
struct partition_config {
  std::string path{};           ///< of the JSON file itself; "" before it is written
  std::string graph_name{};     ///< as given when the graph was partitioned
  std::uint64_t num_nodes = 0;  ///< V, all types and parts together
  std::uint64_t num_edges = 0;  ///< E, all types and parts together, without dropped cut edges
  std::string part_method{};    ///< how nodes were assigned, such as "metis"; "": not recorded
  std::size_t num_parts = 0;    ///< P; read ones are 1 to 2^31 - 1
  std::uint64_t halo_hops = 1;  ///< HALO depth in hops, at most max_halo_hops
  /// Type names in the order of their numbers.
  graph_schema schema{};
  /// @{
  /// [T][P] and [R][P] ranges of global IDs; empty where maps are files.
  std::vector<std::vector<id_range>> node_map{};
  std::vector<std::vector<id_range>> edge_map{};
  /// @}
  std::string node_map_file{};  ///< reshuffle off: `.npy` with the part of each node, "" otherwise
  std::string edge_map_file{};  ///< the same of edges
  std::vector<std::uint64_t> nodes_per_type{};  ///< with map files: counts per type, else empty
  std::vector<std::uint64_t> edges_per_type{};  ///< as nodes_per_type
  std::string node_map_dtype{};     ///< of IDs: "int32", "int64", or "", which means int64
  std::string edge_map_dtype{};     ///< as node_map_dtype
  std::vector<part_paths> parts{};  ///< those that the config lists
  std::string serializer = "dgl";   ///< name of the format of the parts' files
  /// of the nodes inside each part and type: relabel/order.hpp
  std::string node_order = "original";
  /// how many edges the parts leave out because their endpoints are in different parts (0 hops)
  std::optional<std::uint64_t> cut_edges_dropped{};
  std::vector<type_id>
      node_types_listed{};  ///< type numbers in the order in which the JSON lists them
  std::vector<type_id> edge_types_listed{};  ///< as node_types_listed
  /// Edge types named by relation alone (before DGL 1.0) whose ends are not yet known:
  /// by type number; the schema then holds no edge types.
  std::vector<std::string> bare_relations{};

  /// Are global IDs numbered part by part, so that the maps are ranges? DGL's `reshuffle`.
  bool reshuffled() const noexcept { return node_map_file.empty(); }
  /// The folder of the JSON file, with a final '/', or "".
  std::string folder() const {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
  }
  /// A path of the config as the program must open it: relative paths start at the config's folder.
  std::string resolve(const std::string& file) const {
    return file.empty() ? file : path_in(folder(), file);
  }
};

namespace detail {

inline json::value ranges_to_json(const std::vector<id_range>& ranges) {
  json::value list{json::array{}};
  for (const auto& range : ranges) list.push(json::array{range.begin, range.end});
  return list;
}

/// Where DGL's pipeline puts a part's original IDs, which its config does not name: beside the
/// graph file.
inline std::string unlisted_original_ids(const part_paths& paths, bool of_nodes) {
  const auto slash = paths.graph.rfind('/');
  return (slash == std::string::npos ? std::string() : paths.graph.substr(0, slash + 1)) +
         (of_nodes ? "orig_nids.dgl" : "orig_eids.dgl");
}

}  // namespace detail

/// The config as a document, keys in DGL's order. Print it with json::print.
json::value to_json(const partition_config& config);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/config.ipp>
#endif
