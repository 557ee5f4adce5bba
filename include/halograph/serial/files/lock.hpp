// SPDX-License-Identifier: BSL-1.0
/// @file lock.hpp
/// Locks on output files and folders: at most one run writes to each.
/// Layer: serial. Words: README.md.
///
/// A run locks with flock(), which the operating system releases whenever a run ends. On a file
/// system without it (EOPNOTSUPP, ENOSYS, ENOLCK) a run creates `.<name>.halograph-lock` beside the
/// file or folder instead, which fails while another run has done so, and removes it at its end. A
/// run that is killed leaves it; the next one asks the user to remove it.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace halograph::detail {

/// Is an open file still the one at `path`? Another run may have renamed or removed it.
inline bool is_at(const descriptor& fd, const std::string& path) noexcept {
  struct stat ours{}, there{};
  return ::fstat(fd.get(), &ours) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/// A file that stands for a lock on a file system without locks; removed at the end.
class lock_marker {
 public:
  lock_marker() = default;
  /// @errors busy: another run has created it; io
  /// @param target  the output that the lock protects, for the error
  lock_marker(const std::string& locked, const std::string& target);
  lock_marker(lock_marker&& other) noexcept { *this = std::move(other); }
  lock_marker& operator=(lock_marker&& other) noexcept {
    if (this == &other) return *this;
    remove();
    file_ = std::move(other.file_);
    path_ = std::exchange(other.path_, {});
    return *this;
  }
  ~lock_marker() { remove(); }

 private:
  void remove() noexcept {
    if (!path_.empty()) static_cast<void>(::unlink(path_.c_str()));
    path_.clear();
  }

  // Kept open while the lock is held, so that /proc shows which process holds it.
  descriptor file_{};
  std::string path_{};
};

/// An open file or folder that this run has locked. Destroying it releases the lock.
class held_lock : public descriptor {
 public:
  held_lock() = default;
  /// Takes over the open file and, where the file system has no locks, what stands for one.
  explicit held_lock(descriptor locked, lock_marker marker = {}) noexcept
      : descriptor(std::move(locked)), marker_(std::move(marker)) {}

 private:
  lock_marker marker_{};
};

/// Open and lock what is at `path`.
/// @param target  the output that the lock protects, for the error
/// @param open    opens `path`; an empty descriptor asks for another attempt
/// @errors busy: another run holds the lock; io; those of open
held_lock open_locked(const std::string& path, const std::string& target,
                      function_ref<descriptor()> open);

/// Lock a file, and create it where it is missing; a call that fails removes what it created.
/// @errors busy: another run holds the lock; io
held_lock lock_file(const std::string& path);

/// Lock an existing folder. A run that wants to replace the folder (staged_folder.hpp) fails
/// meanwhile.
/// @errors busy: another run holds the lock; not_found, io: the error of the operating system
held_lock lock_folder(const std::string& path);

/// Lock the staging folder of a target, and create it where it is missing; a call that fails
/// removes what it created. @errors busy: another run holds the lock; io
held_lock lock_staging_folder(const std::string& path, const std::string& target);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/lock.ipp>
#endif
