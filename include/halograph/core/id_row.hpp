// SPDX-License-Identifier: BSL-1.0
/// @file id_row.hpp
/// Rows of IDs as batched calls take them: a vector, an array, a span, or anything else that lies in one piece.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <ranges>
#include <span>
#include <type_traits>

namespace halograph {

/// Contiguous IDs to read.
template <class Row>
concept id_row = std::ranges::contiguous_range<const Row> && std::ranges::sized_range<const Row> &&
                 id<std::ranges::range_value_t<const Row>>;

/// Contiguous IDs to write.
template <class Row>
concept id_output = std::ranges::contiguous_range<Row> && std::ranges::sized_range<Row> &&
                    id<std::ranges::range_value_t<Row>> &&
                    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Row>>>;

/// The row as a span.
template <id_row Row>
constexpr auto ids_of(const Row& row) noexcept {
  return std::span<const std::ranges::range_value_t<const Row>>(std::ranges::data(row), std::ranges::size(row));
}
template <class Row>
  requires id_output<Row>
constexpr auto ids_out(Row&& row) noexcept {
  return std::span<std::ranges::range_value_t<Row>>(std::ranges::data(row), std::ranges::size(row));
}

}  // namespace halograph
