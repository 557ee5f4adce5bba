// SPDX-License-Identifier: BSL-1.0
/// @file scratch_folder.ipp
/// Bodies of the plain functions of serial/files/scratch_folder.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/scratch_folder.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace halograph::detail {

/// Remove the temporary folders in `place` that no run has locked. What cannot be removed stays.
inline void remove_left_folders(const std::string& place) try {
  const std::string folder = place.empty() ? "." : place;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + '/' + name;
    struct stat found{};
    if (!name.starts_with(temporary_prefix) || ::lstat(path.c_str(), &found) != 0 ||
        !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
      continue;
    try {
      const held_lock lock = lock_folder(path);
      static_cast<void>(remove_tree(path));
    } catch (const error&) {  // a run uses it
    }
  }
} catch (const error&) {  // `place` cannot be listed
}

HALOGRAPH_INLINE scratch_folder::scratch_folder(const std::string& place) {
  remove_left_folders(place);
  for (int attempt = 0; !lock_; ++attempt) {
    path_ = temporary_path(place);
    if (::mkdir(path_.c_str(), 0700) != 0) {
      if (errno == EEXIST && attempt < 1000) continue;
      raise_io(path_, "create the folder", errno);
    }
    try {
      lock_ = lock_folder(path_);
    } catch (const error& problem) {
      // Another run may have found it before it was locked, and removed it.
      static_cast<void>(::rmdir(path_.c_str()));
      if (attempt == 16 ||
          (problem.code() != error_kind::busy && problem.code() != error_kind::not_found))
        throw;
    }
  }
}

}  // namespace halograph::detail
