// SPDX-License-Identifier: BSL-1.0
// Every algorithm over rows of IDs, masks and books, run on the archetypes: it uses no more than
// its concepts grant, and gives the same results as for vectors. tests/structure/algorithms.cpp
// checks that none is missing.
#include <halograph/book/map_book.hpp>
#include <halograph/book/named_book.hpp>
#include <halograph/book/policy.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/book/range_map.hpp>
#include <halograph/book/split.hpp>
#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/checked_communicator.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/schema/id_converter.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;

namespace {

using row = archetype::id_row<>;
using bytes = std::vector<std::int8_t>;

TEST(on_rows, ids_of_and_ids_out) {
  bytes ids{3, 1, 2};
  archetype::id_output<> out{std::span(ids)};
  EXPECT_EQ(hg::ids_of(row(ids)).data(), ids.data());
  EXPECT_EQ(hg::ids_out(out).size(), 3u);
}

// A map answers a row of IDs as it answers each ID.
template <class Map>
void expect_the_same_one_by_one(const Map& map, std::int8_t size) {
  bytes ids, parts(static_cast<std::size_t>(size)), types = parts;
  for (std::int8_t x = size; x-- > 0;) ids.push_back(x);
  std::vector<typename Map::id_type> typed(ids.size());
  archetype::id_output<> parts_out{std::span(parts)}, types_out{std::span(types)};
  ASSERT_EQ(map.part_of(row(ids), parts_out), hg::status::ok);
  ASSERT_EQ(map.to_typed(row(ids), types_out, std::span(typed)), hg::status::ok);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto x = static_cast<typename Map::id_type>(ids[i]);
    hg::part_id part{};
    hg::typed_id<typename Map::id_type> one{};
    ASSERT_TRUE(map.part_of(x, part) && map.to_typed(x, one));
    EXPECT_EQ(static_cast<hg::part_id>(parts[i]), part);
    EXPECT_EQ(static_cast<hg::type_id>(types[i]), one.type);
    EXPECT_EQ(typed[i], one.id);
    const bytes alone{static_cast<std::int8_t>(one.id)}, global{ids[i]};
    bytes owner(1);
    archetype::id_output<> owner_out{std::span(owner)};
    std::vector<typename Map::id_type> back(1), local(1), typed_local(1);
    EXPECT_EQ(map.part_of(one.type, row(alone), owner_out), hg::status::ok);
    EXPECT_EQ(static_cast<hg::part_id>(owner[0]), part);
    EXPECT_EQ(map.to_global(one.type, row(alone), std::span(back)), hg::status::ok);
    EXPECT_EQ(back[0], x);
    EXPECT_EQ(map.to_local(part, row(global), std::span(local)), hg::status::ok);
    EXPECT_EQ(map.nth(part, hg::index(local[0])), x);
    EXPECT_EQ(map.to_local(part, one.type, row(alone), std::span(typed_local)), hg::status::ok);
    EXPECT_EQ(map.nth(part, one.type, hg::index(typed_local[0])), one.id);
  }
}

TEST(on_rows, maps_of_ranges_and_of_single_ids) {
  const std::array<std::uint64_t, 7> bounds{0, 3, 5, 5, 8, 8, 9};
  std::array<std::uint64_t, 9> totals{};
  hg::basic_range_map<std::int16_t> ranges;
  ASSERT_EQ(ranges.bind(2, 3, bounds, totals), hg::status::ok);
  expect_the_same_one_by_one(ranges, 9);

  const std::array<std::uint8_t, 5> owner{1, 0, 1, 2, 0};
  const std::array<std::uint16_t, 3> types{0, 3, 5};
  std::array<std::uint16_t, 4> first{};
  std::array<std::int16_t, 5> order{};
  hg::basic_part_map<std::int16_t, std::uint8_t, std::uint16_t> single;
  ASSERT_EQ(single.bind(3, owner, types, first, order), hg::status::ok);
  expect_the_same_one_by_one(single, 5);
}

hg::graph_schema people() {
  hg::graph_schema schema;
  schema.add_node_type("user");
  schema.add_node_type("item");
  schema.add_edge_type({"user", "buys", "item"});
  return schema;
}

