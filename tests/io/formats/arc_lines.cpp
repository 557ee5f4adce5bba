// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/io/formats/arc_lines.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::detail::arc_lines lines_of(std::uint64_t nodes, std::uint64_t arcs) {
  hg::detail::arc_lines out;
  out.format = {.delimiter = ' '};
  out.sources = out.targets = nodes;
  out.announced = arcs;
  out.header_line = 3;
  out.first_line = 4;
  return out;
}
template <class Weight>
hg::error refusal(const std::string& text, std::uint64_t arcs) {
  return refusal_of([&] {
    return hg::detail::read_arcs<Weight, std::uint64_t>(text, lines_of(5, arcs), "f", {});
  });
}

TEST(read_arcs, counts_from_1_and_passes_empty_lines) {
  const auto edges = hg::detail::read_arcs<void, std::uint64_t>("1 5\n\n 2\t3\r\n5 1",
                                                                lines_of(5, 3), "f", {});
  EXPECT_EQ(edges.source, (ids{0, 1, 4}));
  EXPECT_EQ(edges.target, (ids{4, 2, 0}));
}

TEST(read_arcs, names_the_line_of_the_file) {
  for (const char* text : {"1 1\n\n0 2\n", "1 1\n\n2 6\n", "1 1\n\n2 -1\n"}) {
    const auto problem = refusal<void>(text, 2);
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range) << text;
    EXPECT_EQ(problem.where().line, 6u) << problem.what();
  }
  for (const char* text : {"1 1\n2\n", "1 1\n2 x\n", "1 1\n2 2 2\n", "1 1\nx\n"}) {
    const auto problem = refusal<void>(text, 1);
    EXPECT_EQ(problem.code(), hg::error_kind::malformed) << text;
    EXPECT_EQ(problem.where().line, 5u) << problem.what();
  }
  EXPECT_EQ(refusal<std::int64_t>("1 1 1.5\n", 1).code(), hg::error_kind::malformed);
  EXPECT_EQ(refusal<double>("1 1\n1 1\n", 1).code(), hg::error_kind::malformed);
}

TEST(read_arcs, holds_the_lines_against_what_is_announced) {
  for (const std::uint64_t arcs : {std::uint64_t{1}, std::uint64_t{3}}) {
    const auto problem = refusal<void>("1 1\n2 2\n\n\n\n", arcs);
    EXPECT_EQ(problem.code(), hg::error_kind::mismatch);
    EXPECT_EQ(problem.where().line, 3u);
  }
  EXPECT_EQ(refusal<void>("1 1\n", std::uint64_t{1} << 60).code(), hg::error_kind::truncated);
}

TEST(read_arcs, gives_the_same_in_many_pieces) {
  std::string text;
  ids source, target;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    source.push_back(hg::mix(2 * i) % 5);
    target.push_back(hg::mix(2 * i + 1) % 5);
    if (i % 7 == 0) text += "\n";
    text += std::to_string(source.back() + 1) + " " + std::to_string(target.back() + 1) + "\n";
  }
  const auto edges = hg::detail::read_arcs<void, std::uint64_t>(text, lines_of(5, 200000), "f", {});
  EXPECT_EQ(edges.source, source);
  EXPECT_EQ(edges.target, target);
  const auto problem = refusal_of([&] {
    return hg::detail::read_arcs<void, std::uint64_t>(text + "9 9\n", lines_of(5, 200001), "f", {});
  });
  EXPECT_EQ(problem.where().line, 4 + 200000 + (200000 + 6) / 7) << problem.what();
}

}  // namespace
