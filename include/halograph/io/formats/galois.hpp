// SPDX-License-Identifier: BSL-1.0
/// @file galois.hpp
/// A graph from Galois's binary format, `.gr`, versions 1 and 2.
/// Layer: io. Words: README.md.
///
/// | bytes | hold |
/// | --- | --- |
/// | 8 | version: 1 or 2 |
/// | 8 | bytes of the data of an edge, 0: none |
/// | 8, 8 | nodes n, edges m |
/// | 8 n | where the row of each node ends |
/// | 4 m (version 1), 8 m (version 2) | neighbors, with zeros up to a multiple of 8 bytes |
/// | m times the data of an edge | read as integers of 4 bytes without a sign, or of 8 with one |
///
/// All integers are little-endian.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <string>

namespace halograph {

/// Stream a Galois graph from the file itself. Edge i is entry i of the rows; the data of edges are
/// the edge feature "weight" (int64).
/// @errors truncated, malformed, out_of_range, unsupported (another version, data of edges of other
///     sizes), all with the byte
/// @complexity one pass over the file here and one for each reading; no memory
/// @source Galois 6.0, libgalois/src/FileGraph.cpp
streamed_graph stream_galois_graph(const std::string& path, const any_file_opener& open = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/galois.ipp>
#endif
