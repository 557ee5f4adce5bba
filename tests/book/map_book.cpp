// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/map_book.hpp>
#include <halograph/core/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using hg::error_kind;
using hg::part_id;
using hg::status;
using hg::type_id;
using hg::typed_id;

constexpr bool works_at_compile_time() {
  const std::array<std::uint8_t, 5> owner{1, 0, 1, 2, 0};
  const std::array<std::uint16_t, 3> types{0, 3, 5};
  std::array<std::uint16_t, 4> first{};
  std::array<std::int8_t, 5> order{};
  hg::basic_part_map<std::int8_t, std::uint8_t, std::uint16_t> map;
  if (!map.bind(3, owner, types, first, order)) return false;
  std::int8_t local = 9;
  part_id part = 9;
  return map.to_local(0, 4, local) && local == 1 && map.part_of(1, 0, part) && part == 2 &&
         map.nth(0, 1, 0) == 1 && map.count(1, 1) == 0;
}
static_assert(works_at_compile_time());

template <class ID>
class part_map_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(part_map_ids, id_types);

TYPED_TEST(part_map_ids, agrees_with_walking_on_random_maps) {
  using ID = TypeParam;
  hg::random_stream draw(7);
  for (int round = 0; round < 40; ++round) {
    const std::size_t parts = 1 + draw.below(5), types = 1 + draw.below(4);
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t t = 0; t < types; ++t)
      offsets.push_back(offsets.back() + (draw.below(3) ? draw.below(12) : 0));
    std::vector<std::int8_t> owner(offsets.back());
    for (auto& p : owner) p = static_cast<std::int8_t>(draw.below(parts));
    std::vector<std::uint64_t> first(parts + 1);
    std::vector<ID> order(owner.size());
    hg::basic_part_map<ID, std::int8_t> map;
    ASSERT_EQ(map.bind(parts, owner, offsets, first, order), status::ok);

    std::vector<std::uint64_t> seen(parts);
    for (type_id t = 0; t < types; ++t) {
      std::vector<std::uint64_t> seen_typed(parts);
      for (std::uint64_t g = offsets[t]; g < offsets[t + 1]; ++g) {
        const auto want = static_cast<part_id>(owner[g]);
        const auto typed = static_cast<ID>(g - offsets[t]);
        part_id p = 99;
        typed_id<ID> answer;
        ID out = 0;
        ASSERT_EQ(map.part_of(g, p), status::ok);
        EXPECT_EQ(p, want);
        ASSERT_EQ(map.part_of(t, typed, p), status::ok);
        EXPECT_EQ(p, want);
        ASSERT_EQ(map.to_typed(g, answer), status::ok);
        EXPECT_EQ(answer, (typed_id<ID>{t, typed}));
        ASSERT_EQ(map.to_global(t, typed, out), status::ok);
        EXPECT_EQ(out, static_cast<ID>(g));
        ASSERT_EQ(map.to_local(want, g, out), status::ok);
        EXPECT_EQ(out, static_cast<ID>(seen[want]));
        EXPECT_EQ(map.nth(want, seen[want]), static_cast<ID>(g));
        ASSERT_EQ(map.to_local(want, t, typed, out), status::ok);
        EXPECT_EQ(out, static_cast<ID>(seen_typed[want]));
        EXPECT_EQ(map.nth(want, t, seen_typed[want]), typed);
        EXPECT_EQ(map.to_local((want + 1) % parts, g, out) == status::ok, parts == 1);
        ++seen[want];
        ++seen_typed[want];
      }
      for (std::size_t p = 0; p < parts; ++p) EXPECT_EQ(map.count(p, t), seen_typed[p]);
    }
    for (std::size_t p = 0; p < parts; ++p) EXPECT_EQ(map.count(p), seen[p]);
    part_id p = 0;
    EXPECT_EQ(map.part_of(owner.size(), p), status::out_of_range);
    EXPECT_EQ(map.part_of(-1, p), status::out_of_range);
  }
}

