// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::content_of;
using hg::testing::temporary_folder;

namespace {

using parts = std::vector<hg::part_id>;

hg::graph_schema users_and_items() {
  hg::graph_schema schema;
  schema.add_node_type("user");
  schema.add_node_type("void");
  schema.add_node_type("item");
  return schema;
}
const std::vector<std::uint64_t> counts{3, 0, 2};

hg::assignment_folder read(const temporary_folder& folder, std::optional<hg::part_id> asked = {}) {
  return hg::read_assignment(folder(), users_and_items(), counts, asked, hg::read_files{},
                             hg::nlohmann_codec{});
}

hg::error refusal(const temporary_folder& folder, std::optional<hg::part_id> asked = {}) {
  try {
    static_cast<void>(read(folder, asked));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

void fill(const temporary_folder& folder) {
  folder.write("user.txt", "1\n0\r\n2.0 9\n");
  folder.write("item.txt", "2\n1");
  folder.write("partition_meta.json", R"({"num_parts": 3, "algo_name": "metis", "more": 1})");
}

TEST(read_assignment, concatenates_the_types) {
  const temporary_folder folder;
  fill(folder);
  const auto out = read(folder);
  EXPECT_EQ(out.owner, (parts{1, 0, 2, 2, 1}));
  EXPECT_EQ(out.parts, 3u);
  EXPECT_EQ(out.algorithm, "metis");
}

TEST(resolve_num_parts,
     prefers_partition_meta_then_the_request_then_machines_then_the_largest_part) {
  const temporary_folder folder;
  fill(folder);
  const auto resolve = [&](std::optional<hg::part_id> asked,
                           std::optional<std::uint64_t> machines) {
    return hg::resolve_num_parts(folder(), asked, machines, hg::read_files{}, hg::nlohmann_codec{});
  };
  EXPECT_EQ(resolve({}, 7).parts, 3u);
  EXPECT_EQ(resolve({}, 7).algorithm, "metis");
  EXPECT_EQ(resolve(3, 7).note, "");
  EXPECT_THROW(resolve(4, {}), hg::error);
  std::filesystem::remove(folder() + "/partition_meta.json");
  const auto missing = folder() + " has no partition_meta.json; ";
  EXPECT_EQ(resolve(5, 7).parts, 5u);
  EXPECT_EQ(resolve(5, 7).note, missing + "the 5 requested parts are used");
  EXPECT_EQ(resolve({}, 7).parts, 7u);
  EXPECT_EQ(resolve({}, 7).note,
            missing + "one part is used for each of the 7 machines of the ip config");
  EXPECT_THROW(resolve({}, 0), hg::error);
  EXPECT_EQ(resolve({}, {}).parts, std::nullopt);
  EXPECT_EQ(read(folder).note,
            missing + "the largest part plus one, 3, is used as the number of parts");
  EXPECT_EQ(read(folder, 4).note, missing + "the 4 requested parts are used");
}

TEST(read_assignment, works_without_partition_meta) {
  const temporary_folder folder;
  fill(folder);
  std::filesystem::remove(folder("partition_meta.json"));
  EXPECT_EQ(read(folder).parts, 3u);
  EXPECT_EQ(read(folder, 7).parts, 7u);
  EXPECT_EQ(refusal(folder, 2).code(), hg::error_kind::out_of_range);
}

TEST(read_assignment, reports_what_is_wrong_and_where) {
  struct {
    const char* file;
    const char* content;
    hg::error_kind code;
    std::optional<std::uint64_t> line;
  } cases[] = {{"user.txt", "1\n0\n", hg::error_kind::mismatch, 3},
               {"user.txt", "1\n0\n0\n0\n", hg::error_kind::mismatch, 4},
               {"user.txt", "1\n3\n0\n", hg::error_kind::out_of_range, 2},
               {"user.txt", "1\n-1\n0\n", hg::error_kind::out_of_range, 2},
               {"user.txt", "1\n0.5\n0\n", hg::error_kind::malformed, 2},
               {"user.txt", "1\n0,1\n0\n", hg::error_kind::malformed, 2},
               {"item.txt", "x\n1\n", hg::error_kind::malformed, 1},
               {"void.txt", "1\n", hg::error_kind::mismatch, 1},
               {"partition_meta.json", "{\"num_parts\": 3}", hg::error_kind::not_found, {}},
               {"partition_meta.json", "{\"algo_name\": \"metis\"}", hg::error_kind::not_found, {}},
               {"partition_meta.json",
                "{\"num_parts\": 0, \"algo_name\": \"metis\"}",
                hg::error_kind::out_of_range,
                {}},
               {"partition_meta.json",
                "{\"num_parts\": 4294967296, \"algo_name\": \"metis\"}",
                hg::error_kind::out_of_range,
                {}},
               {"partition_meta.json",
                "{\"num_parts\": 3, \"algo_name\": \"other\"}",
                hg::error_kind::unsupported,
                {}},
               {"partition_meta.json",
                "{\"num_parts\": 3, \"algo_name\": \"metis\", \"version\": \"2\"}",
                hg::error_kind::unsupported,
                {}},
               {"partition_meta.json", "[]", hg::error_kind::malformed, {}},
               {"partition_meta.json", "{", hg::error_kind::malformed, {}}};
  for (const auto& c : cases) {
    const temporary_folder folder;
    fill(folder);
    const auto path = folder.write(c.file, c.content);
    const auto problem = refusal(folder);
    EXPECT_EQ(problem.code(), c.code) << c.content << ": " << problem.what();
    EXPECT_EQ(problem.where().file, path);
    EXPECT_EQ(problem.where().line, c.line) << problem.what();
  }
  const temporary_folder folder;
  fill(folder);
  EXPECT_EQ(refusal(folder, 2).code(), hg::error_kind::mismatch);
  std::filesystem::remove(folder("item.txt"));
  EXPECT_EQ(refusal(folder).code(), hg::error_kind::not_found);
}

TEST(read_assignment, takes_the_one_text_file_of_a_graph_of_one_node_type) {
  const temporary_folder folder;
  const auto path = folder.write("graph.part.3", "2\n0\n1\n");
  const std::vector<std::uint64_t> three{3};
  const auto one = [&](std::optional<hg::part_id> asked) {
    return hg::read_assignment(path, hg::graph_schema::homogeneous(), three, asked,
                               hg::read_files{}, hg::nlohmann_codec{});
  };
  EXPECT_EQ(one(4).owner, (parts{2, 0, 1}));
  EXPECT_EQ(one(4).parts, 4u);
  EXPECT_EQ(one({}).parts, 3u);
  EXPECT_EQ(
      one({}).note,
      path +
          " is a single file, which does not record the number of parts; the largest part plus one, 3, is used as the number of parts");
  // As of a folder's files, errors name the line.
  struct {
    const char* content;
    hg::error_kind code;
    std::uint64_t line;
  } cases[] = {{"2\n0\n", hg::error_kind::mismatch, 3},
               {"2\n0\n1\n1\n", hg::error_kind::mismatch, 4},
               {"2\n3\n1\n", hg::error_kind::out_of_range, 2},
               {"2\nx\n1\n", hg::error_kind::malformed, 2}};
  for (const auto& c : cases) {
    folder.write("graph.part.3", c.content);
    try {
      static_cast<void>(one(3));
      ADD_FAILURE() << c.content;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), c.code) << problem.what();
      EXPECT_EQ(problem.where().file, path);
      EXPECT_EQ(problem.where().line, c.line) << problem.what();
    }
  }
  // Of several node types the sentence says what a folder must hold.
  try {
    static_cast<void>(hg::read_assignment(path, users_and_items(), counts, 3, hg::read_files{},
                                          hg::nlohmann_codec{}));
    ADD_FAILURE() << "it was taken";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::invalid_argument);
    EXPECT_NE(problem.message().find("\"user.txt\", \"void.txt\", \"item.txt\""), std::string::npos)
        << problem.what();
  }
}

