// SPDX-License-Identifier: BSL-1.0
/// @file plain.ipp
/// Bodies of the plain functions of io/formats/plain.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/io/chunked/read.hpp>
#include <halograph/io/formats/plain.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::string relation_from_text(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 4096)) {
    const auto byte = static_cast<unsigned char>(c);
    const char safe = c == '/' || c == ':' || c == '\\' ? '.'
                      : byte < 0x20 || byte == 0x7F     ? '_'
                                                        : c;
    if (!(out.empty() && safe == '.') && out.size() < 190) out += safe;
  }
  return out.empty() ? "relation" : out;
}

}  // namespace halograph
