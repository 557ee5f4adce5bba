// SPDX-License-Identifier: BSL-1.0
/// @file report.hpp
/// The quality report of a partitioning, recomputed from its folder alone.
/// Layer: folder. Words: README.md.
#pragma once

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
  /// false if cut edges were dropped: `edge_cut` and `communication_volume` then count only the
  /// remaining edges, so they are 0
  bool cut_known = true;
  /// [K] connected components of the inner nodes of each part, along its inner edges in any
  /// direction
  std::vector<std::uint64_t> components{};
  std::vector<std::string> notes{};         ///< notes for the user
  std::optional<report_figures> figures{};  ///< if asked for
};

namespace detail {

/// Counts the parts of a folder one after another.
class folder_counter {
 public:
  folder_counter(const partition_config& config, folder_report& out, bool figures);

  void part(std::size_t p, const loaded_structure& graph, const any_partition_book& books,
            const std::string& file);

  /// @param original  as drawing_sampler::finish()
  void finish(const any_partition_book& books, double tolerance,
              std::span<const std::uint64_t> original);

  /// [T][P], to be filled by the caller.
  std::vector<std::vector<std::uint64_t>>& inner_by_type() noexcept { return inner_by_type_; }

 private:
  static constexpr std::uint32_t unseen = static_cast<std::uint32_t>(-1);

  void add_cut(std::uint64_t u, std::uint64_t v) {
    ++directed_cut_;
    cut_.emplace_back(std::min(u, v), std::max(u, v));
  }

  /// Breadth-first search against the edges, from the inner nodes. HALO nodes that no hop reaches
  /// were added along out-edges of inner nodes; they count with hop 1.
  template <class Source, class Target>
  void count_hops(const coo_columns& ends, const Source& source, const Target& target,
                  std::vector<std::uint32_t>& hop, std::vector<std::uint64_t>& offsets,
                  part_report& counted) const {
    const std::uint64_t edges = ends.source.rows();
    // Each hop but the last finds a node, so V counts suffice.
    counted.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min(config_.halo_hops, config_.num_nodes)), 0);
    if (counted.halo_nodes_per_hop.empty()) return;
    std::uint64_t sum = 0;
    for (auto& offset : offsets) sum += std::exchange(offset, sum);
    std::vector<std::uint32_t> from(static_cast<std::size_t>(sum));
    std::vector<std::uint32_t> layer, next;
    std::vector<std::uint64_t> cursor(offsets);
    for (std::uint64_t e = 0; e < edges; ++e) {
      const auto u = static_cast<std::size_t>(source(e)), v = static_cast<std::size_t>(target(e));
      if (hop[v] == 0) {
        if (hop[u] == unseen) {
          hop[u] = 1;
          layer.push_back(static_cast<std::uint32_t>(u));
        }
      } else if (hop[u] != 0) {
        from[static_cast<std::size_t>(cursor[v]++)] = static_cast<std::uint32_t>(u);
      }
    }
    std::uint64_t reached = 0;
    for (std::size_t k = 1; k <= config_.halo_hops && !layer.empty(); ++k) {
      counted.halo_nodes_per_hop[k - 1] = layer.size();
      reached += layer.size();
      next.clear();
      for (const std::uint32_t v : layer) {
        for (auto at = static_cast<std::size_t>(offsets[v]);
             at < static_cast<std::size_t>(cursor[v]); ++at) {
          if (hop[from[at]] != unseen) continue;
          hop[from[at]] = static_cast<std::uint32_t>(k + 1);
          next.push_back(from[at]);
        }
      }
      std::swap(layer, next);
    }
    counted.halo_nodes_per_hop[0] += counted.halo_nodes - reached;
  }

  /// Figures of part p. @param hop  [n] 0: the node is inner
  void count_figures(std::size_t p, const coo_columns& ends, std::span<const std::uint64_t> global,
                     std::span<const std::uint32_t> hop, const any_partition_book& books);

  const partition_config& config_;
  folder_report& out_;
  std::optional<drawing_sampler> drawing_{};
  std::uint64_t directed_cut_ = 0, stored_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      cut_{};  // pairs of global IDs, smaller first
  std::vector<std::vector<std::uint64_t>> inner_by_type_;
};

}  // namespace detail

/// Recompute the quality report of a partition folder from its parts.
/// Each input edge is inner in exactly one part, so the parts together determine the cut; hops are
/// found again by following the stored edges backwards. Balance is reported for all nodes and for
/// the nodes of each type.
///
/// @param config   as read; relations resolved
/// @param access   reads the folder
/// @errors         malformed, out_of_range: a part that contradicts the config (`verify` gives
///     details); those of the opener and the format
/// @complexity     O(size of the parts + C log C) time, memory: one part and 32 bytes for each of C
///     cut edges; with figures 16 bytes for each pair of parts with edges
folder_report report_folder(const partition_config& config, const folder_access& access,
                            const report_options& options = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/report.ipp>
#endif
