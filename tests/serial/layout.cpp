// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/layout.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::text_of;

namespace {

static_assert(hg::sparse_formats::parse("csc,coo")->bits == 5);
static_assert(!hg::sparse_formats::parse(""));
static_assert(!hg::sparse_formats::parse("coo,"));
static_assert(!hg::sparse_formats::parse("coo csr"));

hg::section section_of(hg::dtype type, hg::tensor_shape shape, std::uint64_t offset = 0) {
  return {hg::column::node_id, 0, offset, type, std::move(shape)};
}

TEST(sparse_formats, are_parsed_from_words_separated_by_commas) {
  EXPECT_EQ(hg::sparse_formats::parse("csr,csc")->str(), "csr,csc");
  for (const char* text : {"", ",", "coo,", ",coo", "coo csr", "coo;csr", "CSR", "csx"})
    EXPECT_FALSE(hg::sparse_formats::parse(text)) << text;
}

TEST(sparse_formats, print_in_the_order_of_the_file) {
  EXPECT_EQ(hg::sparse_formats::parse("csc,coo,csr")->str(), "coo,csr,csc");
  EXPECT_EQ(hg::sparse_formats{}.str(), "coo");
  EXPECT_EQ(hg::sparse_formats::none().str(), "");
  EXPECT_TRUE(hg::sparse_formats::none().with(hg::sparse_format::csr).has(hg::sparse_format::csr));
}

TEST(layout_builder, joins_neighboring_literals_and_leaves_gaps) {
  hg::layout_builder builder("f");
  builder.text("ab").number(std::uint16_t{0x0403}).zeros(3).text("z").align(4);
  builder.array(hg::column::edge_id, 2, hg::dtype::int32, {2, 3}).text("end");
  EXPECT_EQ(builder.position(), 8u + 24u + 3u);
  const hg::file_layout layout = std::move(builder).finish();
  ASSERT_EQ(layout.literals.size(), 3u);
  EXPECT_EQ(text_of(layout.literals[0].bytes), "ab\x03\x04");
  EXPECT_EQ(layout.literals[1].offset, 7u);
  EXPECT_EQ(layout.literals[2].offset, 32u);
  ASSERT_EQ(layout.sections.size(), 1u);
  EXPECT_EQ(layout.sections[0].offset, 8u);
  EXPECT_EQ(layout.sections[0].bytes(), 24u);
  EXPECT_EQ(hg::check_layout(layout), hg::status::ok);
}

TEST(layout_builder, refuses_sizes_that_no_file_has) {
  hg::layout_builder builder("f");
  EXPECT_THROW(builder.array(hg::column::edge_id, 0, hg::dtype::int64, {1ull << 60, 1}), hg::error);
  EXPECT_THROW(builder.array(hg::column::edge_id, 0, hg::dtype::int64, {1ull << 62, 4, 0}),
               hg::error);
  builder.zeros((1ull << 63) - 1);
  EXPECT_THROW(builder.zeros(1), hg::error);
}

TEST(check_layout, finds_what_overlaps_or_reaches_beyond_the_file) {
  hg::file_layout layout{
      "f", 32, {{0, std::vector<std::byte>(8)}}, {section_of(hg::dtype::int64, {3}, 8)}};
  EXPECT_EQ(hg::check_layout(layout), hg::status::ok);
  layout.sections[0].offset = 7;
  EXPECT_EQ(hg::check_layout(layout), hg::status::mismatch);
  layout.sections[0].offset = 9;
  EXPECT_EQ(hg::check_layout(layout), hg::status::out_of_range);
  layout.sections[0].offset = 33;
  EXPECT_EQ(hg::check_layout(layout), hg::status::out_of_range);
  EXPECT_EQ(hg::check_layout(layout).position, 33u);
}

}  // namespace
