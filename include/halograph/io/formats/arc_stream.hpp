// SPDX-License-Identifier: BSL-1.0
/// @file arc_stream.hpp
/// Streams the lines of arcs of Matrix Market and DIMACS graphs, by pieces of their text.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/formats/arc_lines.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/text/edges.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halograph::detail {

/// What the third number of a line is.
enum class arc_weights : std::uint8_t { none, integers, numbers };
/// What follows the arcs: nothing, or the reverses of those that are no loops, with the same or the
/// negated weight.
enum class arc_mirror : std::uint8_t { none, same, negated };

/// Bytes of text that are parsed at once.
inline constexpr std::size_t arc_piece_bytes = std::size_t{1} << 22;

/// The pieces of a text of arcs. The piece parsed last is kept.
class arc_pieces {
 public:
  /// Parse all of the text, which finds errors and counts.
  /// @param begin     byte of the first line after the header   @param executor  for this pass
  /// @errors those of read_arcs()
  arc_pieces(file_bytes content, std::string path, const arc_lines& lines, std::size_t begin,
             arc_weights weights, arc_mirror mirror, executor_ref executor,
             std::size_t piece_bytes);

  std::uint64_t edges() const noexcept { return places_.back().arc + places_.back().mirrored; }

  /// f(piece, first, last): records [first, last) of a piece, piece after piece, that are edges
  /// `begin` to `end`.
  void each(std::uint64_t begin, std::uint64_t end,
            function_ref<void(const edge_text<std::uint64_t>&, std::size_t, std::size_t)> f);

 private:
  struct place {
    std::size_t byte = 0;  // of the text's bytes
    std::uint64_t line = 1;
    std::uint64_t arc = 0, mirrored = 0;  // that precede it
  };
  /// Parse a piece: its arcs, and after them those that are mirrored. @return the number of arcs
  std::size_t parse(const place& from, std::size_t end, executor_ref executor = {});
  const edge_text<std::uint64_t>& piece(std::size_t i);

  file_bytes content_;
  std::string path_;
  arc_lines lines_;
  arc_weights weights_;
  arc_mirror mirror_;
  std::vector<place> places_{};  // of each piece, then the end of the text
  std::size_t kept_ = ~std::size_t{0};
  edge_text<std::uint64_t> edges_{};
};

/// The edges of the only edge type of a graph whose names and node counts the caller knows, and
/// their feature "weight".
void stream_arcs(streamed_graph& out, file_bytes content, const std::string& path,
                 const arc_lines& lines, std::size_t begin, arc_weights weights, arc_mirror mirror,
                 executor_ref executor, std::size_t piece_bytes);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/arc_stream.ipp>
#endif
