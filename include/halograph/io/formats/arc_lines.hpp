// SPDX-License-Identifier: BSL-1.0
/// @file arc_lines.hpp
/// What the text formats share whose header announces how many lines of arcs follow, with IDs
/// from 1: Matrix Market and DIMACS.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::detail {

/// How the lines behind a header are read.
struct arc_lines {
  text_format format{};
  /// the letter before each arc, and the one of lines that are comments; NUL: neither
  char arc = '\0', comment = '\0';
  std::uint64_t sources = 0, targets = 0;  ///< IDs are from 1 to these
  const char* source = "a source";         ///< what the first number is, for errors
  const char* target = "a target";
  std::uint64_t announced = 0;    ///< arcs
  std::uint64_t header_line = 1;  ///< where they are announced
  std::uint64_t first_line = 1;   ///< the number of the text's first line
};

/// @errors truncated: the text is too short for as many arcs
void require_text_of(const arc_lines& lines, std::uint64_t bytes, std::uint64_t shortest,
                     const std::string& file);
/// @errors mismatch: there are more arcs or fewer
void require_announced(const arc_lines& lines, std::uint64_t arcs, const std::string& file);
/// What a column must be. @param weight  what the third number is
std::pair<std::string, error_kind> arc_column_needed(const arc_lines& lines,
                                                     const text_problem& problem,
                                                     const char* weight);
/// The letter of a line. @return 0: a comment; 1: an arc, the cursor is at its first number
int arc_letter(const arc_lines& lines, text_cursor& cursor, text_problem& problem) noexcept;

/// Bytes of the shortest line of an arc, its line end included.
constexpr std::size_t shortest_arc(const arc_lines& lines, bool weighted) noexcept {
  return (lines.arc != '\0' ? 6u : 4u) + (weighted ? 2u : 0u);
}

/// Parse lines of arcs, however many. @tparam Weight  std::int64_t, double, or void: no third
/// number is allowed
/// @pre Node can hold every ID below `sources` and `targets`
/// @errors malformed, out_of_range, overflow, always with the line
/// @complexity O(text.size()); memory of the result, and a slot for each line
template <class Weight, id Node>
edge_text<Node> parse_arcs(std::string_view text, const arc_lines& lines, const std::string& file,
                           executor_ref executor) {
  constexpr bool weighted = !std::is_void_v<Weight>;
  using weight_type = std::conditional_t<weighted, Weight, char>;
  auto pieces = cut_text(text, shortest_arc(lines, weighted), executor);
  edge_text<Node> out;
  std::vector<weight_type> weights;
  if constexpr (weighted)
    resize_columns(slots_of(pieces), executor, out.source, out.target, weights);
  else
    resize_columns(slots_of(pieces), executor, out.source, out.target);
  const auto parse = [&](text_cursor& cursor, std::size_t slot) -> text_problem {
    const unsigned first = lines.arc != '\0' ? 2 : 1;
    std::uint64_t u = 0, v = 0;
    const char* begin = cursor.at();
    if (const auto fault = cursor.unsigned_number(u); fault != text_fault::none)
      return {fault, first, begin};
    if (u - 1 >= lines.sources) return {text_fault::out_of_range, first, begin};
    if (!cursor.next_column()) return {text_fault::missing_column, first + 1, begin};
    begin = cursor.at();
    if (const auto fault = cursor.unsigned_number(v); fault != text_fault::none)
      return {fault, first + 1, begin};
    if (v - 1 >= lines.targets) return {text_fault::out_of_range, first + 1, begin};
    weight_type weight{};
    if constexpr (weighted) {
      if (!cursor.next_column()) return {text_fault::missing_column, first + 2, cursor.at()};
      text_fault fault;
      if constexpr (std::same_as<Weight, double>)
        fault = cursor.floating_number(weight);
      else
        fault = cursor.signed_number(weight);
      if (fault != text_fault::none) return {fault, first + 2, cursor.at()};
    }
    if (cursor.next_column())
      return {text_fault::unknown_column, first + (weighted ? 3 : 2), cursor.at()};
    out.source[slot] = static_cast<Node>(u - 1);
    out.target[slot] = static_cast<Node>(v - 1);
    if constexpr (weighted) weights[slot] = weight;
    return {};
  };
  executor.parallel_for(0, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      text_piece& piece = pieces[i];
      std::size_t slot = piece.first_slot;
      for (text_cursor cursor(piece.begin, piece.end, lines.format); !cursor.done();
           cursor.next_line()) {
        cursor.skip_blanks();
        if (cursor.at_line_end()) continue;
        text_problem problem;
        if (lines.arc != '\0' && arc_letter(lines, cursor, problem) == 0) continue;
        if (problem.fault == text_fault::none) problem = parse(cursor, slot);
        if (problem.fault != text_fault::none) {
          piece.problem = problem;
          break;
        }
        ++slot;
      }
      piece.records = slot - piece.first_slot;
    }
  });
  for (auto& piece : pieces) piece.first_line += lines.first_line - 1;
  raise_first_problem(pieces, lines.format, file, [&](const text_problem& problem) {
    return arc_column_needed(lines, problem,
                             !weighted                      ? ""
                             : std::same_as<Weight, double> ? "a finite number"
                                                            : "an integer of 64 bits");
  });
  close_gaps(out.source, pieces);
  close_gaps(out.target, pieces);
  if constexpr (weighted) {
    close_gaps(weights, pieces);
    out.weight = std::move(weights);
  }
  return out;
}

/// Parse as many lines of arcs as are announced.
/// @errors as parse_arcs(); mismatch, truncated: there are more or fewer
template <class Weight, id Node>
edge_text<Node> read_arcs(std::string_view text, const arc_lines& lines, const std::string& file,
                          executor_ref executor) {
  require_text_of(lines, text.size(), shortest_arc(lines, !std::is_void_v<Weight>), file);
  edge_text<Node> out = parse_arcs<Weight, Node>(text, lines, file, executor);
  require_announced(lines, out.source.size(), file);
  return out;
}

/// Append the mirror image of each entry that is not on the diagonal, in order.
template <id Node, class Weight>
void mirror_entries(edge_text<Node>& edges, std::vector<Weight>* weights, bool negated) {
  const std::size_t count = edges.source.size();
  std::size_t mirrored = 0;
  for (std::size_t i = 0; i < count; ++i) mirrored += edges.source[i] != edges.target[i] ? 1u : 0u;
  edges.source.reserve(count + mirrored);
  edges.target.reserve(count + mirrored);
  if (weights != nullptr) weights->reserve(count + mirrored);
  for (std::size_t i = 0; i < count; ++i) {
    const Node u = edges.source[i], v = edges.target[i];
    if (u == v) continue;
    edges.source.push_back(v);
    edges.target.push_back(u);
    // 0 - w, so that the integer without a counterpart does not overflow: it is its own negative
    // modulo 2^64.
    if (weights != nullptr) {
      const Weight w = (*weights)[i];
      if constexpr (std::is_integral_v<Weight>)
        weights->push_back(
            negated ? static_cast<Weight>(std::uint64_t{0} - static_cast<std::uint64_t>(w)) : w);
      else
        weights->push_back(negated ? -w : w);
    }
  }
}

/// The same, with weights of any type.
template <id Node>
void mirror_entries(edge_text<Node>& edges, bool negated) {
  if (auto* integers = std::get_if<std::vector<std::int64_t>>(&edges.weight))
    mirror_entries(edges, integers, negated);
  else
    mirror_entries(edges, std::get_if<std::vector<double>>(&edges.weight), negated);
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/arc_lines.ipp>
#endif
