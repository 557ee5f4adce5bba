// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/checkpoint.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <string>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

hg::stage_record stage(const temporary_folder& folder, const std::string& name, std::uint64_t count,
                       const std::string& content) {
  folder.write(name + ".bin", content);
  return {name,
          {{"rows", count}, {"more", 7}},
          {hg::digest_file(folder(name + ".bin"), name + ".bin")}};
}

TEST(stage_list, remembers_what_was_completed) {
  temporary_folder folder;
  const auto one = stage(folder, "one", 5, "abc"), two = stage(folder, "two", 6, "");
  {
    hg::stage_list stages(folder(), "job", false);
    EXPECT_TRUE(stages.empty());
    EXPECT_EQ(stages.completed("one"), nullptr);
    stages.complete(one);
    stages.complete(two);
    EXPECT_EQ(stages.completed("one")->count("rows"), 5u);
  }
  hg::stage_list again(folder(), "job", true);
  ASSERT_NE(again.completed("one"), nullptr);
  EXPECT_EQ(*again.completed("one"), one);
  EXPECT_EQ(*again.completed("two"), two);
  EXPECT_TRUE(again.is_later("two", "one"));
  again.complete(one);
  EXPECT_TRUE(again.is_later("one", "two")) << "done again, it is the last";
  hg::stage_list third(folder(), "job", true);
  EXPECT_TRUE(third.completed("one") != nullptr && third.completed("two") != nullptr);
  EXPECT_TRUE(third.is_later("one", "two"));
  hg::stage_list anew(folder(), "job", false);
  EXPECT_TRUE(anew.empty());
}

TEST(stage_list, trusts_no_line_that_is_not_whole_and_no_file_that_changed) {
  temporary_folder folder;
  const std::string path = folder(std::string(hg::stages_name));
  {
    hg::stage_list stages(folder(), "job", false);
    stages.complete(stage(folder, "one", 5, "abc"));
    stages.complete(stage(folder, "two", 6, "def"));
  }
  const std::string whole = hg::testing::content_of(path);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    folder.write(std::string(hg::stages_name), whole.substr(0, cut));
    hg::stage_list stages(folder(), "job", true);
    EXPECT_EQ(stages.completed("two"), nullptr) << cut;
  }
  for (std::size_t at = whole.find('\n', 25) + 1; at < whole.size() - 1; ++at) {
    std::string damaged = whole;
    damaged[at] = damaged[at] == '1' ? '2' : '1';
    folder.write(std::string(hg::stages_name), damaged);
    hg::stage_list stages(folder(), "job", true);
    EXPECT_TRUE(stages.completed("one") == nullptr || stages.completed("two") == nullptr) << at;
  }
  folder.write(std::string(hg::stages_name), whole);
  folder.write("one.bin", "abd");
  hg::stage_list stages(folder(), "job", true);
  EXPECT_EQ(stages.completed("one"), nullptr);
  EXPECT_NE(stages.completed("two"), nullptr);
}

TEST(stage_list, compares_the_ranges_of_files_that_a_stage_wrote) {
  temporary_folder folder;
  folder.write("rows.bin", "headAAAABBBB");
  hg::stage_record a{"a", {}, {}, {hg::digest_of_range(folder(), "rows.bin", 4, 4)}},
      b{"b", {}, {}, {hg::digest_of_range(folder(), "rows.bin", 8, 4)}};
  EXPECT_EQ(hg::parse_stage(hg::print(a)), a);
  {
    hg::stage_list stages(folder(), "job", false);
    stages.complete(a);
    stages.complete(b);
  }
  folder.write("rows.bin", "HEADAAAABBxB");
  hg::stage_list again(folder(), "job", true);
  EXPECT_NE(again.completed("a"), nullptr) << "what others wrote may change";
  EXPECT_EQ(again.completed("b"), nullptr);
  folder.write("rows.bin", "headAAA");
  EXPECT_EQ(again.completed("a"), nullptr) << "a file that became shorter";
  EXPECT_EQ(hg::parse_stage(hg::print(hg::stage_record{"a", {}, {}, {{1, 2, 3, "../x"}}})),
            std::nullopt);
}

