// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/serial/text/writer.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace {

namespace hg = halograph;
using namespace hg::testing;

TEST(text_writer, numbers_are_their_shortest_text) {
  const temporary_folder place;
  hg::text_writer out(place("x"));
  out.number(std::int8_t{-5})
      .put(' ')
      .number(std::uint8_t{200})
      .put(' ')
      .number(std::numeric_limits<std::uint64_t>::max());
  out.put('\n').number(0.1f).put(' ').number(0.1).put(' ').number(-0.0).put(' ').number(
      std::numeric_limits<double>::max());
  EXPECT_EQ(out.size(), 62u);
  out.close();
  EXPECT_EQ(content_of(place("x")),
            "-5 200 18446744073709551615\n0.1 0.1 -0 1.7976931348623157e+308");
}

TEST(text_writer, text_of_any_length_goes_through_the_buffer_in_order) {
  const temporary_folder place;
  const std::string longer_than_the_buffer(3'000'000, 'y');
  std::string wanted;
  hg::text_writer out(place("x"));
  const std::string word(90, 'x');
  for (int i = 0; i < 25'000; ++i) {
    out.text(word).number(i).put('\n');
    wanted += word + std::to_string(i) + "\n";
    if (i == 10'000) {
      out.text(longer_than_the_buffer);
      wanted += longer_than_the_buffer;
    }
  }
  out.close();
  EXPECT_EQ(out.size(), wanted.size());
  EXPECT_EQ(content_of(place("x")), wanted);
}

TEST(text_writer, what_the_system_refuses_is_an_error) {
  const temporary_folder place;
  try {
    hg::text_writer out(place("no/such/folder"));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::not_found);
  }
  hg::text_writer full("/dev/full");
  full.put('x');
  try {
    full.close();
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::io);
    EXPECT_EQ(problem.where().file, "/dev/full");
  }
}

}  // namespace
