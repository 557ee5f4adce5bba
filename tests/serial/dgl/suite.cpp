// SPDX-License-Identifier: BSL-1.0
// What DGL's own suites assert of its files: written here, read back by the library and by the
// second reader.
#include "support/second_reader.hpp"

#include <halograph/core/random.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/tensors.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace dgl = halograph::dgl;
using edges = second_reader::edge_list;

edges drawn(std::int64_t sources, std::int64_t targets, std::size_t count,
            hg::random_stream& stream) {
  edges out;
  for (std::size_t e = 0; e < count; ++e) {
    out.emplace_back(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(sources))),
                     static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(targets))));
  }
  return out;
}

template <class Id>
hg::compressed_columns compress(const edges& list, std::int64_t rows, bool by_source) {
  std::vector<Id> offsets{0}, ends, ids;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::size_t e = 0; e < list.size(); ++e) {
      if ((by_source ? list[e].first : list[e].second) != row) continue;
      ends.push_back(static_cast<Id>(by_source ? list[e].second : list[e].first));
      ids.push_back(static_cast<Id>(e));
    }
    offsets.push_back(static_cast<Id>(ends.size()));
  }
  return {hg::tensor::from(offsets), hg::tensor::from(ends), hg::tensor::from(ids)};
}

template <class Id>
dgl::relation_data relation(std::string name, hg::type_id source, hg::type_id sink,
                            std::int64_t sources, std::int64_t targets, const edges& list,
                            hg::sparse_formats stored) {
  dgl::relation_data out;
  out.name = std::move(name);
  out.source = source;
  out.target = sink;
  out.edges = list.size();
  std::vector<Id> u, v;
  for (const auto& [a, b] : list) {
    u.push_back(static_cast<Id>(a));
    v.push_back(static_cast<Id>(b));
  }
  if (stored.has(hg::sparse_format::coo))
    out.coo = hg::coo_columns{hg::tensor::from(u), hg::tensor::from(v)};
  if (stored.has(hg::sparse_format::csr)) out.csr = compress<Id>(list, sources, true);
  if (stored.has(hg::sparse_format::csc)) out.csc = compress<Id>(list, targets, false);
  return out;
}

hg::tensor noise(std::vector<std::uint64_t> shape, hg::random_stream& stream) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < hg::element_count(shape); ++i)
    values.push_back(static_cast<float>(stream.below(1000)));
  return hg::tensor::from(std::move(values), std::move(shape));
}

std::vector<std::byte> written(const dgl::graph_file& content) {
  hg::memory_sink sink;
  dgl::write_graphs(sink, content);
  return {sink.bytes().begin(), sink.bytes().end()};
}
std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_columns(const std::vector<hg::named_tensor>& ours,
                    const std::vector<hg::named_tensor>& wanted,
                    const second_reader::arrays& second) {
  ASSERT_EQ(ours.size(), wanted.size());
  ASSERT_EQ(second.size(), wanted.size());
  for (const auto& one : wanted) {
    std::size_t found = 0;
    for (const auto& other : ours)
      found += other.name == one.name && other.value == one.value ? 1u : 0u;
    EXPECT_EQ(found, 1u) << one.name;
    EXPECT_EQ(second.at(one.name).data, text({one.value.bytes().begin(), one.value.bytes().end()}))
        << one.name;
  }
}

/// 100 graphs of 30 nodes, features on edges (random and ones) and nodes.
class hundred_graphs : public testing::Test {
 protected:
  hundred_graphs() {
    for (int g = 0; g < 100; ++g) {
      lists.push_back(drawn(30, 30, 90, stream));
      dgl::graph_data graph;
      graph.node_types = {{"_N", 30, {{"n1", noise({30, 64}, stream)}}}};
      graph.relations = {relation<std::int64_t>("_E", 0, 0, 30, 30, lists.back(), {})};
      graph.relations[0].columns = {{"e1", noise({90, 32}, stream)},
                                    {"e2", hg::tensor::from(std::vector<float>(90, 1.0f))}};
      content.graphs.push_back(std::move(graph));
    }
  }
  hg::random_stream stream{1};
  std::vector<edges> lists{};
  dgl::graph_file content{};
};

