// SPDX-License-Identifier: BSL-1.0
/// @file lock.hpp
/// Locks on output files and folders: at most one run writes to each.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
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
template <class Open>
descriptor open_locked(const std::string& path, const std::string& target, Open open) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    descriptor fd = open();
    if (!fd) continue;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_at(fd, path)) return fd;
    } else if (errno == EWOULDBLOCK) {
      break;
    } else {
      raise_io(path, "lock", errno);
    }
  }
  raise(errc::busy, "another run is writing here; wait for it, or choose another output",
        {.file = target});
}

/// Lock a file, and create it where it is missing. @errors busy: another run holds the lock; io
inline descriptor lock_file(const std::string& path) {
  return open_locked(path, path, [&] {
    descriptor fd = open_file(path, O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!fd) raise_io(path, "create", errno);
    return fd;
  });
}

/// Lock an existing folder. A run that wants to replace the folder (staged_folder.hpp) fails
/// meanwhile.
/// @errors busy: another run holds the lock; not_found, io: the error of the operating system
inline descriptor lock_folder(const std::string& path) {
  return open_locked(path, path, [&] {
    descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) raise_io(path, "open the folder", errno);
    return fd;
  });
}

/// Lock the staging folder of a target, and create it where it is missing.
/// @errors busy: another run holds the lock; io
inline descriptor lock_staging_folder(const std::string& path, const std::string& target) {
  return open_locked(path, target, [&] {
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
      raise_io(path, "create the folder", errno);
    descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // Another run that ended may have removed it in between.
    if (!fd && errno != ENOENT) raise_io(path, "open the folder", errno);
    return fd;
  });
}

}  // namespace halograph::detail
