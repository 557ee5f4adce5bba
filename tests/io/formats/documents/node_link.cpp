// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/documents/node_link.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::dataset<> read(const std::string& text, const hg::document_options& options = {}) {
  const temporary_folder folder;
  return hg::materialize(
      hg::stream_node_link(folder.write("club.json", text), {}, hg::nlohmann_codec{}, options));
}

hg::tensor node_feature(const hg::dataset<>& data, const char* name) {
  const auto* const found = data.node_feature(0, name);
  return found != nullptr ? found->rows.chunks().at(0) : hg::tensor{};
}
hg::tensor edge_feature(const hg::dataset<>& data, const char* name) {
  const auto* const found = data.edge_feature(0, name);
  return found != nullptr ? found->rows.chunks().at(0) : hg::tensor{};
}
template <class T>
hg::tensor column(std::vector<T> values) {
  return hg::tensor::from(std::move(values));
}

TEST(stream_node_link, reads_a_directed_graph_as_listed) {
  const auto data = read(
      R"({"directed": true, "multigraph": true, "graph": {"name": "x"},
          "nodes": [{"id": 0, "age": 3, "club": "a"}, {"id": 1, "club": "b", "age": 2.5}],
          "links": [{"source": 0, "target": 1, "key": 0, "weight": 4}, {"weight": -5, "source": 0, "target": 1, "key": 1},
                    {"source": 1, "target": 1, "key": 0, "weight": 6, "x": 1}]})");
  EXPECT_EQ(data.name, "club");
  EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(data.node_counts, ids{2});
  EXPECT_EQ(data.edges[0].source, (ids{0, 0, 1}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 1, 1}));
  EXPECT_EQ(edge_feature(data, "weight"), column<std::int64_t>({4, -5, 6}));
  EXPECT_EQ(node_feature(data, "age"), column<double>({3, 2.5}));
  EXPECT_EQ(data.features.nodes.size() + data.features.edges.size(), 2u);
  ASSERT_EQ(data.notes.size(), 2u);
  EXPECT_NE(data.notes[0].find("\"club\""), std::string::npos);
  EXPECT_NE(data.notes[1].find("\"x\""), std::string::npos);
}

TEST(stream_node_link, mirrors_undirected_edges_but_loops) {
  const auto data = read(
      R"({"directed": false, "nodes": [{"id": "a"}, {"id": "c"}, {"id": "b"}],
          "edges": [{"source": "a", "target": "b", "weight": 1}, {"source": "b", "target": "b", "weight": 2},
                    {"source": "c", "target": "a", "weight": 3}]})");
  EXPECT_EQ(data.edges[0].source, (ids{0, 2, 1, 2, 0}));
  EXPECT_EQ(data.edges[0].target, (ids{2, 2, 0, 0, 1}));
  EXPECT_EQ(edge_feature(data, "weight"), column<std::int64_t>({1, 2, 3, 1, 3}));
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_NE(data.notes[0].find("named by text"), std::string::npos);
  const auto silent = read(
      R"({"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]})");
  EXPECT_EQ(silent.num_edges(), 2u);
  EXPECT_NE(silent.notes.at(0).find("taken as undirected"), std::string::npos);
}

TEST(stream_node_link, takes_integers_from_zero_as_ids_and_keeps_others) {
  const auto ordered = read(
      R"({"directed": true, "nodes": [{"id": 2, "x": 20}, {"id": 0, "x": 0}, {"id": 1, "x": 10}],
          "links": [{"source": 2, "target": 0}]})");
  EXPECT_EQ(ordered.edges[0].source, ids{2});
  EXPECT_EQ(ordered.edges[0].target, ids{0});
  EXPECT_EQ(node_feature(ordered, "x"), column<std::int64_t>({0, 10, 20}));
  EXPECT_TRUE(ordered.notes.empty());
  const auto gaps = read(
      R"({"directed": true, "nodes": [{"id": 7, "x": 20}, {"id": -1, "x": 0}], "links": [{"source": -1, "target": 7}]})");
  EXPECT_EQ(gaps.edges[0].source, ids{1});
  EXPECT_EQ(node_feature(gaps, "id"), column<std::int64_t>({7, -1}));
  EXPECT_EQ(node_feature(gaps, "x"), column<std::int64_t>({20, 0}));
  EXPECT_NE(gaps.notes.at(0).find("not 0 to 1"), std::string::npos);
  const auto none = read(R"({"directed": true, "nodes": [], "links": []})");
  EXPECT_EQ(none.num_nodes(), 0u);
}

TEST(stream_node_link, leaves_attributes_out_where_features_are_not_wanted) {
  const auto data = read(
      R"({"nodes": [{"id": 0, "x": 1}, {"id": 1, "x": 1}], "directed": false, "links": [{"source": 0, "target": 1, "w": 1}]})",
      {.features = false});
  EXPECT_EQ(data.num_edges(), 2u);
  EXPECT_TRUE(data.features.nodes.empty() && data.features.edges.empty() && data.notes.empty());
}

