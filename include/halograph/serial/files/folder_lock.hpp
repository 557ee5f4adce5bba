// SPDX-License-Identifier: BSL-1.0
/// @file folder_lock.hpp
/// Own a finished folder for a while: a run that wants to replace it is refused meanwhile.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

namespace halograph {

namespace detail {

/// Lock a folder as those who replace folders do (serial/files/folder.hpp); the lock goes with the
/// descriptor.
/// @errors raises busy: another run holds it; not_found, io: what the operating system said
inline descriptor lock_folder(const std::string& path) {
  descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd) raise_io(path, "open the folder", errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) raise_io(path, "lock the folder", errno);
  raise(errc::busy, "another run is working here; wait for it, or choose another output",
        {.file = path, .line = {}, .byte = {}});
}

}  // namespace detail

}  // namespace halograph
