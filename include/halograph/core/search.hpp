// SPDX-License-Identifier: BSL-1.0
/// @file search.hpp
/// Where a value falls among ascending boundaries: by halving, or in about one step through a
/// table.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

/// The unsigned integer in which boundaries of type Offset are compared: 32 bits where they
/// suffice, since small machines pay for more.
template <id Offset>
using search_value = std::conditional_t<sizeof(Offset) <= 4, std::uint32_t, std::uint64_t>;

/// How many entries are <= value: std::upper_bound as an index. The steps depend on the length
/// alone and none is a jump on data, so random questions cost what sorted ones do.
/// @param boundaries [n] ascending, none negative
/// @complexity O(log n)
template <id Offset>
constexpr std::size_t count_not_above(std::span<const Offset> boundaries,
                                      search_value<Offset> value) noexcept {
  using wide = search_value<Offset>;
  const Offset* const row = boundaries.data();
  std::size_t base = 0;
  std::size_t n = boundaries.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    const bool passed = static_cast<wide>(row[base + half - 1]) <= value;
    // A mask, not a choice: GCC 12 makes a jump of a choice, and random input mispredicts it.
    base += half & (std::size_t{0} - static_cast<std::size_t>(passed));
    n -= half;
  }
  if (n == 1) base += static_cast<std::size_t>(static_cast<wide>(row[base]) <= value);
  return base;
}

/// Which range a value is in, where boundaries are the first values of ranges and the end of the
/// last one. Ranges without values are passed over. Jumps on data: faster than count_not_above()
/// where most values fall where the one before fell, slower where they come in random order.
/// @param boundaries [n+1] ascending, none negative; n is at least 1
/// @return     0 to n-1: below the first boundary 0, from the last one on n-1
/// @complexity O(log n)
template <id Offset>
constexpr std::size_t range_of(std::span<const Offset> boundaries,
                               search_value<Offset> value) noexcept {
  const Offset* const row = boundaries.data();
  std::size_t base = 0;
  for (std::size_t n = boundaries.size() - 1; n > 1;) {
    const std::size_t half = n / 2;
    if (static_cast<search_value<Offset>>(row[base + half]) <= value) {
      base += half;
      n -= half;
    } else {
      n = half;
    }
  }
  return base;
}

/// Ascending boundaries with a table that leads next to the answer: the values below the last
/// boundary are cut into equal buckets, and the table keeps how many boundaries lie before each,
/// and whether more than one lies within. A bucket with at most one is answered by one comparison,
/// without a jump; in a fuller one the few are searched. Without a table everything is searched. A
/// view over the caller's memory; reading is safe from several threads.
template <id Offset>
class boundary_index {
 public:
  using value_type = search_value<Offset>;

  /// Entries of the table for n boundaries.
  static constexpr std::size_t memory_size(std::size_t n) noexcept { return buckets(n) + 1; }

  /// Fill a table.
  /// @param boundaries [n] ascending, none negative   @param table [memory_size(n)] out
  /// @errors capacity: the table is too small; overflow: n is 2^31 or more @complexity O(n)
  static constexpr status build(std::span<const Offset> boundaries,
                                std::span<std::uint32_t> table) noexcept {
    const std::size_t n = boundaries.size();
    if (table.size() < memory_size(n)) return status::capacity.at(memory_size(n));
    if (n >= several) return status::overflow.at(n);
    if (n == 0 || boundaries.back() == 0) return status::ok;  // there is nothing to ask for
    const boundary_index made(boundaries, table);
    const auto last = static_cast<value_type>(static_cast<value_type>(boundaries.back()) - 1);
    const auto used = static_cast<std::size_t>(last >> made.shift_) + 1;
    std::size_t k = 0;
    for (std::size_t b = 0; b < used; ++b) {
      const auto start = static_cast<value_type>(static_cast<value_type>(b) << made.shift_);
      while (static_cast<value_type>(boundaries[k]) < start)
        ++k;  // stops: the last boundary is above start
      table[b] = static_cast<std::uint32_t>(k);
      if (b != 0 && k - table[b - 1] > 1) table[b - 1] |= several;
    }
    table[used] = static_cast<std::uint32_t>(n - 1);
    if (n - 1 - table[used - 1] > 1) table[used - 1] |= several;
    return status::ok;
  }

  constexpr boundary_index() = default;
  /// Without a table.
  constexpr explicit boundary_index(std::span<const Offset> boundaries) noexcept
      : boundaries_(boundaries) {}
  /// With the table that build() made of the same boundaries. @complexity O(1)
  constexpr boundary_index(std::span<const Offset> boundaries,
                           std::span<const std::uint32_t> table) noexcept
      : boundaries_(boundaries), table_(table) {
    if (boundaries.empty()) return;
    const auto width = static_cast<int>(
        std::bit_width(static_cast<value_type>(static_cast<value_type>(boundaries.back()) - 1)));
    const int kept = static_cast<int>(std::bit_width(buckets(boundaries.size()))) - 1;
    shift_ = width > kept ? width - kept : 0;
  }

