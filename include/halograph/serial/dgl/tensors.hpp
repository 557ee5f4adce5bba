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

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
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

inline constexpr std::uint64_t tensors_magic = 0xDD5A9FBE3FA2443F;
inline constexpr std::uint64_t graphs_magic = 0xDD2E4FF046B4A13F;

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

  [[noreturn]] void fail(errc code, std::string message, std::uint64_t where) const {
    raise(code, std::move(message), {.file = file_, .byte = where});
  }
  /// Malformed at the byte where the field just read starts.
  [[noreturn]] void malformed(std::string message) const {
    fail(errc::malformed, std::move(message), field_);
  }

  std::span<const std::byte> take(std::uint64_t count, std::string_view what) {
    field_ = position_;
    if (count > left()) {
      fail(errc::truncated,
           "the file ends inside " + std::string(what) + ", which takes " + std::to_string(count) +
               " bytes where " + std::to_string(left()) + " are left",
           position_);
    }
    position_ += count;
    return data_.bytes.subspan(static_cast<std::size_t>(field_), static_cast<std::size_t>(count));
  }

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
  std::uint64_t count(std::string_view what, std::uint64_t least) {
    const auto found = number<std::uint64_t>(what);
    if (found > left() / least) {
      fail(errc::truncated,
           std::string(what) + " is " + std::to_string(found) + ", but the " +
               std::to_string(left()) + " bytes left hold at most " +
               std::to_string(left() / least),
           field_);
    }
    return found;
  }

  /// An i64 that counts something.
  std::uint64_t extent(std::string_view what) {
    const auto found = number<std::int64_t>(what);
    if (found < 0)
      malformed(std::string(what) + " is " + std::to_string(found) + "; it must not be negative");
    return static_cast<std::uint64_t>(found);
  }

  std::string string(std::string_view what) {
    const std::uint64_t length = count(what, 1);
    const auto bytes = take(length, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// An array, as a view of the file (a copy only on big-endian machines).
  tensor array(std::string_view what) {
    magic(array_magic, "array");
    take(8, what);
    if (const auto device = number<std::int32_t>("a device type"); device != 1) {
      malformed("device type of " + std::string(what) + " is " + std::to_string(device) +
                "; it must be 1 (CPU)");
    }
    if (const auto device = number<std::int32_t>("a device number"); device != 0 && strict()) {
      malformed("device number of " + std::string(what) + " is " + std::to_string(device) +
                "; it must be 0");
    }
    const auto rank = number<std::int32_t>("a rank");
    if (rank < 0 || rank > most_dimensions) {
      malformed(std::string(what) + " has " + std::to_string(rank) +
                " dimensions; 0 to 32 are legal");
    }
    const auto code = number<std::uint8_t>("a dtype");
    const std::uint64_t dtype_at = field_;
    const auto bits = number<std::uint8_t>("a dtype");
    const auto lanes = number<std::uint16_t>("a dtype");
    const auto type = dtype_of_code(code, bits);
    if (!type || lanes != 1) {
      fail(errc::malformed,
           "dtype of " + std::string(what) + " has code " + std::to_string(code) + ", " +
               std::to_string(bits) + " bits, " + std::to_string(lanes) +
               " lanes, which is none of int8..int64, uint8..uint64, float16..float64, bfloat16",
           dtype_at);
    }
    tensor_shape shape;
    std::uint64_t bytes = item_bytes(*type);
    bool none = false;
    for (std::int32_t i = 0; i < rank; ++i) {
      shape.push_back(extent("an extent"));
      if (shape.back() == 0)
        none = true;
      else if (!multiply_into(bytes, shape.back(), bytes) ||
               bytes > std::numeric_limits<std::int64_t>::max()) {
        malformed("shape " + to_string(shape) + " of " + std::string(what) +
                  " has more than 2^63 - 1 bytes");
      }
    }
    if (none) bytes = 0;
    if (const std::uint64_t stated = extent("a size in bytes"); stated != bytes) {
      malformed(std::string(what) + " says to have " + std::to_string(stated) +
                " bytes, but shape " + to_string(shape) + " of " + std::string(name(*type)) +
                " takes " + std::to_string(bytes));
    }
    const auto data = take(bytes, what);
    if constexpr (std::endian::native == std::endian::big) {
      auto owned = std::make_shared<std::vector<std::byte>>(data.begin(), data.end());
      swap_elements_to_little_endian(*owned, item_bytes(*type));
      const std::span<const std::byte> view(*owned);
      return tensor(*type, std::move(shape), view, std::move(owned));
    } else {
      return tensor(*type, std::move(shape), data, data_.owner);
    }
  }

  /// A vec of (string, array).
  std::vector<named_tensor> named_arrays(std::string_view what) {
    const std::uint64_t many = count(what, 8 + least_array_bytes);
    std::vector<named_tensor> found;
    found.reserve(static_cast<std::size_t>(many));
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i < many; ++i) {
      places.push_back(position_);
      std::string key = string("a tensor's name");
      found.push_back({std::move(key), {}});
      found.back().value = array("tensor " + graph_schema::quoted(found.back().name));
    }
    settle_equal_keys(found, places);
    return found;
  }

 private:
  void settle_equal_keys(std::vector<named_tensor>& found,
                         const std::vector<std::uint64_t>& places) const {
    std::vector<std::size_t> order(found.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return found[a].name < found[b].name; });
    std::vector<bool> drop(found.size());
    bool any = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (found[order[i]].name != found[order[i - 1]].name) continue;
      if (strict()) {
        fail(errc::malformed,
             "tensor " + graph_schema::quoted(found[order[i]].name) +
                 " is there twice; names must differ",
             places[order[i]]);
      }
      drop[order[i - 1]] = any = true;
    }
    if (!any) return;
    std::vector<named_tensor> kept;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!drop[i]) kept.push_back(std::move(found[i]));
    }
    found = std::move(kept);
  }

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
inline void put_array_header(layout_builder& out, dtype type,
                             std::span<const std::uint64_t> shape) {
  const dtype_code code = code_of(type);
  out.number(array_magic).number(std::uint64_t{0}).number(std::int32_t{1}).number(std::int32_t{0});
  out.number(static_cast<std::int32_t>(shape.size()))
      .number(code.code)
      .number(code.bits)
      .number(std::uint16_t{1});
  for (const std::uint64_t extent : shape) out.number(extent);
  out.number(layout_builder::array_bytes(type, shape));
}

}  // namespace detail

