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
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE lock_marker::lock_marker(const std::string& locked, const std::string& target) {
  const std::filesystem::path at(locked);
  const std::string name = at.filename().string();
  const auto path =
      (at.parent_path() / ((name.starts_with('.') ? "" : ".") + name + ".halograph-lock")).string();
  file_ = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (file_) {
    path_ = path;
    return;
  }
  if (errno != EEXIST) raise_io(path, "create", errno);
  raise(
      error_kind::busy,
      "another run is writing here, or a killed run left its lock file; this file system does not support locks, so remove " +
          path + " if no run is active",
      {.file = target});
}

/// Removes what a call has created if the call fails, unless another run holds the lock.
template <class Remove>
held_lock or_remove(const bool& made, function_ref<held_lock()> lock, const Remove& remove) try {
  return lock();
} catch (const error& problem) {
  if (made && problem.code() != error_kind::busy) remove();
  throw;
}

HALOGRAPH_INLINE held_lock open_locked(const std::string& path, const std::string& target,
                                       function_ref<descriptor()> open) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    descriptor fd = open();
    if (!fd) continue;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_at(fd, path)) return held_lock(std::move(fd));
    } else if (errno == EWOULDBLOCK) {
      break;
    } else if (errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOLCK) {
      lock_marker marker(path, target);
      if (is_at(fd, path)) return held_lock(std::move(fd), std::move(marker));
    } else if (errno != EINTR) {
      raise_io(path, "lock", errno);
    }
  }
  raise(error_kind::busy, "another run is writing here; wait for it, or choose another output",
        {.file = target});
}

HALOGRAPH_INLINE held_lock lock_file(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  bool made = false;
  const auto open = [&] {
    descriptor fd = open_file(path, flags | O_EXCL, 0666);
    made = static_cast<bool>(fd);
    if (!fd && errno == EEXIST) fd = open_file(path, flags, 0666);
    if (!fd) raise_io(path, "create", errno);
    return fd;
  };
  return or_remove(
      made, [&] { return open_locked(path, path, open); },
      [&] { static_cast<void>(::unlink(path.c_str())); });
}

HALOGRAPH_INLINE held_lock lock_folder(const std::string& path) {
  return open_locked(path, path, [&] {
    descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) raise_io(path, "open the folder", errno);
    return fd;
  });
}

HALOGRAPH_INLINE held_lock lock_staging_folder(const std::string& path, const std::string& target) {
  bool made = false;
  const auto open = [&] {
    made = ::mkdir(path.c_str(), 0777) == 0;
    if (!made && errno != EEXIST) raise_io(path, "create the folder", errno);
    descriptor fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // Another run that ended may have removed it in between.
    if (!fd && errno != ENOENT) raise_io(path, "open the folder", errno);
    return fd;
  };
  return or_remove(
      made, [&] { return open_locked(path, target, open); },
      [&] { static_cast<void>(::rmdir(path.c_str())); });
}

}  // namespace halograph::detail
