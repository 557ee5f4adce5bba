// SPDX-License-Identifier: BSL-1.0
/// @file lock.hpp
/// Locks on output files and folders: at most one run writes to each.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

namespace halograph::detail {

/// Is an open file still the one at `path`? Another run may have renamed or removed it.
inline bool is_at(const descriptor& fd, const std::string& path) noexcept {
  struct stat ours{}, there{};
  return ::fstat(fd.get(), &ours) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/// Open and lock what is at `path`. Closing the descriptor releases the lock.
/// @param target  the output that the lock protects, for the error
/// @param open    opens `path`; an empty descriptor asks for another attempt
/// @errors busy: another run holds the lock; io; those of open
descriptor open_locked(const std::string& path, const std::string& target,
                       function_ref<descriptor()> open);

/// Lock a file, and create it where it is missing. @errors busy: another run holds the lock; io
descriptor lock_file(const std::string& path);

/// Lock an existing folder. A run that wants to replace the folder (staged_folder.hpp) fails
/// meanwhile.
/// @errors busy: another run holds the lock; not_found, io: the error of the operating system
descriptor lock_folder(const std::string& path);

/// Lock the staging folder of a target, and create it where it is missing.
/// @errors busy: another run holds the lock; io
descriptor lock_staging_folder(const std::string& path, const std::string& target);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/lock.ipp>
#endif
