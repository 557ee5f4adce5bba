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
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/edges.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
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

/// Memory that stream_neighbors takes besides its window, and besides 2.5 MiB for each thread, of 4
/// at most.
inline constexpr std::uint64_t neighbor_stream_buffer_bytes = std::uint64_t{20} << 20;

/// Bytes of bucket files for E edges between V nodes, at most; for a moment twice as many of one
/// bucket where it is cut.
constexpr std::uint64_t neighbor_stream_disk_bytes(std::uint64_t nodes,
                                                   std::uint64_t edges) noexcept {
  return edges * (nodes <= std::uint64_t{1} << 32 ? 8 : 16);
}

namespace detail {

/// Threads that read edges, or sort windows, at once.
inline constexpr std::size_t most_stream_threads = 4;

/// Ignores what will be visited soon.
struct told_nothing {
  void operator()(std::span<const std::uint64_t>) const noexcept {}
};

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

  /// f(rank, visitor of the earlier endpoints) for every rank, ascending, and soon(some of them)
  /// before they are visited.
  /// @param run  sorts the next windows, as many as are in memory at once
  template <class F, class Soon>
  void replay(F&& f, Soon&& soon, executor_ref run) {
    // Windows still to do, the next one last.
    std::vector<window> left;
    while (!files_.empty()) {
      left.push_back(std::move(files_.back()));
      files_.pop_back();
    }
    while (!left.empty()) {
      if (const std::size_t count = count_at_once(left, run); count != 0) {
        hand_on_sorted(std::span(left).last(count), f, soon, run);
        left.erase(left.end() - static_cast<std::ptrdiff_t>(count), left.end());
        continue;
      }
      window one = std::move(left.back());
      left.pop_back();
      if (one.last - one.first == 1) {
        f(one.first, [&](auto&& g) { one.each([&](const record& r) { g(r.earlier); }); });
      } else {
        unsigned shift = 0;
        auto narrower = cut(one.first, one.last,
                            std::min<std::uint64_t>(one.last - one.first, most_buckets), shift);
        one.each([&](const record& r) {
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

    std::size_t width() const noexcept { return static_cast<std::size_t>(last - first); }
    std::size_t records() const noexcept {
      return static_cast<std::size_t>(content.size() / sizeof(record));
    }
    /// f(record) in the order in which they came.
    template <class F>
    void each(F&& f) {
      const std::size_t count = records();
      std::vector<record> block(std::min(count, std::size_t{1} << 14));
      for (std::size_t at = 0; at < count;) {
        const auto piece = std::span(block).first(std::min(block.size(), count - at));
        content.read_at(at * sizeof(record), std::as_writable_bytes(piece));
        for (const record& r : piece) f(r);
        at += piece.size();
      }
    }
    /// Sort the records by rank. @param ends  [width()] zeros; out: where each row ends
    /// @param earlier  [records()] out
    void sort(std::span<std::uint64_t> ends, std::span<Node> earlier) {
      const auto row = [&](const record& r) {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(r.rank) - first);
      };
      each([&](const record& r) { ++ends[row(r)]; });
      std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::uint64_t{0});
      each([&](const record& r) { earlier[static_cast<std::size_t>(ends[row(r)]++)] = r.earlier; });
    }
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

  /// How many of the next windows, the last ones of a list, may be in memory at once; 0: the first
  /// of them is too large.
  std::size_t count_at_once(std::span<const window> left, executor_ref run) const {
    const std::size_t most = std::min({left.size(), run.concurrency(), most_stream_threads});
    std::size_t count = 0;
    std::uint64_t records = 0, rows = 0;
    for (; count < most; ++count) {
      const window& next = left[left.size() - 1 - count];
      records += next.records();
      rows += next.width();
      if (records * sizeof(Node) > room_ || (count != 0 && rows * sizeof(std::uint64_t) > room_))
        break;
    }
    return count;
  }

  /// @param windows  the next one last
  template <class F, class Soon>
  void hand_on_sorted(std::span<window> windows, F&& f, Soon&& soon, executor_ref run) {
    std::size_t rows = 0, records = 0;
    std::array<std::size_t, most_stream_threads> first_row{}, first_record{};
    for (std::size_t w = windows.size(); w-- > 0;) {
      first_row[w] = std::exchange(rows, rows + windows[w].width());
      first_record[w] = std::exchange(records, records + windows[w].records());
    }
    ends_.assign(rows, 0);
    earlier_.resize(records);
    run.parallel_for(0, windows.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        windows[w].sort(std::span(ends_).subspan(first_row[w], windows[w].width()),
                        std::span(earlier_).subspan(first_record[w], windows[w].records()));
      }
    });
    for (std::size_t w = windows.size(); w-- > 0;) {
      const auto earlier = std::span(earlier_).subspan(first_record[w], windows[w].records());
      std::size_t begin = 0, told = 0;
      std::array<std::uint64_t, 64> ids;
      for (std::size_t i = 0; i < windows[w].width(); ++i) {
        const auto end = static_cast<std::size_t>(ends_[first_row[w] + i]);
        while (told < std::min(end + ids.size(), earlier.size())) {
          const auto next = earlier.subspan(told, std::min(ids.size(), earlier.size() - told));
          std::copy(next.begin(), next.end(), ids.begin());
          soon(std::span<const std::uint64_t>(ids).first(next.size()));
          told += next.size();
        }
        f(windows[w].first + i, [&](auto&& g) {
          for (const Node u : earlier.subspan(begin, end - begin)) g(u);
        });
        begin = end;
      }
    }
  }

  static constexpr std::size_t buffer_bytes = std::size_t{1} << 15;

  const neighbor_stream_options& options_;
  std::uint64_t room_;
  unsigned shift_ = 0;
  std::vector<window> files_{};
  // Of the windows in memory: where rows end, and the rows.
  std::vector<std::uint64_t> ends_{};
  std::vector<Node> earlier_{};
};

/// f(source, target), both global IDs, for every edge but loops, in the order of edge IDs.
/// @param run  reads the next edges beside the calls of f
template <id Node, class F>
void for_each_edge_of(const chunked_graph& graph, const progress_callback& on_progress,
                      executor_ref run, F&& f) {
  const std::uint64_t edges = graph.num_edges();
  const chunked_edges<Node, std::uint64_t> all(graph);
  const auto take = [&](Node u, Node v, std::uint64_t e) {
    if (u != v) f(static_cast<std::uint64_t>(u), static_cast<std::uint64_t>(v));
    if (((++e & 0xFFFF) == 0 || e == edges) && on_progress)
      on_progress({"bucket", e, edges, "edges"});
  };
  const std::size_t readers = std::min(run.concurrency(), most_stream_threads);
  if (readers < 2) return all.for_each_edge(take);
  // Blocks are used in rounds, in which the threads read those of the next.
  const auto block = std::min<std::uint64_t>(std::uint64_t{1} << 16, edges / readers + 1),
             round = readers * block;
  std::vector<std::pair<Node, Node>> ends(static_cast<std::size_t>(2 * round));
  const auto ends_from = [&](std::uint64_t first) {
    return ends.data() + static_cast<std::size_t>(first % ends.size());
  };
  const auto read = [&](std::uint64_t first) {
    std::pair<Node, Node>* to = ends_from(first);
    for_each_edge_between(all, static_cast<std::size_t>(first),
                          static_cast<std::size_t>(std::min(edges, first + block)),
                          [&](Node u, Node v, std::uint64_t) { *to++ = {u, v}; });
  };
  const auto use = [&](std::uint64_t first) {
    const std::pair<Node, Node>* from = ends_from(first);
    for (std::uint64_t e = first, end = std::min(edges, first + round); e < end; ++e, ++from)
      take(from->first, from->second, e);
  };
  const auto blocks_of = [&](std::uint64_t first) {
    const std::uint64_t count = first < edges ? std::min(edges - first, round) : 0;
    return static_cast<std::size_t>(count / block + (count % block != 0 ? 1 : 0));
  };
  run.parallel_for(0, blocks_of(0), 1, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) read(begin * block);
  });
  for (std::uint64_t first = 0; first < edges; first += round) {
    const std::uint64_t next = first + round;
    run.parallel_for(0, 1 + blocks_of(next), 1, [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) {
        if (begin == 0)
          use(first);
        else
          read(next + (begin - 1) * block);
      }
    });
  }
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
/// @param soon    soon(span of uint64_t): nodes that will be visited as neighbors
/// @param run     reads edges beside each other and sorts windows; push is called by one thread,
///     and not within a loop of it
/// @errors those of chunked_graph::read_edges; io: of the scratch files, a full disk among them;
///     what push raises
/// @complexity O(V + E); memory: the window, neighbor_stream_buffer_bytes and those of threads;
///     disk: neighbor_stream_disk_bytes
template <id Node, class Order, class Rank, class Push, class Soon = detail::told_nothing>
void stream_neighbors(const chunked_graph& graph, const Order& order, const Rank& rank,
                      const neighbor_stream_options& options, Push&& push, executor_ref run = {},
                      Soon&& soon = {}) {
  const std::uint64_t nodes = graph.num_nodes();
  detail::check_streamed_nodes<Node>(nodes);
  detail::neighbor_buckets<Node> buckets(nodes, graph.num_edges(), options);
  detail::for_each_edge_of<Node>(graph, options.on_progress, run,
                                 [&](std::uint64_t u, std::uint64_t v) {
                                   const std::uint64_t a = rank(u), b = rank(v);
                                   // Chosen without a branch, which would be mispredicted.
                                   buckets.add(std::max(a, b), a < b ? u : v);
                                 });
  std::uint64_t pushed = 0;
  buckets.replay(
      [&](std::uint64_t k, const auto& neighbors) {
        push(order(k), neighbors);
        if ((++pushed & 0xFFFF) == 0 && options.on_progress)
          options.on_progress({"assign", pushed, nodes, "nodes"});
      },
      soon, run);
}

/// push(v, neighbors) for every node of a chunked graph by ID: v is a global ID, neighbors a span
/// of all nodes that share an edge with it, ascending, each once and v not among them.
///
/// @tparam Node  as for stream_neighbors  @param run  as there
/// @errors as for stream_neighbors
/// @complexity O(V + E log E); memory: as there, and twice the longest row; disk:
///     neighbor_stream_disk_bytes of 2E edges
template <id Node, class Push>
void stream_undirected(const chunked_graph& graph, const neighbor_stream_options& options,
                       Push&& push, executor_ref run = {}) {
  const std::uint64_t nodes = graph.num_nodes();
  detail::check_streamed_nodes<Node>(nodes);
  detail::neighbor_buckets<Node> buckets(nodes, 2 * graph.num_edges(), options);
  detail::for_each_edge_of<Node>(graph, options.on_progress, run,
                                 [&](std::uint64_t u, std::uint64_t v) {
                                   buckets.add(u, v);
                                   buckets.add(v, u);
                                 });
  std::vector<Node> row;
  const auto settle = [&] {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  };
  std::uint64_t pushed = 0;
  buckets.replay(
      [&](std::uint64_t v, const auto& neighbors) {
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
      },
      detail::told_nothing(), run);
}

}  // namespace halograph
