// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/map_book.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/book/split.hpp>
#include <halograph/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::error_kind;
using hg::part_id;
using hg::status;
using ids = std::vector<std::int64_t>;
using bytes = std::vector<std::uint8_t>;

// Two node types over 4 parts (n1 empty in part 2), and a book for each part.
struct books {
  std::vector<hg::partition_book> ranges{};
  std::vector<hg::map_partition_book> maps{};
};
books make_books() {
  hg::graph_schema schema;
  schema.add_node_type("n1");
  schema.add_node_type("n2");
  schema.add_edge_type({"n1", "r1", "n2"});
  schema.add_edge_type({"n2", "r2", "n2"});
  const std::vector<std::uint64_t> nodes{0, 30, 50, 57, 80, 80, 95, 118, 140},
      edges{0, 11, 40, 61, 61, 90, 93, 100, 130};
  hg::random_stream draw(3);
  std::vector<std::int64_t> node_map(140), edge_map(130);
  for (auto& p : node_map) p = static_cast<std::int64_t>(draw.below(4));
  for (auto& p : edge_map) p = static_cast<std::int64_t>(draw.below(4));
  const std::vector<std::uint64_t> node_counts{60, 80}, edge_counts{68, 62};
  books result;
  for (part_id p = 0; p < 4; ++p) {
    result.ranges.emplace_back(schema, 4, nodes, edges, hg::book_options{.partid = p});
    result.maps.emplace_back(schema, 4, node_map, edge_map, node_counts, edge_counts, p);
  }
  return result;
}
bytes random_mask(std::size_t n, std::uint64_t seed, std::uint64_t of_ten) {
  hg::random_stream draw(seed);
  bytes mask(n);
  for (auto& flag : mask) flag = draw.below(10) < of_ten;
  return mask;
}
ids chosen(const bytes& mask) {
  ids all;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) all.push_back(static_cast<std::int64_t>(i));
  }
  return all;
}
template <class Book>
ids owned_and_chosen(const Book& book, const bytes& mask, std::string_view type) {
  ids result;
  for (const auto n : book.partid2nids(book.partid(), type)) {
    if (mask[static_cast<std::size_t>(n)]) result.push_back(n);
  }
  return result;
}

template <class Books>
void check_owned(const Books& all, const char* type, const bytes& mask) {
  for (const auto& book : all) {
    const std::size_t first = book.partid();
    EXPECT_EQ(hg::node_split(mask, book, type, {.rank = first, .trainers = 4, .force_even = false}),
              owned_and_chosen(book, mask, type));
    // Two trainers: the first has floor(n/2), the second the rest.
    const auto one = hg::node_split(mask, book, type,
                                    {.rank = 2 * first, .trainers = 8, .force_even = false});
    auto both = hg::node_split(mask, book, type,
                               {.rank = 2 * first + 1, .trainers = 8, .force_even = false});
    EXPECT_EQ(one.size(), (one.size() + both.size()) / 2);
    both.insert(both.begin(), one.begin(), one.end());
    EXPECT_EQ(both, owned_and_chosen(book, mask, type));
  }
}
TEST(node_split, without_force_even_a_part_gets_only_what_it_owns) {
  const auto all = make_books();
  for (const std::uint64_t density : {0u, 4u, 10u}) {
    check_owned(all.ranges, "n1", random_mask(all.ranges[0].num_nodes("n1"), density + 1, density));
    check_owned(all.ranges, "_N", random_mask(140, density + 1, density));
    check_owned(all.maps, "n2", random_mask(80, density + 1, density));
  }
}

