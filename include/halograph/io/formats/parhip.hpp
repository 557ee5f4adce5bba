// SPDX-License-Identifier: BSL-1.0
/// @file parhip.hpp
/// A graph from ParHIP's binary format, `.parhip` and `.bgf`, which KaHIP, KaMinPar and KaGen
/// write.
/// Layer: io. Words: README.md.
///
/// | bytes | hold |
/// | --- | --- |
/// | 8 | version, whose bits say: no edge weights (1), no node weights (2); 4 bytes instead of 8 for offsets (4), node IDs (8), node weights (16), edge weights (32) |
/// | 8, 8 | nodes n, edges m (entries of the rows) |
/// | (n + 1) offsets | the byte of the file where the row of each node begins |
/// | m node IDs | neighbors |
/// | n node weights | if there are any |
/// | m edge weights | if there are any |
///
/// All integers are little-endian. KaHIP writes version 3.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <string>

namespace halograph {

/// Stream a ParHIP graph from the file itself. Edge i is entry i of the rows; weights are the node
/// and edge features "weight" (int64).
/// @errors truncated, malformed, out_of_range, unsupported (an unknown bit of the version), all
///     with the byte
/// @complexity one pass over the file here and one for each reading; no memory
/// @source KaMinPar, docs/graph_file_format.md; KaHIP 3.15, parallel_graph_io.cpp
streamed_graph stream_parhip_graph(const std::string& path, const any_file_opener& open = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/parhip.ipp>
#endif
