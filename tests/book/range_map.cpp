// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/concepts.hpp>
#include <halograph/book/range_map.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::part_id;
using hg::status;
using hg::type_id;
using hg::typed_id;

static_assert(hg::ownership<hg::range_map>);
static_assert(hg::ownership<hg::basic_range_map<std::int8_t, std::uint8_t>>);

// The check values of the format page: nodes of three types in two parts, c first appears in
// part 1.
template <class ID>
struct example {
  std::array<std::uint64_t, 7> bounds{0, 3, 5, 5, 8, 8, 9};
  std::array<std::uint64_t, 9> totals{};
  hg::basic_range_map<ID> map{};
  constexpr example() {
    if (!map.bind(2, 3, bounds, totals)) map = {};
  }
};

constexpr bool answers_at_compile_time() {
  example<std::int16_t> e;
  const std::array<std::int16_t, 3> ids{8, 0, 5};
  std::array<part_id, 3> parts{};
  std::array<type_id, 3> types{};
  std::array<std::int16_t, 3> typed{};
  if (!e.map.part_of(std::span(ids), std::span(parts))) return false;
  if (!e.map.to_typed(std::span(ids), std::span(types), std::span(typed))) return false;
  return parts == std::array<part_id, 3>{1, 0, 1} && types == std::array<type_id, 3>{2, 0, 0} &&
         typed == std::array<std::int16_t, 3>{0, 0, 3};
}
static_assert(answers_at_compile_time());

TEST(range_map, gives_type_and_typed_id_of_every_global_id) {
  example<std::int64_t> e;
  const std::array<type_id, 9> types{0, 0, 0, 1, 1, 0, 0, 0, 2};
  const std::array<std::int64_t, 9> ids{0, 1, 2, 0, 1, 3, 4, 5, 0};
  for (std::size_t i = 0; i < 9; ++i) {
    typed_id<std::int64_t> out;
    ASSERT_EQ(e.map.to_typed(i, out), status::ok) << i;
    EXPECT_EQ(out.type, types[i]) << i;
    EXPECT_EQ(out.id, ids[i]) << i;
    std::int64_t back = -1;
    ASSERT_EQ(e.map.to_global(out.type, out.id, back), status::ok);
    EXPECT_EQ(back, static_cast<std::int64_t>(i));
  }
}

TEST(range_map, skips_a_part_where_the_type_is_empty) {
  example<std::int64_t> e;
  part_id p = 9;
  ASSERT_EQ(e.map.part_of(2, 0, p), status::ok);  // type c is empty in part 0
  EXPECT_EQ(p, 1u);
  EXPECT_EQ(e.map.count(0, 2), 0u);
  EXPECT_EQ(e.map.count(1, 1), 0u);
}

TEST(range_map, gives_dgls_answers_where_nothing_is_checked) {
  example<std::int64_t> e;
  for (int i = -1; i <= 11; ++i) {
    EXPECT_EQ(e.map.part_of_unchecked(i), i < 5 ? 0u : i < 9 ? 1u : 2u) << i;
  }
  const std::array<part_id, 5> b{0, 0, 0, 2, 2};
  for (int i = -1; i <= 3; ++i)
    EXPECT_EQ(e.map.part_of_unchecked(1, i), b[static_cast<std::size_t>(i + 1)]) << i;
  EXPECT_EQ(e.map.to_local_unchecked(1, 0), -5);
  EXPECT_EQ(e.map.to_local_unchecked(1, 100), 95);
  EXPECT_EQ(e.map.to_local_unchecked(1, 0, 2), -1);
}

