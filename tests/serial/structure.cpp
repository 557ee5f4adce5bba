// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/serial/structure.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hg = halograph;
using hg::column;

namespace {

template <class T>
hg::tensor col(std::vector<T> values) {
  return hg::tensor::from(std::move(values));
}

/// Edges 2->0, 0->1, 1->2 in all formats.
template <class T>
hg::loaded_structure triangle() {
  hg::loaded_structure part;
  part.nodes = part.edges = 3;
  part.coo = hg::coo_columns{col<T>({2, 0, 1}), col<T>({0, 1, 2})};
  part.csr = hg::compressed_columns{col<T>({0, 1, 2, 3}), col<T>({1, 2, 0}), col<T>({1, 2, 0})};
  part.csc = hg::compressed_columns{col<T>({0, 1, 2, 3}), col<T>({2, 0, 1}), col<T>({0, 1, 2})};
  part.node_columns.push_back({"_ID", col<T>({4, 5, 6})});
  return part;
}

void expect_fault(const hg::loaded_structure& part, column what, std::uint64_t element,
                  int line = __builtin_LINE()) {
  const hg::testing::few_threads threads{.count = 3};
  const auto found = hg::check_structure(part), shared = hg::check_structure(part, threads);
  if (!found || !shared) {
    ADD_FAILURE_AT(__FILE__, line) << "no fault found";
  } else if (found->what != what || found->element != element || found->sentence.empty()) {
    ADD_FAILURE_AT(__FILE__, line)
        << static_cast<int>(found->what) << " at " << found->element << ": " << found->sentence;
  } else if (shared->what != what || shared->element != element ||
             shared->sentence != found->sentence) {
    ADD_FAILURE_AT(__FILE__, line) << "by threads: " << shared->sentence;
  }
}

}  // namespace

template <class T>
class structure : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(structure, integers);

TYPED_TEST(structure, that_is_right_has_no_fault_in_any_combination_of_formats) {
  const hg::testing::few_threads threads{.count = 2};
  for (int formats = 1; formats < 8; ++formats) {
    auto part = triangle<TypeParam>();
    if (!(formats & 1)) part.coo.reset();
    if (!(formats & 2)) part.csr.reset();
    if (!(formats & 4)) part.csc.reset();
    EXPECT_FALSE(hg::check_structure(part)) << formats;
    EXPECT_FALSE(hg::check_structure(part, threads)) << formats;
    if (part.csc) part.csc->edges = col<TypeParam>({});  // here, the ID of an edge is its position
    EXPECT_FALSE(hg::check_structure(part)) << formats;
  }
}

TYPED_TEST(structure, names_the_element_that_is_out_of_range) {
  auto part = triangle<TypeParam>();
  part.coo->source = col<TypeParam>({2, 0, 3});
  expect_fault(part, column::coo_source, 2);
  part = triangle<TypeParam>();
  part.coo->target = col<TypeParam>({0, static_cast<TypeParam>(-1), 2});
  expect_fault(part, column::coo_target, 1);
  part = triangle<TypeParam>();
  part.csr->neighbors = col<TypeParam>({1, 3, 0});
  expect_fault(part, column::csr_targets, 1);
  part = triangle<TypeParam>();
  part.csc->edges = col<TypeParam>({0, 3, 2});
  expect_fault(part, column::csc_edges, 1);
}

TYPED_TEST(structure, wants_offsets_that_ascend_from_0_to_the_number_of_entries) {
  auto part = triangle<TypeParam>();
  part.csr->offsets = col<TypeParam>({1, 1, 2, 3});
  expect_fault(part, column::csr_offsets, 0);
  part.csr->offsets = col<TypeParam>({0, 2, 1, 3});
  expect_fault(part, column::csr_offsets, 2);
  part.csr->offsets = col<TypeParam>({0, 1, 2, 2});
  expect_fault(part, column::csr_offsets, 3);
  part.csr->offsets = col<TypeParam>({0, 1, 3});
  expect_fault(part, column::csr_offsets, 0);
  part.csr->offsets = col<TypeParam>({});
  expect_fault(part, column::csr_offsets, 0);
}

TYPED_TEST(structure, wants_each_edge_once_and_the_same_in_all_formats) {
  auto part = triangle<TypeParam>();
  part.csr->edges = col<TypeParam>({1, 1, 0});
  expect_fault(part, column::csr_edges, 1);
  part = triangle<TypeParam>();
  part.csc->edges = col<TypeParam>({0, 2, 1});
  expect_fault(part, column::csc_sources, 1);
  part.coo.reset();
  expect_fault(part, column::csc_sources, 1);
  part = triangle<TypeParam>();
  part.csr->neighbors = col<TypeParam>({1, 2, 1});
  expect_fault(part, column::csr_targets, 2);
}

