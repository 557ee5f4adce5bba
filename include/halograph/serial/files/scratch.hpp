// SPDX-License-Identifier: BSL-1.0
/// @file scratch.hpp
/// Scratch memory in files: arrays larger than memory, and records in buckets.
/// Layer: serial. Words: README.md.
///
/// The system writes pages of these files to disk and reads them back as it sees fit; none of them
/// is anonymous memory. Disk space is reserved when a file is created, so that a full disk is an
/// error then, and not a signal later.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Pages of a file in memory, shared with the file.
class shared_pages {
 public:
  shared_pages() = default;
  shared_pages(int fd, std::size_t bytes, bool writable, const std::string& path);
  shared_pages(shared_pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  shared_pages& operator=(shared_pages&& other) noexcept {
    if (this != &other) {
      unmap();
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~shared_pages() { unmap(); }

  std::span<std::byte> bytes() const noexcept { return {data_, bytes_}; }

 private:
  void unmap() noexcept {
    if (data_ != nullptr) static_cast<void>(::munmap(data_, bytes_));
    data_ = nullptr;
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Uninitialized bytes.
class raw_bytes {
 public:
  raw_bytes(std::size_t count, std::pmr::memory_resource* memory)
      : memory_(memory),
        data_(count == 0
                  ? nullptr
                  : static_cast<std::byte*>(memory->allocate(count, alignof(std::max_align_t)))),
        count_(count) {}
  raw_bytes(const raw_bytes&) = delete;
  raw_bytes& operator=(const raw_bytes&) = delete;
  ~raw_bytes() { clear(); }
  raw_bytes(raw_bytes&& other) noexcept
      : memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  /// Give them back.
  void clear() noexcept {
    if (data_ != nullptr) memory_->deallocate(data_, count_, alignof(std::max_align_t));
    data_ = nullptr;
    count_ = 0;
  }
  std::size_t size() const noexcept { return count_; }
  std::span<std::byte> all() const noexcept { return {data_, count_}; }
  std::span<std::byte> first(std::size_t count) const noexcept { return {data_, count}; }
  std::byte* data() const noexcept { return data_; }

 private:
  std::pmr::memory_resource* memory_;
  std::byte* data_;
  std::size_t count_;
};

/// Create a file of a size whose bytes are reserved and zero.
descriptor make_scratch(const std::string& path, std::uint64_t bytes);

}  // namespace detail

/// An array in a file. As thread-safe as an array.
template <class T>
  requires std::is_trivially_copyable_v<T>
class scratch_array {
 public:
  scratch_array() = default;

  /// A new file, all zero. @errors io: the disk is full, or another failed system call; overflow
  static scratch_array create(const std::string& path, std::uint64_t count) {
    std::uint64_t bytes = 0;
    check(multiply_into(count, std::uint64_t{sizeof(T)}, bytes),
          "a scratch file would have more than 2^64 bytes");
    auto fd = detail::make_scratch(path, bytes);
    scratch_array out(detail::shared_pages(fd.get(), static_cast<std::size_t>(bytes), true, path),
                      path);
    out.fd_ = std::move(fd);
    return out;
  }
  /// Open a file of create() for reading. @errors not_found, io; mismatch: it has another size
  static scratch_array open(const std::string& path, std::uint64_t count) {
    std::uint64_t bytes = 0;
    const auto fd = detail::open_regular(path, bytes);
    if (bytes % sizeof(T) != 0 || bytes / sizeof(T) != count) {
      raise(error_kind::mismatch,
            "has " + std::to_string(bytes) + " bytes where " + std::to_string(count) +
                " elements of " + std::to_string(sizeof(T)) + " are needed",
            {.file = path});
    }
    return scratch_array(
        detail::shared_pages(fd.get(), static_cast<std::size_t>(bytes), false, path), path);
  }

  /// Number of elements.
  std::size_t size() const noexcept { return pages_.bytes().size() / sizeof(T); }
  /// The elements, valid as long as this object. @pre for writing: made by create()
  /// @{
  std::span<T> values() noexcept { return {reinterpret_cast<T*>(pages_.bytes().data()), size()}; }
  std::span<const T> values() const noexcept {
    return {reinterpret_cast<const T*>(pages_.bytes().data()), size()};
  }
  /// @}
  /// Write elements through the file, which costs less than touching its pages for the first time.
  /// Thread-safe where the elements differ. @pre made by create()  @errors io
  void write(std::size_t first, std::span<const T> elements) const {
    std::uint64_t offset = std::uint64_t{first} * sizeof(T);
    const int problem = detail::write_fully(fd_.get(), offset, std::as_bytes(elements));
    if (problem != 0) raise_io(path_, "write", problem);
  }
  /// XXH64 of all bytes. @complexity O(bytes)
  std::uint64_t digest() const noexcept { return digest_of(pages_.bytes()); }
  /// The path given to create() or open().
  const std::string& path() const noexcept { return path_; }
  /// Close it, and remove its file, if that can be done.
  void remove() noexcept {
    pages_ = {};
    fd_ = {};
    if (!path_.empty()) static_cast<void>(::unlink(path_.c_str()));
    path_.clear();
  }

 private:
  scratch_array(detail::shared_pages pages, std::string path)
      : pages_(std::move(pages)), path_(std::move(path)) {}

  detail::shared_pages pages_{};
  detail::descriptor fd_{};  // of create()
  std::string path_{};
};

/// Memory for containers: anonymous up to a limit, then in unlinked files, which vanish when the
/// memory is released. Thread-safe.
class scratch_memory : public std::pmr::memory_resource {
 public:
  /// @param folder     where the files are
  /// @param anonymous  bytes of anonymous memory to use at most; pieces below `small` do not count
  scratch_memory(std::string folder, std::uint64_t anonymous)
      : folder_(std::move(folder)), room_(anonymous) {}
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;

  /// Pieces of fewer bytes come from the heap.
  static constexpr std::size_t small = std::size_t{1} << 16;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::string folder_;
  std::mutex mutex_{};
  std::uint64_t room_, next_ = 0;
  std::unordered_map<void*, std::size_t> anonymous_{};
  std::unordered_map<void*, detail::shared_pages> mapped_{};
};

/// Records of one width in buckets: all buckets share one file, in pieces of the size of a bucket's
/// buffer. Records of a bucket keep their order. Not thread-safe, but finished buckets may
/// be read by several threads.
class spill_buckets {
 public:
  /// @param path         the file; removed with this object
  /// @param buckets      how many
  /// @param record_bytes width of a record, 1 or more
  /// @param buffer_bytes of each bucket; rounded to whole records, one at least
  spill_buckets(const std::string& path, std::size_t buckets, std::size_t record_bytes,
                std::size_t buffer_bytes,
                std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : path_(path),
        width_(record_bytes),
        capacity_(std::max<std::size_t>(buffer_bytes / record_bytes, 1) * record_bytes),
        buffer_(buckets * capacity_, memory),
        fill_(buckets),
        pieces_(buckets) {
    fd_ = detail::open_file(path, O_RDWR | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW, 0600);
    if (!fd_) raise_io(path, "create", errno);
    detail::remove_name(path);
  }

  /// Number of buckets.
  std::size_t buckets() const noexcept { return fill_.size(); }
  /// Bytes of one record.
  std::size_t record_bytes() const noexcept { return width_; }
  /// Memory of the buffers, in bytes.
  std::uint64_t buffer_bytes() const noexcept { return buffer_.size(); }

  /// Memory for one record at the end of a bucket, to be filled before the next call. @errors io
  std::byte* append(std::size_t bucket);
  /// Append one record. @pre sizeof(Record) == record_bytes()  @errors io
  template <class Record>
    requires std::is_trivially_copyable_v<Record>
  void push(std::size_t bucket, const Record& record) {
    std::memcpy(append(bucket), &record, sizeof(Record));
  }

  /// Write the buffers and release their memory; then buckets can be read. @errors io
  void finish() {
    for (std::size_t b = 0; b < fill_.size(); ++b) flush(b);
    buffer_.clear();
  }
  /// The number of records of a bucket. @pre finished
  std::uint64_t count(std::size_t bucket) const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& one : pieces_[bucket]) bytes += one.bytes;
    return bytes / width_;
  }
  /// Calls f(span of records) over a bucket, in order. @param window  memory to read through, at
  /// least one record
  /// @errors io, truncated
  void read(std::size_t bucket, std::span<std::byte> window,
            function_ref<void(std::span<const std::byte>)> f) const;
  /// Tell the system that a bucket will be read soon.
  void prefetch(std::size_t bucket) const noexcept;
  /// A whole bucket at once. @param memory  for count(bucket) records at least
  /// @return its records, in `memory`  @errors io, truncated
  std::span<const std::byte> read_all(std::size_t bucket, std::span<std::byte> memory) const;

 private:
  struct piece {
    std::uint64_t offset = 0, bytes = 0;
  };

  void read_at(std::uint64_t offset, std::span<std::byte> out) const;
  void flush(std::size_t bucket);

  std::string path_;
  detail::descriptor fd_{};
  std::size_t width_, capacity_;
  detail::raw_bytes buffer_;
  std::vector<std::size_t> fill_;
  std::vector<std::vector<piece>> pieces_;
  std::uint64_t end_ = 0;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/scratch.ipp>
#endif
