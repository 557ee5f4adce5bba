// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/dataset.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Node = std::uint64_t, class Edge = std::uint64_t>
hg::dataset<Node, Edge> authors_and_papers(std::uint64_t authors = 2, std::uint64_t papers = 3) {
  hg::dataset<Node, Edge> data;
  data.schema.add_node_type("author");
  data.schema.add_node_type("nothing");
  data.schema.add_node_type("paper");
  data.schema.add_edge_type({"author", "writes", "paper"});
  data.schema.add_edge_type({"paper", "cites", "paper"});
  data.node_counts = {authors, 0, papers};
  data.edges = {{{0, 1, 1}, {0, 0, 2}}, {{2}, {1}}};
  return data;
}

template <class View>
std::vector<std::array<std::uint64_t, 3>> edges_of(const View& graph) {
  std::vector<std::array<std::uint64_t, 3>> out;
  graph.for_each_edge(
      [&](auto u, auto v, auto e) { out.push_back({hg::index(u), hg::index(v), hg::index(e)}); });
  return out;
}

template <class Node>
class dataset_of : public testing::Test {};
using widths = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t,
                              std::uint64_t>;
TYPED_TEST_SUITE(dataset_of, widths);

TYPED_TEST(dataset_of, lays_types_end_to_end) {
  auto data = authors_and_papers<TypeParam, TypeParam>();
  data.finish();
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
  EXPECT_EQ(data.num_nodes(), 5u);
  EXPECT_EQ(edges_of(data.graph()), (std::vector<std::array<std::uint64_t, 3>>{
                                        {0, 2, 0}, {1, 2, 1}, {1, 4, 2}, {4, 3, 3}}));
}

TYPED_TEST(dataset_of, keeps_its_graph_valid_when_moved) {
  auto data = authors_and_papers<TypeParam, TypeParam>();
  data.finish();
  const auto view = data.graph();
  const auto before = edges_of(view);
  auto moved = std::move(data);
  EXPECT_EQ(edges_of(view), before);
  EXPECT_EQ(edges_of(moved.graph()), before);
}

TYPED_TEST(dataset_of, refuses_more_nodes_than_its_ids_can_number) {
  if constexpr (sizeof(TypeParam) < 8 && sizeof(TypeParam) < sizeof(std::size_t)) {
    const auto capacity = hg::id_capacity<TypeParam>();
    auto fits = authors_and_papers<TypeParam>(2, capacity - 2);
    EXPECT_NO_THROW(fits.finish());
    auto not_so = authors_and_papers<TypeParam>(3, capacity - 2);
    try {
      not_so.finish();
      FAIL();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::overflow);
    }
  }
}

static_assert(!std::is_copy_constructible_v<hg::dataset<>>);

hg::error_kind refusal(hg::dataset<>& data) {
  try {
    data.finish();
  } catch (const hg::error& problem) {
    return problem.code();
  }
  return hg::error_kind::ok;
}

TEST(dataset, refuses_parts_that_disagree) {
  auto counts = authors_and_papers();
  counts.node_counts.pop_back();
  EXPECT_EQ(refusal(counts), hg::error_kind::mismatch);
  auto columns = authors_and_papers();
  columns.edges[1].target.push_back(0);
  EXPECT_EQ(refusal(columns), hg::error_kind::mismatch);
  auto rows = authors_and_papers();
  rows.features.nodes.push_back({0, "x", hg::tensor::from(std::vector<float>{1})});
  EXPECT_EQ(refusal(rows), hg::error_kind::mismatch);
  auto type = authors_and_papers();
  type.features.edges.push_back({2, "x", hg::tensor::from(std::vector<float>{})});
  EXPECT_EQ(refusal(type), hg::error_kind::mismatch);
  auto weights = authors_and_papers();
  weights.node_weights.push_back({1, 1, 1, 1});
  EXPECT_EQ(refusal(weights), hg::error_kind::mismatch);
  auto sizes = authors_and_papers();
  sizes.node_sizes = {1};
  EXPECT_EQ(refusal(sizes), hg::error_kind::mismatch);
}

TEST(dataset, refuses_more_edges_than_its_ids_can_number) {
  hg::dataset<std::uint16_t, std::uint8_t> data;
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {1};
  data.edges = {{std::vector<std::uint16_t>(256), std::vector<std::uint16_t>(256)}};
  EXPECT_NO_THROW(data.finish());
  data.edges = {{std::vector<std::uint16_t>(257), std::vector<std::uint16_t>(257)}};
  EXPECT_THROW(data.finish(), hg::error);
}

TEST(dataset, has_a_node_type_and_no_more_nodes_than_can_be_held) {
  hg::dataset<> none;
  EXPECT_EQ(refusal(none), hg::error_kind::malformed);
  hg::dataset<> empty;
  empty.schema.add_node_type("a");
  empty.node_counts = {0};
  EXPECT_EQ(refusal(empty), hg::error_kind::ok);
  auto many = authors_and_papers(hg::most_file_ids - 3, 3);
  EXPECT_EQ(refusal(many), hg::error_kind::memory);
  auto too_many = authors_and_papers(hg::most_file_ids - 2, 3);
  EXPECT_EQ(refusal(too_many), hg::error_kind::out_of_range);
  auto wrapping = authors_and_papers(~std::uint64_t{0}, 3);
  EXPECT_EQ(refusal(wrapping), hg::error_kind::out_of_range);
}

TEST(dataset, finds_features_by_type_and_name) {
  auto data = authors_and_papers();
  data.features.nodes.push_back({2, "year", hg::tensor::from(std::vector<std::int16_t>{1, 2, 3})});
  data.finish();
  EXPECT_EQ(data.node_feature(0, "year"), nullptr);
  EXPECT_EQ(data.edge_feature(0, "year"), nullptr);
  ASSERT_NE(data.node_feature(2, "year"), nullptr);
  EXPECT_EQ(data.node_feature(2, "year")->rows.rows(), 3u);
}

}  // namespace
