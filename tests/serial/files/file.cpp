// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/file.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::bytes_of;
using hg::testing::content_of;
using hg::testing::temporary_folder;
using hg::testing::text_of;

namespace {

template <class Call>
hg::error caught(Call call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return problem;
  }
  ADD_FAILURE() << "nothing was raised";
  return {hg::error_kind::ok, ""};
}

struct no_opener {
  std::string operator()(const std::string& path) const { return path; }
};
static_assert(!hg::file_opener<no_opener>);
static_assert(!std::is_copy_constructible_v<hg::file_sink> &&
              std::is_nothrow_move_constructible_v<hg::file_sink>);
static_assert(!std::is_copy_constructible_v<hg::file_source> &&
              std::is_move_constructible_v<hg::file_source>);

/// Checks the lengths of lines and whether files have changed; counts both.
struct able_opener {
  int* lined;
  int* settled;
  hg::file_bytes operator()(const std::string& path) const { return hg::read_files{}(path); }
  hg::file_bytes lines(const std::string& path, std::size_t) const {
    ++*lined;
    return hg::read_files{}(path);
  }
  void settle() const { ++*settled; }
};

TEST(any_file_opener, has_every_ability_of_the_opener) {
  const temporary_folder folder;
  std::ofstream(folder("a")) << "text";
  int lined = 0, settled = 0;
  const hg::any_file_opener open(able_opener{&lined, &settled});
  EXPECT_TRUE(open.checks_lines());
  EXPECT_EQ(text_of(open(folder("a")).bytes), "text");
  EXPECT_EQ(text_of(open.lines(folder("a"), 9).bytes), "text");
  const hg::any_file_opener copy = open;
  copy.settle();
  EXPECT_EQ(lined, 1);
  EXPECT_EQ(settled, 1);
}

TEST(any_file_opener, reads_files_by_default) {
  const temporary_folder folder;
  std::ofstream(folder("a")) << "text";
  const hg::any_file_opener open;
  EXPECT_FALSE(open.checks_lines());
  open.settle();
  EXPECT_EQ(text_of(open(folder("a")).bytes), "text");
  EXPECT_EQ(caught([&] { open(folder("b")); }).code(), hg::error_kind::not_found);
}

}  // namespace

TEST(read_files, gives_the_whole_file_and_keeps_it_alive) {
  const temporary_folder folder;
  const std::string content("one\0two\n", 8);
  hg::file_bytes bytes;
  {
    const auto first = hg::read_files{}(folder.write("f", content));
    bytes = first;
  }
  EXPECT_EQ(text_of(bytes.bytes), content);
}

TEST(read_files, gives_an_empty_file_as_no_bytes) {
  const temporary_folder folder;
  EXPECT_TRUE(hg::read_files{}(folder.write("f", "")).bytes.empty());
}

TEST(read_files, names_the_file_that_is_missing) {
  const temporary_folder folder;
  const auto problem = caught([&] { hg::read_files{}(folder("absent.npy")); });
  EXPECT_EQ(problem.code(), hg::error_kind::not_found);
  EXPECT_EQ(problem.where().file, folder("absent.npy"));
  EXPECT_NE(problem.message().find("No such file"), std::string::npos);
}

TEST(read_files, refuses_what_is_no_regular_file_without_waiting) {
  const temporary_folder folder;
  EXPECT_EQ(caught([&] { hg::read_files{}(folder()); }).code(), hg::error_kind::io);
  ASSERT_EQ(::mkfifo(folder("pipe").c_str(), 0600), 0);
  EXPECT_EQ(caught([&] { hg::read_files{}(folder("pipe")); }).code(), hg::error_kind::io);
  EXPECT_EQ(caught([&] { hg::read_files{}(std::string("a\0b", 3)); }).code(),
            hg::error_kind::invalid_argument);
}

TEST(file_sink, takes_bytes_in_any_order_and_leaves_zeros_between) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder("f"), 8);
  EXPECT_EQ(sink.write_at(6, bytes_of("yz")), hg::status::ok);
  EXPECT_EQ(sink.write_at(0, bytes_of("abc")), hg::status::ok);
  EXPECT_EQ(sink.write_at(8, {}), hg::status::ok);
  sink.sync();
  sink.close();
  EXPECT_EQ(content_of(folder("f")), std::string("abc\0\0\0yz", 8));
}

