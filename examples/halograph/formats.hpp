// SPDX-License-Identifier: BSL-1.0
/// @file formats.hpp
/// What the subcommands that read partition folders share: the known formats, and how to open one.
#pragma once

#include "flag_values.hpp"
#include "inputs.hpp"

#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/serial/json.hpp>

#include <string>

namespace halograph::cli {

/// DGL's and ours.
const format_list& known_formats();

folder_access known_access(const any_file_opener& files = folder_files());

/// Read a config and resolve its relations.
partition_config open_partition(const std::string& path,
                                const any_file_opener& files = folder_files());

/// The config of a partition folder; any other path as it is.
std::string config_in(const std::string& path);

/// Bind the word that names a partition folder: its config or, with the same meaning, the folder.
bound_flag bind_config(flag_set& app, std::string& config);

/// The manifest's command after a change of a folder; it keeps how the folder was made before.
json::value command_after(const partition_config& config, json::value command);

/// The type that a flag names; without one, the only node type. @errors usage_error: there are
/// several
entity_type chosen_type(const partition_config& config, const std::string& flag);

}  // namespace halograph::cli
