// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <string>

namespace hg = halograph;

namespace {

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

}  // namespace
