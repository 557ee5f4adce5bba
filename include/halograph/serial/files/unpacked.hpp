// SPDX-License-Identifier: BSL-1.0
/// @file unpacked.hpp
/// Compressed files opened as what they hold, in memory or in a temporary file, by any reader that
/// decompresses.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/lines.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

/// The endings of compressed files' names. Such a file holds what its name says without them.
inline constexpr std::string_view packed_endings[] = {".gz", ".zst"};

/// A path without the ending of a compressed file: "/data/web.txt.gz" gives "/data/web.txt".
constexpr std::string_view unpacked_name(std::string_view path) noexcept {
  for (const auto ending : packed_endings) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

namespace detail {

/// A compressed file that a reader takes from the front, and the sentences for what is wrong with
/// it.
struct packed_input {
  std::span<const std::byte> bytes;
  std::string file;           ///< its name, for errors
  const char *format, *unit;  ///< "gzip", "member": what a file is a sequence of
  std::size_t read = 0;       ///< bytes taken so far

  std::span<const std::byte> rest() const noexcept { return bytes.subspan(read); }
  /// @errors truncated   @param least  bytes of the smallest file
  void require_content(std::size_t least) const;
  [[noreturn]] void raise_truncated() const;
  [[noreturn]] void raise_malformed(const std::string& why) const;
  /// What follows a unit is neither the next nor what `allowed` names, if anything.
  [[noreturn]] void raise_rubbish(const std::string& allowed = {}) const;
  [[noreturn]] void raise_memory() const;
  [[noreturn]] void raise_internal(const std::string& answer) const;
};

/// Puts the next decompressed bytes into a span and counts them: fewer than fit only at the end.
using unpacked_bytes = function_ref<std::size_t(std::span<std::byte>)>;

/// @param packed   bytes of the compressed file   @param file  its name, for errors
/// @param longest  bytes that a line may have; 0: the content has no lines
/// @param available  bytes of memory, of which the content may have half; asked where it has more
///     than unasked_bytes. Null: no limit
/// @errors those of `next`; memory: the contents do not fit; malformed, at the line: it is too long
/// @complexity O(result), at most twice its memory while growing, and never more than half of
///     available() or unasked_bytes
file_bytes unpack_into_memory(unpacked_bytes next, std::size_t packed, const std::string& file,
                              std::size_t longest, std::uint64_t (*available)() = nullptr);

/// What any file may hold: a folder may have thousands of small ones, and to ask the system takes
/// longer than to read them.
inline constexpr std::size_t unasked_bytes = std::size_t{1} << 18;

/// The same into a temporary file of the folder `scratch`, which is opened and then removed.
/// @errors also io: the disk is full; those of `open`
file_bytes unpack_into_scratch(unpacked_bytes next, const std::string& file,
                               const std::string& scratch, std::size_t longest,
                               const any_file_opener& open);

template <class R>
concept unpacks = std::constructible_from<R, std::span<const std::byte>, std::string> &&
                  requires(R& reader, std::span<std::byte> out) {
                    { R::ending } -> std::convertible_to<std::string_view>;
                    { reader.read(out) } -> std::same_as<std::size_t>;
                  };

}  // namespace detail

/// Opens files through another opener; those whose name has the ending of a Reader (gzip_reader,
/// zstd_reader) are decompressed into memory. Thread-safe.
/// @tparam Reader  `Reader(span<const byte> packed, string file)`; `size_t read(span<byte> out)`,
///     which sets fewer bytes than fit only at the end; `Reader::ending`
/// @errors those of the Reader and of the other opener; memory: the contents do not fit; malformed,
///     at the line: it is longer than the caller allows
template <class Reader, file_opener Opener = read_files>
  requires detail::unpacks<Reader>
struct unpacked_files {
  Opener inner{};  ///< opens the compressed files, and all others
  /// Bytes of memory that are available, asked for each compressed file that holds more than
  /// 256 KiB: it may hold half of them, so that a small file which holds very much is refused while
  /// there is memory. Null: no limit
  std::uint64_t (*available)() = nullptr;

  /// The bytes of a file; of a compressed one those that it holds.
  file_bytes operator()(const std::string& path) const {
    return path.ends_with(Reader::ending) ? unpack(path, 0) : inner(path);
  }
  /// As open_lines() of serial/text/lines.hpp, which calls it.
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return path.ends_with(Reader::ending) ? unpack(path, longest)
                                          : open_lines(inner, path, longest);
  }

 private:
  file_bytes unpack(const std::string& path, std::size_t longest) const {
    const file_bytes packed = inner(path);
    Reader reader(packed.bytes, path);
    return detail::unpack_into_memory([&](std::span<std::byte> out) { return reader.read(out); },
                                      packed.bytes.size(), path, longest, available);
  }
};

/// As unpacked_files, for contents that do not fit into memory: they are decompressed into a
/// temporary file, which the other opener opens (such as mapped_files) and which is then removed.
/// Thread-safe.
/// @errors as unpacked_files; io: the disk is full
template <class Reader, file_opener Opener>
  requires detail::unpacks<Reader>
struct spilled_files {
  Opener inner{};                ///< opens compressed, temporary and all other files
  std::string scratch = "/tmp";  ///< folder of the temporary files

  /// The bytes of a file; of a compressed one those that it holds.
  file_bytes operator()(const std::string& path) const {
    return path.ends_with(Reader::ending) ? spill(path, 0) : inner(path);
  }
  /// As open_lines() of serial/text/lines.hpp, which calls it.
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return path.ends_with(Reader::ending) ? spill(path, longest) : open_lines(inner, path, longest);
  }

 private:
  file_bytes spill(const std::string& path, std::size_t longest) const {
    const file_bytes packed = inner(path);
    Reader reader(packed.bytes, path);
    return detail::unpack_into_scratch([&](std::span<std::byte> out) { return reader.read(out); },
                                       path, scratch, longest, inner);
  }
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/unpacked.ipp>
#endif
