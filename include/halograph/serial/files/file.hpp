// SPDX-License-Identifier: BSL-1.0
/// @file file.hpp
/// Files of the operating system, read whole, or read and written at positions.
/// Layer: serial (the platform: POSIX). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {
template <class O>
concept opens_files = requires(const O& open, const std::string& path) {
  { open(path) } -> std::same_as<file_bytes>;
};
/// Abilities of a file_opener, described there.
template <class O>
concept opens_lines = requires(const O& open, const std::string& path, std::size_t longest) {
  { open.lines(path, longest) } -> std::same_as<file_bytes>;
};
template <class O>
concept settles = requires(const O& open) { open.settle(); };
}  // namespace detail

/// Gives the bytes of the file at a path, or throws an error that names it. Readers take an opener,
/// so that the caller decides whether files are read, mapped or inflated.
///
/// An opener may have further members:
/// - `file_bytes lines(path, longest)`: opens a file of lines and fails at the first line of more
///   than `longest` bytes (see open_lines()), for openers that inflate;
/// - `settle()`: throws if a file that it opened has changed since (see settle_inputs()).
template <class O>
concept file_opener =
    (detail::opens_files<O> ||
     unmet<"file_opener: needs file_bytes operator()(const std::string& path) const">());

/// Any opener, owned, and shared by its copies: code that takes it is compiled once for all of
/// them. Thread-safe if the opener is.
class any_file_opener {
 public:
  any_file_opener();  ///< read_files
  /// Take over an opener.
  template <class Opener>
    requires(!std::same_as<Opener, any_file_opener> && file_opener<Opener>)
  any_file_opener(Opener open) : held_(hold(std::move(open))) {}

  /// Open a file. @errors those of the held opener
  file_bytes operator()(const std::string& path) const { return held_->open(path); }
  /// Does the opener check the lengths of lines itself? Called by open_lines().
  bool checks_lines() const noexcept { return held_->checks_lines; }
  /// The held opener's lines(); where it has none, opens without checking. Prefer open_lines().
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return held_->lines(path, longest);
  }
  /// The held opener's settle(); does nothing where it has none.
  void settle() const { held_->settle(); }

 private:
  struct base {
    explicit base(bool checks) noexcept : checks_lines(checks) {}
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    virtual file_bytes open(const std::string&) const = 0;
    virtual file_bytes lines(const std::string&, std::size_t) const = 0;
    virtual void settle() const = 0;
    const bool checks_lines;
  };
  template <class Opener>
  struct holder final : base {
    explicit holder(Opener&& opener)
        : base(detail::opens_lines<Opener>), inner(std::move(opener)) {}
    file_bytes open(const std::string& path) const override { return inner(path); }
    file_bytes lines(const std::string& path, std::size_t longest) const override {
      if constexpr (detail::opens_lines<Opener>) {
        return inner.lines(path, longest);
      } else {
        static_cast<void>(longest);
        return inner(path);
      }
    }
    void settle() const override {
      if constexpr (detail::settles<Opener>) inner.settle();
    }
    Opener inner;
  };
  /// An opener without members is shared by all, so that wrapping it allocates nothing.
  template <class Opener>
  static std::shared_ptr<const base> hold(Opener open) {
    if constexpr (std::is_empty_v<Opener> && std::is_default_constructible_v<Opener>) {
      static const holder<Opener> all{Opener{}};
      return {std::shared_ptr<const void>(), &all};
    } else {
      return std::make_shared<const holder<Opener>>(std::move(open));
    }
  }

  std::shared_ptr<const base> held_;
};
static_assert(file_opener<any_file_opener>);

/// Throw an error of the operating system: "PATH: cannot WHAT: No space left on device".
/// @param what   the verb, "write", "open"
/// @param error  a value of errno
/// @errors not_found (no such file), exists, memory, or io; always one of them
[[noreturn]] void raise_io(const std::string& path, const std::string& what, int error);

namespace detail {

/// An open file descriptor, closed at the end.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~descriptor() { static_cast<void>(close()); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// 0, or errno. Linux closes the descriptor even if close() is interrupted, so it is not
  /// repeated.
  int close() noexcept {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_ = -1;
};

descriptor open_file(const std::string& path, int flags, mode_t mode = 0);

/// Open a regular file for reading and get its size. O_NONBLOCK, which regular files ignore, avoids
/// waiting for the writer of a FIFO.
descriptor open_regular(const std::string& path, std::uint64_t& size);

}  // namespace detail

