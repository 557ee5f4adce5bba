// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

namespace halograph::cli {

namespace {

/// The first number of a file, or nothing but the largest.
std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::uint64_t available_memory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) available = kilobytes * 1024;
  }
  const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (limit != std::numeric_limits<std::uint64_t>::max() && used != std::numeric_limits<std::uint64_t>::max()) {
    available = std::min(available, limit > used ? limit - used : 0);
  }
  return available;
}

std::uint64_t available_disk(const std::string& path) {
  std::error_code problem;
  auto folder = std::filesystem::absolute(path, problem);
  while (!std::filesystem::exists(folder, problem) && folder.has_parent_path() && folder != folder.parent_path()) folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, problem);
  return problem ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

}  // namespace halograph::cli
