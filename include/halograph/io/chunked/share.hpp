// SPDX-License-Identifier: BSL-1.0
/// @file share.hpp
/// A chunked graph distributed over ranks: each gets the rows of its own nodes, and all read the
/// edges together.
/// Layer: io. Words: README.md.
///
/// The nodes of all types are concatenated, and each rank owns a range of them, chosen so that
/// nodes and edge endpoints together are shared evenly. Each rank reads its share of the chunks and
/// sends every edge to the ranks of both endpoints, in rounds of a fixed size: no rank ever holds
/// the graph, or more than its own rows.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// What is balanced among the parts of a chunked graph.
struct assign_balance {
  bool types = true;   ///< the nodes of each type; false: of all types together
  bool edges = false;  ///< and the edges that end in them
};

/// One rank's rows of a chunked graph, as METIS takes them: each pair of neighbors once, without
/// loops.
template <id Node>
struct chunked_share {
  std::vector<std::uint64_t> ranges{};    ///< [R+1] first node of each rank, types laid end to end
  std::vector<std::uint64_t> offsets{0};  ///< [n+1]
  std::vector<Node> neighbors{};          ///< [m] ascending in each row
  std::vector<std::int64_t>
      weights{};  ///< [n x constraints] node by node, or empty: one constraint, 1 each
  std::vector<std::string> constraints{"nodes"};  ///< their names, as balance.hpp has them

  /// n, the nodes of this rank.
  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  /// The rows and weights as distributed partitioners take them; views this object.
  distributed_graph_view<Node> graph() const noexcept {
    return {ranges, offsets, neighbors, weights, constraints.size(), {}};
  }
};

/// The size of a rank's rows.
struct share_size {
  std::uint64_t nodes = 0;  ///< rows
  std::uint64_t ends = 0;   ///< edge endpoints: neighbors in its rows, and those that are omitted
};

/// The most that read_chunked_share() may give a rank: the most nodes, where edges are elsewhere,
/// and the most edge endpoints. Approximate, because neither the endpoints of one node nor runs of
/// V / 8192 nodes are divided.
/// @complexity O(1)
constexpr std::array<share_size, 2> largest_shares(std::uint64_t nodes, std::uint64_t edges,
                                                   std::size_t ranks) noexcept {
  // Endpoints plus twice the nodes are shared evenly, that is, edges plus nodes.
  const std::uint64_t pairs = detail::saturating_sum(nodes, edges) / ranks + (ranks == 1 ? 0 : 1);
  const std::uint64_t most_nodes = std::min(nodes, pairs), most_edges = std::min(edges, pairs);
  return {share_size{most_nodes, detail::saturating(std::min(edges, pairs - most_nodes), 2)},
          share_size{std::min(nodes, pairs - most_edges), detail::saturating(most_edges, 2)}};
}

namespace detail {

/// A rank's share of the edges of all types, in pieces of any size, in IDs over all types.
template <id Node>
class edge_walk {
 public:
  edge_walk(const chunked_graph& graph, std::size_t rank, std::size_t ranks)
      : graph_(graph), begin_(offsets_of(graph.node_counts)) {
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      const auto blocks = graph.edge_blocks(type);
      const id_range mine = block_range(blocks.size(), rank, ranks);
      for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
        const auto& block = blocks[static_cast<std::size_t>(i)];
        pieces_.push_back({type, block.first, block.last});
        edges_ += block.last - block.first;
      }
    }
    at_ = pieces_.empty() ? 0 : pieces_[0].first;
  }

  /// Total number of edges.
  std::uint64_t edges() const noexcept { return edges_; }

  /// f(source, target) for at most `most` further edges. @return whether there are more after them
  /// @pre most > 0
  template <class F>
  bool next(std::uint64_t most, F&& f) {
    constexpr std::size_t buffer = std::size_t{1} << 15;
    while (most != 0 && piece_ < pieces_.size()) {
      const auto& piece = pieces_[piece_];
      const std::uint64_t last = std::min(piece.last, at_ + std::min(most, piece.last - at_));
      const std::uint64_t from = begin_[graph_.schema.source_type(piece.type)],
                          to = begin_[graph_.schema.target_type(piece.type)];
      graph_.read_edges<Node>(
          piece.type, at_, last, buffer,
          [&](std::span<const Node> sources, std::span<const Node> targets, std::uint64_t) {
            for (std::size_t i = 0; i < sources.size(); ++i)
              f(from + static_cast<std::uint64_t>(sources[i]),
                to + static_cast<std::uint64_t>(targets[i]));
          });
      most -= last - at_;
      at_ = last;
      if (at_ == piece.last && ++piece_ < pieces_.size()) at_ = pieces_[piece_].first;
    }
    return piece_ < pieces_.size();
  }

 private:
  struct run_of_edges {
    type_id type;
    std::uint64_t first, last;
  };
  const chunked_graph& graph_;
  std::vector<std::uint64_t> begin_;
  std::vector<run_of_edges> pieces_{};
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0, edges_ = 0;
};

