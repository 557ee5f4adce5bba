// SPDX-License-Identifier: BSL-1.0
/// @file large_pages.hpp
/// Memory in large pages, where the system has them.
/// Layer: core (a hint to the system, without exceptions of its own). Words: README.md.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
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

}  // namespace halograph
