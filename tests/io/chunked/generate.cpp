// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/generate.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/serial/half.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::content_of;
using hg::testing::temporary_folder;

hg::dataset<> read(const std::string& folder) {
  return hg::read_chunked(folder, {}, hg::read_files{}, hg::nlohmann_codec{});
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t sum = 0;
  for (const auto& one : std::filesystem::recursive_directory_iterator(folder))
    sum += one.is_regular_file() ? one.file_size() : 0;
  return sum;
}

TEST(generate_chunked, what_is_read_back_is_what_the_generator_says) {
  const hg::generators::rmat g{.scale = 6, .edge_factor = 5, .seed = 9};
  for (const auto format : {hg::edge_file_format::csv, hg::edge_file_format::numpy}) {
    for (const std::uint64_t chunks : {1u, 3u, 400u}) {
      const temporary_folder place;
      hg::generate_chunked(hg::make_generated("g", g), place(),
                           {.chunks = chunks, .edges = format});
      const auto data = read(place());
      EXPECT_EQ(data.name, "g");
      EXPECT_EQ(data.node_counts, std::vector<std::uint64_t>{64});
      ASSERT_EQ(data.edges.at(0).source.size(), 320u);
      for (std::uint64_t e = 0; e < 320; ++e) {
        const hg::generators::ends one{data.edges[0].source[e], data.edges[0].target[e]};
        ASSERT_EQ(one, g.edge(e)) << e;
      }
    }
  }
}

TEST(generate_chunked, a_typed_graph_keeps_its_types_and_their_order) {
  const hg::generators::academic g({.papers = 40, .seed = 3});
  const temporary_folder place;
  hg::generate_chunked(hg::make_generated("a", g), place(), {.chunks = 2});
  const auto data = read(place());
  EXPECT_EQ(data.schema.node_types(), (std::vector<std::string>{"author", "paper", "institution"}));
  for (std::size_t r = 0; r < 3; ++r) {
    const auto relation = static_cast<hg::generators::academic::relation>(r);
    ASSERT_EQ(data.edges[r].source.size(), g.num_edges(relation));
    for (std::uint64_t e = 0; e < g.num_edges(relation); ++e) {
      EXPECT_EQ((hg::generators::ends{data.edges[r].source[e], data.edges[r].target[e]}),
                g.edge(relation, e));
    }
  }
}

