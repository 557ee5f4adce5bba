// SPDX-License-Identifier: BSL-1.0
/// @file staged_files.ipp
/// Bodies of the plain functions of serial/files/staged_files.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void staged_files::add(const std::string& name) {
  std::error_code problem;
  const auto kind = std::filesystem::symlink_status(folder_ + "/" + name, problem).type();
  if (kind != std::filesystem::file_type::not_found &&
      kind != std::filesystem::file_type::regular) {
    raise(error_kind::exists, "is not a regular file; refusing to replace it",
          {.file = folder_ + "/" + name});
  }
  staged_.add(name);
}

HALOGRAPH_INLINE std::string staged_files::commit(std::string_view command) {
  const std::string hidden = staged_.target();
  std::string note = staged_.commit(command);
  const auto made = read_manifest(hidden);
  if (!made) raise_io(hidden + "/" + std::string(manifest_name), "find again", ENOENT);
  for (const auto& file : made->files) {
    std::error_code problem;
    std::filesystem::rename(hidden + "/" + file.path, folder_ + "/" + file.path, problem);
    if (problem) raise_io(folder_ + "/" + file.path, "put in place", problem.value());
  }
  if (auto there = read_manifest(folder_)) {
    for (const auto& file : made->files) {
      std::erase_if(there->files, [&](const auto& one) { return one.path == file.path; });
      there->files.push_back(file);
    }
    const std::string final_name = folder_ + "/" + std::string(manifest_name);
    text_writer text(final_name + ".tmp");
    text.text(print(*there));
    text.sync();
    text.close();
    std::error_code problem;
    std::filesystem::rename(final_name + ".tmp", final_name, problem);
    if (problem) raise_io(final_name, "replace", problem.value());
  }
  detail::sync_folder(folder_);
  if (const int left = detail::remove_tree(hidden))
    note += std::string(note.empty() ? "" : "; ") + "the files are in place, but " + hidden +
            " could not be removed (" + std::generic_category().message(left) +
            "); the next run that writes them removes it";
  return note;
}

HALOGRAPH_INLINE std::string staged_files::checked(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  if (!detail::is_folder(path))
    raise(error_kind::not_found, "there is no such folder", {.file = path});
  return path;
}

}  // namespace halograph
