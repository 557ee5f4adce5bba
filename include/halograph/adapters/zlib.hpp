// SPDX-License-Identifier: BSL-1.0
/// @file zlib.hpp
/// Open .gz files inflated, with zlib, and all other files as they are.
/// Layer: adapters (models file_opener of serial/files/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<zlib.h>)
#error "halograph/adapters/zlib.hpp needs zlib 1.2 or newer (Debian: apt install zlib1g-dev)."
#else

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/lines.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// A buffer that grows without initializing; realloc moves large blocks by remapping their pages.
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

/// Inflates a gzip file piece by piece: one or several members, padded with zeros or not. Not
/// thread-safe.
/// @source RFC 1952
class gzip_reader {
 public:
  /// @param packed  the file; kept by reference   @param file  its name, for errors
  /// @errors truncated: it is empty; memory
  explicit gzip_reader(std::span<const std::byte> packed, std::string file = {})
      : packed_(packed), file_(std::move(file)) {
    if (::inflateInit2(&stream_.z, 15 + 16) != Z_OK)
      raise(error_kind::memory, "not enough memory to start zlib", {.file = file_});
    if (packed_.empty())
      raise(error_kind::truncated, "is empty; a gzip file has at least 18 bytes",
            {.file = file_, .byte = 0});
  }

  /// Has everything been read?
  bool done() const noexcept { return done_; }

  /// Read the next bytes. @return how many: fewer than asked for only at the end
  /// @errors truncated, malformed: at a byte of the packed file; memory
  std::size_t read(std::span<std::byte> out) {
    constexpr std::size_t slice = std::size_t{1} << 30;  // zlib counts in 32 bits
    std::size_t got = 0;
    while (got < out.size() && !done_) {
      const std::size_t give = std::min(slice, packed_.size() - read_),
                        most = std::min(slice, out.size() - got);
      // zlib takes a pointer to non-const but does not change the bytes.
      stream_.z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed_.data() + read_));
      stream_.z.avail_in = static_cast<uInt>(give);
      stream_.z.next_out = reinterpret_cast<Bytef*>(out.data() + got);
      stream_.z.avail_out = static_cast<uInt>(most);
      const int answer = ::inflate(&stream_.z, Z_NO_FLUSH);
      read_ += give - stream_.z.avail_in;
      const std::size_t filled = most - stream_.z.avail_out;
      got += filled;
      if (answer == Z_STREAM_END) {
        end_member();
      } else if (answer == Z_DATA_ERROR || answer == Z_NEED_DICT) {
        raise(error_kind::malformed,
              std::string("is not sound gzip: ") +
                  (stream_.z.msg != nullptr ? stream_.z.msg : "it asks for a dictionary"),
              {.file = file_, .byte = read_});
      } else if (answer == Z_MEM_ERROR) {
        raise(error_kind::memory, "not enough memory for zlib", {.file = file_});
      } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
        raise(error_kind::internal, "zlib answers " + std::to_string(answer), {.file = file_});
      } else if (read_ == packed_.size() && filled < most) {
        raise(error_kind::truncated, "ends in the middle of a gzip member",
              {.file = file_, .byte = read_});
      }
    }
    return got;
  }

 private:
  void end_member() {
    const auto rest = packed_.subspan(read_);
    if (std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; })) {
      done_ = true;
      return;
    }
    if (rest[0] != std::byte{0x1F}) {
      raise(error_kind::malformed,
            "what follows the gzip member is neither another member nor zeros",
            {.file = file_, .byte = read_});
    }
    if (::inflateReset(&stream_.z) != Z_OK)
      raise(error_kind::internal, "zlib cannot start the next member", {.file = file_});
  }

  std::span<const std::byte> packed_;
  std::string file_;
  detail::inflate_stream stream_{};
  std::size_t read_ = 0;
  bool done_ = false;
};

