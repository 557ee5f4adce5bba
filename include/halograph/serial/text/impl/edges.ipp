// SPDX-License-Identifier: BSL-1.0
/// @file edges.ipp
/// Bodies of the plain functions of serial/text/edges.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::pair<std::string, error_kind> edge_column_needed(
    const text_problem& problem, const edge_text_options& options, std::uint64_t source_limit,
    std::uint64_t target_limit) {
  if (problem.column > 2) return {"a weight, a finite number", error_kind::overflow};
  const bool first = problem.column == 1;
  const std::uint64_t count = first ? options.source_count : options.target_count;
  const std::uint64_t limit = first ? source_limit : target_limit;
  std::string sentence = first ? "a source node ID" : "a target node ID";
  sentence += limit == 0 ? ", of which there are none"
                         : ", an integer from 0 to " + std::to_string(limit - 1);
  return {sentence, count != ~std::uint64_t{0} && limit == count ? error_kind::out_of_range
                                                                 : error_kind::overflow};
}

}  // namespace halograph::detail
