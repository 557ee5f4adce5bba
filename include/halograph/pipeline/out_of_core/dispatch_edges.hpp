// SPDX-License-Identifier: BSL-1.0
/// @file dispatch_edges.hpp
/// Dispatch, edges: set aside in buckets by target, then sorted bucket by bucket into rows that lie
/// in files.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/dispatch_nodes.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// One edge on its way, in new node IDs.
template <id Node, id Edge>
struct edge_record {
  Node target;
  Node source;
  Edge edge;  // original ID, or position
};

/// Adds up over edges in any order: the same sum means, as good as certainly, the same edges.
template <class Node, class Edge>
std::uint64_t edge_sum(Node target, Node source, Edge edge) noexcept {
  std::uint64_t x = static_cast<std::uint64_t>(target) * 0x9E3779B97F4A7C15u +
                    static_cast<std::uint64_t>(source);
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u + static_cast<std::uint64_t>(edge);
  x = (x ^ (x >> 32)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Which bucket a key belongs to: ranges of 2^shift keys.
struct bucket_ranges {
  unsigned shift = 0;
  std::size_t count = 1;

  bucket_ranges(std::uint64_t keys, std::uint64_t buckets) {
    while (((keys == 0 ? 0 : keys - 1) >> shift) >= buckets) ++shift;
    count = static_cast<std::size_t>((keys == 0 ? 0 : keys - 1) >> shift) + 1;
  }
  std::size_t of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> shift);
  }
  /// Keys [first, last) of a bucket, of `keys` in all.
  std::pair<std::uint64_t, std::uint64_t> keys(std::size_t bucket,
                                               std::uint64_t keys) const noexcept {
    return {std::min<std::uint64_t>(std::uint64_t{bucket} << shift, keys),
            std::min<std::uint64_t>((std::uint64_t{bucket} + 1) << shift, keys)};
  }
};

/// Sort records by key into rows, bucket by bucket.
///
/// @param spill    finished; records of a bucket in the order that rows shall keep
/// @param offsets  [keys+1] out: where each key's row starts
/// @param window   bytes that a thread reads through
/// @param key      key(record)
/// @param put      put(position, record): position in the rows, each once
template <class Record, id Edge, executor Executor, class Key, class Put>
void rows_from_buckets(const spill_buckets& spill, const bucket_ranges& ranges,
                       std::span<Edge> offsets, std::uint64_t window,
                       std::pmr::memory_resource* memory, const Executor& run, const Key& key,
                       const Put& put, const std::function<void(std::uint64_t)>& told) {
  const std::uint64_t keys = offsets.size() - 1;
  std::vector<std::uint64_t> begin(ranges.count + 1);
  for (std::size_t b = 0; b < ranges.count; ++b) begin[b + 1] = begin[b] + spill.count(b);
  std::mutex mutex;
  std::uint64_t finished = 0;
  run.parallel_for(0, ranges.count, 1, [&](std::size_t first_bucket, std::size_t last_bucket) {
    const raw_bytes buffer(
        static_cast<std::size_t>(std::max<std::uint64_t>(window, sizeof(Record))), memory);
    for (std::size_t b = first_bucket; b < last_bucket; ++b) {
      const auto [first, last] = ranges.keys(b, keys);
      const auto each = [&](auto&& f) {
        spill.read(b, buffer.all(),
                   [&](std::span<const std::byte> bytes) { for_each_record<Record>(bytes, f); });
      };
      for (std::uint64_t k = first; k < last; ++k) offsets[static_cast<std::size_t>(k)] = 0;
      each([&](const Record& record) { ++offsets[index(key(record))]; });
      auto sum = static_cast<Edge>(begin[b]);
      for (std::uint64_t k = first; k < last; ++k) {
        const Edge row = offsets[static_cast<std::size_t>(k)];
        offsets[static_cast<std::size_t>(k)] = sum;
        sum = static_cast<Edge>(sum + row);
      }
      each([&](const Record& record) { put(index(offsets[index(key(record))]++), record); });
      // Filling moved each offset to its row's end, the next row's start.
      for (std::uint64_t k = last; k > first + 1; --k)
        offsets[static_cast<std::size_t>(k - 1)] = offsets[static_cast<std::size_t>(k - 2)];
      if (first < last) offsets[static_cast<std::size_t>(first)] = static_cast<Edge>(begin[b]);
      const std::lock_guard lock(mutex);
      finished += begin[b + 1] - begin[b];
      if (told) told(finished);
    }
  });
  offsets[static_cast<std::size_t>(keys)] = static_cast<Edge>(begin.back());
}

