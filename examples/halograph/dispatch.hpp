// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.hpp
/// Dispatch for the program: compiled once, used by several subcommands.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>

#include <cstdint>
#include <string>

namespace halograph::cli {

/// A folder in DGL's formats, or in ours. @param names  "guide" or "dgl"
any_target folder_target(const std::string& path, bool native, const std::string& names);

/// Print the memory and disk space that a run needs, and check that the disk has enough.
/// @param sharing      the number of ranks that share the disk of `out`
/// @param ignore_disk  do not check
/// @param json         do not print
/// @errors             io: the disk is too small
void report_need(const dispatch_need& need, const std::string& out, std::uint64_t sharing,
                 bool ignore_disk, bool json);

/// Dispatch a chunked graph.
/// @param wide  use 64-bit IDs even for a small graph
/// @errors      those of dispatch()
dispatch_result dispatch_into(const chunked_graph& input, const std::string& assignment,
                              part_id parts, const any_target& target, bool wide,
                              const dispatch_options& options, executor_ref threads,
                              communicator_ref ranks);

}  // namespace halograph::cli
