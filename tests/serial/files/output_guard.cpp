// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/output_guard.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <filesystem>
#include <string>

namespace hg = halograph;

namespace {

TEST(reject_output_over_input, finds_what_a_result_would_replace_through_links_and_dots) {
  const hg::testing::temporary_folder folder;
  std::filesystem::create_directories(folder("out/deep"));
  std::filesystem::create_directory_symlink(folder("out/deep"), folder("link"));
  for (const char* inside :
       {"out", "out/", "out/.", "out/deep/nothing", "link", "link/file", "link/../deep"}) {
    EXPECT_TRUE(hg::is_inside(folder("out"), folder(inside))) << inside;
    EXPECT_THROW(hg::reject_output_over_input(folder("out"), folder(inside)), hg::error) << inside;
  }
  for (const char* outside : {"outer", "in", "link/../../in", "."}) {
    EXPECT_FALSE(hg::is_inside(folder("out"), folder(outside))) << outside;
    EXPECT_NO_THROW(hg::reject_output_over_input(folder("out"), folder(outside))) << outside;
  }
  EXPECT_FALSE(hg::is_inside("", folder("in")));
  EXPECT_FALSE(hg::is_inside(folder("out"), ""));
}

TEST(reject_output_over_input,
     a_place_that_cannot_be_looked_at_holds_nothing_but_what_its_name_says) {
  const hg::testing::temporary_folder folder;
  std::filesystem::create_directory_symlink(
      folder("loop"), folder("loop"));  // fails as a folder without permission does
  EXPECT_FALSE(hg::is_inside(folder("loop/out"), folder("in")));
  EXPECT_FALSE(hg::is_inside(folder("loop/out"), folder("loop/in")));
  EXPECT_TRUE(hg::is_inside(folder("loop/out"), folder("loop/in/../out/in")));
}

}  // namespace