/// Cut the nodes into ranges that share nodes and edge endpoints evenly, as finely as they were
/// counted.
/// @param ends  of edges of nodes i << shift and following   @param ends_before  out: those of the
///     ranks before, [R+1]
std::vector<std::uint64_t> even_ranges(std::span<const std::uint64_t> ends, unsigned shift,
                                       std::uint64_t nodes, std::size_t ranks,
                                       std::vector<std::uint64_t>& ends_before);

/// The classes of nodes that ascend.
struct class_walk {
  std::span<const std::uint64_t> end{};  ///< [C] one above the last node of each class
  std::size_t at = 0;

  std::size_t operator()(std::uint64_t v) noexcept {
    while (v >= end[at]) ++at;
    return at;
  }
};

/// Classes of a chunked graph's nodes, types laid end to end.
struct chunked_classes {
  std::vector<std::string> names{};  ///< [C], as balance.hpp has them
  std::vector<std::uint64_t> end{};  ///< [C] one above the last node of each

  /// Views this object.
  class_walk walk() const noexcept { return {end}; }
};
/// One for each type that has nodes; one for all if only one type has nodes, or if types are not
/// balanced.
chunked_classes classes_of(const chunked_graph& graph, const assign_balance& asked);

/// The largest node whose ID leaves a bit free for a flag in messages.
template <id Node>
constexpr std::uint64_t most_shared_nodes = (std::uint64_t{1} << (8 * sizeof(Node) - 1)) - 1;

}  // namespace detail

/// Read the rows of this rank's nodes. Inside run_collective(); collective.
///
/// @tparam Node    unsigned, with a bit to spare: at most 2^31 - 1 or 2^63 - 1 nodes
/// @param balance  the constraints; types without nodes are none
/// @param round_bytes  memory of the rounds in which edges are exchanged, the same on every rank
/// @errors         those of chunked_graph::read_edges; overflow: Node is too narrow
/// @complexity     O(E / R) time, read twice where there are several ranks; memory: 3 Nodes for
///     each edge endpoint among the rank's nodes, of which 1 stays, 8 (constraints + 1) bytes for
///     each of its nodes, and round_bytes
/// @repeatable     for a number of ranks; with any chunking
template <id Node>
  requires std::is_unsigned_v<Node>
