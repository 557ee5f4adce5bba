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

#include <halograph/core/linkage.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
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
  /// XXH64 of the range, its first byte in the file, and its size.
  /// @{
  std::uint64_t digest = 0, offset = 0, bytes = 0;
  /// @}
  std::string path{};  ///< relative to the staging folder
  friend bool operator==(const stage_range&, const stage_range&) = default;
};

/// A range of a file as it is now. @param folder  the staging folder  @errors not_found, truncated,
/// io
stage_range digest_of_range(const std::string& folder, std::string path, std::uint64_t offset,
                            std::uint64_t bytes);

/// A completed stage: its counts and files.
struct stage_record {
  std::string name{};                                           ///< without blanks
  std::vector<std::pair<std::string, std::uint64_t>> counts{};  ///< names without blanks and '='
  std::vector<manifest_entry> files{};  ///< paths relative to the staging folder
  std::vector<stage_range> ranges{};    ///< written of files that later stages complete

  /// A count by its name. @errors internal: no such count
  std::uint64_t count(std::string_view of) const;
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
std::string print(const stage_record& stage);

/// Parse a line. @return nothing if it is incomplete
std::optional<stage_record> parse_stage(std::string_view line);

/// The completed stages of one job. Not thread-safe.
class stage_list {
 public:
  /// Start a job, or resume it.
  ///
  /// @param folder  the staging folder
  /// @param job     everything that determines the result, on one line: inputs, options
  /// @param resume  use the stages that an earlier run of the same job has completed
  /// @param rank, ranks  each rank has a file of its own
  /// @param start_over  called with `resume` if no earlier run on the same number of ranks left a
  ///     checkpoint: must remove the content of the folder
  /// @errors mismatch: an earlier run was of another job (options or inputs differ); io
  stage_list(const std::string& folder, const std::string& job, bool resume, std::size_t rank = 0,
             std::size_t ranks = 1, const std::function<void()>& start_over = {});

  /// The checkpoint file of this rank.
  const std::string& path() const noexcept { return path_; }
  /// Is no stage complete?
  bool empty() const noexcept { return index_.empty(); }

  /// A stage, if it is complete and its files are unchanged; otherwise it must be rerun.
  const stage_record* completed(const std::string& name);
  /// A complete stage, without checking its files again. @pre complete() or completed() has
  /// returned it
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
  bool read(const std::string& job);

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

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/checkpoint.ipp>
#endif
