// SPDX-License-Identifier: BSL-1.0
/// @file file.ipp
/// Bodies of the plain functions of serial/files/file.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void raise_io(const std::string& path, const std::string& what, int error) {
  const error_kind code = error == ENOENT || error == ENOTDIR ? error_kind::not_found
                          : error == EEXIST                   ? error_kind::exists
                          : error == ENOMEM                   ? error_kind::memory
                                                              : error_kind::io;
  raise(code, "cannot " + what + ": " + std::generic_category().message(error), {.file = path});
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE descriptor open_file(const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return descriptor(fd);
}

HALOGRAPH_INLINE descriptor open_regular(const std::string& path, std::uint64_t& size) {
  if (path.find('\0') != std::string::npos) {
    raise(error_kind::invalid_argument, "a path must not hold a NUL byte",
          {.file = path.substr(0, path.find('\0'))});
  }
  descriptor fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) raise_io(path, "open", errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) raise_io(path, "examine", errno);
  if (!S_ISREG(info.st_mode)) {
    raise(error_kind::io,
          S_ISDIR(info.st_mode) ? "is a folder where a file is needed" : "is not a regular file",
          {.file = path});
  }
  size = static_cast<std::uint64_t>(info.st_size);
  return fd;
}

HALOGRAPH_INLINE std::string absolute_path(const std::string& path) {
  std::error_code problem;
  const auto out = std::filesystem::absolute(path, problem);
  if (problem) raise_io(path, "find the working folder of this relative path", problem.value());
  return out.string();
}

HALOGRAPH_INLINE void sync_file(int fd, const std::string& path) {
  int answer = 0;
  do {
    answer = ::fsync(fd);
  } while (answer != 0 && errno == EINTR);
  // Some file systems have nothing to sync and say so.
  if (answer != 0 && errno != EINVAL && errno != EROFS) raise_io(path, "sync", errno);
}

HALOGRAPH_INLINE void sync_folder(const std::string& path) {
  const auto fd = open_file(path, O_RDONLY | O_DIRECTORY);
  if (!fd) raise_io(path, "open", errno);
  sync_file(fd.get(), path);
}

HALOGRAPH_INLINE file_bytes read_opened(const descriptor& fd, std::uint64_t size,
                                        const std::string& path) {
  if (size == 0) return {};
  std::byte* memory = size > std::numeric_limits<std::size_t>::max() / 2
                          ? nullptr
                          : new (std::nothrow) std::byte[static_cast<std::size_t>(size)];
  if (memory == nullptr) {
    raise(error_kind::memory, "its " + std::to_string(size) + " bytes do not fit memory",
          {.file = path});
  }
  const std::shared_ptr<std::byte[]> owned(memory);
  const std::span<std::byte> bytes(memory, static_cast<std::size_t>(size));
  if (const int problem = detail::read_fully(fd.get(), 0, bytes); problem < 0) {
    raise(error_kind::truncated,
          "became shorter than its " + std::to_string(size) + " bytes while it was read",
          {.file = path});
  } else if (problem > 0) {
    raise_io(path, "read", problem);
  }
  return {bytes, owned};
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE file_sink file_sink::create(const std::string& path, std::uint64_t size) {
  if (size > grows) {
    raise(error_kind::overflow, std::to_string(size) + " bytes are more than a file can have",
          {.file = path});
  }
  detail::descriptor fd = detail::open_file(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW, 0666);
  if (!fd) raise_io(path, "create", errno);
  if (const int problem = size == grows ? 0
                                        : detail::reserve_bytes(fd.get(), static_cast<off_t>(size));
      problem != 0) {
    ::unlink(path.c_str());
    raise_io(path, "reserve " + std::to_string(size) + " bytes", problem);
  }
  return file_sink(std::move(fd), path, size);
}

HALOGRAPH_INLINE file_sink file_sink::open(const std::string& path) {
  detail::descriptor fd = detail::open_file(path, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) raise_io(path, "open", errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) raise_io(path, "examine", errno);
  if (!S_ISREG(info.st_mode)) raise(error_kind::io, "is not a regular file", {.file = path});
  return file_sink(std::move(fd), path, static_cast<std::uint64_t>(info.st_size));
}

HALOGRAPH_INLINE void file_sink::require(status answer) const {
  if (answer) return;
  if (answer.code == error_kind::io && error_.load() != 0) raise_io(path_, "write", error_.load());
  raise(answer.code, "cannot write at this place; the file has " + std::to_string(size_) + " bytes",
        {.file = path_, .byte = answer.position});
}

HALOGRAPH_INLINE scratch_file::scratch_file(const std::string& folder, std::size_t buffer)
    : folder_(folder), capacity_(buffer) {
#if defined(__linux__)
  // Without a name nothing is left where the run is killed, or a name cannot be removed.
  fd_ = detail::open_file(folder.empty() ? "." : folder, O_RDWR | O_TMPFILE | O_EXCL, 0600);
  if (!fd_ && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    raise_io(folder_, "create a temporary file in", errno);
#endif
  for (int attempt = 0; attempt < 1000 && !fd_; ++attempt) {
    const std::string path = detail::temporary_path(folder);
    fd_ = detail::open_file(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd_)
      detail::remove_name(path);
    else if (errno != EEXIST)
      break;
  }
  if (!fd_) raise_io(folder_, "create a temporary file in", errno);
}

HALOGRAPH_INLINE void scratch_file::append(std::span<const std::byte> bytes) {
  if (pending_.size() + bytes.size() > capacity_) {
    put(written_, pending_);
    pending_.clear();
  }
  if (bytes.size() >= capacity_) {
    put(written_, bytes);
  } else {
    if (pending_.capacity() == 0) pending_.reserve(capacity_);
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  }
}

HALOGRAPH_INLINE void scratch_file::read_at(std::uint64_t offset, std::span<std::byte> out) {
  flush();
  const int problem = detail::read_fully(fd_.get(), offset, out);
  if (problem < 0)
    raise(error_kind::truncated,
          "a temporary file ends before byte " + std::to_string(offset + out.size()),
          {.file = folder_});
  if (problem > 0) raise_io(folder_, "read a temporary file in", problem);
}

HALOGRAPH_INLINE void scratch_file::put(std::uint64_t offset, std::span<const std::byte> bytes) {
  const int problem = detail::write_fully(fd_.get(), offset, bytes);
  if (problem != 0) raise_io(folder_, "write a temporary file in", problem);
  written_ = std::max(written_, offset);
}

HALOGRAPH_INLINE file_writer file_writer::create(const std::string& path) {
  detail::descriptor fd = detail::open_file(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW, 0666);
  if (!fd) raise_io(path, "create", errno);
  return file_writer(std::move(fd), path);
}

HALOGRAPH_INLINE void file_writer::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) raise_io(path_, "write", put < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    size_ += static_cast<std::uint64_t>(put);
  }
}

}  // namespace halograph