TEST(range_map, rejects_ids_outside_the_space_and_leaves_the_output_unchanged) {
  example<std::int64_t> e;
  part_id p = 77;
  std::int64_t g = 77;
  typed_id<std::int64_t> t{7, 7};
  for (const std::int64_t bad :
       {std::int64_t{-1}, std::int64_t{9}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(e.map.part_of(bad, p), status::out_of_range);
    EXPECT_EQ(e.map.to_typed(bad, t), status::out_of_range);
    EXPECT_EQ(e.map.to_local(1, bad, g), status::out_of_range);
    EXPECT_EQ(e.map.to_global(0, bad, g), status::out_of_range);
    EXPECT_EQ(e.map.part_of(0, bad, p), status::out_of_range);
  }
  EXPECT_EQ(e.map.to_global(1, 2, g), status::out_of_range);  // b has two
  EXPECT_EQ(e.map.part_of(3, 0, p), (status{hg::error_kind::not_found, 3}));
  EXPECT_EQ(e.map.to_local(2, 0, g), status::invalid_argument);
  EXPECT_EQ(e.map.to_local(1, 4, g), status::out_of_range);  // of part 0
  EXPECT_EQ(p, 77u);
  EXPECT_EQ(g, 77);
  EXPECT_EQ(t, (typed_id<std::int64_t>{7, 7}));
}

TEST(range_map, a_batch_names_the_place_of_the_first_bad_id_and_writes_nothing) {
  example<std::int64_t> e;
  const std::array<std::int64_t, 4> ids{0, 8, 9, -1};
  std::array<part_id, 4> parts{5, 5, 5, 5};
  const auto answer = e.map.part_of(std::span(ids), std::span(parts));
  EXPECT_EQ(answer, status::out_of_range);
  EXPECT_EQ(answer.position, 2u);
  EXPECT_EQ(parts, (std::array<part_id, 4>{5, 5, 5, 5}));
  std::array<part_id, 3> few{};
  EXPECT_EQ(e.map.part_of(std::span(ids), std::span(few)), status::mismatch);
}

TEST(range_map, binding_rejects_ranges_that_do_not_tile) {
  std::array<std::uint64_t, 32> totals{};
  hg::range_map map;
  const auto bind = [&](std::size_t parts, std::size_t types, std::vector<std::uint64_t> bounds) {
    return map.bind(parts, types, bounds, totals);
  };
  EXPECT_EQ(bind(0, 1, {0}), status::invalid_argument);
  EXPECT_EQ(bind(std::size_t{1} << 32, 1, {0}), status::invalid_argument);
  EXPECT_EQ(bind(2, 1, {0, 1}), status::mismatch);
  EXPECT_EQ(bind(1, 1, {1, 2}), status::malformed);
  EXPECT_EQ(bind(2, 1, {0, 5, 4}), status::malformed);
  EXPECT_EQ(bind(2, 1, {0, 5, 4}).position, 1u);
  EXPECT_EQ(bind(100, 1, std::vector<std::uint64_t>(101)), status::capacity);
  EXPECT_EQ(bind(std::size_t{1} << 32, std::size_t{1} << 33, {0}), status::invalid_argument);
  EXPECT_EQ(bind(std::size_t{1} << 31, std::size_t{1} << 33, {0}), status::overflow);
  EXPECT_EQ(map.num_parts(), 0u);
  EXPECT_EQ(bind(3, 0, {0}), status::ok);  // no types: nothing to own
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.count(2), 0u);
}

TEST(range_map, the_number_of_ids_must_fit_the_id_type) {
  std::array<std::uint64_t, 8> totals{};
  const std::vector<std::uint64_t> full{0, 256}, beyond{0, 257};
  hg::basic_range_map<std::uint8_t> map;
  ASSERT_EQ(map.bind(1, 1, full, totals), status::ok);  // 0..255, though 256 itself is no uint8
  part_id p = 9;
  EXPECT_EQ(map.part_of(std::uint8_t{255}, p), status::ok);
  EXPECT_EQ(map.bind(1, 1, beyond, totals), status::overflow);
  EXPECT_EQ(map.size(), 256u);
}

TEST(range_map, types_may_share_a_range_and_the_first_answers) {
  const std::vector<std::uint64_t> starts{0, 0, 1000, 1000}, ends{1000, 1000, 2000, 2000};
  std::array<std::uint64_t, 6> totals{};
  hg::basic_range_map<std::int64_t> map;
  EXPECT_EQ(map.bind(2, 2, starts, ends, totals), status::malformed);  // not what a config may hold
  ASSERT_EQ(map.bind(2, 2, starts, ends, totals, hg::range_rule::overlapping), status::ok);
  for (const int i : {0, 999, 1000, 1999}) {
    typed_id<std::int64_t> out;
    ASSERT_EQ(map.to_typed(i, out), status::ok);
    EXPECT_EQ(out, (typed_id<std::int64_t>{0, i}));
  }
  EXPECT_EQ(map.size(1), 2000u);
}

