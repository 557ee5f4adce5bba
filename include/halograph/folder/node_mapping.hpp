// SPDX-License-Identifier: BSL-1.0
/// @file node_mapping.hpp
/// The compact mapping of a partition folder: one small `.npy` file beside the config that
/// determines the original ID of each node.
/// Layer: folder. Words: README.md.
///
/// | nodes of each (part, type) are | file | content |
/// | --- | --- | --- |
/// | in original order | `owners.npy` | [V] the part of each node, by original ID, node types concatenated in the order of their numbers |
/// | in another order | `original_nodes.npy` | [V] the original ID, within its type, of each node, by new ID |
///
/// The dtype is the smallest of uint8, uint16, uint32 and uint64 that holds the number of parts -
/// 1, or of nodes - 1. Folders whose nodes keep their original IDs (one part in original order, or
/// reshuffle off) have no such file.
///
/// In original order the new ID of a node is found by counting: in each (part, type) nodes ascend
/// by original ID. With the input, edge IDs can be derived in either order: in each (part of the
/// target, type) edges ascend by (new ID of the target, original ID); with one part they keep their
/// original IDs. Without the input, the original IDs of edges are not known.
#pragma once

#include <halograph/folder/config.hpp>
#include <halograph/relabel/order.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

/// Are the nodes of each (part, type) in original order?
inline bool in_original_order(const partition_config& config) noexcept {
  return config.node_order == original_order::name;
}

/// Do all nodes have their original IDs?
inline bool keeps_node_ids(const partition_config& config) noexcept {
  return !config.reshuffled() || (config.num_parts == 1 && in_original_order(config));
}

/// The name of the mapping file for a node order.
constexpr std::string_view node_mapping_name(std::string_view node_order) noexcept {
  return node_order == original_order::name ? "owners.npy" : "original_nodes.npy";
}

/// The path of the mapping file of a folder, whether it exists or not.
inline std::string node_mapping_file(const partition_config& config) {
  return config.resolve(std::string(node_mapping_name(config.node_order)));
}

/// f(zero) with a zero of the smallest unsigned type that holds `largest`.
template <class Function>
decltype(auto) with_smallest_unsigned(std::uint64_t largest, Function&& f) {
  if (largest <= 0xFF) return f(std::uint8_t{});
  if (largest <= 0xFFFF) return f(std::uint16_t{});
  if (largest <= 0xFFFFFFFF) return f(std::uint32_t{});
  return f(std::uint64_t{});
}

}  // namespace halograph
