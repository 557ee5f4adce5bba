// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/text/lines.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace hg = halograph;

namespace {

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

/// What settling says, or "".
std::string said_by(const hg::input_record& record) {
  const auto problem = record.changed();
  return problem ? problem->what() : "";
}

bool refused(const hg::recorded_files<hg::read_files>& files, const std::string& path) {
  try {
    files(path);
    return false;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::invalid_argument);
    EXPECT_NE(std::string(problem.what()).find("would replace the input"), std::string::npos)
        << problem.what();
    return true;
  }
}

TEST(input_record, refuses_to_open_what_a_result_would_replace_through_links_and_dots) {
  const hg::testing::temporary_folder place;
  write(place("out/deep/file"), "1");
  write(place("in/file"), "2");
  write(place("outer/file"), "3");
  std::filesystem::create_symlink(place("out/deep/file"), place("in/link"));
  std::filesystem::create_directory_symlink(place("out/deep"), place("folder"));
  const hg::recorded_files<hg::read_files> files;
  files.record->protect(place("out"));
  files.record->protect(place("in/file"));
  for (const char* inside :
       {"out/deep/file", "in/link", "folder/file", "in/../out/deep/file", "in/file"})
    EXPECT_TRUE(refused(files, place(inside))) << inside;
  EXPECT_FALSE(refused(files, place("outer/file")));

  // The folder that a run amends may lie there, but not as an input as well.
  const hg::recorded_files<hg::read_files> amended{
      .record = files.record, .inner = {}, .amended = true};
  EXPECT_EQ(amended(place("out/deep/file")).bytes.size(), 1u);
  EXPECT_TRUE(refused(files, place("out/deep/file")));
}

TEST(input_record, inputs_may_be_confined_to_folders) {
  const hg::testing::temporary_folder place;
  for (const char* name : {"in/deep/file", "in2/file", "also/file", "own/file"})
    write(place(name), "1");
  std::filesystem::create_symlink(place("in2/file"), place("in/link"));
  std::filesystem::create_directory_symlink(place("in"), place("door"));
  const hg::recorded_files<hg::read_files> files;
  files.record->allow_own(place("own"));  // nothing is confined yet
  EXPECT_EQ(files(place("in2/file")).bytes.size(), 1u);
  const auto outside = [&](const char* name) {
    try {
      files(place(name));
      return false;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::invalid_argument) << problem.what();
      EXPECT_EQ(problem.where().file, place(name));
      EXPECT_EQ(problem.message().find("lies outside of"), 0u) << problem.what();
      return true;
    }
  };
  files.record->confine(place("door"));
  for (const char* name : {"in/deep/file", "door/deep/file", "in/../door/deep/../deep/file"})
    EXPECT_FALSE(outside(name)) << name;
  for (const char* name :
       {"in/link", "in2/file", "in/../in2/file", "also/file", "own/file", "in/../missing"})
    EXPECT_TRUE(outside(name)) << name;
  files.record->confine(place("also"));
  files.record->allow_own(place("own"));
  for (const char* name : {"in/deep/file", "also/file", "own/file"})
    EXPECT_FALSE(outside(name)) << name;
  EXPECT_TRUE(outside("in2/file"));
}

TEST(input_record, records_files_of_the_working_folder_and_protects_nothing_without_a_name) {
  const hg::testing::temporary_folder place;
  write(place("file"), "1");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(place());
  const hg::recorded_files<hg::read_files> files;
  files.record->protect("");
  EXPECT_EQ(files("file").bytes.size(), 1u);
  EXPECT_EQ(said_by(*files.record), "");
  std::filesystem::remove("file");
  EXPECT_EQ(said_by(*files.record), "file: was removed while it was read");
  std::filesystem::current_path(before);
}

TEST(input_record, an_amended_file_may_be_opened_again) {
  const hg::testing::temporary_folder place;
  write(place("out/file"), "1");
  hg::input_record record;
  record.protect(place("out"));
  record.opening(place("out/file"), true);
  record.opening(place("out/file"), true);
  EXPECT_THROW(record.opening(place("out/file")), hg::error);
}

