// SPDX-License-Identifier: BSL-1.0
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <gtest/gtest.h>
#include <support/flat_threads.hpp>
#include <support/open_chunks.hpp>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory_resource>
#include <optional>
#include <span>
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

TEST(for_each_row_run, gives_rows_in_order_while_the_next_are_read) {
  temporary_folder folder;
  constexpr std::uint64_t rows = 150000;  // of 8 bytes: of text, two and a bit at a time
  std::vector<std::int64_t> numbers(rows);
  std::string text, files;
  for (std::uint64_t i = 0; i < rows; ++i) {
    numbers[i] = static_cast<std::int64_t>(i * i);
    text += std::to_string(numbers[i]) + "\n";
    if (i == 70000 || i + 1 == rows) {
      files += (files.empty() ? "\"" : ", \"") + std::to_string(i) + "\"";
      folder.write(std::to_string(i), text);
      text.clear();
    }
  }
  folder.write("metadata.json",
               R"({"graph_name": "g", "node_type": ["n"], "num_nodes_per_chunk": [[150000]],
  "edge_type": ["n:e:n"], "num_edges_per_chunk": [[0]], "edges": {"n:e:n": {"format": {"name":
  "csv", "delimiter": " "}, "data": []}}, "node_data": {"n": {"f": {"format": {"name": "csv",
  "delimiter": " "}, "data": [)" +
                   files + R"(]}}}, "edge_data": {}})");
  const auto input = hg::testing::open_chunks(folder());
  const hg::chunked_feature* const feature = input.node_feature(0, "f");
  ASSERT_NE(feature, nullptr);
  const auto visit = [&](hg::executor_ref run) {
    std::uint64_t next = 0;
    std::size_t runs = 0;
    hg::detail::for_each_row_run(
        input, *feature, std::pmr::get_default_resource(), run,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes,
            hg::executor_ref with) {
          EXPECT_EQ(first, next);
          next = last;
          ++runs;
          ASSERT_EQ(bytes.size(), (last - first) * 8);
          std::size_t visited = 0;
          const auto body = [&](std::size_t, std::size_t) {
            ++visited;
            EXPECT_EQ(std::memcmp(bytes.data(), numbers.data() + first, bytes.size()), 0);
          };
          with.parallel_for(0, 1, 1, body);
          EXPECT_EQ(visited, 1u);
        });
    EXPECT_EQ(next, rows);
    EXPECT_GT(runs, 2u);
  };
  visit({});
  const hg::testing::flat_threads threads(3);
  visit(threads);
}

}  // namespace
