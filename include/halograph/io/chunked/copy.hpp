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

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/version.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// How to copy.
struct copy_options {
  input_options reading{};  ///< `scratch` is the copy's own folder
  bool resume = false;      ///< take the copy that an earlier run left, if it is of the same input
  progress_callback on_progress{};
  /// Called before anything is written, with the input and the bytes that will be written; may
  /// throw to refuse.
  std::function<void(const opened_stream& input, std::uint64_t bytes)> on_need{};
};

namespace detail {

/// The staging folder (serial/files/staged_folder.hpp) of a target, and the place of its input's
/// copy.
struct places_beside {
  std::string staging{}, copy{};

  explicit places_beside(const std::string& target) {
    auto path = std::filesystem::path(target).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".",
                      name = path.filename().string();
    staging = parent + "/." + name + ".halograph-tmp";
    copy = parent + "/." + name + ".halograph-input";
  }
};

/// Files as they were when they were opened, for a manifest.
inline json::value describe_files(const std::map<std::string, file_identity>& files) {
  json::value out{json::array{}};
  for (const auto& [path, was] : files) {
    out.push(json::object{
        {"path", path},
        {"bytes", was.bytes},
        {"time", std::to_string(was.seconds) + " s " + std::to_string(was.nanoseconds) + " ns"}});
  }
  return out;
}

}  // namespace detail

/// Remove the copy that a killed run with the same target left, unless it is in use, is not ours,
/// or holds `input`.
inline void remove_chunked_copy(const std::string& target, const std::string& input) {
  const std::string place = detail::places_beside(target).copy;
  if (is_inside(place, input)) return;
  const std::string staging = detail::places_beside(place).staging;
  std::error_code problem;
  if (!std::filesystem::exists(place, problem) && !std::filesystem::exists(staging, problem))
    return;
  try {
    const staged_folder own(place);
    std::filesystem::remove_all(place, problem);
  } catch (const error&) {
    return;  // in use, or not ours
  }
}

/// Owns a copy, which is removed with this object unless the job has left its staging folder to be
/// resumed.
class chunked_copy {
 public:
  chunked_copy(chunked_copy&& other) noexcept { *this = std::move(other); }
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
    std::error_code ignored;
    if (!path_.empty() && !std::filesystem::exists(staging_, ignored))
      std::filesystem::remove_all(path_, ignored);
  }

  /// The chunked graph's folder.
  const std::string& path() const noexcept { return path_; }
  /// What it is a copy of: "METIS graph", ...
  const std::string& format() const noexcept { return format_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Messages about the input for the user.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// Did an earlier run make it?
  bool reused() const noexcept { return reused_; }

 private:
  template <class Files, json_codec Codec, class Formats, table_reader Tables, executor Executor>
  friend chunked_copy copy_chunked(const std::string&, const std::string&, const copy_options&,
                                   const Files&, const Codec&, const Formats&, Tables,
                                   const Executor&);

  chunked_copy() = default;

  std::string path_{}, staging_{}, format_{};
  std::vector<std::string> notes_{};
  std::uint64_t bytes_ = 0;
  bool reused_ = false;
  detail::descriptor lock_{};
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
template <class Files, json_codec Codec, class Formats, table_reader Tables, executor Executor>
chunked_copy copy_chunked(const std::string& path, const std::string& target,
                          const copy_options& options, const Files& files_in, const Codec& codec,
                          const Formats& formats, Tables tables, const Executor& executor) {
  const detail::places_beside places(target);
  std::error_code problem;
  {
    // Reject an unusable target before the work.
    staged_folder later(target, options.resume ? leftovers::keep : leftovers::remove);
    if (std::filesystem::is_empty(later.path(), problem)) later.let_go();
  }
  json::value asked = json::object{
      {"command", "copy"},
      {"input", path},
      {"features", options.reading.features},
      {"undirected", options.reading.undirected},
      {"num_nodes",
       options.reading.num_nodes ? json::value(*options.reading.num_nodes) : json::value()},
      {"triples", options.reading.triples},
      {"graph", options.reading.graph},
      {"version", HALOGRAPH_VERSION_STRING}};
  // The manifest's words: what was asked for, and what came of it.
  const auto words = [&](const std::string& format,
                         const std::map<std::string, file_identity>& files) {
    json::value out = asked;
    out.set("format", format).set("files", detail::describe_files(files));
    return out;
  };
  chunked_copy out;
  out.staging_ = places.staging;
  if (options.resume && std::filesystem::exists(places.copy, problem)) {
    out.lock_ = detail::lock_folder(places.copy);
    json::value before;
    const auto made = read_manifest(places.copy);
    if (made && codec.parse(made->command, before)) {
      // The same files, as they are now.
      std::map<std::string, file_identity> files;
      const auto* const list = before.find("files");
      for (const auto& one :
           list != nullptr && list->if_array() != nullptr ? *list->if_array() : json::array{}) {
        const auto* const name = one.find("path");
        if (name != nullptr && name->if_string() != nullptr)
          files.emplace(*name->if_string(), identify(*name->if_string()).value_or(file_identity{}));
      }
      const auto* const format = before.find("format");
      if (format != nullptr && format->if_string() != nullptr &&
          made->command == json::print(words(*format->if_string(), files), 0)) {
        out.format_ = *format->if_string();
        for (const auto& file : made->files) out.bytes_ += file.bytes;
        out.reused_ = true;
        out.path_ = places.copy;
        return out;
      }
    }
    if (std::filesystem::exists(places.staging, problem)) {
      raise(
          errc::mismatch,
          "an earlier run began with other options or other inputs, so it cannot be resumed; run without --resume to start over",
          {.file = places.copy, .line = {}, .byte = {}});
    }
    out.lock_ = {};
  }

  staged_folder staged(places.copy);
  recorded_files<decltype(files_in(staged.path()))> files{.inner = files_in(staged.path())};
  const auto record = files.record;
  record->protect(target);
  input_options reading = options.reading;
  reading.scratch = staged.path();
  chunk_options how;
  how.edges = chunk_format::numpy;
  how.on_progress = [&](progress at) {
    at.step = "copy";
    if (options.on_progress) options.on_progress(at);
  };
  const opened_stream opened = open_stream(path, reading, std::move(files), codec, formats,
                                           std::move(tables), executor);
  // The copy's name is only the default for the result's name: a file name that is not a valid
  // graph name must not stop the run.
  if (!is_safe_name(opened.graph.name) || opened.graph.name.front() == '.') how.name = "graph";
  if (options.on_need) options.on_need(opened, chunked_bytes(opened.graph, write_options_of(how)));
  out.bytes_ = write_chunks(opened.graph, staged, how, no_tables{}, executor).bytes;
  out.notes_ = opened.graph.notes;
  const json::value command = words(opened.format, record->files());
  record->settle();
  if (auto note = staged.commit(command_text(command)); !note.empty())
    out.notes_.push_back(std::move(note));
  out.lock_ = detail::lock_folder(places.copy);
  const auto made = read_manifest(places.copy);
  if (!made || made->command != json::print(command, 0)) {
    raise(errc::busy,
          "another run has written its own copy here; wait for it, or choose another output",
          {.file = places.copy, .line = {}, .byte = {}});
  }
  out.path_ = places.copy;
  out.format_ = opened.format;
  return out;
}

}  // namespace halograph
