// SPDX-License-Identifier: BSL-1.0
#include "support/count_allocations.hpp"
#include "support/sure_rank.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/core/error.hpp>
#include <halograph/serial/files/folder_entries.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace ht = halograph::testing;

namespace {

using ht::temporary_folder;
const std::string long_name(60, 'x');  // not within a string's own bytes

void make_tree(const std::string& root) {
  std::filesystem::create_directories(root + "/b/" + long_name);
  std::ofstream(root + "/b/" + long_name + "/inner") << "1";
  std::ofstream(root + "/" + long_name) << "2";
  std::ofstream(root + "/.hidden") << "3";
}

TEST(names_in, are_sorted_and_hold_all_entries_but_dots) {
  const temporary_folder folder;
  make_tree(folder("tree"));
  EXPECT_EQ(hg::detail::names_in(folder("tree")),
            (std::vector<std::string>{".hidden", "b", long_name}));
  EXPECT_THROW(hg::detail::names_in(folder("none")), hg::error);
  EXPECT_THROW(hg::detail::names_in(folder("tree") + "/.hidden"), hg::error);
}

TEST(entry_at, is_what_a_path_leads_to) {
  using hg::detail::entry_at, hg::detail::entry_kind;
  const temporary_folder folder;
  make_tree(folder("tree"));
  const auto link = [&](const char* name, const std::string& to) {
    std::filesystem::create_symlink(to, folder(name));
    return folder(name);
  };
  EXPECT_EQ(entry_at(folder("tree")), entry_kind::folder);
  EXPECT_EQ(entry_at(folder("tree/.hidden")), entry_kind::file);
  EXPECT_EQ(entry_at("/dev/null"), entry_kind::other);
  EXPECT_EQ(entry_at(link("to_folder", folder("tree"))), entry_kind::folder);
  EXPECT_EQ(entry_at(folder("to_folder"), false), entry_kind::other);
  for (const auto& nothing :
       {folder("none"), folder("tree/.hidden/none"), folder(std::string(300, 'x').c_str()),
        link("broken", "none"), link("circle", "circle"), std::string()}) {
    EXPECT_EQ(entry_at(nothing), std::nullopt) << nothing;
    EXPECT_FALSE(hg::detail::is_there(nothing));
  }
  EXPECT_EQ(entry_at(folder("broken"), false), entry_kind::other);
}

TEST(for_each_entry, visits_folders_before_what_is_in_them_and_follows_no_links) {
  const temporary_folder folder;
  make_tree(folder("tree"));
  std::filesystem::create_directory_symlink(folder("tree"), folder("tree") + "/b/again");
  std::vector<std::string> seen;
  hg::detail::for_each_entry(folder("tree"), [&](std::string name, hg::detail::entry_kind kind) {
    seen.push_back(std::move(name));
    EXPECT_EQ(kind == hg::detail::entry_kind::other, seen.back() == "b/again");
    return true;
  });
  EXPECT_EQ(seen, (std::vector<std::string>{".hidden", "b", "b/again", "b/" + long_name,
                                            "b/" + long_name + "/inner", long_name}));
  seen.clear();
  hg::detail::for_each_entry(folder("tree"), [&](std::string name, hg::detail::entry_kind) {
    seen.push_back(std::move(name));
    return false;
  });
  EXPECT_EQ(seen, (std::vector<std::string>{".hidden", "b", long_name}));
}

TEST(remove_tree, removes_links_and_not_what_they_lead_to) {
  const temporary_folder folder;
  make_tree(folder("tree"));
  make_tree(folder("other"));
  std::filesystem::create_directory_symlink(folder("other"), folder("tree") + "/b/link");
  EXPECT_EQ(0, hg::detail::remove_tree(folder("tree")));
  EXPECT_FALSE(std::filesystem::exists(folder("tree")));
  EXPECT_TRUE(std::filesystem::exists(folder("other") + "/" + long_name));
  EXPECT_EQ(0, hg::detail::remove_tree(folder("tree"))) << "nothing there is success";
  EXPECT_EQ(0, hg::detail::remove_tree(folder("other") + "/" + long_name)) << "a file";
  EXPECT_FALSE(std::filesystem::exists(folder("other") + "/" + long_name));
  EXPECT_EQ(hg::detail::remove_tree("/proc/self/status"), EPERM);
}

/// Changes the effective user, if the process may.
class as_user {
 public:
  explicit as_user(uid_t user) : before_(::geteuid()), works_(::seteuid(user) == 0) {}
  as_user(const as_user&) = delete;
  as_user& operator=(const as_user&) = delete;
  ~as_user() { EXPECT_EQ(::seteuid(before_), 0); }
  explicit operator bool() const { return works_; }

