// SPDX-License-Identifier: BSL-1.0
/// @file graph_drawing.hpp
/// A small drawing of a partitioned graph: some nodes with their parts, their edges, and positions.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halograph {

/// Nodes and edges to draw, at most `most_nodes` and `most_edges`.
struct graph_drawing {
  /// @{
  /// Larger graphs are sampled.
  static constexpr std::size_t most_nodes = 3000, most_edges = 8000;
  /// @}
  /// Positions are from 0 to this, in both directions.
  static constexpr std::int32_t side = 10000;

  /// A node with its part and its place in the drawing.
  struct node {
    std::uint64_t id = 0;    ///< global
    std::uint32_t part = 0;  ///< which owns it
    /// @{
    /// Position, 0 to `side`, y downwards; set by place_nodes().
    std::int32_t x = 0, y = 0;
    /// @}
  };
  std::vector<node> nodes{};  ///< at most `most_nodes`
  /// positions in `nodes`, smaller first; each pair once, ascending, no loops
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};
  bool all_nodes = true;  ///< false: a sample, connected where the graph is
  bool all_edges = true;  ///< between the nodes; false: a sample
};

/// Give each node a position: neighbors are near each other, and clusters show; nodes without edges
/// stand in rows at the bottom. In integers, so that every machine gives the same positions.
///
/// @param drawing  edges and the number of nodes are read, `x` and `y` are set
/// @complexity     O(nodes^2 + edges) time with a factor of some dozens; O(nodes + edges) memory
/// @source Fruchterman & Reingold, "Graph drawing by force-directed placement", 1991, from coarse
///     to fine as in Walshaw, "A multilevel algorithm for force-directed graph drawing", 2000
void place_nodes(graph_drawing& drawing);

namespace detail {

/// Chooses what to draw while the parts of a folder are read one after another: all of a small
/// graph; of a larger one as many nodes of each part, found along edges from those chosen before.
class drawing_sampler {
 public:
  using edge_list = function_ref<void(function_ref<void(std::size_t source, std::size_t target)>)>;

  drawing_sampler(std::uint64_t nodes, std::size_t parts);

  /// The next part.
  /// @param global  [n] global IDs of its nodes, each below the number of nodes
  /// @param inner   [n] is the node inner?
  /// @param edges   calls its argument for each edge of the part
  /// @complexity    O(n + edges of the part) time and memory
  void part(std::size_t p, std::span<const std::uint64_t> global, const std::vector<bool>& inner,
            edge_list edges);

  /// After the last part: the drawing, with positions.
  /// @param original  [nodes] another ID of each, or empty: if all nodes are drawn, they are placed
  ///     in the order of these IDs, so that one graph looks the same however it is partitioned.
  ///     Ignored unless they are a permutation
  graph_drawing finish(std::span<const std::uint64_t> original = {});

 private:
  struct drawn_edge {
    std::uint64_t order;  ///< which edges are kept does not depend on the order of parts
    std::uint32_t from, to;
  };

  void add(std::uint64_t a, std::uint64_t b);
  void keep_some();
  void renumber(std::span<const std::uint64_t> original);
  std::vector<std::uint32_t> choose(std::size_t p, std::span<const std::uint64_t> global,
                                    const std::vector<bool>& inner, const edge_list& edges);

  std::size_t parts_;
  graph_drawing out_{};
  std::vector<drawn_edge> edges_{};
  std::unordered_map<std::uint64_t, std::uint32_t> chosen_{};
  /// sources in later parts of edges to chosen nodes
  std::unordered_multimap<std::uint64_t, std::uint32_t> later_{};
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/graph_drawing.ipp>
#endif
