// SPDX-License-Identifier: BSL-1.0
/// @file new_nodes.hpp
/// Assigns parts to the new nodes of a graph; all other nodes keep theirs.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
/// Edges may come in any order, each once. Only those of new nodes are kept: memory, and the work
/// besides looking at each edge once, is O(V + edges of new nodes).
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Keeps the edges of new nodes, then assigns the new nodes to parts.
///
/// A new node gets the part that holds most of its neighbors, weighted, among those with room; it
/// waits for a neighbor to have a part, breadth first from the nodes that have one. Nodes that
/// cannot be reached that way follow, one component after another from its lowest node; nodes
/// without neighbors come last. Then new nodes move to the part that holds most of their neighbors
/// until no move lowers the cut, the multilevel partitioner improves the graph of new nodes and one
/// fixed node for each part, and new nodes of few neighbors fill parts that are empty.
class new_node_scan {
 public:
  using part = std::uint32_t;  ///< of nodes
  /// The part of a node that is new.
  static constexpr part no_part = std::numeric_limits<part>::max();

  /// A neighbor of a new node.
  struct entry {
    std::uint64_t node = 0;      ///< new
    std::uint64_t neighbor = 0;  ///< any other node
    std::uint64_t weight = 1;    ///< of the edge
  };

  new_node_scan() = default;

  /// @param loads    must outlive the scan, as what it views
  /// @param owner    [V] parts, and no_part for new nodes; the scan writes those there
  /// @param most     entries that may be kept
  /// @param summed   add the weights of edges between the same two nodes; else they count once
  /// @param improve  run the multilevel partitioner on the new nodes
  new_node_scan(const node_loads& loads, std::uint64_t parts, std::span<part> owner,
                std::uint64_t most, bool summed, bool improve)
      : loads_(loads),
        parts_(parts),
        most_(most),
        owner_(owner),
        summed_(summed),
        improve_(improve) {}

  /// Does the edge have a new node, so that it must be added? Thread-safe. @pre u, v < V
  bool touches(std::uint64_t u, std::uint64_t v) const noexcept {
    return u != v && (owner_[static_cast<std::size_t>(u)] == no_part ||
                      owner_[static_cast<std::size_t>(v)] == no_part);
  }
  /// Keep an edge. Edges between the same two nodes, in either direction, make one neighbor.
  /// @pre touches(u, v), weight > 0 @errors capacity: more entries than may be kept
  status add(std::uint64_t u, std::uint64_t v, std::uint64_t weight = 1);
  /// Assign the new nodes, after all edges were added.
  /// @errors capacity: too many parts for the memory; overflow at v: the edges of node v weigh
  ///     2^63 or more
  /// @complexity O(V log K + m log m) and what multilevel takes for m entries
  status finish();

  /// Entries that add() has kept.
  std::uint64_t entries() const noexcept { return entries_.size(); }

 private:
  node_loads loads_{};
  std::uint64_t parts_ = 1, most_ = 0;
  std::span<part> owner_{};
  std::vector<entry> entries_{};
  bool summed_ = false, improve_ = false;
};

/// Places new nodes; the policy for new_node_scan. @repeatable yes, for any order of the edges
struct new_nodes {
  using part = new_node_scan::part;                        ///< see partitioner
  using scan = new_node_scan;                              ///< keeps what it needs of all edges
  static constexpr std::string_view name = "new_nodes";    ///< see named_policy
  static constexpr part no_part = new_node_scan::no_part;  ///< in fixed: a new node

  part parts = 1;                        ///< K
  std::span<const part> fixed{};         ///< [V] the part of a node that keeps it; else no_part
  double tolerance = default_tolerance;  ///< of the number of nodes, without constraints
  std::span<const constraint> constraints{};     ///< what to balance besides
  bool balance_types = true;                     ///< without constraints: each node type on its own
  std::span<const std::int64_t> edge_weights{};  ///< [E] by edge ID, >= 1, or empty: 1 each
  /// The most entries to keep, of 24 bytes each; an edge between two new nodes makes two.
  std::uint64_t most_entries = std::numeric_limits<std::uint64_t>::max();

  bool improve = true;  ///< run the multilevel partitioner, too, not single moves alone

  /// Start a scan. The views of `shape` and of this must outlive it.
  /// @errors infeasible: no parts; mismatch at V: fixed is not [V]; out_of_range at v: node v's
  ///     part is not below K; those of node_loads::make
  status begin_scan(const stream_shape& shape, std::span<part> owner, scan& out) const;

  /// Assign a graph in memory.
  /// @errors those of begin_scan and of the scan; out_of_range at e: an endpoint of edge e is no
  ///     node; mismatch: edge_weights are not [E]; invalid_argument: a weight is below 1
  template <graph G>
  status assign(const G& g, std::span<part> owner) const {
    if (!edge_weights.empty() && edge_weights.size() != num_edges(g))
      return status::mismatch.at(num_edges(g));
    scan kept;
    if (const status begun = begin_scan(shape_of(g), owner, kept); !begun) return begun;
    status answer = status::ok;
    visit_edges(g, [&](auto u, auto v, auto e) {
      if (!answer) return;
      const std::size_t at = index(e);
      if (index(u) >= owner.size() || index(v) >= owner.size()) {
        answer = status::out_of_range.at(at);
        return;
      }
      const std::int64_t weight = edge_weights.empty() ? 1 : edge_weights[at];
      if (weight < 1)
        answer = status::invalid_argument.at(at);
      else if (kept.touches(index(u), index(v)))
        answer = kept.add(index(u), index(v), static_cast<std::uint64_t>(weight));
    });
    return answer ? kept.finish() : answer;
  }

  /// The sentence for a status, or "".
  std::string explain(status answer) const;
};

/// The most memory that a scan takes, without the owners, in bytes.
/// @param fresh    new nodes
/// @param entries  neighbors that are kept
/// @param rows     loads that are balanced
std::uint64_t new_nodes_bytes(std::uint64_t fresh, std::uint64_t entries, std::uint64_t rows,
                              std::uint64_t parts) noexcept;

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/partition/impl/new_nodes.ipp>
#endif