chunked_share<Node> read_chunked_share(communicator_ref ranks, const chunked_graph& graph,
                                       const assign_balance& balance = {},
                                       const progress_callback& on_progress = {},
                                       std::uint64_t round_bytes = node_exchange_bytes) {
  struct record {
    Node row, other;  // the highest bit of `other`: row is the edge's target
  };
  constexpr Node into = static_cast<Node>(Node{1} << (8 * sizeof(Node) - 1));
  const std::size_t rank = ranks.rank(), size = ranks.size();
  const std::uint64_t nodes = graph.num_nodes();
  if (nodes > detail::most_shared_nodes<Node>)
    raise(error_kind::overflow,
          std::to_string(nodes) + " nodes do not fit the ID type; use a wider one");
  chunked_share<Node> out;

  // Count the endpoints of each run of nodes.
  constexpr std::uint64_t most_counters = std::uint64_t{1} << 14;
  unsigned shift = 0;
  while ((nodes >> shift) >= most_counters) ++shift;
  std::vector<std::uint64_t> ends(static_cast<std::size_t>(nodes >> shift) + 1), ends_before;
  detail::edge_walk<Node> counted(graph, rank, size);
  if (size == 1) {
    ends[0] = 2 * graph.num_edges();
  } else {
    for (bool more = counted.edges() != 0; more;) {
      more = counted.next(std::uint64_t{1} << 20, [&](std::uint64_t u, std::uint64_t v) {
        ++ends[static_cast<std::size_t>(u >> shift)];
        ++ends[static_cast<std::size_t>(v >> shift)];
      });
    }
  }
  check_peers(ranks);
  check_ranks(ranks.sum(ends));
  out.ranges = detail::even_ranges(ends, shift, nodes, size, ends_before);
  const std::uint64_t first = out.ranges[rank], last = out.ranges[rank + 1];
  const auto count = static_cast<std::size_t>(last - first);

  // Send each edge to the ranks of both endpoints.
  std::vector<record> came;
  came.reserve(static_cast<std::size_t>(ends_before[rank + 1] - ends_before[rank]));
  ends = {};
  std::vector<std::uint64_t> begin(count + 1);
  std::vector<std::int64_t> in_degree(balance.edges ? count : 0);
  const auto take = [&](const record& one) {
    const auto v = static_cast<std::size_t>(static_cast<std::uint64_t>(one.row) - first);
    if (balance.edges && (one.other & into) != 0) ++in_degree[v];
    const auto other = static_cast<Node>(one.other & static_cast<Node>(~into));
    if (other == one.row) return;
    ++begin[v + 1];
    came.push_back({one.row, other});
  };
  {
    detail::edge_walk<Node> walk(graph, rank, size);
    const std::uint64_t own = walk.edges();
    std::uint64_t seen = 0;
    const auto hand_on = [&](std::uint64_t most, const auto& put) {
      const bool more = walk.next(most, [&](std::uint64_t u, std::uint64_t v) {
        ++seen;
        put(record{static_cast<Node>(v), static_cast<Node>(static_cast<Node>(u) | into)});
        if (u != v) put(record{static_cast<Node>(u), static_cast<Node>(v)});
      });
      if (on_progress) on_progress({"read", seen, own, "edges"});
      return more;
    };
    if (size == 1) {
      for (bool more = own != 0; more;) more = hand_on(std::uint64_t{1} << 20, take);
    } else {
      record_exchange exchange(
          ranks, sizeof(record),
          std::max<std::size_t>(2, records_per_round(round_bytes, size, sizeof(record))));
      exchange.run(
          [&](std::uint64_t) {
            return hand_on(exchange.room() / 2, [&](const record& one) {
              exchange.push(rank_of_node(out.ranges, static_cast<std::uint64_t>(one.row)), one);
            });
          },
          [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
            detail::for_each_record<record>(bytes, take);
          });
    }
  }

  // Rows, each neighbor once.
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Node> rows(came.size());
  for (const record& one : came)
    rows[static_cast<std::size_t>(
        begin[static_cast<std::size_t>(static_cast<std::uint64_t>(one.row) - first)]++)] =
        one.other;
  came = {};
  std::size_t kept = 0, from = 0;
  out.offsets.reserve(count + 1);
  for (std::size_t v = 0; v < count; ++v) {
    const auto end = static_cast<std::size_t>(begin[v]);  // moved to the row's end as it was filled
    const auto low = rows.begin() + static_cast<std::ptrdiff_t>(from),
               high = rows.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(low, high);
    kept = static_cast<std::size_t>(
        std::copy(low, std::unique(low, high), rows.begin() + static_cast<std::ptrdiff_t>(kept)) -
        rows.begin());
    from = end;
    out.offsets.push_back(kept);
  }
  rows.resize(kept);
  begin = {};
  out.neighbors = std::move(rows);

  const detail::chunked_classes groups = detail::classes_of(graph, balance);
  out.constraints = detail::constraint_names(groups.names, balance.edges);
  const std::size_t classes = groups.names.size(), width = out.constraints.size();
  if (width > 1) {
    out.weights.assign(count * width, 0);
    auto class_of = groups.walk();
    for (std::size_t v = 0; v < count; ++v) {
      const std::size_t c = class_of(first + v);
      out.weights[v * width + c] = 1;
      if (balance.edges) out.weights[v * width + classes + c] = in_degree[v];
    }
  }
  return out;
}

