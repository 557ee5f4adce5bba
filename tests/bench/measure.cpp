// SPDX-License-Identifier: BSL-1.0
// The instruments of the benchmarks are tested, the times they take are not.
#include "../../bench/measure.hpp"
#include "../../bench/picture.hpp"
#include "../../bench/yardsticks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hb = halograph::bench;

namespace {

TEST(bench_measure, growth_sees_memory_that_is_touched_and_freed_again) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  hb::memory_watch watch;
  watch.begin_step("fill");
  {
    const auto memory = std::make_unique_for_overwrite<char[]>(bytes);
    for (std::size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    hb::keep(*memory.get());
    const auto seen = watch.samples_taken();
    while (watch.samples_taken() < seen + 2) std::this_thread::yield();
  }
  watch.begin_step("rest");
  watch.stop();
  EXPECT_GE(watch.growth(), bytes * 9 / 10);
  EXPECT_LT(watch.growth(), bytes * 2);
  EXPECT_LT(watch.samples().back().bytes, bytes / 2);
  ASSERT_EQ(watch.marks().size(), 2u);
  EXPECT_LE(watch.marks()[0].seconds, watch.marks()[1].seconds);
  EXPECT_LE(watch.marks()[1].seconds, watch.duration());
}

TEST(bench_yardsticks, the_plain_loop_groups_values_by_key_with_any_threads) {
  const std::vector<std::uint32_t> key{2, 0, 2, 1, 0, 2, 3}, value{10, 11, 12, 13, 14, 15, 16};
  for (const std::size_t threads : {1u, 2u, 3u, 9u}) {
    hb::count_and_scatter loop(key, value, 4, threads);
    for (int again = 0; again < 2; ++again) {
      loop.run();
      EXPECT_EQ(std::vector<std::uint32_t>(loop.result().begin(), loop.result().end()),
                (std::vector<std::uint32_t>{11, 14, 13, 10, 12, 15, 16}))
          << threads;
    }
  }
}

TEST(bench_yardsticks, programs_that_fail_or_are_not_there_are_errors) {
  EXPECT_GT(hb::run_program({"true"}).wall, 0);
  EXPECT_THROW(hb::run_program({"false"}), std::runtime_error);
  EXPECT_THROW(hb::run_program({"./no such program"}), std::runtime_error);
  EXPECT_NO_THROW(
      hb::run_program({"sh", "-c", "test \"$HALOGRAPH_TEST\" = here"}, {"HALOGRAPH_TEST=here"}));
}

TEST(bench_picture, a_diagram_is_drawn_inside_its_frame_and_names_are_escaped) {
  const auto text = hb::draw({{.title = "a < b",
                               .x_name = "x",
                               .y_name = "y",
                               .curves = {{"line", {{1, 0}, {2, 30}, {3, 7}}}},
                               .bands = {{1, 2, "first"}}}});
  EXPECT_NE(text.find("a &lt; b"), std::string::npos);
  // 30 is the roof of the y axis, 1 and 3 are the ends of the x axis.
  EXPECT_NE(text.find("points=\"70.00,214.00 380.00,34.00 690.00,172.00\""), std::string::npos)
      << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(bench_picture, nothing_to_draw_is_an_empty_picture) {
  const auto text = hb::draw(
      {{.title = "empty", .x_name = "", .y_name = "", .curves = {}, .bands = {}}});
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  EXPECT_NE(text.find("</svg>"), std::string::npos);
}

}  // namespace
