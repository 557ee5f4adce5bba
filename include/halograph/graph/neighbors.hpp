// SPDX-License-Identifier: BSL-1.0
/// @file neighbors.hpp
/// The neighbors of each node of any graph, along edges of either direction.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
///
/// A graph that lists both the edges into and out of a node needs nothing; of any other one, rows
/// are made in the caller's memory. Loops are left out; a node joined by several edges appears
/// several times.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace halograph {

/// Does G list the edges of a node in both directions?
template <class G>
inline constexpr bool lists_both_directions = in_adjacency<G> && out_adjacency<G>;

namespace detail {

/// IDs below `limit` in words: two to a word where 32 bits suffice. (Memory is words, so that it
/// works in constant evaluation, where bytes cannot be made into integers.)
class packed_ids {
 public:
  static constexpr bool narrow(std::uint64_t limit) noexcept {
    return limit <= std::uint64_t{1} << 32;
  }
  static constexpr std::size_t words(std::uint64_t limit, std::size_t count) noexcept {
    return narrow(limit) ? count / 2 + count % 2 : count;
  }
  constexpr packed_ids() = default;
  constexpr packed_ids(std::uint64_t limit, std::span<std::uint64_t> words) noexcept
      : words_(words), narrow_(narrow(limit)) {}

  constexpr std::uint64_t get(std::size_t i) const noexcept {
    return narrow_ ? words_[i / 2] >> (32 * (i % 2)) & 0xFFFFFFFFu : words_[i];
  }
  constexpr void set(std::size_t i, std::uint64_t id) noexcept {
    if (!narrow_) {
      words_[i] = id;
      return;
    }
    const unsigned shift = 32 * (i % 2);
    words_[i / 2] = (words_[i / 2] & ~(std::uint64_t{0xFFFFFFFFu} << shift)) | id << shift;
  }

 private:
  std::span<std::uint64_t> words_{};
  bool narrow_ = true;
};

}  // namespace detail

/// Which neighbors a row keeps: every one.
struct every_neighbor {
  static constexpr bool both_ends = true;  ///< each edge is in the rows of both its ends
};

/// Which neighbors a row keeps: those that come earlier in an order of the nodes, so that each
/// edge is kept once.
/// @tparam Rank  where a node comes: `uint64_t rank(uint64_t node) const`, one-to-one
template <class Rank>
struct earlier_neighbors {
  static constexpr bool both_ends = false;  ///< each edge is in one row
  Rank rank{};                              ///< the order
};
/// The order of IDs.
struct by_id {
  constexpr std::uint64_t operator()(std::uint64_t v) const noexcept { return v; }  ///< v itself
};

/// Neighbors of a graph, node by node. A view of the graph and of the memory.
template <graph Graph>
class neighbor_rows {
 public:
  /// Words of memory that build() needs: none where Graph lists both directions.
  /// @param both_ends as in every_neighbor and earlier_neighbors
  static constexpr std::size_t words(std::size_t nodes, std::size_t edges,
                                     bool both_ends) noexcept {
    if constexpr (lists_both_directions<Graph>) {
      return 0;
    } else {
      return nodes + 1 + detail::packed_ids::words(nodes, both_ends ? 2 * edges : edges);
    }
  }

  /// @param memory  [words(V, E, Which::both_ends)]
  /// @errors capacity at the words that suffice; out_of_range at e: an endpoint of edge e is not a
  ///     node; overflow at V: the graph's own type cannot name its nodes
  /// @complexity O(V + E), two visits of every edge; O(1) where Graph lists both directions
  template <class Which>
  static constexpr status build(const Graph& g, const Which& which, std::span<std::uint64_t> memory,
                                neighbor_rows& out) {
    const std::size_t nodes = num_nodes(g);
    if (nodes > id_capacity<node_id_t<Graph>>()) return status::overflow.at(nodes);
    out = {};
    out.graph_ = &g;
    out.nodes_ = nodes;
    if constexpr (!lists_both_directions<Graph>) {
      if (memory.size() < nodes + 1)
        return status::capacity.at(words(nodes, num_edges(g), Which::both_ends));
      out.offsets_ = memory.first(nodes + 1);
      const auto offsets = out.offsets_;
      std::fill(offsets.begin(), offsets.end(), std::uint64_t{0});
      status answer = status::ok;
      std::size_t kept = 0;
      // f(node, neighbor) for everything that is kept.
      const auto visit = [&](auto&& f) {
        visit_edges(g, [&](auto u, auto v, auto e) {
          const std::size_t a = index(u), b = index(v);
          if (a >= nodes || b >= nodes) {
            if (answer) answer = status::out_of_range.at(static_cast<std::uint64_t>(e));
          } else if (a != b) {
            if constexpr (Which::both_ends) {
              f(a, b);
              f(b, a);
            } else if (which.rank(a) > which.rank(b)) {
              f(a, b);
            } else {
              f(b, a);
            }
          }
        });
      };
      visit([&](std::size_t v, std::size_t) {
        ++offsets[v];
        ++kept;
      });
      if (!answer) return answer;
      const std::size_t needed = nodes + 1 + detail::packed_ids::words(nodes, kept);
      if (memory.size() < needed) return status::capacity.at(needed);
      out.ids_ = {nodes, memory.subspan(nodes + 1)};
      std::uint64_t sum = 0;
      for (std::size_t v = 0; v <= nodes; ++v) {
        const std::uint64_t row = offsets[v];
        offsets[v] = sum;
        sum += row;
      }
      // Filling moves each offset to its row's end, which is the next row's start: shift back by
      // one.
      visit([&](std::size_t v, std::size_t u) {
        if (offsets[v] < kept) out.ids_.set(static_cast<std::size_t>(offsets[v]++), u);
      });
      for (std::size_t v = nodes; v > 0; --v) offsets[v] = offsets[v - 1];
      offsets[0] = 0;
    } else {
      static_cast<void>(which);
      static_cast<void>(memory);
    }
    return status::ok;
  }

  /// f(u) for every neighbor u of v that is kept; where the graph lists both directions, for every
  /// one, which build() has not checked: they may not be nodes. @pre v < V
  template <class F>
  constexpr void visit(std::size_t v, F&& f) const {
    if constexpr (lists_both_directions<Graph>) {
      const auto node = static_cast<node_id_t<Graph>>(v);
      const auto hand_on = [&](auto u, auto) {
        if (index(u) != v) f(u);
      };
      for_each_in_edge(*graph_, node, hand_on);
      for_each_out_edge(*graph_, node, hand_on);
    } else {
      const auto end = static_cast<std::size_t>(offsets_[v + 1]);
      for (auto i = static_cast<std::size_t>(offsets_[v]); i < end; ++i) f(ids_.get(i));
    }
  }

 private:
  const Graph* graph_ = nullptr;
  std::size_t nodes_ = 0;
  std::span<std::uint64_t> offsets_{};
  detail::packed_ids ids_{};
};

}  // namespace halograph
