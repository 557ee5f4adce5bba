// SPDX-License-Identifier: BSL-1.0
#include "support/npy.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"
#include "support/words.hpp"

#include <halograph/folder/load.hpp>
#include <halograph/folder/restore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;

hg::tensor read_npy_file(const std::string& path) {
  return hg::read_npy(hg::read_files{}(path), path);
}

void write_npy_file(const std::string& path, const hg::tensor& rows) {
  fs::create_directories(fs::path(path).parent_path());
  const auto layout = hg::npy_layout(path, rows.type(), rows.shape());
  auto sink = hg::file_sink::create(path, layout.bytes);
  hg::save(layout, sink, [&](const hg::section&) -> const hg::tensor& { return rows; });
  sink.close();
}

/// Take each part's own feature of the type as its result: <rows>/<type>/part<p>.npy.
void copy_feature(const hg::partition_config& config, const std::string& rows, hg::entity_type of,
                  const std::string& name) {
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const auto features = hg::load_partition_feats(config, p, hg::read_files{}, test_formats{});
    const auto& all = of.kind == hg::entity::node ? features.nodes : features.edges;
    const std::string type = hg::type_name(config.schema, of);
    const auto* column = hg::detail::find_column(all, type + "/" + name);
    ASSERT_NE(column, nullptr) << type;
    write_npy_file(rows + "/" + type + "/part" + std::to_string(p) + ".npy", *column);
  }
}

hg::restore_result restore(const hg::partition_config& config, hg::entity_type of,
                           const std::string& rows, const std::string& out) {
  return hg::restore_rows(
      config, of, [&](std::size_t p) { return hg::rows_file(rows, config.schema, of, p); }, out,
      test_access{});
}

/// Every type's feature, gathered from the parts, is the input's again.
void expect_round_trip(bool typed, hg::part_id parts, const hg::partition_options& options) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const temporary_folder place;
    const auto data = small_dataset(seed, typed);
    small_partition(data, place("out"), parts, seed + 100, options);
    const auto config = config_of(place("out"));
    for (std::size_t t = 0; t < data.features.nodes.size(); ++t) {
      const hg::entity_type of{hg::entity::node, static_cast<hg::type_id>(t)};
      copy_feature(config, place("rows"), of, "x");
      const auto made = restore(config, of, place("rows"), place("x.npy"));
      EXPECT_EQ(made.shape, (hg::tensor_shape{data.node_counts[t], 2}));
      EXPECT_EQ(made.type, hg::dtype::float32);
      EXPECT_EQ(made.bytes, fs::file_size(place("x.npy")));
      EXPECT_EQ(read_npy_file(place("x.npy")), data.features.nodes[t].rows.chunks()[0]);
    }
    for (std::size_t r = 0; r < data.features.edges.size(); ++r) {
      const hg::entity_type of{hg::entity::edge, static_cast<hg::type_id>(r)};
      copy_feature(config, place("rows"), of, "w");
      restore(config, of, place("rows"), place("w.npy"));
      EXPECT_EQ(read_npy_file(place("w.npy")), data.features.edges[r].rows.chunks()[0]);
    }
  }
}

TEST(restore, rows_come_back_in_the_order_of_the_input_through_saved_files) {
  for (const bool typed : {false, true}) {
    hg::partition_options options;
    options.save_mapping = true;
    expect_round_trip(typed, 3, options);
  }
}

TEST(restore, rows_come_back_through_columns_in_the_part_graphs) {
  for (const bool typed : {false, true}) {
    hg::partition_options options;
    options.store_original_ids = true;
    expect_round_trip(typed, 4, options);
  }
}

TEST(restore, rows_come_back_where_nothing_was_renumbered) {
  for (const bool typed : {false, true}) {
    expect_round_trip(typed, 1, {});
    hg::partition_options options;
    options.reshuffle = false;
    expect_round_trip(typed, 3, options);
  }
}

