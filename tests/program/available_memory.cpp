// SPDX-License-Identifier: BSL-1.0
#include "../../examples/halograph/available_memory.hpp"

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using halograph::cli::available_memory_below;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/// A folder with the files of /proc and /sys that say how much memory there is: 1000 MiB at first.
class fake_root {
 public:
  fake_root() { put("proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 1024000 kB\n"); }
  void put(const std::string& file, const std::string& text) {
    const fs::path path = place_(file);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// A control group. @param files  its names: of version 2 or 1
  void group(const std::string& folder, bool version_2, std::uint64_t limit, std::uint64_t used,
             std::uint64_t cache = 0) {
    const std::string at = "sys/fs/cgroup/" + folder + "/";
    put(at + (version_2 ? "memory.max" : "memory.limit_in_bytes"), std::to_string(limit * mib));
    put(at + (version_2 ? "memory.current" : "memory.usage_in_bytes"), std::to_string(used * mib));
    put(at + "memory.stat", std::string("anon 1\n") + (version_2 ? "" : "total_") +
                                "inactive_file " + std::to_string(cache * mib) + "\n");
  }
  std::uint64_t available() const { return available_memory_below(place_("")) / mib; }

 private:
  halograph::testing::temporary_folder place_;
};

TEST(available_memory, is_the_machines_without_other_limits) {
  fake_root root;
  EXPECT_EQ(root.available(), 1000u);
  root.put("proc/self/cgroup", "0::/\n");
  root.put("sys/fs/cgroup/memory.max", "max\n");
  root.put("sys/fs/cgroup/memory.current", "1\n");
  root.put("proc/self/limits",
           "Max address space         unlimited            unlimited            bytes\n");
  EXPECT_EQ(root.available(), 1000u);
}

TEST(available_memory, is_the_least_of_the_own_group_and_those_above) {
  fake_root root;
  root.put("proc/self/cgroup", "0::/jobs/mine\n");
  root.group("jobs/mine", true, 600, 100);
  EXPECT_EQ(root.available(), 500u);
  root.group("jobs", true, 400, 150);
  EXPECT_EQ(root.available(), 250u);
  root.group("", true, 210, 10);
  EXPECT_EQ(root.available(), 200u);
  root.group("others", true, 5, 5);
  EXPECT_EQ(root.available(), 200u);
  root.group("jobs/mine", true, 300, 300);
  EXPECT_EQ(root.available(), 0u);
}

TEST(available_memory, counts_pages_of_files_that_were_read_once_as_available) {
  fake_root root;
  root.put("proc/self/cgroup", "0::/mine\n");
  root.group("mine", true, 600, 500, 300);
  EXPECT_EQ(root.available(), 400u);
}

TEST(available_memory, obeys_control_groups_of_version_1) {
  fake_root root;
  root.put("proc/self/cgroup", "9:cpu,cpuacct:/mine\n5:memory:/jobs/mine\n0::/unrelated\n");
  root.group("memory/jobs/mine", false, 700, 100, 50);
  EXPECT_EQ(root.available(), 650u);
  root.group("memory/jobs", false, 300, 100);
  EXPECT_EQ(root.available(), 200u);
  root.group("memory/mine", false, 1, 1);  // where only the other controllers have put it
  EXPECT_EQ(root.available(), 200u);
}

TEST(available_memory, of_a_container_is_what_its_mount_says) {
  fake_root root;
  root.put("proc/self/cgroup", "5:memory:/docker/0123\n");  // not visible inside
  root.group("memory", false, 300, 100);
  EXPECT_EQ(root.available(), 200u);
}

TEST(available_memory, obeys_the_limits_of_the_process) {
  fake_root root;
  root.put("proc/self/limits",
           "Limit                     Soft Limit           Hard Limit           Units\n"
           "Max data size             314572800            unlimited            bytes\n"
           "Max address space         unlimited            unlimited            bytes\n");
  root.put("proc/self/status", "Name:\tx\nVmSize:\t  204800 kB\nVmData:\t  102400 kB\n");
  EXPECT_EQ(root.available(), 200u);
  root.put("proc/self/limits",
           "Max data size             314572800            unlimited            bytes\n"
           "Max address space         262144000            unlimited            bytes\n");
  EXPECT_EQ(root.available(), 50u);
}

}  // namespace