/// Count the edges of a chunked graph that cross parts, each rank those that end in its nodes.
/// Inside run_collective(); collective.
/// @param share  that read_chunked_share gave   @param owner  [n] part of each of its nodes
/// @return       this rank's
/// @complexity   O(E / R log E) time, the edges are read once more; memory: 40 to 48 bytes for each
///     neighbor that others hold, and 24 to 72 for each of this rank's nodes and each rank that
///     asks for it, until they are answered; 16 to 24 for each such neighbor and round_bytes after
///     that
template <id Node, unsigned_id Part>
std::uint64_t count_cut_edges_of_share(communicator_ref ranks, const chunked_graph& graph,
                                       const chunked_share<Node>& share,
                                       std::span<const Part> owner,
                                       const progress_callback& on_progress = {},
                                       std::uint64_t round_bytes = node_exchange_bytes) {
  const std::size_t rank = ranks.rank(), size = ranks.size();
  const std::uint64_t first = share.ranges[rank], last = share.ranges[rank + 1];
  const auto wanted = detail::remote_nodes(share.neighbors, first, last);
  const auto theirs = values_of_nodes(
      ranks, share.ranges, wanted,
      [&](std::size_t v) { return static_cast<std::uint64_t>(owner[v]); }, round_bytes);
  std::uint64_t cut = 0;
  const auto meet = [&](std::uint64_t u, std::uint64_t v) {
    const auto at = u >= first && u < last
                        ? static_cast<std::uint64_t>(owner[static_cast<std::size_t>(u - first)])
                        : theirs[static_cast<std::size_t>(
                              std::lower_bound(wanted.begin(), wanted.end(), u) - wanted.begin())];
    cut += at != static_cast<std::uint64_t>(owner[static_cast<std::size_t>(v - first)]) ? 1u : 0u;
  };
  struct record {
    Node source, target;
  };
  detail::edge_walk<Node> walk(graph, rank, size);
  std::uint64_t seen = 0;
  const auto hand_on = [&](std::uint64_t most, const auto& put) {
    const bool more = walk.next(most, [&](std::uint64_t u, std::uint64_t v) {
      ++seen;
      put(u, v);
    });
    if (on_progress) on_progress({"measure", seen, walk.edges(), "edges"});
    return more;
  };
  if (size == 1) {
    for (bool more = walk.edges() != 0; more;) more = hand_on(std::uint64_t{1} << 20, meet);
    return cut;
  }
  record_exchange exchange(ranks, sizeof(record),
                           records_per_round(round_bytes, size, sizeof(record)));
  exchange.run(
      [&](std::uint64_t) {
        return hand_on(exchange.room(), [&](std::uint64_t u, std::uint64_t v) {
          if (u != v)
            exchange.push(rank_of_node(share.ranges, v),
                          record{static_cast<Node>(u), static_cast<Node>(v)});
        });
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        detail::for_each_record<record>(bytes, [&](const record& one) {
          meet(static_cast<std::uint64_t>(one.source), static_cast<std::uint64_t>(one.target));
        });
      });
  return cut;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/share.ipp>
#endif
