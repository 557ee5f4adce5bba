// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.hpp
/// Dispatch for the program: compiled once, used by several subcommands.
#pragma once

#include "inputs.hpp"
#include "ranks.hpp"

#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/native.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph::cli {

/// A folder whose format is chosen at run time.
struct any_folder {
  std::string path;
  bool native;
  dgl_file_names names;
  std::string_view name() const {
    return native ? native_serializer::name() : dgl_serializer::name();
  }
  part_layout layout(const part_description& plan) const {
    return native ? native_serializer{}.layout(plan) : dgl_serializer{names}.layout(plan);
  }
  const any_folder& format() const { return *this; }
};

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
dispatch_result dispatch_into(const chunked_graph<input_files, input_tables>& input,
                              const std::string& assignment, part_id parts,
                              const any_folder& target, bool wide, const dispatch_options& options,
                              const program_threads& threads, const program_ranks& ranks);

}  // namespace halograph::cli
