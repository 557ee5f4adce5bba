// SPDX-License-Identifier: BSL-1.0
/// @file long_text.hpp
/// An edge list that is long enough to be read in several pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace halograph::testing {

/// A text long enough to be read in pairs of pieces, lines of all kinds among plain ones, and what
/// it holds.
struct long_text {
  std::vector<std::string> lines{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> expected{};
  std::vector<std::int64_t> weight{};

  explicit long_text(std::uint64_t seed, char separator, bool weighted) {
    std::mt19937_64 random(seed);
    const std::string between(1, separator);
    for (std::size_t size = 0; size < (std::size_t{1} << 19) + 4096; size += lines.back().size()) {
      const std::uint64_t kind = random() % 64;
      if (kind == 0) {
        lines.push_back(random() % 2 ? "\n" : "# 1 2\n");
        continue;
      }
      // 1 to 20 digits.
      const std::uint64_t u = random() >> random() % 64, v = random() >> random() % 64;
      const auto w = static_cast<std::int64_t>(random()) >> random() % 64;
      expected.emplace_back(u, v);
      weight.push_back(w);
      std::string line = (kind == 1   ? "+"
                          : kind == 2 ? " "
                          : kind == 3 ? "000000000000000000000000"
                                      : "") +
                         std::to_string(u);
      line += kind != 4 ? between : separator == ' ' ? " \t " : " " + between + " ";
      line += std::to_string(v);
      if (weighted)
        line += between + std::to_string(w);
      else if (kind == 5)
        line += between + "more";
      lines.push_back(line + (kind == 6 ? " " : "") + (kind == 7 ? "\r\n" : "\n"));
    }
  }
  std::string text() const {
    std::string out;
    for (const auto& line : lines) out += line;
    return out;
  }
};

}  // namespace halograph::testing
