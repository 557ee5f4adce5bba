// SPDX-License-Identifier: BSL-1.0
/// @file copy.hpp
/// A chunked copy of any graph, for jobs that read only chunked graphs. It is placed next to their
/// output and removed with its owner.
/// Layer: io. Words: README.md.
///
/// The copy of the input of a job that writes to `parts` is the folder `.parts.halograph-input`: a
/// chunked graph (chunk.hpp) with numpy edges and features. Its manifest lists the files that it
/// was made of, with their sizes and times, so that a resumed job can use the copy again. The next
/// job with the same target removes the copy that a killed job left.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How to copy.
struct copy_options {
  input_options reading{};  ///< `scratch` is the copy's own folder
  bool resume = false;      ///< take the copy that an earlier run left, if it is of the same input
  progress_callback on_progress{};  ///< called while the copy is written; empty: no reports
  /// Called before anything is written, with the input and the bytes that will be written; may
  /// throw to refuse.
  std::function<void(const opened_stream& input, std::uint64_t bytes)> on_need{};
};

namespace detail {

/// The staging folder (serial/files/staged_folder.hpp) of a target, and the places of its input's
/// copy and of an assignment that is only made for it.
struct places_beside {
  std::string staging{}, copy{}, assignment{};

  explicit places_beside(const std::string& target);
};

/// Remove a folder that this run has made. What the system does not remove is left where the next
/// run with the same folder expects a staging folder, and removes it. @pre its lock is held
void remove_made(const std::string& folder) noexcept;

/// Files as they were when they were opened, for a manifest.
json::value describe_files(const std::map<std::string, file_identity>& files);

}  // namespace detail

/// Remove the copy that a killed run with the same target left, unless it is in use, is not ours,
/// or holds `input`.
void remove_chunked_copy(const std::string& target, const std::string& input);

/// Owns a copy, which is removed with this object unless the job has left its staging folder to be
/// resumed.
class chunked_copy {
 public:
  /// Takes the copy over; `other` owns none then.
  chunked_copy(chunked_copy&& other) noexcept { *this = std::move(other); }
  /// Swaps the copies; each object removes what it owns in the end.
  chunked_copy& operator=(chunked_copy&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(staging_, other.staging_);
    std::swap(format_, other.format_);
    std::swap(notes_, other.notes_);
    std::swap(bytes_, other.bytes_);
    std::swap(reused_, other.reused_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~chunked_copy() {
    try {
      if (!path_.empty() && !detail::is_there(staging_)) detail::remove_made(path_);
    } catch (...) {
      // It stays for the next job.
    }
  }

  /// The chunked graph's folder.
  const std::string& path() const noexcept { return path_; }
  /// What it is a copy of: "METIS graph", ...
  const std::string& format() const noexcept { return format_; }
  /// Bytes of the copy's files.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Messages about the input for the user.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// Did an earlier run make it?
  bool reused() const noexcept { return reused_; }

 private:
  friend chunked_copy copy_chunked(const std::string& path, const std::string& target,
                                   const copy_options& options,
                                   function_ref<any_file_opener(const std::string&)> files_in,
                                   const any_json_codec& codec, const format_list& formats,
                                   any_table_reader tables, executor_ref executor);

  chunked_copy() = default;

  std::string path_{}, staging_{}, format_{};
  std::vector<std::string> notes_{};
  std::uint64_t bytes_ = 0;
  bool reused_ = false;
  detail::held_lock lock_{};
};

/// Copy a graph of any format that open_stream() knows as a chunked graph, block by block.
///
/// @param path      the graph
/// @param target    the folder that the job is going to write; the copy is placed next to it
/// @param files_in  files_in(folder): the opener of the input's files, which may put temporary
///     files into that folder
/// @errors          those of open_stream() and write_chunks(); invalid_argument: a file of the
/// input is inside the target; mismatch: the run is to be resumed, but the existing copy is of
///     another input; busy, exists: of the target or the copy's place; io
/// @complexity      O(bytes read and written); memory as open_stream() and write_chunks()
chunked_copy copy_chunked(const std::string& path, const std::string& target,
                          const copy_options& options,
                          function_ref<any_file_opener(const std::string&)> files_in,
                          const any_json_codec& codec, const format_list& formats,
                          any_table_reader tables, executor_ref executor);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/copy.ipp>
#endif
