// SPDX-License-Identifier: BSL-1.0
/// @file partition_flags.hpp
/// The flags of `halograph partition` and `halograph estimate`.
#pragma once

#include "auto_method.hpp"
#include "command.hpp"
#include "policies.hpp"
#include "starting_parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace halograph::cli {

/// The flags of `partition` as they stand on the command line.
struct partition_flags {
  std::string input{}, name{}, out{}, assignment{}, edge_weights{}, report{};
  std::string
      input_weights{};  // the edge weights of a METIS file, used unless others are asked for
  std::string method{auto_method}, method_reason{};  // why auto became this method
  std::string objective = "cut", preset = "balanced", graph_formats = "coo",
              node_order = "original", stream_order = "natural", to{}, file_names = "guide",
              id_bits = "auto";
  std::uint64_t parts = 0, trainers = 1, seed = 0, num_nodes = 0, batch = 0, memory = 0;
  unsigned hops = 1;
  bool drop_cut_edges = false, balance_edges = false, save_mapping = false, no_mapping = false,
       store_orig_ids = false, no_reshuffle = false;
  bool undirected = false, compress = false, ignore_memory = false, seeded = false, sized = false;
  bool weighs_nodes = false;  // the input brings weights or sizes of nodes
  bool out_of_core = false;   // partition_out_of_core.hpp: takes less memory
  std::vector<std::string> balance_ntypes{}, tolerance{};
  start_flags start{};
};

/// The edge feature whose values weigh the edges, by a flag or by the input alone; or "".
inline std::string edge_weight_feature(const partition_flags& flags) {
  if (flags.edge_weights.empty()) return flags.input_weights;
  return flags.edge_weights == "none" ? "" : flags.edge_weights;
}

/// Is what the job writes the graph or its parts for other programs, and no partition folder?
bool is_export(const partition_flags& flags);

/// Bind the flags. @param estimate_only  --out is not needed
void bind_partition_flags(flag_set& app, partition_flags& flags, const offered_policies& policies,
                          bool estimate_only);

/// Settle what some flags leave to others, and check what the command line alone shows to be wrong.
/// @errors usage_error
void settle_partition_flags(partition_flags& flags, bool estimate_only);

}  // namespace halograph::cli
