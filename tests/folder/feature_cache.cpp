// SPDX-License-Identifier: BSL-1.0
#include "support/npy.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/feature_cache.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;

std::string sentence_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const hg::error& problem) {
    return problem.what();
  }
  return "nothing";
}

/// Every third node that a part does not own.
hg::cache_plan some_of_others(const hg::partition_config& config) {
  hg::cache_plan plan;
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    for (std::uint64_t v = config.num_nodes; v-- > 0;) {
      bool own = false;
      for (const auto& type : config.node_map) own = own || (v >= type[p].begin && v < type[p].end);
      if (!own && v % 3 == 0)
        plan.push_back({static_cast<std::int64_t>(p), static_cast<std::int64_t>(v),
                        static_cast<std::int64_t>(v + 1)});
    }
  }
  return plan;
}

TEST(feature_cache, a_plan_is_read_as_it_was_written) {
  const temporary_folder place;
  small_partition(small_dataset(3, true), place("out"), 3, 4);
  const auto config = config_of(place("out"));
  const auto plan = some_of_others(config);
  hg::write_cache_plan(plan, place("plan.npy"));
  EXPECT_EQ(hg::read_cache_plan(place("plan.npy"), config, hg::read_files{}), plan);
  hg::write_cache_plan({}, place("plan.npy"));
  EXPECT_TRUE(hg::read_cache_plan(place("plan.npy"), config, hg::read_files{}).empty());
}

TEST(feature_cache, parts_keep_the_rows_that_the_plan_names_and_nothing_else_changes) {
  const temporary_folder place;
  small_partition(small_dataset(3, true), place("out"), 3, 4);
  const auto config = config_of(place("out"));
  auto plan = some_of_others(config);
  std::erase_if(plan, [](const auto& row) { return row.part == 1; });
  // What the rows must be, from the features of the parts themselves.
  std::map<std::int64_t, std::vector<float>> row_of;
  for (std::size_t p = 0; p < 3; ++p) {
    for (const auto& one :
         hg::load_partition_feats(config, p, hg::read_files{}, test_formats{}).nodes) {
      const auto type = *config.schema.node_type(one.name.substr(0, one.name.find('/')));
      const auto values = one.value.values<float>();
      for (std::size_t i = 0; i < one.value.rows(); ++i) {
        row_of[static_cast<std::int64_t>(config.node_map[type][p].begin + i)] = {values[2 * i],
                                                                                 values[2 * i + 1]};
      }
    }
  }
  const auto graph = content_of(place("out/part0/graph.dgl")),
             features = content_of(place("out/part0/node_feats.dgl"));
  const auto placed = hg::attach_cache(config, plan, test_access{});
  EXPECT_EQ(placed.rows, plan.size());
  EXPECT_EQ(placed.bytes, 8 * plan.size());
  EXPECT_FALSE(hg::foreign_entry(place("out")));
  EXPECT_EQ(content_of(place("out/part0/graph.dgl")), graph);
  EXPECT_EQ(content_of(place("out/part0/node_feats.dgl")), features);
  std::size_t found = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    const auto kept = hg::load_cached_features(config, p, hg::read_files{}, test_formats{});
    EXPECT_EQ(kept.empty(), p == 1);
    for (std::size_t i = 0; i + 1 < kept.size(); i += 2) {
      EXPECT_EQ(kept[i].name.substr(kept[i].name.size() - 4), "/_ID");
      const auto ids = kept[i].value.values<std::int64_t>();
      const auto values = kept[i + 1].value.values<float>();
      for (std::size_t k = 0; k < ids.size(); ++k) {
        EXPECT_EQ((std::vector<float>{values[2 * k], values[2 * k + 1]}), row_of.at(ids[k]));
        ++found;
      }
    }
  }
  EXPECT_EQ(found, plan.size());
  // A plan that names nothing takes away what was there.
  hg::attach_cache(config, {}, test_access{});
  EXPECT_TRUE(hg::load_cached_features(config, 0, hg::read_files{}, test_formats{}).empty());
  EXPECT_FALSE(std::filesystem::exists(place("out/part0/cached_feats.dgl")));
}

TEST(feature_cache, only_the_features_asked_for_are_kept) {
  const temporary_folder place;
  small_partition(small_dataset(3, true), place("out"), 2, 4);
  const auto config = config_of(place("out"));
  hg::cache_options options;
  options.features = {"user/x"};
  options.out = place("other");
  const auto placed = hg::attach_cache(config, some_of_others(config), test_access{}, options);
  EXPECT_LT(placed.bytes, 8 * placed.rows);
  EXPECT_TRUE(hg::load_cached_features(config, 0, hg::read_files{}, test_formats{}).empty());
  bool user = false, item = false;
  for (const auto& one :
       hg::load_cached_features(config_of(place("other")), 0, hg::read_files{}, test_formats{})) {
    user = user || one.name == "user/x";
    item = item || one.name == "item/x";
  }
  EXPECT_TRUE(user);
  EXPECT_FALSE(item);
  options.features = {"user/none"};
  EXPECT_NE(sentence_of([&] {
              hg::attach_cache(config, {}, test_access{}, options);
            }).find("no node feature \"user/none\""),
            std::string::npos);
}

TEST(feature_cache, plans_of_other_folders_are_refused) {
  const temporary_folder place;
  small_partition(small_dataset(3, false), place("out"), 2, 4);
  const auto config = config_of(place("out"));
  const auto own = static_cast<std::int64_t>(config.node_map[0][1].begin);
  const auto refused = [&](const hg::cache_plan& plan, const std::string& words) {
    hg::write_cache_plan(plan, place("plan.npy"));
    const auto said = sentence_of(
        [&] { hg::read_cache_plan(place("plan.npy"), config, hg::read_files{}); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  refused({{2, 0, 1}}, "row 0 names part 2; parts are 0 to 1");
  refused({{-1, 0, 1}}, "row 0 names part -1");
  refused({{0, own, 1}, {1, 30, 1}}, "row 1 names node 30; there are 30");
  refused({{1, own, 1}}, "which it owns; the plan must be made for this folder");
  refused({{0, own, 1}, {0, own, 1}}, "twice");
  std::ofstream(place("plan.npy"), std::ios::binary)
      << npy("<i8", "(2,)", std::vector<std::int64_t>{0, 1});
  EXPECT_NE(sentence_of([&] {
              hg::read_cache_plan(place("plan.npy"), config, hg::read_files{});
            }).find("rows of three int64"),
            std::string::npos);
}

}  // namespace
