// SPDX-License-Identifier: BSL-1.0
/// @file stream.hpp
/// Visit the nodes of a chunked graph in order, each with its earlier neighbors or with all of
/// them, in memory that does not grow with the edges.
/// Layer: io. Words: README.md.
///
/// A chunked graph lists edges by type, in the order of files; a streaming partitioner wants each
/// node with its neighbors. So each edge is written once, as (later endpoint, earlier endpoint),
/// into the bucket file of a window of later endpoints; then the buckets are read back one by one
/// and sorted by counting. A bucket too large for memory is cut into narrower windows in the same
/// way; a row that is too large by itself is passed on in pieces. Where all neighbors are wanted,
/// each edge is written twice, to both of its endpoints.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/edges.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// How much memory and disk stream_neighbors may take.
struct neighbor_stream_options {
  std::string
      scratch{};  ///< folder for bucket files, which are unlinked as soon as they are created
  /// of the rows that are in memory at once; at least 1 KiB is taken
  std::uint64_t window_bytes = std::uint64_t{32} << 20;
  progress_callback on_progress{};  ///< called with edges, then with nodes; empty: no reports
};

/// Memory that stream_neighbors takes besides its window.
inline constexpr std::uint64_t neighbor_stream_buffer_bytes = std::uint64_t{20} << 20;

/// Bytes of bucket files for E edges between V nodes, at most; for a moment twice as many of one
/// bucket where it is cut.
constexpr std::uint64_t neighbor_stream_disk_bytes(std::uint64_t nodes,
                                                   std::uint64_t edges) noexcept {
  return edges * (nodes <= std::uint64_t{1} << 32 ? 8 : 16);
}

namespace detail {

/// Buckets of (later endpoint, earlier endpoint), both global IDs, the later one by its rank.
template <id Node>
class neighbor_buckets {
 public:
  struct record {
    Node rank;
    Node earlier;
  };
  static constexpr std::size_t most_buckets = 64;  // and less than twice as many open files a level

  neighbor_buckets(std::uint64_t nodes, std::uint64_t edges, const neighbor_stream_options& options)
      : options_(options), room_(std::max<std::uint64_t>(options.window_bytes, 1024) / 2) {
    // Half a room's edges to a bucket on average, and offsets that fit the other half.
    const std::uint64_t wanted = std::max(
                                     edges / std::max<std::uint64_t>(1, room_ / (2 * sizeof(Node))),
                                     nodes * 8 / room_) +
                                 1;
    files_ = cut(0, nodes, std::min<std::uint64_t>(wanted, most_buckets), shift_);
  }

  void add(std::uint64_t rank, std::uint64_t earlier) {
    const record one{static_cast<Node>(rank), static_cast<Node>(earlier)};
    files_[static_cast<std::size_t>(rank >> shift_)].content.append(
        std::as_bytes(std::span(&one, 1)));
  }

  /// f(rank, visitor of the earlier endpoints) for every rank, ascending.
  template <class F>
  void replay(F&& f) {
    // Windows still to do, the next one last.
    std::vector<window> left;
    while (!files_.empty()) {
      left.push_back(std::move(files_.back()));
      files_.pop_back();
    }
    while (!left.empty()) {
      window one = std::move(left.back());
      left.pop_back();
      const std::uint64_t records = one.content.size() / sizeof(record);
      if (records * sizeof(Node) <= room_) {
        hand_on_sorted(one, f);
      } else if (one.last - one.first == 1) {
        f(one.first, [&](auto&& g) { each(one, [&](const record& r) { g(r.earlier); }); });
      } else {
        unsigned shift = 0;
        auto narrower = cut(one.first, one.last,
                            std::min<std::uint64_t>(one.last - one.first, most_buckets), shift);
        each(one, [&](const record& r) {
          narrower[static_cast<std::size_t>((static_cast<std::uint64_t>(r.rank) - one.first) >>
                                            shift)]
              .content.append(std::as_bytes(std::span(&r, 1)));
        });
        while (!narrower.empty()) {
          narrower.back().content.flush();
          left.push_back(std::move(narrower.back()));
          narrower.pop_back();
        }
      }
    }
  }

 private:
  /// Ranks [first, last) and their records.
  struct window {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    scratch_file content;
  };

  /// Empty windows of 2^shift ranks each: at least `wanted`, less than twice as many.
  std::vector<window> cut(std::uint64_t first, std::uint64_t last, std::uint64_t wanted,
                          unsigned& shift) const {
    const std::uint64_t width = std::bit_floor(std::max<std::uint64_t>(1, (last - first) / wanted));
    shift = static_cast<unsigned>(std::bit_width(width)) - 1;
    std::vector<window> out;
    for (std::uint64_t at = first; at < last; at += width)
      out.push_back({at, std::min(last, at + width), scratch_file(options_.scratch, buffer_bytes)});
    return out;
  }

