// SPDX-License-Identifier: BSL-1.0
/// @file lines.hpp
/// Files of lines: count the lines, and reject lines that are too long.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halograph {

/// The most bytes that a line of a file may have, without its line end: far more than a record
/// needs, and few enough to detect a file without line ends early. METIS graphs, which store the
/// neighbors of a node in one line, are exempt.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

namespace detail {

/// Count the line ends of a text. Blocks of fixed length with 8-bit counters are vectorized,
/// whereas GCC 12 compiles std::count to a loop over bytes.
inline std::size_t count_line_ends(const char* p, const char* end) noexcept {
  constexpr int block = 128;
  std::size_t count = 0;
  for (; end - p >= block; p += block) {
    std::uint8_t few = 0;
    for (int i = 0; i < block; ++i) few = static_cast<std::uint8_t>(few + (p[i] == '\n' ? 1 : 0));
    count += few;
  }
  return count + static_cast<std::size_t>(std::count(p, end, '\n'));
}

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Finds the first line that is too long in a text that arrives block by block. Reads only the
/// bytes around every `most`-th.
class line_lengths {
 public:
  explicit line_lengths(std::size_t most) noexcept : most_(most) {}

  /// Check the next block. @return a position in the first line that is too long; null if all fit
  const char* too_long(std::string_view block) noexcept {
    while (!block.empty()) {
      const std::string_view window = block.substr(0, most_ - open_ + 1);
      const auto end = window.rfind('\n');
      if (end == std::string_view::npos) {
        open_ += window.size();
        return open_ <= most_ ? nullptr : block.data();
      }
      block.remove_prefix(end + 1);
      open_ = 0;
    }
    return nullptr;
  }

 private:
  std::size_t most_;
  std::size_t open_ = 0;  // bytes of the current line
};

[[noreturn]] void raise_long_line(const std::string& file, std::uint64_t line, std::size_t most);

}  // namespace detail

/// Open a file of lines and check their lengths.
///
/// @param open     checks them itself where it has a member `lines(path, longest)`
/// @param longest  the most bytes that a line may have
/// @errors those of the opener; malformed, with the line: a line is longer
/// @complexity that of opening, and reads a few bytes in every `longest`
file_bytes open_lines(const any_file_opener& open, const std::string& path,
                      std::size_t longest = longest_line);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/lines.ipp>
#endif
