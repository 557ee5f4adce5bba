// SPDX-License-Identifier: BSL-1.0
/// @file available_memory.cpp
/// How much memory this process can still take: the least that the machine, the control groups of
/// both versions, and the limits of the process leave.
#include "available_memory.hpp"
#include "inputs.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace halograph::cli {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// A file of one number; nothing if it is missing or holds a word ("max").
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The number after a word at the beginning of a line.
std::optional<std::uint64_t> number_after(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::uint64_t value = 0;
    if (line.starts_with(word) && std::istringstream(line.substr(word.size())) >> value)
      return value;
  }
  return std::nullopt;
}

std::uint64_t rest(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// Names of a control group's files in one version.
struct group_files {
  const char *limit, *used, *cache;
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file "};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file "};

/// What a group and those above it leave. Pages of files that were read once are given back on
/// demand, so they do not count as used.
/// @param mount  where the groups are   @param group  the path of the process's own, from there
std::uint64_t left_by_groups(const std::string& mount, const std::string& group,
                             const group_files& files) {
  namespace fs = std::filesystem;
  std::uint64_t left = unlimited;
  // Where a container sees only its own groups, the path may lead outside; the mount is its own.
  fs::path at = fs::path(group).lexically_normal().relative_path();
  for (;; at = at.parent_path()) {
    const std::string folder = (fs::path(mount) / at).string() + "/";
    const auto limit = number_in(folder + files.limit), used = number_in(folder + files.used);
    if (limit && used) {
      const auto cache = number_after(folder + "memory.stat", files.cache).value_or(0);
      left = std::min(left, rest(*limit, rest(*used, cache)));
    }
    if (at.empty()) return left;
  }
}

std::uint64_t left_by_control_groups(const std::string& root) {
  const std::string mount = root + "/sys/fs/cgroup";
  std::uint64_t left = left_by_groups(mount, "", version_2);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    if (controllers == ",,")
      left = std::min({left, left_by_groups(mount, path, version_2),
                       left_by_groups(mount + "/unified", path, version_2)});
    else if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_by_groups(mount + "/memory", path, version_1));
  }
  return left;
}

/// What a limit of the process (setrlimit) leaves of what it counts.
std::uint64_t left_by_limit(const std::string& root, const char* limit, const char* counted) {
  const auto most = number_after(root + "/proc/self/limits", limit);
  if (!most) return unlimited;
  const auto kilobytes = number_after(root + "/proc/self/status", counted).value_or(0);
  return rest(*most, kilobytes * 1024);
}

}  // namespace

std::uint64_t available_memory_below(const std::string& root) {
  const auto machine = number_after(root + "/proc/meminfo", "MemAvailable:");
  return std::min({machine ? *machine * 1024 : unlimited, left_by_control_groups(root),
                   left_by_limit(root, "Max address space", "VmSize:"),
                   left_by_limit(root, "Max data size", "VmData:")});
}

std::uint64_t available_memory() { return available_memory_below({}); }

std::uint64_t memory_allowed(std::uint64_t budget, bool ignore_memory) {
  if (ignore_memory) return ~std::uint64_t{0};
  return budget != 0 ? std::min(budget, available_memory()) : available_memory();
}

}  // namespace halograph::cli
