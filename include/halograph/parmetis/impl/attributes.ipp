// SPDX-License-Identifier: BSL-1.0
/// @file attributes.ipp
/// Bodies of the plain functions of parmetis/attributes.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/cursor.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE text_fault take_element(text_cursor& cursor, dtype type, std::byte* out) noexcept {
  const auto store = [&](auto value) {
    std::memcpy(out, &value, sizeof value);
    return text_fault::none;
  };
  const text_cursor begin = cursor;
  const auto integer = [&](auto least_and_type, std::int64_t most) {
    using T = decltype(least_and_type);
    std::int64_t value = 0;
    if (const auto fault = cursor.signed_number(value); fault != text_fault::none) return fault;
    if (value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) && value <= most)
      return store(static_cast<T>(value));
    cursor = begin;
    return text_fault::out_of_range;
  };
  const auto floating = [&](auto kind, double& value) {
    using T = decltype(kind);
    const char* const digits = cursor.at() != cursor.end() && *cursor.at() == '+' ? cursor.at() + 1
                                                                                  : cursor.at();
    T read = 0;
    const auto [ptr, problem] = std::from_chars(digits, cursor.end(), read);
    if (problem == std::errc{}) {
      text_cursor after(ptr, cursor.end(), parmetis_text);
      if (after.at_column_end()) {
        cursor = after;
        value = static_cast<double>(read);
        return text_fault::none;
      }
    }
    // Underflow, overflow or not a number: handled as everywhere.
    if (const auto fault = cursor.floating_number(value); fault != text_fault::none) return fault;
    if (std::isfinite(static_cast<T>(value))) return text_fault::none;
    cursor = begin;
    return text_fault::overflow;
  };
  double value = 0;
  text_fault fault = text_fault::none;
  switch (type) {
    case dtype::int8:
      return integer(std::int8_t{}, std::numeric_limits<std::int8_t>::max());
    case dtype::int16:
      return integer(std::int16_t{}, std::numeric_limits<std::int16_t>::max());
    case dtype::int32:
      return integer(std::int32_t{}, std::numeric_limits<std::int32_t>::max());
    case dtype::int64:
      return integer(std::int64_t{}, std::numeric_limits<std::int64_t>::max());
    case dtype::uint8:
      return integer(std::uint8_t{}, std::numeric_limits<std::uint8_t>::max());
    case dtype::boolean:
      return integer(std::uint8_t{}, 1);
    case dtype::uint16:
      return integer(std::uint16_t{}, std::numeric_limits<std::uint16_t>::max());
    case dtype::uint32:
      return integer(std::uint32_t{}, std::numeric_limits<std::uint32_t>::max());
    case dtype::uint64: {
      std::uint64_t number = 0;
      fault = cursor.unsigned_number(number);
      return fault == text_fault::none ? store(number) : fault;
    }
    case dtype::float64:
      fault = floating(double{}, value);
      return fault == text_fault::none ? store(value) : fault;
    case dtype::float32:
      fault = floating(float{}, value);
      return fault == text_fault::none ? store(static_cast<float>(value)) : fault;
    case dtype::float16:
    case dtype::bfloat16:
      // As a double, so that it is rounded once; what overflows a float overflows these too.
      fault = floating(double{}, value);
      if (fault != text_fault::none) return fault;
      if (std::isfinite(value) && !std::isfinite(static_cast<float>(value))) {
        cursor = begin;
        return text_fault::overflow;
      }
      return store(type == dtype::float16 ? half_from_double(value) : bfloat16_from_double(value));
  }
  return text_fault::not_a_number;
}

HALOGRAPH_INLINE std::vector<parmetis_attribute> attribute_columns(
    const kept_texts& texts, std::size_t t, const std::vector<parmetis_attribute>& described,
    std::optional<dtype> asked, std::optional<std::uint64_t> first, bool& guess) {
  std::vector<parmetis_attribute> columns;
  for (const auto& one : described) {
    if (one.type == t) columns.push_back(one);
  }
  guess = described.empty() && !asked;
  if (described.empty() && first) {
    std::uint64_t width = 0;
    for (auto cursor = texts.cursor_at(*first); cursor.next_column(); ++width) {
      while (!cursor.at_column_end())
        cursor = text_cursor(cursor.at() + 1, cursor.end(), parmetis_text);
    }
    // DGL's name and shape: one row of all columns.
    if (width != 0) columns.push_back({static_cast<type_id>(t), "feat", dtype::int64, {width}});
  }
  if (asked) {
    for (auto& one : columns) one.element = *asked;
  }
  return columns;
}