/// One array of a file to be laid out, and what it is to its writer.
struct tensor_plan {
  std::string key{};
  dtype type = dtype::int64;  ///< boolean is stored as uint8
  tensor_shape shape{};       ///< rank 0 is stored as [1], since DGL reads rank 0 as garbage
  column what = column::node_feature;
  std::size_t item = 0;
};

namespace detail {

inline void put_array(layout_builder& out, const tensor_plan& plan) {
  tensor_shape shape = plan.shape.empty() ? tensor_shape{1} : plan.shape;
  if (shape.size() > static_cast<std::size_t>(most_dimensions)) {
    raise(errc::unsupported, "tensor " + graph_schema::quoted(plan.key) + " has " +
                                 std::to_string(shape.size()) +
                                 " dimensions; at most 32 can be stored");
  }
  put_array_header(out, stored_dtype(plan.type), shape);
  out.array(plan.what, plan.item, stored_dtype(plan.type), std::move(shape));
}

/// A vec of (string, array), sorted by key so that equal content makes equal bytes.
inline void put_named_arrays(layout_builder& out, std::vector<tensor_plan> plans) {
  std::sort(plans.begin(), plans.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  const auto twice = std::adjacent_find(
      plans.begin(), plans.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
  if (twice != plans.end()) {
    raise(errc::exists, "tensor " + graph_schema::quoted(twice->key) +
                            " is listed twice; names in a file must differ");
  }
  out.number(static_cast<std::uint64_t>(plans.size()));
  for (const tensor_plan& plan : plans) {
    put_string(out, plan.key);
    put_array(out, plan);
  }
}

}  // namespace detail

/// Lay out a tensor dictionary from names, dtypes and shapes; keys are sorted.
/// @param file  the name of the file without a folder
/// @errors exists: a key is there twice; unsupported: more than 32 dimensions; overflow
/// @complexity O(n log n) in the number of tensors
inline file_layout layout_tensors(std::string file, std::vector<tensor_plan> tensors) {
  layout_builder out(std::move(file));
  out.number(tensors_magic).number(static_cast<std::uint64_t>(tensors.size()));
  detail::put_named_arrays(out, std::move(tensors));
  return std::move(out).finish();
}

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
inline std::vector<named_tensor> read_tensors(const file_bytes& data, const std::string& file,
                                              strictness how = strictness::strict) {
  detail::cursor in(data, file, how);
  if (kind_of(data.bytes) == file_kind::graphs) {
    in.malformed("this is a DGL graph file, where a DGL tensor dictionary is needed");
  }
  in.magic(tensors_magic, "DGL tensor dictionary");
  const auto stated = in.number<std::uint64_t>("the number of tensors");
  const std::uint64_t second = in.position();
  auto found = in.named_arrays("the number of tensors");
  if (how == strictness::strict) {
    const auto counted = load_le<std::uint64_t>(data.bytes.data() + second);
    if (stated != counted) {
      in.fail(errc::malformed,
              "the number of tensors is " + std::to_string(stated) + " here and " +
                  std::to_string(counted) + " in the next field; they must be equal",
              8);
    }
    if (in.left() != 0) {
      in.fail(errc::malformed,
              std::to_string(in.left()) + " bytes follow the last tensor; the file must end there",
              in.position());
    }
  }
  return found;
}

}  // namespace halograph::dgl