TEST(stream_node_link, refuses_with_the_place) {
  struct {
    const char* text;
    hg::error_kind code;
    std::size_t byte;
    const char* words;
  } const cases[] = {
      {R"({"nodes": [{"id": 0}, {"x": 1}], "links": []})", hg::error_kind::malformed, 22,
       "node 1 has no \"id\""},
      {R"({"nodes": [{"id": 0}, 5], "links": []})", hg::error_kind::malformed, 22,
       "node 1 is no object"},
      {R"({"nodes": [{"id": 0}, {"id": "a"}], "links": []})", hg::error_kind::malformed, 22,
       "of the kind of the first"},
      {R"({"nodes": [{"id": [0, 1]}], "links": []})", hg::error_kind::malformed, 11,
       "an integer of 64 bits or text"},
      {R"({"nodes": [{"id": 0.5}], "links": []})", hg::error_kind::malformed, 11, "an integer"},
      {R"({"nodes": [{"id": 1}, {"id": "],[\""}, {"id": 1}], "links": []})",
       hg::error_kind::malformed, 22, "of the kind of the first"},
      {R"({"nodes": [{"id": "\"}"}, {"id": "],[\""}, {"id": "\"}"}], "links": []})",
       hg::error_kind::malformed, 43, "the id of node 2 is also the id of node 0"},
      {R"({"nodes": [{"id": 0}], "links": [ {"source": 0, "target": 0}, {"source": 0, "target": 3}]})",
       hg::error_kind::out_of_range, 62, "the target of edge 1 is 3; no node has this id"},
      {R"({"nodes": [{"id": 0}], "links": [{"source": "0", "target": 0}]})",
       hg::error_kind::out_of_range, 33, "the source of edge 0 is \"0\""},
      {R"({"nodes": [{"id": 0}], "links": [{"source": null, "target": 0}]})",
       hg::error_kind::malformed, 33, "must be the id of a node"},
      {R"({"nodes": [{"id": 0}], "edges": [{"source": 0}]})", hg::error_kind::malformed, 33,
       "edge 0 has no \"target\""},
      {R"({"nodes": [{"id": 0}], "edges": [}])", hg::error_kind::malformed, 33, "not valid JSON"},
  };
  for (const auto& c : cases) {
    const auto problem = refusal_of([&] { return read(c.text); });
    EXPECT_EQ(problem.code(), c.code) << c.text << ": " << problem.what();
    EXPECT_EQ(problem.where().byte, c.byte) << c.text << ": " << problem.what();
    EXPECT_NE(std::string(problem.what()).find(c.words), std::string::npos) << problem.what();
  }
  for (const char* text :
       {R"({"nodes": [], "links": [], "edges": []})", R"({"nodes": {}, "links": []})", "[]", "3",
        R"({"nodes": [], "links": [], "directed": 1})", R"({"nodes": []})"}) {
    const auto code = refusal_of([&] { return read(text); }).code();
    EXPECT_TRUE(code == hg::error_kind::malformed || code == hg::error_kind::not_found) << text;
  }
}

TEST(stream_node_link, refuses_what_may_not_fit_before_it_is_parsed) {
  std::string text = R"({"nodes": [)";
  for (int i = 0; i < 1000; ++i)
    text += std::string(i == 0 ? "" : ",") + "{\"id\":" + std::to_string(i) + "}";
  text += R"(], "links": [})";  // no JSON, which nobody finds out
  const auto problem = refusal_of([&] { return read(text, {.most_bytes = 100'000}); });
  EXPECT_EQ(problem.code(), hg::error_kind::memory);
  EXPECT_EQ(refusal_of([&] { return read(text, {.most_bytes = 1'000'000}); }).code(),
            hg::error_kind::malformed);
}

TEST(is_node_link, looks_at_the_outermost_object_alone) {
  EXPECT_TRUE(hg::is_node_link("\xEF\xBB\xBF { \"nodes\" : [ ] ,\n\"links\":[]}"));
  EXPECT_TRUE(hg::is_node_link(R"({"edges": [{"x": "]}"}], "nodes": [1, {"a": [}]})"));
  EXPECT_FALSE(hg::is_node_link(R"({"nodes": {}, "edges": {}})"));
  EXPECT_FALSE(hg::is_node_link(R"({"x": {"nodes": [], "links": []}})"));
  EXPECT_FALSE(hg::is_node_link(R"(["nodes", [], "links", []])"));
  EXPECT_FALSE(hg::is_node_link(R"({"x": "\"nodes\": [], \"links\": []"})"));
  EXPECT_FALSE(hg::is_node_link(R"({"nodes": [], "links": [], "links": 3})"));
  EXPECT_FALSE(hg::is_node_link("{\"nodes"));
  EXPECT_FALSE(hg::is_node_link(""));
}

}  // namespace
