// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/manifest.hpp>

#include <gtest/gtest.h>

namespace {

namespace hg = halograph;

TEST(Manifest, IsReadAsItWasPrinted) {
  hg::manifest made;
  made.command = "{\"seed\": 3}";
  made.files = {{0x123456789ABCDEF0ull, 7, "part1/b c"}, {1, 0, "part0/a"}};
  const auto text = hg::print(made);
  EXPECT_EQ(
      text,
      "halograph 0.1.0\n{\"seed\": 3}\n0000000000000001 0 part0/a\n123456789abcdef0 7 part1/b c\n");
  const auto again = hg::parse_manifest(text, "m");
  EXPECT_EQ(hg::print(again), text);
  for (const char* bad :
       {"", "x\n", "halograph 1\n", "halograph 1\n{}\n12 7 a\n", "halograph 1\n{}\n\n",
        "halograph 1\n{}\nx 7 a\n", "halograph 1\n{}\n00000000000000001 7 a\n",
        "halograph 1\n{}\n0000000000000001\n", "halograph 1\n{}\n0000000000000001-7 a\n",
        "halograph 1\n{}\n0000000000000001 7\n", "halograph 1\n{}\n0000000000000001 7-a\n",
        "halograph 1\n{}\n0000000000000001 18446744073709551616 a\n",
        "halograph 1\n{}\n0000000000000001 x a\n", "halograph 1\n{}\n0000000000000001 1 \n",
        "halograph 1\n{}\n0000000000000001 1 a", "halograph 1\n{}\n0000000000000001 1 ../a\n",
        "halograph 1\n{}\n0000000000000001 1 a\n0000000000000001 1 a\n",
        "halograph 1\n{}\n0000000000000001 1 b\n0000000000000001 1 a\n"}) {
    EXPECT_THROW(hg::parse_manifest(bad, "m"), hg::error) << bad;
  }
}

}  // namespace
