// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/range_book.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::error_kind;
using hg::status;

// A book without a heap, built and asked by the compiler.
constexpr bool works_at_compile_time() {
  constexpr std::array<std::uint16_t, 7> nodes{0, 3, 5, 5, 8, 8, 9};
  constexpr std::array<std::uint16_t, 5> edges{0, 4, 6, 6, 9};
  using book_type = hg::basic_range_book<std::uint8_t, std::int16_t, std::uint16_t>;
  std::array<std::uint16_t, book_type::memory_size(2, 3, 2)> memory{};
  book_type book;
  if (!book.bind(2, 3, nodes, 2, edges, memory)) return false;
  hg::part_id part = 0;
  std::int16_t edge = 0;
  return book.nodes().part_of(7, part) && part == 1 && book.edges().to_global(1, 4, edge) &&
         edge == 8;
}
static_assert(works_at_compile_time());

TEST(range_book, reports_how_much_memory_it_needs) {
  const std::vector<std::uint64_t> nodes{0, 3, 5}, edges{0, 4, 6};
  hg::range_book book;
  std::vector<std::uint64_t> memory(hg::range_book::memory_size(2, 1, 1));
  EXPECT_EQ(book.bind(2, 1, nodes, 1, edges, std::span(memory).first(memory.size() - 1)),
            status::capacity.at(memory.size()));
  EXPECT_EQ(book.num_parts(), 0u);
  EXPECT_EQ(book.bind(2, 1, nodes, 1, edges, memory), status::ok);
  EXPECT_EQ(book.edges().size(), 6u);
  const std::vector<std::uint64_t> sinking{0, 4, 3};
  EXPECT_EQ(book.bind(2, 1, sinking, 1, edges, memory), status::malformed.at(1));
  EXPECT_EQ(book.bind(2, 1, nodes, 1, sinking, memory), status::malformed.at(1));
  EXPECT_EQ(book.num_parts(), 2u) << "what was bound stays";
  std::vector<std::uint32_t> tables(hg::range_book::index_size(2, 1, 1));
  EXPECT_EQ(book.bind_index(std::span(tables).first(tables.size() - 1)),
            status::capacity.at(tables.size()));
  EXPECT_EQ(book.bind_index(tables), status::ok);
}

// What a sentence says, or "" where nothing was raised.
template <class Call>
std::pair<error_kind, std::string> raised(Call&& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return {problem.code(), problem.what()};
  }
  return {error_kind::ok, ""};
}
bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The check values of the format page.
hg::graph_schema check_schema() {
  hg::graph_schema schema;
  schema.add_node_type("a");
  schema.add_node_type("b");
  schema.add_node_type("c");
  schema.add_edge_type({"a", "r", "b"});
  schema.add_edge_type({"b", "s", "a"});
  return schema;
}
const hg::range_table check_nodes{{{0, 3}, {5, 8}}, {{3, 5}, {8, 8}}, {{5, 5}, {8, 9}}};
const hg::range_table check_edges{{{0, 4}, {6, 6}}, {{4, 6}, {6, 9}}};
hg::partition_book check_book() {
  return {check_schema(), 2, check_nodes, check_edges, {.partid = 1}};
}