namespace detail {

/// Inflate a gzip file.
/// @param next_room  next_room(): where the next bytes go, never empty
/// @param took       took(n): the first n bytes of that room have been set
/// @param longest    bytes that a line may have; 0: the content has no lines
inline void inflate_gzip_into(std::span<const std::byte> packed, const std::string& file,
                              function_ref<std::span<std::byte>()> next_room,
                              function_ref<void(std::size_t)> took, std::size_t longest = 0) {
  gzip_reader reader(packed, file);
  line_lengths lengths(longest);
  std::uint64_t lines = 0;
  while (!reader.done()) {
    std::span<std::byte> room = next_room();
    if (longest != 0) room = room.first(std::min(room.size(), longest));
    const std::size_t got = reader.read(room);
    if (longest != 0) {
      const std::string_view block = as_text(room.first(got));
      if (const char* const at = lengths.too_long(block))
        raise_long_line(file, lines + 1 + count_line_ends(block.data(), at), longest);
      lines += count_line_ends(block.data(), block.data() + block.size());
    }
    took(got);
  }
}

/// Memory that doubles as it fills.
class inflated_memory {
 public:
  inflated_memory(std::size_t packed, const std::string& file)
      : file_(file),
        capacity_(std::max<std::size_t>(std::size_t{1} << 12,
                                        std::min(packed, std::size_t{1} << 30) * 4)) {
    resize(capacity_);
  }
  std::span<std::byte> room() {
    if (written_ == capacity_) {
      if (capacity_ > std::numeric_limits<std::size_t>::max() / 2) too_large(capacity_);
      resize(capacity_ * 2);
      capacity_ *= 2;
    }
    return {bytes_->data() + written_, capacity_ - written_};
  }
  void took(std::size_t count) noexcept { written_ += count; }
  file_bytes result() {
    resize(written_);
    return {std::span<const std::byte>(bytes_->data(), written_), bytes_};
  }

 private:
  void resize(std::size_t size) {
    if (!bytes_->resize(size)) too_large(size);
  }
  [[noreturn]] void too_large(std::size_t size) const {
    raise(error_kind::memory,
          "its contents need more than " + std::to_string(size) + " bytes, which memory has not",
          {.file = file_});
  }

  const std::string& file_;
  std::shared_ptr<growing_bytes> bytes_ = std::make_shared<growing_bytes>();
  std::size_t capacity_, written_ = 0;
};

/// A file that is written through a fixed buffer.
class inflated_file {
 public:
  explicit inflated_file(const std::string& path)
      : out_(file_writer::create(path)), buffer_(std::size_t{1} << 18) {}
  std::span<std::byte> room() noexcept { return buffer_; }
  void took(std::size_t count) { out_.write(std::span(buffer_).first(count)); }
  void close() { out_.close(); }

 private:
  file_writer out_;
  std::vector<std::byte> buffer_;
};

/// Inflate a gzip file into a temporary one, which is opened and then unlinked.
inline file_bytes inflate_into_scratch(std::span<const std::byte> packed, const std::string& path,
                                       const std::string& scratch, std::size_t longest,
                                       function_ref<file_bytes(const std::string&)> open) {
  const std::string name = temporary_path(scratch);
  const struct removed {
    const std::string& path;
    ~removed() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  } at_the_end{name};
  inflated_file out(name);
  inflate_gzip_into(
      packed, path, [&] { return out.room(); }, [&](std::size_t n) { out.took(n); }, longest);
  out.close();
  return open(name);
}

}  // namespace detail

/// Inflate a gzip file: one or several members, padded with zeros or not.
/// @param packed   the file
/// @param file     its name, for errors
/// @param longest  bytes that a line may have; 0: the content has no lines
/// @errors truncated, malformed: at a byte of the packed file; memory: the contents do not fit. The
///     size of the result is bounded by memory alone: gzip does not state it in advance. malformed,
///     at the line: it is too long
/// @complexity O(result), at most twice its memory while growing
/// @source RFC 1952
inline file_bytes inflate_gzip(std::span<const std::byte> packed, const std::string& file = {},
                               std::size_t longest = 0) {
  detail::inflated_memory memory(packed.size(), file);
  detail::inflate_gzip_into(
      packed, file, [&] { return memory.room(); }, [&](std::size_t n) { memory.took(n); }, longest);
  return memory.result();
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
  /// As open_lines() of serial/text/lines.hpp, which calls it.
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return path.ends_with(".gz") ? inflate_gzip(inner(path).bytes, path, longest)
                                 : open_lines(inner, path, longest);
  }
};
static_assert(file_opener<gz_files<>>);

/// As gz_files, for contents that do not fit into memory: they are inflated into a temporary file,
/// which the other opener opens (such as mapped_files) and which is then unlinked.
/// Thread-safe.
/// @errors as inflate_gzip and the other opener; io: the disk is full
template <file_opener Opener>
struct spilled_gz_files {
  Opener inner{};
  std::string scratch = "/tmp";  ///< folder of the temporary files

  file_bytes operator()(const std::string& path) const {
    return path.ends_with(".gz") ? spill(path, 0) : inner(path);
  }
  /// As open_lines() of serial/text/lines.hpp, which calls it.
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return path.ends_with(".gz") ? spill(path, longest) : open_lines(inner, path, longest);
  }

 private:
  file_bytes spill(const std::string& path, std::size_t longest) const {
    const file_bytes packed = inner(path);
    return detail::inflate_into_scratch(packed.bytes, path, scratch, longest, inner);
  }
};
static_assert(file_opener<spilled_gz_files<read_files>>);

}  // namespace halograph

#endif
