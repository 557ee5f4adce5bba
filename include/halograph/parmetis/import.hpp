// SPDX-License-Identifier: BSL-1.0
/// @file import.hpp
/// The part of each node, from the file X_part.K that ParMETIS's programs for DGL write.
/// Layer: parmetis. Words: README.md.
/// A line is `node part`, with the node's ID over all types. Lines are in any order: the programs
/// write them process by process. Numbers may be in floating-point notation: 1.0e+00 is 1.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The parts of all nodes.
struct parmetis_assignment {
  std::vector<part_id> owner{};  ///< [V] by ID over all types
  part_id parts = 0;             ///< K, empty parts included
};

/// Memory of read_parmetis_assignment() for each node, in bytes: a line of four characters or more
/// has two numbers, and each node a part.
inline constexpr std::uint64_t parmetis_assignment_bytes = 32;

/// Read X_part.K.
///
/// @param path   the file
/// @param nodes  V: it must name 0 to V - 1, each once
/// @param parts  K, if known; else the number after the last dot of the name; else the largest part
///     plus one
/// @errors       malformed, out_of_range with the line; mismatch: missing nodes; exists: a node
/// occurs twice
/// @complexity   O(bytes) time, memory 16 bytes a line
/// @source       formats: ParMETIS files, sections 3 and 5
parmetis_assignment read_parmetis_assignment(const std::string& path, std::uint64_t nodes,
                                             std::optional<part_id> parts,
                                             const any_file_opener& open,
                                             executor_ref executor = {});

/// Node types and their counts, from a schema (X.json) or from the metadata.json of a chunked
/// graph.
/// @errors as read_json, and not_found, malformed, naming the file and the key
std::pair<graph_schema, std::vector<std::uint64_t>> read_node_counts(const std::string& path,
                                                                     const any_file_opener& open,
                                                                     const any_json_codec& codec);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/import.ipp>
#endif
