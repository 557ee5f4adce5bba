// SPDX-License-Identifier: BSL-1.0
// Counts every call of operator new in an executable, and can make one of a thread fail; include it
// in one source file. All forms are replaced, because AddressSanitizer requires matching allocation
// and release.
#pragma once

#include "support/sure_rank.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace halograph::testing {
inline std::atomic<std::size_t> allocations{0}, allocated_bytes{0};

/// How often f() allocates.
template <class F>
std::size_t allocations_of(F&& f) {
  const std::size_t before = allocations;
  f();
  return allocations - before;
}
}  // namespace halograph::testing

// Not inlined: GCC would warn that free() releases what operator new returned.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++halograph::testing::allocations;
  halograph::testing::allocated_bytes += bytes;
  if (halograph::testing::allocations_left != 0 && --halograph::testing::allocations_left == 0)
    return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes, std::nothrow);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
