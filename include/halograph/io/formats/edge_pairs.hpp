// SPDX-License-Identifier: BSL-1.0
/// @file edge_pairs.hpp
/// A graph from binary pairs of node IDs: `.bin32` and `.bin64`.
/// Layer: io. Words: README.md.
///
/// | bytes | hold |
/// | --- | --- |
/// | 4 and 4 (`.bin32`), 8 and 8 (`.bin64`) | source and target of an edge, little-endian |
///
/// There is no header: edge e is the e-th pair.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace halograph {

/// Stream pairs of IDs from the file itself.
/// @param id_bytes   of an ID: 4 or 8
/// @param given_nodes  V; by default the largest ID plus one
/// @errors truncated, with the byte: the file ends within a pair; out_of_range, with the byte: an
///     ID not below given_nodes, or 2^63
/// @complexity one pass over the file here and one for each reading; no memory
streamed_graph stream_edge_pairs(const std::string& path, unsigned id_bytes,
                                 std::optional<std::uint64_t> given_nodes = {},
                                 const any_file_opener& open = {});

/// Bytes of an ID in a file of this name: 4 for `.bin32`, also compressed, else 8.
unsigned pair_id_bytes(const std::string& path);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/edge_pairs.ipp>
#endif
