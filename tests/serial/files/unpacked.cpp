// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/unpacked.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hg = halograph;

namespace {

/// "Packs" each byte as itself and a count from '1' to '9'.
struct runs_reader {
  static constexpr std::string_view ending = ".runs";
  std::span<const std::byte> packed;
  std::string file;
  int left = 0;

  runs_reader(std::span<const std::byte> bytes, std::string name)
      : packed(bytes), file(std::move(name)) {}
  std::size_t read(std::span<std::byte> out) {
    std::size_t got = 0;
    while (got < out.size() && packed.size() >= 2) {
      if (left == 0) left = std::to_integer<int>(packed[1]) - '0';
      out[got++] = packed[0];
      if (--left == 0) packed = packed.subspan(2);
    }
    if (got < out.size() && packed.size() == 1)
      hg::detail::packed_input{packed, file, "runs", "run"}.raise_truncated();
    return got;
  }
};
static_assert(hg::file_opener<hg::unpacked_files<runs_reader>>);
static_assert(hg::file_opener<hg::spilled_files<runs_reader, hg::read_files>>);

std::string text(const hg::file_bytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(unpacked_name, drops_the_ending_of_a_compressed_file) {
  EXPECT_EQ(hg::unpacked_name("/data/web.txt.gz"), "/data/web.txt");
  EXPECT_EQ(hg::unpacked_name("web.zst"), "web");
  EXPECT_EQ(hg::unpacked_name("web.gz.txt"), "web.gz.txt");
  EXPECT_EQ(hg::unpacked_name(""), "");
}

TEST(unpacked_files, opens_by_ending_in_memory_or_in_a_temporary_file) {
  const hg::testing::temporary_folder folder, scratch;
  const auto path = folder.write("a.txt.runs", "a3b1\n2"), plain = folder.write("a.txt", "a3");
  const auto cut = folder.write("cut.runs", "a3b"), none = folder.write("none.runs", "");
  const auto check = [&](const auto& open) {
    EXPECT_EQ(text(open(path)), "aaab\n\n");
    EXPECT_EQ(text(open(plain)), "a3");
    EXPECT_EQ(text(open(none)), "");
    EXPECT_EQ(text(hg::open_lines(open, path, 4)), "aaab\n\n");
    const auto refused = [&](const std::string& file, std::size_t longest) {
      try {
        static_cast<void>(hg::open_lines(open, file, longest));
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.where().file, file);
        return problem.code();
      }
      return hg::error_kind::ok;
    };
    EXPECT_EQ(refused(path, 3), hg::error_kind::malformed);
    EXPECT_EQ(refused(cut, 100), hg::error_kind::truncated);
  };
  check(hg::unpacked_files<runs_reader>{});
  scratch.write(".halograph-scratch-1-0/unpacked", "of a run that was killed");
  check(hg::spilled_files<runs_reader, hg::read_files>{{}, scratch()});
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
}

TEST(unpacked_files, fills_memory_to_the_last_byte) {
  const hg::testing::temporary_folder folder;
  for (const int runs : {454, 455, 456, 910, 911}) {  // around 4096 and 8192 bytes
    std::string packed;
    for (int i = 0; i < runs; ++i) packed += "x9";
    packed += "y1";
    const auto got = text(hg::unpacked_files<runs_reader>{}(folder.write("x.runs", packed)));
    EXPECT_EQ(got, std::string(static_cast<std::size_t>(runs) * 9, 'x') + "y") << runs;
  }
}

TEST(unpacked_files, refuses_contents_of_more_than_half_of_the_memory_that_is_available) {
  const hg::testing::temporary_folder folder;
  // 9 bytes for every 2: 9,000, 360,000 and 3,600,000.
  std::string thousand, some, many;
  for (int i = 0; i < 1000; ++i) thousand += "x9";
  for (int i = 0; i < 40; ++i) some += thousand;
  for (int i = 0; i < 10; ++i) many += some;
  const auto small = folder.write("small.runs", thousand), fits = folder.write("some.runs", some),
             bomb = folder.write("many.runs", many);
  const auto size_of = [&](const std::string& file, std::uint64_t (*available)()) {
    return hg::unpacked_files<runs_reader>{{}, available}(file).bytes.size();
  };
  const auto refused = [&](const std::string& file, std::uint64_t (*available)()) {
    try {
      static_cast<void>(size_of(file, available));
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.where().file, file);
      EXPECT_EQ(problem.code(), hg::error_kind::memory);
      return problem.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(size_of(fits, [] { return std::uint64_t{720'000}; }), 360'000u);  // to the last byte
  EXPECT_NE(refused(fits, [] { return std::uint64_t{719'998}; }).find("more than 359999 bytes"),
            std::string::npos);
  EXPECT_EQ(size_of(bomb, [] { return std::uint64_t{8'000'000}; }), 3'600'000u);
  EXPECT_NE(refused(bomb, [] { return std::uint64_t{4'000'000}; }).find("more than 2000000 bytes"),
            std::string::npos);
  EXPECT_NE(refused(bomb, [] { return std::uint64_t{0}; }).find("more than 0 bytes"),
            std::string::npos);
  static int asked = 0;
  const auto count = [] {
    ++asked;
    return std::uint64_t{1} << 30;
  };
  EXPECT_EQ(size_of(small, count), 9'000u);
  EXPECT_EQ(asked, 0) << "files of a few bytes fit anywhere, and to ask takes long";
  EXPECT_EQ(size_of(bomb, count), 3'600'000u);
  EXPECT_EQ(asked, 1);
}

}  // namespace
