// SPDX-License-Identifier: BSL-1.0
/// @file checkpoint.ipp
/// Bodies of the plain functions of serial/files/checkpoint.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE stage_range digest_of_range(const std::string& folder, std::string path,
                                             std::uint64_t offset, std::uint64_t bytes) {
  const std::string whole = folder + "/" + path;
  std::uint64_t size = 0;
  const auto fd = detail::open_regular(whole, size);
  return {detail::digest_range(fd, whole, offset, bytes), offset, bytes, std::move(path)};
}

HALOGRAPH_INLINE std::uint64_t stage_record::count(std::string_view of) const {
  for (const auto& [key, value] : counts) {
    if (key == of) return value;
  }
  raise(error_kind::internal, "stage " + name + " counted no " + std::string(of));
}

HALOGRAPH_INLINE std::string print(const stage_record& stage) {
  std::string rest = stage.name;
  for (const auto& [key, value] : stage.counts) rest += " " + key + "=" + std::to_string(value);
  for (const auto& file : stage.files) {
    rest += " file:" + detail::hexadecimal(file.digest) + ":" + std::to_string(file.bytes) + ":" +
            file.path;
  }
  for (const auto& some : stage.ranges) {
    rest += " range:" + detail::hexadecimal(some.digest) + ":" + std::to_string(some.offset) + ":" +
            std::to_string(some.bytes) + ":" + some.path;
  }
  return detail::hexadecimal(detail::digest_of_text(rest)) + " " + rest;
}

HALOGRAPH_INLINE std::optional<stage_record> parse_stage(std::string_view line) {
  std::uint64_t digest = 0;
  if (line.size() < 18 || line[16] != ' ' || !detail::parse_whole(line.substr(0, 16), digest, 16))
    return std::nullopt;
  line.remove_prefix(17);
  if (detail::digest_of_text(line) != digest) return std::nullopt;
  stage_record out;
  for (bool first = true; !line.empty(); first = false) {
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (first) {
      out.name = std::string(word);
    } else if (word.starts_with("file:")) {
      manifest_entry file;
      const auto bytes = word.find(':', 5),
                 path = bytes == std::string_view::npos ? bytes : word.find(':', bytes + 1);
      if (path == std::string_view::npos ||
          !detail::parse_whole(word.substr(5, bytes - 5), file.digest, 16) ||
          !detail::parse_whole(word.substr(bytes + 1, path - bytes - 1), file.bytes)) {
        return std::nullopt;
      }
      file.path = std::string(word.substr(path + 1));
      if (!detail::stays_inside(file.path)) return std::nullopt;
      out.files.push_back(std::move(file));
    } else if (word.starts_with("range:")) {
      stage_range some;
      const auto offset = word.find(':', 6),
                 bytes = offset == std::string_view::npos ? offset : word.find(':', offset + 1),
                 path = bytes == std::string_view::npos ? bytes : word.find(':', bytes + 1);
      if (path == std::string_view::npos ||
          !detail::parse_whole(word.substr(6, offset - 6), some.digest, 16) ||
          !detail::parse_whole(word.substr(offset + 1, bytes - offset - 1), some.offset) ||
          !detail::parse_whole(word.substr(bytes + 1, path - bytes - 1), some.bytes)) {
        return std::nullopt;
      }
      some.path = std::string(word.substr(path + 1));
      if (!detail::stays_inside(some.path)) return std::nullopt;
      out.ranges.push_back(std::move(some));
    } else {
      const auto equals = word.find('=');
      std::uint64_t value = 0;
      if (equals == std::string_view::npos || !detail::parse_whole(word.substr(equals + 1), value))
        return std::nullopt;
      out.counts.emplace_back(std::string(word.substr(0, equals)), value);
    }
  }
  return out;
}

HALOGRAPH_INLINE stage_list::stage_list(const std::string& folder, const std::string& job,
                                        bool resume, std::size_t rank, std::size_t ranks,
                                        const std::function<void()>& start_over)
    : folder_(folder), path_(folder + "/" + stages_name_of(rank)), rank_(rank), ranks_(ranks) {
  if (resume && !read(job) && start_over) start_over();
  std::string text = heading() + "\n" + job + "\n";
  for (const auto& stage : stages_) text += print(stage) + "\n";
  // Rewritten completely, which drops an incomplete last line.
  writer_.emplace(file_writer::create(path_ + "-new"));
  write(text);
  // A crash of the machine must not leave the name without the job, which would look like another.
  writer_->sync();
  std::error_code problem;
  std::filesystem::rename(path_ + "-new", path_, problem);
  if (problem) raise_io(path_, "put in place", problem.value());
}

HALOGRAPH_INLINE const stage_record* stage_list::completed(const std::string& name) {
  const auto found = index_.find(name);
  if (found == index_.end()) return nullptr;
  const stage_record& stage = stages_[found->second];
  const auto as_left = [&] {
    try {
      for (const auto& file : stage.files) {
        if (digest_file(folder_ + "/" + file.path, file.path) != file) return false;
      }
      for (const auto& some : stage.ranges) {
        if (digest_of_range(folder_, some.path, some.offset, some.bytes) != some) return false;
      }
    } catch (const error& problem) {
      if (problem.code() != error_kind::not_found && problem.code() != error_kind::truncated) throw;
      return false;
    }
    return true;
  };
  if (as_left()) return &stage;
  index_.erase(found);
  return nullptr;
}

HALOGRAPH_INLINE bool stage_list::read(const std::string& job) {
  file_bytes content;
  try {
    content = read_files{}(path_);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return false;
    throw;
  }
  std::string_view text(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size());
  const auto line = [&]() -> std::optional<std::string_view> {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto out = text.substr(0, end);
    text.remove_prefix(end + 1);
    return out;
  };
  const auto first = line();
  if (!first || !first->starts_with(version)) return false;
  if (*first != heading()) return false;  // stages of other ranks have other files
  const auto before = line();
  if (!before) return false;
  if (*before != job) {
    raise(
        error_kind::mismatch,
        "an earlier run began with other options or other inputs, so it cannot be resumed; run without --resume to start over",
        {.file = path_, .line = 2});
  }
  while (const auto one = line()) {
    auto stage = parse_stage(*one);
    if (!stage) break;  // what follows a broken line is not trusted
    add(std::move(*stage));
  }
  return true;
}

}  // namespace halograph