TEST(partition_book, gives_the_check_values) {
  const auto book = check_book();
  EXPECT_EQ(book.num_partitions(), 2u);
  EXPECT_EQ(book.partid(), 1u);
  EXPECT_EQ(book.metadata(), (std::vector<hg::part_metadata>{{0, 5, 6}, {1, 4, 3}}));
  EXPECT_EQ(book.local_ntype_offset(), (std::vector<std::uint64_t>{0, 3, 3, 4}));
  EXPECT_EQ(book.local_etype_offset(), (std::vector<std::uint64_t>{0, 0, 3}));
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto typed = book.map_to_per_ntype(all);
  EXPECT_EQ(typed.types, (std::vector<hg::type_id>{0, 0, 0, 1, 1, 0, 0, 0, 2}));
  EXPECT_EQ(typed.ids, (std::vector<std::int64_t>{0, 1, 2, 0, 1, 3, 4, 5, 0}));
  const std::vector<int> parts{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2};
  for (int i = -1; i <= 11; ++i) {
    EXPECT_EQ(book.nid2partid_unchecked(i), hg::part_id(parts[static_cast<std::size_t>(i + 1)]))
        << i;
  }
  const std::vector<int> parts_b{0, 0, 0, 2, 2};
  for (int i = -1; i <= 3; ++i) {
    EXPECT_EQ(book.nid2partid_unchecked(i, "b"),
              hg::part_id(parts_b[static_cast<std::size_t>(i + 1)]))
        << i;
  }
  EXPECT_EQ(book.map_to_homo_nid(std::vector{0, 1, 2, 3, 4, 5}, "a"),
            (std::vector<std::int64_t>{0, 1, 2, 5, 6, 7}));
  EXPECT_EQ(book.map_to_homo_eid(std::vector{0, 1, 2, 3, 4}, "s"),
            (std::vector<std::int64_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(book.partid2nids(1, "a"), (std::vector<std::int64_t>{3, 4, 5}));
  const std::vector<std::pair<int, int>> local{{0, -5}, {8, 3}, {9, 4}, {100, 95}};
  for (const auto& [id, want] : local) EXPECT_EQ(book.nid2localnid_unchecked(id, 1), want);
  EXPECT_EQ(book.nid2localnid(8, 1), 3);
}

TEST(partition_book, the_same_book_from_bounds) {
  const std::vector<std::uint64_t> nodes{0, 3, 5, 5, 8, 8, 9}, edges{0, 4, 6, 6, 9};
  const hg::GraphPartitionBook bounds(check_schema(), 2, nodes, edges, {.partid = 1});
  const auto table = check_book();
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(bounds.map_to_per_ntype(i), table.map_to_per_ntype(i));
    EXPECT_EQ(bounds.map_to_per_etype(i), table.map_to_per_etype(i));
    EXPECT_EQ(bounds.eid2partid(i), table.eid2partid(i));
  }
}

TEST(partition_book, rejects_ids_out_of_range_and_reports_the_range) {
  const auto book = check_book();
  auto [code, text] = raised([&] { book.map_to_per_ntype(9); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "node ID 9") && mentions(text, "[0, 9)")) << text;
  std::tie(code, text) = raised([&] { book.nid2partid(-1); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "-1") && mentions(text, "[0, 9)")) << text;
  std::tie(code, text) = raised([&] { book.nid2partid(2, "b"); });
  EXPECT_TRUE(mentions(text, "\"b\"") && mentions(text, "[0, 2)")) << text;
  std::tie(code, text) = raised([&] { book.map_to_homo_nid(std::vector{0, 6}, "a"); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "ID 6") && mentions(text, "place 1") && mentions(text, "[0, 6)"))
      << text;
  std::tie(code, text) = raised([&] { book.map_to_homo_eid(-1, "r"); });
  EXPECT_TRUE(mentions(text, "edge ID -1") && mentions(text, "\"a:r:b\"") &&
              mentions(text, "[0, 4)"))
      << text;
  std::tie(code,
           text) = raised([&] { book.eid2partid(std::vector<std::uint64_t>{~std::uint64_t{0}}); });
  EXPECT_TRUE(mentions(text, "18446744073709551615") && mentions(text, "[0, 9)")) << text;
  std::tie(code, text) = raised([&] { book.nid2localnid(0, 1); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "part 1") && mentions(text, "[5, 8]")) << text;
  std::tie(code, text) = raised([&] { book.eid2localeid(0, 1, "r"); });
  EXPECT_TRUE(mentions(text, "owns none")) << text;
}

TEST(partition_book, parts_must_exist_and_local_ids_are_of_its_own_part) {
  const auto book = check_book();
  EXPECT_EQ(raised([&] { book.partid2nids(2); }).first, error_kind::invalid_argument);
  EXPECT_EQ(raised([&] { book.partid2nids(-1); }).first, error_kind::invalid_argument);
  EXPECT_EQ(raised([&] { book.partid2eids(std::uint8_t{2}, "s"); }).first,
            error_kind::invalid_argument);
  const auto [code, text] = raised([&] { book.nid2localnid(0, 0); });
  EXPECT_EQ(code, error_kind::invalid_argument);
  EXPECT_TRUE(mentions(text, "part 1") && mentions(text, "part 0")) << text;
  EXPECT_EQ(raised([&] {
              hg::partition_book(check_schema(), 2, check_nodes, check_edges, {.partid = 2});
            }).first,
            error_kind::invalid_argument);
}

TEST(partition_book, unknown_types_are_named) {
  const auto book = check_book();
  auto [code, text] = raised([&] { book.nid2partid(0, "paper"); });
  EXPECT_EQ(code, error_kind::not_found);
  EXPECT_TRUE(mentions(text, "\"paper\"") && mentions(text, "\"a\", \"b\", \"c\"")) << text;
  EXPECT_FALSE(mentions(text, "...")) << text;
  EXPECT_EQ(raised([&] { book.nid2partid(0, 3); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { book.nid2partid(0, -1); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { book.eid2partid(0, "x"); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { book.eid2partid(0, hg::canonical_etype{"a", "r", "c"}); }).first,
            error_kind::not_found);
  EXPECT_EQ(raised([&] { book.map_to_homo_nid(0, "_N"); }).first,
            error_kind::not_found);  // no default there
}

TEST(partition_book, default_names_mean_the_global_space_whatever_types_exist) {
  const auto book = check_book();
  EXPECT_EQ(book.nid2partid(8, "_N"), 1u);
  EXPECT_EQ(book.eid2partid(8, "_E"), 1u);
  EXPECT_EQ(book.eid2partid(8, "_N:_E:_N"), 1u);
  EXPECT_EQ(book.eid2partid(8, hg::canonical_etype{"_N", "_E", "_N"}), 1u);
  EXPECT_EQ(book.num_nodes("_N"), 9u);
  EXPECT_EQ(book.num_nodes("a"), 6u);
  EXPECT_EQ(book.num_edges(), 9u);
  EXPECT_EQ(book.num_edges(1), 5u);
  EXPECT_EQ(book.partid2nids(1), (std::vector<std::int64_t>{5, 6, 7, 8}));
  EXPECT_EQ(book.nid2localnid(std::vector{8, 5}, 1), (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(book.eid2localeid(std::vector{2, 4}, 1, "s"), (std::vector<std::int64_t>{0, 2}));
}

TEST(partition_book, relation_names_become_triples_unless_several_share_one) {
  auto schema = check_schema();
  schema.add_edge_type({"a", "s", "c"});
  const hg::partition_book book(schema, 1, hg::range_table{{{0, 1}}, {{1, 2}}, {{2, 3}}},
                                hg::range_table{{{0, 1}}, {{1, 2}}, {{2, 3}}});
  const hg::canonical_etype r{"a", "r", "b"};
  EXPECT_EQ(book.to_canonical_etype("r"), r);
  EXPECT_EQ(book.to_canonical_etype(r), r);
  EXPECT_EQ(book.to_canonical_etype("a:r:b"), r);
  const auto [code, text] = raised([&] { book.to_canonical_etype("s"); });
  EXPECT_EQ(code, error_kind::invalid_argument);
  EXPECT_TRUE(mentions(text, "b:s:a") && mentions(text, "a:s:c")) << text;
  EXPECT_EQ(raised([&] { book.to_canonical_etype("t"); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { book.to_canonical_etype(hg::canonical_etype{"a", "r", "a"}); }).first,
            error_kind::not_found);
  EXPECT_EQ(book.etypes(), (std::vector<std::string>{"r", "s", "s"}));
  EXPECT_EQ(book.ntypes(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(book.is_homogeneous());
}

// DGL's own tests run on one type, 1000 nodes and 5000 edges in each of 2 parts, for both widths of
// maps.
template <class Book>
class partition_book_dtypes : public testing::Test {};
using books = testing::Types<hg::basic_partition_book<std::int32_t, std::int32_t>,
                             hg::basic_partition_book<std::int32_t, std::int64_t>,
                             hg::basic_partition_book<std::int64_t, std::int32_t>,
                             hg::basic_partition_book<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(partition_book_dtypes, books);

TYPED_TEST(partition_book_dtypes, one_type_in_two_parts) {
  const hg::range_table nodes{{{0, 1000}, {1000, 2000}}}, edges{{{0, 5000}, {5000, 10000}}};
  const TypeParam book(hg::graph_schema::homogeneous(), 2, nodes, edges);
  using node = typename TypeParam::node_id;
  using edge = typename TypeParam::edge_id;
  EXPECT_EQ(book.etypes(), std::vector<std::string>{"_E"});
  EXPECT_EQ(book.canonical_etypes(), (std::vector<hg::canonical_etype>{{"_N", "_E", "_N"}}));
  EXPECT_EQ(book.to_canonical_etype("_E"), (hg::canonical_etype{"_N", "_E", "_N"}));
  const auto n = book.map_to_per_ntype(std::vector<node>{0, 1000});
  EXPECT_EQ(n.types, (std::vector<hg::type_id>{0, 0}));
  EXPECT_EQ(n.ids, (std::vector<node>{0, 1000}));
  const auto e = book.map_to_per_etype(std::vector<edge>{0, 5000});
  EXPECT_EQ(e.types, (std::vector<hg::type_id>{0, 0}));
  EXPECT_EQ(e.ids, (std::vector<edge>{0, 5000}));
  EXPECT_EQ(book.global_nid_dtype(),
            sizeof(node) == 4 ? hg::map_dtype::int32 : hg::map_dtype::int64);
  EXPECT_EQ(book.global_eid_dtype(),
            sizeof(edge) == 4 ? hg::map_dtype::int32 : hg::map_dtype::int64);
  EXPECT_TRUE(book.is_homogeneous());
  EXPECT_EQ(book.map_to_homo_nid(1500, "_N"), 1500);
  EXPECT_TRUE(book.map_to_per_ntype(std::vector<node>{}).ids.empty());
  std::vector<int> all(2000);
  for (int i = 0; i < 2000; ++i) all[static_cast<std::size_t>(i)] = i;
  const auto owners = book.nid2partid(all);
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 0u), 1000);
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 1u), 1000);
}

TEST(partition_book, types_with_identical_ranges_are_accepted_and_the_first_answers) {
  hg::graph_schema schema;
  schema.add_node_type("node1");
  schema.add_node_type("node2");
  schema.add_edge_type({"node1", "edge1", "node2"});
  const std::vector<hg::id_range> halves{{0, 1000}, {1000, 2000}};
  const hg::range_table nodes{halves, halves}, edges{{{0, 5000}, {5000, 10000}}};
  const hg::partition_book book(schema, 2, nodes, edges, {.partid = 1});
  EXPECT_EQ(book.map_to_per_ntype(1999), (hg::typed_id<std::int64_t>{0, 1999}));
  const auto [code, text] = raised(
      [&] { hg::partition_book(schema, 2, nodes, edges, {.rule = hg::range_rule::ascending}); });
  EXPECT_EQ(code, error_kind::malformed);
  EXPECT_TRUE(mentions(text, "type 1") && mentions(text, "part 0")) << text;
  const hg::range_table late{{{0, 3}, {5, 8}}, {{3, 5}, {7, 8}}, {{5, 5}, {8, 9}}};
  EXPECT_TRUE(mentions(raised([&] {
                         hg::partition_book(check_schema(), 2, late, check_edges,
                                            {.rule = hg::range_rule::ascending});
                       }).second,
                       "node range of type 1 in part 1"));
}

TEST(partition_book, tables_of_the_wrong_shape_are_rejected) {
  const auto schema = check_schema();
  EXPECT_EQ(raised([&] {
              hg::partition_book(schema, 2, hg::range_table{check_nodes[0]}, check_edges);
            }).first,
            error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book(schema, 3, check_nodes, check_edges); }).first,
            error_kind::mismatch);
  EXPECT_EQ(raised([&] {
              hg::partition_book(schema, 2, {{{0, 3}, {5, 8}}, {{3, 2}, {8, 8}}, {{5, 5}, {8, 9}}},
                                 check_edges);
            }).first,
            error_kind::malformed);
  const std::vector<std::uint64_t> none, one{0}, six{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(raised([&] { hg::partition_book(schema, 2, six, six); }).first, error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book(schema, ~std::size_t{0}, none, none); }).first,
            error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book(schema, 0, one, one); }).first, error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book(schema, 1, six, six); }).first, error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book({}, 1, six, six); }).first, error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::partition_book({}, 1, std::vector<std::uint64_t>{5}, one); }).first,
            error_kind::malformed)
      << "no type: the only bound must be 0";
  EXPECT_EQ(hg::partition_book({}, 1, one, one).num_nodes(), 0u);
  const auto no_part = raised(
      [&] { hg::partition_book(schema, 0, hg::range_table(3), hg::range_table(2)); });
  EXPECT_EQ(no_part.first, error_kind::invalid_argument);
  EXPECT_EQ(no_part.second, "a partition book needs at least one part");
  using small = hg::basic_partition_book<std::int8_t, std::int8_t>;
  EXPECT_EQ(raised([&] {
              small(hg::graph_schema::homogeneous(), 1, hg::range_table{{{0, 129}}},
                    hg::range_table{{{0, 1}}});
            }).first,
            error_kind::overflow);
  EXPECT_EQ(raised([&] {
              hg::partition_book(hg::graph_schema::homogeneous(), 1,
                                 hg::range_table{{{0, std::uint64_t{1} << 31}}},
                                 hg::range_table{{{0, 1}}},
                                 {.node_map_dtype = hg::map_dtype::int32});
            }).first,
            error_kind::overflow);
}

