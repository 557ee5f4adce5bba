// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/io/input_format.hpp>

#include <gtest/gtest.h>
#include <support/gzip.hpp>
#include <support/temporary_folder.hpp>

#include <filesystem>
#include <string>
#include <utility>

namespace hg = halograph;
using hg::input_format;
using hg::testing::temporary_folder;

namespace {

hg::recognized_input recognize(const std::string& path) {
  return hg::recognize_input(path, hg::gz_files<>{}, hg::nlohmann_codec{});
}
hg::error_kind refusal(const std::string& path) {
  try {
    static_cast<void>(recognize(path));
  } catch (const hg::error& problem) {
    EXPECT_FALSE(problem.where().file.empty());
    return problem.code();
  }
  return hg::error_kind::ok;
}

constexpr const char* chunked = R"({"node_type": [], "edges": {}, "nodes": {}})";
constexpr const char* config = R"({"num_parts": 2, "node_map": {}})";
constexpr const char* tables = R"({"nodes": {}, "edges": {}})";

TEST(recognize_input, files_by_their_extension) {
  const temporary_folder place;
  for (const char* name : {"g.txt", "g.csv", "g.tsv", "g.edges", "g.el", "g.txt.gz", "g.csv.zst"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::edge_list) << name;
  for (const char* name : {"g.graph", "g.mgraph", "g.graph.gz", "g.graph.zst"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::metis_graph) << name;
  for (const char* name : {"g.bin32", "g.bin64", "g.bin32.gz"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::edge_pairs) << name;
  for (const char* name : {"g.sg", "g.wsg"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::gap) << name;
  for (const char* name : {"g.parhip", "g.bgf"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::parhip) << name;
  EXPECT_EQ(recognize(place.write("g.mtx", "")).format, input_format::matrix_market);
  EXPECT_EQ(recognize(place.write("g.adj", "")).format, input_format::adjacency);
  EXPECT_EQ(recognize(place.write("g.wel", "")).format, input_format::edge_list);
  EXPECT_EQ(recognize(place.write("g.dgl", "")).format, input_format::dgl_graph);
  EXPECT_EQ(recognize(place.write("meta.json", "{}")).format, input_format::plain);
  for (const char* name : {"graph.yml", "g.graph.yml", "g.graph.yaml"})
    EXPECT_EQ(recognize(place.write(name, "")).format, input_format::graphar) << name;
}

TEST(recognize_input, documents_by_what_they_list) {
  const temporary_folder place;
  constexpr const char* link = R"({"directed": true, "nodes": [], "links": []})";
  for (const char* name : {"a.json", "a.name"})
    EXPECT_EQ(recognize(place.write(name, link)).format, input_format::node_link) << name;
  EXPECT_EQ(recognize(place.write("b.json", R"({"edges": [], "nodes": []})")).format,
            input_format::node_link);
  EXPECT_EQ(recognize(place.write("c.json.gz", hg::testing::gzip(link))).format,
            input_format::node_link);
  for (const char* name : {"g.xml", "g", "g.graphml"})
    EXPECT_EQ(recognize(place.write(name, "<?xml?>\n<graphml/>")).format, input_format::graphml)
        << name;
  EXPECT_EQ(recognize(place.write("h.graphml.gz", "")).format, input_format::graphml);
  EXPECT_THROW(recognize(place.write("g.svg", "<svg/>")), hg::error);
}

TEST(recognize_input, compressed_json_documents) {
  const temporary_folder place;
  EXPECT_EQ(recognize(place.write("t.json.gz", hg::testing::gzip(tables))).format,
            input_format::tables);
  EXPECT_EQ(recognize(place.write("c.json.gz", hg::testing::gzip(chunked))).format,
            input_format::chunked);
}

TEST(recognize_input, json_documents_by_what_they_describe) {
  const temporary_folder place;
  for (const auto& [text, format] :
       {std::pair{chunked, input_format::chunked}, std::pair{config, input_format::partition},
        std::pair{tables, input_format::tables}, std::pair{"garbage", input_format::chunked},
        std::pair{"[]", input_format::chunked}}) {
    const auto path = place.write("g.json", text);
    EXPECT_EQ(recognize(path).format, format) << text;
    EXPECT_EQ(recognize(path).path, path);
  }
  EXPECT_EQ(recognize(place.write("other.name", chunked)).format, input_format::chunked);
}

TEST(recognize_input, files_by_their_content) {
  const temporary_folder place;
  using namespace std::string_literals;
  EXPECT_EQ(recognize(place.write("g.gr", "\1\0\0\0\0\0\0\0"s)).format, input_format::galois);
  EXPECT_EQ(recognize(place.write("g.gr", "\2\0\0\0\0\0\0\0"s)).format, input_format::galois);
  EXPECT_EQ(recognize(place.write("g.gr", "c a comment\np sp 1 0\n")).format, input_format::dimacs);
  EXPECT_EQ(recognize(place.write("g.gr", "")).format, input_format::dimacs);
  EXPECT_EQ(recognize(place.write("matrix", "%%MatrixMarket ")).format,
            input_format::matrix_market);
  for (const char* text : {"AdjacencyGraph\n", "WeightedAdjacencyGraph\n"})
    EXPECT_EQ(recognize(place.write("rMatGraph_J_5_100", text)).format, input_format::adjacency);
}

TEST(recognize_input, folders_by_the_files_in_them) {
  const temporary_folder place;
  place.write("chunked/metadata.json", chunked);
  place.write("chunked/g.json", config);  // the file of that name decides
  place.write("plain/meta.json", "{}");
  place.write("flat/edge_index.npy", "");
  place.write("typed/processed/a___to___b/edge_index.npy", "");
  place.write("piped/metadata.json", config);
  place.write("ours/metadata.json", config);
  place.write("ours/g.json", config);
  std::filesystem::create_symlink("nowhere", place("ours/link.json"));
  place.write("graphar/g.graph.yml", "");
  place.write("graphar/person.vertex.yml", "");
  std::filesystem::create_directories(place("graphar/folder.graph.yml"));
  EXPECT_EQ(recognize(place("graphar")).format, input_format::graphar);
  EXPECT_EQ(recognize(place("graphar")).path, place("graphar/g.graph.yml"));
  EXPECT_EQ(recognize(place("chunked")).format, input_format::chunked);
  EXPECT_EQ(recognize(place("plain")).format, input_format::plain);
  for (const char* path : {"flat", "typed"})
    EXPECT_EQ(recognize(place(path)).format, input_format::ogb) << path;
  EXPECT_EQ(recognize(place("piped")).format, input_format::partition);
  EXPECT_EQ(recognize(place("piped")).path, place("piped/metadata.json"));
  EXPECT_EQ(recognize(place("ours")).path, place("ours/g.json"));
}

TEST(recognize_input, rejects_what_is_no_graph) {
  const temporary_folder place;
  EXPECT_EQ(refusal(place("missing")), hg::error_kind::not_found);
  EXPECT_EQ(refusal(place()), hg::error_kind::not_found);
  EXPECT_EQ(refusal(place.write("x.pdf", "")), hg::error_kind::unsupported);
  EXPECT_EQ(refusal(place.write("garbage.name", "garbage")), hg::error_kind::unsupported);
  EXPECT_EQ(refusal(place.write("file", "")), hg::error_kind::unsupported);
  EXPECT_EQ(refusal(place("file/x.txt")), hg::error_kind::not_found);
  place.write("two/a.json", config);
  place.write("two/b.json", config);
  EXPECT_EQ(refusal(place("two")), hg::error_kind::invalid_argument);
  place.write("sets/a.graph.yml", "");
  place.write("sets/b.graph.yml", "");
  EXPECT_EQ(refusal(place("sets")), hg::error_kind::invalid_argument);
  EXPECT_EQ(refusal(place.write("person.vertex.yml", "type: person\n")),
            hg::error_kind::unsupported);
}

TEST(check_input_options, rejects_options_that_do_not_apply) {
  for (int i = 0; i <= static_cast<int>(input_format::graphar); ++i) {
    const auto format = static_cast<input_format>(i);
    const bool list = format == input_format::edge_list || format == input_format::edge_pairs;
    const auto rejects = [&](bool sized, bool undirected) {
      try {
        hg::check_input_options(format, sized, undirected, "x");
      } catch (const hg::error& problem) {
        return problem.code() == hg::error_kind::invalid_argument;
      }
      return false;
    };
    EXPECT_FALSE(rejects(false, false)) << name(format);
    EXPECT_EQ(rejects(true, false), !list) << name(format);
    EXPECT_EQ(rejects(false, true), !list && format != input_format::plain) << name(format);
  }
}

}  // namespace
