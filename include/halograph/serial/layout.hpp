// SPDX-License-Identifier: BSL-1.0
/// @file layout.hpp
/// Where every byte of a part goes, from counts, types and shapes alone: the plan of a part, and
/// the layout of its files.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How a graph's structure is stored: edges as pairs, or adjacency compressed by rows of sources
/// (csr) or of targets (csc).
enum class sparse_format : std::uint8_t { coo = 1, csr = 2, csc = 4 };

/// A set of sparse formats. The bits are those of DGL's files.
struct sparse_formats {
  /// The sum of the values of its formats.
  std::uint8_t bits = static_cast<std::uint8_t>(sparse_format::coo);

  /// Is a format in the set?
  constexpr bool has(sparse_format format) const noexcept {
    return (bits & static_cast<std::uint8_t>(format)) != 0;
  }
  /// The set with one format more.
  constexpr sparse_formats with(sparse_format format) const noexcept {
    return {static_cast<std::uint8_t>(bits | static_cast<std::uint8_t>(format))};
  }
  /// Is no format in the set? A part cannot be stored so.
  constexpr bool empty() const noexcept { return bits == 0; }

  /// The set without a format, and that of coo, csr and csc.
  /// @{
  static constexpr sparse_formats none() noexcept { return {0}; }
  static constexpr sparse_formats all() noexcept { return {7}; }
  /// @}

  /// "coo", "csr", "csc" with commas between them, in any order; nothing where it is anything else.
  static constexpr std::optional<sparse_formats> parse(std::string_view text) noexcept {
    sparse_formats found = none();
    while (true) {
      const std::string_view word = text.substr(0, text.find(','));
      if (word == "coo")
        found = found.with(sparse_format::coo);
      else if (word == "csr")
        found = found.with(sparse_format::csr);
      else if (word == "csc")
        found = found.with(sparse_format::csc);
      else
        return std::nullopt;
      if (word.size() == text.size()) return found;
      text.remove_prefix(word.size() + 1);
    }
  }
  /// "coo,csr,csc": those in the set, in the order in which files hold them.
  std::string str() const;

  friend constexpr bool operator==(sparse_formats, sparse_formats) = default;
};

// --- what a part holds: known before any of its data
// ------------------------------------------------

/// One feature of one type in a part.
struct feature_plan {
  std::string key{};            ///< "type/name"; an edge type as "source:relation:target"
  dtype type = dtype::float32;  ///< as in the input; a format may store another (bool as uint8)
  tensor_shape shape{};         ///< rows first: the part's inner nodes or edges of the type
};

/// The original IDs of one type in a part.
struct mapping_plan {
  std::string type{};       ///< node type, or edge type as "source:relation:target"
  std::uint64_t count = 0;  ///< the part's inner nodes or edges of the type
};

/// Everything about one part that decides the size of its files.
struct part_description {
  part_id part = 0;               ///< its number, from 0
  part_id parts = 1;              ///< P, of the whole graph
  std::uint64_t nodes = 0;        ///< inner and halo
  std::uint64_t inner_nodes = 0;  ///< nodes that the part owns
  std::uint64_t edges = 0;        ///< inner and other
  std::uint64_t inner_edges = 0;  ///< edges whose target the part owns
  bool types = false;             ///< the graph has columns of type numbers
  bool part_ids = false;          ///< nodes have a column of owners
  bool original_ids = false;      ///< nodes and edges have a column of original IDs, typed
  sparse_formats formats{};       ///< of the stored structure; one at least
  std::vector<feature_plan> node_features{};   ///< section::item is the position in it
  std::vector<feature_plan> edge_features{};   ///< section::item is the position in it
  bool mapping = false;                        ///< there are files of original IDs
  std::vector<mapping_plan> original_nodes{};  ///< section::item is the position in it
  std::vector<mapping_plan> original_edges{};  ///< section::item is the position in it
};

// --- where its bytes go
// -----------------------------------------------------------------------------

/// What a section holds. N = nodes, M = edges of the part; IDs are local unless said otherwise.
enum class column : std::uint8_t {
  coo_source,      ///< [M] source of each edge
  coo_target,      ///< [M] target of each edge
  csr_offsets,     ///< [N + 1]
  csr_targets,     ///< [M] targets by source
  csr_edges,       ///< [M] edge ID of each entry
  csc_offsets,     ///< [N + 1]
  csc_sources,     ///< [M] sources by target
  csc_edges,       ///< [M] edge ID of each entry
  node_id,         ///< [N] new global ID
  inner_node,      ///< [N] 1 inner, 0 halo
  node_part,       ///< [N] owner
  node_type,       ///< [N] type number
  node_original,   ///< [N] original typed ID
  edge_id,         ///< [M] new global ID
  inner_edge,      ///< [M] 1 inner, 0 other
  edge_type,       ///< [M] type number
  edge_original,   ///< [M] original typed ID
  node_feature,    ///< the shape in part_description::node_features[item]
  edge_feature,    ///< the shape in part_description::edge_features[item]
  original_nodes,  ///< [original_nodes[item].count] original typed IDs, by new ID
  original_edges   ///< [original_edges[item].count] original typed IDs, by new ID
};

