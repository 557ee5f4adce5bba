// SPDX-License-Identifier: BSL-1.0
#include "../../bench/table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hb = halograph::bench;

namespace {

hb::target_row row(std::string step, std::string graph, double value, bool at_least = false) {
  return {.step = std::move(step),
          .graph = std::move(graph),
          .measured = "m",
          .yardstick = "y",
          .value = value,
          .must = 2,
          .aim = at_least ? 3.0 : 1.0,
          .at_least = at_least};
}

TEST(bench_table, a_verdict_compares_in_the_direction_of_the_promise) {
  EXPECT_EQ(row("", "", 2.1).verdict(), "NOT MET");
  EXPECT_EQ(row("", "", 2.0).verdict(), "met");
  EXPECT_EQ(row("", "", 1.0).verdict(), "met, and the aim");
  EXPECT_EQ(row("", "", 1.9, true).verdict(), "NOT MET");
  EXPECT_EQ(row("", "", 2.5, true).verdict(), "met");
  EXPECT_EQ(row("", "", 3.0, true).verdict(), "met, and the aim");
}

TEST(bench_table, what_cannot_be_judged_says_why_and_is_not_met_by_chance) {
  auto one = row("", "", 0);
  one.unjudged = "too small";
  EXPECT_EQ(one.verdict(), "- (too small)");
  const auto text = hb::as_json(one);
  EXPECT_FALSE(text.contains("met"));
  EXPECT_EQ(text.at("unjudged"), "too small");
}

TEST(bench_table, of_each_step_the_worst_judged_graph_is_shown_in_the_order_of_steps) {
  auto unjudged = row("a", "tiny", 100);
  unjudged.unjudged = "too small";
  const auto worst = hb::worst_of_each_step({unjudged, row("b", "one", 4, true),
                                             row("a", "road", 1.5), row("a", "web", 3),
                                             row("b", "two", 2.5, true)});
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].graph, "web");
  EXPECT_EQ(worst[1].graph, "two");
}

TEST(bench_table, a_summary_counts_the_graphs_that_meet_a_promise) {
  auto unjudged = row("a", "tiny", 100);
  unjudged.unjudged = "too small";
  const auto text = hb::summary_of(
      {row("a", "road", 1.5), row("a", "web", 3), unjudged, row("b", "one", 4, true)});
  ASSERT_EQ(text.size(), 3u);
  EXPECT_EQ(text[1][1], "web");
  EXPECT_EQ(text[1].back(), "NOT MET; 1 of 2 graphs meet it");
  EXPECT_EQ(text[2].back(), "met, and the aim");
}

TEST(bench_table, text_is_aligned_and_markdown_escapes_bars) {
  EXPECT_EQ(hb::as_text({{"a", "long"}, {"longer", "b"}}),
            "a       long\n------------\nlonger  b\n");
  EXPECT_EQ(hb::as_markdown({{"a|b", "c"}, {"1", "2"}}),
            "| a\\|b | c |\n| --- | --- |\n| 1 | 2 |\n");
}

TEST(bench_table, numbers_have_three_digits_and_the_unit_that_suits_them) {
  EXPECT_EQ(hb::digits(0.12345), "0.123");
  EXPECT_EQ(hb::digits(1234.5), "1234");
  EXPECT_EQ(hb::human_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(hb::human_seconds(12e-6), "12.0 us");
  EXPECT_EQ(hb::human_size(1.5e9), "1.50 GB");
  EXPECT_EQ(hb::human_size(12), "12.0 B");
}

}  // namespace
