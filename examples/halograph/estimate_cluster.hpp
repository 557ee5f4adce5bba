// SPDX-License-Identifier: BSL-1.0
/// @file estimate_cluster.hpp
/// The flags of `halograph estimate` that describe machines, and the answer for them.
#pragma once

#include "command.hpp"
#include "partition_inputs.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace halograph::cli {

/// What stands on the command line. Rates are gigabits per second.
struct cluster_flags {
  std::uint64_t machines = 0, feature_bytes = 0;
  std::optional<std::uint64_t> num_edges{};  ///< in place of an input
  double disk_gbps = 8, net_gbps = 10, cut_share = 0.35, replication = 3, speed = 1;
};

void bind_cluster_flags(flag_set& app, cluster_flags& flags);

/// Contradictions that the command line alone shows. @errors usage_error
void check_cluster_flags(const cluster_flags& flags, const partition_flags& run);

/// What the flags alone tell of a graph. @pre num_edges was given
estimate_input counts_of_flags(const cluster_flags& flags, const partition_flags& run);

/// What assign and dispatch take on the machines.
/// @param counts  of the graph, with what flags decide
answer tell_cluster(const estimate_input& counts, const cluster_flags& flags,
                    const partition_flags& run);

}  // namespace halograph::cli