TEST_F(hundred_graphs, come_back_by_any_permutation_with_features_and_without) {
  std::vector<std::uint64_t> order(100);
  std::iota(order.begin(), order.end(), 0u);
  hg::shuffle(std::span(order), stream);
  content.labels = {{"label", hg::tensor::from(std::vector<float>(100, 0.0f), {100, 1})}};
  for (const bool features : {true, false}) {
    if (!features) {
      for (auto& graph : content.graphs) {
        graph.node_types[0].columns.clear();
        graph.relations[0].columns.clear();
      }
    }
    const auto bytes = written(content);
    const auto second = second_reader::read_graphs(text(bytes));
    ASSERT_EQ(second.graphs.size(), 100u);
    EXPECT_EQ(second.labels.at("label").shape, (std::vector<std::int64_t>{100, 1}));
    const auto back = dgl::read_graphs_at({bytes, nullptr}, "g.dgl", order);
    ASSERT_EQ(back.graphs.size(), 100u);
    ASSERT_EQ(back.labels.size(), 1u);
    EXPECT_EQ(back.labels[0].value, content.labels[0].value);
    for (std::size_t k = 0; k < 100; ++k) {
      const auto at = static_cast<std::size_t>(order[k]);
      const auto& graph = back.graphs[k];
      EXPECT_EQ(second.graphs[at].relations[0].edges, lists[at]);
      EXPECT_EQ(graph.node_types[0].nodes, 30u);
      for (std::size_t e = 0; e < lists[at].size(); ++e) {
        EXPECT_EQ(graph.relations[0].coo->source.integer(e), lists[at][e].first);
        EXPECT_EQ(graph.relations[0].coo->target.integer(e), lists[at][e].second);
      }
      expect_columns(graph.node_types[0].columns, content.graphs[at].node_types[0].columns,
                     second.graphs[at].types[0].columns);
      expect_columns(graph.relations[0].columns, content.graphs[at].relations[0].columns,
                     second.graphs[at].relations[0].columns);
    }
  }
}

TEST_F(hundred_graphs, hold_the_formats_asked_for_with_edges_in_order) {
  for (std::uint8_t bits = 1; bits <= 7; ++bits) {
    dgl::graph_file stored;
    for (const auto& list : lists) {
      dgl::graph_data graph;
      graph.node_types = {{"_N", 30, {}}};
      graph.relations = {
          relation<std::int64_t>("_E", 0, 0, 30, 30, list, hg::sparse_formats{bits})};
      stored.graphs.push_back(std::move(graph));
    }
    const auto bytes = written(stored);
    const auto second = second_reader::read_graphs(text(bytes));
    const auto back = dgl::read_graphs({bytes, nullptr}, "g.dgl");
    for (std::size_t g = 0; g < lists.size(); ++g) {
      EXPECT_EQ(back.graphs[g].relations[0].stored(), hg::sparse_formats{bits});
      EXPECT_EQ(second.graphs[g].relations[0].formats.count("coo"), bits & 1u);
      EXPECT_EQ(second.graphs[g].relations[0].formats.count("csr"), (bits >> 1) & 1u);
      EXPECT_EQ(second.graphs[g].relations[0].formats.count("csc"), (bits >> 2) & 1u);
      EXPECT_EQ(second.graphs[g].relations[0].edges, lists[g]);
    }
  }
}

template <class Id>
class heterograph_file : public testing::Test {};
using id_types = testing::Types<std::int64_t, std::int32_t>;
TYPED_TEST_SUITE(heterograph_file, id_types);

