// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/native.hpp>
#include <halograph/serial/partition_target.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

/// Keeps files in memory, has no path, and cannot be copied once begun.
struct memory_output {
  std::map<std::string, std::uint64_t>* files;
  std::unique_ptr<int> unique = std::make_unique<int>(0);
  hg::memory_sink create(const std::string& name, std::uint64_t bytes) {
    (*files)[name] = bytes;
    return {};
  }
  void commit(std::string_view command) { (*files)[std::string(command)] = 0; }
};
struct memory_target {
  std::map<std::string, std::uint64_t>* files;
  hg::native_serializer format() const { return {}; }
  memory_output begin() const { return {files}; }
};
static_assert(hg::partition_target<memory_target>);

TEST(any_target, writes_where_the_target_does) {
  std::map<std::string, std::uint64_t> files;
  const hg::any_target target(memory_target{&files});
  EXPECT_EQ(target.path(), "");
  EXPECT_EQ(target.format().name(), hg::native_serializer{}.name());
  hg::any_output output = target.begin();
  EXPECT_EQ(output.create("part0/a", 7).write_at(0, {}), hg::status::ok);
  EXPECT_EQ(output.commit("{}"), "");
  EXPECT_EQ(files, (std::map<std::string, std::uint64_t>{{"part0/a", 7}, {"{}", 0}}));
}

}  // namespace