// Types listed out of the order of their numbers: the caller orders maps by number; offsets per
// part follow.
TEST(partition_book, local_offsets_of_two_parts) {
  hg::graph_schema schema;
  schema.add_node_type("item");
  schema.add_node_type("user");
  schema.add_edge_type({"user", "a", "item"});
  schema.add_edge_type({"user", "b", "item"});
  schema.add_edge_type({"user", "c", "item"});
  schema.add_edge_type({"item", "d", "user"});
  const hg::range_table nodes{{{0, 100}, {300, 600}}, {{100, 300}, {600, 1000}}};
  // The ranges of the edges in part 0 end at 1000, those of part 1 at 3600.
  const hg::range_table edges{{{0, 100}, {1000, 1500}},
                              {{100, 300}, {1500, 2100}},
                              {{300, 600}, {2100, 2800}},
                              {{600, 1000}, {2800, 3600}}};
  // In part 0 nodes end at 300, as part 1 begins.
  const hg::partition_book zero(schema, 2, nodes, edges, {.rule = hg::range_rule::ascending});
  EXPECT_EQ(zero.local_ntype_offset(), (std::vector<std::uint64_t>{0, 100, 300}));
  EXPECT_EQ(zero.local_etype_offset(), (std::vector<std::uint64_t>{0, 100, 300, 600, 1000}));
  const hg::partition_book one(schema, 2, nodes, edges,
                               {.partid = 1, .rule = hg::range_rule::ascending});
  EXPECT_EQ(one.local_ntype_offset(), (std::vector<std::uint64_t>{0, 300, 700}));
  EXPECT_EQ(one.local_etype_offset(), (std::vector<std::uint64_t>{0, 500, 1100, 1800, 2600}));
}