TEST(part_map, binding_rejects_mismatched_arguments) {
  const std::vector<std::int64_t> owner{0, 1, 2}, negative{0, -1, 0};
  const std::vector<std::uint64_t> types{0, 3}, short_types{0, 2}, sinking{0, 3, 2, 3};
  std::vector<std::uint64_t> first(4), order(3);
  hg::part_map map;
  EXPECT_EQ(map.bind(0, owner, types, first, order), status::invalid_argument);
  const std::size_t too_many = std::size_t{1} << 32;
  EXPECT_EQ(map.bind(too_many, owner, types, first, order), status::invalid_argument.at(too_many));
  EXPECT_EQ(map.bind(2, owner, types, first, order), status::out_of_range.at(2));
  EXPECT_EQ(map.bind(2, owner, types, first, order).position, 2u);
  EXPECT_EQ(map.bind(3, negative, types, first, order).position, 1u);
  EXPECT_EQ(map.bind(3, owner, short_types, first, order), status::mismatch);
  EXPECT_EQ(map.bind(3, owner, sinking, first, order), status::malformed);
  EXPECT_EQ(map.bind(4, owner, types, first, order), status::capacity.at(5));
  EXPECT_EQ(map.bind(3, owner, types, first, std::span(order).first(2)), status::capacity);
  EXPECT_EQ(map.num_parts(), 0u);
  EXPECT_EQ(map.bind(3, owner, types, first, order), status::ok);
  std::uint64_t local = 0;
  EXPECT_EQ(map.to_local(2, 2, local), status::ok);
  EXPECT_EQ(map.to_local(3, 2, local), status::invalid_argument);
  EXPECT_EQ(map.to_local(3, hg::type_id{0}, 2, local), status::invalid_argument);
}

TEST(part_map, answers_batches_and_names_the_place_of_the_first_bad_id) {
  const std::vector<std::int64_t> owner{1, 0, 1, 1, 0};
  const std::vector<std::uint64_t> types{0, 3, 5};
  std::vector<std::uint64_t> first(3);
  std::vector<std::int64_t> order(5), out(2, 77), short_out(1);
  hg::basic_part_map<std::int64_t> map;
  ASSERT_EQ(map.bind(2, owner, types, first, order), status::ok);
  const std::vector<std::int64_t> ids{1, 0}, beyond{0, 2}, outside{0, 5};
  std::vector<part_id> parts(2, 9);
  const status no_type{error_kind::not_found, 2};

  EXPECT_EQ(map.part_of(1, beyond, parts), status::out_of_range.at(1));
  EXPECT_EQ(map.part_of(2, ids, parts), no_type);
  EXPECT_EQ(map.part_of(outside, parts), status::out_of_range.at(1));
  EXPECT_EQ(map.part_of(ids, std::span(parts).first(1)), status::mismatch.at(2));
  EXPECT_EQ(parts, (std::vector<part_id>{9, 9}));
  ASSERT_EQ(map.part_of(1, ids, parts), status::ok);
  EXPECT_EQ(parts, (std::vector<part_id>{0, 1}));

  part_id part = 9;
  std::int64_t local = 77;
  EXPECT_EQ(map.part_of(2, 0, part), no_type);
  EXPECT_EQ(map.part_of(1, 2, part), status::out_of_range);
  EXPECT_EQ(map.to_local(1, 2, 0, local), no_type);
  EXPECT_EQ(map.to_local(1, 1, 1, local), status::out_of_range) << "of part 0";
  EXPECT_EQ(local, 77);

  EXPECT_EQ(map.to_local(1, ids, short_out), status::mismatch.at(2));
  EXPECT_EQ(map.to_local(1, 1, ids, short_out), status::mismatch.at(2));
  EXPECT_EQ(map.to_local(2, ids, out), status::invalid_argument.at(2));
  EXPECT_EQ(map.to_local(2, 0, ids, out), status::invalid_argument.at(2));
  EXPECT_EQ(map.to_local(1, 2, ids, out), no_type);
  EXPECT_EQ(map.to_local(1, 0, std::vector{2, 1}, out), status::out_of_range.at(1));
  EXPECT_EQ(map.to_local(1, std::vector{2, -1}, out), status::out_of_range.at(1));
  ASSERT_EQ(map.to_local(1, 0, std::vector{2, 0}, out), status::ok);
  EXPECT_EQ(out, (std::vector<std::int64_t>{1, 0}));
  ASSERT_EQ(map.to_local(1, std::vector{3, 0}, out), status::ok);
  EXPECT_EQ(out, (std::vector<std::int64_t>{2, 0}));
}

TEST(part_map, outputs_must_be_wide_enough_for_every_part) {
  const std::vector<std::int64_t> owner{299};
  const std::vector<std::uint64_t> types{0, 1};
  std::vector<std::uint64_t> first(301), order(1);
  hg::part_map map;
  ASSERT_EQ(map.bind(300, owner, types, first, order), status::ok);
  std::vector<std::uint8_t> narrow(1);
  std::vector<std::uint16_t> wide(1);
  EXPECT_EQ(map.part_of(std::vector{0}, narrow), status::overflow.at(300));
  EXPECT_EQ(map.part_of(std::vector{0}, wide), status::ok);
  EXPECT_EQ(wide, (std::vector<std::uint16_t>{299}));
}