TEST(restore, rows_of_nodes_come_back_by_the_compact_mapping_in_any_order_of_the_nodes) {
  for (const bool typed : {false, true}) {
    const auto data = small_dataset(3, typed, 400);
    const auto check = [&](hg::part_id parts, const auto& order) {
      SCOPED_TRACE(std::to_string(parts) + " parts, " + std::string(hg::name_of_order(order)));
      const temporary_folder place;
      const auto owner = drawn_owners(data.num_nodes(), parts, 9);
      hg::partition_graph(data, hg::given{.parts = parts, .owners = owner},
                          hg::dgl_folder{.path = place("out")},
                          hg::basic_partition_options<std::remove_cvref_t<decltype(order)>>{
                              .graph_name = "g", .order = order});
      const auto config = config_of(place("out"));
      for (std::size_t t = 0; t < data.features.nodes.size(); ++t) {
        const hg::entity_type of{hg::entity::node, static_cast<hg::type_id>(t)};
        copy_feature(config, place("rows"), of, "x");
        restore(config, of, place("rows"), place("x.npy"));
        EXPECT_EQ(read_npy_file(place("x.npy")), data.features.nodes[t].rows.chunks()[0]);
      }
      if (parts == 1) return;
      copy_feature(config, place("rows"), {hg::entity::edge, 0}, "w");
      try {
        restore(config, {hg::entity::edge, 0}, place("rows"), place("w.npy"));
        FAIL() << "the order of edges is not in the folder";
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.code(), hg::error_kind::not_found);
        EXPECT_NE(std::string(problem.what()).find("partition again with --save-mapping"),
                  std::string::npos)
            << problem.what();
      }
    };
    for (const hg::part_id parts : {1u, 3u, 300u}) {  // the parts of many fit no byte
      check(parts, hg::original_order{});
      check(parts, hg::descending_degree{});
      check(parts, hg::breadth_first{});
    }
  }
}

/// A folder of 3 parts, a result of int64 per user in <rows>, and the config.
class restore_refuses : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = small_dataset(7, true);
    hg::partition_options options;
    options.save_mapping = true;
    small_partition(data_, place_("out"), 3, 8, options);
    config_ = config_of(place_("out"));
    copy_feature(config_, place_("rows"), users_, "x");
  }
  std::string rows_of(std::size_t p) const {
    return place_("rows/user/part" + std::to_string(p) + ".npy");
  }
  void expect(hg::error_kind code, const std::string& words) {
    try {
      restore(config_, users_, place_("rows"), place_("x.npy"));
      FAIL() << "restored";
    } catch (const hg::error& problem) {
      EXPECT_EQ(hg::name(problem.code()), hg::name(code)) << problem.what();
      EXPECT_NE(std::string(problem.what()).find(words), std::string::npos) << problem.what();
    }
    EXPECT_FALSE(fs::exists(place_("x.npy")));
    for (const auto& one : fs::directory_iterator(place_()))
      EXPECT_EQ(one.path().string().find("halograph-tmp"), std::string::npos);
  }

  temporary_folder place_;
  hg::dataset<> data_;
  hg::partition_config config_;
  hg::entity_type users_{hg::entity::node, 0};
};

TEST_F(restore_refuses, a_missing_part) {
  fs::remove(rows_of(1));
  expect(hg::error_kind::not_found, "part1.npy: no such file; part 1 has");
}

TEST_F(restore_refuses, a_part_with_a_row_too_few) {
  const auto rows = read_npy_file(rows_of(2));
  const auto fewer = rows.rows() - 1;
  write_npy_file(rows_of(2),
                 hg::tensor(rows.type(), {fewer, 2},
                            rows.bytes().first(static_cast<std::size_t>(fewer) * 8), rows.owner()));
  expect(hg::error_kind::mismatch, "part2.npy: there are " + std::to_string(fewer) +
                                       " rows; part 2 has " + std::to_string(fewer + 1));
}

TEST_F(restore_refuses, a_row_moved_from_one_part_to_another) {
  const auto a = config_.node_map[0][0].size(), b = config_.node_map[0][1].size();
  write_npy_file(rows_of(0), hg::tensor::from(std::vector<float>(2 * (a - 1)), {a - 1, 2}));
  write_npy_file(rows_of(1), hg::tensor::from(std::vector<float>(2 * (b + 1)), {b + 1, 2}));
  expect(hg::error_kind::mismatch, "part0.npy: there are " + std::to_string(a - 1) + " rows");
}

TEST_F(restore_refuses, parts_of_different_shape_or_dtype) {
  const auto rows = config_.node_map[0][1].size();
  write_npy_file(rows_of(1), hg::tensor::from(std::vector<float>(3 * rows), {rows, 3}));
  expect(hg::error_kind::mismatch, "part1.npy: rows have dtype float32 and shape (3,)");
  write_npy_file(rows_of(1), hg::tensor::from(std::vector<double>(2 * rows), {rows, 2}));
  expect(hg::error_kind::mismatch, "part1.npy: rows have dtype float64");
}

TEST(load_owners, gives_the_parts_that_a_folder_was_made_of) {
  for (const bool typed : {false, true}) {
    const auto data = small_dataset(3, typed);
    std::vector<hg::partition_options> ways(4);
    ways[1].save_mapping = true;
    ways[2].store_original_ids = true;
    ways[3].reshuffle = false;
    for (const auto& options : ways) {
      const temporary_folder place;
      small_partition(data, place("out"), 3, 7, options);
      EXPECT_EQ(hg::load_owners(config_of(place("out")), hg::read_files{}, test_formats{}),
                drawn_owners(data.num_nodes(), 3, 7));
    }
  }
}

