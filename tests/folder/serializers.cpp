// SPDX-License-Identifier: BSL-1.0
// Formats of a user's own that do not write DGL's three files of a part: one file for everything,
// or none for edge features.
#include "support/memory_folder.hpp"
#include "support/one_file_format.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using formats = hg::format_set<hg::native_serializer, ht::one_file_format, ht::node_feature_format>;

template <class Format>
ht::memory_folder partitioned(const hg::dataset<>& data, hg::partition_options options = {}) {
  const auto owner = ht::drawn_owners(data.num_nodes(), 3, 4);
  options.graph_name = "g";
  ht::memory_target<Format> to;
  hg::partition_graph(data, hg::given{.parts = 3, .owners = owner}, to, options);
  return to.folder;
}

hg::partition_config config_of(const ht::memory_folder& folder) {
  return hg::read_config("g.json", folder, hg::nlohmann_codec{});
}

nlohmann::json keys_of_part(const ht::memory_folder& folder) {
  return nlohmann::json::parse(folder.text("g.json"))["part-0"];
}

template <class Call>
hg::error raised(const Call& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "nothing was raised");
}

bool same(const std::vector<hg::named_tensor>& one, const std::vector<hg::named_tensor>& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const auto& a, const auto& b) { return a.name == b.name && a.value == b.value; });
}

TEST(serializers, one_file_per_part_gives_back_every_feature_where_it_was) {
  const auto data = ht::small_dataset(3, true);
  const auto folder = partitioned<ht::one_file_format>(data, {.save_mapping = true});
  const auto apart = partitioned<hg::native_serializer>(data, {.save_mapping = true});
  const auto paths = keys_of_part(folder);
  for (const char* key : {"part_graph", "node_feats", "edge_feats", "orig_nids", "orig_eids"})
    EXPECT_EQ(paths[key], "part0/part.one") << key;
  const auto config = config_of(folder), wanted = config_of(apart);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto features = hg::load_partition_feats(config, p, folder, formats{}),
               want = hg::load_partition_feats(wanted, p, apart, formats{});
    ASSERT_EQ(features.nodes.size(), 2u);
    ASSERT_EQ(features.edges.size(), 3u);
    EXPECT_TRUE(same(features.nodes, want.nodes));
    EXPECT_TRUE(same(features.edges, want.edges));
    for (const auto kind : {hg::entity::node, hg::entity::edge}) {
      EXPECT_EQ(hg::load_original_ids(config, p, {kind, 1}, folder, formats{}),
                hg::load_original_ids(wanted, p, {kind, 1}, apart, formats{}));
    }
  }
  auto sealed = folder;
  sealed.seal();
  const auto found = hg::verify_partition(
      "g.json", data, hg::folder_access(sealed, hg::nlohmann_codec{}, formats{}));
  EXPECT_TRUE(found.findings.empty()) << found.findings.size() << ": "
                                      << (found.findings.empty() ? "" : found.findings[0].sentence);
}

TEST(serializers, a_changed_byte_of_one_file_is_found_once) {
  const auto data = ht::small_dataset(3, false);
  auto folder = partitioned<ht::one_file_format>(data, {.save_mapping = true});
  folder.seal();
  folder["part1/part.one"][127] = std::byte{7};  // neither of the offsets nor of any file
  const auto found = hg::verify_partition(
      "g.json", data, hg::folder_access(folder, hg::nlohmann_codec{}, formats{}));
  std::vector<std::string> told;
  for (const auto& one : found.findings) told.push_back(one.sentence);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("digest differs"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("byte 127 is 7; the format has 0 there"), std::string::npos) << told[1];
}

TEST(serializers, a_format_without_a_file_of_edge_features_is_loaded_without_any) {
  auto data = ht::small_dataset(3, true);
  const auto refused = raised([&] { partitioned<ht::node_feature_format>(data); });
  EXPECT_EQ(refused.code(), hg::error_kind::unsupported);
  EXPECT_NE(
      std::string(refused.what())
          .find("format \"nodes_only\" lays out no file for edge features, which the part has"),
      std::string::npos)
      << refused.what();
  data.features.edges.clear();
  const auto folder = partitioned<ht::node_feature_format>(data, {.save_mapping = true});
  EXPECT_FALSE(keys_of_part(folder).contains("edge_feats")) << keys_of_part(folder);
  const auto features = hg::load_partition_feats(config_of(folder), 0, folder, formats{});
  EXPECT_EQ(features.nodes.size(), 2u);
  EXPECT_TRUE(features.edges.empty());
  EXPECT_TRUE(hg::verify_partition("g.json", data,
                                   hg::folder_access(folder, hg::nlohmann_codec{}, formats{}))
                  .findings.empty());
}

TEST(serializers, features_that_share_a_file_need_a_reader_that_tells_them_apart) {
  const auto refused = raised(
      [] { partitioned<ht::one_file_format_without_columns>(ht::small_dataset(3, true)); });
  EXPECT_EQ(refused.code(), hg::error_kind::invalid_argument);
  EXPECT_NE(
      std::string(refused.what())
          .find(
              "keeps node features and edge features in one file, which its read_features(bytes, file) cannot tell apart"),
      std::string::npos)
      << refused.what();
}

TEST(serializers, features_cannot_be_attached_to_files_with_other_columns) {
  const ht::temporary_folder place;
  auto data = ht::small_dataset(5, false);
  const auto owner = ht::drawn_owners(data.num_nodes(), 2, 4);
  hg::partition_graph(data, hg::given{.parts = 2, .owners = owner},
                      hg::format_folder<ht::one_file_format>{place("out"), {}},
                      {.graph_name = "g", .save_mapping = true});
  const auto config = hg::read_config(place("out/g.json"), hg::read_files{}, hg::nlohmann_codec{});
  const auto before = ht::content_of(place("out/part0/part.one"));
  hg::feature_set more;
  more.nodes.push_back({0, "y", hg::tensor::from(std::vector<float>(30, 1.0f))});
  const auto attached = raised([&] {
    hg::attach_features(config, more,
                        hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats{}), {});
  });
  EXPECT_EQ(attached.code(), hg::error_kind::unsupported);
  EXPECT_NE(std::string(attached.what())
                .find("keeps node features of part 0 in a file with other columns"),
            std::string::npos)
      << attached.what();
  EXPECT_EQ(ht::content_of(place("out/part0/part.one")), before);
  const auto foreign = config.node_map[0][1].begin;  // a node of part 1, kept in part 0
  const auto cached = raised([&] {
    hg::attach_cache(config, {{0, static_cast<std::int64_t>(foreign)}},
                     hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats{}));
  });
  EXPECT_EQ(cached.code(), hg::error_kind::unsupported) << cached.what();
  EXPECT_TRUE(hg::load_cached_features(config, 0, hg::read_files{}, formats{}).empty());
}

}  // namespace
