// SPDX-License-Identifier: BSL-1.0
/// @file id_row.hpp
/// Rows of IDs as batched calls take them: a vector, an array, a span, or any other
/// contiguous memory.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/unmet.hpp>

#include <ranges>
#include <span>
#include <type_traits>

namespace halograph {

namespace detail {
template <class Row>
concept is_contiguous = std::ranges::contiguous_range<Row> && std::ranges::sized_range<Row>;
template <class Row>
concept may_be_written =
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Row>>>;
}  // namespace detail

/// Contiguous IDs to read.
template <class Row>
concept id_row =
    (detail::is_contiguous<const Row> ||
     unmet<"id_row: needs contiguous memory and a size, as a vector, array or span has">()) &&
    id<std::ranges::range_value_t<const Row>>;

/// Contiguous IDs to write.
template <class Row>
concept id_output =
    (detail::is_contiguous<Row> ||
     unmet<"id_output: needs contiguous memory and a size, as a vector, array or span has">()) &&
    id<std::ranges::range_value_t<Row>> &&
    (detail::may_be_written<Row> || unmet<"id_output: needs elements that are not const">());

/// The row as a span.
template <id_row Row>
constexpr auto ids_of(const Row& row) noexcept {
  return std::span<const std::ranges::range_value_t<const Row>>(std::ranges::data(row),
                                                                std::ranges::size(row));
}
template <class Row>
  requires id_output<Row>
constexpr auto ids_out(Row&& row) noexcept {
  return std::span<std::ranges::range_value_t<Row>>(std::ranges::data(row), std::ranges::size(row));
}

}  // namespace halograph