TEST_F(restore_refuses, owners_where_a_node_is_in_no_part) {
  const auto ids = hg::load_original_ids(config_, 0, users_, hg::read_files{}, test_formats{});
  const auto others = hg::load_original_ids(config_, 1, users_, hg::read_files{}, test_formats{});
  ASSERT_GE(ids.size(), 1u);
  ASSERT_GE(others.size(), 1u);
  auto bytes = content_of(place_("out/part0/orig_nids.dgl"));
  const std::string own(reinterpret_cast<const char*>(ids.data()), 8 * ids.size());
  const auto at = bytes.find(own);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 8, std::string(reinterpret_cast<const char*>(others.data()), 8));
  place_.write("out/part0/orig_nids.dgl", bytes);
  const auto refused = refusal_of(
      [&] { return hg::load_owners(config_, hg::read_files{}, test_formats{}); });
  EXPECT_EQ(refused.code(), hg::error_kind::malformed);
}

TEST_F(restore_refuses, a_mapping_that_names_a_node_twice) {
  const std::string path = place_("out/part0/orig_nids.dgl");
  auto bytes = content_of(path);
  auto ids = hg::load_original_ids(config_, 0, users_, hg::read_files{}, test_formats{});
  ASSERT_GE(ids.size(), 2u);
  const std::string first(reinterpret_cast<const char*>(&ids[0]), 8),
      second(reinterpret_cast<const char*>(&ids[1]), 8);
  const auto at = bytes.find(first + second);
  ASSERT_NE(at, std::string::npos);
  place_.write("out/part0/orig_nids.dgl", bytes.replace(at, 8, second));
  expect(hg::error_kind::malformed, "twice");
}

TEST_F(restore_refuses, a_mapping_beyond_the_type) {
  const auto ids = hg::load_original_ids(config_, 0, users_, hg::read_files{}, test_formats{});
  auto bytes = content_of(place_("out/part0/orig_nids.dgl"));
  const std::string first(reinterpret_cast<const char*>(ids.data()), 16);
  const auto at = bytes.find(first);
  ASSERT_NE(at, std::string::npos);
  for (const char* wrong : {"\x1e\0\0\0\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    place_.write("out/part0/orig_nids.dgl", bytes.replace(at, 8, std::string(wrong, 8)));
    expect(hg::error_kind::out_of_range, "orig_nids.dgl: original node IDs of type \"user\" have");
  }
}

TEST_F(restore_refuses, a_target_that_is_something_else) {
  place_.write("x.npy", "a letter to my mother");
  EXPECT_THROW(restore(config_, users_, place_("rows"), place_("x.npy")), hg::error);
  EXPECT_EQ(content_of(place_("x.npy")), "a letter to my mother");
}

TEST_F(restore_refuses, a_target_that_another_run_is_making) {
  {
    const auto other = hg::detail::lock_file(place_(".x.npy.halograph-tmp"));
    try {
      restore(config_, users_, place_("rows"), place_("x.npy"));
      ADD_FAILURE();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::busy);
    }
    EXPECT_TRUE(fs::exists(place_(".x.npy.halograph-tmp"))) << "it belongs to the other run";
    EXPECT_FALSE(fs::exists(place_("x.npy")));
  }
  restore(config_, users_, place_("rows"),
          place_("x.npy"));  // what a run that died left is taken over
  EXPECT_TRUE(fs::exists(place_("x.npy")));
  EXPECT_FALSE(fs::exists(place_(".x.npy.halograph-tmp")));
}

TEST(restore, memory_is_that_of_the_largest_part) {
  hg::partition_config config;
  config.schema.add_node_type("few");
  config.schema.add_node_type("many");
  config.num_parts = 2;
  config.node_map = {{{0, 10}, {1000, 1010}}, {{10, 1000}, {1010, 10010}}};
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  const auto ids = [&](std::vector<hg::entity_type> of) {
    return hg::original_ids_memory(config, of);
  };
  EXPECT_EQ(ids({}), 8 * mib);
  EXPECT_EQ(ids({{hg::entity::node, 0}}), 8 * mib + 24 * 10 + 20 / 4);
  EXPECT_EQ(ids({{hg::entity::node, 1}}), 8 * mib + 24 * 9000 + 9990 / 4);
  EXPECT_EQ(ids({{hg::entity::node, 0}, {hg::entity::node, 1}}), 8 * mib + 24 * 9010 + 10010 / 4);
  EXPECT_EQ(hg::restore_memory(config, {hg::entity::node, 1}), 10 * mib + 24 * 9000 + 9990 / 4);
}