TEST(stage_list, starts_over_only_where_no_list_of_the_job_is_there) {
  temporary_folder folder;
  int started_over = 0;
  const auto begin = [&](bool resume, const std::string& job = "job") {
    hg::stage_list(folder(), job, resume, 0, 1, [&] { ++started_over; });
  };
  begin(true);
  EXPECT_EQ(started_over, 1) << "no list";
  begin(true);
  begin(false);
  EXPECT_EQ(started_over, 1);
  EXPECT_THROW(begin(true, "another"), hg::error);
  EXPECT_EQ(started_over, 1) << "what another job left stays";
  for (const char* text : {"", "halograph-stages 1\njob\n", "halograph-stages 2\nhalf a li",
                           "halograph 0.1.0\n{}\n"}) {
    folder.write(std::string(hg::stages_name), text);
    started_over = 0;
    begin(true);
    EXPECT_EQ(started_over, 1) << text;
  }
}

TEST(stage_list, is_of_one_job) {
  temporary_folder folder;
  {
    hg::stage_list stages(folder(), "job", false);
  }
  try {
    hg::stage_list other(folder(), "another", true);
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::mismatch);
  }
  EXPECT_NO_THROW(hg::stage_list(folder(), "another", false));
}

TEST(stage_record, has_only_the_counts_that_were_given) {
  const hg::stage_record one{"one", {{"rows", 5}, {"more", 7}}};
  EXPECT_EQ(one.count("more"), 7u);
  EXPECT_THROW(one.count("columns"), hg::error);
  EXPECT_NE(one, (hg::stage_record{"one", {{"rows", 5}, {"more", 8}}}));
  EXPECT_NE((hg::stage_record{"a", {}, {}, {{1, 2, 3, "x"}}}),
            (hg::stage_record{"a", {}, {}, {{1, 2, 3, "y"}}}));
}

// Lines whose digest is right, as another version might write them.
TEST(parse_stage, refuses_words_of_another_form) {
  const auto parsed = [](const std::string& words) {
    return hg::parse_stage(hg::detail::hexadecimal(hg::detail::digest_of_text(words)) + " " +
                           words);
  };
  EXPECT_EQ(parsed("one rows=5 file:0a:7:x range:0b:1:2:y"),
            (hg::stage_record{"one", {{"rows", 5}}, {{10, 7, "x"}}, {{11, 1, 2, "y"}}}));
  for (const char* bad : {"one rows",
                          "one rows=",
                          "one rows=5x",
                          "one rows=-1",
                          "one rows=18446744073709551616",
                          "one file:",
                          "one file:0a",
                          "one file:0a:7",
                          "one file:0g:7:x",
                          "one file::7:x",
                          "one file:0a::x",
                          "one file:0a:7x:x",
                          "one file:0a:7:",
                          "one range:",
                          "one range:0b",
                          "one range:0b:1",
                          "one range:0b:1:2",
                          "one range:0g:1:2:y",
                          "one range:0b:x:2:y",
                          "one range:0b:1:x:y",
                          "one range:0b:1:2:../y",
                          "one range:0b:1:2:"})
    EXPECT_EQ(parsed(bad), std::nullopt) << bad;
  for (const char* bad :
       {"0123456789abcdef", "0123456789abcdef one", "0123456789abcdeg one", "0123456789abcdef-one"})
    EXPECT_EQ(hg::parse_stage(bad), std::nullopt) << bad;
}

TEST(parse_stage, refuses_paths_that_leave_the_folder) {
  hg::stage_record bad{"one", {}, {{1, 2, "../x"}}};
  EXPECT_EQ(hg::parse_stage(hg::print(bad)), std::nullopt);
  bad.files[0].path = "x";
  EXPECT_EQ(hg::parse_stage(hg::print(bad)), bad);
  EXPECT_EQ(hg::parse_stage(""), std::nullopt);
}

}  // namespace
