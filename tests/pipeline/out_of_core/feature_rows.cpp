// SPDX-License-Identifier: BSL-1.0
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::bytes_of;
using hg::testing::content_of;
using hg::testing::temporary_folder;

namespace {

/// Bytes of a file.
hg::section bytes_at(std::uint64_t offset, std::uint64_t count) {
  return {hg::column::node_feature, 0, offset, hg::dtype::uint8, {count}};
}
std::uint64_t digest_of(std::string_view text) { return hg::digest_of(bytes_of(text)); }

std::vector<std::string> make_files(temporary_folder& folder, std::size_t count,
                                    std::uint64_t bytes) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i)
    paths.push_back(folder.write("file" + std::to_string(i),
                                 std::string(static_cast<std::size_t>(bytes), '.')));
  return paths;
}

std::size_t open_files_below(const std::string& folder) {
  std::size_t open = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    open += fs::read_symlink(entry.path(), gone).string().find(folder) != std::string::npos ? 1u
                                                                                            : 0u;
  }
  return open;
}

TEST(open_files, are_more_than_may_be_open) {
  temporary_folder folder;
  const auto paths = make_files(folder, 9, 20);
  hg::detail::open_files files(paths, 4);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const auto digit = static_cast<char>('0' + i);
      EXPECT_TRUE(files[i].write_at(static_cast<std::uint64_t>(round),
                                    bytes_of(std::string_view(&digit, 1))));
    }
    EXPECT_LE(open_files_below(folder()), 4u);
  }
  files.sync({0, paths.size()});
  EXPECT_EQ(open_files_below(folder()), 0u);
  for (std::size_t i = 0; i < paths.size(); ++i)
    EXPECT_EQ(content_of(paths[i]), std::string(20, static_cast<char>('0' + i)));
}

TEST(row_files, digest_sections_and_files_that_are_written_in_order) {
  temporary_folder folder;
  const auto paths = make_files(folder, 2, 12);
  hg::detail::row_files files(paths, {0, 2}, 1);
  const hg::section first = bytes_at(2, 4), second = bytes_at(7, 4);
  files.write(0, first, 0, bytes_of(std::string_view("ab")));
  files.write(1, second, 0, bytes_of(std::string_view("kl")));
  files.write(0, first, 2, bytes_of(std::string_view("cd")));
  files.write(1, second, 2, bytes_of(std::string_view("mn")));
  files.write(0, second, 0, bytes_of(std::string_view("efg")));
  EXPECT_EQ(files.take_digest(0, second), std::nullopt) << "a byte is missing";
  EXPECT_EQ(files.take_digest(0, first), digest_of("abcd"));
  EXPECT_EQ(files.take_digest(0, first), std::nullopt) << "it is given once";
  files.write(1, first, 0, bytes_of(std::string_view("wxyz")));
  files.sync();
  EXPECT_EQ(content_of(paths[0]), "..abcd.efg..");
  EXPECT_EQ(content_of(paths[1]), "..wxyz.klmn.");
  // What lies between rows, and before and after them, is read back.
  EXPECT_EQ(files.digest_of_file(0, 12), digest_of("..abcd.efg.."));
  EXPECT_EQ(files.digest_of_file(1, 12), std::nullopt) << "its last rows came first";
  EXPECT_EQ(files.take_digest(1, first), digest_of("wxyz"));
  EXPECT_EQ(files.take_digest(1, second), digest_of("klmn"));
}

TEST(row_files, do_not_read_back_much) {
  temporary_folder folder;
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  const auto paths = make_files(folder, 4, 2 * most + 2);
  hg::detail::row_files files(paths, {0, 4}, 4);
  const std::string_view one("x");
  files.write(0, bytes_at(most, 1), 0, bytes_of(one));
  files.write(1, bytes_at(most + 1, 1), 0, bytes_of(one));
  files.write(2, bytes_at(0, 1), 0, bytes_of(one));
  files.sync();
  EXPECT_EQ(files.digest_of_file(0, most + 1), digest_of(std::string(most, '.') + "x"));
  EXPECT_EQ(files.digest_of_file(1, most + 2), std::nullopt);
  EXPECT_EQ(files.digest_of_file(2, most + 1), digest_of("x" + std::string(most, '.')));
  EXPECT_EQ(files.digest_of_file(3, most + 1), std::nullopt);
}

TEST(row_files, are_written_by_lanes_at_once) {
  temporary_folder folder;
  constexpr std::size_t parts = 11, first = 2;
  constexpr std::uint64_t bytes = 200;
  auto paths = make_files(folder, parts, bytes);
  for (std::size_t p = 0; p < first; ++p) paths[p].clear();
  hg::detail::row_files files(paths, {first, parts}, 4);
  ASSERT_EQ(files.lanes(), 4u);
  EXPECT_EQ(files.parts_of(0).begin, first);
  EXPECT_EQ(files.parts_of(3).end, parts);
  const auto letter = [](std::uint64_t p) { return static_cast<char>('a' + p); };
  {
    std::vector<std::jthread> threads;
    for (std::size_t lane = 0; lane < files.lanes(); ++lane) {
      threads.emplace_back([&, lane] {
        for (std::uint64_t at = 0; at < bytes; ++at) {
          for (auto p = files.parts_of(lane).begin; p < files.parts_of(lane).end; ++p) {
            const char byte = letter(p);
            files.write(static_cast<std::size_t>(p), bytes_at(0, bytes), at,
                        bytes_of(std::string_view(&byte, 1)));
          }
        }
      });
    }
  }
  files.sync();
  for (std::size_t p = first; p < parts; ++p) {
    const std::string wanted(static_cast<std::size_t>(bytes), letter(p));
    EXPECT_EQ(content_of(paths[p]), wanted);
    EXPECT_EQ(files.digest_of_file(p, bytes), digest_of(wanted));
  }
  EXPECT_EQ(hg::detail::row_files(paths, {first, parts}, 100).lanes(), parts - first);
}

}  // namespace