/// One array in a file: row-major, little-endian, contiguous.
struct section {
  column what = column::node_id;  ///< which data its writer puts there
  std::size_t item = 0;           ///< which feature or mapping; 0 for everything else
  std::uint64_t offset = 0;       ///< first byte in the file
  dtype type = dtype::int64;      ///< as stored
  tensor_shape shape{};           ///< outermost extent first

  /// Number of elements; 1 for rank 0.
  std::uint64_t elements() const noexcept { return element_count(shape); }
  /// Bytes that it takes in the file.
  std::uint64_t bytes() const noexcept { return elements() * item_bytes(type); }
};

/// Bytes that do not depend on data: headers, names, shapes.
struct literal {
  std::uint64_t offset = 0;        ///< first byte in the file
  std::vector<std::byte> bytes{};  ///< as they are written
};

/// One file: its size, and what lies where. What neither literals nor sections cover is zero.
struct file_layout {
  std::string name{};               ///< without a folder: "graph.dgl"
  std::uint64_t bytes = 0;          ///< size of the file
  std::vector<literal> literals{};  ///< written as they are
  std::vector<section> sections{};  ///< arrays that a writer fills with data
};

/// The files of one part. The names are those in `files`, or empty where there is no such file.
/// Several may name one file; features and original IDs that share one need read_features with a
/// column (see serializer).
struct part_layout {
  std::vector<file_layout> files{};   ///< in the order in which they are written
  std::string graph_file{};           ///< structure and columns of nodes and edges
  std::string node_feature_file{};    ///< rows of inner nodes
  std::string edge_feature_file{};    ///< rows of inner edges
  std::string original_nodes_file{};  ///< original IDs of inner nodes
  std::string original_edges_file{};  ///< original IDs of inner edges

  /// All bytes of all files.
  std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& file : files) sum += file.bytes;
    return sum;
  }
};

/// Builds a layout from front to back.
/// @errors overflow: the file would have more than 2^63 - 1 bytes
class layout_builder {
 public:
  /// An empty file. @param name  without a folder: "graph.dgl"
  explicit layout_builder(std::string name) { layout_.name = std::move(name); }

  /// Where the next byte goes.
  std::uint64_t position() const noexcept { return layout_.bytes; }

  /// Append bytes that do not depend on data: as they are, characters, or an integer in
  /// little-endian order.
  /// @{
  layout_builder& bytes(std::span<const std::byte> data);
  layout_builder& text(std::string_view data) {
    return bytes(std::as_bytes(std::span(data.data(), data.size())));
  }
  template <std::integral T>
  layout_builder& number(T value) {
    std::array<std::byte, sizeof(T)> encoded{};
    store_le(value, encoded.data());
    return bytes(encoded);
  }
  /// @}
  /// Bytes that stay zero.
  layout_builder& zeros(std::uint64_t count) { return advance(count); }
  /// Zeros up to the next multiple of `alignment`.
  layout_builder& align(std::uint64_t alignment) {
    return advance((alignment - position() % alignment) % alignment);
  }
  /// An array whose data follow later. @errors overflow
  layout_builder& array(column what, std::size_t item, dtype type, tensor_shape shape) {
    const std::uint64_t size = array_bytes(type, shape);
    layout_.sections.push_back({what, item, position(), type, std::move(shape)});
    return advance(size);
  }
  /// The layout. The builder must not be used after it.
  file_layout finish() && { return std::move(layout_); }

  /// Bytes of an array. @errors overflow: more than 2^63 - 1, also of its shape without empty
  /// extents
  static std::uint64_t array_bytes(dtype type, std::span<const std::uint64_t> shape);

 private:
  static constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();

  layout_builder& advance(std::uint64_t count);

  file_layout layout_{};
};

/// Do literals and sections lie inside the file, none over another?
/// @errors out_of_range at the byte where one reaches beyond the file; mismatch at the byte where
///     two overlap
/// @complexity O(n log n) in their number
status check_layout(const file_layout& layout);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/layout.ipp>
#endif