TEST(range_map, a_gap_belongs_to_the_next_part_but_to_no_type) {
  // part 0: [2,4) [6,7); part 1: [9,9) [9,12)
  const std::vector<std::uint64_t> starts{2, 6, 9, 9}, ends{4, 7, 9, 12};
  std::array<std::uint64_t, 6> totals{};
  hg::basic_range_map<std::int64_t> map;
  ASSERT_EQ(map.bind(2, 2, starts, ends, totals), status::ok);
  EXPECT_EQ(map.size(), 12u);
  EXPECT_EQ(map.range(0), (hg::id_range{0, 7}));
  EXPECT_EQ(map.range(1), (hg::id_range{7, 12}));
  typed_id<std::int64_t> t;
  for (const int gap : {0, 1, 4, 5, 7, 8})
    EXPECT_EQ(map.to_typed(gap, t), status::out_of_range) << gap;
  const std::array<std::int64_t, 3> ids{2, 3, 8};
  std::array<type_id, 3> types{};
  std::array<std::int64_t, 3> typed{};
  const auto answer = map.to_typed(std::span(ids), std::span(types), std::span(typed));
  EXPECT_EQ(answer, status::out_of_range);
  EXPECT_EQ(answer.position, 2u);
  part_id p = 9;
  ASSERT_EQ(map.part_of(8, p), status::ok);
  EXPECT_EQ(p, 1u);
  ASSERT_EQ(map.to_typed(11, t), status::ok);
  EXPECT_EQ(t, (typed_id<std::int64_t>{1, 3}));
}

TEST(range_map, ranges_of_one_type_must_not_overlap) {
  const std::vector<std::uint64_t> starts{0, 5}, ends{10, 12};
  std::array<std::uint64_t, 3> totals{};
  hg::range_map map;
  EXPECT_EQ(map.bind(2, 1, starts, ends, totals, hg::range_rule::overlapping), status::malformed);
  const auto bind = [&](std::vector<std::uint64_t> first, std::vector<std::uint64_t> last,
                        hg::range_rule rule) { return map.bind(2, 1, first, last, totals, rule); };
  for (const auto rule : {hg::range_rule::overlapping, hg::range_rule::ascending}) {
    EXPECT_EQ(bind({0, 5}, {5, 8}, rule), status::ok);
    EXPECT_EQ(bind({3, 3}, {3, 2}, rule), status::malformed.at(1)) << "ends before it starts";
    EXPECT_EQ(bind({3, 2}, {4, 5}, rule), status::malformed.at(1)) << "starts before the last";
    EXPECT_EQ(bind({0, 0}, {4, 3}, rule), status::malformed.at(1)) << "ends before the last";
    EXPECT_EQ(bind({0}, {4, 8}, rule), status::mismatch.at(2));
    EXPECT_EQ(bind({0, 4}, {4}, rule), status::mismatch.at(2));
  }
}

TEST(range_map, an_error_leaves_the_map_and_its_memory_as_they_were) {
  const std::vector<std::uint64_t> starts{0, 0, 5, 5}, ends{5, 5, 9, 9};
  std::array<std::uint64_t, 6> totals{};
  hg::range_map map;
  ASSERT_EQ(map.bind(2, 2, starts, ends, totals, hg::range_rule::overlapping), status::ok);
  const auto before = totals;
  const std::vector<std::uint64_t> bad_starts{0, 0, 7, 7}, bad_ends{7, 8, 9, 9};  // type 1 twice: 7
  EXPECT_EQ(map.bind(2, 2, bad_starts, bad_ends, totals, hg::range_rule::overlapping),
            status::malformed.at(3));
  EXPECT_EQ(totals, before);
  EXPECT_EQ(map.count(1, 1), 4u);
}

