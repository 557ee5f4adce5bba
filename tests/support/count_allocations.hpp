// SPDX-License-Identifier: BSL-1.0
// Counts every call of operator new in an executable, and can make one of a thread fail; include it
// in one source file. All forms are replaced, because AddressSanitizer requires matching allocation
// and release. The size of a block is stored before it, so that live_bytes.hpp knows what is freed.
#pragma once

#include "support/live_bytes.hpp"
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

namespace detail {
constexpr std::size_t before_block = alignof(std::max_align_t);
static_assert(before_block >= sizeof(std::size_t));

inline void release(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const block = static_cast<std::byte*>(memory) - before_block;
  live_bytes -= *static_cast<std::size_t*>(block);
  std::free(block);
}
}  // namespace detail
}  // namespace halograph::testing

// Not inlined: GCC would warn that free() releases what operator new returned.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++halograph::testing::allocations;
  halograph::testing::allocated_bytes += bytes;
  if (halograph::testing::allocations_left != 0 && --halograph::testing::allocations_left == 0)
    return nullptr;
  constexpr std::size_t extra = halograph::testing::detail::before_block;
  void* const block = bytes + extra < bytes ? nullptr : std::malloc(bytes + extra);
  if (block == nullptr) return nullptr;
  *static_cast<std::size_t*>(block) = bytes;
  halograph::testing::add_live_bytes(bytes);
  return static_cast<std::byte*>(block) + extra;
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes, std::nothrow);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  halograph::testing::detail::release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  halograph::testing::detail::release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  halograph::testing::detail::release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  halograph::testing::detail::release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  halograph::testing::detail::release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  halograph::testing::detail::release(memory);
}
