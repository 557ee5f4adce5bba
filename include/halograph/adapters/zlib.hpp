// SPDX-License-Identifier: BSL-1.0
/// @file zlib.hpp
/// Open .gz files inflated, with zlib, and all other files as they are.
/// Layer: adapters (models file_opener of serial/files/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<zlib.h>)
#error "halograph/adapters/zlib.hpp needs zlib 1.2 or newer (Debian: apt install zlib1g-dev)."
#else

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/unpacked.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

namespace detail {

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
  static constexpr std::string_view ending = ".gz";  ///< of the names of such files

  /// @param packed  the file; kept by reference   @param file  its name, for errors
  /// @errors truncated: it is empty; memory
  explicit gzip_reader(std::span<const std::byte> packed, std::string file = {})
      : in_{packed, std::move(file), "gzip", "member"} {
    if (::inflateInit2(&stream_.z, 15 + 16) != Z_OK) in_.raise_memory();
    in_.require_content(18);
  }

  /// Has everything been read?
  bool done() const noexcept { return done_; }

  /// Read the next bytes. @return how many: fewer than asked for only at the end
  /// @errors truncated, malformed: at a byte of the packed file; memory
  std::size_t read(std::span<std::byte> out) {
    constexpr std::size_t slice = std::size_t{1} << 30;  // zlib counts in 32 bits
    std::size_t got = 0;
    while (got < out.size() && !done_) {
      const auto rest = in_.rest();
      const std::size_t give = std::min(slice, rest.size()),
                        most = std::min(slice, out.size() - got);
      // zlib takes a pointer to non-const but does not change the bytes.
      stream_.z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest.data()));
      stream_.z.avail_in = static_cast<uInt>(give);
      stream_.z.next_out = reinterpret_cast<Bytef*>(out.data() + got);
      stream_.z.avail_out = static_cast<uInt>(most);
      const int answer = ::inflate(&stream_.z, Z_NO_FLUSH);
      in_.read += give - stream_.z.avail_in;
      const std::size_t filled = most - stream_.z.avail_out;
      got += filled;
      if (answer == Z_STREAM_END) {
        end_member();
      } else if (answer == Z_DATA_ERROR || answer == Z_NEED_DICT) {
        in_.raise_malformed(stream_.z.msg != nullptr ? stream_.z.msg : "it asks for a dictionary");
      } else if (answer == Z_MEM_ERROR) {
        in_.raise_memory();
      } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
        in_.raise_internal(std::to_string(answer));
      } else if (in_.rest().empty() && filled < most) {
        in_.raise_truncated();
      }
    }
    return got;
  }

 private:
  void end_member() {
    const auto rest = in_.rest();
    if (std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; })) {
      done_ = true;
      return;
    }
    if (rest[0] != std::byte{0x1F}) in_.raise_rubbish("zeros");
    if (const int answer = ::inflateReset(&stream_.z); answer != Z_OK)
      in_.raise_internal(std::to_string(answer));
  }

  detail::packed_input in_;
  detail::inflate_stream stream_{};
  bool done_ = false;
};

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
  gzip_reader reader(packed, file);
  return detail::unpack_into_memory([&](std::span<std::byte> out) { return reader.read(out); },
                                    packed.size(), file, longest);
}

/// Opens files through another opener; those whose name ends in ".gz" are inflated. Thread-safe.
/// @errors as inflate_gzip and the other opener
template <file_opener Opener = read_files>
using gz_files = unpacked_files<gzip_reader, Opener>;
static_assert(file_opener<gz_files<>>);

/// As gz_files, for contents that do not fit into memory: they are inflated into a temporary file,
/// which the other opener opens (such as mapped_files) and which is then removed.
/// Thread-safe.
/// @errors as inflate_gzip and the other opener; io: the disk is full
template <file_opener Opener>
using spilled_gz_files = spilled_files<gzip_reader, Opener>;
static_assert(file_opener<spilled_gz_files<read_files>>);

}  // namespace halograph

#endif
