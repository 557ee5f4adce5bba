// SPDX-License-Identifier: BSL-1.0
/// @file error.ipp
/// Bodies of the plain functions of core/error.hpp.
/// Layer: core. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE error::error(error_kind code, std::string message, location where)
    : code_(code), message_(std::move(message)), where_(std::move(where)) {
  if (!where_.file.empty()) {
    what_ = where_.file;
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