  /// As given; not copied.
  constexpr std::span<const Offset> boundaries() const noexcept { return boundaries_; }

  /// How many boundaries are <= value. @pre value < the last boundary
  /// @complexity expected O(1) with a table and boundaries spread evenly; at worst O(log n)
  constexpr std::size_t count_not_above(value_type value) const noexcept {
    if (table_.empty()) return halograph::count_not_above(boundaries_, value);
    const auto bucket = static_cast<std::size_t>(value >> shift_);
    return in_bucket(boundaries_.data(), table_.data() + bucket, value);
  }

  /// f(i, values[i], count_not_above(values[i])) for each i, ascending. Faster than one after the
  /// other where there is no table. f may write into `values` at place i and before.
  /// @pre values[i] is in [0, last boundary)
  template <id In, class Function>
  constexpr void for_each_count(std::span<const In> values, Function&& f) const noexcept {
    // Copied, since what f writes might be our members for all that the compiler knows.
    const Offset* const boundaries = boundaries_.data();
    const std::uint32_t* const table = table_.data();
    const In* const in = values.data();
    const std::size_t count = values.size(), n = boundaries_.size();
    std::size_t i = 0;
    if (!table_.empty()) {
      const int shift = shift_;
      const auto entry_of = [table, shift](In value) {
        return table + static_cast<std::size_t>(static_cast<value_type>(value) >> shift);
      };
      // Four with one jump among them: there is so little to do for each that jumps are much of it.
      constexpr std::size_t with_one_jump = 4;
      for (; count - i >= with_one_jump; i += with_one_jump) {
        In value[with_one_jump] = {};
        std::uint32_t low[with_one_jump] = {}, any = 0;
        for (std::size_t j = 0; j < with_one_jump; ++j) {
          value[j] = in[i + j];
          low[j] = *entry_of(value[j]);
          any |= low[j];
        }
        if (any < several) {
          for (std::size_t j = 0; j < with_one_jump; ++j)
            f(i + j, value[j], past(boundaries, low[j], static_cast<value_type>(value[j])));
        } else {
          for (std::size_t j = i; j < i + with_one_jump; ++j) {
            const In one = in[j];
            f(j, one, in_bucket(boundaries, entry_of(one), static_cast<value_type>(one)));
          }
        }
      }
      for (; i < count; ++i) {
        const In one = in[i];
        f(i, one, in_bucket(boundaries, entry_of(one), static_cast<value_type>(one)));
      }
      return;
    }
    // Each step of a search waits for the one before it; eight searches wait together.
    constexpr std::size_t together = 8;
    for (; count - i >= together; i += together) {
      In value[together] = {};
      value_type asked[together] = {};
      std::size_t base[together] = {};
      for (std::size_t j = 0; j < together; ++j) {
        value[j] = in[i + j];
        asked[j] = static_cast<value_type>(value[j]);
      }
      std::size_t left = n;
      for (; left > 1; left -= left / 2) {
        const std::size_t half = left / 2;
        for (std::size_t j = 0; j < together; ++j) {
          const bool passed = static_cast<value_type>(boundaries[base[j] + half - 1]) <= asked[j];
          base[j] += half & (std::size_t{0} - static_cast<std::size_t>(passed));
        }
      }
      for (std::size_t j = 0; j < together; ++j) {
        f(i + j, value[j],
          base[j] +
              static_cast<std::size_t>(static_cast<value_type>(boundaries[base[j]]) <= asked[j]));
      }
    }
    for (; i < count; ++i) {
      const In value = in[i];
      f(i, value, halograph::count_not_above(boundaries_, static_cast<value_type>(value)));
    }
  }

 private:
  // A power of two; fewer per boundary where the table would outgrow the caches anyway.
  static constexpr std::size_t buckets(std::size_t n) noexcept {
    return std::bit_ceil(n <= 4096 ? 8 * n : 2 * n);
  }

  // In a table's entry: more than one boundary lies in the bucket.
  static constexpr std::uint32_t several = std::uint32_t{1} << 31;

  static constexpr std::size_t in_bucket(const Offset* boundaries, const std::uint32_t* entry,
                                         value_type value) noexcept {
    const std::uint32_t low = *entry;
    if (low >= several) [[unlikely]] {
      const std::size_t first = low - several, last = entry[1] & (several - 1);
      return first + halograph::count_not_above(
                         std::span<const Offset>(boundaries + first, last - first), value);
    }
    return past(boundaries, low, value);
  }
  static constexpr std::size_t past(const Offset* boundaries, std::uint32_t low,
                                    value_type value) noexcept {
    return low + static_cast<std::size_t>(static_cast<value_type>(boundaries[low]) <= value);
  }

  std::span<const Offset> boundaries_{};
  std::span<const std::uint32_t> table_{};
  int shift_ = 0;
};

}  // namespace halograph