TEST(edge_split, takes_relation_names_and_triples) {
  const auto all = make_books();
  const std::size_t n = all.ranges[1].num_edges("r1");
  const auto mask = random_mask(n, 5, 5);
  ids seen;
  for (const auto& book : all.ranges) {
    const hg::split_options options{.rank = book.partid(), .trainers = 4, .force_even = false};
    const auto share = hg::edge_split(mask, book, "r1", options);
    EXPECT_EQ(share, hg::edge_split(mask, book, "n1:r1:n2", options));
    for (const auto owner : book.eid2partid(share, "r1")) EXPECT_EQ(owner, book.partid());
    seen.insert(seen.end(), share.begin(), share.end());
  }
  EXPECT_EQ(seen, chosen(mask));
  const auto everything = random_mask(130, 6, 10);
  EXPECT_EQ(hg::edge_split(everything, all.ranges[3], "_E", {.rank = 3, .force_even = false}),
            all.ranges[3].partid2eids(3));
  EXPECT_EQ(hg::edge_split(everything, all.ranges[3], "_N:_E:_N", {.rank = 3, .force_even = false}),
            all.ranges[3].partid2eids(3));
}

template <class Books>
void check_even(const Books& all, const char* type, const bytes& mask) {
  const auto selected = chosen(mask);
  ids ones, pairs;
  std::size_t last = selected.size();
  for (const auto& book : all) {
    const std::size_t first = book.partid();
    const auto share = hg::node_split(mask, book, type, {.rank = first});
    EXPECT_LE(share.size(), last);  // the larger first
    EXPECT_LE(selected.size() / 4, share.size());
    EXPECT_LE(share.size(), selected.size() / 4 + 1);
    last = share.size();
    ones.insert(ones.end(), share.begin(), share.end());
    ids both;
    for (std::size_t j = 0; j < 2; ++j) {
      const auto half = hg::node_split(mask, book, type, {.rank = 2 * first + j, .trainers = 8});
      EXPECT_TRUE(std::is_sorted(half.begin(), half.end()));
      EXPECT_EQ(half.size(), (share.size() + 1 - j) / 2);
      both.insert(both.end(), half.begin(), half.end());
    }
    std::sort(both.begin(), both.end());
    pairs.insert(pairs.end(), both.begin(), both.end());
  }
  EXPECT_EQ(ones, selected);
  EXPECT_EQ(pairs, selected);
}
TEST(node_split, even_shares_are_runs_of_the_selection_of_any_owner) {
  const auto all = make_books();
  for (const std::uint64_t density : {0u, 3u, 10u}) {
    check_even(all.ranges, "_N", random_mask(140, density + 20, density));
    check_even(all.ranges, "n2", random_mask(80, density + 20, density));
    check_even(all.maps, "n1", random_mask(60, density + 20, density));
  }
}

TEST(node_split, trainers_of_one_part_get_a_permutation_and_not_runs) {
  const std::vector<std::uint64_t> nodes{0, 1000}, edges{0, 0};
  const hg::partition_book book(hg::graph_schema::homogeneous(), 1, nodes, edges);
  const bytes mask(1000, 1);
  const auto share = hg::node_split(mask, book, "_N", {.rank = 0, .trainers = 2});
  EXPECT_EQ(share.size(), 500u);
  EXPECT_GT(share.back(), 900);  // a run would end at 499
  EXPECT_EQ(share, hg::node_split(mask, book, "_N", {.rank = 0, .trainers = 2}));
}

// What the format page says, in the plainest words.
std::vector<ids> naive_by_trainers(const ids& run, const std::vector<std::int64_t>& trainer,
                                   std::int64_t part, std::int64_t c) {
  ids own, others;
  for (const auto m : run)
    (trainer[static_cast<std::size_t>(m)] / c == part ? own : others).push_back(m);
  std::stable_sort(own.begin(), own.end(), [&](auto a, auto b) {
    return trainer[static_cast<std::size_t>(a)] % c < trainer[static_cast<std::size_t>(b)] % c;
  });
  std::vector<ids> shares(static_cast<std::size_t>(c));
  for (const auto& list : {own, others}) {
    std::size_t next = 0;
    for (std::size_t j = 0; j < shares.size(); ++j) {
      std::size_t size = list.size() / shares.size() + (j < list.size() % shares.size());
      while (size-- > 0) shares[j].push_back(list[next++]);
    }
  }
  for (auto& share : shares) std::sort(share.begin(), share.end());
  return shares;
}

