// SPDX-License-Identifier: BSL-1.0
/// @file quality_report.hpp
/// The quality and the cost of a partitioning: the numbers that `--json` and `halograph report`
/// print.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// One part, counted.
struct part_report {
  std::uint64_t inner_nodes = 0;  ///< nodes that the part owns
  std::uint64_t halo_nodes = 0;   ///< copies of nodes that other parts own
  std::uint64_t inner_edges = 0;  ///< edges whose target is inner
  std::uint64_t halo_edges = 0;   ///< all other edges of the part
  /// [hops] HALO nodes by the hop that found them; those found only along out-edges count with hop
  /// 1
  std::vector<std::uint64_t> halo_nodes_per_hop{};
};

/// The balance of one constraint.
struct balance_report {
  std::string name{};       ///< of the constraint
  double tolerance = 0.03;  ///< allowed imbalance
  double imbalance = 0;     ///< achieved: max / mean - 1
  /// does no part hold more than (1 + tolerance) x mean, or than whole nodes make unavoidable: the
  /// mean rounded up, or the heaviest node?
  bool met = true;
  double least_imbalance = 0;  ///< what whole nodes make unavoidable; 0: not known
};

/// One step of a run, measured.
struct step_report {
  std::string name{};  ///< "assign", "relabel", "write", ...
  double seconds = 0;  ///< of wall-clock time
  /// the process's highest resident memory up to the end of the step, in bytes
  std::uint64_t peak_bytes = 0;
};

/// The quality and cost of a partitioning.
struct quality_report {
  std::vector<std::pair<std::string, std::uint64_t>> node_types{};  ///< name, nodes
  std::vector<std::pair<std::string, std::uint64_t>> edge_types{};  ///< name, edges

  std::uint64_t nodes = 0;           ///< V of the input, all types
  std::uint64_t edges = 0;           ///< E of the input, all types, dropped cut edges included
  std::vector<part_report> parts{};  ///< [P]
  /// unordered pairs of different nodes with an edge across parts, each once
  std::uint64_t edge_cut = 0;
  std::uint64_t directed_cut = 0;  ///< input edges whose endpoints are in different parts
  /// sum over nodes of the other parts among their neighbors
  std::uint64_t communication_volume = 0;
  double replication_factor = 1;          ///< stored nodes / nodes
  std::vector<balance_report> balance{};  ///< of each constraint
  std::vector<step_report> steps{};       ///< in the order in which they ran
  std::uint64_t peak_bytes = 0;  ///< highest resident memory of the process; 0: not measured
};

/// The report as the members of a JSON object: graph, parts, edge_cut, ... peak_bytes.
json::value to_json(const quality_report& report);

/// Measures the steps of a job into a report.
class step_clock {
 public:
  /// @param report    gets the steps and peak_bytes; must outlive the clock
  /// @param callback  called when a step starts; may be empty; must outlive the clock
  step_clock(quality_report& report, const progress_callback& callback)
      : report_(report), callback_(callback) {}

  /// Run one step.
  void run(std::string_view name, function_ref<void()> work);

 private:
  quality_report& report_;
  const progress_callback& callback_;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/quality_report.ipp>
#endif
