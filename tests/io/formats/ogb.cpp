// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/npy.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/ogb.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::edge_pairs;
using hg::testing::edges_of;
using hg::testing::feature_of;
using hg::testing::npy;
using hg::testing::rows_of;
using hg::testing::temporary_folder;

hg::streamed_graph stream(const std::string& path) {
  return hg::stream_ogb(path, hg::read_files{}, hg::nlohmann_codec{});
}

void expect_refused(const std::string& path, hg::error_kind code, const std::string& file,
                    std::string_view words) {
  try {
    const auto g = stream(path);
    for (std::size_t r = 0; r < g.edge_counts.size(); ++r)
      g.read_edges(static_cast<hg::type_id>(r), 0, g.edge_counts[r], [](auto, auto, auto) {});
    FAIL() << "no error with " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(problem.where().file, file) << problem.what();
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
  }
}

/// 3 papers with features, 4 authors that only edges know.
void write(const temporary_folder& place, const std::string& in) {
  place.write(in + "author___writes___paper/edge_index.npy",
              npy<std::int64_t>("<i8", "(2, 4)", {0, 3, 1, 1, 2, 0, 0, 1}));
  place.write(in + "author___writes___paper/edge_year.npy",
              npy<std::int32_t>("<i4", "(4,)", {10, 11, 12, 13}));
  place.write(in + "paper___cites___paper/edge_index.npy",
              npy<std::uint8_t>("|u1", "(2, 1)", {2, 0}));
  place.write(in + "paper/node_feat.npy", npy<std::uint16_t>("<f2", "(3, 2)", {0, 1, 2, 3, 4, 5}));
  place.write(in + "paper/node_label.npy", npy<float>("<f4", "(3,)", {1, 2, 3}));
  place.write(in + "paper/train_idx.npy", npy<std::int64_t>("<i8", "(2,)", {0, 2}));
  place.write(in + "paper/rank.npy", npy<std::int64_t>("<i8", "(3,)", {7, 8, 9}));
}

TEST(stream_ogb, arrays_are_edges_and_features_of_their_folders_types) {
  for (const std::string in : {"", "processed/"}) {
    const temporary_folder place;
    write(place, in);
    const auto g = stream(place());
    hg::validate(g);
    EXPECT_EQ(g.schema.node_types(), (std::vector<std::string>{"author", "paper"}));
    EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{4, 3}));
    EXPECT_EQ(edges_of(g, 0), (edge_pairs{{0, 2}, {3, 0}, {1, 0}, {1, 1}}));
    EXPECT_EQ(edges_of(g, 1), (edge_pairs{{2, 0}}));
    EXPECT_EQ(g.schema.edge_types()[0].str(), "author:writes:paper");
    const auto feat = rows_of(feature_of(g.node_features, 1, "feat"));
    EXPECT_EQ(feat.type(), hg::dtype::float16);
    EXPECT_EQ(feat.shape(), (hg::tensor_shape{3, 2}));
    EXPECT_EQ(rows_of(feature_of(g.node_features, 1, "label")).values<float>(),
              (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(rows_of(feature_of(g.node_features, 1, "rank")).values<std::int64_t>(),
              (std::vector<std::int64_t>{7, 8, 9}));
    EXPECT_EQ(rows_of(feature_of(g.edge_features, 0, "year")).values<std::int32_t>(),
              (std::vector<std::int32_t>{10, 11, 12, 13}));
    EXPECT_EQ(g.node_features.size(), 3u);
    ASSERT_EQ(g.notes.size(), 2u);
    EXPECT_NE(g.notes[0].find(
                  "\"author\" is not given, so it is the largest ID of its edges plus one, 4"),
              std::string::npos)
        << g.notes[0];
    EXPECT_NE(g.notes[1].find("train_idx.npy: an array of shape (2,)"), std::string::npos)
        << g.notes[1];
  }
}

