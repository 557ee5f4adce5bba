// SPDX-License-Identifier: BSL-1.0
/// @file matrix_market.ipp
/// Bodies of the plain functions of io/formats/matrix_market.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/arc_lines.hpp>
#include <halograph/io/formats/arc_stream.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/matrix_market.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE matrix_header read_matrix_header(std::string_view text, const std::string& file) {
  matrix_header out;
  out.lines.format = {.delimiter = ' ', .comments = true};
  out.lines.source = "a row";
  out.lines.target = "a column";
  std::uint64_t line = 1;
  const auto fail = [&](error_kind code, std::string sentence) {
    raise(code, std::move(sentence), {.file = file, .line = line});
  };
  // The banner: five words in any case.
  const std::string_view banner = text.substr(0, text.find('\n'));
  std::string words[5];
  std::size_t at = 0;
  for (auto& word : words) {
    while (at < banner.size() && (banner[at] == ' ' || banner[at] == '\t')) ++at;
    for (; at < banner.size() && banner[at] > ' ' && word.size() < 64; ++at)
      word += banner[at] >= 'A' && banner[at] <= 'Z' ? static_cast<char>(banner[at] - 'A' + 'a')
                                                     : banner[at];
  }
  if (words[0] != "%%matrixmarket" || words[1] != "matrix") {
    fail(error_kind::malformed,
         "the first line must be %%MatrixMarket matrix coordinate, a field and a symmetry");
  }
  if (words[2] != "coordinate") {
    fail(error_kind::unsupported, "the matrix is of the kind " + graph_schema::quoted(words[2]) +
                                      "; a graph must be of the kind coordinate");
  }
  if (words[3] == "pattern") {
    out.field = matrix_field::pattern;
  } else if (words[3] == "integer" || words[3] == "unsigned-integer") {
    out.field = matrix_field::integer;
  } else if (words[3] == "real" || words[3] == "double") {
    out.field = matrix_field::real;
  } else {
    fail(error_kind::unsupported, "the field is " + graph_schema::quoted(words[3]) +
                                      "; it must be pattern, integer or real");
  }
  if (words[4] == "general") {
    out.symmetry = matrix_symmetry::general;
  } else if (words[4] == "symmetric") {
    out.symmetry = matrix_symmetry::symmetric;
  } else if (words[4] == "skew-symmetric") {
    out.symmetry = matrix_symmetry::skew;
  } else {
    fail(error_kind::unsupported, "the symmetry is " + graph_schema::quoted(words[4]) +
                                      "; it must be general, symmetric or skew-symmetric");
  }
  text_cursor cursor(text.data(), text.data() + text.size(), out.lines.format);
  for (;; ++line, cursor.next_line()) {
    if (cursor.done()) fail(error_kind::truncated, "there is no line of rows, columns and entries");
    cursor.skip_blanks();
    if (!cursor.at_line_end()) break;
  }
  std::uint64_t sizes[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if ((i != 0 && !cursor.next_column()) || cursor.unsigned_number(sizes[i]) != text_fault::none ||
        sizes[i] > most_file_ids) {
      fail(error_kind::malformed,
           "the size line must hold the numbers of rows, columns and entries; its column " +
               std::to_string(i + 1) + " is " +
               column_at(cursor.at(), cursor.end(), out.lines.format));
    }
  }
  if (cursor.next_column())
    fail(error_kind::malformed,
         "the size line must hold the numbers of rows, columns and entries, and nothing else");
  if (out.symmetry != matrix_symmetry::general && sizes[0] != sizes[1]) {
    fail(error_kind::mismatch, "the matrix has " + std::to_string(sizes[0]) + " rows and " +
                                   std::to_string(sizes[1]) +
                                   " columns; a symmetric one must have as many of each");
  }
  cursor.next_line();
  out.lines.sources = sizes[0];
  out.lines.targets = sizes[1];
  out.lines.announced = sizes[2];
  out.lines.header_line = line;
  out.lines.first_line = line + 1;
  out.entries_at = static_cast<std::size_t>(cursor.at() - text.data());
  return out;
}

HALOGRAPH_INLINE graph_schema matrix_schema(const arc_lines& lines) {
  if (lines.sources == lines.targets) return graph_schema::homogeneous();
  graph_schema out;
  out.add_node_type("row");
  out.add_node_type("column");
  out.add_edge_type({"row", "entry", "column"});
  return out;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> matrix_node_counts(const arc_lines& lines) {
  if (lines.sources == lines.targets) return {lines.sources};
  return {lines.sources, lines.targets};
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_matrix_market(const std::string& path,
                                                     const any_file_opener& open,
                                                     executor_ref executor,
                                                     std::size_t piece_bytes) {
  file_bytes content = open_lines(open, path);
  const std::string_view text = detail::as_text(content.bytes);
  const detail::matrix_header header = detail::read_matrix_header(text, path);
  streamed_graph out;
  out.name = detail::stem_of(path);
  out.schema = detail::matrix_schema(header.lines);
  out.node_counts = detail::matrix_node_counts(header.lines);
  detail::check_node_total<std::uint64_t>(out.schema, out.node_counts, path);
  detail::stream_arcs(
      out, std::move(content), path, header.lines, header.entries_at,
      header.field == detail::matrix_field::pattern   ? detail::arc_weights::none
      : header.field == detail::matrix_field::integer ? detail::arc_weights::integers
                                                      : detail::arc_weights::numbers,
      header.symmetry == detail::matrix_symmetry::general ? detail::arc_mirror::none
      : header.symmetry == detail::matrix_symmetry::skew  ? detail::arc_mirror::negated
                                                          : detail::arc_mirror::same,
      executor, piece_bytes);
  return out;
}

}  // namespace halograph