TEST(input_record, a_file_that_changes_while_it_is_read_is_named) {
  const hg::testing::temporary_folder place;
  const hg::recorded_files<hg::read_files> files;
  const auto& record = *files.record;
  for (const char* name : {"a", "b", "c", "d"}) {
    write(place(name), "12345678");
    files(place(name));
  }
  EXPECT_EQ(said_by(record), "");
  std::filesystem::resize_file(place("a"), 3);
  EXPECT_EQ(said_by(record),
            place("a") + ": became shorter while it was read: it had 8 bytes and has 3");
  try {
    files(place("a"));  // opened once more
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::truncated);
  }
  EXPECT_THROW(files.settle(), hg::error);

  const hg::recorded_files<hg::read_files> others;
  others(place("b"));
  std::filesystem::last_write_time(
      place("b"), std::filesystem::file_time_type::clock::now() + std::chrono::seconds(7));
  EXPECT_EQ(said_by(*others.record), place("b") + ": was written to while it was read; run again");
  const hg::recorded_files<hg::read_files> third;
  third(place("c"));
  std::filesystem::rename(place("d"), place("c"));
  EXPECT_EQ(said_by(*third.record), place("c") + ": was replaced while it was read; run again");
  std::filesystem::remove(place("c"));
  EXPECT_EQ(said_by(*third.record), place("c") + ": was removed while it was read");
}

TEST(input_record, a_folder_that_is_replaced_is_found_where_its_files_are_the_same) {
  const hg::testing::temporary_folder place;
  write(place("one/file"), "1");
  std::filesystem::create_directories(place("two"));
  std::filesystem::create_hard_link(place("one/file"),
                                    place("two/file"));  // as attach-features makes them
  const hg::recorded_files<hg::read_files> files;
  files(place("one/file"));
  EXPECT_EQ(said_by(*files.record), "");
  std::filesystem::rename(place("one"), place("old"));
  std::filesystem::rename(place("two"), place("one"));
  EXPECT_EQ(said_by(*files.record), place("one/") + ": was replaced while it was read; run again");
}

TEST(input_record, a_change_that_was_seen_stays_one) {
  const hg::testing::temporary_folder place;
  write(place("one/file"), "1");
  write(place("two/file"), "2");
  const auto exchange = [&](const char* old, const char* next) {
    std::filesystem::rename(place("one"), place(old));
    std::filesystem::rename(place(next), place("one"));
  };
  // As if the folder after the next had the first one's inode.
  const hg::recorded_files<hg::read_files> files;
  files(place("one/file"));
  exchange("first", "two");
  const std::string replaced = said_by(*files.record);
  EXPECT_NE(replaced, "");
  exchange("two", "first");
  EXPECT_EQ(said_by(*files.record), replaced);
  files.record->forget(place("two"));
  EXPECT_EQ(said_by(*files.record), replaced);
  files.record->forget("/");
  EXPECT_EQ(said_by(*files.record), "");

  files(place("one/file"));
  exchange("first", "two");
  EXPECT_THROW(files(place("one/file")), hg::error);
  exchange("two", "first");
  EXPECT_NE(said_by(*files.record), "");
}

TEST(input_record, once_settled_the_run_may_replace_what_it_has_read) {
  const hg::testing::temporary_folder place;
  write(place("file"), "1");
  const hg::recorded_files<hg::read_files> files;
  files(place("file"));
  hg::settle_inputs(files);
  std::filesystem::remove(place("file"));
  hg::settle_inputs(files);
  hg::settle_inputs(hg::read_files{});  // keeps no record
}

TEST(input_record, a_folder_that_the_run_removes_itself_is_forgotten) {
  const hg::testing::temporary_folder place;
  write(place("copy/deep/file"), "1");
  write(place("copy2/file"), "2");
  const hg::recorded_files<hg::read_files> files;
  files(place("copy/deep/file"));
  files(place("copy2/file"));
  files.record->forget(place("copy"));
  std::filesystem::remove_all(place("copy"));
  EXPECT_EQ(said_by(*files.record), "");
  std::filesystem::remove_all(place("copy2"));
  EXPECT_NE(said_by(*files.record), "");
}

TEST(input_record, lines_are_bounded_and_recorded_through_it) {
  const hg::testing::temporary_folder place;
  write(place("file"), "12\n123456\n");
  const hg::recorded_files<hg::read_files> files;
  EXPECT_EQ(hg::open_lines(files, place("file"), 6).bytes.size(), 10u);
  EXPECT_THROW(hg::open_lines(files, place("file"), 5), hg::error);
  std::filesystem::remove(place("file"));
  EXPECT_NE(said_by(*files.record), "");
}

TEST(input_record, what_a_change_led_to_is_not_the_error) {
  const hg::testing::temporary_folder place;
  write(place("file"), "1");
  const hg::recorded_files<hg::read_files> files;
  const auto fails = [&](bool changed) {
    return [&, changed] {
      files(place("file"));
      if (changed) std::filesystem::remove(place("file"));
      hg::raise(hg::error_kind::malformed, "is no number");
      return 0;
    };
  };
  const auto code = [&](bool changed) {
    try {
      hg::read_unchanged(*files.record, fails(changed));
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(code(false), hg::error_kind::malformed);
  EXPECT_EQ(code(true), hg::error_kind::mismatch);
}

}  // namespace
