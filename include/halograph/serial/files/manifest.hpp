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

#include <halograph/core/error.hpp>
#include <halograph/core/version.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// The file name of the manifest in an output folder.
inline constexpr std::string_view manifest_name = ".halograph-manifest";

/// One file of a folder.
struct manifest_entry {
  std::uint64_t digest = 0;
  std::uint64_t bytes = 0;
  std::string path{};  ///< relative to the folder
  friend bool operator==(const manifest_entry&, const manifest_entry&) = default;
};

/// The files of an output folder and how they were made.
struct manifest {
  std::string version = HALOGRAPH_VERSION_STRING;
  std::string command = "{}";  ///< JSON on one line
  std::vector<manifest_entry> files{};

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

/// The line of a manifest that records how a result was made; empty for null.
inline std::string command_text(const json::value& command) {
  return command.is_null() ? std::string() : json::print(command, 0);
}

/// A manifest as text. Files are written in the order of their paths.
inline std::string print(const manifest& made) {
  std::string out = "halograph " + made.version + "\n" + made.command + "\n";
  auto files = made.files;
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const auto& file : files) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(file.digest));
    out += std::string(digits) + " " + std::to_string(file.bytes) + " " + file.path + "\n";
  }
  return out;
}

/// Parse a manifest. @param path for errors  @errors malformed, with the line
inline manifest parse_manifest(std::string_view text, const std::string& path) {
  manifest out;
  std::uint64_t line = 0;
  const auto fail = [&](const char* sentence) {
    raise(errc::malformed, sentence, {.file = path, .line = line, .byte = {}});
  };
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == std::string_view::npos) fail("the manifest's last line does not end");
    const auto row = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == 1) {
      if (row.substr(0, 10) != "halograph ")
        fail("a manifest begins with \"halograph\" and a version");
      out.version = std::string(row.substr(10));
    } else if (line == 2) {
      out.command = std::string(row);
    } else {
      manifest_entry file;
      const char* const last = row.data() + row.size();
      const auto digest = std::from_chars(row.data(), last, file.digest, 16);
      if (digest.ec != std::errc{} || digest.ptr != row.data() + 16 || digest.ptr == last ||
          *digest.ptr != ' ') {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      const auto size = std::from_chars(digest.ptr + 1, last, file.bytes);
      if (size.ec != std::errc{} || size.ptr == last || *size.ptr != ' ' || size.ptr + 1 == last) {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      file.path.assign(size.ptr + 1, last);
      if (!detail::stays_inside(file.path))
        fail("a path must be made of plain names, with '/' between");
      if (!out.files.empty() && out.files.back().path >= file.path)
        fail("paths must ascend, each listed once");
      out.files.push_back(std::move(file));
    }
  }
  if (line < 2) fail("the manifest ends too early");
  return out;
}

/// Read the manifest of a folder. @return nothing if the folder has none
inline std::optional<manifest> read_manifest(const std::string& folder) {
  const std::string path = folder + "/" + std::string(manifest_name);
  file_bytes content;
  try {
    content = read_files{}(path);
  } catch (const error& problem) {
    if (problem.code() == errc::not_found) return std::nullopt;
    throw;
  }
  return parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()},
                        path);
}

namespace detail {

/// The digest of a range of a file's bytes, read through a fixed buffer. @errors truncated, io
inline std::uint64_t digest_range(const descriptor& fd, const std::string& path,
                                  std::uint64_t offset, std::uint64_t bytes) {
  const auto buffer = std::make_unique<std::array<std::byte, 1 << 20>>();
  digest64 digest;
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const auto piece = std::span(*buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(offset + bytes - at, buffer->size())));
    if (const int problem = read_fully(fd.get(), at, piece); problem != 0) {
      if (problem < 0)
        raise(errc::truncated, "became shorter while it was read",
              {.file = path, .line = {}, .byte = at});
      raise_io(path, "read", problem);
    }
    digest.update(piece);
    at += piece.size();
  }
  return digest.value();
}

}  // namespace detail

/// The digest of a file's bytes, read through a fixed buffer. @errors as read_files
inline manifest_entry digest_file(const std::string& path, std::string name) {
  manifest_entry out;
  out.path = std::move(name);
  const detail::descriptor fd = detail::open_regular(path, out.bytes);
  out.digest = detail::digest_range(fd, path, 0, out.bytes);
  return out;
}

namespace detail {

/// The files that a manifest lists, and itself.
inline std::set<std::string, std::less<>> files_of(const manifest& made) {
  std::set<std::string, std::less<>> out{std::string(manifest_name)};
  for (const auto& file : made.files) out.insert(file.path);
  return out;
}

}  // namespace detail

}  // namespace halograph