TEST(on_rows, type_offsets_and_the_converter) {
  const bytes counts{3, 2};
  bytes offsets(3);
  archetype::id_output<> offsets_out{std::span(offsets)};
  ASSERT_EQ(hg::offsets_from_counts(row(counts), offsets_out), hg::status::ok);
  EXPECT_EQ(offsets, (bytes{0, 3, 5}));

  const bytes edges{4}, first_and_last{1, 0}, everyone{4, 0, 3};
  const hg::id_converter ids(people(), row(counts), row(edges));
  EXPECT_EQ(ids.nid_het2hom("item", row(first_and_last)), ids.nid_het2hom("item", first_and_last));
  EXPECT_EQ(ids.eid_het2hom("buys", row(first_and_last)), ids.eid_het2hom("buys", first_and_last));
  EXPECT_EQ(ids.nid_hom2het(row(everyone)).ids, ids.nid_hom2het(everyone).ids);
  EXPECT_EQ(ids.eid_hom2het(row(first_and_last)).types, ids.eid_hom2het(first_and_last).types);
  using id = decltype(ids.nid_het2hom("item", 0));
  std::vector<id> out(3);
  bytes types(3);
  archetype::id_output<> types_out{std::span(types)};
  EXPECT_EQ(ids.nid_hom2het(row(everyone), types_out, std::span(out)), hg::status::ok);
  EXPECT_EQ(types, (bytes{1, 0, 1}));
  EXPECT_EQ(ids.nid_het2hom(1, row(first_and_last), std::span(out).first(2)), hg::status::ok);
  EXPECT_EQ(out[0], 4);
  archetype::id_output<> two_types{std::span(types).first(2)};
  EXPECT_EQ(ids.eid_hom2het(row(first_and_last), two_types, std::span(out).first(2)),
            hg::status::ok);
  EXPECT_EQ(ids.eid_het2hom(0, row(first_and_last), std::span(out).first(2)), hg::status::ok);

  const std::array<std::int8_t, 3> begins{0, 3, 5};
  const hg::basic_type_offsets<std::int8_t, std::int8_t> each{std::span<const std::int8_t>(begins)};
  bytes typed(3), global(2);
  EXPECT_EQ(each.to_typed(row(everyone), types_out, std::span(typed)), hg::status::ok);
  EXPECT_EQ(typed, (bytes{1, 0, 0}));
  EXPECT_EQ(each.to_global(1, row(first_and_last), std::span(global)), hg::status::ok);
  EXPECT_EQ(global, (bytes{4, 3}));
}

TEST(on_rows, a_named_book) {
  const std::vector<std::uint64_t> nodes{0, 2, 3, 4, 5}, edges{0, 3, 4};
  const hg::partition_book book(people(), 2, nodes, edges, {.partid = 1});
  const bytes all{4, 0, 2}, users{2, 0}, mine{3, 4}, sold{3};
  EXPECT_EQ(book.map_to_per_ntype(row(all)).ids, book.map_to_per_ntype(all).ids);
  EXPECT_EQ(book.map_to_per_etype(row(sold)).ids, book.map_to_per_etype(sold).ids);
  EXPECT_EQ(book.map_to_homo_nid(row(users), "user"), book.map_to_homo_nid(users, "user"));
  EXPECT_EQ(book.map_to_homo_eid(row(sold), "buys"), book.map_to_homo_eid(sold, "buys"));
  EXPECT_EQ(book.nid2partid(row(all)), book.nid2partid(all));
  EXPECT_EQ(book.eid2partid(row(sold)), book.eid2partid(sold));
  EXPECT_EQ(book.nid2localnid(row(mine), 1), book.nid2localnid(mine, 1));
  EXPECT_EQ(book.eid2localeid(row(sold), 1), book.eid2localeid(sold, 1));
}

TEST(on_books, names_policies_and_splits) {
  // The storage moves into the book; its IDs alternate between two parts.
  hg::graph_schema friends;
  friends.add_node_type("user");
  friends.add_edge_type({"user", "knows", "user"});
  const hg::named_book book(friends, archetype::partition_book(5, 4), 1);
  EXPECT_EQ(book.num_nodes(), 5u);
  EXPECT_EQ(book.num_partitions(), 2u);
  EXPECT_EQ(book.nid2partid(std::int8_t{3}), 1u);
  const hg::partition_policy policy = hg::infer_policy(5, book);
  EXPECT_TRUE(policy.is_node());
  EXPECT_EQ(policy.get_part_size(), 2u);

  const bytes mask{1, 1, 0, 1, 1}, trainers{0, 0, 0, 1, 1}, edge_mask{1, 0, 1, 1};
  const std::vector<std::uint8_t> plain(mask.begin(), mask.end());
  std::vector<std::int8_t> share(5), expected(5);
  std::size_t size = 0, expected_size = 0;
  EXPECT_EQ(hg::split_into(archetype::ownership(5), {}, 1, row(mask), row(trainers), {.rank = 1},
                           std::span(share), size),
            hg::status::ok);
  EXPECT_EQ(hg::split_into(archetype::ownership(5), {}, 1, plain, trainers, {.rank = 1},
                           std::span(expected), expected_size),
            hg::status::ok);
  EXPECT_GT(size, 0u);
  EXPECT_EQ(size, expected_size);
  EXPECT_EQ(share, expected);
  EXPECT_EQ(hg::node_split(row(mask), book, "user", {.rank = 1}),
            hg::node_split(plain, book, "user", {.rank = 1}));
  EXPECT_EQ(hg::edge_split(row(edge_mask), book, "knows", {.rank = 1}, row(edge_mask)).size(),
            hg::edge_split(edge_mask, book, "knows", {.rank = 1}, edge_mask).size());
}