TEST(node_split, follows_known_trainers_inside_a_run) {
  const auto all = make_books();
  for (const std::int64_t c : {2, 3}) {
    hg::random_stream draw(static_cast<std::uint64_t>(c));
    std::vector<std::int64_t> trainer(80), finer(80);
    for (auto& t : trainer)
      t = static_cast<std::int64_t>(draw.below(4 * static_cast<std::uint64_t>(c)));
    trainer[0] = 4 * c - 1;
    for (std::size_t i = 0; i < 80; ++i)
      finer[i] = 5 * trainer[i] + (i == 0 ? 4 : static_cast<std::int64_t>(draw.below(5)));
    const auto mask = random_mask(80, 9, 7);
    ids seen;
    for (const auto& book : all.ranges) {
      const auto run = hg::node_split(mask, book, "n2", {.rank = book.partid()});
      const auto want = naive_by_trainers(run, trainer, book.partid(), c);
      for (std::size_t j = 0; j < want.size(); ++j) {
        const hg::split_options options{.rank = book.partid() * want.size() + j,
                                        .trainers = 4 * want.size()};
        const auto share = hg::node_split(mask, book, "n2", options, trainer);
        EXPECT_EQ(share, want[j]);
        // Five times as many trainers when the graph was cut: five of them become one.
        EXPECT_EQ(hg::node_split(mask, book, "n2", options, finer), want[j]);
        seen.insert(seen.end(), share.begin(), share.end());
      }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, chosen(mask));
  }
}

TEST(node_split, one_part_and_four_trainers_cover_a_tenth_of_the_nodes) {
  const std::vector<std::uint64_t> nodes{0, 10000}, edges{0, 20000};
  const hg::partition_book book(hg::graph_schema::homogeneous(), 1, nodes, edges);
  hg::random_stream draw(1);
  std::vector<std::int64_t> node_trainer(10000), edge_trainer(20000);
  for (auto& t : node_trainer) t = static_cast<std::int64_t>(draw.below(4));
  for (auto& t : edge_trainer) t = static_cast<std::int64_t>(draw.below(4));
  const auto node_mask = random_mask(10000, 2, 1), edge_mask = random_mask(20000, 3, 1);
  ids some_nodes, some_edges;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const hg::split_options options{.rank = rank, .trainers = 4};
    const auto n = hg::node_split(node_mask, book, "_N", options, node_trainer);
    const auto e = hg::edge_split(edge_mask, book, "_E", options, edge_trainer);
    some_nodes.insert(some_nodes.end(), n.begin(), n.end());
    some_edges.insert(some_edges.end(), e.begin(), e.end());
  }
  std::sort(some_nodes.begin(), some_nodes.end());
  std::sort(some_edges.begin(), some_edges.end());
  EXPECT_EQ(some_nodes, chosen(node_mask));
  EXPECT_EQ(some_edges, chosen(edge_mask));
}

