// SPDX-License-Identifier: BSL-1.0
/// @file partition_options.hpp
/// Options and result of partition_graph.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/partition_target.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace halograph {

struct partition_result;

/// Told which original IDs the nodes or edges of a part and type have: `original` are IDs within
/// the type, of those whose new global IDs begin at `first`. Called by several threads at once.
using id_listener =
    std::function<void(type_id type, std::uint64_t first, std::span<const std::uint64_t> original)>;

/// How a graph is partitioned. The defaults are DGL's. Features, constraints and executor are
/// referred to and must outlive the call; temporary features and executors do not compile.
/// @tparam Order  a node_order; partition_options have the original one
template <class Order = original_order>
struct basic_partition_options {
  std::string graph_name = "graph";  ///< names the config and its files
  unsigned hops = 1;                 ///< HALO depth
  /// names of the graph's types, in the order of their numbers
  graph_schema schema = graph_schema::homogeneous();
  /// rows by original typed ID; bool becomes uint8 where the format has no bool
  feature_set_ref features{};
  bool closing_out_edges = true;    ///< also hold the out-edges of inner nodes (DGL does)
  bool drop_cut_edges = false;      ///< with 0 hops: drop cut edges instead of failing
  bool reshuffle = true;            ///< false (deprecated): keep original IDs, write .npy maps
  bool store_original_ids = false;  ///< `orig_id` columns in the part graphs
  bool save_mapping = false;        ///< `orig_nids` and `orig_eids` files in every part
  bool compact_mapping = true;      ///< where nodes are renumbered, write one small file that gives
                                    ///< their original IDs: node_mapping.hpp
  bool return_mapping = false;      ///< fill partition_result::node_mapping and edge_mapping
  std::size_t trainers_per_machine = 1;   ///< T > 1: the policy names trainers, part = trainer / T
  sparse_formats formats{};               ///< sparse formats stored in the part graphs; COO
  std::string part_method{};              ///< what the config calls the method; "": name_of_policy
  std::span<const constraint> balance{};  ///< measured in the report; empty: the number of nodes
  bool measure_quality = true;  ///< false: leave cut, volume and balance out of the report
  /// told of the IDs of all nodes, and of all edges, in blocks, as parts are written; may be empty
  /// @{
  id_listener on_node_ids{}, on_edge_ids{};
  /// @}
  /// called once all parts are written: may create more files, which appear with the others
  std::function<void(any_output&, const partition_result&)> add_files{};
  json::value command{};            ///< how the result was made, for the manifest
  progress_callback on_progress{};  ///< told of each step
  executor_ref executor{};          ///< where loops run; the bytes are the same for any
  /// order of the nodes inside each (part, type): original_order, descending_degree, breadth_first
  /// or the user's own
  Order order{};
};
/// Nodes in their original order.
using partition_options = basic_partition_options<>;

namespace detail {

/// All options but the order. Fails to compile where one was forgotten.
template <class Order>
partition_options without_order(const basic_partition_options<Order>& options) {
  const auto& [name, hops, schema, features, closing, drop, reshuffle, ids, save, compact, mapping,
               trainers, formats, method, balance, measure, nodes, edges, more, command,
               on_progress, run, order] = options;
  return {name,  hops,    schema,  features, closing,     drop,   reshuffle,       ids,
          save,  compact, mapping, trainers, formats,     method, balance,         measure,
          nodes, edges,   more,    command,  on_progress, run,    original_order{}};
}

}  // namespace detail

/// What partition_graph did.
struct partition_result {
  partition_config config{};         ///< as written
  quality_report report{};           ///< what the assignment is worth, and what each step took
  std::vector<std::string> notes{};  ///< notes for the user
  /// With return_mapping: [type][new typed ID] -> original typed ID.
  std::vector<std::vector<std::uint64_t>> node_mapping{};
  /// The same of edges.
  std::vector<std::vector<std::uint64_t>> edge_mapping{};
};

}  // namespace halograph
