// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/core/error.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace hg = halograph;

void put(hg::staged_folder& out, const std::string& name, std::string_view text) {
  auto sink = out.create(name, text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
  sink.close();
}

std::string get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_result(const std::string& target, std::string_view text) {
  hg::staged_folder out(target);
  put(out, "part0/graph.dgl", text);
  put(out, "g.json", "{}");
  out.commit();
}

std::optional<hg::error_kind> refusal(const std::string& target) {
  try {
    hg::staged_folder out(target);
  } catch (const hg::error& problem) {
    EXPECT_NE(std::string(problem.what()), "");
    return problem.code();
  }
  return std::nullopt;
}

/// Names beside the target, hidden ones too.
std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(StagedSink, DigestsOnItsWayWhatIsWrittenFrontToBack) {
  hg::testing::temporary_folder at;
  const std::string first(100'000, 'a'), second(50'001, 'b');
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  const auto write = [&](const std::string& name, bool in_order, bool synced, bool spoil,
                         bool grows = false) {
    hg::staged_folder out(at(name));
    auto sink = out.create("f", grows ? hg::file_sink::grows : first.size() + second.size());
    if (in_order) sink.require(sink.write_at(0, bytes(first)));
    sink.require(sink.write_at(first.size(), bytes(second)));
    if (!in_order) sink.require(sink.write_at(0, bytes(first)));
    if (synced) sink.sync();
    sink.close();
    // What commit() need not read again may be spoilt behind its back: the digest tells whether it
    // did.
    if (spoil) std::ofstream(out.path() + "/f", std::ios::binary) << "x";
    out.commit();
    return hg::read_manifest(at(name))->files.at(0);
  };
  const std::string whole = first + second;
  const hg::manifest_entry want{hg::digest_of(std::as_bytes(std::span(whole))), whole.size(), "f"};
  EXPECT_EQ(write("plain", true, true, false), want);
  EXPECT_EQ(write("not_read_again", true, true, true), want);
  EXPECT_EQ(write("backwards", false, true, false), want);
  EXPECT_EQ(write("backwards_is_read", false, true, true).bytes, 1u);
  EXPECT_EQ(write("unsynced", true, false, true), want);
  EXPECT_EQ(write("growing", true, false, true, true), want);
  EXPECT_EQ(write("growing_backwards", false, false, false, true), want);
}

TEST(StagedFolder, AppearsWholeAtCommit) {
  hg::testing::temporary_folder at;
  const auto target = at("deep/er/out");
  {
    hg::staged_folder out(target);
    put(out, "part0/graph.dgl", "bytes");
    EXPECT_FALSE(fs::exists(target));
    out.commit(hg::json::one_line(hg::json::object{{"parts", 1}}));
  }
  EXPECT_EQ(get(target + "/part0/graph.dgl"), "bytes");
  EXPECT_EQ(entries(at("deep/er")), 1u) << "no staging folder is left";
  const auto made = hg::read_manifest(target);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->command, "{\"parts\": 1}");
  ASSERT_EQ(made->files.size(), 1u);
  EXPECT_EQ(made->files[0], hg::digest_file(target + "/part0/graph.dgl", "part0/graph.dgl"));
}

TEST(StagedFolder, WithoutCommitNothingIsLeft) {
  hg::testing::temporary_folder at;
  {
    hg::staged_folder out(at("out"));
    put(out, "a", "x");
  }
  EXPECT_EQ(entries(at()), 0u);
}

TEST(StagedFolder, ReplacesAResultOfOursAndNothingElse) {
  hg::testing::temporary_folder at;
  write_result(at("out"), "old");
  write_result(at("out/"), "new");
  EXPECT_EQ(get(at("out/part0/graph.dgl")), "new");
  EXPECT_EQ(entries(at()), 1u);

  at.write("out/part0/notes.txt", "mine");
  EXPECT_EQ(refusal(at("out")), hg::error_kind::exists);
  EXPECT_EQ(get(at("out/part0/notes.txt")), "mine");
  fs::remove(at("out/part0/notes.txt"));
  EXPECT_EQ(refusal(at("out")), std::nullopt);

  at.write("foreign/a.txt", "mine");
  EXPECT_EQ(refusal(at("foreign")), hg::error_kind::exists);
  at.write("file", "mine");
  EXPECT_EQ(refusal(at("file")), hg::error_kind::exists);
  fs::create_directory_symlink(at("out"), at("link"));
  EXPECT_EQ(refusal(at("link")), hg::error_kind::exists);
  fs::create_directory(at("empty"));
  EXPECT_EQ(refusal(at("empty")), std::nullopt);
  at.write("broken/.halograph-manifest", "not a manifest");
  EXPECT_EQ(refusal(at("broken")), hg::error_kind::exists);
  for (const char* target : {"/", ".", "..", ""})
    EXPECT_EQ(refusal(target), hg::error_kind::invalid_argument) << target;
}

