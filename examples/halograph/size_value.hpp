// SPDX-License-Identifier: BSL-1.0
// A flag's number of bytes.
#pragma once

#include <halograph/schema/schema.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace halograph::cli {

/// A whole number of bytes, perhaps with a unit, such as 4GiB. The parser alone takes -1 for 2^64 - 1.
inline CLI::Validator size_value() {
  const CLI::AsSizeValue units(false);
  return CLI::Validator(
      [units](std::string& text) -> std::string {
        const std::string sentence = graph_schema::quoted(text) + " is no size; it must be a whole number of bytes below 2^64, perhaps with a unit, such as 4GiB";
        std::uint64_t number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || end == text.data()) return sentence;
        try {
          return units(text).empty() ? std::string() : sentence;
        } catch (const CLI::Error&) {
          return sentence;
        }
      },
      "SIZE");
}

}  // namespace halograph::cli
