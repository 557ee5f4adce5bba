// SPDX-License-Identifier: BSL-1.0
/// @file remote_rows.hpp
/// Dispatch on several ranks: the edges of other ranks that the parts of a rank need.
/// Layer: pipeline. Words: README.md.
///
/// Each rank has the rows of its own parts. For their HALO it needs the cut edges that leave its
/// parts, which are in the rows of other ranks, and with 2 hops or more the rows of the nodes that
/// the second and later hops follow.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// An edge with its original and new ID, as it is sent to another rank.
template <id Node, id Edge>
struct resolved_edge {
  Node target, source;  // new
  Edge old_edge, new_edge;
};

/// A set of nodes, a bit each.
class node_bits {
 public:
  node_bits(std::uint64_t nodes, std::pmr::memory_resource* memory)
      : words_(static_cast<std::size_t>((nodes + 63) / 64), memory) {}
  /// @return whether it was new
  bool add(std::uint64_t node) noexcept {
    std::uint64_t& word = words_[static_cast<std::size_t>(node / 64)];
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    any_ = true;
    return fresh;
  }
  bool any() const noexcept { return any_; }
  /// The first member that is not below `node`; `end`: there is none below `end`.
  std::uint64_t next(std::uint64_t node, std::uint64_t end) const noexcept {
    while (node < end) {
      const std::uint64_t rest = words_[static_cast<std::size_t>(node / 64)] >> (node % 64);
      if (rest != 0)
        return std::min<std::uint64_t>(end,
                                       node + static_cast<std::uint64_t>(std::countr_zero(rest)));
      node = (node / 64 + 1) * 64;
    }
    return end;
  }
  void clear() noexcept {
    std::fill(words_.begin(), words_.end(), 0);
    any_ = false;
  }

 private:
  std::pmr::vector<std::uint64_t> words_;
  bool any_ = false;
};

/// The nodes that have rows in the files of hold_rows(): those of this rank, or all.
inline id_range nodes_with_rows(id_range own, std::uint64_t nodes, unsigned hops) noexcept {
  return hops > 1 ? id_range{0, nodes} : own;
}

/// Fetch from the other ranks the rows of the nodes that hops after the first follow. Inside
/// run_collective().
///
/// @param rows     of the nodes of this rank
/// @param degrees  [V] in, out: the number of edges of each fetched row is added
/// @param spill    out, in one bucket: the edges of the rows, those of a row in order
template <id Node, id Edge>
void rows_of_others(const csc_view<Node, Edge>& rows, std::span<const Edge> old_edge,
                    std::span<const Edge> new_edge, const rank_shares& shares, unsigned hops,
                    const dispatch_buffers& use, std::pmr::memory_resource* memory,
                    communicator_ref ranks, spill_buckets& spill, std::span<Edge> degrees) {
  using edge = resolved_edge<Node, Edge>;
  const std::uint64_t nodes = degrees.size();
  const id_range own = shares.nodes();
  node_bits seen(nodes, memory), wanted(nodes, memory), found(nodes, memory);
  std::vector<node_bits> asked;  // by each rank, of own nodes
  for (std::size_t r = 0; r < ranks.size(); ++r) asked.emplace_back(own.size(), memory);
  const auto meet = [&](std::uint64_t u, node_bits& into) {
    if (!shares.owns_node(u) && seen.add(u)) into.add(u);
  };
  for (const Node u : rows.neighbors()) meet(static_cast<std::uint64_t>(u), wanted);
  for (unsigned hop = 2; hop <= hops; ++hop) {
    const auto [failed, any] = ask_ranks(ranks, false, wanted.any());
    if (failed) throw collective_abort{};
    if (!any) return;
    {
      record_exchange exchange(
          ranks, sizeof(std::uint64_t),
          records_per_round(use.exchange_bytes, ranks.size(), sizeof(std::uint64_t)), memory);
      std::uint64_t node = wanted.next(0, nodes);
      exchange.run(
          [&](std::uint64_t) {
            for (; node < nodes && exchange.room() != 0; node = wanted.next(node + 1, nodes))
              exchange.push(shares.of_node(node), node);
            return node < nodes;
          },
          [&](std::uint64_t, std::size_t from, std::span<const std::byte> bytes) {
            for_each_record<std::uint64_t>(bytes, [&](std::uint64_t one) {
              if (!shares.owns_node(one))
                raise(error_kind::internal,
                      concat({"a rank requested from another the row of node ", one,
                              ", which the other does not own"}));
              asked[from].add(one - own.begin);
            });
          });
    }
    record_exchange exchange(ranks, sizeof(edge),
                             records_per_round(use.exchange_bytes, ranks.size(), sizeof(edge)),
                             memory);
    std::size_t to = 0, k = 0;
    std::uint64_t node = 0;
    bool inside = false;
    exchange.run(
        [&](std::uint64_t) {
          for (; to < ranks.size(); ++to, node = 0) {
            for (;; ++node) {
              node = asked[to].next(node, own.size());
              if (node == own.size()) break;
              const auto row = static_cast<std::size_t>(node);
              if (!inside) k = rows.row_begin(row);
              inside = true;
              for (const std::size_t end = rows.row_end(row); k < end; ++k) {
                if (exchange.room() == 0) return true;
                exchange.push(to, edge{static_cast<Node>(own.begin + node), rows.neighbors()[k],
                                       old_edge[k], new_edge[k]});
              }
              inside = false;
            }
          }
          return false;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record<edge>(bytes, [&](const edge& one) {
            ++degrees[index(one.target)];
            spill.push(0, one);
            meet(static_cast<std::uint64_t>(one.source), found);
          });
        });
    for (auto& set : asked) set.clear();
    std::swap(wanted, found);
    found.clear();
  }
}

