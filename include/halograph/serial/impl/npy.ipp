// SPDX-License-Identifier: BSL-1.0
/// @file npy.ipp
/// Bodies of the plain functions of serial/npy.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool npy_header::eat(char c) {
  blanks();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

HALOGRAPH_INLINE std::string_view npy_header::quoted() {
  blanks();
  if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
    fail(
        "the array's header needs a quoted word here; structured and object arrays are not supported",
        error_kind::unsupported);
  }
  const char quote = text_[at_++];
  const auto end = text_.find(quote, at_);
  if (end == std::string_view::npos) fail("a quoted word of the array's header does not end");
  const auto word = text_.substr(at_, end - at_);
  at_ = end + 1;
  return word;
}

HALOGRAPH_INLINE bool npy_header::boolean() {
  blanks();
  for (const bool value : {true, false}) {
    const std::string_view word = value ? "True" : "False";
    if (text_.substr(at_, word.size()) == word) {
      at_ += word.size();
      return value;
    }
  }
  fail("'fortran_order' must be True or False");
}

HALOGRAPH_INLINE void npy_header::read_descr() {
  blanks();
  const auto here = at_;
  const auto word = quoted();
  const auto known = [&](std::string_view kind) {
    for (int i = 0; i <= static_cast<int>(dtype::boolean); ++i) {
      const auto candidate = static_cast<dtype>(i);
      if (!npy_descr(candidate).empty() && npy_descr(candidate).substr(1) == kind)
        return std::optional(candidate);
    }
    return std::optional<dtype>();
  };
  const char order = word.empty() ? '?' : word[0];
  const auto found = word.size() == 3 ? known(word.substr(1)) : std::nullopt;
  if (!found || (order != '<' && order != '>' && order != '|' && order != '=')) {
    at_ = here;
    fail(
        "dtype '" + std::string(word.substr(0, 40)) +
            "' is not supported; it must be bool, an integer of 8 to 64 bits or a float of 16 to 64 bits",
        error_kind::unsupported);
  }
  type = *found;
  big_endian = order == '>' || (order == '=' && std::endian::native == std::endian::big);
}

HALOGRAPH_INLINE void npy_header::read_shape() {
  expect('(');
  while (!eat(')')) {
    blanks();
    std::uint64_t extent = 0;
    const auto first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (extent > (0x7FFFFFFFFFFFFFFFull - digit) / 10)
        fail("an extent of the shape does not fit 63 bits", error_kind::overflow);
      extent = extent * 10 + digit;
      ++at_;
    }
    if (at_ == first || (extent != 0 && text_[first] == '0'))
      fail("'shape' must be a tuple of numbers, 0 or more");
    if (version_ < 3 && at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
    shape.push_back(extent);
    if (shape.size() > 32) fail("the array has more than 32 dimensions", error_kind::unsupported);
    if (!eat(',')) {
      expect(')');
      if (shape.size() == 1) fail("'shape' must be a tuple: one extent has a comma behind it");
      return;
    }
  }
}

