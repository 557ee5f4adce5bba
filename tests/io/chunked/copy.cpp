// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/open_dataset.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace {

namespace hg = halograph;
using hg::testing::expect_same_graph;
using hg::testing::temporary_folder;

constexpr const char* mesh = "% a mesh\n3 2 001\n2 5\n1 5 3 9\n2 9\n";

hg::chunked_copy copy(const temporary_folder& place, const std::string& input,
                      const hg::copy_options& options = {}) {
  return hg::copy_chunked(
      place(input), place("parts"), options, [](const std::string&) { return hg::read_files{}; },
      hg::nlohmann_codec{}, hg::testing::test_formats{}, hg::no_tables{}, hg::sequential{});
}
hg::error refusal(const temporary_folder& place, const std::string& input,
                  const hg::copy_options& options = {}) {
  try {
    static_cast<void>(copy(place, input, options));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was copied");
}
hg::dataset<> load(const std::string& path, const hg::input_options& options = {}) {
  return hg::load_dataset(path, options, hg::read_files{}, hg::nlohmann_codec{});
}
bool exists(const std::string& path) { return std::filesystem::exists(path); }

TEST(copy_chunked, is_the_graph_that_partition_reads_and_goes_with_its_owner) {
  const temporary_folder place;
  place.write("mesh.graph", mesh);
  place.write("list.txt", "0 3 7\n4 1 2\n");
  struct {
    const char* input;
    const char* format;
    hg::input_options as;
  } const cases[] = {{"mesh.graph", "METIS graph", {}},
                     {"list.txt", "edge list", {}},
                     {"list.txt", "edge list", {.undirected = true, .num_nodes = 9}}};
  for (const auto& one : cases) {
    hg::copy_options options;
    options.reading.undirected = one.as.undirected;
    options.reading.num_nodes = one.as.num_nodes;
    std::uint64_t announced = 0;
    options.on_need = [&](const hg::opened_stream& input, std::uint64_t bytes) {
      EXPECT_EQ(input.format, one.format);
      EXPECT_EQ(input.held_bytes, input.format == "edge list" ? 0u : 24 * input.graph.num_edges());
      announced = bytes;
    };
    {
      const auto made = copy(place, one.input, options);
      EXPECT_EQ(made.format(), one.format);
      EXPECT_GE(announced, made.bytes());
      EXPECT_EQ(made.path(), place(".parts.halograph-input"));
      const auto data = load(place(one.input), one.as), back = load(made.path());
      EXPECT_EQ(back.name, data.name);
      expect_same_graph(hg::stream_dataset(load(made.path())), data);
    }
    EXPECT_FALSE(exists(place(".parts.halograph-input")));
    EXPECT_FALSE(exists(place(".parts.halograph-tmp")));
  }
}

TEST(copy_chunked, a_run_that_resumes_takes_the_copy_of_the_same_files_and_options) {
  const temporary_folder place;
  place.write("mesh.graph", mesh);
  place.write("list.txt", "0 1\n1 2\n");
  hg::copy_options again;
  again.resume = true;
  // A job that leaves something to resume.
  const auto leave = [&] { place.write(".parts.halograph-tmp/.halograph-stages", "x"); };
  {
    const auto made = copy(place, "list.txt", again);
    EXPECT_FALSE(made.reused());
    leave();
  }
  ASSERT_TRUE(exists(place(".parts.halograph-input/metadata.json")));
  const auto time = std::filesystem::last_write_time(place(".parts.halograph-input/metadata.json"));
  EXPECT_TRUE(copy(place, "list.txt", again).reused());
  EXPECT_EQ(std::filesystem::last_write_time(place(".parts.halograph-input/metadata.json")), time);
  // Another input, other options, a changed file: refused, and what is there stays.
  EXPECT_EQ(refusal(place, "mesh.graph", again).code(), hg::error_kind::mismatch);
  auto other = again;
  other.reading.num_nodes = 7;
  EXPECT_EQ(refusal(place, "list.txt", other).code(), hg::error_kind::mismatch);
  EXPECT_TRUE(copy(place, "list.txt", again).reused());
  place.write("list.txt", "0 1\n1 2\n2 3\n");
  EXPECT_EQ(refusal(place, "list.txt", again).code(), hg::error_kind::mismatch);
  // Without resume all is made anew.
  EXPECT_FALSE(copy(place, "list.txt").reused());
  EXPECT_FALSE(exists(place(".parts.halograph-input")));
  EXPECT_FALSE(exists(place(".parts.halograph-tmp")));
}

TEST(copy_chunked, what_a_killed_run_left_goes_and_what_is_in_use_stays) {
  const temporary_folder place;
  place.write("mesh.graph", mesh);
  {
    const auto made = copy(place, "mesh.graph");
    EXPECT_EQ(refusal(place, "mesh.graph").code(), hg::error_kind::busy);
    hg::remove_chunked_copy(place("parts"), place("mesh.graph"));
    EXPECT_TRUE(exists(made.path() + "/metadata.json"));
    std::filesystem::copy(made.path(), place("left"), std::filesystem::copy_options::recursive);
  }
  std::filesystem::rename(place("left"), place(".parts.halograph-input"));
  hg::remove_chunked_copy(place("parts"),
                          place(".parts.halograph-input"));  // an input is not removed
  EXPECT_TRUE(exists(place(".parts.halograph-input/metadata.json")));
  place.write("..parts.halograph-input.halograph-tmp/half", "x");
  hg::remove_chunked_copy(place("parts"), place("mesh.graph"));
  EXPECT_FALSE(exists(place(".parts.halograph-input")));
  EXPECT_FALSE(exists(place("..parts.halograph-input.halograph-tmp")));
  place.write(".parts.halograph-input/mine", "x");
  hg::remove_chunked_copy(place("parts"), place("mesh.graph"));
  EXPECT_TRUE(exists(place(".parts.halograph-input/mine")));
  EXPECT_EQ(refusal(place, "mesh.graph").code(), hg::error_kind::exists);
  // What stands in for a manifest is not ours either.
  place.write(".parts.halograph-input/.halograph-manifest", "mine");
  hg::copy_options again;
  again.resume = true;
  EXPECT_NE(refusal(place, "mesh.graph", again).code(), hg::error_kind::ok);
  EXPECT_TRUE(exists(place(".parts.halograph-input/mine")));
}

TEST(copy_chunked, refuses_before_the_work) {
  const temporary_folder place;
  place.write("mesh.graph", mesh);
  hg::copy_options small;
  small.reading.most_bytes = 4 * 24 - 1;
  const auto problem = refusal(place, "mesh.graph", small);
  EXPECT_EQ(problem.code(), hg::error_kind::memory) << problem.what();
  EXPECT_EQ(problem.where().file, place("mesh.graph"));
  small.reading.most_bytes = 4 * 24;
  EXPECT_EQ(refusal(place, "mesh.graph", small).code(), hg::error_kind::ok);
  // A target that holds something else.
  place.write("parts/mine", "x");
  EXPECT_EQ(refusal(place, "mesh.graph").code(), hg::error_kind::exists);
  std::filesystem::remove_all(place("parts"));
  // An input that leads into the target.
  hg::chunk_graph(hg::stream_dataset(load(place("mesh.graph"))), place("parts"));
  place.write("plain/meta.json", R"({"num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 4}})");
  std::filesystem::create_symlink(place("parts/edge_index/_N:_E:_N0.txt"),
                                  place("plain/edges.txt"));
  EXPECT_EQ(refusal(place, "plain").code(), hg::error_kind::invalid_argument);
  EXPECT_FALSE(exists(place(".parts.halograph-input")));
}

}  // namespace
