// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/matrix_market.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::dataset<> read(const std::string& text) {
  const temporary_folder folder;
  const std::string path = folder.write("m.mtx", text);
  return hg::testing::read_as_streamed([&] { return hg::read_matrix_market(path); },
                                       [&](std::size_t piece) {
                                         return hg::stream_matrix_market(path, hg::read_files{}, {},
                                                                         piece);
                                       });
}
hg::error refusal(const std::string& text) {
  return refusal_of([&] { return read(text); });
}

TEST(read_matrix_market, reads_patterns) {
  const auto data = read(
      "%%MatrixMarket matrix coordinate pattern general\n% a comment\n\n3 3 2\n1 3\n3 2\n");
  EXPECT_EQ(data.name, "m");
  EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(data.node_counts, ids{3});
  EXPECT_EQ(data.edges[0].source, (ids{0, 2}));
  EXPECT_EQ(data.edges[0].target, (ids{2, 1}));
  EXPECT_TRUE(data.features.edges.empty());
}

TEST(read_matrix_market, reads_values_as_weights) {
  const auto integers = read(
      "%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 1\r\n2 1 -7\r\n");
  EXPECT_EQ(integers.edge_feature(0, "weight")->rows.chunks()[0].values<std::int64_t>(),
            std::vector<std::int64_t>{-7});
  const auto reals = read(
      "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 -7e-1\n1 1 3\n");
  EXPECT_EQ(reals.edge_feature(0, "weight")->rows.chunks()[0].values<double>(),
            (std::vector<double>{-0.7, 3}));
}

TEST(read_matrix_market, appends_the_mirror_images_of_symmetric_entries) {
  const auto data = read(
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n2 2\n3 1\n");
  EXPECT_EQ(data.edges[0].source, (ids{1, 1, 2, 0, 0}));
  EXPECT_EQ(data.edges[0].target, (ids{0, 1, 0, 1, 2}));
  const auto skew = read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4.5\n");
  EXPECT_EQ(skew.edge_feature(0, "weight")->rows.chunks()[0].values<double>(),
            (std::vector<double>{4.5, -4.5}));
  const auto least = read(
      "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n");
  EXPECT_EQ(least.num_edges(), 2u);
}

TEST(read_matrix_market, makes_two_node_types_of_a_matrix_that_is_not_square) {
  const auto data = read("%%MatrixMarket matrix coordinate pattern general\n2 4 2\n1 4\n2 1\n");
  EXPECT_EQ(data.node_counts, (ids{2, 4}));
  EXPECT_EQ(data.schema.edge_type_name(0).str(), "row:entry:column");
  EXPECT_EQ(data.edges[0].target, (ids{3, 0}));
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate pattern symmetric\n2 4 0\n").code(),
            hg::error_kind::mismatch);
}

TEST(stream_matrix_market, gives_what_is_read_in_pieces_of_any_size) {
  for (const char* const kind : {"pattern general", "integer general", "real symmetric",
                                 "integer skew-symmetric", "pattern symmetric"}) {
    const std::string words = kind;
    std::string text = "%%MatrixMarket matrix coordinate " + words + "\n% a comment\n40 40 300\n";
    std::uint64_t x = 1;
    for (int i = 0; i < 300; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      text += std::to_string(x % 40 + 1) + (i % 7 == 0 ? "\t" : " ") +
              std::to_string(x / 41 % 40 + 1);
      if (!words.starts_with("pattern")) text += " " + std::to_string(i * 7 - 900);
      if (words.starts_with("real")) text += ".25";
      text += i % 11 == 0 ? "\r\n" : i % 13 == 0 ? "\n\n% between\n" : "\n";
    }
    EXPECT_GE(read(text).num_edges(), 300u) << kind;
    EXPECT_EQ(refusal(text + "1 1\n").code(),
              words.starts_with("pattern") ? hg::error_kind::mismatch : hg::error_kind::malformed);
    EXPECT_EQ(refusal(text + "\xEF\xBB\xBF" + "1 1 1\n").code(), hg::error_kind::malformed);
    EXPECT_EQ(refusal(text + "1 41 1\n").code(), hg::error_kind::out_of_range);
  }
}

TEST(read_matrix_market, refuses_other_kinds) {
  for (const char* banner :
       {"array real general", "coordinate complex general", "coordinate complex hermitian",
        "coordinate real hermitian", "coordinate pattern"}) {
    const auto problem = refusal("%%MatrixMarket matrix " + std::string(banner) + "\n1 1 0\n");
    EXPECT_EQ(problem.code(), hg::error_kind::unsupported) << banner;
    EXPECT_EQ(problem.where().line, 1u);
  }
}

TEST(read_matrix_market, names_the_line_of_what_is_wrong) {
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n%\n";
  for (const auto& [text, code, line] :
       {std::tuple{"3 3\n", hg::error_kind::malformed, 3u},
        std::tuple{"3 3 x\n", hg::error_kind::malformed, 3u},
        std::tuple{"3 3 1 1\n", hg::error_kind::malformed, 3u},
        std::tuple{"3 3 99999999999999\n1 1 1\n", hg::error_kind::truncated, 3u},
        std::tuple{"3 3 2\n1 1 1\n2 4 1\n", hg::error_kind::out_of_range, 5u},
        std::tuple{"3 3 1\n1 1 1.5\n", hg::error_kind::malformed, 4u},
        std::tuple{"3 3 1\n1 1 1\n2 2 2\n", hg::error_kind::mismatch, 3u},
        std::tuple{"", hg::error_kind::truncated, 3u}}) {
    const auto problem = refusal(banner + text);
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(problem.where().line, line) << problem.what();
  }
  EXPECT_EQ(refusal("").code(), hg::error_kind::malformed);
}

TEST(read_matrix_market, refuses_more_than_ids_or_memory_hold) {
  const temporary_folder folder;
  const auto path = folder.write(
      "m.mtx", "%%MatrixMarket matrix coordinate pattern general\n5000000000 5000000000 1\n1 1\n");
  EXPECT_EQ(
      refusal_of([&] { return hg::read_matrix_market<std::uint32_t, std::uint32_t>(path); }).code(),
      hg::error_kind::overflow);
  EXPECT_EQ(refusal_of([&] { return hg::read_matrix_market(path, {}, {}, 8); }).code(),
            hg::error_kind::memory);
}

}  // namespace
