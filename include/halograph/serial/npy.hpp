// SPDX-License-Identifier: BSL-1.0
/// @file npy.hpp
/// NumPy's `.npy` files: one array of any dtype and rank.
/// Layer: serial. Words: README.md.
///
/// | bytes | content |
/// | --- | --- |
/// | 0..5 | `93 4E 55 4D 50 59` ("\x93NUMPY") |
/// | 6, 7 | version: 1.0, 2.0 or 3.0 |
/// | 8.. | length of the header: 2 bytes (1.0) or 4 (2.0, 3.0), little-endian |
/// | .. | header: a Python dict with the keys 'descr', 'fortran_order' and 'shape', blanks, a newline |
/// | .. | the elements |
///
/// The header is Python source. Nothing of it is evaluated: only the form that NumPy writes is
/// understood, and everything else refused.
/// @source NEP 1 and numpy.lib.format
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// "<f4", "|b1": NumPy's word for a dtype, or "" for one it has not.
constexpr std::string_view npy_descr(dtype type) noexcept {
  switch (type) {
    case dtype::int8:
      return "|i1";
    case dtype::int16:
      return "<i2";
    case dtype::int32:
      return "<i4";
    case dtype::int64:
      return "<i8";
    case dtype::uint8:
      return "|u1";
    case dtype::uint16:
      return "<u2";
    case dtype::uint32:
      return "<u4";
    case dtype::uint64:
      return "<u8";
    case dtype::float16:
      return "<f2";
    case dtype::float32:
      return "<f4";
    case dtype::float64:
      return "<f8";
    case dtype::boolean:
      return "|b1";
    case dtype::bfloat16:
      return "";
  }
  return "";
}

/// Reads the header's dict, byte by byte.
class npy_header {
 public:
  npy_header(std::string_view text, int version, std::uint64_t start, const std::string& file)
      : text_(text), version_(version), start_(start), file_(file) {
    parse();
  }

  dtype type = dtype::int64;
  bool big_endian = false;
  bool fortran = false;
  tensor_shape shape{};

 private:
  [[noreturn]] void fail(const std::string& sentence,
                         error_kind code = error_kind::malformed) const {
    raise(code, sentence, {.file = file_, .line = {}, .byte = start_ + at_});
  }
  void blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool eat(char c);
  void expect(char c) {
    if (!eat(c)) fail(std::string("the array's header needs a '") + c + "' here");
  }
  std::string_view quoted();
  bool boolean();
  void read_descr();
  void read_shape();
  void parse();

  std::string_view text_;
  int version_;
  std::uint64_t start_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// What a .npy file begins with.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// Does the file begin as a .npy file does?
inline bool is_npy(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= npy_magic.size() &&
         std::memcmp(bytes.data(), npy_magic.data(), npy_magic.size()) == 0;
}

/// What a .npy file holds, before any element is read or moved.
struct npy_view {
  dtype type = dtype::int64;  ///< of every element
  tensor_shape shape{};       ///< outermost extent first; empty for rank 0
  bool column_major = false;  ///< `fortran_order`: the first extent runs fastest
  bool swapped = false;       ///< elements are in another byte order than this machine's
  std::span<const std::byte> elements{};  ///< as they lie in the file

  /// First extent; 1 for rank 0.
  std::uint64_t rows() const noexcept { return shape.empty() ? 1 : shape[0]; }
  /// Extents of one row: all but the first.
  std::span<const std::uint64_t> row_shape() const noexcept {
    return shape.empty() ? std::span<const std::uint64_t>{}
                         : std::span<const std::uint64_t>(shape).subspan(1);
  }
};

/// Understand a .npy file's header.
///
/// @param bytes  the file
/// @param file   its name, for errors
/// @errors malformed (at the byte), truncated, unsupported: objects, structures, strings, complex
///     numbers; overflow
/// @complexity O(header)
npy_view view_npy(std::span<const std::byte> bytes, const std::string& file);

/// Copy rows [first, last) of an array, row-major and in the machine's byte order, whatever the
/// file's.
/// @errors out_of_range: no such rows, or rank 0; capacity: `out` is smaller than they
/// @complexity O(bytes copied); column-major files are read in one stride for each element of a row
status npy_rows_into(const npy_view& array, std::uint64_t first, std::uint64_t last,
                     std::span<std::byte> out) noexcept;

/// Read one array: a view into `content` where the elements lie there in the machine's order and
/// row-major, memory of its own otherwise.
///
/// @param content  the file
/// @param file     its name, for errors
/// @errors as view_npy
/// @complexity O(header) for a view, O(bytes) where elements are reordered
tensor read_npy(const file_bytes& content, const std::string& file);

/// Where the bytes of a .npy file go: version 1.0, row-major, elements aligned to 64 bytes, as
/// NumPy writes it. The one section is named column::node_feature; what it holds is the caller's
/// business.
/// @errors unsupported: bfloat16, which NumPy has not; overflow: more than 2^63 - 1 bytes
file_layout npy_layout(std::string file, dtype type, tensor_shape shape);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/npy.ipp>
#endif
