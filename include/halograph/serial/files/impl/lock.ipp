// SPDX-License-Identifier: BSL-1.0
/// @file lock.ipp
/// Bodies of the plain functions of serial/files/lock.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/lock.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace halograph::detail {

HALOGRAPH_INLINE descriptor open_locked(const std::string& path, const std::string& target,
                                        function_ref<descriptor()> open) {
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
  raise(error_kind::busy, "another run is writing here; wait for it, or choose another output",
        {.file = target});
}

HALOGRAPH_INLINE descriptor lock_file(const std::string& path) {
  return open_locked(path, path, [&] {
    descriptor fd = open_file(path, O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!fd) raise_io(path, "create", errno);
    return fd;
  });
}

HALOGRAPH_INLINE descriptor lock_folder(const std::string& path) {
  return open_locked(path, path, [&] {
    descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) raise_io(path, "open the folder", errno);
    return fd;
  });
}

HALOGRAPH_INLINE descriptor lock_staging_folder(const std::string& path,
                                                const std::string& target) {
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
