// SPDX-License-Identifier: BSL-1.0
/// @file uninitialized.hpp
/// Arrays and vectors without initial values, so that the threads that fill them are also the first
/// to touch them.
/// Layer: core (allocates where it is asked to, no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/large_pages.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

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

/// Allocates for uninitialized_vector: what resize() adds has no initial value, and memory is in
/// large pages where the system has them.
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>)
struct uninitialized_allocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = uninitialized_allocator<U>;  ///< the allocator of another type
  };

  uninitialized_allocator() = default;
  /// That of another type has no state to copy.
  template <class U>
  constexpr uninitialized_allocator(const uninitialized_allocator<U>&) noexcept {}

  /// @errors std::bad_alloc, std::bad_array_new_length
  T* allocate(std::size_t size) {
    T* const at = std::allocator<T>::allocate(size);
    prefer_large_pages({reinterpret_cast<std::byte*>(at), size * sizeof(T)});
    return at;
  }
  /// Without arguments: no value.
  template <class U, class... Arguments>
  constexpr void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0)
      ::new (static_cast<void*>(at)) U;
    else
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A vector of which resize() and the constructor of a size leave the elements without values:
/// reading one before it is written is undefined.
template <class T>
using uninitialized_vector = std::vector<T, uninitialized_allocator<T>>;

}  // namespace halograph
