// SPDX-License-Identifier: BSL-1.0
#include "support/npy.hpp"
#include "support/same_files.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/report.hpp>
#include <halograph/pipeline/attach_features.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;

hg::attach_result attach(const std::string& folder, const hg::feature_set& features,
                         const hg::attach_options& options = {}) {
  return hg::attach_features(config_of(folder), features, test_access{}, options);
}

hg::partition_options mapped(bool files, bool reshuffle = true) {
  hg::partition_options options;
  options.save_mapping = files && reshuffle;
  options.store_original_ids = !files && reshuffle;
  options.reshuffle = reshuffle;
  return options;
}

TEST(attach_features, a_folder_partitioned_without_features_becomes_that_with_them) {
  for (const bool typed : {false, true}) {
    for (const auto& options : {mapped(true), mapped(false), mapped(true, false)}) {
      const temporary_folder place;
      auto data = small_dataset(3, typed);
      small_partition(data, place("with"), 3, 4, options);
      const auto features = std::move(data.features);
      data.features = {};
      small_partition(data, place("without"), 3, 4, options);
      const auto done = attach(place("without"), features);
      EXPECT_EQ(done.added.size(), features.nodes.size() + features.edges.size());
      EXPECT_TRUE(done.replaced.empty());
      auto with = files_of(place("with")), without = files_of(place("without"));
      with.erase(std::string(hg::manifest_name));
      without.erase(std::string(hg::manifest_name));
      EXPECT_EQ(with, without);
      EXPECT_FALSE(hg::foreign_entry(place("without")));
    }
  }
}

TEST(attach_features, what_is_there_stays_and_other_files_do_not_change) {
  const temporary_folder place;
  auto data = small_dataset(5, true);
  small_partition(data, place("out"), 2, 5, mapped(true));
  const auto before = files_of(place("out"));
  hg::feature_set more;
  std::vector<std::int16_t> label(data.node_counts[1]);
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<std::int16_t>(100 + i);
  more.nodes.push_back({1, "label", hg::tensor::from(label)});
  const auto done = attach(place("out"), more);
  EXPECT_EQ(done.added, std::vector<std::string>{"item/label"});
  EXPECT_EQ(done.rows, data.node_counts[1]);
  const auto after = files_of(place("out"));
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, content] : before) {
    const bool changes = name.ends_with("node_feats.dgl") || name == hg::manifest_name;
    EXPECT_EQ(after.at(name) == content, !changes) << name;
  }
  const auto config = config_of(place("out"));
  for (std::size_t p = 0; p < 2; ++p) {
    const auto features = hg::load_partition_feats(config, p, hg::read_files{}, test_formats{});
    ASSERT_EQ(features.nodes.size(), 3u);
    const auto* column = hg::detail::find_column(features.nodes, "item/label");
    ASSERT_NE(column, nullptr);
    EXPECT_EQ(column->type(), hg::dtype::int16);
    const auto ids = hg::load_original_ids(config, p, {hg::entity::node, 1}, hg::read_files{},
                                           test_formats{});
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(column->integer(i), static_cast<std::int64_t>(100 + ids[i]));
  }
}

TEST(attach_features, the_same_key_is_refused_unless_it_is_to_be_replaced) {
  const temporary_folder place;
  auto data = small_dataset(6, false);
  small_partition(data, place("out"), 2, 6, mapped(true));
  const auto before = files_of(place("out"));
  hg::feature_set again;
  again.nodes.push_back({0, "x", hg::tensor::from(std::vector<double>(30, 0.5))});
  try {
    attach(place("out"), again);
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::exists);
    EXPECT_NE(std::string(problem.what()).find("\"_N/x\""), std::string::npos) << problem.what();
  }
  EXPECT_EQ(files_of(place("out")), before);
  const auto done = attach(place("out"), again,
                           {.replace = true, .out = {}, .command = {}, .on_progress = {}});
  EXPECT_EQ(done.replaced, std::vector<std::string>{"_N/x"});
  EXPECT_TRUE(done.added.empty());
  const auto features = hg::load_partition_feats(config_of(place("out")), 0, hg::read_files{},
                                                 test_formats{});
  ASSERT_EQ(features.nodes.size(), 1u);
  EXPECT_EQ(features.nodes[0].value.type(), hg::dtype::float64);
}