TEST(StagedFolder, NamesCannotLeaveIt) {
  hg::testing::temporary_folder at;
  hg::staged_folder out(at("out"));
  for (const char* name : {"../x", "/x", "a/../b", "", "a//b", "a/", ".", "a\nb"})
    EXPECT_THROW(out.create(name, 1), hg::error) << name;
  put(out, "a", "x");
  EXPECT_THROW(out.create("a", 1), hg::error);
  EXPECT_THROW(out.create(std::string(hg::manifest_name), 1), hg::error);
}

TEST(StagedFolder, ASecondRunIntoTheSameTargetIsRefused) {
  hg::testing::temporary_folder at;
  write_result(at("out"), "old");
  hg::staged_folder first(at("out"));
  EXPECT_EQ(refusal(at("out")), hg::error_kind::busy);
  EXPECT_EQ(refusal(at("other")), std::nullopt);
  put(first, "a", "x");
  first.commit();
  EXPECT_EQ(refusal(at("out")), std::nullopt);
}

TEST(StagedFolder, AssignedItHasTheTargetOfTheOtherAndNoLongerItsOwn) {
  hg::testing::temporary_folder at;
  write_result(at("out"), "old");
  write_result(at("other"), "old");
  hg::staged_folder run(at("other"));
  {
    hg::staged_folder first(at("out"));
    put(first, "a", "x");
    run = std::move(first);
  }
  EXPECT_THROW(hg::detail::lock_folder(at("out")), hg::error);
  EXPECT_NO_THROW(hg::detail::lock_folder(at("other")));
  EXPECT_EQ(refusal(at("out")), hg::error_kind::busy);
  EXPECT_EQ(refusal(at("other")), std::nullopt);
  put(run, "b", "y");
  run.commit();
  EXPECT_EQ(get(at("out/a")), "x");
  EXPECT_EQ(get(at("out/b")), "y");
  EXPECT_EQ(refusal(at("out")), std::nullopt);
}

TEST(StagedFolder, AKilledRunLeavesTheTargetAndTheNextRunCleansUp) {
  hg::testing::temporary_folder at;
  write_result(at("out"), "old");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    hg::staged_folder out(at("out"));
    put(out, "part0/graph.dgl", "half");
    const char byte = 'r';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(refusal(at("out")), hg::error_kind::busy);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  EXPECT_EQ(get(at("out/part0/graph.dgl")), "old");
  EXPECT_EQ(entries(at()), 2u) << "the killed run's staging folder";
  write_result(at("out"), "new");
  EXPECT_EQ(get(at("out/part0/graph.dgl")), "new");
  EXPECT_EQ(entries(at()), 1u);
}

TEST(StagedFolder, AResultSetAsideIsPutBack) {
  hg::testing::temporary_folder at;
  write_result(at("out"), "old");
  fs::rename(at("out"), at(".out.halograph-old"));
  {
    hg::staged_folder out(at("out"));
  }
  EXPECT_EQ(get(at("out/part0/graph.dgl")), "old");
}

/// Run a shell command in namespaces of its own; nothing where that is not possible here.
std::optional<int> unshared(const std::string& command) {
  if (std::system("unshare -m true 2>/dev/null") != 0) return std::nullopt;
  return std::system(("unshare -m sh -c '" + command + "'").c_str());
}

