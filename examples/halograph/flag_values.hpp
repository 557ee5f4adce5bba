// SPDX-License-Identifier: BSL-1.0
/// @file flag_values.hpp
/// Values of flags: numbers within a range, sizes in bytes, names of graphs. Each is checked when
/// the command line is read, so that exit code 2 and a sentence with the flag, the value and the
/// range answer a wrong one. CLI11's own conversions take
/// "-1" for 2^64 - 1, "010" for 8 and "nan" for a number; bind no number without add_number() or
/// size_value().
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace halograph::cli {

/// The most parts, and the most hops, that a flag may ask for.
inline constexpr std::uint64_t most_parts = 2147483647, most_hops = std::uint64_t{1} << 20;
/// The largest tolerance that a flag may ask for.
inline constexpr std::uint64_t most_tolerance = 1000000;

/// Decimal digits and nothing else. @return nothing for any other text, and for 2^64 and more
inline std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// A finite decimal number. @return nothing for any other text
inline std::optional<double> finite_number(std::string_view text) noexcept {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// What a flag's variable holds.
template <class T>
struct optional_value {
  using type = T;
};
template <class T>
struct optional_value<std::optional<T>> {
  using type = T;
};

/// Bind a flag to a whole number from `least` to `most`; the help shows the range.
template <class Number>
  requires std::unsigned_integral<typename optional_value<Number>::type>
CLI::Option* add_number(
    CLI::App& app, const std::string& names, Number& value, const std::string& help,
    std::uint64_t least = 0,
    std::uint64_t most = std::numeric_limits<typename optional_value<Number>::type>::max()) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  auto* const option = app.add_option(names, value, help);
  option->transform(CLI::Validator(
      [least, most, range](std::string& text) -> std::string {
        const auto number = whole_number(text);
        if (!number || *number < least || *number > most)
          return graph_schema::quoted(text) + " must be a whole number from " + range;
        text = std::to_string(*number);  // CLI11 takes a leading 0 for octal
        return {};
      },
      ""));
  return option->type_name(least == 0 && most >= most_file_ids ? std::string("N")
                                                               : "N (" + range + ")");
}

/// Bind a flag to an allowed imbalance: a finite number up to most_tolerance. @param zero  may it
/// be 0?
inline CLI::Option* add_tolerance(CLI::App& app, const std::string& names, double& value,
                                  const std::string& help, bool zero = false) {
  auto* const option = app.add_option(names, value, help);
  option->check(CLI::Validator(
      [zero](std::string& text) -> std::string {
        const auto number = finite_number(text);
        if (number && (zero ? *number >= 0 : *number > 0) &&
            *number <= static_cast<double>(most_tolerance))
          return {};
        return graph_schema::quoted(text) + " must be a number " +
               (zero ? "from 0 to " : "above 0, up to ") + std::to_string(most_tolerance);
      },
      ""));
  return option->type_name("X");
}

/// A whole number of bytes, perhaps with a unit, such as 4GiB. @param least  the smallest that
/// works
inline CLI::Validator size_value(std::uint64_t least = 1) {
  const CLI::AsSizeValue units(false);
  return CLI::Validator(
      [units, least](std::string& text) -> std::string {
        const std::string sentence = graph_schema::quoted(text) +
                                     " is no size; it must be a whole number of bytes from " +
                                     std::to_string(least) +
                                     " to 2^64 - 1, perhaps with a unit, such as 4GiB";
        std::uint64_t number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || end == text.data()) return sentence;
        try {
          std::string bytes = std::to_string(number) +
                              text.substr(static_cast<std::size_t>(
                                  end - text.data()));  // CLI11 takes a leading 0 for octal
          if (!units(bytes).empty()) return sentence;
          const auto size = whole_number(bytes);
          if (!size || *size < least) return sentence;
          text = bytes;
          return {};
        } catch (const CLI::Error&) {
          return sentence;
        }
      },
      "SIZE");
}

/// The name of a graph, which names files. @errors as check_graph_name()
inline CLI::Validator graph_name() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (text.empty()) return {};  // as if it were not given
        try {
          static_cast<void>(check_graph_name(text));
          return {};
        } catch (const error& problem) {
          return problem.message();
        }
      },
      "NAME");
}

}  // namespace halograph::cli