TEST(resolve_num_parts, keeps_the_method_and_options_of_partition_meta) {
  const temporary_folder folder;
  folder.write(
      "partition_meta.json",
      R"({"num_parts": 3, "algo_name": "metis", "method": "ldg", "options": {"seed": 5}})");
  const auto made_by =
      hg::resolve_num_parts(folder(), {}, {}, hg::read_files{}, hg::nlohmann_codec{}).made_by;
  EXPECT_EQ(hg::json::print(made_by, 0), R"({"method": "ldg", "options": {"seed": 5}})");
  folder.write("partition_meta.json",
               R"({"num_parts": 3, "algo_name": "metis", "method": 1, "options": []})");
  EXPECT_TRUE(hg::resolve_num_parts(folder(), {}, {}, hg::read_files{}, hg::nlohmann_codec{})
                  .made_by.is_null());
}

TEST(write_assignment, round_trips) {
  const temporary_folder folder;
  const std::vector<std::uint8_t> owner{1, 0, 2, 2, 1};
  hg::write_assignment<std::uint8_t>(folder(), users_and_items(), counts, owner, 4, "random");
  EXPECT_EQ(content_of(folder("user.txt")), "1\n0\n2\n");
  EXPECT_EQ(content_of(folder("void.txt")), "");
  EXPECT_EQ(
      content_of(folder("partition_meta.json")),
      "{\n    \"algo_name\": \"random\",\n    \"num_parts\": 4,\n    \"version\": \"1.0.0\"\n}");
  const auto out = read(folder);
  EXPECT_EQ(out.owner, parts(owner.begin(), owner.end()));
  EXPECT_EQ(out.parts, 4u);
}

TEST(write_assignment, checks_before_it_writes) {
  const temporary_folder folder;
  EXPECT_THROW(
      (hg::write_assignment<std::uint8_t>(folder(), users_and_items(), counts,
                                          std::vector<std::uint8_t>{0, 1, 2, 3}, 4, "metis")),
      hg::error);
  EXPECT_THROW(
      (hg::write_assignment<std::uint8_t>(folder(), users_and_items(), counts,
                                          std::vector<std::uint8_t>{0, 1, 2, 3, 4}, 4, "metis")),
      hg::error);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST(write_assignment, takes_owners_of_any_integer_type) {
  const temporary_folder folder;
  const std::vector<int> owner{1, 0, 2, 2, 1};
  hg::write_assignment(folder(), users_and_items(), counts, owner, 4, "random");
  EXPECT_EQ(content_of(folder("user.txt")), "1\n0\n2\n");
  EXPECT_THROW(hg::write_assignment(folder(), users_and_items(), counts,
                                    std::vector<int>{1, 0, 2, 2, -1}, 4, "random"),
               hg::error);
  const std::vector<std::int8_t> small{1, 0, 11};
  EXPECT_EQ(hg::write_part_file(folder("graph.part.12"), small), 7u);
  EXPECT_EQ(content_of(folder("graph.part.12")), "1\n0\n11\n");
  EXPECT_EQ(hg::write_part_file(folder("again.part.12"), std::array<std::uint64_t, 2>{3, 4}), 4u);
  EXPECT_THROW(hg::write_part_file(folder("no.part.12"), std::vector<long>{0, -1}), hg::error);
}

}  // namespace
