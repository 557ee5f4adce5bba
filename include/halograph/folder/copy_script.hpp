// SPDX-License-Identifier: BSL-1.0
/// @file copy_script.hpp
/// A shell script that copies its parts, the configs and the manifest to each machine.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/folder/ip_config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// The name of the script in a folder of parts.
inline constexpr std::string_view copy_script_name = "copy_to_machines.sh";

/// Reject machines over which the parts cannot be distributed evenly, as DGL does. @errors
/// mismatch; malformed: an address that ssh would read as an option
void check_machines(std::span<const machine> machines, std::uint64_t parts,
                    const std::string& file);

/// Parts of each machine: part p belongs to machine p mod machines, as in DGL's pipeline.
std::vector<std::vector<std::uint64_t>> parts_of_machines(std::size_t machines,
                                                          std::uint64_t parts);

/// Quote a text for a POSIX shell.
std::string shell_quoted(std::string_view text);

/// The script. It streams the files over ssh into a folder on each machine and removes nothing
/// there.
/// @param shared  files for every machine: configs, the manifest
std::string copy_script(std::span<const machine> machines, std::uint64_t parts,
                        std::span<const std::string> shared);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/copy_script.ipp>
#endif
