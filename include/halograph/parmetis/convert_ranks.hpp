// SPDX-License-Identifier: BSL-1.0
/// @file convert_ranks.hpp
/// The parts that ParMETIS wrote as text, made into a chunked graph by several ranks, none of which
/// holds the whole graph.
/// Layer: parmetis. Words: README.md.
///
/// Each rank reads the files of its parts (core/block_range.hpp) and sends their rows to the owners
/// of the original IDs: a slice of all nodes, and a slice of each edge type. The owners sort them,
/// check that each ID occurs once, and write one chunk each of a chunked graph
/// (io/chunked/graph.hpp) with its assignment. Dispatching it writes the same bytes as
/// convert_parmetis on one rank.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/parts_reader.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace halograph {

/// What write_parmetis_chunks found in the files.
struct parmetis_chunks {
  std::uint64_t restored = 0;        ///< removed edges that were restored
  std::uint64_t missing = 0;         ///< as in parmetis_parts
  std::uint64_t uncounted = 0;       ///< as in parmetis_parts
  std::vector<std::string> notes{};  ///< messages for the user, the same on all ranks
};

/// Read the files of parts on several ranks and write a chunked graph with its assignment.
/// Collective.
///
/// @param folder, graph, schema, options  as for read_parmetis_parts; all ranks see the files
/// @param to       a folder that all ranks see: metadata.json, edges and attributes as .npy, a
///     chunk of each rank; `assignment/<node type>.txt`
/// @param open     opens files; should map them, because each rank opens all but reads only those
///     of its parts and the attributes of its nodes and edges
/// @errors         those of read_parmetis_parts, the same on every rank; mismatch: options, schema,
/// or sizes or beginnings of files differ between
///     ranks; unsupported: attributes of
///     dtype bfloat16; io
/// @complexity     O(bytes / R) time; memory of each rank: the rows of one part's edges, 12 bytes
///     for each of V / R nodes and the rows of its parts' nodes, 32 to 40 for each of E / R edges
///     and as much again for one type at a time while it is sorted, their attributes, and 16 MiB
/// @repeatable     the graph is the same for any number of ranks
parmetis_chunks write_parmetis_chunks(const std::string& folder, const std::string& graph,
                                      const parmetis_schema& schema,
                                      const parmetis_parts_options& options, const std::string& to,
                                      const any_file_opener& open, executor_ref executor,
                                      communicator_ref ranks);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/convert_ranks.ipp>
#endif