TEST(restore, an_older_result_is_replaced_and_a_failure_leaves_it) {
  const temporary_folder place;
  const auto data = small_dataset(1, false);
  hg::partition_options options;
  options.save_mapping = true;
  small_partition(data, place("out"), 2, 1, options);
  const auto config = config_of(place("out"));
  copy_feature(config, place("rows"), {}, "x");
  restore(config, {}, place("rows"), place("x.npy"));
  const auto whole = content_of(place("x.npy"));
  fs::remove(place("rows/_N/part1.npy"));
  EXPECT_THROW(restore(config, {}, place("rows"), place("x.npy")), hg::error);
  EXPECT_EQ(content_of(place("x.npy")), whole);
  copy_feature(config, place("rows"), {}, "x");
  restore(config, {}, place("rows"), place("x.npy"));
  EXPECT_EQ(content_of(place("x.npy")), whole);
}

TEST(restore, without_a_mapping_the_error_names_the_flag_that_saves_one) {
  const temporary_folder place;
  small_partition(small_dataset(2, false), place("out"), 2, 1, {.compact_mapping = false});
  const auto config = config_of(place("out"));
  copy_feature(config, place("rows"), {}, "x");
  try {
    restore(config, {}, place("rows"), place("x.npy"));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::not_found);
    EXPECT_NE(std::string(problem.what()).find("partition again without --no-mapping"),
              std::string::npos)
        << problem.what();
  }
}

TEST(restore, rows_of_dropped_edges_cannot_be_restored) {
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  options.hops = 0;
  options.drop_cut_edges = true;
  small_partition(small_dataset(3, false), place("out"), 2, 1, options);
  const auto config = config_of(place("out"));
  copy_feature(config, place("rows"), {}, "x");
  EXPECT_NO_THROW(restore(config, {}, place("rows"), place("x.npy")));
  try {
    restore(config, {hg::entity::edge, 0}, place("rows"), place("w.npy"));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::infeasible);
  }
}

TEST(restore, a_part_without_rows_may_have_no_file_or_another_dtype) {
  const temporary_folder place;
  const auto data = small_dataset(4, false, 6, 5);
  const std::vector<hg::part_id> owner{0, 2, 0, 2, 2, 0};  // part 1 owns nothing
  hg::partition_options options;
  options.graph_name = "g";
  options.save_mapping = true;
  hg::partition_graph(data, hg::given{.parts = 3, .owners = owner},
                      hg::dgl_folder{.path = place("out")}, options);
  const auto config = config_of(place("out"));
  copy_feature(config, place("rows"), {}, "x");
  fs::remove(place("rows/_N/part1.npy"));
  restore(config, {}, place("rows"), place("x.npy"));
  EXPECT_EQ(read_npy_file(place("x.npy")), data.features.nodes[0].rows.chunks()[0]);
  write_npy_file(place("rows/_N/part1.npy"), hg::tensor::from(std::vector<double>{}, {0, 0}));
  restore(config, {}, place("rows"), place("x.npy"));
  EXPECT_EQ(read_npy_file(place("x.npy")), data.features.nodes[0].rows.chunks()[0]);
}

struct forwarding_sink {
  hg::memory_sink* to;
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    return to->write_at(offset, bytes);
  }
};

TEST(restore, mappings_in_any_order_are_followed) {
  const temporary_folder place;
  const auto rows = hg::tensor::from(std::vector<std::int32_t>{40, 10, 30, 0, 20});
  const std::vector<std::uint64_t> to{4, 1, 3, 0, 2};
  const auto layout = hg::npy_layout("x", rows.type(), {5});
  hg::memory_sink bytes_written;
  hg::any_sink sink = forwarding_sink{&bytes_written};
  ASSERT_EQ(
      hg::detail::scatter_rows(sink, layout.sections[0], std::span<const std::uint64_t>(to), rows),
      hg::status::ok);
  const auto bytes = bytes_written.bytes().subspan(
      static_cast<std::size_t>(layout.sections[0].offset));
  EXPECT_EQ(hg::tensor(rows.type(), {5}, bytes),
            hg::tensor::from(std::vector<std::int32_t>{0, 10, 20, 30, 40}));
}

TEST(find_type, names_nodes_edges_and_unique_relations) {
  const auto data = small_dataset(1, true);
  EXPECT_EQ(hg::find_type(data.schema, "item"), (hg::entity_type{hg::entity::node, 1}));
  EXPECT_EQ(hg::find_type(data.schema, "user:knows:user"), (hg::entity_type{hg::entity::edge, 2}));
  EXPECT_EQ(hg::find_type(data.schema, "buys"), (hg::entity_type{hg::entity::edge, 0}));
  try {
    hg::find_type(data.schema, "shop");
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.message(),
              "no node or edge type is called \"shop\"; known types are \"user\", \"item\", "
              "\"user:buys:item\", \"item:bought_by:user\", \"user:knows:user\"");
  }
}

}  // namespace
