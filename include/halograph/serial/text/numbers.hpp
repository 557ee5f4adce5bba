// SPDX-License-Identifier: BSL-1.0
/// @file numbers.hpp
/// Write numbers as text: integers, columns and edge lists.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace halograph {

/// Append an integer as decimal digits.
template <std::integral T>
  requires(!std::same_as<T, bool>)
void append_number(std::string& out, T value) {
  char buffer[24];
  if constexpr (sizeof(T) == 1) {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<int>(value)).ptr);
  } else {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

namespace detail {

/// The four digits of every number below 10^4, zeros in front included, the first one in the lowest
/// byte, each a value from 0 to 9. A template, so that it is compiled only where it is used.
template <bool There>
struct four_digits {
  struct table {
    std::uint32_t of[10000];
  };
  static constexpr table make() noexcept {
    table out{};
    for (std::uint32_t value = 0; value < 10000; ++value) {
      out.of[value] = value / 1000 | value / 100 % 10 << 8 | value / 10 % 10 << 16 |
                      value % 10 << 24;
    }
    return out;
  }
  static constexpr table all = make();
};

/// Up to four digits, without zeros in front. @param out 4 bytes, all of which may be written
/// @return behind the last one
template <bool There = true>
char* write_digits(char* out, std::uint32_t value) noexcept {
  const std::uint32_t digits = four_digits<There>::all.of[value];
  const auto dropped = static_cast<unsigned>(std::countr_zero(digits | std::uint32_t{1} << 24)) &
                       ~7u;
  const std::uint32_t characters = (digits | 0x30303030u) >> dropped;
  std::memcpy(out, &characters, 4);
  return out + (4 - dropped / 8);
}
/// Four digits, zeros in front included.
template <bool There = true>
char* write_four_digits(char* out, std::uint32_t value) noexcept {
  const std::uint32_t characters = four_digits<There>::all.of[value] | 0x30303030u;
  std::memcpy(out, &characters, 4);
  return out + 4;
}
/// More than eight digits. Not inlined, so that the code for shorter numbers is.
template <bool There = true>
[[gnu::noinline]] char* write_long_number(char* out, std::uint64_t value) noexcept {
  constexpr std::uint64_t unit = 100000000;
  const std::uint64_t high = value / unit;
  const auto low = static_cast<std::uint32_t>(value % unit);
  if (high < 10000) {
    out = write_digits<There>(out, static_cast<std::uint32_t>(high));
  } else {
    const std::uint64_t front = high / 10000;
    if (front < 10000) {
      out = write_digits<There>(out, static_cast<std::uint32_t>(front));
    } else {
      out = write_digits<There>(out, static_cast<std::uint32_t>(front / 10000));
      out = write_four_digits<There>(out, static_cast<std::uint32_t>(front % 10000));
    }
    out = write_four_digits<There>(out, static_cast<std::uint32_t>(high % 10000));
  }
  return write_four_digits<There>(write_four_digits<There>(out, low / 10000), low % 10000);
}

/// Write a number as decimal digits. @param out 24 bytes, all of which may be written @return
/// behind the last digit
template <std::integral T>
char* write_number(char* out, T value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    auto rest = static_cast<std::uint64_t>(value);
    if constexpr (std::is_signed_v<T>) {  // without a branch: signs are unpredictable
      const std::uint64_t negative = rest >> 63;
      *out = '-';
      out += negative;
      rest = (rest ^ (std::uint64_t{0} - negative)) + negative;
    }
    // Four digits cost a load. Most numbers of a column have similar lengths, so the branches are
    // predictable.
    if (rest < 10000) return write_digits(out, static_cast<std::uint32_t>(rest));
    if (rest < 100000000) {
      const auto few = static_cast<std::uint32_t>(rest);
      return write_four_digits(write_digits(out, few / 10000), few % 10000);
    }
    return write_long_number(out, rest);
  } else {
    using printed = std::conditional_t<sizeof(T) == 1, int, T>;  // not a character
    return std::to_chars(out, out + 24, static_cast<printed>(value)).ptr;
  }
}

/// Append `count` lines through a small buffer. line(out, i) writes the i-th and returns its end.
/// @param longest  the most bytes that a line may write
template <class Line>
void append_lines(std::string& out, std::size_t count, std::size_t longest, Line line) {
  char buffer[8192];
  const std::size_t at_once = sizeof buffer / longest;
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t last = std::min(count, first + at_once);
    char* at = buffer;
    for (std::size_t i = first; i < last; ++i) at = line(at, i);
    out.append(buffer, at);
  }
}

/// Append the text of lines(text, first, last) for consecutive runs that cover [0, count). Several
/// runs are written in parallel, each into its own memory.
inline void append_in_runs(std::string& out, std::size_t count, executor_ref executor,
                           function_ref<void(std::string&, std::size_t, std::size_t)> lines) {
  constexpr std::size_t least = std::size_t{1} << 12, most = std::size_t{1} << 16;
  const std::size_t many = std::min(executor.concurrency(), (count + least - 1) / least);
  if (many <= 1) {
    lines(out, std::size_t{0}, count);
    return;
  }
  // The first run of a round is written directly into `out`.
  const std::size_t run = std::min(most, (count - 1) / many + 1);
  std::vector<std::string> others(many - 1);
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t runs = std::min(many, (count - begin - 1) / run + 1);
    executor.parallel_for(0, runs, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t from = begin + i * run;
        std::string& text = i == 0 ? out : others[i - 1];
        if (i != 0) text.clear();
        lines(text, from, from + std::min(run, count - from));
      }
    });
    for (std::size_t i = 1; i < runs; ++i) out += others[i - 1];
    begin += std::min(runs * run, count - begin);
  }
}

}  // namespace detail

/// Append an edge list: "source target\n" for each edge.
/// @param between   the character between the two IDs
/// @param executor  the text does not depend on it
/// @complexity O(text) time; memory beside `out`: the text of 65536 edges for each thread but the
///     first
template <id Node>
void append_edges(std::string& out, std::span<const Node> source, std::span<const Node> target,
                  char between = ' ', executor_ref executor = {}) {
  detail::append_in_runs(
      out, source.size(), executor,
      [source, target, between](std::string& text, std::size_t first, std::size_t last) {
        detail::append_lines(text, last - first, 64,
                             [from = source.data() + first, to = target.data() + first, between](
                                 char* at, std::size_t e) {
                               at = detail::write_number(at, from[e]);
                               *at = between;
                               at = detail::write_number(at + 1, to[e]);
                               *at = '\n';
                               return at + 1;
                             });
      });
}

/// Append a column: "value\n" for each value.
template <std::integral T>
  requires(!std::same_as<T, bool>)
void append_column(std::string& out, std::span<const T> values) {
  detail::append_lines(out, values.size(), 32, [from = values.data()](char* at, std::size_t i) {
    at = detail::write_number(at, from[i]);
    *at = '\n';
    return at + 1;
  });
}

}  // namespace halograph
