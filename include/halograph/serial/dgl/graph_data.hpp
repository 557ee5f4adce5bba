// SPDX-License-Identifier: BSL-1.0
/// @file graph_data.hpp
/// What a DGL graph file holds: graphs with columns and labels, in memory.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halograph::dgl {

/// One node type of a graph.
struct node_type_data {
  std::string name{};                   ///< "_N" in the file of a part
  std::uint64_t nodes = 0;              ///< of this type
  std::vector<named_tensor> columns{};  ///< each with `nodes` rows
};

/// One edge type: its name alone, its end types by number, its edges in one format or several.
struct relation_data {
  std::string name{};                              ///< "_E" in the file of a part
  type_id source = 0;                              ///< position in graph_data::node_types
  type_id target = 0;                              ///< position in graph_data::node_types
  std::uint64_t edges = 0;                         ///< of this type
  sparse_formats allowed = sparse_formats::all();  ///< what DGL may convert to
  std::optional<coo_columns> coo{};                ///< edge i has ID i
  std::optional<compressed_columns> csr{};         ///< rows are sources
  std::optional<compressed_columns> csc{};         ///< rows are targets
  std::vector<named_tensor> columns{};             ///< each with `edges` rows

  /// The formats that are there.
  sparse_formats stored() const noexcept {
    sparse_formats found = sparse_formats::none();
    if (coo) found = found.with(sparse_format::coo);
    if (csr) found = found.with(sparse_format::csr);
    if (csc) found = found.with(sparse_format::csc);
    return found;
  }
};

/// One graph.
struct graph_data {
  std::vector<node_type_data> node_types{};  ///< by number
  std::vector<relation_data> relations{};    ///< by number
};

/// What a graph file holds.
struct graph_file {
  std::vector<graph_data> graphs{};    ///< in the order of the file, or as asked for
  std::vector<named_tensor> labels{};  ///< of the graphs, by name
};

namespace detail {

inline constexpr std::uint64_t heterograph_magic = 0xDD589FBE35224ABF;
inline constexpr std::uint64_t metagraph_magic = 0xDD3C5FFE20046ABF;
inline constexpr std::uint64_t relation_magic = 0xDD2E60F0F6B4A127;
inline constexpr std::uint64_t coo_magic = 0xDD61FFD305DFF127;
inline constexpr std::uint64_t csr_magic = 0xDD6CD31205DFF127;
inline constexpr std::uint64_t reserved_end = 4096;
inline constexpr std::uint64_t least_graph_file_bytes = 4112;
/// Set in the codes of formats since DGL 1.0.
inline constexpr std::uint64_t code_of_bits = std::uint64_t{1} << 32;

}  // namespace detail

}  // namespace halograph::dgl
