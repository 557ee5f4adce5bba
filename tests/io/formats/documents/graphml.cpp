// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/documents/graphml.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::dataset<> read(const std::string& text, const hg::document_options& options = {}) {
  const temporary_folder folder;
  return hg::materialize(hg::stream_graphml(folder.write("club.graphml", text), {}, options));
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
/// A graph within its document.
std::string graph(const std::string& body, const char* edgedefault = "directed",
                  const std::string& keys = {}) {
  return "<graphml>" + keys + "\n<graph edgedefault=\"" + edgedefault + "\">\n" + body +
         "</graph></graphml>";
}

constexpr const char* keys =
    R"(<key id="d0" for="node" attr.name="age" attr.type="int"><default> 3 </default></key>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<key id="d2" for="all" attr.name="label" attr.type="string"/>)";

TEST(stream_graphml, reads_nodes_edges_and_their_numbers) {
  const auto data = read(graph(
      R"(<node id="a&amp;b"><data key="d0">7</data><data key="d2">x<!-- --></data></node><desc>no</desc>
<edge source="a&amp;b" target="c"><data key="d1">0.5</data></edge>
<edge source="c" target="c" directed="true"><data key="d1"><![CDATA[ 1e3 ]]></data></edge>
<node id="c"><port name="p"><data key="d0">5</data></port></node>
<edge source="c" target="d" directed="true"><data key="d1">-1</data></edge><node id="d"/>)",
      "undirected", keys));
  EXPECT_EQ(data.name, "club");
  EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(data.node_counts, ids{3});
  EXPECT_EQ(data.edges[0].source, (ids{0, 1, 1, 1}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 1, 2, 0}));
  EXPECT_EQ(node_feature(data, "age"), column<std::int64_t>({7, 3, 3}));
  EXPECT_EQ(edge_feature(data, "weight"), column<double>({0.5, 1000, -1, 0.5}));
  EXPECT_EQ(data.features.nodes.size() + data.features.edges.size(), 2u);
  ASSERT_EQ(data.notes.size(), 2u);
  EXPECT_NE(data.notes[0].find("\"label\""), std::string::npos);
  EXPECT_NE(data.notes[1].find("named by text"), std::string::npos);
}

TEST(stream_graphml, takes_integers_from_zero_as_ids) {
  const auto data = read(graph(R"(<node id="1"/><node id="0"/><edge source="1" target="0"/>)"));
  EXPECT_EQ(data.edges[0].source, ids{1});
  EXPECT_TRUE(data.notes.empty());
  const auto gaps = read(graph(R"(<node id="7"/><node id="-1"/><edge source="-1" target="7"/>)"));
  EXPECT_EQ(gaps.edges[0].source, ids{1});
  EXPECT_EQ(node_feature(gaps, "id"), column<std::int64_t>({7, -1}));
  // Not as an integer is written: text
  const auto text = read(graph(R"(<node id="01"/><node id="1"/><edge source="1" target="01"/>)"));
  EXPECT_EQ(text.edges[0].source, ids{1});
  EXPECT_TRUE(text.features.nodes.empty());
}

TEST(stream_graphml, leaves_attributes_out_where_features_are_not_wanted) {
  const auto data = read(
      graph(R"(<node id="0"><data key="d0">no number</data></node>)", "directed", keys),
      {.features = false});
  EXPECT_EQ(data.num_nodes(), 1u);
  EXPECT_TRUE(data.features.nodes.empty() && data.notes.empty());
}

