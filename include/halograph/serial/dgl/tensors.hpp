// SPDX-License-Identifier: BSL-1.0
/// @file tensors.hpp
/// DGL's tensor dictionaries: named arrays in one file (features, original IDs), written and read
/// as views.
/// Layer: serial. Words: README.md.
///
/// Everything is little-endian and packed, so that records start at odd offsets.
///
///     file      u64 magic 0xDD5A9FBE3FA2443F | u64 count | u64 count again
///               | count x (string, array)
///     string    u64 bytes | the bytes
///     array     u64 magic 0xDD5E40F096B4A13F | u64 reserved, 0 | i32 device type, 1
///               | i32 device number, 0 | i32 rank | u8 code | u8 bits | u16 lanes, 1
///               | i64 x rank extents | i64 bytes | data
///     dtype     code 0: int8 .. int64; 1: uint8 .. uint64 (bool is stored as uint8);
///               2: float16 .. float64; 4 with 16 bits: bfloat16
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::dgl {

/// How to read what DGL itself would read without a word. Structure is checked either way.
enum class strictness : std::uint8_t {
  strict,  ///< redundant fields must agree, nothing may follow the end, keys must differ
  lenient  ///< as DGL: redundant fields and trailing bytes are ignored, of equal keys the last
           ///< counts
};

/// What a file called `.dgl` is, by its first eight bytes.
enum class file_kind : std::uint8_t { other, tensors, graphs };

/// The first eight bytes of a tensor dictionary and of a graph file, as little-endian numbers.
/// @{
inline constexpr std::uint64_t tensors_magic = 0xDD5A9FBE3FA2443F;
inline constexpr std::uint64_t graphs_magic = 0xDD2E4FF046B4A13F;
/// @}

/// What a file is. @param bytes  its beginning, or all of it; fewer than 8 are file_kind::other
constexpr file_kind kind_of(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 8) return file_kind::other;
  const auto magic = load_le<std::uint64_t>(bytes.data());
  return magic == tensors_magic  ? file_kind::tensors
         : magic == graphs_magic ? file_kind::graphs
                                 : file_kind::other;
}

namespace detail {

inline constexpr std::uint64_t array_magic = 0xDD5E40F096B4A13F;
/// More dimensions than any array library makes.
inline constexpr std::int32_t most_dimensions = 32;
/// Bytes of an array of rank 0 without its element.
inline constexpr std::uint64_t least_array_bytes = 40;

struct dtype_code {
  std::uint8_t code;
  std::uint8_t bits;
};

constexpr dtype_code code_of(dtype type) noexcept {
  const auto bits = static_cast<std::uint8_t>(8 * item_bytes(type));
  switch (type) {
    case dtype::int8:
    case dtype::int16:
    case dtype::int32:
    case dtype::int64:
      return {0, bits};
    case dtype::uint8:
    case dtype::uint16:
    case dtype::uint32:
    case dtype::uint64:
    case dtype::boolean:
      return {1, bits};
    case dtype::float16:
    case dtype::float32:
    case dtype::float64:
      return {2, bits};
    case dtype::bfloat16:
      return {4, bits};
  }
  return {0, 0};
}

constexpr std::optional<dtype> dtype_of_code(std::uint8_t code, std::uint8_t bits) noexcept {
  for (int i = 0; i < static_cast<int>(dtype::boolean); ++i) {
    const auto type = static_cast<dtype>(i);
    if (code_of(type).code == code && code_of(type).bits == bits) return type;
  }
  return std::nullopt;
}

/// Reads the building blocks from front to back; every failure names the byte.
class cursor {
 public:
  cursor(const file_bytes& data, const std::string& file, strictness how)
      : data_(data), file_(file), how_(how) {}

  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t size() const noexcept { return data_.bytes.size(); }
  std::uint64_t left() const noexcept { return size() - position_; }
  bool strict() const noexcept { return how_ == strictness::strict; }
  /// @pre where <= size()
  void seek(std::uint64_t where) noexcept { position_ = where; }

