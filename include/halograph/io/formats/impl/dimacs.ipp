// SPDX-License-Identifier: BSL-1.0
/// @file dimacs.ipp
/// Bodies of the plain functions of io/formats/dimacs.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/arc_lines.hpp>
#include <halograph/io/formats/arc_stream.hpp>
#include <halograph/io/formats/dimacs.hpp>
#include <halograph/io/formats/edge_list.hpp>
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

namespace halograph::detail {

HALOGRAPH_INLINE std::pair<arc_lines, std::size_t> read_dimacs_header(std::string_view text,
                                                                      const std::string& file) {
  arc_lines out;
  out.format = {.delimiter = ' '};
  out.arc = 'a';
  out.comment = 'c';
  std::uint64_t line = 1;
  const auto fail = [&](error_kind code, std::string sentence) {
    raise(code, std::move(sentence), {.file = file, .line = line});
  };
  text_cursor cursor(text.data(), text.data() + text.size(), out.format);
  for (;; ++line, cursor.next_line()) {
    if (cursor.done()) fail(error_kind::truncated, "there is no line \"p sp NODES ARCS\"");
    cursor.skip_blanks();
    if (!cursor.at_line_end() && *cursor.at() != 'c') break;
  }
  if (*cursor.at() != 'p') {
    fail(error_kind::malformed,
         column_at(cursor.at(), cursor.end(), out.format) +
             " is found where a comment (c) or the line \"p sp NODES ARCS\" must be");
  }
  cursor.pass();
  cursor.skip_blanks();
  const std::string_view rest(cursor.at(), static_cast<std::size_t>(cursor.end() - cursor.at()));
  if (!rest.starts_with("sp ") && !rest.starts_with("sp\t")) {
    fail(error_kind::unsupported, "the problem is " +
                                      column_at(cursor.at(), cursor.end(), out.format) +
                                      "; it must be sp, as in \"p sp NODES ARCS\"");
  }
  cursor.pass();
  cursor.pass();
  std::uint64_t sizes[2] = {};
  for (auto& size : sizes) {
    if (!cursor.next_column() || cursor.unsigned_number(size) != text_fault::none ||
        size > most_file_ids)
      fail(error_kind::malformed, "the numbers of nodes and arcs must follow \"p sp\"; " +
                                      column_at(cursor.at(), cursor.end(), out.format) +
                                      " is found instead");
  }
  if (cursor.next_column())
    fail(error_kind::malformed, "nothing may follow the two numbers of \"p sp NODES ARCS\"");
  cursor.next_line();
  out.source = "a tail";
  out.target = "a head";
  out.sources = out.targets = sizes[0];
  out.announced = sizes[1];
  out.header_line = line;
  out.first_line = line + 1;
  return {out, static_cast<std::size_t>(cursor.at() - text.data())};
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_dimacs_graph(const std::string& path,
                                                    const any_file_opener& open,
                                                    executor_ref executor,
                                                    std::size_t piece_bytes) {
  file_bytes content = open_lines(open, path);
  const std::string_view text = detail::as_text(content.bytes);
  const auto [lines, arcs_at] = detail::read_dimacs_header(text, path);
  streamed_graph out;
  out.name = detail::stem_of(path);
  out.schema = graph_schema::homogeneous();
  out.node_counts = {lines.sources};
  detail::check_node_total<std::uint64_t>(out.schema, out.node_counts, path);
  detail::stream_arcs(out, std::move(content), path, lines, arcs_at, detail::arc_weights::integers,
                      detail::arc_mirror::none, executor, piece_bytes);
  return out;
}

}  // namespace halograph
