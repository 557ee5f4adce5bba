// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/text/writer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace {

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;

void put(hg::staged_files& staged, const std::string& name, const std::string& text) {
  staged.add(name);
  hg::text_writer out(staged.path() + "/" + name);
  out.text(text).close();
}

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

TEST(staged_files, appear_beside_others_when_all_are_written) {
  const temporary_folder place;
  place.write("other", "stays");
  place.write("a", "old");
  {
    hg::staged_files staged(place(), "test");
    put(staged, "a", "new");
    put(staged, "b", "too");
    EXPECT_EQ(content_of(place("a")), "old");
    EXPECT_FALSE(fs::exists(place("b")));
    staged.commit();
  }
  EXPECT_EQ(content_of(place("a")), "new");
  EXPECT_EQ(content_of(place("b")), "too");
  EXPECT_EQ(content_of(place("other")), "stays");
  EXPECT_EQ(entries(place()), 3u);
}

TEST(staged_files, that_are_not_committed_leave_nothing) {
  const temporary_folder place;
  place.write("a", "old");
  {
    hg::staged_files staged(place(), "test");
    put(staged, "a", "new");
  }
  EXPECT_EQ(content_of(place("a")), "old");
  EXPECT_EQ(entries(place()), 1u);
}

TEST(staged_files, in_a_result_of_ours_become_part_of_it) {
  const temporary_folder place;
  {
    hg::staged_folder made(place("result"));
    auto sink = made.create("first", 1);
    sink.require(sink.write_at(0, bytes_of("x")));
    sink.close();
    made.commit();
  }
  for (const std::string text : {"one", "three"}) {
    hg::staged_files staged(place("result"), "test");
    put(staged, "second", text);
    staged.commit();
    EXPECT_FALSE(hg::foreign_entry(place("result")));
    const auto made = hg::read_manifest(place("result"));
    ASSERT_EQ(made->files.size(), 2u);
    EXPECT_EQ(made->find("second")->bytes, text.size());
    EXPECT_EQ(*made->find("second"), hg::digest_file(place("result/second"), "second"));
  }
}

TEST(staged_files, refuse_a_missing_folder_another_run_and_the_place_of_a_folder) {
  const temporary_folder place;
  const auto code = [](auto&& f) {
    try {
      f();
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(code([&] { hg::staged_files staged(place("none"), "test"); }),
            hg::error_kind::not_found);
  hg::staged_files first(place(), "test");
  EXPECT_EQ(code([&] { hg::staged_files second(place(), "test"); }), hg::error_kind::busy);
  EXPECT_EQ(code([&] { hg::staged_files other(place(), "other"); }), hg::error_kind::ok);
  fs::create_directory(place("taken"));
  EXPECT_EQ(code([&] { first.add("taken"); }), hg::error_kind::exists);
}

}  // namespace
