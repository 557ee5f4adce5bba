// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/zlib.hpp>

#include <gtest/gtest.h>
#include <support/gzip.hpp>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

std::string inflated(const std::string& packed) {
  const auto file = hg::inflate_gzip(std::as_bytes(std::span(packed)), "f.gz");
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

hg::error refusal(const std::string& packed) {
  try {
    static_cast<void>(inflated(packed));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

std::string numbers(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i * 7919 % 10007) + '\n';
  return out;
}

TEST(inflate_gzip, gives_back_what_was_packed) {
  for (const int count : {0, 1, 1000, 200'000})
    EXPECT_EQ(inflated(hg::testing::gzip(numbers(count))), numbers(count));
}

TEST(inflate_gzip, joins_members) {
  EXPECT_EQ(inflated(hg::testing::gzip("one ") + hg::testing::gzip("") + hg::testing::gzip("two")),
            "one two");
}

TEST(inflate_gzip, passes_over_padding_of_zeros) {
  EXPECT_EQ(inflated(hg::testing::gzip("x") + std::string(1000, '\0')), "x");
}

TEST(inflate_gzip, inflates_a_bomb_as_far_as_it_reaches) {
  const auto packed = hg::testing::gzip(std::string(10'000'000, '\0'));
  ASSERT_LT(packed.size(), 20'000u);
  EXPECT_EQ(inflated(packed).size(), 10'000'000u);
}

TEST(inflate_gzip, refuses_every_truncation) {
  const auto packed = hg::testing::gzip(numbers(100));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto problem = refusal(packed.substr(0, size));
    EXPECT_EQ(problem.code(), hg::error_kind::truncated) << size;
    EXPECT_EQ(problem.where().byte, size);
    EXPECT_EQ(problem.where().file, "f.gz");
  }
}

TEST(inflate_gzip, never_gives_other_contents_for_a_flipped_bit) {
  const auto content = numbers(100), packed = hg::testing::gzip(content);
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    auto broken = packed;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
    const auto code = refusal(broken).code();
    if (code == hg::error_kind::ok) {
      // Flags and time in the header, and bits of deflate that carry nothing.
      EXPECT_EQ(inflated(broken), content) << "bit " << bit;
    } else {
      EXPECT_TRUE(code == hg::error_kind::malformed || code == hg::error_kind::truncated)
          << "bit " << bit;
    }
  }
  for (const std::size_t byte : {0u, 1u, 2u}) {
    auto broken = packed;
    broken[byte] = static_cast<char>(broken[byte] ^ 1);
    EXPECT_EQ(refusal(broken).code(), hg::error_kind::malformed);
  }
}

TEST(inflate_gzip, refuses_what_follows_a_member_and_is_none) {
  const auto packed = hg::testing::gzip("x");
  const auto problem = refusal(packed + "rubbish");
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  EXPECT_EQ(problem.where().byte, packed.size());
  EXPECT_EQ(refusal(packed + "\x1F rubbish").code(), hg::error_kind::malformed);
  EXPECT_EQ(refusal("plain text").where().byte.has_value(), true);
}

TEST(gz_files, inflates_by_name_alone) {
  hg::testing::temporary_folder folder;
  const hg::gz_files<> open;
  const auto text = [&](const std::string& path) {
    const auto file = open(path);
    return std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  };
  EXPECT_EQ(text(folder.write("a.txt.gz", hg::testing::gzip("inflated"))), "inflated");
  EXPECT_EQ(text(folder.write("a.txt", "plain")), "plain");
  EXPECT_THROW(static_cast<void>(open(folder.write("b.gz", "plain"))), hg::error);
  EXPECT_THROW(static_cast<void>(open(folder("missing.gz"))), hg::error);
}

TEST(gz_files, stops_at_a_line_that_is_too_long) {
  hg::testing::temporary_folder folder, scratch;
  // 400 MB in one line, of which memory may hold little: members one behind the other.
  const std::string ones = hg::testing::gzip(std::string(4'000'000, '1'));
  std::string packed = hg::testing::gzip("0 1\n1 2\n");
  for (int i = 0; i < 100; ++i) packed += ones;
  const auto path = folder.write("long.txt.gz", packed);
  const auto refused = [&](const auto& open) {
    try {
      static_cast<void>(hg::open_lines(open, path));
      FAIL() << "took the line";
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::malformed);
      EXPECT_EQ(problem.where().file, path);
      EXPECT_EQ(problem.where().line, 3u);
    }
  };
  refused(hg::gz_files<>{});
  refused(hg::spilled_gz_files<hg::read_files>{{}, scratch()});
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
  const auto fine = folder.write("fine.txt.gz", hg::testing::gzip(numbers(200'000)));
  EXPECT_EQ(hg::open_lines(hg::gz_files<>{}, fine).bytes.size(), numbers(200'000).size());
  EXPECT_EQ(hg::open_lines(hg::spilled_gz_files<hg::read_files>{{}, scratch()}, fine).bytes.size(),
            numbers(200'000).size());
}

TEST(gzip_reader, gives_pieces_of_any_size) {
  const auto content = numbers(5000);
  const auto packed = hg::testing::gzip(content.substr(0, 1000)) + hg::testing::gzip("") +
                      hg::testing::gzip(content.substr(1000));
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{999}, std::size_t{1000}, content.size(), content.size() + 1}) {
    hg::gzip_reader reader(std::as_bytes(std::span(packed)), "f.gz");
    std::string got, room(piece, '\0');
    for (std::size_t count = piece; count == piece;) {
      count = reader.read(std::as_writable_bytes(std::span(room)));
      got += room.substr(0, count);
    }
    EXPECT_EQ(got, content) << piece;
    EXPECT_TRUE(reader.done());
  }
}

TEST(spilled_gz_files, inflates_into_files_that_nobody_sees) {
  hg::testing::temporary_folder folder, scratch;
  const hg::spilled_gz_files<hg::read_files> open{{}, scratch()};
  const auto content = numbers(200'000);  // several buffers
  const auto file = open(folder.write("a.txt.gz", hg::testing::gzip(content)));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()),
            content);
  EXPECT_EQ(open(folder.write("a.txt", "plain")).bytes.size(), 5u);
  EXPECT_EQ(open(folder.write("empty.gz", hg::testing::gzip(""))).bytes.size(), 0u);
  const auto cut = folder.write("cut.gz", hg::testing::gzip(content).substr(0, 1000));
  try {
    static_cast<void>(open(cut));
    FAIL() << "inflated a part";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::truncated);
    EXPECT_EQ(problem.where().file, cut);
  }
  EXPECT_THROW(static_cast<void>(
                   (hg::spilled_gz_files<hg::read_files>{{}, scratch("none")}(folder("a.txt.gz")))),
               hg::error);
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
}

}  // namespace
