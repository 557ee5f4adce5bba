// SPDX-License-Identifier: BSL-1.0
/// @file writer.ipp
/// Bodies of the plain functions of serial/text/writer.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/serial/text/writer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE text_writer& text_writer::text(std::string_view characters) {
  if (characters.size() > capacity) {
    flush();
    file_.write(std::as_bytes(std::span(characters.data(), characters.size())));
    return *this;
  }
  room(characters.size());
  std::memcpy(buffer_.get() + used_, characters.data(), characters.size());
  used_ += characters.size();
  return *this;
}

}  // namespace halograph
