// SPDX-License-Identifier: BSL-1.0
#include <halograph/dist/draw_neighbors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

using positions = std::vector<std::uint64_t>;

/// Answers below(bound) by a script of digits; what is asked tells how many scripts there are.
struct scripted {
  positions* digits;
  positions* bounds;
  std::size_t at = 0;
  std::uint64_t below(std::uint64_t bound) {
    if (at == digits->size()) {
      digits->push_back(0);
      bounds->push_back(0);
    }
    (*bounds)[at] = bound;
    return (*digits)[at++];
  }
};

/// Every outcome of a drawing and its weight: the product of all bounds divided by those that were
/// asked.
/// @param draw  draw(stream) -> positions
template <class Draw>
std::map<positions, double> every_outcome(Draw&& draw) {
  std::map<positions, double> found;
  positions digits, bounds;
  for (;;) {
    bounds.assign(digits.size(), 1);
    const positions drawn = draw(scripted{&digits, &bounds});
    double probability = 1;
    for (const auto bound : bounds) probability /= static_cast<double>(bound);
    found[drawn] += probability;
    while (!digits.empty() && digits.back() + 1 >= bounds[digits.size() - 1]) {
      digits.pop_back();
    }
    if (digits.empty()) return found;
    ++digits.back();
  }
}

positions drawn(hg::random_stream stream, std::uint64_t degree, std::uint64_t fanout,
                bool replace) {
  positions out(static_cast<std::size_t>(hg::draw_count(degree, fanout, replace)));
  EXPECT_EQ(hg::draw_uniform_into(stream, degree, fanout, replace, out), hg::status::ok);
  return out;
}

template <class Stream>
positions drawn(Stream stream, const positions& ends, std::uint64_t fanout, bool replace) {
  positions out(static_cast<std::size_t>(hg::draw_count(ends.size(), fanout, replace)));
  std::uint64_t count = 0;
  EXPECT_EQ(hg::draw_weighted_into(stream, ends, fanout, replace, out, count), hg::status::ok);
  out.resize(static_cast<std::size_t>(count));
  return out;
}

template <class Weight>
positions ends_of(const std::vector<Weight>& weights) {
  positions ends(weights.size());
  EXPECT_EQ(hg::cumulate_weights_into(std::span<const Weight>(weights), ends), hg::status::ok);
  return ends;
}

TEST(draw_uniform, without_replacement_every_subset_is_equally_likely) {
  for (std::uint64_t fanout = 1; fanout < 5; ++fanout) {
    const auto all = every_outcome([&](scripted stream) {
      positions out(fanout);
      EXPECT_EQ(hg::draw_uniform_into(stream, 5, fanout, false, out), hg::status::ok);
      return out;
    });
    EXPECT_EQ(all.size(), (std::vector<std::size_t>{1, 5, 10, 10, 5})[fanout]);
    for (const auto& [subset, probability] : all) {
      EXPECT_NEAR(probability * static_cast<double>(all.size()), 1.0, 1e-12);
      EXPECT_EQ(std::set<std::uint64_t>(subset.begin(), subset.end()).size(), fanout);
      EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    }
  }
}

TEST(draw_uniform, with_replacement_every_sequence_is_equally_likely) {
  const auto all = every_outcome([&](scripted stream) {
    positions out(3);
    EXPECT_EQ(hg::draw_uniform_into(stream, 2, 3, true, out), hg::status::ok);
    return out;
  });
  const std::map<positions, double> expected{
      {{0, 0, 0}, 0.125}, {{0, 0, 1}, 0.375}, {{0, 1, 1}, 0.375}, {{1, 1, 1}, 0.125}};
  EXPECT_EQ(all, expected);
}

TEST(draw_uniform, few_and_many_are_drawn_by_the_same_law) {
  // Selection sampling serves from 17 on: every edge is then in the sample as often as any other.
  std::vector<int> taken(40);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto sample = drawn(hg::draw_stream(seed, 0, 0, 7), 40, 20, false);
    ASSERT_EQ(sample.size(), 20u);
    ASSERT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    ASSERT_EQ(std::set<std::uint64_t>(sample.begin(), sample.end()).size(), 20u);
    for (const auto at : sample) ++taken[static_cast<std::size_t>(at)];
  }
  for (const int times : taken)
    EXPECT_NEAR(times, 2000, 190);  // six standard deviations; the seeds are fixed
}

TEST(draw_uniform, takes_all_where_there_are_no_more) {
  const hg::random_stream stream(1);
  EXPECT_EQ(drawn(stream, 3, 3, false), (positions{0, 1, 2}));
  EXPECT_EQ(drawn(stream, 3, 9, false), (positions{0, 1, 2}));
  EXPECT_EQ(drawn(stream, 3, hg::all_neighbors, true), (positions{0, 1, 2}));
  EXPECT_EQ(drawn(stream, 0, 9, true), positions{});
  EXPECT_EQ(drawn(stream, 3, 0, true), positions{});
  EXPECT_EQ(drawn(stream, 1, 4, true), (positions{0, 0, 0, 0}));
  positions small(2);
  EXPECT_EQ(hg::draw_uniform_into(stream, 9, 3, false, small), hg::status::capacity);
}