  [[noreturn]] void fail(error_kind code, std::string message, std::uint64_t where) const {
    raise(code, std::move(message), {.file = file_, .byte = where});
  }
  /// Malformed at the byte where the field just read starts.
  [[noreturn]] void malformed(std::string message) const {
    fail(error_kind::malformed, std::move(message), field_);
  }

  std::span<const std::byte> take(std::uint64_t count, std::string_view what);

  template <std::integral T>
  T number(std::string_view what) {
    return load_le<T>(take(sizeof(T), what).data());
  }

  void magic(std::uint64_t expected, std::string_view what) {
    const auto found = number<std::uint64_t>(what);
    if (found != expected)
      malformed("no " + std::string(what) + " starts here; its magic number is missing");
  }

  /// A count of things of at least `least` bytes each, checked against what is left of the file.
  std::uint64_t count(std::string_view what, std::uint64_t least);

  /// An i64 that counts something.
  std::uint64_t extent(std::string_view what);

  std::string string(std::string_view what) {
    const std::uint64_t length = count(what, 1);
    const auto bytes = take(length, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// An array, as a view of the file (a copy only on big-endian machines).
  tensor array(std::string_view what);

  /// A vec of (string, array).
  std::vector<named_tensor> named_arrays(std::string_view what);

 private:
  void settle_equal_keys(std::vector<named_tensor>& found,
                         const std::vector<std::uint64_t>& places) const;

  const file_bytes& data_;
  const std::string& file_;
  strictness how_;
  std::uint64_t position_ = 0;
  std::uint64_t field_ = 0;
};

inline void put_string(layout_builder& out, std::string_view text) {
  out.number(static_cast<std::uint64_t>(text.size())).text(text);
}

/// An array's record up to its data.
void put_array_header(layout_builder& out, dtype type, std::span<const std::uint64_t> shape);

}  // namespace detail

/// One array of a file to be laid out, and what it is to its writer.
struct tensor_plan {
  std::string key{};          ///< its name in the file
  dtype type = dtype::int64;  ///< boolean is stored as uint8
  tensor_shape shape{};       ///< rank 0 is stored as [1], since DGL reads rank 0 as garbage
  column what = column::node_feature;  ///< section::what of its section
  std::size_t item = 0;                ///< section::item of its section
};

namespace detail {

void put_array(layout_builder& out, const tensor_plan& plan);

/// A vec of (string, array), sorted by key so that equal content makes equal bytes.
void put_named_arrays(layout_builder& out, std::vector<tensor_plan> plans);

}  // namespace detail

/// Lay out a tensor dictionary from names, dtypes and shapes; keys are sorted.
/// @param file  the name of the file without a folder
/// @errors exists: a key is there twice; unsupported: more than 32 dimensions; overflow
/// @complexity O(n log n) in the number of tensors
file_layout layout_tensors(std::string file, std::vector<tensor_plan> tensors);

/// Write tensors in memory as one file. @errors as layout_tensors(); those of the sink
template <byte_sink Sink>
void write_tensors(Sink& sink, std::span<const named_tensor> tensors,
                   std::string file = "tensors.dgl") {
  std::vector<tensor_plan> plans;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    plans.push_back({tensors[i].name, tensors[i].value.type(), tensors[i].value.shape(),
                     column::node_feature, i});
  }
  save(layout_tensors(std::move(file), std::move(plans)), sink,
       [&](const section& target) -> const tensor& { return tensors[target.item].value; });
}

/// Read a tensor dictionary; the tensors are views that keep `data.owner` alive.
/// @param file  what errors call it
/// @return      in the order of the file
/// @errors malformed, truncated: not what the format says, at a byte
/// @complexity O(n log n) in the number of tensors; data are not touched
std::vector<named_tensor> read_tensors(const file_bytes& data, const std::string& file,
                                       strictness how = strictness::strict);

}  // namespace halograph::dgl

#if !HALOGRAPH_COMPILED
#include <halograph/serial/dgl/impl/tensors.ipp>
#endif