TEST(attach_features, a_run_that_is_repeated_finds_its_work_done) {
  const temporary_folder place;
  auto data = small_dataset(6, true);
  small_partition(data, place("out"), 3, 6, mapped(true));
  hg::put_into_folder(config_of(place("out")), std::string(hg::simulation_file), "{}", {});
  const auto before = files_of(place("out"));
  // What a run leaves that was killed once the folder was replaced: the earlier folder in the
  // staging folder's place.
  place.write(".out.halograph-tmp/part0/node_feats.dgl", "the earlier result's");
  const auto done = attach(place("out"), data.features);
  EXPECT_TRUE(done.added.empty() && done.replaced.empty());
  EXPECT_EQ(done.unchanged.size(), data.features.nodes.size() + data.features.edges.size());
  EXPECT_FALSE(done.simulation_dropped);
  EXPECT_EQ(files_of(place("out")), before);
  EXPECT_FALSE(fs::exists(place(".out.halograph-tmp")));
  // One that is new beside some that are there.
  data.features.nodes.push_back(
      {1, "more", hg::tensor::from(std::vector<std::int16_t>(data.node_counts[1], 7))});
  EXPECT_EQ(attach(place("out"), data.features).added, std::vector<std::string>{"item/more"});
  EXPECT_EQ(attach(place("out"), data.features).unchanged.size(),
            data.features.nodes.size() + data.features.edges.size());
  EXPECT_FALSE(hg::foreign_entry(place("out")));
}

TEST(attach_features, a_folder_inside_its_own_and_a_config_of_files_elsewhere_are_refused) {
  const temporary_folder place;
  auto data = small_dataset(7, false);
  const auto features = data.features;
  data.features = {};
  small_partition(data, place("out"), 2, 7, mapped(true));
  const auto before = files_of(place());
  const auto refused = [&](const std::string& folder, const std::string& out,
                           const std::string& words) {
    try {
      attach(folder, features, {.replace = false, .out = out, .command = {}, .on_progress = {}});
      ADD_FAILURE() << out << " is not refused";
    } catch (const hg::error& problem) {
      EXPECT_NE(std::string(problem.what()).find(words), std::string::npos) << problem.what();
    }
  };
  refused(place("out"), place("out/sub"), "is inside the folder that it would be made from");
  refused(place("out"), place("out/part0"), "is inside the folder that it would be made from");
  EXPECT_EQ(files_of(place()), before);
  // Features beside the config, graphs elsewhere.
  auto text = content_of(place("out/g.json"));
  for (const std::string file : {"graph.dgl", "orig_nids.dgl", "orig_eids.dgl"}) {
    for (std::size_t at = 0; (at = text.find("\"part", at)) != std::string::npos; ++at) {
      const auto end = text.find('"', at + 1);
      if (text.substr(at, end - at).ends_with("/" + file)) text.insert(at + 1, "../out/");
    }
  }
  place.write("config/g.json", text);
  for (const char* part : {"part0", "part1"}) {
    fs::create_directories(place(std::string("config/") + part));
    for (const char* file : {"/node_feats.dgl", "/edge_feats.dgl"})
      fs::copy_file(place(std::string("out/") + part + file),
                    place(std::string("config/") + part + file));
  }
  refused(place("config"), place("made"), "outside the config's folder");
  EXPECT_FALSE(fs::exists(place("made")));
}

TEST(attach_features, simulated_figures_stay_until_nodes_get_other_rows) {
  const temporary_folder place;
  auto data = small_dataset(9, true);
  small_partition(data, place("out"), 2, 9, mapped(true));
  hg::put_into_folder(config_of(place("out")), std::string(hg::simulation_file), "{}", {});
  hg::feature_set of_edges;
  of_edges.edges.push_back({0, "more", hg::tensor::from(std::vector<float>(60, 1.0f))});
  EXPECT_FALSE(attach(place("out"), of_edges).simulation_dropped);
  EXPECT_EQ(content_of(place("out/simulation.json")), "{}");
  hg::feature_set of_nodes;
  of_nodes.nodes.push_back({1, "big", hg::tensor::from(std::vector<double>(15 * 32), {15, 32})});
  EXPECT_TRUE(attach(place("out"), of_nodes,
                     {.replace = false, .out = place("new"), .command = {}, .on_progress = {}})
                  .simulation_dropped);
  EXPECT_FALSE(fs::exists(place("new/simulation.json")));
  EXPECT_TRUE(fs::exists(place("out/simulation.json")));
  EXPECT_TRUE(attach(place("out"), of_nodes).simulation_dropped);
  EXPECT_FALSE(fs::exists(place("out/simulation.json")));
  EXPECT_FALSE(hg::foreign_entry(place("out")));
  EXPECT_FALSE(
      attach(place("out"), of_nodes, {.replace = true, .out = {}, .command = {}, .on_progress = {}})
          .simulation_dropped);
}