TEST(partition_book, empty_cells_written_at_the_end_of_the_cell_before) {
  hg::graph_schema schema;
  schema.add_node_type("A");
  schema.add_node_type("B");
  schema.add_edge_type({"A", "r", "B"});
  const hg::range_table nodes{{{0, 1}, {1, 1}, {3, 4}}, {{1, 1}, {1, 3}, {4, 4}}};
  const hg::partition_book book(schema, 3, nodes, hg::range_table{{{0, 0}, {0, 0}, {0, 0}}},
                                {.rule = hg::range_rule::ascending});
  EXPECT_EQ(book.nid2partid(std::vector{0, 1}, "A"), (std::vector<hg::part_id>{0, 2}));
  EXPECT_EQ(book.nid2partid(std::vector{0, 1}, "B"), (std::vector<hg::part_id>{1, 1}));
  EXPECT_EQ(book.map_to_per_ntype(std::vector{0, 1, 2, 3}).types,
            (std::vector<hg::type_id>{0, 1, 1, 0}));
  EXPECT_TRUE(book.partid2nids(0, "B").empty());
  EXPECT_EQ(raised([&] { book.map_to_per_etype(0); }).first, error_kind::out_of_range);
}

TEST(partition_book, ids_in_gaps_are_reported_as_such) {
  hg::graph_schema schema;
  schema.add_node_type("A");
  schema.add_edge_type({"A", "r", "A"});
  const hg::partition_book book(schema, 2, hg::range_table{{{0, 2}, {5, 7}}},
                                hg::range_table{{{0, 1}, {1, 1}}});
  EXPECT_EQ(book.nid2partid(3), 1u);
  const auto [code, text] = raised([&] { book.map_to_per_ntype(3); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "gap")) << text;
  EXPECT_EQ(book.metadata()[1].num_nodes, 5u);  // from 2, as DGL counts
}

