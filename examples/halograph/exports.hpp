// SPDX-License-Identifier: BSL-1.0
/// @file exports.hpp
/// What `convert` and `partition` write for other programs: a file of parts as METIS writes it,
/// folders of arrays for GraphBolt and PyTorch Geometric, and folders of Parquet tables.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace halograph::cli {

/// The feature in which formats without a place for parts hold them.
inline constexpr std::string_view part_feature = "part";
[[noreturn]] void refuse_part_feature(const graph_schema& schema, type_id type);

/// The parts that a file's name counts: K of `NAME.part.K`, as METIS names the parts of a graph.
std::optional<std::uint64_t> parts_in_name(const std::string& path);

/// Is it a format of a folder: graphbolt, parquet or pyg?
bool is_folder_format(std::string_view format) noexcept;
/// The format's name in a sentence.
const char* words_of_folder_format(std::string_view format) noexcept;

/// Not a pair taken apart: Clang 14's lambdas cannot capture its names.
struct output_place {
  std::string folder;
  std::string name;
};

/// Where a new output goes. @errors usage_error: the path names no file; exists: it is taken
output_place place_of_output(const std::string& path);

/// Write the part of each node, a line for each, into a new file.
/// @param settle  called before the file appears: throws if an input has changed
/// @return its bytes  @errors io; those of settle
std::uint64_t export_parts(const output_place& place, std::span<const part_id> owner,
                           function_ref<void()> settle);

/// @errors unsupported: the format needs a library that the program was built without
void require_writer_of(std::string_view format);

/// Write a folder; the caller commits.
/// @param format  graphbolt, parquet or pyg   @param owner, parts  pyg: the part of each node; how
///     many
/// @errors those of write_graphbolt(), write_tables() and write_pyg()
written_arrays export_folder(std::string_view format, const streamed_graph& g,
                             std::span<const part_id> owner, part_id parts, staged_folder& staged,
                             std::uint64_t most_bytes);

/// Check that add_parts_as_feature() can be called. @errors exists: a node type has a feature of
/// the name `part`
template <class Features>
void require_no_part_feature(const graph_schema& schema, const Features& node_features) {
  for (const auto& one : node_features) {
    if (one.name == part_feature) refuse_part_feature(schema, one.type);
  }
}

/// Give each node type a feature `part`, int32, for formats that have no other place for parts.
/// @param owner  [V], kept by reference   @errors those of require_no_part_feature()
void add_parts_as_feature(streamed_graph& g, std::span<const part_id> owner);

}  // namespace halograph::cli
