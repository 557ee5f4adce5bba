// SPDX-License-Identifier: BSL-1.0
/// @file tensor.hpp
/// An array of any dtype and rank, row-major, as a view or with memory of its own.
/// Layer: serial. Words: README.md.
///
/// Elements are in the machine's byte order in memory; files are little-endian and the readers and
/// writers swap where the machine differs.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Extents of a tensor, outermost first. Rank 0 is one element.
using tensor_shape = std::vector<std::uint64_t>;

/// Number of elements; 1 for rank 0. @pre the product fits (readers check before they build a
/// shape)
constexpr std::uint64_t element_count(std::span<const std::uint64_t> shape) noexcept {
  std::uint64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

/// Bytes of a tensor into `out`, 0 where an extent is 0.
/// @errors overflow: they, or those of one row, do not fit 64 bits
constexpr status tensor_bytes_into(std::span<const std::uint64_t> shape, dtype type,
                                   std::uint64_t& out) noexcept {
  // Extents of 0 are put aside, so that no row of an empty tensor wraps either.
  std::uint64_t bytes = item_bytes(type);
  bool empty = false;
  for (const auto extent : shape) {
    empty = empty || extent == 0;
    if (const status answer = multiply_into(bytes, extent == 0 ? 1 : extent, bytes); !answer)
      return answer;
  }
  out = empty ? 0 : bytes;
  return status::ok;
}

/// "(3, 2)", "(5,)", "()": as Python prints a shape.
std::string to_string(std::span<const std::uint64_t> shape);

namespace detail {

/// Copy rows ids[0], ids[1], ... of `width` bytes each, end to end, into `out`.
/// @param row_at  row_at(row): the first byte of a row
/// @errors out_of_range at i: ids[i] is not below `rows`; capacity: `out` is too small
template <class Id, class RowAt>
status gather_rows(std::span<const Id> ids, std::size_t width, std::uint64_t rows,
                   std::span<std::byte> out, const RowAt& row_at) noexcept {
  if (width != 0 && out.size() / width < ids.size()) return status::capacity.at(ids.size() * width);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<std::uint64_t>(ids[i]);
    if (row >= rows) return status::out_of_range.at(i);
    if (width != 0) std::memcpy(out.data() + i * width, row_at(row), width);
  }
  return status::ok;
}

}  // namespace detail

/// A tensor, viewing memory that something else keeps alive, or sharing the ownership of it.
/// Copying a tensor copies the handle, not the elements. Thread-safe to read from many threads.
class tensor {
 public:
  tensor() = default;

  /// View `data`. @param owner kept alive as long as any copy of the tensor is (a mapping, a
  /// buffer)
  /// @errors raises overflow: no memory holds such a shape; mismatch: `data` has another size than
  ///     it takes
  tensor(dtype type, tensor_shape shape, std::span<const std::byte> data,
         std::shared_ptr<const void> owner = {});

  /// Own a column of numbers: shape [values.size()].
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
  static tensor from(std::vector<T> values) {
    tensor_shape shape{values.size()};
    return from(std::move(values), std::move(shape));
  }
  /// Own an array of any shape. @pre element_count(shape) == values.size()
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
  static tensor from(std::vector<T> values, tensor_shape shape, dtype type = dtype_of<T>()) {
    auto owned = std::make_shared<std::vector<T>>(std::move(values));
    const auto bytes = std::as_bytes(std::span<const T>(*owned));
    return tensor(type, std::move(shape), bytes, std::move(owned));
  }

  /// Type of every element.
  dtype type() const noexcept { return type_; }
  /// Extents, outermost first; empty for rank 0; [0] for a default tensor.
  const tensor_shape& shape() const noexcept { return shape_; }
  /// Number of extents.
  std::size_t rank() const noexcept { return shape_.size(); }
  /// All elements, row-major, in the machine's byte order.
  std::span<const std::byte> bytes() const noexcept { return data_; }
  /// What keeps bytes() alive; null where the caller does.
  const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

  // A tensor is a feature store: rows by ID.
  /// First extent; 1 for rank 0.
  std::uint64_t rows() const noexcept { return shape_.empty() ? 1 : shape_[0]; }
  /// The shape of one row: the extents behind the first.
  std::span<const std::uint64_t> row_shape() const noexcept {
    return shape_.empty() ? std::span<const std::uint64_t>{}
                          : std::span<const std::uint64_t>(shape_).subspan(1);
  }
  /// Bytes of one row.
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape())) * item_bytes(type_);
  }
  /// Copy rows ids[0], ids[1], ... one behind the other into `out`.
  /// @errors out_of_range at i: ids[i] is no row; capacity: `out` is smaller than ids.size() rows
  template <class Id>
  status gather(std::span<const Id> ids, std::span<std::byte> out) const noexcept {
    const std::size_t width = row_bytes();
    return detail::gather_rows(ids, width, rows(), out,
                               [&](std::uint64_t row) { return data_.data() + row * width; });
  }

  /// Element i in row-major order, whatever the dtype among integers; a uint64 of 2^63 or more
  /// comes out negative.
  /// @errors raises out_of_range: no such element; mismatch: not an integer dtype
  std::int64_t integer(std::size_t i) const {
    switch (type_) {
      case dtype::int8:
        return element<std::int8_t>(i);
      case dtype::int16:
        return element<std::int16_t>(i);
      case dtype::int32:
        return element<std::int32_t>(i);
      case dtype::int64:
        return element<std::int64_t>(i);
      case dtype::uint8:
      case dtype::boolean:
        return element<std::uint8_t>(i);
      case dtype::uint16:
        return element<std::uint16_t>(i);
      case dtype::uint32:
        return element<std::uint32_t>(i);
      case dtype::uint64:
        return static_cast<std::int64_t>(element<std::uint64_t>(i));
      default:
        raise(error_kind::mismatch,
              "a tensor of dtype " + std::string(name(type_)) + " holds no integers");
    }
  }
  /// All elements as a column of T. @errors mismatch: T is not the element type
  template <class T>
  std::vector<T> values() const {
    if (sizeof(T) != item_bytes(type_) || is_floating(type_) != std::is_floating_point_v<T>) {
      raise(error_kind::mismatch,
            "a tensor of dtype " + std::string(name(type_)) + " is asked for as another");
    }
    std::vector<T> out(data_.size() / sizeof(T));
    if (!data_.empty()) std::memcpy(out.data(), data_.data(), data_.size());
    return out;
  }

  /// Same dtype, shape and bytes.
  friend bool operator==(const tensor& a, const tensor& b) noexcept {
    return a.type_ == b.type_ && a.shape_ == b.shape_ && a.data_.size() == b.data_.size() &&
           (a.data_.empty() || std::memcmp(a.data_.data(), b.data_.data(), a.data_.size()) == 0);
  }

 private:
  template <class T>
  T element(std::size_t i) const {
    if (i >= data_.size() / sizeof(T)) no_element(i);
    return detail::load_as<T>(data_.data() + i * sizeof(T));
  }
  [[noreturn]] void no_element(std::size_t i) const {
    raise(error_kind::out_of_range, "element " + std::to_string(i) + " of a tensor of shape " +
                                        to_string(shape_) + " does not exist");
  }

  dtype type_ = dtype::int64;
  tensor_shape shape_{0};
  std::span<const std::byte> data_{};
  std::shared_ptr<const void> owner_{};
};

/// A tensor and its name.
struct named_tensor {
  std::string name{};  ///< as in the file: "_ID", "paper/feat"
  tensor value{};      ///< the elements, or a view of them
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/tensor.ipp>
#endif
