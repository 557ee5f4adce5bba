// SPDX-License-Identifier: BSL-1.0
/// @file amend_folder.hpp
/// Add files to a partition folder, or replace some: all at once or nothing, the others as they are.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/input_record.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/folder.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph {

namespace detail {

/// All that stays as it is.
/// @param written  names inside the folder that are new in `staged`
/// @param link     link where the file system can, else copy; two folders that are to live side by side must not
///                 change with one another
inline void keep_other_files(const std::filesystem::path& folder, staged_folder& staged, const std::set<std::string>& written, bool link) {
  namespace fs = std::filesystem;
  std::error_code problem;
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string relative = at->path().lexically_relative(folder).generic_string();
    const auto kind = at->symlink_status(problem).type();
    if (problem) break;  // the next step would forget it, and the file would be lost
    if (kind == fs::file_type::directory || relative == manifest_name || written.count(relative) != 0) continue;
    if (kind != fs::file_type::regular) raise(errc::unsupported, "is not a regular file; a partition folder holds nothing else", {.file = at->path().string()});
    names.push_back(relative);
  }
  if (problem) raise_io(folder.string(), "look into", problem.value());
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    staged.add(name);
    const fs::path from = folder / name, to = fs::path(staged.path()) / name;
    if (link) {
      fs::create_hard_link(from, to, problem);
      if (!problem) continue;
    }
    problem.clear();
    fs::copy_file(from, to, problem);
    if (problem) raise_io(to.string(), "copy " + graph_schema::quoted(from.string()) + " to it", problem.value());
  }
}

}  // namespace detail

/// Make a folder of what `write` writes and of every other file of a partition folder, in one step.
///
/// @param config   as read from the folder
/// @param out      the folder to be made; "": the config's own, replaced
/// @param command  how the result was made, for the manifest
/// @param write    write(staged_folder&, set<string>& written): makes files and tells their names; may raise
/// @param files    what the folder and the rest is read with; where it keeps a record (input_record.hpp), nothing may have changed
/// @errors         exists: `out` holds what is not ours; busy, io: the folder; what `write` and settle_inputs() raise
/// @complexity     that of `write`, and reading every file once for the manifest
template <class Write, file_opener Files = read_files>
void amend_folder(const partition_config& config, const std::string& out, const json::value& command, Write&& write, const Files& files = {}) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path folder = fs::absolute(config.path, problem).lexically_normal().parent_path();
  if (problem) raise_io(config.path, "find the folder of", problem.value());
  staged_folder staged(out.empty() ? folder.string() : fs::absolute(out).string());
  std::set<std::string> written;
  write(staged, written);
  detail::keep_other_files(folder, staged, written, out.empty());
  settle_inputs(files);
  staged.commit(command);
}

/// Put one small file into a partition folder, in the place of an earlier one of that name. @errors as amend_folder
template <file_opener Files = read_files>
void put_into_folder(const partition_config& config, const std::string& name, std::string_view text, const json::value& command, const Files& files = {}) {
  amend_folder(config, {}, command, [&](staged_folder& staged, std::set<std::string>& written) {
    auto sink = staged.create(name, text.size());
    sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
    sink.sync();
    sink.close();
    written.insert(name);
  }, files);
}

}  // namespace halograph
