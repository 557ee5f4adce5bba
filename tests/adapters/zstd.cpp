// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/zstd.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <support/zstd.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

std::string decompressed(const std::string& packed) {
  const auto file = hg::decompress_zstd(std::as_bytes(std::span(packed)), "f.zst");
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

hg::error refusal(const std::string& packed) {
  try {
    static_cast<void>(decompressed(packed));
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

/// A frame that decoders skip.
std::string skippable(std::string_view content) {
  std::string out("\x5A\x2A\x4D\x18", 4);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(content.size() >> (8 * i) & 0xFF);
  return out.append(content);
}

TEST(decompress_zstd, gives_back_what_was_packed) {
  for (const int count : {0, 1, 1000, 200'000})
    EXPECT_EQ(decompressed(hg::testing::zstd(numbers(count))), numbers(count));
}

TEST(decompress_zstd, joins_frames) {
  using hg::testing::zstd;
  EXPECT_EQ(decompressed(zstd("one ") + zstd("") + skippable("not this") + zstd("two")), "one two");
  EXPECT_EQ(decompressed(skippable("") + zstd("x") + skippable("end")), "x");
  EXPECT_EQ(decompressed(skippable("nothing else")), "");
}

TEST(decompress_zstd, follows_a_bomb_as_far_as_it_reaches) {
  const auto packed = hg::testing::zstd(std::string(10'000'000, '\0'));
  ASSERT_LT(packed.size(), 20'000u);
  EXPECT_EQ(decompressed(packed).size(), 10'000'000u);
}

TEST(decompress_zstd, refuses_a_window_larger_than_its_limit) {
  EXPECT_EQ(decompressed(hg::testing::zstd("x", 27)), "x");
  const auto problem = refusal(hg::testing::zstd("x", 28));
  EXPECT_EQ(problem.code(), hg::error_kind::memory);
  EXPECT_NE(std::string(problem.what()).find("128 MiB"), std::string::npos);
}

TEST(decompress_zstd, believes_no_size_that_a_frame_states) {
  // One segment of 2^60 bytes, and a block of a single byte.
  const std::string packed("\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x10\x09\0\0x", 17);
  const auto code = refusal(packed).code();
  EXPECT_TRUE(code == hg::error_kind::memory || code == hg::error_kind::malformed);
}

TEST(decompress_zstd, refuses_every_truncation) {
  const auto packed = hg::testing::zstd(numbers(100)), two = skippable("abc") + packed;
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto problem = refusal(packed.substr(0, size));
    EXPECT_EQ(problem.code(), hg::error_kind::truncated) << size;
    EXPECT_EQ(problem.where().byte, size);
    EXPECT_EQ(problem.where().file, "f.zst");
  }
  for (std::size_t size = 0; size < two.size(); ++size) {
    if (size != skippable("abc").size()) {
      EXPECT_EQ(refusal(two.substr(0, size)).code(), hg::error_kind::truncated) << size;
    }
  }
}

TEST(decompress_zstd, never_gives_other_contents_for_a_flipped_bit) {
  const auto content = numbers(100), packed = hg::testing::zstd(content);
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    auto broken = packed;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
    const auto code = refusal(broken).code();
    if (code == hg::error_kind::ok) {
      EXPECT_EQ(decompressed(broken), content) << "bit " << bit;  // an unused bit, the window
    } else {
      EXPECT_TRUE(code == hg::error_kind::malformed || code == hg::error_kind::truncated ||
                  code == hg::error_kind::memory)
          << "bit " << bit;
    }
  }
  for (const std::size_t byte : {0u, 1u, 2u, 3u}) {
    auto broken = packed;
    broken[byte] = static_cast<char>(broken[byte] ^ 1);
    EXPECT_EQ(refusal(broken).code(), hg::error_kind::malformed);
  }
}

TEST(decompress_zstd, refuses_what_follows_a_frame_and_is_none) {
  const auto packed = hg::testing::zstd("x");
  const auto problem = refusal(packed + "rubbish");
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  EXPECT_EQ(problem.where().byte, packed.size());
  EXPECT_NE(std::string(problem.what()).find("is not another frame"), std::string::npos);
  EXPECT_EQ(refusal(packed + std::string(10, '\0')).code(), hg::error_kind::malformed);
  EXPECT_EQ(refusal("plain text").code(), hg::error_kind::malformed);
  // A frame of a draft of the format, which the library may still know.
  const auto draft = refusal("\x27\xB5\x2F\xFD and more");
  EXPECT_EQ(draft.code(), hg::error_kind::malformed);
  EXPECT_NE(std::string(draft.what()).find("does not begin with a frame"), std::string::npos);
}

TEST(zst_files, decompresses_by_name_alone) {
  hg::testing::temporary_folder folder;
  const hg::zst_files<> open;
  const auto text = [&](const std::string& path) {
    const auto file = open(path);
    return std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  };
  EXPECT_EQ(text(folder.write("a.txt.zst", hg::testing::zstd("inside"))), "inside");
  EXPECT_EQ(text(folder.write("a.txt", "plain")), "plain");
  EXPECT_THROW(static_cast<void>(open(folder.write("b.zst", "plain"))), hg::error);
  EXPECT_THROW(static_cast<void>(open(folder("missing.zst"))), hg::error);
}

TEST(zst_files, stops_at_a_line_that_is_too_long) {
  hg::testing::temporary_folder folder, scratch;
  // 400 MB in one line, of which memory may hold little.
  const std::string ones = hg::testing::zstd(std::string(4'000'000, '1'));
  std::string packed = hg::testing::zstd("0 1\n1 2\n");
  for (int i = 0; i < 100; ++i) packed += ones;
  const auto path = folder.write("long.txt.zst", packed);
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
  refused(hg::zst_files<>{});
  refused(hg::spilled_zst_files<hg::read_files>{{}, scratch()});
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
  const auto fine = folder.write("fine.txt.zst", hg::testing::zstd(numbers(200'000)));
  EXPECT_EQ(hg::open_lines(hg::zst_files<>{}, fine).bytes.size(), numbers(200'000).size());
  EXPECT_EQ(hg::open_lines(hg::spilled_zst_files<hg::read_files>{{}, scratch()}, fine).bytes.size(),
            numbers(200'000).size());
}

TEST(zstd_reader, gives_pieces_of_any_size) {
  const auto content = numbers(5000);
  const auto packed = hg::testing::zstd(content.substr(0, 1000)) + hg::testing::zstd("") +
                      hg::testing::zstd(content.substr(1000), 0, false);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{999}, std::size_t{1000}, content.size(), content.size() + 1}) {
    hg::zstd_reader reader(std::as_bytes(std::span(packed)), "f.zst");
    std::string got, room(piece, '\0');
    for (std::size_t count = piece; count == piece;) {
      count = reader.read(std::as_writable_bytes(std::span(room)));
      got += room.substr(0, count);
    }
    EXPECT_EQ(got, content) << piece;
    EXPECT_TRUE(reader.done());
  }
}

TEST(spilled_zst_files, decompresses_into_files_that_nobody_sees) {
  hg::testing::temporary_folder folder, scratch;
  const hg::spilled_zst_files<hg::read_files> open{{}, scratch()};
  const auto content = numbers(200'000);  // several buffers
  const auto file = open(folder.write("a.txt.zst", hg::testing::zstd(content)));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()),
            content);
  EXPECT_EQ(open(folder.write("a.txt", "plain")).bytes.size(), 5u);
  EXPECT_EQ(open(folder.write("empty.zst", hg::testing::zstd(""))).bytes.size(), 0u);
  const auto cut = folder.write("cut.zst", hg::testing::zstd(content).substr(0, 1000));
  try {
    static_cast<void>(open(cut));
    FAIL() << "decompressed a part";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::truncated);
    EXPECT_EQ(problem.where().file, cut);
  }
  EXPECT_THROW(static_cast<void>((hg::spilled_zst_files<hg::read_files>{
                   {}, scratch("none")}(folder("a.txt.zst")))),
               hg::error);
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
}

}  // namespace
