// SPDX-License-Identifier: BSL-1.0
/// @file original_ids.hpp
/// The original IDs of a part's rows: the mapping new -> original, read from a partition folder.
/// Layer: folder. Words: README.md.
///
/// | the folder has | original IDs come from |
/// | --- | --- |
/// | `.npy` maps (reshuffle off) | the part graph's `_ID` column, which holds them |
/// | `orig_nids`, `orig_eids` files | these files, named by the config or beside the part graph, where DGL's pipeline puts them |
/// | one part | the new IDs, which are the original ones (for nodes, if the config names no other order) |
/// | `orig_id` columns | those of inner nodes and edges |
/// | `owners.npy` or `original_nodes.npy` | those of nodes (node_mapping.hpp) |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Nodes and edges have separate IDs, by the same rules.
enum class entity : std::uint8_t { node, edge };

/// "node", "edge".
constexpr std::string_view name(entity kind) noexcept {
  return kind == entity::node ? "node" : "edge";
}

/// A node type or an edge type of a schema.
struct entity_type {
  entity kind = entity::node;  ///< whether `type` is a node type or an edge type
  type_id type = 0;            ///< its number in the schema
  friend bool operator==(const entity_type&, const entity_type&) = default;
};

/// The type's name as in files: "paper", "author:writes:paper".
inline std::string type_name(const graph_schema& schema, entity_type of) {
  return of.kind == entity::node ? schema.node_type_name(of.type)
                                 : schema.edge_type_name(of.type).str();
}

/// Find a type by its name: a node type, "source:relation:target", or a relation that is unique.
/// @errors not_found: no such type, listing the known ones; invalid_argument: an ambiguous
///     relation
entity_type find_type(const graph_schema& schema, std::string_view name);

/// Bytes that reading the original IDs of one part takes at most, of all given types together, with
/// the process itself: they are read part by part.
/// @param of  types whose IDs are held at once
/// @complexity O(P x types)
std::uint64_t original_ids_memory(const partition_config& config, std::span<const entity_type> of);

/// The number of inner nodes or edges of a type in all parts together.
std::uint64_t type_count(const partition_config& config, entity_type of);

/// Read the compact mapping of a folder (node_mapping.hpp). Its values are not checked.
///
/// @return      nothing if the folder has none, or if nodes have their original IDs
/// @errors      mismatch: not one integer for each node; those of the opener and of read_npy
/// @complexity  O(1) with mapped files
std::optional<tensor> read_node_mapping(const partition_config& config,
                                        const any_file_opener& files);

namespace detail {

/// Reads and checks the original IDs of one part and type.
class original_id_reader {
 public:
  original_id_reader(const partition_config& config, std::size_t part, entity_type of,
                     const any_file_opener& files, const format_list& formats,
                     const loaded_structure* graph)
      : config_(config),
        part_(part),
        of_(of),
        files_(files),
        formats_(formats),
        graph_(graph),
        nodes_(of.kind == entity::node) {}

  std::vector<std::uint64_t> read() const;

 private:
  id_range range() const { return (nodes_ ? config_.node_map : config_.edge_map)[of_.type][part_]; }
  std::string who() const {
    return concat({"original ", name(of_.kind), " IDs of type ",
                   graph_schema::quoted(type_name(config_.schema, of_))});
  }

  /// IDs [first, last) of a column, each below the bound.
  std::vector<std::uint64_t> take(const tensor& values, std::uint64_t first, std::uint64_t last,
                                  const std::string& file) const;

  std::optional<std::vector<std::uint64_t>> mapping_file() const;

  loaded_structure graph() const;

  /// The inner rows of a column of the part graph.
  const tensor& inner_column(const loaded_structure& graph, std::string_view column,
                             std::uint64_t inner, const std::string& file) const;

  std::vector<std::uint64_t> columns_or_compact() const;

  /// From the compact mapping of the folder's nodes.
  std::vector<std::uint64_t> compact(const tensor& mapping, const std::string& file) const;

  /// Reshuffle off: `_ID` of the inner rows of the type.
  std::vector<std::uint64_t> kept() const;

  static std::string_view name_of(dtype type) noexcept { return halograph::name(type); }

  const partition_config& config_;
  std::size_t part_;
  entity_type of_;
  any_file_opener files_;
  format_list formats_;
  const loaded_structure* graph_;
  bool nodes_;
};

}  // namespace detail

/// The original typed IDs of a part's inner nodes or edges of one type, in local order: row i of a
/// feature of the part belongs to the input's node (or edge) result[i].
///
/// @param config  as read; relations resolved
/// @param graph   the part's, if it is loaded already
/// @return        [rows], each below the type's count (edges: plus the number of dropped ones)
/// @errors        not_found: the folder has no mapping, naming the config; mismatch, out_of_range:
///     an invalid one; those of the opener and the format
/// @complexity    O(rows) time and memory, and opening one file; with owners.npy O(nodes of the
///     type) time
inline std::vector<std::uint64_t> load_original_ids(const partition_config& config,
                                                    std::size_t part, entity_type of,
                                                    const any_file_opener& files,
                                                    const format_list& formats,
                                                    const loaded_structure* graph = nullptr) {
  return detail::original_id_reader(config, part, of, files, formats, graph).read();
}

/// The part of each node by its original ID, node types laid end to end: the assignment that the
/// folder was made of.
///
/// @param config  as read; relations resolved
/// @return        [V]
/// @errors        as load_original_ids; malformed: a node that several parts hold, or none
/// @complexity    that of load_original_ids for each part and type; memory: 4 bytes a node, and 8
///     for each of one type
std::vector<part_id> load_owners(const partition_config& config, const any_file_opener& files,
                                 const format_list& formats);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/original_ids.ipp>
#endif
