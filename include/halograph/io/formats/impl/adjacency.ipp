// SPDX-License-Identifier: BSL-1.0
/// @file adjacency.ipp
/// Bodies of the plain functions of io/formats/adjacency.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE adjacency_text::adjacency_text(std::string_view text, const std::string& file)
    : file_(file), cursor_(text.data(), text.data() + text.size(), {.delimiter = ' '}) {
  std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  weighted_ = word == "WeightedAdjacencyGraph";
  if (!weighted_ && word != "AdjacencyGraph")
    fail(error_kind::malformed,
         "the file must begin with AdjacencyGraph or WeightedAdjacencyGraph");
  for (std::size_t i = 0; i < word.size(); ++i) cursor_.pass();
  nodes_ = number("the number of nodes", most_file_ids);
  edges_ = number("the number of edges", most_file_ids);
  // Every number takes a digit and what separates it from the next.
  const auto left = static_cast<std::uint64_t>(cursor_.end() - cursor_.at()) / 2;
  if (nodes_ > left || edges_ > (left - nodes_) / (weighted_ ? 2 : 1)) {
    fail(error_kind::truncated, std::to_string(nodes_) + " nodes and " + std::to_string(edges_) +
                                    " edges are announced, but the file is too short for as many");
  }
}

HALOGRAPH_INLINE void adjacency_text::fail(error_kind code, std::string sentence) const {
  raise(code, std::move(sentence), {.file = file_, .line = line_});
}

HALOGRAPH_INLINE bool adjacency_text::next() {
  for (;;) {
    cursor_.skip_blanks();
    if (cursor_.done()) return false;
    if (!cursor_.at_line_end()) return true;
    cursor_.next_line();
    ++line_;
  }
}

HALOGRAPH_INLINE std::uint64_t adjacency_text::number(const char* what, std::uint64_t limit) {
  if (!next())
    fail(error_kind::truncated, std::string("the file ends where ") + what + " is expected");
  std::uint64_t value = 0;
  const auto fault = cursor_.unsigned_number(value);
  if (fault != text_fault::none || value >= limit) {
    fail(fault == text_fault::none || fault == text_fault::negative ? error_kind::out_of_range
         : fault == text_fault::overflow                            ? error_kind::overflow
                                                                    : error_kind::malformed,
         column_at(
             fault == text_fault::none ? cursor_.at() - std::to_string(value).size() : cursor_.at(),
             cursor_.end(), {.delimiter = ' '}) +
             " is found where " + what + " is expected, an integer below " + std::to_string(limit));
  }
  return value;
}

HALOGRAPH_INLINE weight_column adjacency_text::weights() {
  const text_cursor begin = cursor_;
  const std::uint64_t first_line = line_;
  std::vector<std::int64_t> integers(static_cast<std::size_t>(edges_));
  std::size_t read = 0;
  while (read < integers.size() && next() &&
         cursor_.signed_number(integers[read]) == text_fault::none)
    ++read;
  if (read == integers.size()) return integers;
  integers = {};
  cursor_ = begin;
  line_ = first_line;
  std::vector<double> numbers(static_cast<std::size_t>(edges_));
  for (auto& one : numbers) {
    if (!next()) fail(error_kind::truncated, "the file ends where a weight is expected");
    if (cursor_.floating_number(one) != text_fault::none)
      fail(error_kind::malformed, column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) +
                                      " is found where a weight is expected, a finite number");
  }
  return numbers;
}

HALOGRAPH_INLINE void adjacency_text::finish() {
  if (next())
    fail(error_kind::malformed, column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) +
                                    " follows the last number that the header announces");
}

}  // namespace halograph::detail
