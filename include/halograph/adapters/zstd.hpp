// SPDX-License-Identifier: BSL-1.0
/// @file zstd.hpp
/// Open .zst files decompressed, with Zstandard, and all other files as they are.
/// Layer: adapters (models file_opener of serial/files/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<zstd.h>)
#error "halograph/adapters/zstd.hpp needs Zstandard 1.4 or newer (Debian: apt install libzstd-dev)."
#else

#include <halograph/core/error.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/unpacked.hpp>

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

namespace detail {

struct zstd_freed {
  void operator()(ZSTD_DCtx* context) const noexcept { ::ZSTD_freeDCtx(context); }
};

/// Bytes of the window that a frame may ask for, as a power of two: what `zstd -d` allows, too.
inline constexpr int zstd_window_log = 27;

}  // namespace detail

/// Decompresses a Zstandard file piece by piece: one or several frames, skippable ones among them.
/// Not thread-safe.
/// @source RFC 8878
class zstd_reader {
 public:
  static constexpr std::string_view ending = ".zst";  ///< of the names of such files

  /// @param packed  the file; kept by reference   @param file  its name, for errors
  /// @errors truncated: it is empty; memory
  explicit zstd_reader(std::span<const std::byte> packed, std::string file = {})
      : in_{packed, std::move(file), "Zstandard", "frame"}, context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr) in_.raise_memory();
    require(::ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, detail::zstd_window_log));
    in_.require_content(9);
    begin_frame();
  }

  /// Has everything been read?
  bool done() const noexcept { return done_; }

  /// Read the next bytes. @return how many: fewer than asked for only at the end
  /// @errors truncated, malformed: at a byte of the packed file, or up to 64 KiB before the fault;
  ///     memory: there is not enough, or a frame asks for a window of more than 128 MiB
  std::size_t read(std::span<std::byte> out) {
    constexpr std::size_t slice = std::size_t{1} << 16;  // how exact the places of errors are
    std::size_t got = 0;
    while (got < out.size() && !done_) {
      const auto rest = in_.rest();
      ZSTD_inBuffer from{rest.data(), std::min(slice, rest.size()), 0};
      ZSTD_outBuffer to{out.data(), out.size(), got};
      const std::size_t answer = require(::ZSTD_decompressStream(context_.get(), &to, &from));
      in_.read += from.pos;
      got = to.pos;
      if (answer == 0) {
        done_ = in_.rest().empty();
        if (!done_) begin_frame();
      } else if (in_.rest().empty() && got < out.size()) {
        in_.raise_truncated();
      }
    }
    return got;
  }

 private:
  /// A frame must begin here. Zstandard would accept those of its drafts, too.
  void begin_frame() const {
    const auto rest = in_.rest();
    std::byte magic[4] = {std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F}, std::byte{0xFD}};
    if (rest[0] != magic[0]) {  // skippable: 0x184D2A50 to 0x184D2A5F
      constexpr std::byte skippable[] = {std::byte{0x50}, std::byte{0x2A}, std::byte{0x4D},
                                         std::byte{0x18}};
      std::copy(std::begin(skippable), std::end(skippable), std::begin(magic));
      magic[0] |= rest[0] & std::byte{0x0F};
    }
    const std::size_t count = std::min(rest.size(), std::size(magic));
    if (std::equal(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count), magic)) return;
    if (in_.read == 0) in_.raise_malformed("it does not begin with a frame");
    in_.raise_rubbish();
  }

  /// @return the answer, which is no error
  std::size_t require(std::size_t answer) const {
    if (::ZSTD_isError(answer) == 0) return answer;
    switch (::ZSTD_getErrorCode(answer)) {
      case ZSTD_error_memory_allocation:
        in_.raise_memory();
      case ZSTD_error_frameParameter_windowTooLarge:
        raise(error_kind::memory,
              "needs a window of more than 128 MiB to be decompressed; it must be compressed with "
              "at most --long=27",
              {.file = in_.file, .byte = in_.read});
      default:
        in_.raise_malformed(::ZSTD_getErrorName(answer));
    }
  }

  detail::packed_input in_;
  std::unique_ptr<ZSTD_DCtx, detail::zstd_freed> context_;
  bool done_ = false;
};

/// Decompress a Zstandard file: one or several frames.
/// @param packed   the file
/// @param file     its name, for errors
/// @param longest  bytes that a line may have; 0: the content has no lines
/// @errors those of zstd_reader; memory: the contents do not fit. The size of the result is bounded
///     by memory alone, whatever size the file states. malformed, at the line: it is too long
/// @complexity O(result), at most twice its memory while growing
/// @source RFC 8878
inline file_bytes decompress_zstd(std::span<const std::byte> packed, const std::string& file = {},
                                  std::size_t longest = 0) {
  zstd_reader reader(packed, file);
  return detail::unpack_into_memory([&](std::span<std::byte> out) { return reader.read(out); },
                                    packed.size(), file, longest);
}

/// Opens files through another opener; those whose name ends in ".zst" are decompressed.
/// Thread-safe. `gz_files<zst_files<mapped_files>>` opens both kinds.
/// @errors as decompress_zstd and the other opener
template <file_opener Opener = read_files>
using zst_files = unpacked_files<zstd_reader, Opener>;
static_assert(file_opener<zst_files<>>);

/// As zst_files, for contents that do not fit into memory: they are decompressed into a temporary
/// file, which the other opener opens (such as mapped_files) and which is then removed.
/// Thread-safe.
/// @errors as decompress_zstd and the other opener; io: the disk is full
template <file_opener Opener>
using spilled_zst_files = spilled_files<zstd_reader, Opener>;
static_assert(file_opener<spilled_zst_files<read_files>>);

}  // namespace halograph

#endif