TEST(named_book, needs_maps_of_as_many_parts_and_types_as_it_has_names) {
  const std::vector<std::uint64_t> two{0, 3, 5}, one{0, 5};
  std::vector<std::uint64_t> memory(16);
  hg::range_map of_two, of_one;
  ASSERT_EQ(of_two.bind(2, 1, two, std::span(memory).first(8)), status::ok);
  ASSERT_EQ(of_one.bind(1, 1, one, std::span(memory).subspan(8)), status::ok);
  const auto make = [](hg::graph_schema schema, const hg::range_map& nodes,
                       const hg::range_map& edges) {
    return raised([&] { hg::named_book<hg::range_book>(schema, {nodes, edges}); });
  };
  const auto names = hg::graph_schema::homogeneous();
  EXPECT_EQ(make(names, of_two, of_two).first, error_kind::ok);
  EXPECT_EQ(make(names, of_two, of_one),
            (std::pair{error_kind::mismatch,
                       std::string("nodes have 2 parts but edges 1; a book needs the same parts "
                                   "for both")}));
  EXPECT_EQ(make(check_schema(), of_two, of_two),
            (std::pair{error_kind::mismatch,
                       std::string("the schema names 3 node types and 2 edge types, the maps hold "
                                   "1 and 1; they must agree")}));
  auto more_edges = names;
  more_edges.add_edge_type({"_N", "again", "_N"});
  EXPECT_EQ(make(more_edges, of_two, of_two).first, error_kind::mismatch);
}

