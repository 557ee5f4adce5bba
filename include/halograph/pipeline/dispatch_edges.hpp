// SPDX-License-Identifier: BSL-1.0
/// @file dispatch_edges.hpp
/// Dispatch, edges: set aside in buckets by target, then sorted bucket by bucket into rows that lie in files.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/pipeline/chunked_graph.hpp>
#include <halograph/pipeline/dispatch_budget.hpp>
#include <halograph/pipeline/dispatch_nodes.hpp>
#include <halograph/pipeline/part.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
struct travelling_edge {
  Node target;
  Node source;
  Edge edge;  // original ID, or position
};

/// Adds up over edges in any order: the same sum means, as good as certainly, the same edges.
template <class Node, class Edge>
std::uint64_t edge_sum(Node target, Node source, Edge edge) noexcept {
  std::uint64_t x = static_cast<std::uint64_t>(target) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(source);
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
  std::size_t of(std::uint64_t key) const noexcept { return static_cast<std::size_t>(key >> shift); }
  /// Keys [first, last) of a bucket, of `keys` in all.
  std::pair<std::uint64_t, std::uint64_t> keys(std::size_t bucket, std::uint64_t keys) const noexcept {
    return {std::min<std::uint64_t>(std::uint64_t{bucket} << shift, keys), std::min<std::uint64_t>((std::uint64_t{bucket} + 1) << shift, keys)};
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
void rows_from_buckets(const spill_buckets& spill, const bucket_ranges& ranges, std::span<Edge> offsets, std::uint64_t window,
                       std::pmr::memory_resource* memory, const Executor& run, const Key& key, const Put& put,
                       const std::function<void(std::uint64_t)>& told) {
  const std::uint64_t keys = offsets.size() - 1;
  std::vector<std::uint64_t> begin(ranges.count + 1);
  for (std::size_t b = 0; b < ranges.count; ++b) begin[b + 1] = begin[b] + spill.count(b);
  std::mutex mutex;
  std::uint64_t finished = 0;
  run.parallel_for(0, ranges.count, 1, [&](std::size_t first_bucket, std::size_t last_bucket) {
    std::pmr::vector<std::byte> buffer(static_cast<std::size_t>(std::max<std::uint64_t>(window, sizeof(Record))), memory);
    for (std::size_t b = first_bucket; b < last_bucket; ++b) {
      const auto [first, last] = ranges.keys(b, keys);
      const auto each = [&](auto&& f) {
        spill.read(b, buffer, [&](std::span<const std::byte> bytes) {
          for (std::size_t at = 0; at < bytes.size(); at += sizeof(Record)) {
            Record record;
            std::memcpy(&record, bytes.data() + at, sizeof record);
            f(record);
          }
        });
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
      for (std::uint64_t k = last; k > first + 1; --k) offsets[static_cast<std::size_t>(k - 1)] = offsets[static_cast<std::size_t>(k - 2)];
      if (first < last) offsets[static_cast<std::size_t>(first)] = static_cast<Edge>(begin[b]);
      const std::lock_guard lock(mutex);
      finished += begin[b + 1] - begin[b];
      if (told) told(finished);
    }
  });
  offsets[static_cast<std::size_t>(keys)] = static_cast<Edge>(begin.back());
}

/// Rows of all parts, in files.
template <id Node, id Edge>
struct dispatched_edges {
  scratch_array<Edge> offsets{};             // [V+1] by new ID of the target
  scratch_array<Node> sources{};             // [E]
  scratch_array<Edge> old_edge{};            // [E]
  scratch_array<Edge> new_edge{};            // [E]
  scratch_array<std::uint64_t> bounds{};     // [P*R+1]
  scratch_array<Edge> cut_offsets{};         // [V+1], or none
  scratch_array<Node> cut_targets{};         // [C]
  scratch_array<Edge> cut_positions{};       // [C]
  std::uint64_t cut_edges = 0;
  std::uint64_t dropped = 0;
};

/// Edges of all types, read by blocks on all threads, in new node IDs into buckets by target.
/// @return the sum of edge_sum over all edges
template <id Node, id Edge, class Input, executor Executor>
std::uint64_t edges_to_buckets(const Input& input, std::span<const Node> new_node, const bucket_ranges& ranges, spill_buckets& spill,
                               const dispatch_buffers& use, std::pmr::memory_resource* memory, const Executor& run,
                               const std::function<void(std::uint64_t)>& told) {
  const auto node_offsets = offsets_of(input.node_counts);
  const std::size_t slots = 2 * std::max<std::size_t>(run.concurrency(), 1);
  const auto block = static_cast<std::size_t>(use.block_edges);
  std::pmr::vector<Node> columns(2 * slots * block, memory);
  std::uint64_t base = 0, sum = 0;
  for (std::size_t r = 0; r < input.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const std::uint64_t from = node_offsets[input.schema.source_type(type)], to = node_offsets[input.schema.target_type(type)];
    std::vector<edge_block> round;
    std::uint64_t seen = 0;
    const auto go = [&] {
      run.parallel_for(0, round.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const auto count = static_cast<std::size_t>(round[i].last - round[i].first);
          const auto source = std::span(columns).subspan(2 * i * block, count), target = std::span(columns).subspan((2 * i + 1) * block, count);
          input.template read_edges_into<Node>(type, round[i].first, source, target);
          for (Node& u : source) u = new_node[static_cast<std::size_t>(from + static_cast<std::uint64_t>(u))];
          for (Node& v : target) v = new_node[static_cast<std::size_t>(to + static_cast<std::uint64_t>(v))];
        }
      });
      for (std::size_t i = 0; i < round.size(); ++i) {
        const auto count = static_cast<std::size_t>(round[i].last - round[i].first);
        const Node *source = columns.data() + 2 * i * block, *target = columns.data() + (2 * i + 1) * block;
        for (std::size_t k = 0; k < count; ++k) {
          const travelling_edge<Node, Edge> edge{target[k], source[k], static_cast<Edge>(base + round[i].first + k)};
          sum += edge_sum(edge.target, edge.source, edge.edge);
          spill.push(ranges.of(static_cast<std::uint64_t>(edge.target)), edge);
        }
        seen += count;
      }
      round.clear();
      if (told) told(base + seen);
    };
    for (const edge_block& piece : input.edge_blocks(type)) {
      for (std::uint64_t at = piece.first; at < piece.last; at += block) {
        round.push_back({at, std::min<std::uint64_t>(at + block, piece.last)});
        if (round.size() == slots) go();
      }
    }
    go();
    if (seen != input.edge_counts[r]) {
      raise(errc::internal, "edges of type " + graph_schema::quoted(input.schema.edge_types()[r].str()) + " were lost: " + std::to_string(seen) +
                                " of " + std::to_string(input.edge_counts[r]) + " went into buckets");
    }
    base += seen;
  }
  return sum;
}

/// Cut edges grouped by source, through buckets. @return how many
template <id Node, id Edge, executor Executor>
std::uint64_t cut_edges_to_files(const std::string& folder, const csc_view<Node, Edge>& rows, std::span<const std::uint64_t> part_begin,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory, const Executor& run, dispatched_edges<Node, Edge>& out) {
  const std::uint64_t nodes = rows.num_nodes();
  const bucket_ranges ranges(nodes, use.buckets);
  using record = travelling_edge<Node, Edge>;
  spill_buckets spill(folder + "/cut_buckets", ranges.count, sizeof(record), static_cast<std::size_t>(use.bucket_bytes), memory);
  std::uint64_t count = 0;
  for_each_cut_edge(rows, part_begin, 0, part_begin.size() - 1, [&](auto u, auto v, auto position) {
    spill.push(ranges.of(static_cast<std::uint64_t>(u)), record{static_cast<Node>(v), u, position});
    ++count;
  });
  spill.finish();
  out.cut_offsets = scratch_array<Edge>::create(folder + "/cut_offsets", nodes + 1);
  out.cut_targets = scratch_array<Node>::create(folder + "/cut_targets", count);
  out.cut_positions = scratch_array<Edge>::create(folder + "/cut_positions", count);
  const auto targets = out.cut_targets.values();
  const auto positions = out.cut_positions.values();
  rows_from_buckets<record>(spill, ranges, out.cut_offsets.values(), use.window_bytes, memory, run, [](const record& one) { return one.source; },
                            [&](std::size_t at, const record& one) {
                              targets[at] = one.target;
                              positions[at] = one.edge;
                            },
                            {});
  return count;
}

}  // namespace halograph::detail