/// Rows of the parts of this rank, in files. Positions in them are its own.
template <id Node, id Edge>
struct dispatched_edges {
  scratch_array<Edge>
      offsets{};  // [V+1] by new ID of the target; rows of nodes that are not held are empty
  scratch_array<Node> sources{};                   // [L]
  scratch_array<Edge> old_edge{};                  // [L]
  scratch_array<Edge> new_edge{};                  // [L]
  scratch_array<std::uint64_t> bounds{};           // [P*R+1]
  scratch_array<std::uint64_t> cut_begin{};        // [P+1], or none
  scratch_array<cut_edge<Node, Edge>> cut_list{};  // [C] of own parts
  std::uint64_t rows = 0;                          // L, of own parts alone
  std::uint64_t cut_edges = 0;                     // of all parts
  std::uint64_t dropped = 0;
};

/// Which nodes, in new order, are in the parts of which rank: ranks have ranges of parts, and so of
/// nodes.
class rank_shares {
 public:
  rank_shares() = default;
  /// @param part_begin  [P+1] first node of each part
  rank_shares(std::span<const std::uint64_t> part_begin, std::size_t rank, std::size_t ranks)
      : rank_(rank), begin_(ranks + 1) {
    const std::uint64_t parts = part_begin.size() - 1;
    for (std::size_t r = 0; r <= ranks; ++r)
      begin_[r] = part_begin[static_cast<std::size_t>(
          r == ranks ? parts : block_range(parts, r, ranks).begin)];
    parts_ = block_range(parts, rank, ranks);
  }
  /// Own parts.
  id_range parts() const noexcept { return parts_; }
  /// Own nodes.
  id_range nodes() const noexcept { return {begin_[rank_], begin_[rank_ + 1]}; }
  id_range nodes_of(std::size_t rank) const noexcept { return {begin_[rank], begin_[rank + 1]}; }
  bool owns_node(std::uint64_t node) const noexcept {
    return node - begin_[rank_] < begin_[rank_ + 1] - begin_[rank_];
  }
  /// The rank that has a node's part. @complexity O(log R)
  std::size_t of_node(std::uint64_t node) const noexcept {
    return range_of<std::uint64_t>(begin_, node);
  }

 private:
  std::size_t rank_ = 0;
  id_range parts_{};
  std::vector<std::uint64_t> begin_{0, 0};
};

/// A run of edges of one type that is read at once.
struct edge_piece {
  type_id type = 0;
  std::uint64_t first = 0, last = 0;  // of the type
  std::uint64_t base = 0;             // original ID of the type's first edge
};

/// All edges in pieces of at most `block`, by original ID.
template <class Input>
std::vector<edge_piece> edge_pieces(const Input& input, std::uint64_t block) {
  std::vector<edge_piece> out;
  std::uint64_t base = 0;
  for (std::size_t r = 0; r < input.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    std::uint64_t seen = 0;
    for (const edge_block& piece : input.edge_blocks(type)) {
      for (std::uint64_t at = piece.first; at < piece.last; at += block)
        out.push_back({type, at, std::min<std::uint64_t>(at + block, piece.last), base});
      seen += piece.last - piece.first;
    }
    if (seen != input.edge_counts[r]) {
      raise(errc::internal, "edges of type " +
                                graph_schema::quoted(input.schema.edge_types()[r].str()) +
                                " are lost: " + std::to_string(seen) + " of " +
                                std::to_string(input.edge_counts[r]) + " are in blocks");
    }
    base += seen;
  }
  return out;
}