TEST(range_map, rejects_types_parts_and_batches_that_do_not_exist_or_fit) {
  example<std::int64_t> e;
  std::vector<std::uint32_t> tables(decltype(e.map)::index_size(2, 3));
  for (const bool with_tables : {false, true}) {
    SCOPED_TRACE(with_tables);
    if (with_tables) {
      ASSERT_EQ(e.map.bind_index(tables), status::ok);
    }
    const std::vector<std::int64_t> ids{0, 1};
    std::vector<std::int64_t> out{7, 7}, short_out{7};
    std::vector<part_id> parts(2);
    std::vector<type_id> types(2), short_types(1);
    const status no_type{hg::error_kind::not_found, 3};
    std::int64_t one = 7;
    EXPECT_EQ(e.map.to_global(3, 0, one), no_type);
    EXPECT_EQ(e.map.to_local(0, 3, 0, one), no_type);
    EXPECT_EQ(e.map.to_local(2, 0, 0, one), status::invalid_argument.at(2));
    EXPECT_EQ(e.map.part_of(3, ids, parts), no_type);
    EXPECT_EQ(e.map.to_global(3, ids, out), no_type);
    EXPECT_EQ(e.map.to_local(0, 3, ids, out), no_type);
    EXPECT_EQ(e.map.to_local(2, ids, out), status::invalid_argument.at(2));
    EXPECT_EQ(e.map.to_local(2, 0, ids, out), status::invalid_argument.at(2));
    EXPECT_EQ(e.map.to_typed(ids, short_types, out), status::mismatch.at(2));
    EXPECT_EQ(e.map.to_typed(ids, types, short_out), status::mismatch.at(2));
    EXPECT_EQ(e.map.to_global(0, ids, short_out), status::mismatch.at(2));
    EXPECT_EQ(e.map.to_local(0, ids, short_out), status::mismatch.at(2));
    const std::vector<std::int64_t> beyond{0, 6};  // type 0 has 6 IDs, of which part 0 has 3
    EXPECT_EQ(e.map.part_of(0, beyond, parts), status::out_of_range.at(1));
    EXPECT_EQ(e.map.to_global(0, beyond, out), status::out_of_range.at(1));
    EXPECT_EQ(e.map.to_local(0, 0, beyond, out), status::out_of_range.at(1));
    EXPECT_EQ(e.map.to_local(0, beyond, out), status::out_of_range.at(1));
    EXPECT_EQ(e.map.to_local(1, beyond, out), status::out_of_range.at(0));
    EXPECT_EQ(one, 7);
    EXPECT_EQ(out, (std::vector<std::int64_t>{7, 7})) << "nothing is written";
    EXPECT_EQ(e.map.to_local(1, 0, std::vector<std::int64_t>{5, 3}, out), status::ok);
    EXPECT_EQ(out, (std::vector<std::int64_t>{2, 0}));
    EXPECT_EQ(e.map.to_local(1, std::vector<std::int64_t>{8, 5}, out), status::ok);
    EXPECT_EQ(out, (std::vector<std::int64_t>{3, 0}));
  }
}

TEST(range_map, outputs_must_be_wide_enough_for_every_part_and_type) {
  const std::vector<std::uint64_t> bounds(301);  // 300 cells, all empty
  const std::vector<std::int64_t> none;
  std::vector<std::uint8_t> narrow;
  std::vector<std::uint64_t> typed;
  std::vector<std::uint64_t> totals(hg::range_map::totals_size(300, 300));
  hg::range_map map;
  ASSERT_EQ(map.bind(300, 1, bounds, totals), status::ok);
  EXPECT_EQ(map.part_of(none, narrow), status::overflow.at(300));
  EXPECT_EQ(map.part_of(0, none, narrow), status::overflow.at(300));
  EXPECT_EQ(map.to_typed(none, narrow, typed), status::ok);
  ASSERT_EQ(map.bind(1, 300, bounds, totals), status::ok);
  EXPECT_EQ(map.part_of(none, narrow), status::ok);
  EXPECT_EQ(map.to_typed(none, narrow, typed), status::overflow.at(300));
}

TEST(range_map, batches_over_gaps_are_converted_one_by_one) {
  const std::vector<std::uint64_t> starts{2, 9}, ends{4, 12};
  std::array<std::uint64_t, 3> totals{};
  hg::basic_range_map<std::int64_t> map;
  ASSERT_EQ(map.bind(2, 1, starts, ends, totals), status::ok);
  const std::vector<std::int64_t> ids{11, 2, 9};
  std::vector<type_id> types(3, 7);
  std::vector<std::int64_t> typed(3), global(3);
  ASSERT_EQ(map.to_typed(ids, types, typed), status::ok);
  EXPECT_EQ(types, (std::vector<type_id>{0, 0, 0}));
  EXPECT_EQ(typed, (std::vector<std::int64_t>{4, 0, 2}));
  ASSERT_EQ(map.to_global(0, typed, global), status::ok);
  EXPECT_EQ(global, ids);
}

template <class ID>
class range_map_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(range_map_ids, id_types);

