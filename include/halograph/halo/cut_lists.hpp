// SPDX-License-Identifier: BSL-1.0
/// @file cut_lists.hpp
/// The edges that leave each part, one list per part in the order of the edges, where parts are
/// ranges of nodes.
/// Layer: halo (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/fwd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

/// Finds the part of a node where parts are ranges of nodes: by a table of 2048 entries, and a
/// binary search among the parts that share an entry.
class part_finder {
 public:
  constexpr part_finder() = default;
  /// @param part_begin [P+1] first node of each part, last: V; must outlive this object
  /// @complexity O(2048 + P)
  constexpr explicit part_finder(std::span<const std::uint64_t> part_begin) : begin_(part_begin) {
    const std::uint64_t nodes = part_begin.empty() ? 0 : part_begin.back();
    while ((nodes >> shift_) >= places) ++shift_;
    std::uint32_t part = 0;
    for (std::size_t i = 0; i < places; ++i) {
      const std::uint64_t node = static_cast<std::uint64_t>(i) << shift_;
      while (part + 2 < part_begin.size() && part_begin[part + 1] <= node) ++part;
      place_[i] = part;
    }
  }
  /// @pre node < V
  constexpr std::size_t operator()(std::uint64_t node) const noexcept {
    const auto place = static_cast<std::size_t>(node >> shift_);
    std::size_t part = place_[place];
    part += begin_[part + 1] <= node ? 1u : 0u;  // usually enough, and no branch
    if (begin_[part + 1] > node) return part;
    // Many small parts share the entry.
    const std::size_t last = place + 1 < places ? place_[place + 1] : begin_.size() - 2;
    return part + range_of(begin_.subspan(part, last - part + 2), node);
  }

 private:
  static constexpr std::size_t places = 2048;
  std::span<const std::uint64_t> begin_{};
  unsigned shift_ = 0;
  std::array<std::uint32_t, places> place_{};
};

/// An edge whose endpoints are in different parts.
template <id Node, id Edge>
struct cut_edge {
  /// @{
  /// Global IDs; the two are in different parts.
  Node source, target;
  /// @}
  Edge position;  ///< in the rows
};

/// The cut edges by the part of their source; within a part by position.
template <id Node, id Edge>
struct cut_lists_view {
  std::span<const std::uint64_t> begin{};         ///< [P+1], or empty: there are no lists
  std::span<const cut_edge<Node, Edge>> edges{};  ///< [C]

  /// The cut edges that leave `part`. @pre part < P, and there are lists
  constexpr std::span<const cut_edge<Node, Edge>> of(std::size_t part) const noexcept {
    return edges.subspan(static_cast<std::size_t>(begin[part]),
                         static_cast<std::size_t>(begin[part + 1] - begin[part]));
  }
};

/// Words of scratch memory for making cut lists: a count per part for each piece of the rows.
constexpr std::size_t cut_counts_count(std::size_t parts, std::size_t pieces) noexcept {
  return parts * pieces;
}

namespace detail {

/// The first row of a piece; pieces have about the same number of edges.
template <id Node, id Edge>
constexpr std::size_t first_row(const csc_view<Node, Edge>& rows, std::size_t piece,
                                std::size_t pieces) {
  if (piece == 0) return 0;
  if (piece >= pieces) return rows.num_nodes();
  const auto offsets = rows.offsets();
  const std::uint64_t want = block_range(rows.num_edges(), piece, pieces).begin;
  return static_cast<std::size_t>(
      std::partition_point(offsets.begin(), offsets.end() - 1,
                           [&](Edge offset) { return static_cast<std::uint64_t>(offset) < want; }) -
      offsets.begin());
}

/// Call f(part, first row, one past the last) for each part with rows in the piece.
template <id Node, id Edge, class F>
constexpr void for_each_part_of(const csc_view<Node, Edge>& rows,
                                std::span<const std::uint64_t> part_begin, std::size_t piece,
                                std::size_t pieces, F&& f) {
  const std::size_t last = first_row(rows, piece + 1, pieces);
  std::size_t v = first_row(rows, piece, pieces);
  for (std::size_t part = 0; v < last; ++part) {
    const std::size_t end = std::min(last, static_cast<std::size_t>(part_begin[part + 1]));
    if (v < end) f(part, v, end);
    v = std::max(v, end);
  }
}

}  // namespace detail

