// SPDX-License-Identifier: BSL-1.0
/// @file arc_lines.ipp
/// Bodies of the plain functions of io/formats/arc_lines.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/arc_lines.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE void require_text_of(const arc_lines& lines, std::uint64_t bytes,
                                      std::uint64_t shortest, const std::string& file) {
  // The last line may lack its end.
  if (lines.announced > (bytes + 1) / shortest) {
    raise(error_kind::truncated,
          std::to_string(lines.announced) + " edges are announced, but only " +
              std::to_string(bytes) + " bytes follow, too few for as many lines",
          {.file = file, .line = lines.header_line});
  }
}

HALOGRAPH_INLINE void require_announced(const arc_lines& lines, std::uint64_t arcs,
                                        const std::string& file) {
  if (arcs != lines.announced) {
    raise(error_kind::mismatch,
          std::to_string(lines.announced) + " edges are announced, but the file lists " +
              std::to_string(arcs),
          {.file = file, .line = lines.header_line});
  }
}

HALOGRAPH_INLINE std::pair<std::string, error_kind> arc_column_needed(const arc_lines& lines,
                                                                      const text_problem& problem,
                                                                      const char* weight) {
  const unsigned number = problem.column - (lines.arc != '\0' ? 1 : 0);
  const auto node = [](const char* what, std::uint64_t most) {
    return std::string(what) + (most == 0 ? ", of which there are none"
                                          : ", an integer from 1 to " + std::to_string(most));
  };
  if (problem.fault == text_fault::unknown_column) {
    return {number == 3 ? "two node IDs" : "two node IDs and a weight", error_kind::malformed};
  }
  if (number == 0) {
    return {"\"" + std::string(1, lines.arc) + "\" before an arc, or \"" +
                std::string(1, lines.comment) + "\" before a comment",
            error_kind::malformed};
  }
  if (number == 1) return {node(lines.source, lines.sources), error_kind::out_of_range};
  if (number == 2) return {node(lines.target, lines.targets), error_kind::out_of_range};
  return {"a weight, " + std::string(weight), error_kind::overflow};
}

HALOGRAPH_INLINE int arc_letter(const arc_lines& lines, text_cursor& cursor,
                                text_problem& problem) noexcept {
  const char* const begin = cursor.at();
  if (*begin == lines.comment) return 0;
  cursor.pass();
  if (*begin != lines.arc || !cursor.at_column_end())
    problem = {text_fault::not_a_number, 1, begin};
  else if (!cursor.next_column())
    problem = {text_fault::missing_column, 2, begin};
  return 1;
}

}  // namespace halograph::detail
