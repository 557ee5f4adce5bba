// SPDX-License-Identifier: BSL-1.0
/// @file report.hpp
/// The quality report of a partitioning, recomputed from its folder alone.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The file of the simulated cost of training on a folder (dist/simulate_sampling.hpp).
inline constexpr std::string_view simulation_file = "simulation.json";

/// The content of that file, if it exists. @errors malformed: not a JSON object; those of the
/// opener
std::optional<json::value> read_simulation(const partition_config& config,
                                           const any_file_opener& files,
                                           const any_json_codec& codec);

/// How to recompute a report.
struct report_options {
  /// for the verdict; a folder does not record its own
  double tolerance = default_tolerance;
  progress_callback on_progress{};  ///< called at the start and after each part; may be empty
  bool figures = false;             ///< also what `report_figures` holds
  /// memory that it may take; ~0: any. Before it starts, a report that may need more counts the
  /// edges of all parts, and is refused if it does need more. Where cut edges have to be listed,
  /// and may not fit, edge cut and communication volume are left out.
  std::uint64_t most_bytes = ~std::uint64_t{0};
};

/// What pictures of a partitioning show besides its report.
struct report_figures {
  /// Edges from one part to another, or inside a part.
  struct crossing {
    /// @{
    /// Part of the edges' sources, part of their targets; equal: the edges are inside it.
    std::uint32_t source = 0, target = 0;
    /// @}
    std::uint64_t edges = 0;  ///< how many input edges
  };
  /// pairs of parts with edges, by target, then by source
  std::vector<crossing> edges_between{};
  /// [T][P] inner nodes
  std::vector<std::vector<std::uint64_t>> nodes_by_type{};
  /// @{
  /// [i] nodes whose in-degree has i binary digits (0; 1; 2 to 3; 4 to 7; ...): of edges inside
  /// their part, of edges from other parts
  std::vector<std::uint64_t> degrees_inside{}, degrees_across{};
  /// @}
  graph_drawing drawing{};  ///< of the graph or of a sample, placed
};

/// What report_folder returns.
struct folder_report {
  quality_report report{};  ///< its steps are those of reading the folder
  /// false if cut edges were dropped, or may not be listed in options.most_bytes: `edge_cut` and
  /// `communication_volume` are then 0
  bool cut_known = true;
  /// [K] connected components of the inner nodes of each part, along its inner edges in any
  /// direction
  std::vector<std::uint64_t> components{};
  /// [K] of these, whole components of the graph; empty where parts do not hold the edges that
  /// leave them
  std::vector<std::uint64_t> whole{};
  std::uint64_t memory_bytes = 0;           ///< an upper bound on what it took, see most_bytes
  std::vector<std::string> notes{};         ///< notes for the user
  std::optional<report_figures> figures{};  ///< if asked for
};

/// Recompute the quality report of a partition folder from its parts.
/// Each input edge is inner in exactly one part, so the parts together determine the cut; hops are
/// found again by following the stored edges backwards. Balance is reported for all nodes and for
/// the nodes of each type.
///
/// @param config   as read; relations resolved
/// @param access   reads the folder
/// @param threads  compare the cut edges, where these are listed
/// @errors         malformed, out_of_range: a part that contradicts the config (`verify` gives
///     details); memory: it would take more than options.most_bytes; those of the opener and the
///     format
/// @complexity     O(size of the parts) time; memory: one part, 24 bytes a node and 4 for each edge
///     that is not inside it (with figures 50 a node, and 16 for each pair of parts with edges).
///     Where parts do not hold the edges that leave them, which is so without HALO nodes and in
///     folders of DGL's dispatch, all C cut edges are listed and counted as in
///     measure_quality(), besides 4 bytes a node
folder_report report_folder(const partition_config& config, const folder_access& access,
                            const report_options& options = {}, executor_ref threads = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/report.ipp>
#endif