TYPED_TEST(heterograph_file, keeps_names_order_features_and_id_type) {
  hg::random_stream stream(2);
  std::array<edges, 3> lists{drawn(4, 4, 5, stream), drawn(4, 4, 6, stream),
                             drawn(4, 7, 3, stream)};
  dgl::graph_data graph;
  graph.node_types = {{"knowledge", 7, {}}, {"user", 4, {{"ones", noise({4, 5}, stream)}}}};
  for (const auto stored : {hg::sparse_formats{}, hg::sparse_formats{}.with(hg::sparse_format::csc),
                            hg::sparse_formats::all()}) {
    graph.relations = {relation<TypeParam>("follows", 1, 1, 4, 4, lists[0], stored),
                       relation<TypeParam>("knows", 1, 1, 4, 4, lists[1], stored),
                       relation<TypeParam>("knows", 1, 0, 4, 7, lists[2], stored)};
    const auto bytes = written({{graph}, {}});
    auto back = dgl::read_graphs({bytes, nullptr}, "g.dgl");
    const auto second = second_reader::read_graphs(text(bytes));
    ASSERT_EQ(second.graphs[0].relations.size(), 3u);
    ASSERT_EQ(back.graphs[0].relations.size(), 3u);
    EXPECT_EQ(second.graphs[0].types[0].name, "knowledge");
    EXPECT_EQ(second.graphs[0].types[1].name, "user");
    for (std::size_t r = 0; r < 3; ++r) {
      const auto& theirs = second.graphs[0].relations[r];
      EXPECT_EQ(theirs.id_dtype, sizeof(TypeParam) == 8 ? "int64" : "int32");
      EXPECT_EQ(theirs.name, graph.relations[r].name);
      EXPECT_EQ(theirs.source_type, 1);
      EXPECT_EQ(theirs.target_type, graph.relations[r].target);
      EXPECT_EQ(theirs.edges, lists[r]);
      EXPECT_EQ(back.graphs[0].relations[r].name, theirs.name);
      EXPECT_EQ(back.graphs[0].relations[r].target, graph.relations[r].target);
      const auto& ours = back.graphs[0].relations[r];
      EXPECT_EQ((ours.coo ? ours.coo->source : ours.csc->neighbors).type(),
                hg::dtype_of<TypeParam>());
    }
    expect_columns(back.graphs[0].node_types[1].columns, graph.node_types[1].columns,
                   second.graphs[0].types[1].columns);
    // What was loaded can be given more columns, and written again.
    back.graphs[0].node_types[0].columns.push_back({"new", noise({7}, stream)});
    back.graphs[0].relations[2].columns.push_back({"new", noise({3, 2}, stream)});
    const auto again = second_reader::read_graphs(text(written(back)));
    EXPECT_EQ(again.graphs[0].types[0].columns.at("new").shape, (std::vector<std::int64_t>{7}));
    EXPECT_EQ(again.graphs[0].relations[2].columns.at("new").shape,
              (std::vector<std::int64_t>{3, 2}));
  }
}

// 9 x 8 nodes with 4 edges, 9 x 9 with 5; relations 0 -> 1 and 0 -> 0 in that order; type 2 has no
// relation.
TEST(heterograph_record, keeps_relations_that_are_not_in_the_order_of_their_targets) {
  const edges between{{1, 1}, {2, 6}, {5, 2}, {3, 6}},
      within{{0, 8}, {8, 0}, {4, 4}, {1, 2}, {1, 2}};
  for (std::uint8_t bits = 1; bits <= 7; ++bits) {
    dgl::graph_data graph;
    graph.node_types = {{"a", 9, {}}, {"b", 8, {}}, {"c", 3, {}}};
    graph.relations = {relation<std::int64_t>("r", 0, 1, 9, 8, between, hg::sparse_formats{bits}),
                       relation<std::int64_t>("s", 0, 0, 9, 9, within, hg::sparse_formats{bits})};
    const auto bytes = written({{graph}, {}});
    const auto second = second_reader::read_graphs(text(bytes)).graphs[0];
    const auto back = dgl::read_graphs({bytes, nullptr}, "g.dgl").graphs[0];
    EXPECT_EQ(second.relations[0].edges, between);
    EXPECT_EQ(second.relations[1].edges, within);
    EXPECT_EQ(second.relations[0].target_type, 1);
    EXPECT_EQ(second.relations[1].target_type, 0);
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(second.types[t].nodes, static_cast<std::int64_t>(graph.node_types[t].nodes));
      EXPECT_EQ(back.node_types[t].nodes, graph.node_types[t].nodes);
    }
    EXPECT_EQ(back.relations[0].edges, 4u);
    if (back.relations[0].coo) {
      EXPECT_EQ(back.relations[0].coo->source.integer(1), 2);
      EXPECT_EQ(back.relations[0].coo->target.integer(1), 6);
    }
  }
}

TEST(tensor_file, gives_back_what_dgls_test_saves) {
  const std::vector<hg::named_tensor> tensors{
      {"a", hg::tensor::from(std::vector<std::int64_t>{1, 3, -1, 0})},
      {"1@1", hg::tensor::from(std::vector<float>{1.5f, 2.0f})}};
  hg::memory_sink sink;
  dgl::write_tensors(sink, tensors);
  const std::vector<std::byte> bytes(sink.bytes().begin(), sink.bytes().end());
  const auto second = second_reader::read_tensors(text(bytes));
  expect_columns(dgl::read_tensors({bytes, nullptr}, "t.dgl"), tensors, second);
  EXPECT_EQ(second.at("a").integers(), (std::vector<std::int64_t>{1, 3, -1, 0}));
}

}  // namespace