TYPED_TEST(structure, names_the_first_of_several_faults_anywhere_in_long_columns) {
  constexpr std::size_t edges = 117;  // more than machine words and vectors hold
  const auto shown = [](const std::vector<TypeParam>& sources, const std::vector<TypeParam>& ids,
                        std::uint64_t nodes) {
    hg::loaded_structure part;
    part.nodes = nodes;
    part.edges = edges;
    part.coo = hg::coo_columns{col<TypeParam>(sources),
                               col<TypeParam>(std::vector<TypeParam>(edges))};
    std::vector<TypeParam> offsets(static_cast<std::size_t>(nodes) + 1, TypeParam{0});
    offsets.back() = static_cast<TypeParam>(edges);
    part.csr = hg::compressed_columns{col<TypeParam>(offsets),
                                      col<TypeParam>(std::vector<TypeParam>(edges)),
                                      col<TypeParam>(ids)};
    return part;
  };
  std::vector<TypeParam> ids(edges);
  for (std::size_t e = 0; e < edges; ++e) ids[e] = static_cast<TypeParam>(edges - 1 - e);
  const std::vector<TypeParam> last(edges, TypeParam{99});  // all edges leave the last node
  EXPECT_FALSE(hg::check_structure(shown(last, ids, 100)));
  for (std::size_t e = 0; e < edges; e += 3) {
    for (const auto bad :
         {static_cast<TypeParam>(-1), static_cast<TypeParam>(100),
          std::numeric_limits<TypeParam>::max(), std::numeric_limits<TypeParam>::min()}) {
      if (bad == 0) continue;  // a node, where there is no sign
      auto sources = last;
      sources[e] = sources[edges - 1] = bad;
      expect_fault(shown(sources, ids, 100), column::coo_source, e);
    }
    auto twice = ids;
    twice[e] = twice[e == 0 ? edges - 1 : e - 1];
    expect_fault(shown(last, twice, 100), column::csr_edges, e == 0 ? edges - 1 : e);
  }
}

TYPED_TEST(structure, is_compared_by_sums_as_it_is_exactly) {
  const auto sound = triangle<TypeParam>();
  EXPECT_FALSE(hg::check_agreement(sound.coo, sound.csr, sound.csc, hg::agreement::by_sum));
  EXPECT_FALSE(hg::check_agreement({}, sound.csr, sound.csc, hg::agreement::by_sum));
  const auto expect_alike = [](const hg::loaded_structure& part) {
    const auto quick = hg::check_agreement(part.coo, part.csr, part.csc, hg::agreement::by_sum);
    const auto exact = hg::check_agreement(part.coo, part.csr, part.csc);
    ASSERT_TRUE(quick && exact);
    EXPECT_EQ(quick->what, exact->what);
    EXPECT_EQ(quick->element, exact->element);
    EXPECT_EQ(quick->sentence, exact->sentence);
  };
  for (int i = 0; i < 3; ++i) {
    auto part = triangle<TypeParam>();
    if (i == 0) part.csc->edges = col<TypeParam>({0, 2, 1});
    if (i == 1) part.csr->neighbors = col<TypeParam>({1, 2, 1});
    if (i == 2) part.csr->offsets = col<TypeParam>({0, 2, 2, 3});
    expect_alike(part);
    part.coo.reset();
    expect_alike(part);
  }
}

TYPED_TEST(structure, is_compared_but_not_checked_again_where_its_formats_were) {
  auto part = triangle<TypeParam>();
  part.coo->source = col<TypeParam>({2, 0, 3});
  expect_fault(part, column::coo_source, 2);
  part.formats_checked = true;
  part.csr.reset();
  part.csc.reset();
  EXPECT_FALSE(hg::check_structure(part));
  part = triangle<TypeParam>();
  part.formats_checked = true;
  EXPECT_FALSE(hg::check_structure(part));
  part.coo->source = col<TypeParam>({2, 0, 2});
  EXPECT_TRUE(hg::check_structure(part)) << "formats of other edges";
  part = triangle<TypeParam>();
  part.formats_checked = true;
  part.node_columns[0].value = col<TypeParam>({4, 5});
  EXPECT_TRUE(hg::check_structure(part)) << "a column too short";
}

TYPED_TEST(structure, wants_columns_of_one_length) {
  auto part = triangle<TypeParam>();
  part.coo->target = col<TypeParam>({0, 1});
  expect_fault(part, column::coo_target, 0);
  part = triangle<TypeParam>();
  part.csr->edges = col<TypeParam>({1, 2});
  expect_fault(part, column::csr_edges, 0);
  part = triangle<TypeParam>();
  part.edges = 4;
  expect_fault(part, column::coo_source, 0);
  part = triangle<TypeParam>();
  part.node_columns[0].value = col<TypeParam>({4, 5});
  expect_fault(part, column::node_id, 0);
  part = triangle<TypeParam>();
  part.edge_columns.push_back({"w", col<TypeParam>({4, 5})});
  expect_fault(part, column::edge_id, 0);
}

TEST(structure_of_any_type, reads_every_dtype_of_integers) {
  for (int i = 0; i <= static_cast<int>(hg::dtype::boolean); ++i) {
    const auto type = static_cast<hg::dtype>(i);
    if (!hg::is_integer(type)) continue;
    std::vector<std::byte> bytes(2 * hg::item_bytes(type), std::byte{0});
    bytes[hg::item_bytes(type)] = std::byte{1};
    const hg::tensor values(type, {2}, bytes);
    hg::detail::with_integers(values, [&](auto at) {
      EXPECT_EQ(at(0), 0) << hg::name(type);
      EXPECT_EQ(at(1), 1) << hg::name(type);
    });
  }
}

