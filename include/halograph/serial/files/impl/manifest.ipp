// SPDX-License-Identifier: BSL-1.0
/// @file manifest.ipp
/// Bodies of the plain functions of serial/files/manifest.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::string print(const manifest& made) {
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

HALOGRAPH_INLINE manifest parse_manifest(std::string_view text, const std::string& path) {
  manifest out;
  std::uint64_t line = 0;
  const auto fail = [&](const char* sentence) {
    raise(error_kind::malformed, sentence, {.file = path, .line = line, .byte = {}});
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

HALOGRAPH_INLINE std::optional<manifest> read_manifest(const std::string& folder) {
  const std::string path = folder + "/" + std::string(manifest_name);
  file_bytes content;
  try {
    content = read_files{}(path);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return std::nullopt;
    throw;
  }
  return parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()},
                        path);
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE void for_each_piece(
    const descriptor& fd, const std::string& path, std::uint64_t offset, std::uint64_t bytes,
    function_ref<void(std::uint64_t, std::span<const std::byte>)> f) {
  const auto buffer = std::make_unique<std::array<std::byte, 1 << 20>>();
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const auto piece = std::span(*buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(offset + bytes - at, buffer->size())));
    if (const int problem = read_fully(fd.get(), at, piece); problem != 0) {
      if (problem < 0)
        raise(error_kind::truncated, "became shorter while it was read",
              {.file = path, .line = {}, .byte = at});
      raise_io(path, "read", problem);
    }
    f(at, piece);
    at += piece.size();
  }
}

HALOGRAPH_INLINE std::uint64_t digest_range(const descriptor& fd, const std::string& path,
                                            std::uint64_t offset, std::uint64_t bytes) {
  digest64 digest;
  for_each_piece(fd, path, offset, bytes,
                 [&](std::uint64_t, std::span<const std::byte> piece) { digest.update(piece); });
  return digest.value();
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE manifest_entry digest_file(const std::string& path, std::string name) {
  manifest_entry out;
  out.path = std::move(name);
  const detail::descriptor fd = detail::open_regular(path, out.bytes);
  out.digest = detail::digest_range(fd, path, 0, out.bytes);
  return out;
}

}  // namespace halograph