TEST(named_book, takes_numbers_of_types_and_rejects_keys_of_another_kind) {
  const auto book = check_book();
  EXPECT_EQ(book.num_nodes(1), 2u);
  EXPECT_EQ(book.num_edges(hg::canonical_etype{"b", "s", "a"}), 5u);
  EXPECT_EQ(book.nid2localnid_unchecked(7, 1, "a"), 4);
  EXPECT_EQ(book.eid2localeid_unchecked(0, 1, "s"), -2);
  EXPECT_EQ(book.eid2localeid_unchecked(9, 1), 3);
  EXPECT_EQ(book.eid2partid_unchecked(2, "s"), 1u);
  EXPECT_EQ(book.eid2partid_unchecked(-1), 0u);
  EXPECT_EQ(name(hg::map_dtype::int32), "int32");
  EXPECT_EQ(name(hg::map_dtype::int64), "int64");
  const hg::canonical_etype r{"a", "r", "b"};
  const auto sentence = [](auto&& call) { return raised(call).second; };
  EXPECT_EQ(sentence([&] { book.map_to_homo_nid(0, hg::type_key{}); }),
            "this query needs the name of a node type");
  EXPECT_EQ(sentence([&] { book.map_to_homo_eid(0, hg::type_key{}); }),
            "this query needs the name of an edge type");
  EXPECT_EQ(sentence([&] { book.nid2partid(0, r); }),
            "edge type \"a:r:b\" is given where a node type is needed");
  EXPECT_EQ(sentence([&] { book.num_edges(2); }),
            "edge type number 2 is not in the valid range [0, 2)");
  EXPECT_EQ(sentence([&] { book.map_to_per_etype(std::vector{0, 9}); }),
            "global edge ID 9 at place 1 is not in the valid range [0, 9)");
}

