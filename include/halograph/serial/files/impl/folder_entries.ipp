// SPDX-License-Identifier: BSL-1.0
/// @file folder_entries.ipp
/// Bodies of the plain functions of serial/files/folder_entries.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void for_each_entry(const std::string& folder,
                                     function_ref<bool(std::string, entry_kind)> f) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, problem), end;
  for (; !problem && at != end; at.increment(problem)) {
    const auto status = at->symlink_status(problem);
    if (problem) break;
    const auto kind = fs::is_regular_file(status) ? entry_kind::file
                      : fs::is_directory(status)  ? entry_kind::folder
                                                  : entry_kind::other;
    if (!f(at->path().lexically_relative(folder).generic_string(), kind))
      at.disable_recursion_pending();
  }
  if (problem) raise_io(folder, "look into", problem.value());
}

HALOGRAPH_INLINE void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
}

HALOGRAPH_INLINE std::vector<std::string> entries_besides(
    const std::string& folder, const std::set<std::string, std::less<>>& files, std::size_t most) {
  std::vector<std::string> out;
  for_each_entry(folder, [&](std::string name, entry_kind kind) {
    bool known = false;
    if (kind == entry_kind::folder) {
      const auto inside = files.lower_bound(name + "/");
      known = inside != files.end() && inside->starts_with(name + "/");
    } else {
      known = kind == entry_kind::file && files.count(name) != 0;
    }
    if (!known && out.size() < most) out.push_back(std::move(name));
    return known;
  });
  sort_names(out);
  return out;
}

HALOGRAPH_INLINE std::optional<std::string> irremovable_entry(const std::string& folder) {
  std::optional<std::string> out;
  for_each_entry(folder, [&](std::string name, entry_kind kind) {
    const std::string path = folder + "/" + name;
    struct stat above{}, entry{};
    const bool here = ::lstat(path.substr(0, path.rfind('/')).c_str(), &above) == 0 &&
                      ::lstat(path.c_str(), &entry) == 0;
    const bool inside = kind != entry_kind::folder ||
                        ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0;
    if (!out && (!inside || (here && !may_remove(above, entry)))) out = std::move(name);
    return !out;
  });
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::optional<std::string> foreign_entry(const std::string& folder) {
  std::error_code problem;
  if (std::filesystem::is_empty(folder, problem) && !problem) return std::nullopt;
  if (problem) raise_io(folder, "look into", problem.value());
  std::optional<manifest> made;
  try {
    made = read_manifest(folder);
  } catch (const error&) {
    return std::string(manifest_name);
  }
  auto foreign = detail::entries_besides(
      folder, made ? detail::files_of(*made) : std::set<std::string, std::less<>>{}, 1);
  return foreign.empty() ? std::nullopt : std::optional(std::move(foreign.front()));
}

}  // namespace halograph