  /// f(record) in the order in which they came.
  template <class F>
  void each(window& one, F&& f) {
    block_.resize(std::size_t{1} << 14);
    const std::uint64_t count = one.content.size() / sizeof(record);
    for (std::uint64_t at = 0; at < count;) {
      const auto piece = std::span(block_).first(
          static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), count - at)));
      one.content.read_at(at * sizeof(record), std::as_writable_bytes(piece));
      for (const record& r : piece) f(r);
      at += piece.size();
    }
  }

  template <class F>
  void hand_on_sorted(window& one, F&& f) {
    const auto width = static_cast<std::size_t>(one.last - one.first);
    const auto row = [&](const record& r) {
      return static_cast<std::size_t>(static_cast<std::uint64_t>(r.rank) - one.first);
    };
    offsets_.assign(width + 1, 0);
    each(one, [&](const record& r) { ++offsets_[row(r)]; });
    std::uint64_t sum = 0;
    for (auto& offset : offsets_) {
      const std::uint64_t count = offset;
      offset = sum;
      sum += count;
    }
    earlier_.resize(static_cast<std::size_t>(sum));
    each(one, [&](const record& r) {
      earlier_[static_cast<std::size_t>(offsets_[row(r)]++)] = r.earlier;
    });
    // Each offset is now where the next row starts.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const auto end = static_cast<std::size_t>(offsets_[i]);
      f(one.first + i, [&](auto&& g) {
        for (std::size_t k = begin; k < end; ++k) g(earlier_[k]);
      });
      begin = end;
    }
  }

  static constexpr std::size_t buffer_bytes = std::size_t{1} << 15;

  const neighbor_stream_options& options_;
  std::uint64_t room_;
  unsigned shift_ = 0;
  std::vector<window> files_{};
  std::vector<record> block_{};
  std::vector<std::uint64_t> offsets_{};
  std::vector<Node> earlier_{};
};

/// f(source, target), both global IDs, for every edge but loops, in the order of edge IDs.
template <id Node, class F>
void for_each_edge_of(const chunked_graph& graph, const progress_callback& on_progress, F&& f) {
  const std::uint64_t edges = graph.num_edges();
  chunked_edges<Node, std::uint64_t>(graph).for_each_edge([&](Node u, Node v, std::uint64_t e) {
    if (u != v) f(static_cast<std::uint64_t>(u), static_cast<std::uint64_t>(v));
    if (((++e & 0xFFFF) == 0 || e == edges) && on_progress)
      on_progress({"bucket", e, edges, "edges"});
  });
}

/// @errors overflow
template <id Node>
void check_streamed_nodes(std::uint64_t nodes) {
  if (nodes > id_capacity<Node>())
    raise(error_kind::overflow,
          std::to_string(nodes) + " nodes do not fit the ID type; use a wider one");
}

}  // namespace detail

/// push(v, neighbors) for every node of a chunked graph: v is a global ID, neighbors a visitor of
/// those that were pushed before it, once for each edge between them, in order of edge IDs; loops
/// are omitted.
///
/// @tparam Node   type that holds typed and global IDs
/// @param order   node that comes k-th   @param rank  where a node comes; the inverse
/// @errors those of chunked_graph::read_edges; io: of the scratch files, a full disk among them;
///     what push raises
/// @complexity O(V + E); memory: neighbor_stream_buffer_bytes and the window; disk:
///     neighbor_stream_disk_bytes
template <id Node, class Order, class Rank, class Push>
void stream_neighbors(const chunked_graph& graph, const Order& order, const Rank& rank,
                      const neighbor_stream_options& options, Push&& push) {
  const std::uint64_t nodes = graph.num_nodes();
  detail::check_streamed_nodes<Node>(nodes);
  detail::neighbor_buckets<Node> buckets(nodes, graph.num_edges(), options);
  detail::for_each_edge_of<Node>(graph, options.on_progress, [&](std::uint64_t u, std::uint64_t v) {
    const std::uint64_t a = rank(u), b = rank(v);
    if (a < b)
      buckets.add(b, u);
    else
      buckets.add(a, v);
  });
  std::uint64_t pushed = 0;
  buckets.replay([&](std::uint64_t k, const auto& neighbors) {
    push(order(k), neighbors);
    if ((++pushed & 0xFFFF) == 0 && options.on_progress)
      options.on_progress({"assign", pushed, nodes, "nodes"});
  });
}

/// push(v, neighbors) for every node of a chunked graph by ID: v is a global ID, neighbors a span
/// of all nodes that share an edge with it, ascending, each once and v not among them.
///
/// @tparam Node  as for stream_neighbors
/// @errors as for stream_neighbors
/// @complexity O(V + E log E); memory: neighbor_stream_buffer_bytes, the window and twice the
/// longest
///     row; disk: neighbor_stream_disk_bytes of 2E edges
template <id Node, class Push>
void stream_undirected(const chunked_graph& graph, const neighbor_stream_options& options,
                       Push&& push) {
  const std::uint64_t nodes = graph.num_nodes();
  detail::check_streamed_nodes<Node>(nodes);
  detail::neighbor_buckets<Node> buckets(nodes, 2 * graph.num_edges(), options);
  detail::for_each_edge_of<Node>(graph, options.on_progress, [&](std::uint64_t u, std::uint64_t v) {
    buckets.add(u, v);
    buckets.add(v, u);
  });
  std::vector<Node> row;
  const auto settle = [&] {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  };
  std::uint64_t pushed = 0;
  buckets.replay([&](std::uint64_t v, const auto& neighbors) {
    row.clear();
    std::size_t full = std::size_t{1} << 16;  // then repeated edges are looked for
    neighbors([&](Node u) {
      row.push_back(u);
      if (row.size() < full) return;
      settle();
      full = std::max(full, 2 * row.size());
    });
    settle();
    push(v, std::span<const Node>(row));
    if ((++pushed & 0xFFFF) == 0 && options.on_progress)
      options.on_progress({"read", pushed, nodes, "nodes"});
  });
}

}  // namespace halograph