TEST(draw_weighted, without_replacement_is_successive_sampling) {
  // Of weights 1, 0, 2, 3 two are drawn: the probabilities by hand.
  const auto all = every_outcome([](scripted stream) {
    return drawn(stream, ends_of(std::vector<std::int64_t>{1, 0, 2, 3}), 2, false);
  });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all.at({0, 2}), 1 / 6.0 * 2 / 5.0 + 2 / 6.0 * 1 / 4.0, 1e-12);
  EXPECT_NEAR(all.at({0, 3}), 1 / 6.0 * 3 / 5.0 + 3 / 6.0 * 1 / 3.0, 1e-12);
  EXPECT_NEAR(all.at({2, 3}), 2 / 6.0 * 3 / 4.0 + 3 / 6.0 * 2 / 3.0, 1e-12);
}

TEST(draw_weighted, with_replacement_goes_by_weight) {
  const auto all = every_outcome([](scripted stream) {
    return drawn(stream, ends_of(std::vector<std::uint8_t>{1, 0, 3}), 2, true);
  });
  const std::map<positions, double> expected{
      {{0, 0}, 1 / 16.0}, {{0, 2}, 6 / 16.0}, {{2, 2}, 9 / 16.0}};
  EXPECT_EQ(all, expected);
}

TEST(draw_weighted, edges_of_weight_0_are_never_drawn) {
  const hg::random_stream stream(3);
  const auto ends = ends_of(std::vector<int>{0, 5, 0, 1});
  EXPECT_EQ(drawn(stream, ends, 4, false), (positions{1, 3}));
  EXPECT_EQ(drawn(stream, ends, 3, false), (positions{1, 3}));
  EXPECT_EQ(drawn(stream, ends, hg::all_neighbors, false), (positions{1, 3}));
  EXPECT_EQ(drawn(stream, ends_of(std::vector<int>{0, 0}), 1, true), positions{});
  EXPECT_EQ(drawn(stream, positions{}, 1, true), positions{});
}

TEST(cumulate_weights, integers_stay_what_they_are) {
  EXPECT_EQ(ends_of(std::vector<std::int16_t>{3, 0, 4}), (positions{3, 3, 7}));
  // Three of 2^64-1 do not sum to 64 bits: scaled alike, none lost.
  const auto ends = ends_of(std::vector<std::uint64_t>{~0ull, 1, ~0ull, 0});
  EXPECT_EQ(ends[1], ends[0] + 1);
  EXPECT_EQ(ends[2], 2 * ends[0] + 1);
  EXPECT_EQ(ends[3], ends[2]);
  EXPECT_LT(ends[3], 1ull << 63);
}

TEST(cumulate_weights, floating_point_is_scaled_by_a_power_of_two) {
  const auto ends = ends_of(std::vector<double>{0.5, 0.0, 1.5, 0.25});
  EXPECT_EQ(ends[1], ends[0]);
  EXPECT_EQ(ends[2], 4 * ends[0]);
  EXPECT_EQ(ends[3] * 2, 9 * ends[0]);
  EXPECT_EQ(ends_of(std::vector<float>{0.5f, 0.0f, 1.5f, 0.25f}), ends);
  EXPECT_EQ(ends_of(std::vector<float>{128.0f, 0.0f, 384.0f, 64.0f}),
            ends);  // the scale of all does not matter
  // The least number above 0 beside the largest can still be drawn.
  const auto far = ends_of(std::vector<double>{std::numeric_limits<double>::denorm_min(),
                                               std::numeric_limits<double>::max()});
  EXPECT_EQ(far[0], 1u);
  EXPECT_GT(far[1], 1ull << 50);
  EXPECT_EQ(ends_of(std::vector<double>{std::numeric_limits<double>::denorm_min(), 0.0})[0] >> 50,
            2u);
}

TEST(cumulate_weights, refuses_what_is_no_weight) {
  positions ends(3);
  const auto of = [&](double bad) {
    const std::vector<double> weights{1, bad, 1};
    return hg::cumulate_weights_into(std::span<const double>(weights), ends);
  };
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(of(bad), hg::status::malformed);
    EXPECT_EQ(of(bad).position, 1u);
  }
  const std::vector<int> negative{4, 4, 4, -1};
  EXPECT_EQ(hg::cumulate_weights_into(std::span<const int>(negative), ends), hg::status::capacity);
  ends.resize(4);
  EXPECT_EQ(hg::cumulate_weights_into(std::span<const int>(negative), ends).position, 3u);
}

TEST(draw_stream, each_seed_type_direction_and_node_has_its_own) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t type = 0; type < 4; ++type) {
      for (unsigned direction = 0; direction < 2; ++direction) {
        for (std::uint64_t node = 0; node < 4; ++node)
          firsts.insert(hg::draw_stream(seed, type, direction, node).next());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 128u);
  // Samples are outputs that users rely on: changing one is a decision.
  EXPECT_EQ(drawn(hg::draw_stream(1, 2, 0, 3), 1000, 5, false),
            (positions{128, 345, 403, 686, 828}));
}

}  // namespace
