// SPDX-License-Identifier: BSL-1.0
/// @file any_graph.hpp
/// Any input as a chunked graph, for the subcommands that read chunked graphs alone: one that is
/// none is copied beside the output first.
#pragma once

#include "command.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "ranks.hpp"

#include <halograph/core/error.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace halograph::cli {

/// What --input of these subcommands takes, for their help.
inline constexpr const char* any_graph_words =
    "the graph: a chunked graph (its folder, or its metadata.json under any name), a folder with meta.json, a .dgl graph, a METIS .graph, an edge list, .mtx, .gr, .sg, .wsg, .adj, .parhip, .bin32, .bin64, .graphml, node-link JSON, "
    "OGB's raw layout, a GraphAr data set, a partition folder, or a JSON specification of tables; .gz and .zst too. One that is no chunked graph is copied as one beside --out-dir first, which takes disk for the "
    "time of the run; to keep the copy for several runs make it with halograph chunk";

/// Flags that say how an input is read, as of partition.
struct reading_flags {
  std::optional<std::uint64_t> num_nodes{};
  bool undirected = false;
};
void bind_reading_flags(flag_set& app, reading_flags& flags);

/// Those that are given, for a manifest.
void describe(const reading_flags& flags, json::value& out);

/// How to open one.
struct any_graph_options {
  reading_flags reading{};
  bool features = true;
  /// to read an input that is held in memory while it is copied; 0: all that is free
  std::uint64_t memory_bytes = 0;
  bool resume = false;       ///< take the copy of a run that was killed
  bool ignore_room = false;  ///< do not ask whether memory and disk suffice
  /// each rank writes to a folder of its own, and has a copy of its own beside it
  bool own_folders = false;
  bool json = false;  ///< say nothing
};

/// Memory that copying an input takes besides what the input holds: blocks of edges and rows, and
/// the process.
inline constexpr std::uint64_t copy_block_bytes = std::uint64_t{32} << 20;

/// A chunked graph as the program opens it.
using opened_chunked = chunked_graph;

/// One, and the copy that it is read from, which is removed with this object (io/chunked/copy.hpp).
struct any_graph {
  parents_to_make parents{};            ///< of the copy, on the rank that has made it
  std::optional<chunked_copy> copy{};   ///< of the rank that has made it
  std::uint64_t copy_memory_bytes = 0;  ///< that making the copy took, at most
  forgotten_place place{};              ///< of the copy, on every rank
  opened_chunked graph{};

  /// "METIS graph", ... and the bytes of its copy, for --json; null: a chunked graph.
  json::value describe_copy() const;
};

/// How many entries the undirected view of a graph has, at most (graph/symmetrize.hpp): the first
/// rank reads all edges. Collective. @errors those of chunked_graph::read_edges
std::uint64_t undirected_entries(const chunked_graph& graph, std::size_t threads,
                                 communicator_ref ranks);

/// Refuse a name of an assignment under which there is nothing, and say what it can be. @errors
/// not_found
void require_assignment(const std::string& path);

/// Open the input of a run that writes to `target`, on all ranks. Collective.
/// @errors those of copy_chunked() and open_chunked(); memory, io: there is no room for the copy.
///     Of several ranks the same on all
any_graph open_any_graph(const std::string& path, const std::string& target,
                         const any_graph_options& options, std::size_t threads,
                         communicator_ref ranks);

}  // namespace halograph::cli