TEST(on_ranks, agreement_and_counts) {
  hg::run_ranks(3, [](const hg::thread_rank& each) {
    const archetype::communicator ranks(each);
    EXPECT_EQ(hg::agree(ranks, each.rank() == 2 ? hg::status::truncated.at(7) : hg::status::ok),
              hg::status::truncated);
    std::array<std::uint64_t, 3> out{each.rank(), each.rank(), each.rank()}, in{}, eights{};
    std::array<std::byte, 48> scratch{};
    EXPECT_EQ(hg::exchange_counts(ranks, out, in, eights, scratch), hg::status::ok);
    EXPECT_EQ(in, (std::array<std::uint64_t, 3>{0, 1, 2}));
  });
}

TEST(on_ranks, joint_work_and_records_on_their_way) {
  hg::run_ranks(3, [](const hg::thread_rank& each) {
    const archetype::communicator ranks(each);
    hg::check_peers(ranks);
    EXPECT_THROW(
        hg::raise_collective(ranks, hg::joint_error(hg::error_kind::mismatch, "all have met this")),
        hg::joint_error);
    EXPECT_EQ(hg::gather_numbers(ranks, each.rank()), (std::vector<std::uint64_t>{0, 1, 2}));
    hg::require_same(ranks, "as all say", "says other things than", "it must be the same");
    EXPECT_THROW(
        hg::require_same(ranks, each.rank() / 2, "says other things than", "it must be the same"),
        hg::joint_error);
    EXPECT_EQ(hg::all_reduce_min(ranks, each.rank()) + hg::all_reduce_max(ranks, each.rank()) +
                  hg::all_reduce_sum(ranks, each.rank()),
              5u);
    EXPECT_EQ(hg::ask_ranks(ranks, false, each.rank() == 1), std::pair(false, true));
    std::string text(each.rank(), 'x');
    hg::broadcast_text(ranks, text, 2);
    EXPECT_EQ(text, "xx");
    std::vector<std::uint8_t> got;
    hg::run_collective(ranks, [&] {
      hg::record_exchange exchange(ranks, 1, 2);
      exchange.run(
          [&](std::uint64_t round) {
            exchange.push(0, static_cast<std::uint8_t>(2 * each.rank() + round));
            return round == 0;
          },
          [&](std::uint64_t, std::size_t, std::span<const std::byte> letters) {
            for (const auto one : letters) got.push_back(std::to_integer<std::uint8_t>(one));
          });
    });
    EXPECT_EQ(got, each.rank() == 0 ? (std::vector<std::uint8_t>{0, 2, 4, 1, 3, 5})
                                    : std::vector<std::uint8_t>{});
  });
}

TEST(on_ranks, numbers_of_nodes_and_calls_in_step) {
  hg::run_ranks(3, [](const hg::thread_rank& each) {
    const archetype::communicator ranks(each);
    const std::vector<std::uint64_t> ranges{0, 2, 2, 5}, wanted{4, 0, 1};
    hg::run_collective(ranks, [&] {
      const std::vector<std::uint64_t> records{0, 1, 2};
      EXPECT_EQ(hg::send_records(
                    ranks, std::span<const std::uint64_t>(records),
                    [](std::uint64_t to) { return static_cast<std::size_t>(to); }, 1),
                std::vector<std::uint64_t>(3, each.rank()));
      EXPECT_EQ(hg::values_of_nodes(
                    ranks, ranges, wanted, [&](std::size_t v) { return 10 * each.rank() + v; }, 1),
                (std::vector<std::uint64_t>{22, 0, 1}));
      std::array<std::uint64_t, 1> sum{1};
      EXPECT_EQ(hg::checked_communicator(ranks).sum(sum), hg::status::ok);
      EXPECT_EQ(sum[0], 3u);
    });
  });
}

TEST(on_ids, assignments_are_rows_of_parts) {
  const std::vector<std::int64_t> owner{0, 1, 1};
  const archetype::id_row<std::int64_t> model(owner);
  EXPECT_EQ(hg::parts_of(model).size(), 3u);
  EXPECT_EQ(hg::measure_balance(model, 2, {}).size(), 0u);
}

}  // namespace