TEST(node_split, rejects_what_cannot_be_shared_and_reports_why) {
  const auto all = make_books();
  const auto& book = all.ranges[0];
  const bytes mask(60, 1);
  const auto raised = [](auto&& call) -> std::pair<error_kind, std::string> {
    try {
      call();
    } catch (const hg::error& problem) {
      return {problem.code(), problem.what()};
    }
    return {error_kind::ok, ""};
  };
  const std::size_t n1 = book.num_nodes("n1");
  EXPECT_EQ(raised([&] { hg::node_split(bytes(n1 + 1), book, "n1"); }).first, error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::node_split(bytes(n1), book, "n3"); }).first, error_kind::not_found);
  const auto [code, text] = raised(
      [&] { hg::node_split(bytes(n1), book, "n1", {.rank = 0, .trainers = 6}); });
  EXPECT_EQ(code, error_kind::invalid_argument);
  EXPECT_NE(text.find("6 trainers"), std::string::npos) << text;
  EXPECT_EQ(
      raised([&] { hg::node_split(bytes(n1), book, "n1", {.rank = 4, .trainers = 4}); }).first,
      error_kind::invalid_argument);
  EXPECT_EQ(raised([&] {
              hg::node_split(bytes(n1), book, "n1", {.trainers = 6, .force_even = false});
            }).first,
            error_kind::invalid_argument);
  const hg::split_options eight{.rank = 0, .trainers = 8};
  EXPECT_EQ(raised([&] { hg::node_split(bytes(n1), book, "n1", eight, ids(n1 - 1)); }).first,
            error_kind::mismatch);
  EXPECT_EQ(raised([&] { hg::node_split(bytes(n1), book, "n1", eight, ids(n1, -1)); }).first,
            error_kind::out_of_range);
  const auto [nine,
              sentence] = raised([&] { hg::node_split(bytes(n1), book, "n1", eight, ids(n1, 8)); });
  EXPECT_EQ(nine, error_kind::invalid_argument);
  EXPECT_NE(sentence.find("name 9 trainers"), std::string::npos) << sentence;
  const auto with_as_many_as_parts = raised(
      [&] { hg::node_split(bytes(n1), book, "n1", {.rank = 5}); });
  EXPECT_EQ(with_as_many_as_parts.first, error_kind::invalid_argument);
  EXPECT_EQ(with_as_many_as_parts.second.find("4 trainers, of which number 5 "), 0u)
      << with_as_many_as_parts.second;
}

constexpr bool splits_at_compile_time() {
  const std::array<std::uint64_t, 3> bounds{0, 4, 7};
  std::array<std::uint64_t, 3> totals{};
  hg::basic_range_map<std::int8_t> map;
  if (!map.bind(2, 1, bounds, totals)) return false;
  const std::array<bool, 7> mask{true, false, true, true, false, true, true};
  std::array<std::int8_t, 5> out{};
  std::size_t size = 0;
  if (!hg::split_into(map, hg::type_id{0}, 1, mask, std::span<const std::int8_t>(),
                      {.rank = 1, .force_even = false}, out, size))
    return false;
  if (size != 2 || out[0] != 5 || out[1] != 6) return false;
  if (!hg::split_into(map, std::nullopt, 1, mask, std::span<const std::int8_t>(),
                      {.rank = 3, .trainers = 4}, out, size))
    return false;
  return size == 1 && (out[0] == 5 || out[0] == 6);
}
static_assert(splits_at_compile_time());

TEST(split_into, reports_how_much_memory_suffices) {
  const std::vector<std::uint64_t> bounds{0, 10, 20};
  std::vector<std::uint64_t> totals(3);
  hg::range_map map;
  ASSERT_EQ(map.bind(2, 1, bounds, totals), status::ok);
  const bytes mask(20, 1);
  std::vector<std::uint64_t> out(9);
  std::size_t size = 77;
  const std::span<const std::int8_t> none;
  for (const hg::split_options& options :
       {hg::split_options{.force_even = true}, hg::split_options{.force_even = false},
        hg::split_options{.trainers = 4}}) {
    const auto answer = hg::split_into(map, hg::type_id{0}, 0, mask, none, options, out, size);
    EXPECT_EQ(answer, status::capacity);
    EXPECT_EQ(answer.position, 10u);
    EXPECT_EQ(size, 77u);
  }
  const ids known(20);  // all members are those of the first trainer: both get half of them
  EXPECT_EQ(hg::split_into(map, hg::type_id{0}, 0, mask, known, {.trainers = 4},
                           std::span(out).first(4), size)
                .position,
            5u);
  EXPECT_EQ(size, 77u);
  std::vector<std::uint64_t> endless(20, ~std::uint64_t{0});
  EXPECT_EQ(hg::split_into(map, hg::type_id{0}, 0, mask, endless, {.trainers = 4}, out, size),
            status::invalid_argument);
  EXPECT_EQ(hg::split_into(map, hg::type_id{1}, 0, mask, none, {}, out, size),
            (status{error_kind::not_found, 1}));
  EXPECT_EQ(hg::split_into(map, hg::type_id{0}, 2, mask, none, {}, out, size),
            status::invalid_argument);
}

}  // namespace