HALOGRAPH_INLINE void npy_header::parse() {
  bool descr = false, order = false, extents = false;
  expect('{');
  while (!eat('}')) {
    const auto key = quoted();
    expect(':');
    if (key == "descr" && !descr) {
      read_descr();
      descr = true;
    } else if (key == "fortran_order" && !order) {
      fortran = boolean();
      order = true;
    } else if (key == "shape" && !extents) {
      read_shape();
      extents = true;
    } else {
      fail("the array's header must have the keys 'descr', 'fortran_order' and 'shape', each once");
    }
    if (!eat(',')) {
      expect('}');
      break;
    }
  }
  // Python takes a blank behind a line feed for indentation.
  at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
  at_ = std::min(text_.find_first_not_of("\r\n", at_), text_.size());
  if (at_ != text_.size()) fail("the array's header continues after its end");
  if (!descr || !order || !extents)
    fail("the array's header must have the keys 'descr', 'fortran_order' and 'shape', each once");
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE npy_view view_npy(std::span<const std::byte> bytes, const std::string& file) {
  const auto fail = [&](error_kind code, const std::string& sentence, std::uint64_t byte) {
    raise(code, sentence, {.file = file, .line = {}, .byte = byte});
  };
  if (!is_npy(bytes))
    fail(error_kind::malformed, "this is not a .npy file; one begins with \\x93NUMPY", 0);
  if (bytes.size() < 10)
    fail(error_kind::truncated, "the file ends in the array's header", bytes.size());
  const int version = std::to_integer<int>(bytes[6]);
  const int minor = std::to_integer<int>(bytes[7]);
  if (version < 1 || version > 3 || minor != 0)
    fail(error_kind::unsupported,
         "version " + std::to_string(version) + "." + std::to_string(minor) +
             " of .npy is unknown; it must be 1.0, 2.0 or 3.0",
         6);
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (bytes.size() < prefix)
    fail(error_kind::truncated, "the file ends in the array's header", bytes.size());
  const std::uint64_t length = version == 1 ? load_le<std::uint16_t>(bytes.data() + 8)
                                            : load_le<std::uint32_t>(bytes.data() + 8);
  if (length > bytes.size() - prefix)
    fail(error_kind::truncated,
         "the array's header of " + std::to_string(length) + " bytes does not fit the file",
         bytes.size());
  const std::size_t start = prefix + static_cast<std::size_t>(length);
  detail::npy_header header(std::string_view(reinterpret_cast<const char*>(bytes.data()) + prefix,
                                             static_cast<std::size_t>(length)),
                            version, prefix, file);

  std::uint64_t size = 0;
  try {
    size = layout_builder::array_bytes(header.type, header.shape);
  } catch (const error& problem) {
    fail(problem.code(), problem.message(), prefix);
  }
  const std::uint64_t there = bytes.size() - start;
  if (there != size) {
    fail(there < size ? error_kind::truncated : error_kind::malformed,
         "an array of shape " + to_string(header.shape) + " and dtype " +
             std::string(name(header.type)) + " has " + std::to_string(size) + " bytes, but " +
             std::to_string(there) + " follow the header",
         start + std::min(size, there));
  }
  return {
      header.type, std::move(header.shape), header.fortran,
      item_bytes(header.type) > 1 && header.big_endian != (std::endian::native == std::endian::big),
      bytes.subspan(start, static_cast<std::size_t>(size))};
}

HALOGRAPH_INLINE status npy_rows_into(const npy_view& array, std::uint64_t first,
                                      std::uint64_t last, std::span<std::byte> out) noexcept {
  if (array.shape.empty() || first > last || last > array.rows())
    return status::out_of_range.at(last);
  const std::size_t width = item_bytes(array.type);
  const std::uint64_t columns = array.elements.empty() ? 0 : element_count(array.row_shape());
  const std::uint64_t count = last - first, bytes = count * columns * width;
  if (out.size() < bytes) return status::capacity.at(bytes);
  if (bytes == 0) return status::ok;
  if (!array.column_major || columns == 1) {
    std::memcpy(out.data(), array.elements.data() + first * columns * width,
                static_cast<std::size_t>(bytes));
  } else {
    for (std::uint64_t column = 0; column < columns; ++column) {
      // Column `column` of the row-major row is `place` of the column-major one, counted in rows.
      std::uint64_t place = 0, rest = column, stride = columns;
      for (std::size_t d = array.shape.size() - 1; d >= 1; --d) {
        stride /= array.shape[d];
        place += rest % array.shape[d] * stride;
        rest /= array.shape[d];
      }
      const std::byte* from = array.elements.data() + (place * array.rows() + first) * width;
      std::byte* to = out.data() + column * width;
      for (std::uint64_t row = 0; row < count; ++row, from += width, to += columns * width)
        std::memcpy(to, from, width);
    }
  }
  if (array.swapped) {
    for (std::byte* at = out.data(); at != out.data() + bytes; at += width)
      std::reverse(at, at + width);
  }
  return status::ok;
}

HALOGRAPH_INLINE tensor read_npy(const file_bytes& content, const std::string& file) {
  npy_view array = view_npy(content.bytes, file);
  const bool reorder = array.column_major && array.shape.size() > 1 && !array.elements.empty();
  if (!array.swapped && !reorder)
    return tensor(array.type, std::move(array.shape), array.elements, content.owner);
  auto owned = std::make_shared<std::vector<std::byte>>(array.elements.size());
  if (array.shape.empty()) {
    std::reverse_copy(array.elements.begin(), array.elements.end(), owned->begin());
  } else {
    check(npy_rows_into(array, 0, array.rows(), *owned), "rows of an array cannot be read");
  }
  const std::span<const std::byte> view(*owned);
  return tensor(array.type, std::move(array.shape), view, std::move(owned));
}

HALOGRAPH_INLINE file_layout npy_layout(std::string file, dtype type, tensor_shape shape) {
  const auto descr = detail::npy_descr(type);
  if (descr.empty()) {
    raise(error_kind::unsupported,
          "dtype " + std::string(name(type)) + " cannot be stored as .npy; convert it first",
          {.file = file});
  }
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  // 10 bytes in front, a newline at the end.
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  layout_builder out(std::move(file));
  out.text("\x93NUMPY").number(std::uint8_t{1}).number(std::uint8_t{0});
  out.number(checked_cast<std::uint16_t>(header.size(), "the length of a .npy header"))
      .text(header);
  out.array(column::node_feature, 0, type, std::move(shape));
  return std::move(out).finish();
}

}  // namespace halograph
