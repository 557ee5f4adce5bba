// SPDX-License-Identifier: BSL-1.0
/// @file copy.ipp
/// Bodies of the plain functions of io/chunked/copy.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/version.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE places_beside::places_beside(const std::string& target) {
  auto path = std::filesystem::path(target).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".",
                    name = path.filename().string();
  staging = parent + "/." + name + ".halograph-tmp";
  copy = parent + "/." + name + ".halograph-input";
  assignment = parent + "/." + name + ".halograph-assignment";
}

HALOGRAPH_INLINE void remove_made(const std::string& folder) noexcept {
  try {
    const std::string staging = places_beside(folder).staging;
    std::error_code problem;
    std::filesystem::rename(folder, staging, problem);
    remove_tree(problem ? folder : staging);
  } catch (...) {
    remove_tree(folder);  // out of memory
  }
}

HALOGRAPH_INLINE json::value describe_files(const std::map<std::string, file_identity>& files) {
  json::value out{json::array{}};
  for (const auto& [path, was] : files) {
    out.push(json::object{
        {"path", path},
        {"bytes", was.bytes},
        {"time", std::to_string(was.seconds) + " s " + std::to_string(was.nanoseconds) + " ns"}});
  }
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void remove_chunked_copy(const std::string& target, const std::string& input) {
  const std::string place = detail::places_beside(target).copy;
  if (is_inside(place, input)) return;
  const std::string staging = detail::places_beside(place).staging;
  if (!detail::is_there(place) && !detail::is_there(staging)) return;
  try {
    const staged_folder own(place);
    detail::remove_made(place);
  } catch (const error&) {
    return;  // in use, or not ours
  }
}

HALOGRAPH_INLINE chunked_copy copy_chunked(
    const std::string& path, const std::string& target, const copy_options& options,
    function_ref<any_file_opener(const std::string&)> files_in, const any_json_codec& codec,
    const format_list& formats, any_table_reader tables, executor_ref executor) {
  const detail::places_beside places(target);
  {
    // Reject an unusable target before the work.
    staged_folder later(target, options.resume ? leftovers::keep : leftovers::remove);
    if (detail::names_in(later.path()).empty()) later.let_go();
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
  if (options.resume && detail::is_there(places.copy)) {
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
    if (detail::is_there(places.staging)) {
      raise(
          error_kind::mismatch,
          "an earlier run began with other options or other inputs, so it cannot be resumed; run without --resume to start over",
          {.file = places.copy, .line = {}, .byte = {}});
    }
    out.lock_ = {};
  }

  staged_folder staged(places.copy);
  recorded_files<any_file_opener> files{.inner = files_in(staged.path())};
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
  if (auto note = staged.commit(json::one_line(command)); !note.empty())
    out.notes_.push_back(std::move(note));
  out.lock_ = detail::lock_folder(places.copy);
  const auto made = read_manifest(places.copy);
  if (!made || made->command != json::print(command, 0)) {
    raise(error_kind::busy,
          "another run has written its own copy here; wait for it, or choose another output",
          {.file = places.copy, .line = {}, .byte = {}});
  }
  out.path_ = places.copy;
  out.format_ = opened.format;
  return out;
}

}  // namespace halograph
