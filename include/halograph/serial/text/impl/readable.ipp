// SPDX-License-Identifier: BSL-1.0
/// @file readable.ipp
/// Bodies of the plain functions of serial/text/readable.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/text/readable.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace halograph::readable {

HALOGRAPH_INLINE std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

HALOGRAPH_INLINE std::string counted(std::uint64_t number, std::string_view noun,
                                     std::string_view several) {
  if (number == 1) return concat({"1 ", noun});
  return several.empty() ? concat({grouped(number), " ", noun, "s"})
                         : concat({grouped(number), " ", several});
}

HALOGRAPH_INLINE std::string fixed(double number, int digits) {
  std::array<char, 400> text;  // the largest number has 309 digits
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::fixed, digits);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : std::string("-");
}

HALOGRAPH_INLINE std::string percent(double share) { return fixed(100 * share, 1) + "%"; }

HALOGRAPH_INLINE std::string duration(double seconds) {
  constexpr double most = 1e15;
  const double some = !(seconds > 0) ? 0 : seconds < most ? seconds : most;
  const auto whole = static_cast<std::uint64_t>(some + 0.5);
  const auto two_digits = [](std::uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  if (whole < 100) return std::to_string(whole) + " s";
  if (whole < 6000) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return grouped(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
}

HALOGRAPH_INLINE std::string bytes(double bytes) {
  constexpr std::array<const char*, 6> units{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fixed(bytes, unit == 0 ? 0 : 1) + units[unit];
}

HALOGRAPH_INLINE std::string bytes(std::uint64_t bytes) {
  return readable::bytes(static_cast<double>(bytes));
}

}  // namespace halograph::readable