TEST(stream_ogb, numbers_of_nodes_may_be_told) {
  const temporary_folder place;
  write(place, "");
  place.write("num_nodes.json", R"({"paper": 3, "author": 9, "field": 2})");
  const auto g = stream(place());
  EXPECT_EQ(g.schema.node_types(), (std::vector<std::string>{"paper", "author", "field"}));
  EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{3, 9, 2}));
  EXPECT_EQ(edges_of(g, 0).at(0), (std::pair<std::uint64_t, std::uint64_t>{0, 2}));
  place.write("num_nodes.json", R"({"paper": 4})");
  expect_refused(
      place(), hg::error_kind::mismatch, place("paper/node_feat.npy"),
      "(3, 2) is not a feature of 4 nodes; it needs one row each, as " + place("num_nodes.json"));
  place.write("num_nodes.json", R"({"author": 3})");
  expect_refused(place(), hg::error_kind::out_of_range,
                 place("author___writes___paper/edge_index.npy"),
                 "source [0, 1] is 3; it must be an integer from 0 to 2");
  place.write("num_nodes.json", R"({"author": -3})");
  expect_refused(place(), hg::error_kind::malformed, place("num_nodes.json"), "\"author\"");
}

TEST(stream_ogb, column_major_and_big_endian_arrays_are_read_too) {
  const temporary_folder place;
  std::string fortran = npy<std::int32_t>("<i4", "(2, 3)", {0, 1, 1, 2, 2, 0});
  fortran.replace(fortran.find("False"), 5, "True ");
  place.write("a___r___a/edge_index.npy", fortran);
  place.write("b___r___b/edge_index.npy",
              npy<std::uint16_t>(">u2", "(2, 2)", {0x0100, 0, 0, 0x0100}));
  const auto g = stream(place());
  EXPECT_EQ(edges_of(g, 0), (edge_pairs{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(edges_of(g, 1), (edge_pairs{{1, 0}, {0, 1}}));
}

TEST(stream_ogb, a_graph_without_types_lies_in_one_folder) {
  const temporary_folder place;
  place.write("g/edge_index.npy", npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 0}));
  place.write("g/node_feat.npy", npy<float>("<f4", "(2, 1)", {1, 2}));
  place.write("g/edge_feat.npy", npy<float>("<f4", "(2, 1)", {3, 4}));
  const auto g = stream(place("g"));
  EXPECT_EQ(g.name, "g");
  EXPECT_EQ(g.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(rows_of(feature_of(g.node_features, 0, "feat")).values<float>(),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(rows_of(feature_of(g.edge_features, 0, "feat")).values<float>(),
            (std::vector<float>{3, 4}));
}

TEST(stream_ogb, what_does_not_fit_is_refused_with_its_file) {
  const temporary_folder place;
  expect_refused(place(), hg::error_kind::not_found, place(), "edge_index.npy");
  const auto edges = place.write("a___r___a/edge_index.npy",
                                 npy<std::int64_t>("<i8", "(3, 2)", {0, 1, 1, 0, 0, 0}));
  expect_refused(place(), hg::error_kind::malformed, edges,
                 "(3, 2) and dtype int64 is not an edge index");
  place.write("a___r___a/edge_index.npy", npy<std::int64_t>("<i8", "(2, 1)", {0, -1}));
  expect_refused(place(), hg::error_kind::out_of_range, edges, "target [1, 0] is -1");
  place.write("a___r___a/edge_index.npy", npy<std::int64_t>("<i8", "(2, 1)", {0, 1}));
  const auto feature = place.write("a___r___a/edge_w.npy",
                                   npy<std::int64_t>("<i8", "(2,)", {0, 1}));
  expect_refused(place(), hg::error_kind::mismatch, feature, "not a feature of 1 edges");
  place.write("a___r/edge_index.npy", npy<std::int64_t>("<i8", "(2, 1)", {0, 1}));
  expect_refused(place(), hg::error_kind::malformed, place("a___r"), "source___relation___target");
}

}  // namespace
