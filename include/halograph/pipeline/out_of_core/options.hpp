// SPDX-License-Identifier: BSL-1.0
/// @file options.hpp
/// What dispatch is asked for, and what it reports.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace halograph {

/// Which edges and nodes a part holds besides its own.
enum class dispatch_halo : std::uint8_t {
  full,  ///< as partition_graph: also the out-edges of inner nodes; HALO nodes as found
  in,    ///< as DGL's dispatch pipeline: in-edges only; HALO nodes ascend; parts always store types
         ///< and never store owners
  in_as_found  ///< in-edges only, all else as full: what partition_graph writes without
               ///< closing_out_edges
};

/// What to make of a chunked graph and its assignment.
struct dispatch_options {
  std::string graph_name{};                  ///< "": the input's
  unsigned hops = 1;                         ///< HALO depth
  dispatch_halo halo = dispatch_halo::full;  ///< which edges a part holds
  bool drop_cut_edges = false;       ///< with 0 hops: leave cut edges out instead of failing
  bool store_original_ids = false;   ///< `orig_id` columns in the part graphs
  bool save_original_nodes = false;  ///< an `orig_nids` file in every part
  bool save_original_edges = false;  ///< an `orig_eids` file in every part
  bool compact_mapping = true;  ///< with several parts, `owners.npy`, from which original node IDs
                                ///< can be computed: node_mapping.hpp
  sparse_formats formats{};     ///< stored in the part graphs
  std::string part_method{};    ///< what the config calls the method; "": "given", with
                                ///< dispatch_halo::in "metis"
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< budget of anonymous memory
  bool keep_complete = true;  ///< when a run is canceled or fails because memory or disk space runs
                              ///< out, keep completed stages so that it can be resumed
  /// Resume a run of the same job that was killed, was canceled, or ran out of memory or disk
  /// space, with any threads and budget. If there is nothing to resume, or that run was on another
  /// number of ranks, start over and say so in dispatch_result::notes.
  bool resume = false;
  /// With several ranks: each writes its parts, with a config, into a folder of its own at the
  /// target's path. The manifests name the assignment: folders of different assignments cannot be
  /// opened together.
  bool own_folders = false;
  std::vector<machine> machines{};  ///< part p goes to machine p mod machines; with a script that
                                    ///< copies (copy_script.hpp)
  json::value command{};            ///< how the result was made, for the manifest
  std::function<void(const dispatch_need&)> on_need{};  ///< called before anything is read
  progress_callback on_progress{};                      ///< told of each stage
};

/// What dispatch did.
struct dispatch_result {
  partition_config config{};  ///< as written
  /// Parts, directed cut and replication; the other measures require the whole graph.
  quality_report report{};
  dispatch_need need{};  ///< memory as planned
  /// The largest value of any process, sampled during the run; 0: the system does not report it.
  std::uint64_t peak_anonymous_bytes = 0;
  std::vector<std::string> resumed{};  ///< stages that an earlier run had completed
  std::vector<std::string> notes{};    ///< what the user should know
};

}  // namespace halograph
