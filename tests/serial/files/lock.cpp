// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace {

int flock_fails_with = 0;  // 0: it does not

}  // namespace

// In place of the C library's flock(), so that file systems without locks can be had anywhere;
// under another name here, as <fcntl.h> has a struct of that name, too.
extern "C" int flock_of_test(int file, int operation) noexcept __asm__("flock");
extern "C" int flock_of_test(int file, int operation) noexcept {
  if (flock_fails_with == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = flock_fails_with;
  return -1;
}

namespace hg = halograph;
namespace fs = std::filesystem;

namespace {

struct failing_flock {
  explicit failing_flock(int number) { flock_fails_with = number; }
  ~failing_flock() { flock_fails_with = 0; }
  failing_flock(const failing_flock&) = delete;
  failing_flock& operator=(const failing_flock&) = delete;
};

std::ptrdiff_t entries(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

template <class Work>
hg::error_kind code_of(const Work& work) {
  try {
    work();
  } catch (const hg::error& problem) {
    return problem.code();
  }
  return hg::error_kind::ok;
}

TEST(lock_folder, keeps_others_from_replacing_it_until_it_goes) {
  const hg::testing::temporary_folder place;
  hg::staged_folder(place("made")).commit();
  const auto replace = [&] { hg::staged_folder(place("made")).commit(); };
  const auto lock = [&] { static_cast<void>(hg::detail::lock_folder(place("made"))); };
  {
    const auto held = hg::detail::lock_folder(place("made"));
    EXPECT_EQ(code_of(replace), hg::error_kind::busy);
    EXPECT_EQ(code_of(lock), hg::error_kind::busy);
  }
  EXPECT_EQ(code_of(lock), hg::error_kind::ok);
  EXPECT_EQ(code_of(replace), hg::error_kind::ok);
  EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_folder(place("none"))); }),
            hg::error_kind::not_found);
}

TEST(lock_staging_folder, leaves_nothing_where_the_lock_fails) {
  const hg::testing::temporary_folder place;
  const failing_flock fails(EIO);
  EXPECT_EQ(code_of([&] { hg::staged_folder(place("deep/out")).commit(); }), hg::error_kind::io);
  EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_file(place("file"))); }),
            hg::error_kind::io);
  EXPECT_EQ(entries(place("")), 0);
}

TEST(lock_staging_folder, keeps_what_an_earlier_run_left_where_the_lock_fails) {
  const hg::testing::temporary_folder place;
  fs::create_directory(place(".out.halograph-tmp"));
  std::ofstream(place("file")) << "x";
  const failing_flock fails(EIO);
  EXPECT_EQ(code_of([&] { hg::staged_folder(place("out")).commit(); }), hg::error_kind::io);
  EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_file(place("file"))); }),
            hg::error_kind::io);
  EXPECT_EQ(entries(place("")), 2);
}

TEST(lock_marker, excludes_others_on_file_systems_without_locks) {
  for (const int number : {EOPNOTSUPP, ENOSYS, ENOLCK}) {
    const hg::testing::temporary_folder place;
    const failing_flock fails(number);
    const auto replace = [&] { hg::staged_folder(place("out")).commit(); };
    EXPECT_EQ(code_of(replace), hg::error_kind::ok);
    EXPECT_EQ(code_of(replace), hg::error_kind::ok);
    EXPECT_EQ(entries(place("")), 1);  // no marker is left
    {
      const hg::staged_folder held(place("out"));
      EXPECT_EQ(code_of(replace), hg::error_kind::busy);
      EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_folder(place("out"))); }),
                hg::error_kind::busy);
      EXPECT_TRUE(fs::exists(place(".out.halograph-tmp")));
    }
    EXPECT_EQ(code_of(replace), hg::error_kind::ok);
    // Its marker lies in a folder that was made for the output.
    {
      const hg::staged_folder given_up(place("deep/er/out"));
    }
    EXPECT_FALSE(fs::exists(place("deep")));
    {
      auto first = hg::detail::lock_file(place("file"));
      const auto moved = std::move(first);
      EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_file(place("file"))); }),
                hg::error_kind::busy);
    }
    EXPECT_EQ(code_of([&] { static_cast<void>(hg::detail::lock_file(place("file"))); }),
              hg::error_kind::ok);
    // What a killed run has left is named.
    std::ofstream(place(".out.halograph-tmp.halograph-lock"));
    try {
      hg::staged_folder refused(place("out"));
      FAIL() << "no error";
    } catch (const hg::error& problem) {
      EXPECT_NE(problem.message().find("remove " + place(".out.halograph-tmp.halograph-lock")),
                std::string::npos)
          << problem.message();
    }
    EXPECT_TRUE(fs::exists(place(".out.halograph-tmp.halograph-lock")));
  }
}

}  // namespace
