// SPDX-License-Identifier: BSL-1.0
/// @file error.ipp
/// Bodies of the plain functions of core/error.hpp.
/// Layer: core. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

namespace detail {

HALOGRAPH_INLINE std::string escaped_bytes(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char one : bytes) {
    const auto byte = static_cast<unsigned char>(one);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

/// Escape line feeds and other control characters: what a file holds or is called must not end a
/// line of a log, or control a terminal.
HALOGRAPH_INLINE std::string on_one_line(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c != 0x7f) continue;
    text.replace(at, 1, escaped_bytes({text.data() + at, 1}));
    at += 3;
  }
  return text;
}

}  // namespace detail

HALOGRAPH_INLINE error::error(error_kind code, std::string message, location where)
    : code_(code), message_(detail::on_one_line(std::move(message))), where_(std::move(where)) {
  if (!where_.file.empty()) {
    what_ = detail::on_one_line(where_.file);
    if (where_.line) what_ += ", line " + std::to_string(*where_.line);
    if (where_.byte) what_ += ", byte " + std::to_string(*where_.byte);
    what_ += ": ";
  }
  what_ += message_;
}

HALOGRAPH_INLINE void text_piece::append_to(std::string& out) const {
  if (kind_ == characters) {
    out += text_;
  } else if (kind_ == positive) {
    out += std::to_string(number_);
  } else {
    out += std::to_string(static_cast<std::int64_t>(number_));
  }
}

HALOGRAPH_INLINE std::string concat(std::initializer_list<text_piece> pieces) {
  std::string out;
  for (const text_piece& one : pieces) one.append_to(out);
  return out;
}

HALOGRAPH_INLINE void raise(error problem) {
#if defined(__cpp_exceptions)
  throw problem;
#else
  on_error(problem);
#endif
}

}  // namespace halograph
