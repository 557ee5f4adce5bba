// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/boost_interprocess.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

std::string_view text(const hg::file_bytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(mapped_files, shows_a_file_whatever_the_advice) {
  hg::testing::temporary_folder folder;
  const auto path = folder.write("f", "some bytes");
  for (const auto access : {hg::access_pattern::normal, hg::access_pattern::sequential,
                            hg::access_pattern::scattered, hg::access_pattern::all_of_it}) {
    EXPECT_EQ(text(hg::mapped_files{access}(path)), "some bytes");
  }
}

TEST(mapped_files, outlives_the_name_of_the_file) {
  hg::testing::temporary_folder folder;
  const auto path = folder.write("f", std::string(100'000, 'x'));
  const auto file = hg::mapped_files{}(path);
  const auto copy = file;
  std::filesystem::remove(path);
  EXPECT_EQ(std::count(copy.bytes.begin(), copy.bytes.end(), std::byte{'x'}), 100'000);
}

TEST(mapped_files, reads_small_files_and_maps_larger_ones) {
  hg::testing::temporary_folder folder;
  const auto path = folder.write("f", "first");
  const auto read = hg::mapped_files{}(path), mapped = hg::mapped_files{.small = 4}(path);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << "later";  // in place
  EXPECT_EQ(text(read), "first");
  EXPECT_EQ(text(mapped), "later");
  for (const std::size_t size : {hg::mapped_files{}.small, hg::mapped_files{}.small + 1}) {
    std::string content(size, 'x');
    content.back() = 'y';
    EXPECT_EQ(text(hg::mapped_files{}(folder.write("g", content))), content);
  }
}

TEST(mapped_files, takes_empty_files) {
  hg::testing::temporary_folder folder;
  EXPECT_EQ(text(hg::mapped_files{}(folder.write("empty", ""))), "");
}

TEST(mapped_files, names_what_it_cannot_open) {
  hg::testing::temporary_folder folder;
  const auto fifo = folder("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  struct {
    std::string path;
    hg::error_kind code;
  } cases[] = {{folder("missing"), hg::error_kind::not_found},
               {folder(), hg::error_kind::io},
               {fifo, hg::error_kind::io}};
  for (const auto& c : cases) {
    try {
      static_cast<void>(hg::mapped_files{}(c.path));
      ADD_FAILURE() << c.path;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), c.code) << problem.what();
      EXPECT_EQ(problem.where().file, c.path);
    }
  }
}

}  // namespace