TEST(attach_features, another_folder_can_be_made_and_shares_nothing_with_the_old_one) {
  const temporary_folder place;
  auto data = small_dataset(7, false);
  small_partition(data, place("out"), 2, 7, mapped(true));
  const auto before = files_of(place("out"));
  hg::feature_set more;
  more.nodes.push_back({0, "y", hg::tensor::from(std::vector<float>(30, 1.0f))});
  attach(place("out"), more,
         {.replace = false, .out = place("new"), .command = {}, .on_progress = {}});
  EXPECT_EQ(files_of(place("out")), before);
  EXPECT_FALSE(hg::foreign_entry(place("new")));
  EXPECT_EQ(hg::load_partition_feats(config_of(place("new")), 0, hg::read_files{}, test_formats{})
                .nodes.size(),
            2u);
  EXPECT_EQ(fs::hard_link_count(place("new/part0/graph.dgl")), 1u);
}

TEST(attach_features, bad_features_and_folders_are_refused_and_nothing_changes) {
  const temporary_folder place;
  auto data = small_dataset(8, true);
  small_partition(data, place("out"), 2, 8, mapped(true));
  small_partition(data, place("unmapped"), 2, 8, {.compact_mapping = false});
  const auto before = files_of(place("out"));
  const auto expect = [&](const std::string& folder, hg::feature_set features,
                          hg::error_kind code) {
    try {
      attach(place(folder), features);
      ADD_FAILURE() << "attached";
    } catch (const hg::error& problem) {
      EXPECT_EQ(hg::name(problem.code()), hg::name(code)) << problem.what();
    }
    EXPECT_EQ(files_of(place("out")), before);
  };
  const auto column = [](std::size_t rows) { return hg::tensor::from(std::vector<float>(rows)); };
  hg::feature_set features;
  features.nodes = {{0, "y", column(29)}};
  expect("out", features, hg::error_kind::mismatch);
  features.nodes = {{0, "y", column(31)}};
  expect("out", features, hg::error_kind::mismatch);
  features.nodes = {{9, "y", column(30)}};
  expect("out", features, hg::error_kind::not_found);
  features.nodes = {{0, "_ID", column(30)}};
  expect("out", features, hg::error_kind::invalid_argument);
  features.nodes = {{0, "a/b", column(30)}};
  expect("out", features, hg::error_kind::invalid_argument);
  features.nodes = {{0, "y", column(30)}, {0, "y", column(30)}};
  expect("out", features, hg::error_kind::exists);
  features.nodes = {{0, "y", column(30)}};
  expect("unmapped", features, hg::error_kind::not_found);
  place.write("out/letter.txt", "dear mother");
  try {
    attach(place("out"), features);
    ADD_FAILURE() << "attached";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::exists);
  }
  EXPECT_EQ(content_of(place("out/letter.txt")), "dear mother");
}

TEST(read_feature_folder, finds_features_by_type_and_name) {
  const auto data = small_dataset(1, true);
  const temporary_folder place;
  place.write("user/age.npy", npy<std::int64_t>("<i8", "(30,)", std::vector<std::int64_t>(30, 4)));
  place.write("buys/price.npy", npy<float>("<f4", "(60, 1)", std::vector<float>(60, 4)));
  place.write("README", "ignored");
  place.write("drafts/notes.txt", "ignored");
  const auto features = hg::read_feature_folder(place(), data.schema, hg::read_files{});
  ASSERT_EQ(features.nodes.size(), 1u);
  ASSERT_EQ(features.edges.size(), 1u);
  EXPECT_EQ(features.nodes[0].name, "age");
  EXPECT_EQ(features.edges[0].name, "price");
  EXPECT_EQ(features.edges[0].type, 0u);
  place.write("shop/size.npy", npy<float>("<f4", "(1,)", std::vector<float>(1)));
  EXPECT_THROW(hg::read_feature_folder(place(), data.schema, hg::read_files{}), hg::error);
  const temporary_folder empty;
  EXPECT_THROW(hg::read_feature_folder(empty(), data.schema, hg::read_files{}), hg::error);
}

TEST(match_features, follows_names_and_not_numbers) {
  auto data = small_dataset(1, true);
  hg::partition_config config;
  config.schema.add_node_type("item");
  config.schema.add_node_type("user");
  config.schema.add_edge_type({"user", "knows", "user"});
  config.schema.add_edge_type({"item", "bought_by", "user"});
  config.schema.add_edge_type({"user", "buys", "item"});
  const auto matched = hg::match_features(std::move(data.features), data.schema, config);
  EXPECT_EQ(matched.nodes[0].type, 1u);
  EXPECT_EQ(matched.nodes[1].type, 0u);
  EXPECT_EQ(matched.edges[0].type, 2u);
  hg::partition_config other;
  other.schema = hg::graph_schema::homogeneous();
  EXPECT_THROW(hg::match_features(matched, config.schema, other), hg::error);
}

}  // namespace