/// Replace a rank's rows by what its parts need, in new files `held_*`: its own rows, fetched rows
/// and, after them, the cut edges that leave its parts. Inside run_collective().
/// @param cut  include the cut edges (not with in-edges only)
template <id Node, id Edge>
void hold_rows(const std::string& folder, std::span<const std::uint64_t> part_begin,
               const rank_shares& shares, unsigned hops, bool cut, const dispatch_buffers& use,
               std::pmr::memory_resource* memory, communicator_ref ranks,
               dispatched_edges<Node, Edge>& edges) {
  using edge = resolved_edge<Node, Edge>;
  const auto& given = std::as_const(edges);
  const csc_view<Node, Edge> rows(given.offsets.values(), given.sources.values());
  const auto old_edge = given.old_edge.values(), new_edge = given.new_edge.values();
  const std::size_t parts = part_begin.size() - 1;
  const id_range own = shares.nodes(), own_parts = shares.parts(),
                 held_nodes = nodes_with_rows(own, part_begin.back(), hops);
  const auto part_count = static_cast<std::size_t>(own_parts.size()),
             nodes = static_cast<std::size_t>(held_nodes.size());
  // In `rows`, and in what is held.
  const auto row_of = [&](std::uint64_t v) { return static_cast<std::size_t>(v - own.begin); };
  const auto held_row = [&](std::uint64_t v) {
    return static_cast<std::size_t>(v - held_nodes.begin);
  };

  auto offsets = scratch_array<Edge>::create(folder + "/held_offsets", held_nodes.size() + 1);
  const auto begin = offsets.values();
  spill_buckets far(folder + "/far_rows", 1, sizeof(edge),
                    static_cast<std::size_t>(use.bucket_bytes), memory);
  if (hops > 1)
    rows_of_others(rows, old_edge, new_edge, shares, hops, use, memory, ranks, far,
                   begin.first(nodes));
  far.finish();
  spill_buckets leaving(folder + "/cut_buckets", cut ? part_count * ranks.size() : 0, sizeof(edge),
                        static_cast<std::size_t>(use.cut_bytes), memory);
  if (cut) {
    // Each rank sends its rows in order, and lower ranks have lower nodes: buckets by part and
    // sender keep the order.
    const part_finder part_of(part_begin);
    record_exchange exchange(ranks, sizeof(edge),
                             records_per_round(use.exchange_bytes, ranks.size(), sizeof(edge)),
                             memory);
    auto p = static_cast<std::size_t>(own_parts.begin);
    std::uint64_t v = own.begin;
    std::size_t k = 0;
    exchange.run(
        [&](std::uint64_t) {
          for (; p < own_parts.end; ++p) {
            const std::uint64_t first = part_begin[p], size = part_begin[p + 1] - first;
            for (; v < first + size; ++v) {
              for (const std::size_t end = rows.row_end(row_of(v)); k < end; ++k) {
                const auto u = static_cast<std::uint64_t>(rows.neighbors()[k]);
                if (u - first < size) continue;
                if (exchange.room() == 0) return true;
                exchange.push(shares.of_node(u), edge{static_cast<Node>(v), static_cast<Node>(u),
                                                      old_edge[k], new_edge[k]});
              }
            }
          }
          return false;
        },
        [&](std::uint64_t, std::size_t from, std::span<const std::byte> bytes) {
          for_each_record<edge>(bytes, [&](const edge& one) {
            const std::size_t part = part_of(static_cast<std::uint64_t>(one.source)) -
                                     static_cast<std::size_t>(own_parts.begin);
            if (part >= part_count)
              raise(error_kind::internal,
                    "a cut edge was sent to a rank that does not own its source");
            leaving.push(part * ranks.size() + from, one);
          });
        });
  }
  leaving.finish();

  // The rows of all nodes, by node.
  for (std::uint64_t v = own.begin; v < own.end; ++v)
    begin[held_row(v)] = static_cast<Edge>(rows.row_end(row_of(v)) - rows.row_begin(row_of(v)));
  std::uint64_t held = 0;
  for (auto& offset : begin)
    held += static_cast<std::uint64_t>(std::exchange(offset, static_cast<Edge>(held)));
  std::uint64_t cut_count = 0;
  for (std::size_t b = 0; b < leaving.buckets(); ++b) cut_count += leaving.count(b);
  if (held + cut_count > id_capacity<Edge>())
    raise(error_kind::overflow,
          "a rank holds more edges than its IDs can number; use wider IDs, or more ranks");
  auto sources = scratch_array<Node>::create(folder + "/held_sources", held + cut_count);
  auto held_old = scratch_array<Edge>::create(folder + "/held_old_edge", held + cut_count);
  auto held_new = scratch_array<Edge>::create(folder + "/held_new_edge", held + cut_count);
  const auto put = [&, source = sources.values(), old = held_old.values(),
                    fresh = held_new.values()](std::size_t at, const edge& one) {
    source[at] = one.source;
    old[at] = one.old_edge;
    fresh[at] = one.new_edge;
  };
  if (own.size() != 0) {
    const auto at = static_cast<std::ptrdiff_t>(index(begin[held_row(own.begin)]));
    std::copy(rows.neighbors().begin(), rows.neighbors().end(), sources.values().begin() + at);
    std::copy(old_edge.begin(), old_edge.end(), held_old.values().begin() + at);
    std::copy(new_edge.begin(), new_edge.end(), held_new.values().begin() + at);
  }
  if (hops > 1) {
    // This moves the offset of each fetched row to its end.
    for_each_in_buckets<edge>(far, use.window_bytes, memory, [&](const edge& one, std::size_t) {
      put(index(begin[index(one.target)]++), one);
    });
    // Now compute all offsets again, because only fetched rows have moved.
    std::uint64_t end = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto here = static_cast<std::uint64_t>(begin[v]);
      const bool moved = !shares.owns_node(v);
      begin[v] = static_cast<Edge>(end);
      end = moved ? here : here + (rows.row_end(row_of(v)) - rows.row_begin(row_of(v)));
    }
  }
  if (cut) {
    edges.cut_begin = scratch_array<std::uint64_t>::create(folder + "/cut_begin", parts + 1);
    edges.cut_list = scratch_array<cut_edge<Node, Edge>>::create(folder + "/cut_list", cut_count);
    lists_from_buckets(leaving, own_parts, ranks.size(), edges.cut_begin.values());
    const auto list = edges.cut_list.values();
    for_each_in_buckets<edge>(leaving, use.window_bytes, memory,
                              [&](const edge& one, std::size_t i) {
                                const std::size_t at = static_cast<std::size_t>(held) + i;
                                put(at, one);
                                list[i] = {one.source, one.target, static_cast<Edge>(at)};
                              });
  }
  edges.rows = held;
  edges.first_row = held_nodes.begin;
  edges.offsets = std::move(offsets);
  edges.sources = std::move(sources);
  edges.old_edge = std::move(held_old);
  edges.new_edge = std::move(held_new);
}

}  // namespace halograph::detail
