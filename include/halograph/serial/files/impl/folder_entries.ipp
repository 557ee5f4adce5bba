// SPDX-License-Identifier: BSL-1.0
/// @file folder_entries.ipp
/// Bodies of the plain functions of serial/files/folder_entries.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::optional<entry_kind> entry_at(const std::string& path, bool follow_links) {
  struct stat found{};
  if ((follow_links ? ::stat : ::lstat)(path.c_str(), &found) != 0) {
    const int problem = errno;
    if (problem == ENOENT || problem == ENOTDIR || problem == ELOOP || problem == ENAMETOOLONG)
      return std::nullopt;
    raise_io(path, "examine", problem);
  }
  return S_ISREG(found.st_mode)   ? entry_kind::file
         : S_ISDIR(found.st_mode) ? entry_kind::folder
                                  : entry_kind::other;
}

HALOGRAPH_INLINE std::vector<std::string> names_in(const std::string& folder) {
  struct close {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  const std::unique_ptr<DIR, close> open(::opendir(folder.c_str()));
  if (!open) raise_io(folder, "look into", errno);
  std::vector<std::string> out;
  for (;;) {
    errno = 0;
    const dirent* one = ::readdir(open.get());
    if (one == nullptr) break;
    if (const std::string_view name(one->d_name); name != "." && name != "..")
      out.emplace_back(name);
  }
  if (errno != 0) raise_io(folder, "look into", errno);
  sort_names(out);
  return out;
}

HALOGRAPH_INLINE int remove_tree(const std::string& path) noexcept {
  constexpr int open_folders = 16;
  const auto remove = [](const char* one, const struct stat*, int, struct FTW*) {
    return ::remove(one) == 0 || errno == ENOENT ? 0 : -1;
  };
  if (::nftw(path.c_str(), remove, open_folders, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
    return 0;
  return errno;
}

HALOGRAPH_INLINE void for_each_entry(const std::string& folder,
                                     function_ref<bool(std::string, entry_kind)> f) {
  // Names of entries to visit, the next one last.
  std::vector<std::string> waiting = names_in(folder);
  std::reverse(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back()), path = folder + "/" + name;
    waiting.pop_back();
    struct stat entry{};
    if (::lstat(path.c_str(), &entry) != 0) raise_io(folder, "look into", errno);
    const auto kind = S_ISREG(entry.st_mode)   ? entry_kind::file
                      : S_ISDIR(entry.st_mode) ? entry_kind::folder
                                               : entry_kind::other;
    if (!f(name, kind) || kind != entry_kind::folder) continue;
    const std::vector<std::string> inside = names_in(path);
    for (auto one = inside.rbegin(); one != inside.rend(); ++one)
      waiting.push_back(name + "/" + *one);
  }
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
  if (detail::names_in(folder).empty()) return std::nullopt;
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
