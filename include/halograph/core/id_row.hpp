// SPDX-License-Identifier: BSL-1.0
/// @file id_row.hpp
/// Rows of IDs as batched calls take them: a vector, an array, a span, or any other
/// contiguous memory.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/unmet.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

namespace detail {
template <class Row>
concept is_contiguous = requires {  // one condition, see graph/concepts.hpp
  requires std::ranges::contiguous_range<Row> && std::ranges::sized_range<Row>;
};
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
/// An output's memory as a span.
template <class Row>
  requires id_output<Row>
constexpr auto ids_out(Row&& row) noexcept {
  return std::span<std::ranges::range_value_t<Row>>(std::ranges::data(row), std::ranges::size(row));
}

/// Any id_row, by reference: code that takes it is compiled once for all types of IDs. A parameter
/// type: the row must outlive it. The type is looked up once for each call below, not for each ID.
class any_id_row {
 public:
  /// No IDs.
  constexpr any_id_row() noexcept = default;
  /// @param row  must outlive this object and its copies
  template <class Row>
    requires(!std::same_as<Row, any_id_row> && id_row<Row>)
  constexpr any_id_row(const Row& row) noexcept
      : data_(std::ranges::data(row)),
        size_(std::ranges::size(row)),
        type_(number_of<std::ranges::range_value_t<const Row>>()) {}

  constexpr std::size_t size() const noexcept { return size_; }  ///< number of IDs

  /// Call f(span<const Id>) with the IDs as they are. @return what f returns, of one type for all
  template <class Function>
  decltype(auto) visit(Function&& f) const {
    switch (type_) {
      case 0:
        return f(as<signed char>());
      case 1:
        return f(as<unsigned char>());
      case 2:
        return f(as<short>());
      case 3:
        return f(as<unsigned short>());
      case 4:
        return f(as<int>());
      case 5:
        return f(as<unsigned int>());
      case 6:
        return f(as<long>());
      case 7:
        return f(as<unsigned long>());
      case 8:
        return f(as<long long>());
      default:
        return f(as<unsigned long long>());
    }
  }
  /// The position of the first ID that is negative, or `end` or more; size() if there is none.
  /// @complexity O(size())
  std::size_t find_outside(std::uint64_t end) const noexcept {
    return visit([&](auto ids) {
      std::size_t i = 0;
      while (i < ids.size() && std::in_range<std::uint64_t>(ids[i]) &&
             static_cast<std::uint64_t>(ids[i]) < end) {
        ++i;
      }
      return i;
    });
  }
  /// Convert the IDs from position `first` on, modulo 2^64. @pre first + out.size() <= size()
  /// @complexity O(out)
  void convert(std::size_t first, std::span<std::int64_t> out) const noexcept { copy(first, out); }
  /// The same, unsigned.
  void convert(std::size_t first, std::span<std::uint64_t> out) const noexcept { copy(first, out); }

 private:
  template <class Out>
  void copy(std::size_t first, std::span<Out> out) const noexcept {
    visit([&](auto ids) {
      const auto some = ids.subspan(first, out.size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(some[i]);
    });
  }
  template <class Id>
  std::span<const Id> as() const noexcept {
    return {static_cast<const Id*>(data_), size_};
  }
  template <class Id>
  static constexpr unsigned char number_of() noexcept {
    constexpr bool same[] = {std::same_as<Id, signed char>, std::same_as<Id, unsigned char>,
                             std::same_as<Id, short>,       std::same_as<Id, unsigned short>,
                             std::same_as<Id, int>,         std::same_as<Id, unsigned int>,
                             std::same_as<Id, long>,        std::same_as<Id, unsigned long>,
                             std::same_as<Id, long long>,   std::same_as<Id, unsigned long long>};
    for (unsigned char i = 0; i < 10; ++i) {
      if (same[i]) return i;
    }
    return 10;  // not reached: id allows no others
  }

  const void* data_ = nullptr;
  std::size_t size_ = 0;
  unsigned char type_ = 0;
};

}  // namespace halograph