hg::map_partition_book small_book(part_id partid = 1) {
  hg::graph_schema schema;
  schema.add_node_type("a");
  schema.add_node_type("b");
  schema.add_edge_type({"a", "r", "b"});
  const std::vector<std::uint64_t> nodes{3, 2}, edges{4};
  return {schema, 2, {1, 0, 1, 1, 0}, {0, 1, 1, 0}, nodes, edges, partid};
}

TEST(map_partition_book, answers_the_queries_of_a_range_book_with_the_inputs_ids) {
  const auto book = small_book();
  EXPECT_EQ(book.metadata(), (std::vector<hg::part_metadata>{{0, 2, 2}, {1, 3, 2}}));
  EXPECT_EQ(book.partid2nids(1), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(book.partid2nids(1, "a"), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(book.partid2nids(1, "b"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(book.partid2eids(0, "r"), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(book.nid2partid(std::vector{4, 0}), (std::vector<part_id>{0, 1}));
  EXPECT_EQ(book.nid2localnid(std::vector{3, 0}, 1), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(book.nid2localnid(0, 1, "b"), 0);
  EXPECT_EQ(book.eid2localeid(2, 1), 1);
  EXPECT_EQ(book.map_to_per_ntype(std::vector{2, 3}),
            (hg::typed_ids<std::int64_t>{{0, 1}, {2, 0}}));
  EXPECT_EQ(book.map_to_homo_nid(1, "b"), 4);
  EXPECT_EQ(book.local_ntype_offset(), (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(book.num_nodes("b"), 2u);
}

TEST(map_partition_book, rejects_what_a_range_book_rejects) {
  const auto book = small_book();
  const auto code = [](auto&& call) {
    try {
      call();
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return error_kind::ok;
  };
  EXPECT_EQ(code([&] { book.nid2partid(5); }), error_kind::out_of_range);
  EXPECT_EQ(code([&] { book.nid2localnid(1, 1); }), error_kind::out_of_range);
  EXPECT_EQ(code([&] { book.nid2localnid(std::vector{0, 1}, 1); }), error_kind::out_of_range);
  EXPECT_EQ(code([&] { book.nid2localnid(0, 0); }), error_kind::invalid_argument);
  EXPECT_EQ(code([&] { book.partid2nids(2); }), error_kind::invalid_argument);
  EXPECT_EQ(code([&] { small_book(2); }), error_kind::invalid_argument);
  const std::vector<std::uint64_t> one{1}, none{0};
  const auto make = [&](std::size_t parts, std::vector<std::int64_t> map) {
    return code([&] {
      hg::map_partition_book(hg::graph_schema::homogeneous(), parts, map, {}, one, none);
    });
  };
  EXPECT_EQ(make(1, {0}), error_kind::ok);
  EXPECT_EQ(make(1, {1}), error_kind::out_of_range);
  EXPECT_EQ(make(1, {-1}), error_kind::out_of_range);
  EXPECT_EQ(make(1, {}), error_kind::mismatch);
  EXPECT_EQ(make(0, {0}), error_kind::invalid_argument);
  EXPECT_EQ(make(std::size_t{1} << 32, {0}), error_kind::invalid_argument);
  const std::vector<std::uint64_t> many{300};
  const auto narrow = [&] {
    hg::basic_map_partition_book<std::uint8_t, std::int64_t>(
        hg::graph_schema::homogeneous(), 1, std::vector<std::int64_t>(300), {}, many, none);
  };
  EXPECT_EQ(code(narrow), error_kind::overflow);
  EXPECT_EQ(code([&] { book.map_to_homo_nid(std::vector{0, 2}, "b"); }), error_kind::out_of_range);
  EXPECT_EQ(code([&] { book.nid2localnid(std::vector{0, 1}, 1, "b"); }), error_kind::out_of_range);
  EXPECT_EQ(code([&] { book.eid2partid(4, "r"); }), error_kind::out_of_range);
}

TEST(map_partition_book, copies_stay_valid) {
  auto book = std::make_unique<hg::map_partition_book>(small_book());
  const hg::map_partition_book copy = *book;
  book.reset();
  EXPECT_EQ(copy.partid2nids(0), (std::vector<std::int64_t>{1, 4}));
}

}  // namespace
