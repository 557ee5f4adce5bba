// SPDX-License-Identifier: BSL-1.0
/// @file zlib.hpp
/// Open .gz files inflated, with zlib, and all other files as they are.
/// Layer: adapters (models file_opener of serial/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<zlib.h>)
#error "halograph/adapters/zlib.hpp needs zlib 1.2 or newer (Debian: apt install zlib1g-dev)."
#endif

#include <halograph/core/error.hpp>
#include <halograph/serial/file.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace halograph {

namespace detail {

/// A buffer that grows without filling what it grows by; realloc moves large blocks by their pages.
class growing_bytes {
 public:
  growing_bytes() = default;
  growing_bytes(const growing_bytes&) = delete;
  growing_bytes& operator=(const growing_bytes&) = delete;
  ~growing_bytes() { std::free(data_); }

  bool resize(std::size_t size) noexcept {
    void* const moved = std::realloc(data_, std::max<std::size_t>(size, 1));
    if (moved == nullptr) return false;
    data_ = static_cast<std::byte*>(moved);
    size_ = size;
    return true;
  }
  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

struct inflate_stream {
  z_stream z{};
  inflate_stream() = default;
  inflate_stream(const inflate_stream&) = delete;
  inflate_stream& operator=(const inflate_stream&) = delete;
  ~inflate_stream() { ::inflateEnd(&z); }
};

}  // namespace detail

/// Inflate a gzip file: one or several members, padded with zeros or not.
/// @param packed  the file
/// @param file    its name, for errors
/// @errors truncated, malformed: at a byte of the packed file; memory: the contents do not fit. The size
///         of the result is bounded by memory alone: gzip cannot say it beforehand
/// @complexity O(result), at most twice its memory while growing
/// @source RFC 1952
inline file_bytes inflate_gzip(std::span<const std::byte> packed, const std::string& file = {}) {
  constexpr std::size_t slice = std::size_t{1} << 30;  // zlib counts in 32 bits
  const auto too_large = [&](std::size_t size) {
    raise(errc::memory, "its contents need more than " + std::to_string(size) + " bytes, which memory has not",
          {.file = file});
  };
  detail::inflate_stream stream;
  if (::inflateInit2(&stream.z, 15 + 16) != Z_OK) raise(errc::memory, "zlib has no memory to begin", {.file = file});
  const auto out = std::make_shared<detail::growing_bytes>();
  std::size_t capacity = std::max<std::size_t>(std::size_t{1} << 12, std::min(packed.size(), slice) * 4);
  if (!out->resize(capacity)) too_large(capacity);
  std::size_t read = 0, written = 0;
  if (packed.empty()) raise(errc::truncated, "is empty; a gzip file has at least 18 bytes", {.file = file, .byte = 0});
  for (;;) {
    if (written == capacity) {
      if (capacity > std::numeric_limits<std::size_t>::max() / 2 || !out->resize(capacity * 2)) too_large(capacity);
      capacity *= 2;
    }
    const std::size_t give = std::min(slice, packed.size() - read), room = std::min(slice, capacity - written);
    // zlib takes a pointer to non-const and leaves the bytes alone.
    stream.z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + read));
    stream.z.avail_in = static_cast<uInt>(give);
    stream.z.next_out = reinterpret_cast<Bytef*>(out->data() + written);
    stream.z.avail_out = static_cast<uInt>(room);
    const int answer = ::inflate(&stream.z, Z_NO_FLUSH);
    read += give - stream.z.avail_in;
    written += room - stream.z.avail_out;
    if (answer == Z_STREAM_END) {
      const auto rest = packed.subspan(read);
      if (std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; })) break;
      if (rest[0] != std::byte{0x1F}) {
        raise(errc::malformed, "what follows the gzip member is neither another member nor zeros",
              {.file = file, .byte = read});
      }
      if (::inflateReset(&stream.z) != Z_OK) raise(errc::internal, "zlib cannot begin anew", {.file = file});
    } else if (answer == Z_DATA_ERROR || answer == Z_NEED_DICT) {
      raise(errc::malformed,
            std::string("is not sound gzip: ") + (stream.z.msg != nullptr ? stream.z.msg : "it asks for a dictionary"),
            {.file = file, .byte = read});
    } else if (answer == Z_MEM_ERROR) {
      raise(errc::memory, "zlib has no memory to go on", {.file = file});
    } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
      raise(errc::internal, "zlib answers " + std::to_string(answer), {.file = file});
    } else if (read == packed.size() && written < capacity) {
      raise(errc::truncated, "ends in the middle of a gzip member", {.file = file, .byte = read});
    }
  }
  if (!out->resize(written)) too_large(written);
  return {std::span<const std::byte>(out->data(), written), out};
}

/// Opens files through another opener; those whose name ends in ".gz" are inflated. Thread-safe.
/// @errors as inflate_gzip and the other opener
template <file_opener Opener = read_files>
struct gz_files {
  Opener inner{};

  file_bytes operator()(const std::string& path) const {
    file_bytes file = inner(path);
    return path.ends_with(".gz") ? inflate_gzip(file.bytes, path) : file;
  }
};
static_assert(file_opener<gz_files<>>);

}  // namespace halograph
