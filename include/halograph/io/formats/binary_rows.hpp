// SPDX-License-Identifier: BSL-1.0
/// @file binary_rows.hpp
/// What the binary formats that keep the neighbors of each node in a row share: sections that are
/// checked against the file's size, checked rows, and a stream that reads them in place.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace halograph::detail {

/// An array of little-endian integers in a file.
struct binary_column {
  std::uint64_t at = 0;     ///< byte of the first
  std::uint64_t count = 0;  ///< how many
  unsigned width = 0;       ///< bytes of each: 4 or 8; 0: there is none
  unsigned stride = 0;      ///< bytes from one to the next
  bool negative = false;    ///< integers of 4 bytes may be negative
};

/// Integer i of a column. @pre the column lies within `bytes`, i < count
inline std::uint64_t word_at(std::span<const std::byte> bytes, const binary_column& column,
                             std::uint64_t i) noexcept {
  const std::byte* const p = bytes.data() + static_cast<std::size_t>(column.at + i * column.stride);
  if (column.width == 8) return load_le<std::uint64_t>(p);
  if (!column.negative) return load_le<std::uint32_t>(p);
  return static_cast<std::uint64_t>(std::int64_t{load_le<std::int32_t>(p)});
}

/// Takes the sections of a file one after the other. Nothing is allocated: a count is believed only
/// once the file is seen to hold that many.
class binary_sections {
 public:
  binary_sections(std::span<const std::byte> bytes, const std::string& path,
                  std::uint64_t at = 0) noexcept
      : bytes_(bytes), path_(path), at_(at) {}

  std::uint64_t at() const noexcept { return at_; }
  /// The next `count` integers. @param what  their name, for errors
  /// @errors truncated, with the byte where the section begins: the file ends before it does
  binary_column take(std::uint64_t count, unsigned width, const char* what);
  /// A single integer of 8 bytes. @errors as take()
  std::uint64_t take_number(const char* what);
  /// Pass zeros that align the next section. @errors truncated
  void align(unsigned width);
  /// @errors malformed, with the byte: the file goes on
  void finish() const;

 private:
  std::span<const std::byte> bytes_;
  const std::string& path_;
  std::uint64_t at_;
};

/// The rows of a graph in a file.
struct binary_rows {
  std::string path{};
  file_bytes content{};
  std::uint64_t nodes = 0, edges = 0;
  binary_column offsets{};         ///< [nodes + 1] where rows begin, or [nodes] where they end
  std::uint64_t first_offset = 0;  ///< of a row that begins at edge 0
  unsigned offset_unit = 1;        ///< by what an edge moves the offset
  binary_column neighbors{};       ///< [edges]
  binary_column edge_weights{};    ///< [edges], or none
  binary_column node_weights{};    ///< [nodes], or none
};

/// The graph of rows that have been laid over a file: edge i is entry i, from the row's node to the
/// neighbor; weights are features "weight" (int64). Edges and rows are read in place.
/// @errors malformed, with the byte: offsets that do not ascend from the first edge to the last;
///     out_of_range, with the byte: a neighbor that is no node
/// @complexity one pass over the file here; O(log nodes + edges) for each reading; no memory
streamed_graph stream_binary_rows(binary_rows rows);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/binary_rows.ipp>
#endif
