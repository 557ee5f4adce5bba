// SPDX-License-Identifier: BSL-1.0
/// @file add_edges.hpp
/// Append edges to a streamed graph: the reverse of each edge, or a self-loop at each node.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// A feature whose rows after its own come from elsewhere. @param rest  rest(first, last, out) with
/// rows from 0
streamed_feature continued(streamed_feature feature, std::uint64_t rows,
                           decltype(streamed_feature::read) rest);

/// The bits of the number 1 in a dtype; add_self_loops() fills features with it.
inline std::uint64_t bits_of_one(dtype type) noexcept {
  switch (type) {
    case dtype::float16:
      return 0x3C00;
    case dtype::bfloat16:
      return 0x3F80;
    case dtype::float32:
      return std::bit_cast<std::uint32_t>(1.0f);
    case dtype::float64:
      return std::bit_cast<std::uint64_t>(1.0);
    default:
      return 1;
  }
}

/// A set of nodes that finds its i-th member.
class node_set {
 public:
  explicit node_set(std::uint64_t nodes)
      : nodes_(nodes), words_(static_cast<std::size_t>(nodes / 64 + 1)) {}
  void insert(std::uint64_t v) noexcept {
    words_[static_cast<std::size_t>(v / 64)] |= std::uint64_t{1} << (v % 64);
  }
  bool contains(std::uint64_t v) const noexcept {
    return (words_[static_cast<std::size_t>(v / 64)] >> (v % 64) & 1) != 0;
  }

  /// Count the nodes that are not members. Must be called before missing().
  std::uint64_t seal();
  /// f(v) for nodes [first, last) of those that are not members, in order.
  template <class Function>
  void missing(std::uint64_t first, std::uint64_t last, Function&& f) const {
    if (first >= last) return;
    const auto block = count_not_above<std::uint64_t>(before_, first) - 1;
    std::uint64_t rank = before_[block];
    for (std::uint64_t v = block * stride; v < nodes_ && rank < last; v += 64) {
      const std::uint64_t here = missing_in(v);
      if (rank + here > first) {
        std::uint64_t at = rank;
        for (std::uint64_t u = v; u < std::min(v + 64, nodes_); ++u) {
          if (contains(u)) continue;
          if (at >= first && at < last) f(u);
          ++at;
        }
      }
      rank += here;
    }
  }

 private:
  static constexpr std::uint64_t stride = 1 << 16;
  /// How many of the 64 nodes from v on are not members.
  std::uint64_t missing_in(std::uint64_t v) const noexcept {
    const std::uint64_t here = std::min<std::uint64_t>(64, nodes_ - v);
    return here -
           static_cast<std::uint64_t>(std::popcount(words_[static_cast<std::size_t>(v / 64)]));
  }

  std::uint64_t nodes_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> before_{};
};

std::uint64_t doubled_count(std::uint64_t count);

}  // namespace detail

/// Add the reverse of each edge, self-loops included.
///
/// An edge type within one node type grows: the reverse of edge i is edge m + i. One between two
/// node types gets a type of its own, `target:rev_relation:source`, after all others; its edge i
/// is the reverse of edge i. Features of edges are those of the edges reversed. (DGL's AddReverse
/// makes the same edges and types.)
/// @errors exists: the schema has the new type already; overflow
streamed_graph add_reverse_edges(streamed_graph g);

/// Add a self-loop at each node that has none, in every edge type within one node type: after all
/// other edges, by ascending node. Features of the new edges are filled with ones. (DGL's
/// AddSelfLoop makes the same graph, but renumbers existing loops.)
/// @complexity one pass over those edge types, a bit for each node
streamed_graph add_self_loops(streamed_graph g);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/add_edges.ipp>
#endif
