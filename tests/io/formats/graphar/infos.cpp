// SPDX-License-Identifier: BSL-1.0
#include "support/graphar_set.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/formats/graphar/infos.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

namespace hg = halograph;
using hg::testing::temporary_folder;
using hg::testing::write_small_graphar;

hg::graphar_infos read(const std::string& path) {
  return hg::read_graphar_infos(path, hg::read_files{}, hg::yaml_cpp_codec{});
}

void expect_refused(const std::string& path, hg::error_kind code, const std::string& file,
                    std::string_view words) {
  try {
    static_cast<void>(read(path));
    FAIL() << "no error with " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(problem.where().file, file) << problem.what();
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
  }
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(is_graphar_name, graph_infos_alone) {
  for (const char* name : {"graph.yml", "a.graph.yml", "a.b.graph.yaml", "graph.yaml"})
    EXPECT_TRUE(hg::is_graphar_name(name)) << name;
  for (const char* name : {"", "yml", "agraph.yml", "a.graph.yml.gz", "a.vertex.yml", "graph.json"})
    EXPECT_FALSE(hg::is_graphar_name(name)) << name;
}

TEST(read_graphar_infos, reads_types_folders_and_properties) {
  const temporary_folder place;
  const auto infos = read(write_small_graphar(place));
  EXPECT_EQ(infos.name, "small");
  ASSERT_EQ(infos.vertices.size(), 2u);
  const auto& person = infos.vertices[0];
  EXPECT_EQ(person.type, "person");
  EXPECT_EQ(person.chunk_size, 2u);
  EXPECT_EQ(person.folder, place("set/vertex/person"));
  ASSERT_EQ(person.groups.size(), 2u);
  EXPECT_EQ(person.groups[0].folder, place("set/vertex/person/id"));
  EXPECT_EQ(person.groups[0].properties[0].element, hg::dtype::int64);
  EXPECT_EQ(person.groups[1].folder, place("set/vertex/person/firstName_height"));
  EXPECT_FALSE(person.groups[1].properties[0].element);
  EXPECT_EQ(person.groups[1].properties[1].element, hg::dtype::float64);
  EXPECT_EQ(infos.vertices[1].folder, place("set/vertex/city"));
  ASSERT_EQ(infos.edges.size(), 2u);
  // By source, though the list by destination comes first.
  EXPECT_TRUE(infos.edges[0].by_source);
  EXPECT_EQ(infos.edges[0].folder, place("set/edge/person_knows_person/ordered_by_source"));
  EXPECT_EQ(infos.edges[0].groups[0].folder,
            place("set/edge/person_knows_person/ordered_by_source/since"));
  EXPECT_FALSE(infos.edges[1].by_source);
  EXPECT_FALSE(infos.edges[1].directed);
  EXPECT_EQ(infos.edges[1].part_nodes, 3u);
  EXPECT_EQ(infos.edges[1].folder, place("set/edge/person_in_city/unordered_by_dest"));
}

TEST(read_graphar_infos, reads_older_names_of_keys) {
  const temporary_folder place;
  const std::string path = place.write(
      "graph.yml", "name: old\nprefix: data/\nvertices: [v.yml]\nedges: [e.yml]\n");
  place.write("v.yml", "label: no\nchunk_size: 0100\nprefix: \n");
  place.write("e.yml",
              "src_label: no\nedge_label: 007\ndst_label: no\nchunk_size: 4\nsrc_chunk_size: "
              "100\ndst_chunk_size: 100\nadj_lists:\n- ordered: false\n  aligned_by: src\n  "
              "file_type: parquet\n  property_groups:\n  - file_type: csv\n    properties:\n    - "
              "{name: a, data_type: bool}\n    - {name: b, data_type: int32, cardinality: list}\n");
  const auto infos = read(path);
  // YAML's own types do not rename a type.
  EXPECT_EQ(infos.vertices[0].type, "no");
  EXPECT_EQ(infos.vertices[0].chunk_size, 100u);
  EXPECT_EQ(infos.edges[0].type.str(), "no:007:no");
  EXPECT_EQ(infos.edges[0].folder, place("data/edge/no_007_no/unordered_by_source"));
  EXPECT_EQ(infos.edges[0].groups[0].folder, place("data/edge/no_007_no/unordered_by_source/a_b"));
  EXPECT_EQ(infos.edges[0].groups[0].properties[0].element, hg::dtype::boolean);
  EXPECT_TRUE(infos.edges[0].groups[0].properties[1].list);
}

TEST(read_graphar_infos, paths_do_not_leave_the_folder) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place), person = place("set/person.vertex.yml");
  for (const char* prefix : {"/vertex/", "../vertex/", "a/../../b", "..", "a/..", "\"a\\0b\""}) {
    place.write("set/person.vertex.yml",
                replaced(hg::testing::small_graphar_person, "vertex/person/", prefix));
    expect_refused(path, hg::error_kind::invalid_argument, person, "\"prefix\" is ");
    place.write("set/person.vertex.yml", replaced(hg::testing::small_graphar_person, "prefix: id/",
                                                  std::string("prefix: ") + prefix));
    expect_refused(path, hg::error_kind::invalid_argument, person, "does not leave the folder");
    place.write("set/bad.graph.yml", std::string("vertices:\n - ") + prefix + "\n");
    expect_refused(place("set/bad.graph.yml"), hg::error_kind::invalid_argument,
                   place("set/bad.graph.yml"), "\"vertices\" is ");
    place.write("set/bad.graph.yml", std::string("prefix: ") + prefix + "\n");
    expect_refused(place("set/bad.graph.yml"), hg::error_kind::invalid_argument,
                   place("set/bad.graph.yml"), "\"prefix\" is ");
  }
  // A name that stands for a folder is checked as one.
  place.write("set/person.vertex.yml",
              replaced(replaced(hg::testing::small_graphar_person, "    prefix: id/\n", ""),
                       "name: id", "name: ../id"));
  expect_refused(path, hg::error_kind::invalid_argument, person, "../id");
}

