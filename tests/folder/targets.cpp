// SPDX-License-Identifier: BSL-1.0
#include <halograph/folder/targets.hpp>

#include <gtest/gtest.h>

namespace hg = halograph;

namespace {

TEST(any_target, knows_the_folder_of_targets_that_name_one) {
  EXPECT_EQ(hg::any_target(hg::dgl_folder{.path = "some/where"}).path(), "some/where");
  EXPECT_EQ(hg::any_target(hg::dgl_folder{.path = "x"}).format().name(), "dgl");
}

}  // namespace