TEST(named_book, lists_at_most_twenty_types) {
  const auto sentence = [](int types) {
    hg::graph_schema schema;
    for (int t = 0; t < types; ++t) schema.add_node_type("t" + std::to_string(t));
    const std::vector<std::uint64_t> nodes(static_cast<std::size_t>(types) + 1), edges{0};
    const hg::partition_book book(schema, 1, nodes, edges);
    return raised([&] { book.num_nodes("paper"); }).second;
  };
  EXPECT_EQ(sentence(0), "no node type is called \"paper\"; there are none");
  EXPECT_EQ(sentence(1), "no node type is called \"paper\"; there are \"t0\"");
  EXPECT_TRUE(sentence(20).ends_with(", \"t19\"")) << sentence(20);
  EXPECT_TRUE(sentence(21).ends_with(", \"t19\", ...")) << sentence(21);
}

// A map that gives up for reasons of its own, here that memory is exhausted.
struct refusing_map : hg::range_map {
  template <class... Args>
  status part_of(const Args&...) const {
    return status::capacity;
  }
  template <class... Args>
  status to_local(const Args&...) const {
    return status::capacity;
  }
};
struct refusing_book {
  refusing_map map{};
  const refusing_map& nodes() const { return map; }
  const refusing_map& edges() const { return map; }
  std::size_t num_parts() const { return map.num_parts(); }
};

TEST(named_book, passes_on_what_a_storage_of_the_user_reports) {
  const std::vector<std::uint64_t> bounds{0, 4};
  std::array<std::uint64_t, 2> totals{};
  refusing_book storage;
  ASSERT_EQ(storage.map.bind(1, 1, bounds, totals), status::ok);
  const hg::named_book<refusing_book> book(hg::graph_schema::homogeneous(), storage);
  const auto refused = [](std::string text) { return std::pair{error_kind::capacity, text}; };
  EXPECT_EQ(raised([&] { book.nid2partid(2); }), refused("global node ID 2 cannot be converted"));
  EXPECT_EQ(raised([&] { book.nid2localnid(2, 0, 0); }),
            refused("node ID 2 of type \"_N\" cannot be converted"));
  EXPECT_EQ(raised([&] { book.nid2localnid(std::vector{2}, 0); }).first, error_kind::capacity);
}

TEST(partition_book, copies_and_moves_stay_valid) {
  auto first = std::make_unique<hg::partition_book>(check_book());
  hg::partition_book copy = *first;
  const hg::partition_book moved = std::move(*first);
  first.reset();
  EXPECT_EQ(copy.nid2partid(8), 1u);
  EXPECT_EQ(moved.nid2partid(8), 1u);
  copy = moved;
  EXPECT_EQ(copy.map_to_homo_nid(5, "a"), 7);
}

}  // namespace