TEST(read_graphar_infos, says_file_and_key_of_what_is_wrong) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place), person = place("set/person.vertex.yml"),
                    knows = place("set/person_knows_person.edge.yml");
  struct damage {
    std::string_view what, with;
    hg::error_kind code;
    std::string_view words;
  };
  using hg::error_kind;
  const damage of_person[] = {
      {"type: person", "typ: person", error_kind::not_found, "\"type\""},
      {"chunk_size: 2", "chunk_size: 0", error_kind::malformed, "\"chunk_size\" is \"0\""},
      {"chunk_size: 2", "chunk_size: 2.5", error_kind::malformed, "from 1 to"},
      {"chunk_size: 2", "chunk_size: 9223372036854775808", error_kind::malformed, "from 1 to"},
      {"chunk_size: 2", "chunk_size: [2]", error_kind::malformed, "\"chunk_size\""},
      {"file_type: csv", "file_type: orc", error_kind::unsupported, "is \"orc\""},
      {"file_type: csv", "file_type: json", error_kind::unsupported, "csv or parquet"},
      {"version: gar/v1", "version: gar/v2", error_kind::unsupported, "only gar/v1 is read"},
      {"type: person", "type: *x", error_kind::malformed, "not one valid YAML document"},
      {"type: person", "type: &x person\nx: *x", error_kind::unsupported, "an alias"},
      {"type: person", "type: person\n---", error_kind::malformed, "not one valid YAML document"},
      {"type: person", "type: person\ntype: b", error_kind::malformed, "not one valid YAML"},
  };
  for (const auto& one : of_person) {
    SCOPED_TRACE(one.with);
    place.write("set/person.vertex.yml",
                replaced(hg::testing::small_graphar_person, one.what, one.with));
    expect_refused(path, one.code, person, one.words);
  }
  place.write("set/person.vertex.yml", "- a list\n");
  expect_refused(path, error_kind::malformed, person, "must be a mapping");
  place.write("set/person.vertex.yml", "a: " + std::string(2 << 20, 'x'));
  expect_refused(path, error_kind::overflow, person, "1 MiB");
  place.write("set/person.vertex.yml", std::string(100, '['));
  expect_refused(path, error_kind::unsupported, person, "too many levels");
  place.write("set/person.vertex.yml", hg::testing::small_graphar_person);
  const damage of_knows[] = {
      {"aligned_by: dst", "aligned_by: both", error_kind::malformed, "must be src or dst"},
      {"ordered: true", "ordered: maybe", error_kind::malformed, "\"ordered\" is \"maybe\""},
      {"directed: true", "directed: 2", error_kind::malformed, "\"directed\" is \"2\""},
      {"adj_lists:", "lists:", error_kind::not_found, "\"adj_lists\" is empty"},
      {"src_chunk_size: 2", "", error_kind::not_found, "\"src_chunk_size\""},
  };
  for (const auto& one : of_knows) {
    SCOPED_TRACE(one.with);
    place.write("set/person_knows_person.edge.yml",
                replaced(hg::testing::small_graphar_knows, one.what, one.with));
    expect_refused(path, one.code, knows, one.words);
  }
  place.write("set/small.graph.yml", "name: none\n");
  expect_refused(path, error_kind::not_found, path, "\"vertices\" is empty");
}

TEST(read_graphar_infos, a_list_of_orc_is_read_only_where_there_is_no_other) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place);
  const std::string orc = replaced(hg::testing::small_graphar_knows,
                                   "ordered_by_source/\n    file_type: csv",
                                   "ordered_by_source/\n    file_type: orc");
  place.write("set/person_knows_person.edge.yml", orc);
  EXPECT_FALSE(read(path).edges[0].by_source);
  place.write("set/person_knows_person.edge.yml",
              replaced(orc, "ordered_by_dest/\n    file_type: csv",
                       "ordered_by_dest/\n    file_type: orc"));
  expect_refused(path, hg::error_kind::unsupported, place("set/person_knows_person.edge.yml"),
                 "\"file_type\" of the adjacency list ordered_by_source is \"orc\"");
}

}  // namespace