TEST(file_sink, without_a_size_ends_with_the_last_byte_written) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder.write("f", "a much longer text"), hg::file_sink::grows);
  sink.require(sink.write_at(0, bytes_of("abc")));
  sink.require(sink.write_at(5, bytes_of("z")));
  sink.close();
  EXPECT_EQ(content_of(folder("f")), std::string("abc\0\0z", 6));
}

TEST(file_sink, replaces_an_older_longer_file) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder.write("f", "a much longer text"), 3);
  EXPECT_EQ(content_of(folder("f")), std::string(3, '\0'));
}

TEST(file_sink, refuses_bytes_beyond_its_size) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder("f"), 4);
  const hg::status answer = sink.write_at(3, bytes_of("xy"));
  EXPECT_EQ(answer, hg::status::out_of_range);
  EXPECT_EQ(answer.position, 3u);
  EXPECT_EQ(sink.write_at(~std::uint64_t{0}, bytes_of("x")), hg::status::out_of_range);
  const auto problem = caught([&] { sink.require(answer); });
  EXPECT_EQ(problem.where().file, folder("f"));
  EXPECT_EQ(problem.where().byte, 3u);
  sink.require(hg::status::ok);
}

TEST(file_sink, says_what_the_system_said_when_it_cannot_reserve_space) {
  const temporary_folder folder;
  EXPECT_EQ(caught([&] { hg::file_sink::create(folder("no/f"), 4); }).code(),
            hg::error_kind::not_found);
  EXPECT_EQ(caught([&] { hg::file_sink::create(folder("f"), ~std::uint64_t{0}); }).code(),
            hg::error_kind::overflow);
  // A limit of the process stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto problem = caught([&] { hg::file_sink::create(folder("big"), 1 << 20); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(problem.code(), hg::error_kind::io);
  EXPECT_NE(problem.message().find("1048576"), std::string::npos);
  EXPECT_NE(::access(folder("big").c_str(), F_OK), 0);
}

TEST(file_sink, moves_with_what_the_system_said) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder("f"), 8);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const hg::status answer = sink.write_at(4, bytes_of("x"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_EQ(answer.code, hg::error_kind::io);
  const std::string sentence = caught([&] { sink.require(answer); }).what();
  EXPECT_NE(sentence.find(std::strerror(EFBIG)), std::string::npos) << sentence;
  auto constructed = std::move(sink);
  EXPECT_EQ(caught([&] { constructed.require(answer); }).what(), sentence);
  auto assigned = hg::file_sink::create(folder("g"), 2);
  assigned = std::move(constructed);
  EXPECT_EQ(caught([&] { assigned.require(answer); }).what(), sentence);
  EXPECT_EQ(assigned.path(), folder("f"));
  EXPECT_EQ(assigned.size(), 8u);
  EXPECT_EQ(assigned.write_at(4, bytes_of("wxyz")), hg::status::ok);
  assigned.close();
  EXPECT_EQ(content_of(folder("f")), std::string("\0\0\0\0wxyz", 8));
}

TEST(file_sink, takes_bytes_from_several_threads) {
  const temporary_folder folder;
  auto sink = hg::file_sink::create(folder("f"), 4096);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&sink, t] {
      const std::string text(1, static_cast<char>('a' + t));
      for (std::uint64_t i = 0; i < 1024; ++i) {
        EXPECT_EQ(sink.write_at(4 * i + static_cast<std::uint64_t>(t), bytes_of(text)),
                  hg::status::ok);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const std::string content = content_of(folder("f"));
  for (std::size_t i = 0; i < 4096; i += 4) ASSERT_EQ(content.substr(i, 4), "abcd");
}

TEST(file_source, gives_bytes_at_positions) {
  const temporary_folder folder;
  hg::file_source source(folder.write("f", "abcdef"));
  std::array<std::byte, 3> out{};
  EXPECT_EQ(source.size(), 6u);
  EXPECT_EQ(source.read_at(2, out), hg::status::ok);
  EXPECT_EQ(text_of(out), "cde");
  EXPECT_EQ(source.read_at(4, out), hg::status::truncated);
  EXPECT_EQ(source.read_at(~std::uint64_t{0}, out), hg::status::truncated);
}

TEST(file_source, says_truncated_when_the_file_shrinks) {
  const temporary_folder folder;
  const hg::file_source source(folder.write("f", "abcdef"));
  ASSERT_EQ(::truncate(folder("f").c_str(), 3), 0);
  std::array<std::byte, 3> out{};
  EXPECT_EQ(source.read_at(2, out), hg::status::truncated);
}
