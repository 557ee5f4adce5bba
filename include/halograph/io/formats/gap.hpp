// SPDX-License-Identifier: BSL-1.0
/// @file gap.hpp
/// A graph from the serialized format of the GAP benchmark suite, `.sg` and `.wsg`.
/// Layer: io. Words: README.md.
///
/// | bytes | hold |
/// | --- | --- |
/// | 1 | 1: directed, 0: each edge is in the rows of both endpoints |
/// | 8, 8 | edges m (entries of the rows), nodes n |
/// | 8 (n + 1) | where the row of each node begins |
/// | 4 m (`.sg`), 8 m (`.wsg`) | neighbors; `.wsg`: each with a weight behind it |
/// | as the last two | directed: the same of incoming edges, which is passed over |
///
/// All integers are little-endian; neighbors and weights have 4 bytes and a sign.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <string>

namespace halograph {

/// Stream a GAP graph from the file itself. Whether it has weights follows from its size. Edge i is
/// entry i of the rows; weights are the edge feature "weight" (int64). The rows of incoming edges
/// repeat the same edges and are not read.
/// @errors truncated, malformed (also a size that fits neither form), out_of_range, all with the
///     byte
/// @complexity one pass over the file here and one for each reading; no memory
/// @source gapbs 1.5, src/writer.h, WriteSerializedGraph()
streamed_graph stream_gap_graph(const std::string& path, const any_file_opener& open = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/gap.ipp>
#endif