TEST(structure_of_any_type, without_edges_may_have_empty_columns_of_other_dtypes) {
  hg::loaded_structure part;
  part.nodes = 1;
  part.coo = hg::coo_columns{col<std::int32_t>({}), col<std::int64_t>({})};
  part.csr = hg::compressed_columns{col<std::int32_t>({0, 0}), col<std::int64_t>({}),
                                    col<std::uint8_t>({})};
  EXPECT_FALSE(hg::check_structure(part));
  EXPECT_FALSE(hg::check_agreement(part.coo, part.csr, {}, hg::agreement::by_sum));
}

TEST(structure_of_any_type, becomes_pairs_with_rows_as_sources_or_as_targets) {
  // Row 0: 1, 2; row 1: 0. Edge IDs 2, 0, 1.
  const hg::compressed_columns rows{col<int>({0, 2, 3}), col<int>({1, 2, 0}), col<int>({2, 0, 1})};
  using ids = std::vector<std::int64_t>;
  const hg::coo_columns csr = hg::detail::pairs_of(rows, true),
                        csc = hg::detail::pairs_of(rows, false);
  EXPECT_EQ(csr.source.values<std::int64_t>(), (ids{0, 1, 0}));
  EXPECT_EQ(csr.target.values<std::int64_t>(), (ids{2, 0, 1}));
  EXPECT_EQ(csc.source, csr.target);
  EXPECT_EQ(csc.target, csr.source);
}

TEST(structure_of_any_type, agrees_by_sums_only_where_edges_and_dtypes_do) {
  using hg::agreement;
  const auto part = triangle<std::int64_t>();
  const auto narrow = triangle<std::int32_t>();
  // The same edges in columns of other dtypes.
  EXPECT_FALSE(hg::check_agreement(part.coo, narrow.csr, {}, agreement::by_sum));
  EXPECT_FALSE(hg::check_agreement(part.coo, part.csr, narrow.csc, agreement::by_sum));
  const hg::compressed_columns two{col<std::int64_t>({0, 1, 2, 2}), col<std::int64_t>({1, 2}), {}};
  for (const auto how : {agreement::exact, agreement::by_sum}) {
    for (const bool csr : {true, false}) {
      const auto found = csr ? hg::check_agreement(part.coo, two, {}, how)
                             : hg::check_agreement(part.coo, part.csr, two, how);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->what, csr ? column::csr_targets : column::csc_sources);
      EXPECT_EQ(
          found->sentence,
          "there are 2 edges in one format and 3 in another; all formats must hold the same edges");
    }
  }
}

TEST(structure_of_any_type, wants_as_many_edges_in_each_format_as_the_graph_has) {
  auto part = triangle<int>();
  part.edges = 4;
  part.coo.reset();
  expect_fault(part, column::csr_targets, 0);
  part.csr.reset();
  expect_fault(part, column::csc_sources, 0);
}

TEST(structure_of_any_type, refuses_what_is_no_column_of_integers) {
  auto part = triangle<int>();
  part.coo->target = hg::tensor::from(std::vector<std::uint8_t>{0, 1, 1}, {3}, hg::dtype::boolean);
  expect_fault(part, column::coo_target, 0);
  part = triangle<int>();
  part.csr->offsets = col<double>({0, 1, 2, 3});
  expect_fault(part, column::csr_offsets, 0);
  part = triangle<int>();
  part.csc->edges = hg::tensor::from(std::vector<int>{7}, {});
  expect_fault(part, column::csc_edges, 0);
  part = triangle<int>();
  part.csc->offsets = col<std::int64_t>({0, 1, 2, 3});
  expect_fault(part, column::csc_sources, 0);
  part = triangle<int>();
  part.nodes = 1;
  part.edges = 0;
  part.coo = hg::coo_columns{col<int>({}), col<int>({})};
  part.csr.reset();
  part.csc.reset();
  part.node_columns = {{"_ID", hg::tensor::from(std::vector<int>{4}, {})}};
  expect_fault(part, column::node_id, 0);
  part = triangle<int>();
  part.coo->source = col<float>({2, 0, 1});
  expect_fault(part, column::coo_source, 0);
  part = triangle<int>();
  part.csr->neighbors = hg::tensor::from(std::vector<int>{1, 2, 0}, {3, 1});
  expect_fault(part, column::csr_targets, 0);
  part = triangle<int>();
  part.coo->target = col<std::int64_t>({0, 1, 2});
  expect_fault(part, column::coo_target, 0);
  part = triangle<int>();
  part.csc->edges = col<std::int64_t>({0, 1, 2});
  expect_fault(part, column::csc_sources, 0);
  part.coo.reset();
  part.csr.reset();
  part.csc.reset();
  expect_fault(part, column::coo_source, 0);
}
