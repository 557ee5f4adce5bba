// SPDX-License-Identifier: BSL-1.0
/// @file edges.hpp
/// Parse an edge list.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// What the third column of an edge list is.
enum class edge_weights : std::uint8_t {
  ignored,   ///< ignored, like any further column
  detected,  ///< a weight if the first record has it; then all records must have it, else none may
  required   ///< a weight, in every record
};

/// What read_edges() accepts.
struct edge_text_options {
  text_format format{};                            ///< how columns are separated
  std::uint64_t source_count = ~std::uint64_t{0};  ///< IDs of the first column are below it
  std::uint64_t target_count = ~std::uint64_t{0};  ///< IDs of the second column are below it
  edge_weights weights = edge_weights::ignored;    ///< what the third column is
};

/// Weights: none, integers, or floating-point numbers if one of them is not an integer.
using weight_column = std::variant<std::monostate, std::vector<std::int64_t>, std::vector<double>>;

/// An edge list from text.
template <id Node = std::uint64_t>
struct edge_text {
  std::vector<Node> source{};  ///< [E] first column
  std::vector<Node> target{};  ///< [E] second column
  weight_column weight{};      ///< [E] third column, if requested and present
};

namespace detail {

/// The source and the target of a record.
inline text_problem parse_edge(text_cursor& cursor, std::uint64_t source_limit,
                               std::uint64_t target_limit, std::uint64_t& u,
                               std::uint64_t& v) noexcept {
  const char* begin = cursor.at();
  if (const auto fault = cursor.unsigned_number(u); fault != text_fault::none)
    return {fault, 1, begin};
  if (u >= source_limit) return {text_fault::out_of_range, 1, begin};
  if (!cursor.next_column()) return {text_fault::missing_column, 2, begin};
  begin = cursor.at();
  if (const auto fault = cursor.unsigned_number(v); fault != text_fault::none)
    return {fault, 2, begin};
  if (v >= target_limit) return {text_fault::out_of_range, 2, begin};
  return {};
}

/// What a column of an edge list must be, and the code of a number that is not.
std::pair<std::string, error_kind> edge_column_needed(const text_problem& problem,
                                                      const edge_text_options& options,
                                                      std::uint64_t source_limit,
                                                      std::uint64_t target_limit);

/// Fast path for two columns of IDs. @return the position after the second, or null if an ID is not
/// below its limit or the syntax is not plain
[[gnu::always_inline]] inline const char* plain_edge(const char* p, char separator,
                                                     std::uint64_t source_limit,
                                                     std::uint64_t target_limit, std::uint64_t& u,
                                                     std::uint64_t& v) noexcept {
  const unsigned u_digits = text_cursor::plain_number(p, u);
  p += u_digits;
  if (u_digits == 0 || *p != separator || u >= source_limit) return nullptr;
  ++p;
  const unsigned v_digits = text_cursor::plain_number(p, v);
  return v_digits == 0 || v >= target_limit ? nullptr : p + v_digits;
}

template <class Weight, id Node>
text_problem read_edges_into(std::string_view text, const edge_text_options& options,
                             const std::string& file, edge_text<Node>& out, executor_ref executor) {
  constexpr bool weighted = !std::is_void_v<Weight>;
  using weight_type = std::conditional_t<weighted, Weight, char>;
  // An ID that Node cannot hold is an overflow, even if the caller's count allows it.
  const std::uint64_t source_limit = std::min(options.source_count, id_capacity<Node>());
  const std::uint64_t target_limit = std::min(options.target_count, id_capacity<Node>());
  auto pieces = cut_text(text, 4, executor, &options.format);
  const char* const text_end = text.data() + text.size();
  std::vector<weight_type> weights;
  if constexpr (weighted)
    resize_columns(slots_of(pieces), executor, out.source, out.target, weights);
  else
    resize_columns(slots_of(pieces), executor, out.source, out.target);
  Node* const source = out.source.data();
  Node* const target = out.target.data();
  weight_type* const weight = weights.data();
  const bool no_weight_allowed = options.weights == edge_weights::detected && !weighted;
  const bool columns_ignored = options.weights == edge_weights::ignored;

  const auto plain = [=](const char* p, std::size_t slot, char separator) noexcept -> const char* {
    std::uint64_t u = 0, v = 0;
    p = plain_edge(p, separator, source_limit, target_limit, u, v);
    if (p == nullptr) return nullptr;
    if constexpr (std::same_as<Weight, std::int64_t>) {
      if (*p != separator) return nullptr;
      ++p;
      const bool negative = *p == '-';
      p += negative ? 1 : 0;
      std::uint64_t w = 0;
      const unsigned w_digits = text_cursor::plain_number(p, w);
      if (w_digits == 0 || w > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return nullptr;
      p = text_cursor::after_line_end(p + w_digits);
      if (p == nullptr) return nullptr;
      weight[slot] = static_cast<std::int64_t>(negative ? std::uint64_t{0} - w : w);
    } else if constexpr (weighted) {
      return nullptr;
    } else {
      p = after_plain_line(p, text_end, separator, columns_ignored);
      if (p == nullptr) return nullptr;
    }
    source[slot] = static_cast<Node>(u);
    target[slot] = static_cast<Node>(v);
    return p;
  };
  parse_pieces(
      pieces, options.format, executor,
      [=](text_cursor& cursor, std::size_t slot) -> text_problem {
        std::uint64_t u = 0, v = 0;
        if (const auto problem = parse_edge(cursor, source_limit, target_limit, u, v);
            problem.fault != text_fault::none)
          return problem;
        source[slot] = static_cast<Node>(u);
        target[slot] = static_cast<Node>(v);
        if constexpr (weighted) {
          if (!cursor.next_column()) return {text_fault::missing_column, 3, cursor.at()};
          text_fault fault;
          if constexpr (std::same_as<Weight, double>)
            fault = cursor.floating_number(weight[slot]);
          else
            fault = cursor.signed_number(weight[slot]);
          if (fault != text_fault::none) return {fault, 3, cursor.at()};
        } else if (no_weight_allowed) {
          if (cursor.next_column()) return {text_fault::mixed_columns, 3, cursor.at()};
        }
        return {};
      },
      plain);
  for (const auto& piece : pieces) {
    if (piece.problem.fault == text_fault::none) continue;
    // A column of integers may turn out to be one of floating-point numbers.
    if constexpr (std::same_as<Weight, std::int64_t>) {
      if (piece.problem.column == 3 && (piece.problem.fault == text_fault::not_a_number ||
                                        piece.problem.fault == text_fault::overflow)) {
        return piece.problem;
      }
    }
    break;
  }
  raise_first_problem(pieces, options.format, file, [&](const text_problem& problem) {
    return edge_column_needed(problem, options, source_limit, target_limit);
  });
  close_gaps(out.source, pieces);
  close_gaps(out.target, pieces);
  if constexpr (weighted) {
    close_gaps(weights, pieces);
    out.weight = std::move(weights);
  }
  return {};
}

/// Does the first record have a third column?
inline bool first_record_has_third_column(std::string_view text, text_format format) noexcept {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text_cursor cursor(text.data(), text.data() + text.size(), format);
  while (!cursor.done()) {
    cursor.skip_blanks();
    if (!cursor.at_line_end()) {
      std::uint64_t ignored = 0;
      return cursor.unsigned_number(ignored) == text_fault::none && cursor.next_column() &&
             cursor.unsigned_number(ignored) == text_fault::none && cursor.next_column();
    }
    cursor.next_line();
  }
  return false;
}

}  // namespace detail

/// Parse an edge list: each line holds a source and a target node ID, optionally a weight; further
/// columns are ignored.
///
/// @param text  the file's bytes
/// @param file  its name, for errors
/// @return      [E] columns, edge e from the (e+1)-th line that holds a record
/// @errors malformed, out_of_range (an ID not below its count, or negative), overflow (an ID that
///     Node cannot hold); always with the line. invalid_argument: a delimiter that can be part of a
///     number
/// @complexity  O(text.size()) time; memory of the result; lines without a record take none
template <id Node = std::uint64_t>
edge_text<Node> read_edges(std::span<const std::byte> text, const std::string& file,
                           const edge_text_options& options = {}, executor_ref executor = {}) {
  detail::check_format(options.format);
  const std::string_view view = detail::as_text(text);
  edge_text<Node> out;
  if (options.weights == edge_weights::required ||
      (options.weights == edge_weights::detected &&
       detail::first_record_has_third_column(view, options.format))) {
    const auto problem = detail::read_edges_into<std::int64_t>(view, options, file, out, executor);
    if (problem.fault != detail::text_fault::none) {
      static_cast<void>(detail::read_edges_into<double>(view, options, file, out, executor));
    }
  } else {
    static_cast<void>(detail::read_edges_into<void>(view, options, file, out, executor));
  }
  return out;
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template edge_text<std::uint32_t> read_edges<std::uint32_t>(std::span<const std::byte>,
                                                                   const std::string&,
                                                                   const edge_text_options&,
                                                                   executor_ref);
extern template edge_text<std::uint64_t> read_edges<std::uint64_t>(std::span<const std::byte>,
                                                                   const std::string&,
                                                                   const edge_text_options&,
                                                                   executor_ref);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/edges.ipp>
#endif
