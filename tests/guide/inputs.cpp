// SPDX-License-Identifier: BSL-1.0
// The data examples that DGL's user guide prints, as files: each parses, or is refused for its real
// fault.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/edges.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

std::string fixture(const std::string& name) {
  return std::string(HALOGRAPH_GUIDE_FIXTURES) + "/" + name;
}
const hg::read_files open{};
const hg::nlohmann_codec codec{};

template <class Function>
hg::error refusal(Function&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

TEST(guide, metadata_of_mag240m_without_its_comments_parses) {
  const auto metadata = hg::read_json(fixture("chunked/metadata.json"), open, codec);
  const auto schema = hg::schema_from_metadata(metadata);
  EXPECT_EQ(schema.node_types(), (std::vector<std::string>{"author", "paper", "institution"}));
  ASSERT_EQ(schema.num_edge_types(), 3u);
  EXPECT_EQ(schema.edge_types()[1].str(), "author:affiliated_with:institution");
  // The sums of the two chunks of each type: 121751665 papers are MAG240M's.
  const auto converter = hg::id_converter_from_metadata(metadata);
  EXPECT_EQ(converter.schema(), schema);
  EXPECT_EQ(converter.nid_het2hom(1, 0), 2u * 61191556);
  EXPECT_EQ(converter.nid_het2hom(2, 25720), 2u * 61191556 + 61191553 + 61191552 + 25720);
  EXPECT_EQ(converter.eid_het2hom(2, 0), 2u * 193011360 + 2u * 22296293);
}

TEST(guide, metadata_of_mag240m_as_printed_is_no_json_from_its_first_comment_on) {
  const auto problem = refusal([] {
    static_cast<void>(hg::read_json(fixture("chunked/metadata_as_printed.json"), open, codec));
  });
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  const auto content = open(fixture("chunked/metadata_as_printed.json"));
  ASSERT_TRUE(problem.where().byte);
  EXPECT_EQ(content.bytes[*problem.where().byte], std::byte{'#'});
}

TEST(guide, edges_as_printed_parse_up_to_the_dots) {
  const std::string path = fixture("chunked/writes-part1.csv");
  const auto content = open(path);
  const auto problem = refusal([&] {
    static_cast<void>(
        hg::read_edges(content.bytes, path, {.format = {.delimiter = ' ', .comments = true}}));
  });
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  EXPECT_EQ(problem.where().line, 7u);
  const auto whole = hg::read_edges(content.bytes.first(content.bytes.size() - 4), path,
                                    {.format = {.delimiter = ' ', .comments = true}});
  EXPECT_EQ(whole.target, (std::vector<std::uint64_t>{0, 1, 20, 29, 1203}));
}

TEST(guide, assignment_as_printed_parses_up_to_the_dots) {
  hg::graph_schema schema;
  schema.add_node_type("paper");
  const std::vector<std::uint64_t> counts{7};
  const auto problem = refusal([&] {
    static_cast<void>(hg::read_assignment(fixture("assignment"), schema, counts, 2, open, codec));
  });
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  EXPECT_EQ(problem.where().line, 9u);
}

TEST(guide, ip_config_parses) {
  EXPECT_EQ(hg::read_ip_config(fixture("ip_config.txt"), open),
            (std::vector<hg::machine>{{"172.31.19.1", {}}, {"172.31.23.205", {}}}));
}

TEST(guide, config_as_printed_is_no_json_for_a_comma_before_a_brace) {
  const auto problem = refusal([] {
    static_cast<void>(hg::read_config(fixture("config/graph_name_as_printed.json"), open, codec));
  });
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  const auto content = open(fixture("config/graph_name_as_printed.json"));
  ASSERT_TRUE(problem.where().byte);
  EXPECT_EQ(content.bytes[*problem.where().byte], std::byte{'}'});
}

TEST(guide, config_with_relation_only_edge_types_parses) {
  const auto config = hg::read_config(fixture("config/graph_name.json"), open, codec);
  EXPECT_EQ(config.graph_name, "test");
  EXPECT_EQ(config.num_parts, 2u);
  EXPECT_EQ(config.halo_hops, 1u);
  EXPECT_EQ(config.schema.node_types(), std::vector<std::string>{"_U"});
  ASSERT_EQ(config.node_map.size(), 1u);
  EXPECT_EQ(config.node_map[0][1].begin, 1261310u);
  EXPECT_EQ(config.node_map[0][1].end, 2449029u);
  ASSERT_EQ(config.edge_map.size(), 1u);
  EXPECT_EQ(config.edge_map[0][1].end, 123718280u);
  // "_V" alone says which relation, and with one node type also between which types.
  const std::string relation = config.bare_relations.empty()
                                   ? config.schema.edge_types().at(0).relation
                                   : config.bare_relations[0];
  EXPECT_EQ(relation, "_V");
}

TEST(guide, small_node_file_of_two_types_parses) {
  const std::string path = fixture("xxx_nodes.txt");
  const auto table = hg::read_columns(open(path).bytes, path, 4,
                                      {.least = 0, .no_more_columns = true});
  const auto count = [&](std::int64_t type) {
    return std::count(table[0].begin(), table[0].end(), type);
  };
  EXPECT_EQ(count(0), 3);
  EXPECT_EQ(count(1), 4);
  EXPECT_EQ(std::accumulate(table[1].begin(), table[1].end(), std::int64_t{0}), 3);
  EXPECT_EQ(std::accumulate(table[2].begin(), table[2].end(), std::int64_t{0}), 4);
  EXPECT_EQ(table[3], (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 3}));
}

}  // namespace
