// SPDX-License-Identifier: BSL-1.0
/// @file matrix_market.ipp
/// Bodies of the plain functions of io/formats/matrix_market.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/matrix_market.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace halograph::detail
