// SPDX-License-Identifier: BSL-1.0
/// @file native.hpp
/// Parts in files of our own that open by mapping: nothing is copied, nothing is converted.
/// Layer: serial. Words: README.md.
///
/// The files of a part are graph.hgp, node_feats.hgp, edge_feats.hgp, and with original IDs
/// orig_nids.hgp and orig_eids.hgp. All numbers are little-endian.
///
///     header    0 u8 x 8 magic 89 48 47 50 0D 0A 1A 0A ("\x89HGP", then what a text transfer would
///               change) | 8 u32 version, 1 | 12 u32 kind: 1 graph, 2 arrays by name
///               | 16 u64 bytes of the file | 24 u64 bytes of header and table | 32 u64 sections
///               | 40 u64 nodes | 48 u64 edges
///               | 56 u64 XXH64 of header and table without these eight bytes
///     table     for each section: u8 dtype | u8 rank | u16 what | u32 bytes of the name
///               | u64 offset | u64 bytes | u64 x rank extents | the name
///               | zeros up to a multiple of 8
///     sections  each at the first multiple of 64 after the previous one; zeros between them
///     dtype     0..3 int8 .. int64, 4..7 uint8 .. uint64, 8..10 float16 .. float64, 11 bfloat16,
///               12 bool
///     what      0, 1 coo: sources, targets; 2..4 csr: offsets, targets, edge IDs;
///               5..7 csc: offsets, sources, edge IDs;
///               8..12 nodes: _ID, inner_node, part_id, _TYPE, orig_id;
///               13..16 edges: _ID, inner_edge, _TYPE, orig_id; 17 node feature; 18 edge feature;
///               19, 20 original IDs of nodes, of edges
///
/// Local IDs and offsets are int32 where the part has fewer than 2^31 - 1 nodes and fewer than 2^31
/// edges, int64 otherwise; new and original IDs are int64, owners uint32, types int32, inner_node
/// and inner_edge uint8.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace native {

/// What a native file holds.
enum class file_kind : std::uint32_t { graph = 1, arrays = 2 };

/// One array of a native file.
struct section_view {
  column what = column::node_id;  ///< what it holds
  std::string name{};             ///< "_ID", "paper/feat"; may be empty
  tensor value{};                 ///< its elements, viewed in the file
};

/// A native file, opened.
struct file_view {
  file_kind kind = file_kind::graph;     ///< the graph of a part, or arrays by name
  std::uint64_t nodes = 0;               ///< of a graph
  std::uint64_t edges = 0;               ///< of a graph
  std::vector<section_view> sections{};  ///< in the order of the file
};

namespace detail {

inline constexpr std::array<std::uint8_t, 8> magic = {0x89, 'H', 'G', 'P', '\r', '\n', 0x1A, '\n'};
inline constexpr std::uint64_t header_bytes = 64;
inline constexpr std::uint64_t alignment = 64;
inline constexpr std::uint64_t entry_bytes = 24;  // without extents and name
inline constexpr std::size_t most_dimensions = 32;
static_assert(static_cast<int>(dtype::boolean) == 12 &&
                  static_cast<int>(column::original_edges) == 20,
              "the numbers in the files are those of the enumerations");

constexpr std::uint64_t aligned(std::uint64_t position, std::uint64_t to) noexcept {
  return position + (to - position % to) % to;
}

/// The digest in the header covers everything in front of the first section but itself.
constexpr std::uint64_t digest_of(std::span<const std::byte> head) noexcept {
  return digest64{}.update(head.first(56)).update(head.subspan(64)).value();
}

/// One array to be laid out.
struct array_plan {
  column what;
  std::size_t item;
  std::string name;
  dtype type;
  tensor_shape shape;
};

file_layout layout_file(std::string file, file_kind kind, std::uint64_t nodes, std::uint64_t edges,
                        const std::vector<array_plan>& arrays);

}  // namespace detail

/// Is this a native file, by its first eight bytes?
inline bool is_native(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 8 && std::memcmp(bytes.data(), detail::magic.data(), 8) == 0;
}

/// Open a native file: its header, table, sizes, bounds and the zeros between sections are checked;
/// the data are not looked at, and are views that keep `data.owner` alive (copies on big-endian
/// machines only).
/// @param file  what errors call it
/// @errors malformed, truncated, at a byte; unsupported: a later version
/// @complexity O(sections), whatever the size of the file
file_view open(const file_bytes& data, const std::string& file);

}  // namespace native

/// Our own format of a part's files. Reading checks header, sizes and bounds in O(sections) and
/// gives views, so that with mapped files a part opens at once; contents (IDs in range, offsets
/// ascending) are trusted only after check_structure() or a verified folder.
struct native_serializer {
  /// The name of the format: the config's key `serializer`.
  static constexpr std::string_view name() noexcept { return "native"; }

  /// @errors invalid_argument: no sparse format, a feature without rows as its first extent;
  ///     exists: a feature is there twice; overflow
  /// @complexity O(n log n) in the number of features; independent of nodes and edges
  part_layout layout(const part_description& plan) const;

  /// @errors as native::open(); malformed: not a graph, an array of the wrong shape or dtype, or
  ///     there twice
  /// @complexity O(sections)
  loaded_structure read_structure(const file_bytes& data, const std::string& file) const;

  /// Features or original IDs. @errors as native::open(); malformed: the graph of a part, or a name
  /// twice
  /// @complexity O(n log n) in the number of arrays
  std::vector<named_tensor> read_features(const file_bytes& data, const std::string& file) const;

 private:
  static constexpr std::uint64_t limit = std::uint64_t{1} << 63;

  /// The name of a column as in DGL's files.
  static constexpr std::string_view column_name(column what) noexcept {
    switch (what) {
      case column::coo_source:
        return "coo_source";
      case column::coo_target:
        return "coo_target";
      case column::csr_offsets:
        return "csr_offsets";
      case column::csr_targets:
        return "csr_targets";
      case column::csr_edges:
        return "csr_edges";
      case column::csc_offsets:
        return "csc_offsets";
      case column::csc_sources:
        return "csc_sources";
      case column::csc_edges:
        return "csc_edges";
      case column::node_id:
      case column::edge_id:
        return "_ID";
      case column::inner_node:
        return "inner_node";
      case column::inner_edge:
        return "inner_edge";
      case column::node_part:
        return "part_id";
      case column::node_type:
      case column::edge_type:
        return "_TYPE";
      case column::node_original:
      case column::edge_original:
        return "orig_id";
      default:
        return "";
    }
  }

  static std::uint64_t rows_of(column what, const loaded_structure& graph) noexcept {
    if (what == column::csr_offsets || what == column::csc_offsets) return graph.nodes + 1;
    return what >= column::node_id && what < column::edge_id ? graph.nodes : graph.edges;
  }

  static file_layout graph_layout(const std::string& file, const part_description& plan);

  static file_layout features(const std::string& file, const std::vector<feature_plan>& plans,
                              column what);

  static file_layout originals(const std::string& file, const std::vector<mapping_plan>& plans,
                               column what);
};
static_assert(serializer<native_serializer>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/native.ipp>
#endif
