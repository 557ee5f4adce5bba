// SPDX-License-Identifier: BSL-1.0
/// @file uninitialized.hpp
/// An array without initial values, so that the threads that fill it are also the first to touch
/// it.
/// Layer: core (allocates where it is asked to, no exceptions of its own). Words: README.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

/// N elements without initial values, of a type that needs none. Move-only.
/// @complexity O(1) beyond what the allocator takes
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>)
class uninitialized_array {
 public:
  uninitialized_array() = default;
  /// @errors std::bad_alloc
  explicit uninitialized_array(std::size_t size)
      : data_(size == 0 ? nullptr : std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
  /// @{
  /// Moving empties `other`.
  uninitialized_array(uninitialized_array&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  uninitialized_array& operator=(uninitialized_array&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  /// @}

  std::size_t size() const noexcept { return size_; }  ///< number of elements
  /// @{
  /// All elements; reading one before it is written is undefined.
  std::span<T> values() noexcept { return {data_.get(), size_}; }
  std::span<const T> values() const noexcept { return {data_.get(), size_}; }
  /// @}
  /// @{
  /// @pre i < size()
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// @}

 private:
  std::unique_ptr<T[]> data_{};
  std::size_t size_ = 0;
};

}  // namespace halograph