/// Count the cut edges of each part for fill_cut_lists.
///
/// @param rows        V nodes, E edges; sources below V
/// @param part_begin  [P+1] first node of each part; last: V
/// @param pieces      number of pieces that are counted at once
/// @param counts      [cut_counts_count(P, pieces)] out, input of fill_cut_lists
/// @param begin       [P+1] out, where each part's list begins; last: C, the number of cut edges
/// @errors capacity   @complexity O(V + E + P x pieces)
template <id Node, id Edge, executor Executor = sequential>
constexpr status count_cut_lists(const csc_view<Node, Edge>& rows,
                                 std::span<const std::uint64_t> part_begin, std::size_t pieces,
                                 std::span<std::uint64_t> counts, std::span<std::uint64_t> begin,
                                 const Executor& run = {}) {
  const std::size_t parts = part_begin.size() - 1;
  if (counts.size() < cut_counts_count(parts, pieces))
    return status::capacity.at(cut_counts_count(parts, pieces));
  if (begin.size() <= parts) return status::capacity.at(std::uint64_t{parts} + 1);
  const part_finder part_of(part_begin);
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const count = counts.data() + piece * parts;
      std::fill(count, count + parts, std::uint64_t{0});
      const Node* const source = rows.neighbors().data();
      detail::for_each_part_of(
          rows, part_begin, piece, pieces,
          [&](std::size_t part, std::size_t row, std::size_t row_end) {
            // Count every edge, then restore the part's own count: no branch per edge.
            const std::uint64_t before = count[part];
            for (std::size_t i = rows.row_begin(row), end = rows.row_begin(row_end); i < end; ++i)
              ++count[part_of(static_cast<std::uint64_t>(source[i]))];
            count[part] = before;
          });
    }
  });
  std::uint64_t sum = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    begin[part] = sum;
    for (std::size_t piece = 0; piece < pieces; ++piece)
      sum += std::exchange(counts[piece * parts + part], sum);
  }
  begin[parts] = sum;
  return status::ok;
}

/// Write the lists whose sizes count_cut_lists counted.
///
/// @param counts  as count_cut_lists left them; overwritten
/// @param edges   [C] out
/// @errors capacity: `counts`   @complexity O(V + E)   @repeatable the same for any number of
///     pieces
template <id Node, id Edge, executor Executor = sequential>
constexpr status fill_cut_lists(const csc_view<Node, Edge>& rows,
                                std::span<const std::uint64_t> part_begin, std::size_t pieces,
                                std::span<std::uint64_t> counts,
                                std::span<cut_edge<Node, Edge>> edges, const Executor& run = {}) {
  const std::size_t parts = part_begin.size() - 1;
  if (counts.size() < cut_counts_count(parts, pieces))
    return status::capacity.at(cut_counts_count(parts, pieces));
  const part_finder part_of(part_begin);
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const next = counts.data() + piece * parts;
      const Node* const source = rows.neighbors().data();
      cut_edge<Node, Edge> inner{};  // receives the edges that are not cut
      cut_edge<Node, Edge>* const targets[] = {edges.data(), &inner};
      detail::for_each_part_of(
          rows, part_begin, piece, pieces,
          [&](std::size_t part, std::size_t row, std::size_t row_end) {
            for (std::size_t v = row; v < row_end; ++v) {
              for (std::size_t i = rows.row_begin(v), end = rows.row_end(v); i < end; ++i) {
                // No branch: with few parts it would be mispredicted. The prefetch is for dozens of
                // lists, which are more than the hardware keeps track of.
                const std::size_t from = part_of(static_cast<std::uint64_t>(source[i]));
                const std::uint64_t own = from == part ? 1 : 0;
                cut_edge<Node, Edge>* const place = targets[own] + (next[from] & (own - 1));
                if (!std::is_constant_evaluated()) __builtin_prefetch(place + 11, 1);
                *place = {source[i], static_cast<Node>(v), static_cast<Edge>(i)};
                next[from] += 1 - own;
              }
            }
          });
    }
  });
  return status::ok;
}

/// A target of cut edges of a part, and the smallest of their sources.
template <id Node>
struct cut_target {
  Node source;  ///< the smallest
  Node target;  ///< of consecutive edges of a list
};

/// Find the targets of a part's cut edges that satisfy a condition.
///
/// @param list  of one part: edges with the same target are consecutive
/// @param take  take(target): is it wanted? It must not depend on what was found
/// @param f     f(span of cut_target), some at a time, in the order of the list
/// @complexity  O(edges); without a branch for each, since what is wanted is unpredictable where
///     parts are small
template <id Node, id Edge, class Take, class F>
constexpr void visit_cut_targets(std::span<const cut_edge<Node, Edge>> list, const Take& take,
                                 F&& f) {
  std::array<cut_target<Node>, 1025> found{};
  // Of `found`, without the last target; and whether that one is wanted.
  std::size_t count = 0, wanted = 0;
  cut_target<Node> last{std::numeric_limits<Node>::max(), Node{}};
  for (std::size_t i = 0; i < list.size();) {
    for (const std::size_t end = std::min(list.size(), i + found.size() - 1); i < end; ++i) {
      const bool again = list[i].target == last.target;
      count += again ? 0 : wanted;
      wanted = take(list[i].target) ? 1 : 0;
      last = {again ? std::min(last.source, list[i].source) : list[i].source, list[i].target};
      found[count] = last;
    }
    f(std::span<const cut_target<Node>>(found).first(count));
    found[0] = last;
    count = 0;
  }
  f(std::span<const cut_target<Node>>(found).first(wanted));
}

}  // namespace halograph