// A naive book: one row per ID, found by walking.
struct row {
  part_id part;
  type_id type;
  std::uint64_t typed, local, typed_local;
};
std::vector<row> naive(std::size_t parts, std::size_t types,
                       const std::vector<std::uint64_t>& bounds) {
  std::vector<row> rows;
  std::vector<std::uint64_t> seen(types);
  for (part_id p = 0; p < parts; ++p) {
    const std::uint64_t first = rows.size();
    for (type_id t = 0; t < types; ++t) {
      const std::uint64_t n = bounds[p * types + t + 1] - bounds[p * types + t];
      for (std::uint64_t i = 0; i < n; ++i) {
        rows.push_back({p, t, seen[t] + i, rows.size() - first, i});
      }
      seen[t] += n;
    }
  }
  return rows;
}

TYPED_TEST(range_map_ids, agrees_with_walking_on_random_maps) {
  using ID = TypeParam;
  hg::random_stream draw(2024);
  for (int round = 0; round < 60; ++round) {
    const std::size_t parts = 1 + draw.below(6), types = 1 + draw.below(5);
    std::vector<std::uint64_t> bounds{0};
    for (std::size_t k = 0; k < parts * types; ++k) {
      // Half of the cells are empty; 30 cells of at most 4 stay within 127.
      bounds.push_back(bounds.back() + (draw.below(2) ? draw.below(5) : 0));
    }
    std::vector<std::uint64_t> totals(hg::range_map::totals_size(parts, types));
    hg::basic_range_map<ID> map;
    ASSERT_EQ(map.bind(parts, types, bounds, totals), status::ok);
    // Every other round with tables.
    std::vector<std::uint32_t> tables(decltype(map)::index_size(parts, types));
    if (round % 2) {
      ASSERT_EQ(map.bind_index(std::span(tables).first(tables.size() - 1)),
                status::capacity.at(tables.size()));
      ASSERT_EQ(map.bind_index(tables), status::ok);
    }
    const auto rows = naive(parts, types, bounds);
    ASSERT_EQ(map.size(), rows.size());

    std::vector<ID> ids(rows.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<ID>(i);
    hg::shuffle(std::span(ids), draw);
    std::vector<std::uint8_t> batch_parts(ids.size()), batch_types(ids.size());
    std::vector<ID> batch_typed(ids.size());
    ASSERT_EQ(map.part_of(std::span<const ID>(ids), std::span(batch_parts)), status::ok);
    ASSERT_EQ(
        map.to_typed(std::span<const ID>(ids), std::span(batch_types), std::span(batch_typed)),
        status::ok);

    if constexpr (sizeof(ID) == 4) {  // bounds of one word: other tables, the same answers
      const std::vector<std::uint32_t> short_bounds(bounds.begin(), bounds.end());
      std::vector<std::uint32_t> short_totals(
          hg::basic_range_map<ID, std::uint32_t>::totals_size(parts, types));
      hg::basic_range_map<ID, std::uint32_t> narrow;
      ASSERT_EQ(narrow.bind(parts, types, std::span<const std::uint32_t>(short_bounds),
                            std::span(short_totals)),
                status::ok);
      std::vector<std::uint32_t> short_tables(decltype(narrow)::index_size(parts, types));
      ASSERT_EQ(narrow.bind_index(short_tables), status::ok);
      std::vector<std::uint8_t> narrow_parts(ids.size()), narrow_types(ids.size());
      std::vector<ID> narrow_typed(ids.size());
      ASSERT_EQ(narrow.part_of(ids, narrow_parts), status::ok);
      ASSERT_EQ(narrow.to_typed(ids, narrow_types, std::span(narrow_typed)), status::ok);
      EXPECT_EQ(narrow_parts, batch_parts);
      EXPECT_EQ(narrow_types, batch_types);
      EXPECT_EQ(narrow_typed, batch_typed);
      for (type_id t = 0; t < types; ++t) {
        std::vector<ID> typed(narrow.size(t)), global(narrow.size(t)), want(narrow.size(t));
        for (std::size_t i = 0; i < typed.size(); ++i) typed[i] = static_cast<ID>(i);
        ASSERT_EQ(narrow.to_global(t, typed, std::span(global)), status::ok);
        ASSERT_EQ(map.to_global(t, typed, std::span(want)), status::ok);
        EXPECT_EQ(global, want);
      }
    }

    std::vector<std::uint64_t> nth(parts);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const row& want = rows[hg::index(ids[i])];
      const ID global = ids[i];
      part_id p = 0;
      typed_id<ID> typed;
      ID back = 0, local = 0;
      ASSERT_EQ(map.part_of(global, p), status::ok);
      ASSERT_EQ(map.to_typed(global, typed), status::ok);
      EXPECT_EQ(p, want.part);
      EXPECT_EQ(batch_parts[i], want.part);
      EXPECT_EQ(map.part_of_unchecked(global), want.part);
      EXPECT_EQ(typed, (typed_id<ID>{want.type, static_cast<ID>(want.typed)}));
      EXPECT_EQ(batch_types[i], want.type);
      EXPECT_EQ(batch_typed[i], typed.id);
      ASSERT_EQ(map.to_global(typed.type, typed.id, back), status::ok);
      EXPECT_EQ(back, global);
      ASSERT_EQ(map.part_of(typed.type, typed.id, p), status::ok);
      EXPECT_EQ(p, want.part);
      EXPECT_EQ(map.part_of_unchecked(typed.type, typed.id), want.part);
      ASSERT_EQ(map.to_local(want.part, global, local), status::ok);
      EXPECT_EQ(local, static_cast<ID>(want.local));
      EXPECT_EQ(map.nth(want.part, want.local), global);
      ASSERT_EQ(map.to_local(want.part, typed.type, typed.id, local), status::ok);
      EXPECT_EQ(local, static_cast<ID>(want.typed_local));
      EXPECT_EQ(map.nth(want.part, typed.type, want.typed_local), typed.id);
      for (part_id other = 0; other < parts; ++other) {
        if (other != want.part) {
          EXPECT_EQ(map.to_local(other, global, local), status::out_of_range);
        }
      }
    }
    for (type_id t = 0; t < types; ++t) {
      std::vector<ID> typed(map.size(t)), global(map.size(t));
      for (std::size_t i = 0; i < typed.size(); ++i) typed[i] = static_cast<ID>(i);
      ASSERT_EQ(map.to_global(t, std::span<const ID>(typed), std::span(global)), status::ok);
      ASSERT_EQ(
          map.part_of(t, std::span<const ID>(typed), std::span(batch_parts).first(typed.size())),
          status::ok);
      for (std::size_t i = 0; i < typed.size(); ++i) {
        EXPECT_EQ(rows[hg::index(global[i])].type, t);
        EXPECT_EQ(rows[hg::index(global[i])].typed, i);
        EXPECT_EQ(batch_parts[i], rows[hg::index(global[i])].part);
      }
      part_id p = 0;
      if (hg::fits<ID>(map.size(t))) {
        EXPECT_EQ(map.part_of(t, static_cast<ID>(map.size(t)), p), status::out_of_range);
      }
    }
  }
}