/// Edges of all types, read by blocks on all threads, in new node IDs into the buckets by target of
/// the rank that has the target's part, each bucket by original ID. Ranks take the pieces of a
/// round in turn, so that they arrive in order. Inside run_collective().
/// @param block, slots  edges of a piece, pieces that a rank reads in a round: the same on all
///     ranks
/// @param ranges        of the targets from the first own node on
/// @return the sum of edge_sum over all edges that this rank has read
template <id Node, id Edge, class Input, communicator C, executor Executor>
std::uint64_t edges_to_buckets(const Input& input, std::span<const Node> new_node,
                               const rank_shares& shares, const bucket_ranges& ranges,
                               spill_buckets& spill, std::size_t block, std::size_t slots,
                               std::pmr::memory_resource* memory, const C& ranks,
                               const Executor& run,
                               const std::function<void(std::uint64_t, std::uint64_t)>& told) {
  using record = edge_record<Node, Edge>;
  const auto node_offsets = offsets_of(input.node_counts);
  const auto pieces = edge_pieces(input, block);
  std::pmr::vector<Node> columns(2 * slots * block, memory);
  std::uint64_t sum = 0, seen = 0, own = 0;
  const auto in_round = [&](std::uint64_t round) {
    const std::uint64_t first = (round * ranks.size() + ranks.rank()) * slots;
    return std::pair{std::min<std::uint64_t>(first, pieces.size()),
                     std::min<std::uint64_t>(first + slots, pieces.size())};
  };
  for (std::uint64_t round = 0; in_round(round).first < pieces.size(); ++round) {
    for (auto [i, end] = in_round(round); i < end; ++i)
      own += pieces[static_cast<std::size_t>(i)].last - pieces[static_cast<std::size_t>(i)].first;
  }
  // @return is there a round behind this one?
  const auto read_round = [&](std::uint64_t round, auto&& emit) {
    const auto [begin, end] = in_round(round);
    const auto at = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
    run.parallel_for(0, count, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const edge_piece& piece = pieces[at + i];
        const auto edges = static_cast<std::size_t>(piece.last - piece.first);
        const std::uint64_t from = node_offsets[input.schema.source_type(piece.type)],
                            to = node_offsets[input.schema.target_type(piece.type)];
        const auto source = std::span(columns).subspan(2 * i * block, edges),
                   target = std::span(columns).subspan((2 * i + 1) * block, edges);
        input.template read_edges_into<Node>(piece.type, piece.first, source, target);
        for (Node& u : source)
          u = new_node[static_cast<std::size_t>(from + static_cast<std::uint64_t>(u))];
        for (Node& v : target)
          v = new_node[static_cast<std::size_t>(to + static_cast<std::uint64_t>(v))];
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const edge_piece& piece = pieces[at + i];
      const auto edges = static_cast<std::size_t>(piece.last - piece.first);
      const Node *source = columns.data() + 2 * i * block,
                 *target = columns.data() + (2 * i + 1) * block;
      for (std::size_t k = 0; k < edges; ++k) {
        const record edge{target[k], source[k], static_cast<Edge>(piece.base + piece.first + k)};
        sum += edge_sum(edge.target, edge.source, edge.edge);
        emit(edge);
      }
      seen += edges;
    }
    if (told) told(seen, own);
    return in_round(round + 1).first < pieces.size();
  };
  const std::uint64_t first_node = shares.nodes().begin;
  if (ranks.size() == 1) {
    for (std::uint64_t round = 0; !pieces.empty(); ++round) {
      if (!read_round(round, [&](const record& edge) {
            spill.push(ranges.of(static_cast<std::uint64_t>(edge.target)), edge);
          }))
        break;
    }
    return sum;
  }
  record_exchange exchange(ranks, sizeof(record), slots * block, memory);
  exchange.run(
      [&](std::uint64_t round) {
        return read_round(round, [&](const record& edge) {
          exchange.push(shares.of_node(static_cast<std::uint64_t>(edge.target)), edge);
        });
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        for_each_record<record>(bytes, [&](const record& edge) {
          spill.push(ranges.of(static_cast<std::uint64_t>(edge.target) - first_node), edge);
        });
      });
  return sum;
}

/// Buckets in order, end to end, as an array. f(record, place)
template <class Record, class F>
void for_each_in_buckets(const spill_buckets& spill, std::uint64_t window,
                         std::pmr::memory_resource* memory, F&& f) {
  const raw_bytes buffer(static_cast<std::size_t>(std::max<std::uint64_t>(window, sizeof(Record))),
                         memory);
  std::size_t at = 0;
  for (std::size_t b = 0; b < spill.buckets(); ++b) {
    spill.read(b, buffer.all(), [&](std::span<const std::byte> bytes) {
      for_each_record<Record>(bytes, [&](const Record& record) { f(record, at++); });
    });
  }
}

/// Where lists by part begin that buckets hold, `each` buckets for each part from `first` on.
/// @param begin [P+1] out
inline void lists_from_buckets(const spill_buckets& spill, id_range parts, std::size_t each,
                               std::span<std::uint64_t> begin) {
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < begin.size(); ++p) {
    begin[p] = sum;
    if (p < parts.begin || p >= parts.end) continue;
    for (std::size_t i = 0; i < each; ++i)
      sum += spill.count((p - static_cast<std::size_t>(parts.begin)) * each + i);
  }
}

/// Cut edges by the part of their source, through a bucket for each part. @return how many
template <id Node, id Edge>
std::uint64_t cut_edges_to_files(const std::string& folder, const csc_view<Node, Edge>& rows,
                                 std::span<const std::uint64_t> part_begin,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory,
                                 dispatched_edges<Node, Edge>& out) {
  using record = cut_edge<Node, Edge>;
  const std::size_t parts = part_begin.size() - 1;
  const part_finder part_of(part_begin);
  spill_buckets spill(folder + "/cut_buckets", parts, sizeof(record),
                      static_cast<std::size_t>(use.cut_bytes), memory);
  std::uint64_t count = 0;
  for_each_cut_edge(rows, part_begin, 0, parts, [&](auto u, auto v, auto position) {
    spill.push(part_of(static_cast<std::uint64_t>(u)), record{u, static_cast<Node>(v), position});
    ++count;
  });
  spill.finish();
  out.cut_begin = scratch_array<std::uint64_t>::create(folder + "/cut_begin", parts + 1);
  out.cut_list = scratch_array<record>::create(folder + "/cut_list", count);
  lists_from_buckets(spill, {0, parts}, 1, out.cut_begin.values());
  const auto list = out.cut_list.values();
  for_each_in_buckets<record>(spill, use.window_bytes, memory,
                              [&](const record& one, std::size_t at) { list[at] = one; });
  return count;
}

}  // namespace halograph::detail