HALOGRAPH_INLINE std::vector<tensor> parse_attributes(
    const kept_texts& texts, std::span<const std::uint64_t> places,
    const std::vector<parmetis_attribute>& columns, bool may_fail, executor_ref executor) {
  struct buffer {
    std::shared_ptr<std::vector<std::byte>> bytes;
    std::size_t row_bytes;
  };
  // Do not trust the schema: it must not decide how much is allocated.
  std::uint64_t width = 0, available = 0;
  for (const auto& one : columns) width += one.columns();
  for (std::size_t i = 0; i < texts.size(); ++i) available += texts[i].text().size();
  if (width != 0 && places.size() > available / width) {
    raise(error_kind::mismatch,
          "the schema gives a type " + std::to_string(width) + " attribute columns, which its " +
              std::to_string(places.size()) + " rows do not have",
          {.file = texts.size() == 0 ? std::string() : texts[0].file});
  }
  std::vector<buffer> buffers;
  for (const auto& one : columns) {
    const std::size_t row_bytes = static_cast<std::size_t>(one.columns()) * item_bytes(one.element);
    buffers.push_back(
        {std::make_shared<std::vector<std::byte>>(places.size() * row_bytes), row_bytes});
  }
  struct trouble {
    std::size_t row = std::numeric_limits<std::size_t>::max();
    text_fault fault = text_fault::none;
    std::uint64_t column = 0;
    dtype element = dtype::int64;
  } first;
  std::mutex mutex;
  executor.parallel_for(0, places.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      auto cursor = texts.cursor_at(places[i]);
      text_fault fault = text_fault::none;
      std::uint64_t column = 0;
      dtype element = dtype::int64;
      for (std::size_t f = 0; f < columns.size() && fault == text_fault::none; ++f) {
        element = columns[f].element;
        std::byte* to = buffers[f].bytes->data() + i * buffers[f].row_bytes;
        for (std::uint64_t c = 0; c < columns[f].columns() && fault == text_fault::none;
             ++c, to += item_bytes(element)) {
          ++column;
          fault = cursor.next_column() ? take_element(cursor, element, to)
                                       : text_fault::missing_column;
        }
      }
      if (fault == text_fault::none && cursor.next_column()) {
        fault = text_fault::unknown_column;
        ++column;
      }
      if (fault == text_fault::none) continue;
      const std::lock_guard lock(mutex);
      if (i < first.row) first = {i, fault, column, element};
      break;
    }
  });
  if (first.fault != text_fault::none) {
    if (may_fail && first.fault != text_fault::missing_column &&
        first.fault != text_fault::unknown_column)
      return {};
    const auto where = texts.line_of(places[first.row]);
    const std::string place = "attribute column " + std::to_string(first.column);
    switch (first.fault) {
      case text_fault::missing_column:
        raise(error_kind::malformed,
              "" + place + " is missing; this type has " + std::to_string(width) + " in every row",
              where);
      case text_fault::unknown_column:
        raise(error_kind::malformed,
              place + " is one too many; this type has " + std::to_string(width) + " in every row",
              where);
      case text_fault::not_a_number:
        raise(error_kind::malformed,
              place + " is not a number of dtype " + std::string(name(first.element)), where);
      default:
        raise(error_kind::out_of_range,
              place + " is out of the range of " + std::string(name(first.element)) + " ", where);
    }
  }
  std::vector<tensor> out;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    tensor_shape shape{places.size()};
    shape.insert(shape.end(), columns[f].row_shape.begin(), columns[f].row_shape.end());
    const auto& bytes = buffers[f].bytes;
    out.push_back(tensor(columns[f].element, std::move(shape), *bytes, bytes));
  }
  return out;
}

HALOGRAPH_INLINE void require_npy_dtypes(const std::vector<parmetis_attribute>& described,
                                         std::optional<dtype> asked) {
  const auto lacks = [](const parmetis_attribute& one) { return one.element == dtype::bfloat16; };
  if (asked ? *asked == dtype::bfloat16 : std::any_of(described.begin(), described.end(), lacks))
    raise(
        error_kind::unsupported,
        "attributes of dtype bfloat16 are converted by one rank alone, since .npy has no such dtype");
}

HALOGRAPH_INLINE parsed_attributes attributes_of_type(
    const kept_texts& texts, std::size_t t, const std::vector<parmetis_attribute>& described,
    std::optional<dtype> asked, std::span<const std::uint64_t> places,
    std::optional<std::uint64_t> first, function_ref<bool(bool)> any_rank, executor_ref executor) {
  parsed_attributes out;
  bool guess = false;
  out.columns = attribute_columns(texts, t, described, asked, first, guess);
  out.tensors = parse_attributes(texts, places, out.columns, guess, executor);
  if (guess && any_rank(out.tensors.empty() && !out.columns.empty())) {
    out.columns[0].element = dtype::float64;
    out.tensors = parse_attributes(texts, places, out.columns, false, executor);
  }
  return out;
}

}  // namespace halograph::detail
