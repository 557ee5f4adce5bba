// SPDX-License-Identifier: BSL-1.0
/// @file lines.ipp
/// Bodies of the plain functions of serial/text/lines.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halograph::detail {

HALOGRAPH_INLINE void raise_long_line(const std::string& file, std::uint64_t line,
                                      std::size_t most) {
  raise(error_kind::malformed,
        "the line has more than " + std::to_string(most) +
            " bytes, which is the limit; a line end may be missing",
        {.file = file, .line = line});
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE file_bytes open_lines(const any_file_opener& open, const std::string& path,
                                       std::size_t longest) {
  if (open.checks_lines()) return open.lines(path, longest);
  auto content = open(path);
  const std::string_view text = detail::as_text(content.bytes);
  if (const char* const at = detail::line_lengths(longest).too_long(text))
    detail::raise_long_line(path, 1 + detail::count_line_ends(text.data(), at), longest);
  return content;
}

}  // namespace halograph