TYPED_TEST(range_map_ids, covers_its_last_ids) {
  using ID = TypeParam;
  // As many IDs as the type can name, or as 64-bit bounds can: cells end just below and at the end.
  const std::uint64_t all = hg::id_capacity<ID>();
  const std::vector<std::uint64_t> bounds{0, 0, 1, 1, all - 1, all, all};
  std::vector<std::uint64_t> totals(hg::range_map::totals_size(3, 2));
  hg::basic_range_map<ID> map;
  for (const bool tables : {false, true}) {
    ASSERT_EQ(map.bind(3, 2, bounds, totals), status::ok);
    std::vector<std::uint32_t> index(decltype(map)::index_size(3, 2));
    if (tables) {
      ASSERT_EQ(map.bind_index(index), status::ok);
    }
    const auto last = static_cast<ID>(all - 1);
    part_id p = 9;
    typed_id<ID> typed;
    ASSERT_EQ(map.part_of(last, p), status::ok);
    EXPECT_EQ(p, 2u);
    ASSERT_EQ(map.to_typed(last, typed), status::ok);
    EXPECT_EQ(typed, (typed_id<ID>{0, 0}));
    ASSERT_EQ(map.to_typed(static_cast<ID>(all - 2), typed), status::ok);
    EXPECT_EQ(typed, (typed_id<ID>{1, static_cast<ID>(all - 2)}));
    ID back = 0;
    ASSERT_EQ(map.to_global(typed.type, typed.id, back), status::ok);
    EXPECT_EQ(back, static_cast<ID>(all - 2));
  }
}

}  // namespace
