// SPDX-License-Identifier: BSL-1.0
/// @file radix_sort.hpp
/// Sort by integer keys in linear time, stably.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// Sort items by key, ascending; items of equal key keep their order.
///
/// @param items    [N] in and out
/// @param scratch  [N] overwritten
/// @param key      unsigned 64-bit key of an item
/// @param largest  no key is larger; fewer bits, fewer passes
/// @return         false (and nothing done) where scratch is smaller than items
/// @tparam DigitBits bits sorted by in one pass, which takes 2^DigitBits words of stack
/// @complexity     O(N x bits of `largest` / DigitBits) time, by default 16 KiB of stack where
///     words have 64 bits
/// @repeatable     yes
/// @source         least significant digit radix sort (Knuth, The Art of Computer Programming 3,
///     5.2.5)
template <unsigned DigitBits = 11, class Item, class Key>
constexpr bool radix_sort(std::span<Item> items, std::span<Item> scratch, const Key& key,
                          std::uint64_t largest) {
  constexpr std::size_t digits = std::size_t{1} << DigitBits;
  if (scratch.size() < items.size()) return false;
  if (items.size() < 2) return true;
  std::span<Item> from = items, to = scratch.first(items.size());
  const auto bits = static_cast<unsigned>(std::bit_width(largest));
  for (unsigned shift = 0; shift < bits; shift += DigitBits) {
    std::array<std::size_t, digits> begin{};
    for (const Item& item : from) ++begin[(key(item) >> shift) & (digits - 1)];
    // A digit that all items share moves nothing.
    if (begin[(key(from[0]) >> shift) & (digits - 1)] == from.size()) continue;
    std::size_t sum = 0;
    for (auto& count : begin) {
      const std::size_t next = sum + count;
      count = sum;
      sum = next;
    }
    for (const Item& item : from) to[begin[(key(item) >> shift) & (digits - 1)]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
  return true;
}

}  // namespace halograph