TEST(stream_graphml, refuses_with_the_line) {
  struct {
    std::string text;
    hg::error_kind code;
    std::uint64_t line;
    const char* words;
  } const cases[] = {
      {graph("<node/>"), hg::error_kind::malformed, 3, "\"node\" has no attribute \"id\""},
      {graph("<node id='0'/>\n<edge source='0'/>"), hg::error_kind::malformed, 4,
       "no attribute \"target\""},
      {graph("<node id='0'/>\n<edge source='0' target='1'/>"), hg::error_kind::out_of_range, 4,
       "the target of an edge is \"1\"; no node has this id"},
      {graph("<node id='a'/>\n<edge source='b' target='a'/>"), hg::error_kind::out_of_range, 4,
       "the source of an edge is \"b\""},
      {graph("<node id='0'>\n<data key='d9'>1</data></node>"), hg::error_kind::malformed, 4,
       "no key \"d9\" is declared"},
      {graph("<node id='0'><data key='d0'>\n1.5\n</data></node>", "directed", keys),
       hg::error_kind::malformed, 7, "must be an integer of 64 bits"},
      {graph("<node id='0'/><edge source='0' target='0'><data key='d1'></data></edge>", "directed",
             keys),
       hg::error_kind::malformed, 5, "must be a number"},
      {graph("<hyperedge/>"), hg::error_kind::unsupported, 3, "hyperedges"},
      {graph("<node id='0'>\n<graph edgedefault='directed'/></node>"), hg::error_kind::unsupported,
       4, "graphs within a graph"},
      {"<graphml><graph edgedefault='directed'/>\n<graph edgedefault='directed'/></graphml>",
       hg::error_kind::unsupported, 2, "several graphs"},
      {"<graphml>\n<graph/></graphml>", hg::error_kind::malformed, 2, "\"edgedefault\""},
      {"<graphml>\n<graph edgedefault='x'/></graphml>", hg::error_kind::malformed, 2,
       "must be directed or undirected"},
      {"<graphml>\n<key id='a'/>\n<key id='a'/></graphml>", hg::error_kind::malformed, 3,
       "declared twice"},
      {"<graphml>\n</graphml>", hg::error_kind::malformed, 2, "holds no graph"},
      {"<svg/>", hg::error_kind::malformed, 1, "must be \"graphml\""},
      {graph("<node id='&x;'/>"), hg::error_kind::malformed, 3, "\"&x\" is unknown"},
  };
  for (const auto& c : cases) {
    const auto problem = refusal_of([&] { return read(c.text); });
    EXPECT_EQ(problem.code(), c.code) << c.text << ": " << problem.what();
    EXPECT_EQ(problem.where().line, c.line) << c.text << ": " << problem.what();
    EXPECT_NE(std::string(problem.what()).find(c.words), std::string::npos) << problem.what();
  }
  const auto twice = refusal_of([] { return read(graph("<node id='a'/><node id='a'/>")); });
  EXPECT_EQ(twice.code(), hg::error_kind::malformed);
  EXPECT_NE(std::string(twice.what()).find("node 1 is also that of node 0"), std::string::npos);
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "<key id='" + std::to_string(i) + "'/>";
  EXPECT_EQ(refusal_of([&] { return read(graph("", "directed", many)); }).code(),
            hg::error_kind::unsupported);
}

TEST(stream_graphml, refuses_what_may_not_fit_before_it_is_read) {
  // Defaults for each node: 100 values that the text does not have.
  std::string some, nodes;
  for (int i = 0; i < 100; ++i)
    some += "<key id='" + std::to_string(i) + "' attr.type='int'><default>0</default></key>";
  for (int i = 0; i < 1000; ++i) nodes += "<node id='" + std::to_string(i) + "'/>";
  const auto text = graph(nodes, "directed", some);
  EXPECT_EQ(refusal_of([&] { return read(text, {.most_bytes = 2'000'000}); }).code(),
            hg::error_kind::memory);
  EXPECT_EQ(read(text, {.most_bytes = 4'000'000}).features.nodes.size(), 100u);
}

TEST(is_graphml, looks_for_the_first_element) {
  EXPECT_TRUE(hg::is_graphml("<graphml>"));
  EXPECT_TRUE(hg::is_graphml("\xEF\xBB\xBF\n<?xml version='1.0'?><!DOCTYPE graphml>\n<g:graphml "));
  EXPECT_FALSE(hg::is_graphml("graphml"));
  EXPECT_FALSE(hg::is_graphml("<svg>graphml:graphml</svg>"));
  EXPECT_FALSE(hg::is_graphml(""));
}

}  // namespace
