// SPDX-License-Identifier: BSL-1.0
/// @file utf8.hpp
/// Read the first character of a text in UTF-8.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstddef>
#include <string_view>

namespace halograph {

/// A Unicode scalar value and the bytes that it takes.
struct utf8_character {
  char32_t value = 0;     ///< the code point
  std::size_t bytes = 0;  ///< 1 to 4; 0: the text does not begin with a character
};

/// The first character of `text`. Cut, overlong and surrogate sequences and those beyond U+10FFFF
/// are none.
/// @source RFC 3629, section 4
constexpr utf8_character first_utf8(std::string_view text) noexcept {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF5   ? 0
                            : lead >= 0xF0 ? 4
                            : lead >= 0xE0 ? 3
                            : lead >= 0xC2 ? 2
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t value = lead & (bytes == 4 ? 0x07u : bytes == 3 ? 0x0Fu : 0x1Fu);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  if (bytes == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) return {};
  if (bytes == 4 && (value < 0x10000 || value > 0x10FFFF)) return {};
  return {value, bytes};
}

/// The control characters of Unicode: U+0000 to U+001F and U+007F to U+009F.
constexpr bool is_control(char32_t value) noexcept {
  return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

}  // namespace halograph