TEST(StagedFolder, AFullDiskIsAnErrorThatNamesTheFile) {
  hg::testing::temporary_folder at;
  fs::create_directory(at("disk"));
  // The test itself, once more, on a disk of 64 KiB.
  if (const char* disk = std::getenv("HALOGRAPH_TEST_SMALL_DISK")) {
    try {
      hg::staged_folder out(std::string(disk) + "/out");
      static_cast<void>(out.create("big", 10 << 20));
      FAIL() << "10 MiB fit into 64 KiB";
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::io);
      EXPECT_NE(std::string(problem.what()).find("No space left"), std::string::npos)
          << problem.what();
    }
    EXPECT_EQ(entries(disk), 0u);
    return;
  }
  const auto self = fs::read_symlink("/proc/self/exe").string();
  const auto answer = unshared("mount -t tmpfs -o size=64k none " + at("disk") +
                               " && HALOGRAPH_TEST_SMALL_DISK=" + at("disk") + " " + self +
                               " --gtest_filter=StagedFolder.AFullDisk* >/dev/null");
  if (!answer) GTEST_SKIP() << "no mount namespaces here";
  EXPECT_EQ(*answer, 0);
}

/// Run a test of this program as a user without rights, with a folder for it. @return what it
/// returned; nothing: cannot be tried
std::optional<int> as_other_user(const std::string& test, const std::string& folder) {
  if (std::system("setpriv --reuid=65534 --clear-groups true 2>/dev/null") != 0)
    return std::nullopt;
  const auto self = fs::read_symlink("/proc/self/exe").string();
  // The program itself may lie where the other user cannot reach it.
  if (std::system(("setpriv --reuid=65534 --clear-groups test -x " + self).c_str()) != 0)
    return std::nullopt;
  return std::system(("HALOGRAPH_TEST_LOCKED=" + folder + " setpriv --reuid=65534 --clear-groups " +
                      self + " --gtest_filter=" + test + " >/dev/null")
                         .c_str());
}

void expect_denied(const std::string& target) {
  try {
    hg::staged_folder out(target);
    FAIL() << "written into a folder without permission";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::io);
    EXPECT_NE(std::string(problem.what()).find("Permission denied"), std::string::npos)
        << problem.what();
  }
}

