// SPDX-License-Identifier: BSL-1.0
/// @file amend.hpp
/// Add or replace files of a partition folder atomically, keeping all others.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// Carry over one file. @param name  inside the staged folder  @param link  as below
void keep_file(const std::string& from, staged_folder& staged, const std::string& name, bool link);

/// Carry over the files that are not rewritten.
/// @param written  names inside the folder that are new in `staged`
/// @param link     use hard links where possible; two folders that exist side by side must not
///     share files
void keep_other_files(const std::filesystem::path& folder, staged_folder& staged,
                      const std::set<std::string>& written, bool link);

/// Require every file that the config names to be inside its folder: a path that leads elsewhere
/// would break in a copy, and no manifest lists its target. @errors unsupported, with the path
void require_files_inside(const partition_config& config);

}  // namespace detail

/// Require `out` not to be inside the folder that it is made from. @errors invalid_argument
void require_beside(const std::string& folder, const std::string& out);

/// Write new files of a partition folder, keep every other, and publish the result atomically.
///
/// @param config   as read from the folder
/// @param out      the folder to write; "": replace the config's own
/// @param command  how the result was made, for the manifest
/// @param write    write(staged_folder&, set<string>& written): creates files and inserts their
///     names; may throw; returns whether anything changed
/// @param files    the opener of all inputs; if it keeps a record (input_record.hpp), none of them
///     may have changed
/// @return         as staged_folder::commit(): what the user should know of the result, or ""
/// @errors         invalid_argument: `out` lies in the config's folder; unsupported: the config
///     names files outside its folder; exists: `out` holds what is not ours; busy, io: the folder;
///     what `write` and settle_inputs() raise
/// @complexity     that of `write`, and reading every file once for the manifest
std::string amend_folder(const partition_config& config, const std::string& out,
                         const json::value& command,
                         function_ref<bool(staged_folder&, std::set<std::string>&)> write,
                         const any_file_opener& files = {});

/// Put one small file into a partition folder, replacing an earlier one of that name. @errors as
/// amend_folder
std::string put_into_folder(const partition_config& config, const std::string& name,
                            std::string_view text, const json::value& command,
                            const any_file_opener& files = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/amend.ipp>
#endif
