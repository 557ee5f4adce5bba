// SPDX-License-Identifier: BSL-1.0
/// @file scratch.ipp
/// Bodies of the plain functions of serial/files/scratch.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE shared_pages::shared_pages(int fd, std::size_t bytes, bool writable,
                                            const std::string& path)
    : bytes_(bytes) {
  if (bytes == 0) return;
  void* const at = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                          fd, 0);
  if (at == MAP_FAILED) raise_io(path, "map", errno);
  data_ = static_cast<std::byte*>(at);
}

HALOGRAPH_INLINE descriptor make_scratch(const std::string& path, std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) ||
      bytes > std::numeric_limits<std::size_t>::max() / 2) {
    raise(error_kind::overflow, std::to_string(bytes) + " bytes are more than can be mapped",
          {.file = path});
  }
  descriptor fd = open_file(path, O_RDWR | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW, 0600);
  if (!fd) raise_io(path, "create", errno);
  if (const int problem = reserve_bytes(fd.get(), static_cast<off_t>(bytes)); problem != 0) {
    ::unlink(path.c_str());
    raise_io(path, "reserve " + std::to_string(bytes) + " bytes", problem);
  }
  return fd;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void* scratch_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes < small) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  const std::lock_guard lock(mutex_);
  if (bytes <= room_) {
    // Pages of their own: freed ones go back to the system at once.
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                            0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    prefer_large_pages({static_cast<std::byte*>(at), bytes});
    room_ -= bytes;
    anonymous_.emplace(at, bytes);
    return at;
  }
  const std::string path = folder_ + "/memory-" + std::to_string(next_++);
  const auto fd = detail::make_scratch(path, bytes);
  detail::remove_name(path);
  detail::shared_pages pages(fd.get(), bytes, true, path);
  void* const at = pages.bytes().data();
  mapped_.emplace(at, std::move(pages));
  return at;
}

HALOGRAPH_INLINE void scratch_memory::do_deallocate(void* at, std::size_t bytes,
                                                    std::size_t alignment) {
  if (bytes < small) return std::pmr::new_delete_resource()->deallocate(at, bytes, alignment);
  const std::lock_guard lock(mutex_);
  if (const auto found = anonymous_.find(at); found != anonymous_.end()) {
    static_cast<void>(::munmap(at, found->second));
    room_ += found->second;
    anonymous_.erase(found);
  } else {
    mapped_.erase(at);
  }
}

HALOGRAPH_INLINE std::byte* spill_buckets::append(std::size_t bucket) {
  std::size_t& fill = fill_[bucket];
  if (fill == capacity_) flush(bucket);
  std::byte* const at = buffer_.data() + bucket * capacity_ + fill;
  fill += width_;
  return at;
}

HALOGRAPH_INLINE void spill_buckets::read(std::size_t bucket, std::span<std::byte> window,
                                          function_ref<void(std::span<const std::byte>)> f) const {
  const std::size_t step = window.size() / width_ * width_;
  for (const auto& one : pieces_[bucket]) {
    for (std::uint64_t done = 0; done < one.bytes;) {
      const auto out = window.first(
          static_cast<std::size_t>(std::min<std::uint64_t>(step, one.bytes - done)));
      read_at(one.offset + done, out);
      f(std::span<const std::byte>(out));
      done += out.size();
    }
  }
}

HALOGRAPH_INLINE void spill_buckets::prefetch(std::size_t bucket) const noexcept {
  for (const auto& one : pieces_[bucket]) {
    // What the system cannot do now it does when the bucket is read.
    static_cast<void>(::posix_fadvise(fd_.get(), static_cast<off_t>(one.offset),
                                      static_cast<off_t>(one.bytes), POSIX_FADV_WILLNEED));
  }
}

HALOGRAPH_INLINE std::span<const std::byte> spill_buckets::read_all(
    std::size_t bucket, std::span<std::byte> memory) const {
  std::size_t read = 0;
  for (const auto& one : pieces_[bucket]) {
    read_at(one.offset, memory.subspan(read, static_cast<std::size_t>(one.bytes)));
    read += static_cast<std::size_t>(one.bytes);
  }
  return memory.first(read);
}

HALOGRAPH_INLINE void spill_buckets::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  const int problem = detail::read_fully(fd_.get(), offset, out);
  if (problem < 0)
    raise(error_kind::truncated, "became shorter while it was in use", {.file = path_});
  if (problem != 0) raise_io(path_, "read", problem);
}

HALOGRAPH_INLINE void spill_buckets::flush(std::size_t bucket) {
  std::span<const std::byte> bytes(buffer_.data() + bucket * capacity_, fill_[bucket]);
  if (bytes.empty()) return;
  auto& pieces = pieces_[bucket];
  if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == end_)
    pieces.back().bytes += bytes.size();
  else
    pieces.push_back({end_, bytes.size()});
  if (const int problem = detail::write_fully(fd_.get(), end_, bytes); problem != 0)
    raise_io(path_, "write", problem);
  fill_[bucket] = 0;
}

}  // namespace halograph