TEST(generate_chunked, more_edges_than_a_block_are_written_block_by_block) {
  const hg::generators::path g{70'000};
  const temporary_folder place;
  hg::generate_chunked(hg::make_generated("p", g), place(), {.edges = hg::edge_file_format::numpy});
  const auto data = read(place());
  ASSERT_EQ(data.edges[0].source.size(), 69'999u);
  for (std::uint64_t e = 0; e < 69'999; ++e) {
    ASSERT_EQ(data.edges[0].source[e], e);
    ASSERT_EQ(data.edges[0].target[e], e + 1);
  }
}

TEST(generate_chunked, features_are_functions_of_seed_and_row_whatever_the_chunks) {
  const hg::generators::path g{10};
  std::vector<std::byte> first;
  for (const std::uint64_t chunks : {1u, 4u}) {
    const temporary_folder place;
    hg::generate_chunked(hg::make_generated("p", g), place(),
                         {.chunks = chunks, .feature_columns = 3, .seed = 5});
    const auto data = read(place());
    ASSERT_EQ(data.features.nodes.size(), 1u);
    const auto& rows = data.features.nodes[0].rows;
    EXPECT_EQ(data.features.nodes[0].name, "feat");
    EXPECT_EQ(rows.type(), hg::dtype::float32);
    std::vector<std::uint64_t> ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<std::byte> bytes(10 * 3 * 4);
    ASSERT_EQ(rows.gather(std::span<const std::uint64_t>(ids), std::span(bytes)), hg::status::ok);
    for (std::size_t i = 0; i < 30; ++i) {
      float value = -1;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      EXPECT_GE(value, 0.0f);
      EXPECT_LT(value, 1.0f);
    }
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(generate_chunked, the_same_graph_is_the_same_bytes) {
  const temporary_folder a, b;
  for (const auto* place : {&a, &b}) {
    hg::generate_chunked(
        hg::make_generated("a", hg::generators::academic({.papers = 50, .seed = 1})), (*place)(),
        {.chunks = 2, .feature_columns = 2});
  }
  for (const auto& one : std::filesystem::recursive_directory_iterator(a())) {
    if (!one.is_regular_file()) continue;
    const auto name = one.path().lexically_relative(a()).string();
    EXPECT_EQ(content_of(a(name)), content_of(b(name))) << name;
  }
}

TEST(generate_chunked, the_disk_need_is_a_bound_and_not_a_wild_one) {
  for (const auto format : {hg::edge_file_format::csv, hg::edge_file_format::numpy}) {
    const auto graph = hg::make_generated("g",
                                          hg::generators::rmat{.scale = 10, .edge_factor = 40});
    const hg::generate_options options{.chunks = 3, .edges = format, .feature_columns = 7};
    const temporary_folder place;
    hg::generate_chunked(graph, place(), options);
    const auto need = hg::generated_bytes(graph, options), written = bytes_in(place());
    EXPECT_LE(written, need);
    EXPECT_LE(need, 2 * written);
  }
}

TEST(generate_chunked, mag_has_its_schema_and_the_columns_of_papers) {
  const hg::generators::mag g({.numerator = 1, .denominator = 100'000, .seed = 4});
  std::vector<std::byte> bytes[2];
  for (const std::uint64_t chunks : {1u, 3u}) {
    const temporary_folder place;
    const auto stream = hg::stream_generated("mag", g, 7, 4);
    const hg::write_chunked_options how{.chunks = chunks, .edges = hg::chunk_format::numpy};
    hg::write_chunked(stream, place(), how);
    EXPECT_LE(bytes_in(place()), hg::chunked_bytes(stream, how));
    const auto data = read(place());
    EXPECT_EQ(data.schema.node_types(),
              (std::vector<std::string>{"paper", "author", "institution"}));
    EXPECT_EQ(data.schema.edge_types()[2].str(), "paper:cites:paper");
    for (const auto r : {hg::generators::mag::affiliated_with, hg::generators::mag::writes,
                         hg::generators::mag::cites}) {
      ASSERT_EQ(data.edges[r].source.size(), g.num_edges(r));
      for (std::uint64_t e = 0; e < g.num_edges(r); e += 101) {
        ASSERT_EQ((hg::generators::ends{data.edges[r].source[e], data.edges[r].target[e]}),
                  g.edge(r, e));
      }
    }
    ASSERT_NE(data.node_feature(0, "feat"), nullptr);
    const auto& feat = data.node_feature(0, "feat")->rows;
    EXPECT_EQ(feat.type(), hg::dtype::float16);
    EXPECT_EQ(feat.row_bytes(), 14u);
    std::vector<std::uint64_t> ids(g.num_nodes(hg::generators::mag::paper));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    bytes[chunks == 3].resize(ids.size() * 14);
    ASSERT_EQ(feat.gather(std::span<const std::uint64_t>(ids), std::span(bytes[chunks == 3])),
              hg::status::ok);
    std::int16_t year[2];
    const std::vector<std::uint64_t> ends{0, ids.size() - 1};
    ASSERT_EQ(data.node_feature(0, "year")->rows.gather(std::span<const std::uint64_t>(ends),
                                                        std::as_writable_bytes(std::span(year))),
              hg::status::ok);
    EXPECT_GE(year[0], 1880);
    EXPECT_LT(year[0], year[1]);
    EXPECT_LE(year[1], 2021);
    std::vector<float> label(ids.size());
    ASSERT_EQ(data.node_feature(0, "label")
                  ->rows.gather(std::span<const std::uint64_t>(ids),
                                std::as_writable_bytes(std::span(label))),
              hg::status::ok);
    const auto known = std::count_if(label.begin(), label.end(),
                                     [](float one) { return one >= 0 && one < 153; });
    EXPECT_GT(known, 0);
    EXPECT_LT(known, 50);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  for (std::size_t i = 0; i < bytes[0].size(); i += 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes[0].data() + i, 2);
    const float value = hg::float_from_half(half);
    ASSERT_GE(value, -1.0f);
    ASSERT_LT(value, 1.0f);
  }
}

/// Runs pieces backwards, two at a time.
struct backwards {
  static constexpr std::size_t concurrency() noexcept { return 2; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    for (; last > first + 1; last -= 2) body(last - 2, last);
    if (last > first) body(first, last);
  }
};

TEST(generate_chunked, the_workers_do_not_change_the_bytes) {
  const hg::generators::mag g({.numerator = 1, .denominator = 30'000, .seed = 4});
  const temporary_folder a, b;
  hg::write_chunked(hg::stream_generated("mag", g, 3, 4), a());
  hg::write_chunked(hg::stream_generated("mag", g, 3, 4, backwards{}), b());
  for (const auto* const name :
       {"edge_index/author:writes:paper0.txt", "edge_index/paper:cites:paper0.txt",
        "node_data/paper/feat-0.npy"}) {
    EXPECT_EQ(content_of(a(name)), content_of(b(name))) << name;
  }
}

TEST(generate_chunked, a_graph_beyond_all_numbers_saturates_or_is_refused) {
  const hg::generators::rmat g{.scale = 61, .edge_factor = 2};
  EXPECT_EQ(hg::generated_bytes(hg::make_generated("g", g), {.edges = hg::edge_file_format::numpy}),
            ~std::uint64_t{0});
  EXPECT_THROW(hg::make_generated("g", hg::generators::rmat{.scale = 62, .edge_factor = 16}),
               hg::error);
}

TEST(random_rows, rows_beyond_the_end_and_too_little_memory_are_refused) {
  const hg::random_rows rows(3, 2, 0);
  const std::vector<std::uint64_t> ids{2, 3};
  std::vector<std::byte> out(16);
  EXPECT_EQ(rows.gather(std::span<const std::uint64_t>(ids), std::span(out)),
            hg::status::out_of_range);
  out.resize(15);
  EXPECT_EQ(rows.gather(std::span<const std::uint64_t>(ids), std::span(out)), hg::status::capacity);
}

}  // namespace
