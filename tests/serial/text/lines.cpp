// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/lines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(open_lines, refuses_the_first_line_that_is_too_long) {
  std::string text;
  const auto open = [&](const std::string&) { return hg::file_bytes{bytes(text), nullptr}; };
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    for (const std::size_t before : {std::size_t{0}, std::size_t{1}, std::size_t{50}}) {
      text = std::string(before, '\n') + std::string(most, 'x') + "\n" + std::string(most, 'y');
      EXPECT_EQ(hg::open_lines(open, "f.txt", most).bytes.size(), text.size());
      for (const char* behind : {"", "\n", "\n1\n"}) {
        text = std::string(before, '\n') + std::string(most, 'x') + "\n" +
               std::string(most + 1, 'y') + behind;
        try {
          hg::open_lines(open, "f.txt", most);
          ADD_FAILURE() << "took a line of " << most + 1;
        } catch (const hg::error& problem) {
          EXPECT_EQ(problem.code(), hg::error_kind::malformed);
          EXPECT_EQ(problem.where().line, before + 2);
        }
      }
    }
  }
}

TEST(open_lines, comes_to_the_same_whatever_the_blocks) {
  std::mt19937 draw(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += draw() % 4 == 0 ? '\n' : 'x';
    const std::size_t most = 1 + draw() % 9;
    std::size_t length = 0;
    bool fits = true;
    for (const char c : text) {
      length = c == '\n' ? 0 : length + 1;
      fits = fits && length <= most;
    }
    hg::detail::line_lengths lengths(most);
    bool found = false;
    for (std::size_t at = 0; at < text.size() && !found;) {
      const std::size_t block = 1 + draw() % 12;
      found = lengths.too_long(std::string_view(text).substr(at, block)) != nullptr;
      at += block;
    }
    EXPECT_EQ(found, !fits) << most << ": " << text;
  }
}

TEST(count_line_ends, agrees_with_a_loop) {
  std::mt19937 random(1);
  std::string text(70'000, ' ');
  for (auto& c : text) c = static_cast<char>(random() % 3 == 0 ? '\n' : random());
  for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 2039u, 2040u, 2041u, 70'000u}) {
    EXPECT_EQ(hg::detail::count_line_ends(text.data(), text.data() + size),
              static_cast<std::size_t>(std::count(text.data(), text.data() + size, '\n')));
  }
  const std::string ends(50'000, '\n');
  EXPECT_EQ(hg::detail::count_line_ends(ends.data(), ends.data() + ends.size()), ends.size());
}

}  // namespace