 private:
  uid_t before_;
  bool works_;
};

TEST(may_remove, asks_for_owners_only_in_sticky_folders) {
  struct stat folder{}, entry{};
  folder.st_uid = entry.st_uid = 5;
  folder.st_mode = S_IFDIR | S_ISVTX | 0777;
  if (::geteuid() == 0) {
    EXPECT_TRUE(hg::detail::may_remove(folder, entry));
  }
  const as_user nobody(1234);
  if (!nobody) GTEST_SKIP() << "needs root, to work as another user";
  EXPECT_FALSE(hg::detail::may_remove(folder, entry));
  entry.st_uid = 1234;
  EXPECT_TRUE(hg::detail::may_remove(folder, entry));
  std::swap(folder.st_uid, entry.st_uid);
  EXPECT_TRUE(hg::detail::may_remove(folder, entry));
  folder.st_uid = 5;
  folder.st_mode = S_IFDIR | 0777;
  EXPECT_TRUE(hg::detail::may_remove(folder, entry));
}

TEST(irremovable_entry, belongs_to_another_user_or_its_folder_may_not_be_read) {
  const temporary_folder folder;
  make_tree(folder("tree"));
  EXPECT_EQ(hg::detail::irremovable_entry(folder("tree")), std::nullopt);
  ASSERT_EQ(::chmod(folder().c_str(), 0755), 0);
  for (const auto& one : std::filesystem::recursive_directory_iterator(folder("tree"))) {
    if (one.is_directory() && !one.is_symlink())
      std::filesystem::permissions(one, std::filesystem::perms::all);
  }
  std::filesystem::permissions(folder("tree"), std::filesystem::perms::all);
  const auto found_by_another = [&]() -> std::optional<std::optional<std::string>> {
    const as_user nobody(1234);
    if (!nobody) return std::nullopt;
    return hg::detail::irremovable_entry(folder("tree"));
  };
  const auto open = found_by_another();
  if (!open) GTEST_SKIP() << "needs root, to work as another user";
  EXPECT_EQ(*open, std::nullopt);
  ASSERT_EQ(::chmod((folder("tree") + "/b").c_str(), 01777), 0);
  ASSERT_TRUE(*found_by_another());
  EXPECT_TRUE((*found_by_another())->starts_with("b/")) << **found_by_another();
  ASSERT_EQ(::chmod((folder("tree") + "/b").c_str(), 0755), 0);
  EXPECT_EQ(*found_by_another(), "b");
}

// std::filesystem's iterators and remove_all end the program here (libstdc++ 12).
TEST(folder_entries, throw_wherever_memory_ends) {
  const temporary_folder folder;
  const std::string root = folder("tree");
  std::size_t thrown = 0;
  bool ended = false;
  for (std::size_t left = 1; !ended; ++left) {
    ASSERT_LT(left, 1000u);
    make_tree(root);
    ht::allocations_left = left;
    try {
      hg::detail::for_each_entry(root, [](const std::string&, auto) { return true; });
      ended = std::exchange(ht::allocations_left, 0) != 0;
    } catch (const std::bad_alloc&) {
      ht::allocations_left = 0;
      ++thrown;
    }
    ht::allocations_left = 1;
    EXPECT_EQ(0, hg::detail::remove_tree(root));
    ht::allocations_left = 0;
  }
  EXPECT_GT(thrown, 8u);
}

}  // namespace