TEST(StagedFolder, AFolderWithoutPermissionIsAnErrorThatNamesIt) {
  if (geteuid() == 0 && std::getenv("HALOGRAPH_TEST_LOCKED") == nullptr) {
    hg::testing::temporary_folder at;
    fs::create_directory(at("locked"));
    fs::permissions(at(), fs::perms::all);
    fs::permissions(at("locked"),
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
    const auto answer = as_other_user("StagedFolder.AFolderWithout*", at("locked"));
    if (!answer) GTEST_SKIP() << "cannot be another user here";
    EXPECT_EQ(*answer, 0);
    return;
  }
  const char* locked = std::getenv("HALOGRAPH_TEST_LOCKED");
  if (!locked) GTEST_SKIP() << "not root";
  expect_denied(std::string(locked) + "/out");
}

TEST(StagedFolder, AnEarlierResultThatMayNotBeChangedIsRefusedBeforeAnythingIsWritten) {
  if (geteuid() == 0 && std::getenv("HALOGRAPH_TEST_LOCKED") == nullptr) {
    hg::testing::temporary_folder at;
    fs::create_directories(at("open/out"));
    fs::permissions(at(), fs::perms::all);
    fs::permissions(at("open"), fs::perms::all);
    fs::permissions(at("open/out"), fs::perms::owner_read | fs::perms::owner_exec);
    ASSERT_EQ(::chown(at("open/out").c_str(), 65534, static_cast<gid_t>(-1)), 0);
    const auto answer = as_other_user("StagedFolder.AnEarlierResultThatMayNot*", at("open"));
    if (!answer) GTEST_SKIP() << "cannot be another user here";
    EXPECT_EQ(*answer, 0);
    EXPECT_EQ(entries(at("open")), 1u);
    return;
  }
  const char* open = std::getenv("HALOGRAPH_TEST_LOCKED");
  if (!open) GTEST_SKIP() << "not root";
  expect_denied(std::string(open) + "/out");
}

TEST(StagedFolder, ARefusedTargetLeavesNothingBeside) {
  hg::testing::temporary_folder scratch;
  std::ofstream(scratch("file")) << "x";
  EXPECT_THROW(hg::staged_folder out(scratch("file")), hg::error);
  EXPECT_FALSE(fs::exists(scratch(".file.halograph-tmp")));
  // What an earlier run left to go on with stays.
  fs::create_directories(scratch(".file.halograph-tmp/part0"));
  EXPECT_THROW(hg::staged_folder out(scratch("file")), hg::error);
  EXPECT_TRUE(fs::exists(scratch(".file.halograph-tmp/part0")));
}

TEST(StagedFolder, GoesOnWithWhatWasKept) {
  hg::testing::temporary_folder scratch;
  const std::string staging = scratch(".out.halograph-tmp");
  const auto put = [](hg::staged_sink sink) {
    sink.require(sink.write_at(0, hg::testing::bytes_of("x")));
    sink.close();
  };
  {
    hg::staged_folder first(scratch("out"));
    put(first.create("part0/a", 1));
    put(first.create("work/b", 1));
    first.keep();
  }
  EXPECT_TRUE(fs::exists(staging + "/part0/a"));
  {
    hg::staged_folder second(scratch("out"), hg::leftovers::keep);
    EXPECT_TRUE(fs::exists(staging + "/part0/a"));
  }
  EXPECT_TRUE(fs::exists(staging + "/work/b"));
  {
    hg::staged_folder third(scratch("out"), hg::leftovers::keep);
    third.add("part0/a");
    third.know({0x77, 1, "part0/a"});
    third.commit();
  }
  EXPECT_FALSE(fs::exists(staging));
  EXPECT_FALSE(fs::exists(scratch("out/work")));
  EXPECT_EQ(hg::read_manifest(scratch("out"))->files,
            (std::vector<hg::manifest_entry>{{0x77, 1, "part0/a"}}));
  {
    hg::staged_folder fourth(scratch("out"), hg::leftovers::keep);
    fourth.let_go();
  }
  EXPECT_FALSE(fs::exists(staging));
  {
    hg::staged_folder kept(scratch("out"), hg::leftovers::keep);
  }
  EXPECT_TRUE(fs::exists(staging));
  {
    hg::staged_folder plain(scratch("out"));
  }
  EXPECT_FALSE(fs::exists(staging));
}

TEST(StagedFolder, CommitPutsNothingInPlaceButWhatTheManifestLists) {
  hg::testing::temporary_folder at;
  {
    hg::staged_folder out(at("out"));
    put(out, "part0/graph.dgl", "ours");
    at.write(".out.halograph-tmp/junk", "x");
    at.write(".out.halograph-tmp/part0/junk", "x");
    at.write(".out.halograph-tmp/part7/graph.dgl", "x");
    fs::create_directories(at(".out.halograph-tmp/empty"));
    fs::create_directory_symlink(at(), at(".out.halograph-tmp/link"));
    EXPECT_EQ(out.commit(), "");
    EXPECT_TRUE(out.in_place());
  }
  EXPECT_EQ(hg::foreign_entry(at("out")), std::nullopt);
  EXPECT_EQ(entries(at("out")), 2u);
  EXPECT_EQ(entries(at("out/part0")), 1u);
  EXPECT_EQ(entries(at()), 1u) << "what a link leads to stays";
  // What is listed must be a file: a link would be refused by the next run.
  {
    hg::staged_folder out(at("linked"));
    at.write("mine", "x");
    fs::create_symlink(at("mine"), out.path() + "/a");
    out.add("a");
    EXPECT_THROW(out.commit(), hg::error);
    EXPECT_FALSE(out.in_place());
  }
  EXPECT_FALSE(fs::exists(at("linked")));
}

TEST(StagedFolder, AddsEveryFileThatLiesInIt) {
  hg::testing::temporary_folder at;
  hg::staged_folder out(at("out"));
  at.write(".out.halograph-tmp/b/c", "123");
  at.write(".out.halograph-tmp/a", "");
  put(out, "b/a", "x");
  EXPECT_EQ(out.add_all(),
            (std::vector<hg::manifest_entry>{{0, 0, "a"}, {0, 1, "b/a"}, {0, 3, "b/c"}}));
  out.commit();
  EXPECT_EQ(hg::read_manifest(at("out"))->files.size(), 3u);
}

TEST(StagedFolder, StartsOverWhereWhatWasKeptIsOfNoUse) {
  hg::testing::temporary_folder at;
  at.write(".out.halograph-tmp/part7/junk", "x");
  hg::staged_folder out(at("out"), hg::leftovers::keep);
  EXPECT_TRUE(fs::exists(at(".out.halograph-tmp/part7/junk")));
  EXPECT_TRUE(out.start_over());
  EXPECT_EQ(entries(at(".out.halograph-tmp")), 0u);
  EXPECT_FALSE(out.start_over()) << "nothing was left";
}

TEST(StagedFolder, FoldersAboveTheTargetGoAgainWithARunThatFails) {
  hg::testing::temporary_folder at;
  {
    hg::staged_folder out(at("deep/er/out"));
    put(out, "a", "x");
  }
  EXPECT_EQ(entries(at()), 0u);
  fs::create_directories(at("deep"));
  {
    hg::staged_folder out(at("deep/er/out"));
  }
  EXPECT_EQ(entries(at()), 1u) << "those that were there stay";
  {
    hg::staged_folder out(at("deep/er/out"));
    out.commit();
  }
  EXPECT_TRUE(fs::exists(at("deep/er/out")));
}

TEST(StagedFolder, ANameThatIsTooLongIsRefusedWithTheLengthAllowed) {
  hg::testing::temporary_folder at;
  const auto sentence = [](const std::string& target) -> std::string {
    try {
      hg::staged_folder out(target);
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::invalid_argument);
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(sentence(at(std::string(200, 'a'))), "");
  for (const std::size_t length : {201u, 250u, 256u, 3000u}) {
    const auto said = sentence(at(std::string(length, 'a')));
    EXPECT_NE(said.find("it has " + std::to_string(length) + " bytes and may have at most 200"),
              std::string::npos)
        << said;
  }
  std::string path = at();
  while (path.size() < 4000) path += "/" + std::string(100, 'b');
  EXPECT_NE(sentence(path).find("at most 3800"), std::string::npos) << sentence(path);
  EXPECT_EQ(entries(at()), 0u);
}

TEST(StagedFolder, RequireReplaceableRefusesBeforeAnythingIsMade) {
  hg::testing::temporary_folder at;
  at.write("foreign/a.txt", "mine");
  at.write("file", "mine");
  for (const char* target : {"foreign", "file"})
    EXPECT_THROW(hg::staged_folder::require_replaceable(at(target)), hg::error) << target;
  EXPECT_THROW(hg::staged_folder::require_replaceable("."), hg::error);
  write_result(at("out"), "old");
  at.write(".out.halograph-tmp/part0", "kept by an earlier run");
  hg::staged_folder::require_replaceable(at("out"));
  hg::staged_folder::require_replaceable(at("none/out"));
  EXPECT_TRUE(fs::exists(at(".out.halograph-tmp/part0")));
  EXPECT_EQ(entries(at()), 4u);
}

TEST(StagedFolder, WhatAnotherUserOwnsIsRefusedBeforeAnythingIsWritten) {
  if (geteuid() == 0 && std::getenv("HALOGRAPH_TEST_LOCKED") == nullptr) {
    hg::testing::temporary_folder at;
    fs::permissions(at(), fs::perms::all);
    for (const char* place : {"open", "sticky"}) {
      write_result(at(std::string(place) + "/out"), "root's");
      fs::permissions(at(place), fs::perms::all);
      fs::permissions(at(std::string(place) + "/out"), fs::perms::all);
    }
    // Here all could be removed but for the sticky bit.
    fs::permissions(at("sticky/out/part0"), fs::perms::all);
    fs::permissions(at("sticky"), fs::perms::sticky_bit, fs::perm_options::add);
    const auto answer = as_other_user("StagedFolder.WhatAnotherUserOwns*", at());
    if (!answer) GTEST_SKIP() << "cannot be another user here";
    EXPECT_EQ(*answer, 0);
    for (const char* place : {"open", "sticky"}) {
      EXPECT_EQ(entries(at(place)), 1u) << place;
      EXPECT_EQ(get(at(std::string(place) + "/out/part0/graph.dgl")), "root's");
    }
    return;
  }
  const char* locked = std::getenv("HALOGRAPH_TEST_LOCKED");
  if (!locked) GTEST_SKIP() << "not root";
  const auto sentence = [&](const std::string& target) -> std::string {
    try {
      hg::staged_folder out(locked + target);
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::io);
      return problem.what();
    }
    return "nothing is refused";
  };
  EXPECT_NE(sentence("/open/out").find("\"part0\" in it cannot be removed by this user"),
            std::string::npos)
      << sentence("/open/out");
  EXPECT_NE(sentence("/sticky/out").find("sticky bit"), std::string::npos)
      << sentence("/sticky/out");
}

}  // namespace
