// SPDX-License-Identifier: BSL-1.0
/// @file manifest.hpp
/// The manifest of an output folder: which files it holds, their sizes and digests, and how they
/// were made.
/// Layer: serial. Words: README.md.
///
/// The manifest is text: `halograph <version>`, then how the folder was made as JSON on one line,
/// then a line per file in order of path: digest (16 hexadecimal digits, serial/digest.hpp), size
/// in bytes, path.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/version.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The file name of the manifest in an output folder.
inline constexpr std::string_view manifest_name = ".halograph-manifest";

/// One file of a folder.
struct manifest_entry {
  std::uint64_t digest = 0;  ///< XXH64 of its bytes
  std::uint64_t bytes = 0;   ///< size
  std::string path{};        ///< relative to the folder
  friend bool operator==(const manifest_entry&, const manifest_entry&) = default;
};

/// The files of an output folder and how they were made.
struct manifest {
  std::string version = HALOGRAPH_VERSION_STRING;  ///< of the library that made the folder
  std::string command = "{}";                      ///< JSON on one line
  std::vector<manifest_entry> files{};             ///< without the manifest itself

  /// The entry of a path, or nullptr. @complexity O(files)
  const manifest_entry* find(std::string_view path) const noexcept {
    for (const auto& file : files) {
      if (file.path == path) return &file;
    }
    return nullptr;
  }
};

namespace detail {

/// Is this a relative path of safe names, one that cannot leave its folder?
inline bool stays_inside(std::string_view path) noexcept {
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    if (!is_safe_name(path.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace detail

/// A manifest as text. Files are written in the order of their paths.
std::string print(const manifest& made);

/// Parse a manifest. @param path for errors  @errors malformed, with the line
manifest parse_manifest(std::string_view text, const std::string& path);

/// Read the manifest of a folder. @return nothing if the folder has none
std::optional<manifest> read_manifest(const std::string& folder);

namespace detail {

/// Call f(offset, bytes) for a range of a file, read through a fixed buffer. @errors truncated, io
void for_each_piece(const descriptor& fd, const std::string& path, std::uint64_t offset,
                    std::uint64_t bytes,
                    function_ref<void(std::uint64_t, std::span<const std::byte>)> f);
/// The digest of a range of a file's bytes. @errors as for_each_piece
std::uint64_t digest_range(const descriptor& fd, const std::string& path, std::uint64_t offset,
                           std::uint64_t bytes);

}  // namespace detail

/// The digest of a file's bytes, read through a fixed buffer. @errors as read_files
manifest_entry digest_file(const std::string& path, std::string name);

namespace detail {

/// The files that a manifest lists, and itself.
inline std::set<std::string, std::less<>> files_of(const manifest& made) {
  std::set<std::string, std::less<>> out{std::string(manifest_name)};
  for (const auto& file : made.files) out.insert(file.path);
  return out;
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/manifest.ipp>
#endif
