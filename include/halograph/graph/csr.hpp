// SPDX-License-Identifier: BSL-1.0
/// @file csr.hpp
/// A graph as compressed rows: by source (csr_view) or by target (csc_view).
/// Layer: graph (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

namespace halograph {

namespace detail {

/// Rows of (neighbor, edge ID). The classes below give the rows their meaning.
template <id Node, id Edge, id Offset>
class compressed_rows {
 public:
  using node_id = Node;
  using edge_id = Edge;
  using offset = Offset;

  constexpr compressed_rows() = default;
  /// @param offsets     [V+1] where each row starts, non-decreasing, first 0, last E
  /// @param neighbors  [E] the other endpoint of each edge, row by row
  /// @param edges       [E] ID of each edge, or empty: the ID is the position
  constexpr compressed_rows(std::span<const Offset> offsets, std::span<const Node> neighbors,
                            std::span<const Edge> edges = {})
      : offsets_(offsets), neighbors_(neighbors), edges_(edges) {}

  /// The same from arrays of C, or of any engine that keeps pointers and lengths.
  /// @param nodes       V
  /// @param offsets     [V+1], not null
  /// @param count       E; validate() says whether the offsets agree
  /// @param neighbors  [E]
  /// @param edges       [E], or null: the ID of an edge is its position
  constexpr compressed_rows(std::size_t nodes, const Offset* offsets, std::size_t count,
                            const Node* neighbors, const Edge* edges = nullptr)
      : offsets_(offsets, nodes + 1),
        neighbors_(neighbors, count),
        edges_(edges, edges == nullptr ? 0 : count) {}

  constexpr std::size_t num_nodes() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  constexpr std::size_t num_edges() const noexcept { return neighbors_.size(); }
  constexpr std::span<const Offset> offsets() const noexcept { return offsets_; }
  constexpr std::span<const Node> neighbors() const noexcept { return neighbors_; }
  /// Empty where the ID of an edge is its position.
  constexpr std::span<const Edge> edges() const noexcept { return edges_; }
  constexpr bool edge_id_is_position() const noexcept { return edges_.empty(); }
  constexpr Edge edge_at(std::size_t position) const noexcept {
    return edges_.empty() ? static_cast<Edge>(position) : edges_[position];
  }
  constexpr std::size_t row_begin(std::size_t row) const noexcept { return index(offsets_[row]); }
  constexpr std::size_t row_end(std::size_t row) const noexcept { return index(offsets_[row + 1]); }

  /// ok; mismatch: lengths disagree; malformed at row: offsets decrease or do not span the edges;
  /// out_of_range at position: a neighbor or an edge ID out of range; overflow: Node cannot number
  /// the nodes, or Edge the edges. Whether edge IDs are distinct is not checked.
  /// @complexity O(V + E)
  constexpr status validate() const noexcept {
    const std::size_t nodes = num_nodes(), count = num_edges();
    if (offsets_.empty()) return count == 0 ? status::ok : status::mismatch;
    if (nodes > id_capacity<Node>()) return status::overflow.at(nodes);
    if (count > id_capacity<Edge>()) return status::overflow.at(count);
    if (!edges_.empty() && edges_.size() != count) return status::mismatch.at(edges_.size());
    if (index(offsets_[0]) != 0) return status::malformed.at(0);
    for (std::size_t row = 0; row < nodes; ++row) {
      if (index(offsets_[row + 1]) < index(offsets_[row])) return status::malformed.at(row);
    }
    if (index(offsets_[nodes]) != count) return status::malformed.at(nodes);
    for (std::size_t i = 0; i < count; ++i) {
      if (index(neighbors_[i]) >= nodes) return status::out_of_range.at(i);
      if (!edges_.empty() && index(edges_[i]) >= count) return status::out_of_range.at(i);
    }
    return status::ok;
  }

 protected:
  template <class F>
  constexpr void for_each_in_row(std::size_t row, F&& f) const {
    const std::size_t end = row_end(row);
    if (edges_.empty()) {
      for (std::size_t i = row_begin(row); i < end; ++i) f(neighbors_[i], static_cast<Edge>(i));
    } else {
      for (std::size_t i = row_begin(row); i < end; ++i) f(neighbors_[i], edges_[i]);
    }
  }

 private:
  std::span<const Offset> offsets_{};
  std::span<const Node> neighbors_{};
  std::span<const Edge> edges_{};
};

}  // namespace detail

/// Rows are sources: the out-neighbors of each node. Views the caller's arrays; copies nothing.
/// Each array has its own width, signed or not; the types are deduced from spans, vectors and
/// pointers alike: `csr_view g(offsets, targets)`, `csr_view g(nodes, offsets_pointer, edges,
/// targets_pointer)`.
template <id Node, id Edge, id Offset>
class csr_view : public detail::compressed_rows<Node, Edge, Offset> {
 public:
  using detail::compressed_rows<Node, Edge, Offset>::compressed_rows;
  /// f(target, edge ID) for every edge out of u.
  template <id AnyNode, class F>
  constexpr void for_each_out_edge(AnyNode u, F&& f) const {
    this->for_each_in_row(index(u), f);
  }
};

/// Rows are targets: the in-neighbors of each node. Otherwise as csr_view.
template <id Node, id Edge, id Offset>
class csc_view : public detail::compressed_rows<Node, Edge, Offset> {
 public:
  using detail::compressed_rows<Node, Edge, Offset>::compressed_rows;
  /// f(source, edge ID) for every edge into v.
  template <id AnyNode, class F>
  constexpr void for_each_in_edge(AnyNode v, F&& f) const {
    this->for_each_in_row(index(v), f);
  }
};

namespace detail {
template <class Range>
concept id_array = requires {
  requires std::ranges::contiguous_range<Range> && std::ranges::borrowed_range<Range> &&
               id<std::ranges::range_value_t<Range>>;
};
template <class Range>
using id_in = std::ranges::range_value_t<Range>;
}  // namespace detail

/// @cond
template <detail::id_array Offsets, detail::id_array Targets>
csr_view(Offsets&&, Targets&&) -> csr_view<detail::id_in<Targets>, detail::id_in<Offsets>>;
template <detail::id_array Offsets, detail::id_array Targets, detail::id_array Edges>
csr_view(Offsets&&, Targets&&, Edges&&)
    -> csr_view<detail::id_in<Targets>, detail::id_in<Edges>, detail::id_in<Offsets>>;
template <id Offset, id Node>
csr_view(std::size_t, const Offset*, std::size_t, const Node*) -> csr_view<Node, Offset>;
template <id Offset, id Node, id Edge>
csr_view(std::size_t, const Offset*, std::size_t, const Node*, const Edge*)
    -> csr_view<Node, Edge, Offset>;
/// @endcond

/// @cond
template <detail::id_array Offsets, detail::id_array Sources>
csc_view(Offsets&&, Sources&&) -> csc_view<detail::id_in<Sources>, detail::id_in<Offsets>>;
template <detail::id_array Offsets, detail::id_array Sources, detail::id_array Edges>
csc_view(Offsets&&, Sources&&, Edges&&)
    -> csc_view<detail::id_in<Sources>, detail::id_in<Edges>, detail::id_in<Offsets>>;
template <id Offset, id Node>
csc_view(std::size_t, const Offset*, std::size_t, const Node*) -> csc_view<Node, Offset>;
template <id Offset, id Node, id Edge>
csc_view(std::size_t, const Offset*, std::size_t, const Node*, const Edge*)
    -> csc_view<Node, Edge, Offset>;
/// @endcond

}  // namespace halograph
