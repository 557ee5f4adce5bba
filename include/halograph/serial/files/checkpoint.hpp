// SPDX-License-Identifier: BSL-1.0
/// @file checkpoint.hpp
/// The completed stages of a long job, so that a killed run can be resumed.
/// Layer: serial. Words: README.md.
///
/// A text file in the staging folder: `halograph-stages 2`, with several ranks ` rank <r> of <R>`,
/// then one line that describes the job, then a line for each completed stage: a digest of the rest
/// of the line (16 hexadecimal digits), the name of the stage, `name=count` for its counts,
/// `file:digest:bytes:path` for each file that it has written, and `range:digest:offset:bytes:path`
/// for each byte range that it has written of a file that a later stage completes.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// The name of the checkpoint file in a staging folder.
inline constexpr std::string_view stages_name = ".halograph-stages";

/// The name of the file of a rank; rank 0 uses the plain name.
inline std::string stages_name_of(std::size_t rank) {
  return std::string(stages_name) + (rank == 0 ? std::string() : "-" + std::to_string(rank));
}

/// A byte range that one stage has written of a file that other stages complete.
struct stage_range {
  std::uint64_t digest = 0, offset = 0, bytes = 0;
  std::string path{};  ///< relative to the staging folder
  friend bool operator==(const stage_range&, const stage_range&) = default;
};

/// A range of a file as it is now. @param folder  the staging folder  @errors not_found, truncated,
/// io
inline stage_range digest_of_range(const std::string& folder, std::string path,
                                   std::uint64_t offset, std::uint64_t bytes) {
  const std::string whole = folder + "/" + path;
  std::uint64_t size = 0;
  const auto fd = detail::open_regular(whole, size);
  return {detail::digest_range(fd, whole, offset, bytes), offset, bytes, std::move(path)};
}

/// A completed stage: its counts and files.
struct stage_record {
  std::string name{};                                           ///< without blanks
  std::vector<std::pair<std::string, std::uint64_t>> counts{};  ///< names without blanks and '='
  std::vector<manifest_entry> files{};  ///< paths relative to the staging folder
  std::vector<stage_range> ranges{};

  /// A count by its name. @errors internal: no such count
  std::uint64_t count(std::string_view of) const {
    for (const auto& [key, value] : counts) {
      if (key == of) return value;
    }
    raise(errc::internal, "stage " + name + " counted no " + std::string(of));
  }
  friend bool operator==(const stage_record&, const stage_record&) = default;
};

namespace detail {

inline std::string hexadecimal(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

inline std::uint64_t digest_of_text(std::string_view text) {
  return digest_of(std::as_bytes(std::span(text.data(), text.size())));
}

template <class T>
bool parse_whole(std::string_view text, T& value, int base = 10) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return problem == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace detail

/// One stage as a line, without the line end.
inline std::string print(const stage_record& stage) {
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

/// Parse a line. @return nothing if it is incomplete
inline std::optional<stage_record> parse_stage(std::string_view line) {
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

/// The completed stages of one job. Not thread-safe.
class stage_list {
 public:
  /// Start a job, or resume it.
  ///
  /// @param folder  the staging folder
  /// @param job     everything that determines the result, on one line: inputs, options
  /// @param resume  use the stages that an earlier run of the same job has completed
  /// @param rank, ranks  each rank has a file of its own
  /// @param start_over  called with `resume` if there is no checkpoint of this job: must remove the
  ///     content of the folder, which is unknown
  /// @errors mismatch: an earlier run was of another job (options or inputs differ), or used
  /// another
  ///     number of ranks; io
  stage_list(const std::string& folder, const std::string& job, bool resume, std::size_t rank = 0,
             std::size_t ranks = 1, const std::function<void()>& start_over = {})
      : folder_(folder), path_(folder + "/" + stages_name_of(rank)), rank_(rank), ranks_(ranks) {
    if (resume && !read(job) && start_over) start_over();
    std::string text = heading() + "\n" + job + "\n";
    for (const auto& stage : stages_) text += print(stage) + "\n";
    // Rewritten completely, which drops an incomplete last line.
    writer_.emplace(file_writer::create(path_ + "-new"));
    write(text);
    std::error_code problem;
    std::filesystem::rename(path_ + "-new", path_, problem);
    if (problem) raise_io(path_, "put in place", problem.value());
  }

  const std::string& path() const noexcept { return path_; }
  bool empty() const noexcept { return index_.empty(); }

  /// A stage, if it is complete and its files are unchanged; otherwise it must be rerun.
  const stage_record* completed(const std::string& name) {
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
        if (problem.code() != errc::not_found && problem.code() != errc::truncated) throw;
        return false;
      }
      return true;
    };
    if (as_left()) return &stage;
    index_.erase(found);
    return nullptr;
  }
  /// A complete stage, without checking its files again. @pre complete() or completed() has
  /// returned true for it
  const stage_record* completed_before(const std::string& name) const {
    return &stages_[index_.at(name)];
  }
  /// Which of two completed stages is the later one? @pre both are completed()
  bool is_later(const std::string& one, const std::string& other) const {
    return index_.at(one) > index_.at(other);
  }

  /// Record that a stage is complete. Files without a digest must have been synced. @errors io
  const stage_record& complete(stage_record stage) {
    write(print(stage) + "\n");
    return add(std::move(stage));
  }

 private:
  /// Not synced: if a crash of the machine loses the line, the stage is rerun, and the line
  /// contains digests of the files.
  void write(const std::string& text) {
    writer_->write(std::as_bytes(std::span(text.data(), text.size())));
  }

  const stage_record& add(stage_record stage) {
    index_[stage.name] = stages_.size();
    stages_.push_back(std::move(stage));
    return stages_.back();
  }

  /// @return whether there is a checkpoint of this job
  bool read(const std::string& job) {
    file_bytes content;
    try {
      content = read_files{}(path_);
    } catch (const error& problem) {
      if (problem.code() == errc::not_found) return false;
      throw;
    }
    std::string_view text(reinterpret_cast<const char*>(content.bytes.data()),
                          content.bytes.size());
    const auto line = [&]() -> std::optional<std::string_view> {
      const auto end = text.find('\n');
      if (end == std::string_view::npos) return std::nullopt;
      const auto out = text.substr(0, end);
      text.remove_prefix(end + 1);
      return out;
    };
    const auto first = line();
    if (!first || !first->starts_with(version)) return false;
    if (*first != heading()) {
      const auto of = first->rfind(' ');
      raise(errc::mismatch,
            "an earlier run worked on " +
                std::string(first->size() == version.size() ? "1" : first->substr(of + 1)) +
                " ranks, this one on " + std::to_string(ranks_) +
                "; it can be resumed on as many, or run without --resume to start over",
            {.file = path_, .line = 1});
    }
    const auto before = line();
    if (!before) return false;
    if (*before != job) {
      raise(
          errc::mismatch,
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

  static constexpr std::string_view version = "halograph-stages 2";
  std::string heading() const {
    return std::string(version) +
           (ranks_ == 1 ? std::string()
                        : " rank " + std::to_string(rank_) + " of " + std::to_string(ranks_));
  }

  std::string folder_, path_;
  std::size_t rank_ = 0, ranks_ = 1;
  std::deque<stage_record>
      stages_{};  // as completed; a stage done again stands behind its first time
  std::map<std::string, std::size_t, std::less<>> index_{};
  std::optional<file_writer> writer_{};
};

}  // namespace halograph
