// SPDX-License-Identifier: BSL-1.0
/// @file large_pages.hpp
/// Memory in large pages, where the system has them, and vectors that are not zeroed.
/// Layer: core (allocates where it is asked to, no exceptions of its own). Words: README.md.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Ask the system to back memory by large pages before it is touched: what is read here and there
/// then misses the processor's table of pages less often, and takes fewer page faults to fill. A
/// hint; small memory is left alone.
inline void prefer_large_pages(std::span<std::byte> memory) noexcept {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t least = std::size_t{4} << 20, page = 4096;
  if (memory.size() < least) return;
  const auto skip = (page - reinterpret_cast<std::uintptr_t>(memory.data()) % page) % page;
  const int saved = errno;
  static_cast<void>(
      ::madvise(memory.data() + skip, (memory.size() - skip) / page * page, MADV_HUGEPAGE));
  errno = saved;
#else
  static_cast<void>(memory);
#endif
}

/// Make an empty vector one of `size` zeros, in large pages where the system has them.
template <class T>
  requires std::is_trivially_copyable_v<T>
void resize_in_large_pages(std::vector<T>& items, std::size_t size) {
  items.reserve(size);
  prefer_large_pages({reinterpret_cast<std::byte*>(items.data()), items.capacity() * sizeof(T)});
  items.resize(size);
}

// std::allocator comes with <vector>; <memory> would make each header that includes this one half a
// megabyte larger.

/// Allocates for uninitialized_vector: what resize() adds has no initial value, and memory is in
/// large pages where the system has them.
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>)
struct uninitialized_allocator : std::allocator<T> {
  /// The allocator of another type.
  template <class U>
  struct rebind {
    using other = uninitialized_allocator<U>;  ///< for U
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

/// A vector of which resize() and the constructor of a size leave the elements without values, so
/// that the threads that fill it are also the first to touch it: reading one before it is written
/// is undefined.
template <class T>
using uninitialized_vector = std::vector<T, uninitialized_allocator<T>>;

}  // namespace halograph
