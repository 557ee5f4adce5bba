// SPDX-License-Identifier: BSL-1.0
/// @file folder_entries.hpp
/// Entries of a folder: those that its manifest does not list, and those that this user cannot
/// remove.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// What an entry of a folder is.
enum class entry_kind : std::uint8_t { file, folder, other };

/// What a path leads to, or the link that it is; nothing where nothing is there. Other than
/// std::filesystem's functions these do not say no where the system cannot tell. @errors io
/// @{
std::optional<entry_kind> entry_at(const std::string& path, bool follow_links = true);
inline bool is_there(const std::string& path) { return entry_at(path).has_value(); }
inline bool is_file(const std::string& path) { return entry_at(path) == entry_kind::file; }
inline bool is_folder(const std::string& path) { return entry_at(path) == entry_kind::folder; }
/// @}

/// Visit the entries of a folder, each folder before its entries: f(name relative to the folder,
/// kind) returns whether to descend into it. Links are not followed. @errors io
void for_each_entry(const std::string& folder, function_ref<bool(std::string, entry_kind)> f);

/// The names of a folder's entries, sorted. std::filesystem's iterators end the program where
/// memory ends. @errors io
std::vector<std::string> names_in(const std::string& folder);

/// Remove a file, or a folder and whatever is in it, links not followed; nothing there is success.
/// Does not throw where memory ends, which std::filesystem's function ends the program for.
/// @return 0 or errno
int remove_tree(const std::string& path) noexcept;

/// The entries of a folder other than some files and their folders, sorted; a folder that contains
/// none of the files is one entry. @param files  relative paths  @param most  no more names than
/// this  @errors io
std::vector<std::string> entries_besides(const std::string& folder,
                                         const std::set<std::string, std::less<>>& files,
                                         std::size_t most = ~std::size_t{0});

/// May this process remove an entry of a folder? If the folder has the sticky bit, only owners may.
/// @param folder, entry  lstat of each
inline bool may_remove(const struct stat& folder, const struct stat& entry) noexcept {
  const uid_t us = ::geteuid();
  return us == 0 || (folder.st_mode & S_ISVTX) == 0 || folder.st_uid == us || entry.st_uid == us;
}

/// The first entry of a folder that this process may not remove, or whose entries it may not
/// remove.
std::optional<std::string> irremovable_entry(const std::string& folder);

}  // namespace detail

/// The first entry of a folder that its manifest does not list, relative to the folder. An empty
/// folder has none; in a folder without a manifest every entry is foreign.
std::optional<std::string> foreign_entry(const std::string& folder);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/folder_entries.ipp>
#endif