/// Which file or folder a path leads to, and in which state. Two states of one file differ in size
/// or time.
struct file_identity {
  /// Together they identify the file or folder on this machine.
  /// @{
  std::uint64_t device = 0, inode = 0;
  /// @}
  std::uint64_t bytes = 0;  ///< size
  /// Last modification: seconds since 1970, and the nanoseconds after them.
  /// @{
  std::int64_t seconds = 0, nanoseconds = 0;
  /// @}
  friend bool operator==(const file_identity&, const file_identity&) = default;
  /// Is it the same file or folder, even if its content has changed?
  bool same_file(const file_identity& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

/// Follows links. @return nothing if there is no such file or it cannot be examined
inline std::optional<file_identity> identify(const std::string& path) noexcept {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return file_identity{
      static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
      static_cast<std::uint64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
      static_cast<std::int64_t>(info.st_mtim.tv_nsec)};
}

namespace detail {

/// pread until `out` is full. @return 0, errno, or -1 if the file ends first
inline int read_fully(int fd, std::uint64_t offset, std::span<std::byte> out) noexcept {
  while (!out.empty()) {
    const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (got == 0) return -1;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return 0;
}

/// pwrite all bytes. @param offset  out: where they end, or the first that was not written is
/// @return 0 or errno
inline int write_fully(int fd, std::uint64_t& offset, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return 0;
}

/// Unlink a file, so that it vanishes when its descriptor is closed. @errors io
inline void remove_name(const std::string& path) {
  if (::unlink(path.c_str()) != 0) raise_io(path, "remove the name of the temporary file", errno);
}

/// An absolute path. @errors not_found, io: a relative path, and the working folder was removed
std::string absolute_path(const std::string& path);

/// Wait until a file's bytes are on disk. @errors io
void sync_file(int fd, const std::string& path);
/// Wait until the names in a folder are on disk: files that were made, renamed or removed. @errors
/// io
void sync_folder(const std::string& path);

/// Start to write the cached bytes of a file to disk, without waiting. Errors are left for
/// sync_file() to report.
inline void start_writing_back([[maybe_unused]] int fd) noexcept {
#if defined(__linux__)
  static_cast<void>(::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
#endif
}

/// Reserve the first `size` bytes of a file on disk, and extend it to them. @return 0 or errno
inline int reserve_bytes(int fd, off_t size) noexcept {
  if (size == 0) return 0;
#if defined(__linux__)
  // Not posix_fallocate: where the file system cannot reserve, glibc writes into every block
  // instead.
  int answer = 0;
  do {
    answer = ::fallocate(fd, 0, 0, size);
  } while (answer != 0 && errno == EINTR);
  if (answer == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
#endif
  return ::ftruncate(fd, size) == 0 ? 0 : errno;
}

/// All bytes of a file that open_regular() opened. @errors truncated, io, memory
file_bytes read_opened(const descriptor& fd, std::uint64_t size, const std::string& path);

}  // namespace detail

/// Opens a file by reading all of it into memory.
/// @errors not_found; io: not a regular file, or a failed system call; truncated: it shrank while
///     it was read; memory
/// @complexity one read of the file, its size in memory
struct read_files {
  /// The bytes of a file, which the result owns.
  file_bytes operator()(const std::string& path) const {
    std::uint64_t size = 0;
    const detail::descriptor fd = detail::open_regular(path, size);
    return detail::read_opened(fd, size, path);
  }
};
static_assert(file_opener<read_files>);

inline any_file_opener::any_file_opener() : any_file_opener(read_files{}) {}

/// A file as a byte sink: positional writes into a file of a size given in advance, or one that
/// grows. Thread-safe: several threads may write_at() at once, at different positions.
class file_sink {
 public:
  /// For create(): the size is not known in advance; the file grows as it is written.
  static constexpr std::uint64_t grows = std::numeric_limits<off_t>::max();
  /// Create or empty the file at `path` and reserve its bytes on disk, so that a full disk is an
  /// error here and not later (where the file system cannot reserve: an empty file of that size).
  /// @param size  in bytes; `grows`: nothing is reserved
  /// @errors exists, not_found, io, memory; the file is then removed
  static file_sink create(const std::string& path, std::uint64_t size);

  /// Open an existing file, to write into it at positions; its size does not change. @errors
  /// not_found, io
  static file_sink open(const std::string& path);

  /// Takes over the open file; the other sink has none then. Not thread-safe.
  /// @{
  file_sink(file_sink&& other) noexcept
      : fd_(std::move(other.fd_)),
        path_(std::move(other.path_)),
        size_(other.size_),
        error_(other.error_.load()) {}
  file_sink& operator=(file_sink&& other) noexcept {
    fd_ = std::move(other.fd_);
    path_ = std::move(other.path_);
    size_ = other.size_;
    error_.store(other.error_.load());
    return *this;
  }
  /// @}

  /// The path given to create() or open().
  const std::string& path() const noexcept { return path_; }
  /// Bytes of the file, which writes cannot change; or `grows`.
  std::uint64_t size() const noexcept { return size_; }

  /// @errors out_of_range at `offset`: beyond the size; io at `offset`: a failed system call, whose
  ///     message require() throws
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    if (offset > size_ || bytes.size() > size_ - offset) return status::out_of_range.at(offset);
    if (const int problem = detail::write_fully(fd_.get(), offset, bytes); problem != 0) {
      error_.store(problem);
      return {error_kind::io, offset};
    }
    if (cached_.fetch_add(bytes.size(), std::memory_order_relaxed) + bytes.size() >= most_cached) {
      cached_.store(0, std::memory_order_relaxed);
      detail::start_writing_back(fd_.get());
    }
    return status::ok;
  }

  /// Throw a failed status, with the path and, for io, the message of the operating system.
  void require(status answer) const;

  /// Wait until the bytes are on disk. @errors io
  void sync() { detail::sync_file(fd_.get(), path_); }

  /// Close the file; the destructor does so, too, but ignores errors. @errors io: a write that
  /// failed late
  void close() {
    if (const int problem = fd_.close(); problem != 0) raise_io(path_, "close", problem);
  }

 private:
  file_sink(detail::descriptor fd, std::string path, std::uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  /// How many bytes write_at() leaves in the cache before it starts to write them to disk, so that
  /// sync() has little left to wait for.
  static constexpr std::uint64_t most_cached = std::uint64_t{8} << 20;

  detail::descriptor fd_;
  std::string path_;
  std::uint64_t size_ = 0;
  std::atomic<std::uint64_t> cached_ = 0;
  std::atomic<int> error_ = 0;
};
static_assert(byte_sink<file_sink>);

/// A regular file as a byte source: positional reads, nothing held in memory.
/// Thread-safe: several threads may read_at() at once.
class file_source {
 public:
  /// @errors not_found; io: not a regular file, or a failed system call
  explicit file_source(const std::string& path)
      : fd_(detail::open_regular(path, size_)), path_(path) {}

  /// The path given to the constructor.
  const std::string& path() const noexcept { return path_; }
  /// Bytes when the file was opened.
  std::uint64_t size() const noexcept { return size_; }

  /// @errors truncated at size(): beyond the end, or the file has shrunk; io at `offset`
  status read_at(std::uint64_t offset, std::span<std::byte> out) const noexcept {
    if (offset > size_ || out.size() > size_ - offset) return status::truncated.at(size_);
    const int problem = detail::read_fully(fd_.get(), offset, out);
    if (problem < 0) return status::truncated.at(size_);
    if (problem > 0) return {error_kind::io, offset};
    return status::ok;
  }

 private:
  std::uint64_t size_ = 0;  // before fd_: opening sets it
  detail::descriptor fd_;
  std::string path_;
};
static_assert(byte_source<file_source>);

namespace detail {

/// How the names of temporary files and folders begin.
inline constexpr const char* temporary_prefix = ".halograph-scratch-";

/// A path in a folder that is unique among all running processes. "": the working folder
inline std::string temporary_path(const std::string& folder) {
  static std::atomic<unsigned> number{0};
  return (folder.empty() ? "." : folder) + '/' + temporary_prefix + std::to_string(::getpid()) +
         "-" + std::to_string(number.fetch_add(1));
}

}  // namespace detail

/// A temporary file for data that do not fit memory. It grows as it is written, and vanishes with
/// the object, or with the process if it is killed. Reads see all writes. Not thread-safe.
class scratch_file {
 public:
  /// @param folder  whose file system is used; the file has no name there, except for a moment on
  ///     file systems that require one. "": the working folder
  /// @param buffer  bytes that append() collects before it writes
  /// @errors not_found, io: of the folder
  explicit scratch_file(const std::string& folder, std::size_t buffer = std::size_t{1} << 16);

  /// Bytes written so far.
  std::uint64_t size() const noexcept { return written_ + pending_.size(); }
  /// The folder given to the constructor.
  const std::string& folder() const noexcept { return folder_; }

  /// Append. @errors io: the disk is full, or another failed system call
  void append(std::span<const std::byte> bytes);
  /// Write at a position; bytes between the end and there become zero. @errors as append()
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    flush();
    put(offset, bytes);
  }
  /// Read `out.size()` bytes. @errors truncated: there are fewer; io
  void read_at(std::uint64_t offset, std::span<std::byte> out);
  /// Write the buffer and release it.
  void flush() {
    put(written_, pending_);
    pending_ = {};
  }

 private:
  void put(std::uint64_t offset, std::span<const std::byte> bytes);

  detail::descriptor fd_{};
  std::string folder_;
  std::size_t capacity_;
  std::vector<std::byte> pending_{};
  std::uint64_t written_ = 0;
};

/// A file of unknown size, written from front to back. Not thread-safe.
class file_writer {
 public:
  /// Create or empty the file at `path`. @errors exists, not_found, io
  static file_writer create(const std::string& path);

  /// The path given to create().
  const std::string& path() const noexcept { return path_; }
  /// Bytes written so far.
  std::uint64_t size() const noexcept { return size_; }

  /// Append, unbuffered. @errors io: the disk is full, or another failed system call
  void write(std::span<const std::byte> bytes);

  /// Wait until the bytes are on disk. @errors io
  void sync() { detail::sync_file(fd_.get(), path_); }

  /// Close the file; the destructor does so, too, but ignores errors. @errors io: a write that
  /// failed late
  void close() {
    if (const int problem = fd_.close(); problem != 0) raise_io(path_, "close", problem);
  }

 private:
  file_writer(detail::descriptor fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  detail::descriptor fd_;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/file.ipp>
#endif
