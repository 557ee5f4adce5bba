// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/scratch_folder.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hg = halograph;
namespace fs = std::filesystem;

namespace {

TEST(scratch_folder, goes_with_the_object_and_what_is_in_it) {
  const hg::testing::temporary_folder place;
  {
    const hg::detail::scratch_folder one(place()), other(place());
    EXPECT_NE(one.path(), other.path());
    for (const auto& path : {one.path(), other.path()}) {
      EXPECT_EQ(fs::path(path).parent_path(), place());
      EXPECT_TRUE(fs::is_directory(path));
    }
    EXPECT_EQ(fs::status(one.path()).permissions(), fs::perms::owner_all);
    std::ofstream(one.path() + "/file") << "text";
    fs::create_directories(other.path() + "/folder/inside");
  }
  EXPECT_TRUE(fs::is_empty(place()));
}

TEST(scratch_folder, removes_what_a_killed_run_has_left) {
  const hg::testing::temporary_folder place;
  place.write(".halograph-scratch-1-0/user.keys", "x");
  place.write(".halograph-scratch-1-1/user.keys", "x");
  place.write(".halograph-scratch-1-2", "a file");
  place.write("other/.halograph-scratch-1-3/file", "elsewhere");
  fs::create_directory_symlink("other", place(".halograph-scratch-1-4"));
  const bool root = ::geteuid() == 0;
  if (root) {
    fs::create_directories(place(".halograph-scratch-1-5"));
    ASSERT_EQ(::chown(place(".halograph-scratch-1-5").c_str(), 12345, 12345), 0);
  }
  {
    const auto used = hg::detail::lock_folder(place(".halograph-scratch-1-1"));
    const hg::detail::scratch_folder made(place());
    EXPECT_FALSE(fs::exists(place(".halograph-scratch-1-0")));
    EXPECT_TRUE(fs::exists(place(".halograph-scratch-1-1/user.keys"))) << "a run uses it";
    EXPECT_TRUE(fs::exists(place(".halograph-scratch-1-2")));
    EXPECT_TRUE(fs::exists(place("other/.halograph-scratch-1-3/file")));
    EXPECT_TRUE(fs::is_symlink(place(".halograph-scratch-1-4")));
    EXPECT_EQ(fs::exists(place(".halograph-scratch-1-5")), root) << "another user's";
  }
  const hg::detail::scratch_folder next(place());
  EXPECT_FALSE(fs::exists(place(".halograph-scratch-1-1")));
}

TEST(scratch_folder, names_the_place_where_it_cannot_be_made) {
  const hg::testing::temporary_folder place;
  try {
    const hg::detail::scratch_folder made(place("none"));
    FAIL() << "there is no such folder";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::not_found);
    EXPECT_EQ(problem.where().file.rfind(place("none"), 0), 0u) << problem.what();
  }
}

}  // namespace
