// SPDX-License-Identifier: BSL-1.0
/// @file staged_files.hpp
/// Files of one result in an existing folder: each appears complete, and none before all are
/// written.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// Files of one result in a folder of the user. They are written into a hidden folder in it, then
/// renamed one by one, over older files of the same names. A run that is killed before leaves the
/// folder unchanged, one that is killed while renaming leaves each file old or new. If the folder
/// has a manifest, the files are added to it.
class staged_files {
 public:
  /// @param folder  must exist
  /// @param tag     names the kind of result, so that runs of one kind exclude each other
  /// @errors        as staged_folder; not_found: the folder
  staged_files(const std::string& folder, const std::string& tag)
      : folder_(checked(folder)), staged_(folder_ + "/.halograph-" + tag) {}

  const std::string& path() const noexcept { return staged_.path(); }
  const std::string& target() const noexcept { return folder_; }
  /// As staged_folder::add(), for names without folders. @errors exists also: the name is taken by
  /// something other than a regular file
  void add(const std::string& name) {
    std::error_code problem;
    const auto kind = std::filesystem::symlink_status(folder_ + "/" + name, problem).type();
    if (kind != std::filesystem::file_type::not_found &&
        kind != std::filesystem::file_type::regular) {
      raise(errc::exists, "is not a regular file; refusing to replace it",
            {.file = folder_ + "/" + name});
    }
    staged_.add(name);
  }

  /// Rename the files to their final paths. @return as staged_folder::commit()  @errors io
  std::string commit(std::string_view command = {}) {
    const std::string hidden = staged_.target();
    std::string note = staged_.commit(command);
    const auto made = read_manifest(hidden).value_or(manifest{});
    for (const auto& file : made.files) {
      std::error_code problem;
      std::filesystem::rename(hidden + "/" + file.path, folder_ + "/" + file.path, problem);
      if (problem) raise_io(folder_ + "/" + file.path, "put in place", problem.value());
    }
    std::error_code left;
    std::filesystem::remove_all(hidden, left);
    if (left)
      note += std::string(note.empty() ? "" : "; ") + "the files are in place, but " + hidden +
              " could not be removed (" + left.message() +
              "); the next run that writes them removes it";
    if (auto there = read_manifest(folder_)) {
      for (const auto& file : made.files) {
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
    return note;
  }

 private:
  static std::string checked(const std::string& folder) {
    std::error_code problem;
    const std::string path = folder.empty() ? "." : folder;
    if (!std::filesystem::is_directory(path, problem))
      raise(errc::not_found, "there is no such folder", {.file = path});
    return path;
  }

  std::string folder_;
  staged_folder staged_;
};

}  // namespace halograph
