// SPDX-License-Identifier: BSL-1.0
/// @file budget.ipp
/// Bodies of the plain functions of pipeline/out_of_core/budget.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE dispatch_need plan_dispatch_memory(const dispatch_counts& in,
                                                    std::uint64_t budget) {
  using detail::saturating;
  using detail::saturating_sum;
  constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
  const std::uint64_t n = in.node_id_bytes, e = in.edge_id_bytes,
                      threads = std::max<std::uint64_t>(in.threads, 1);
  const std::uint64_t parts = std::max<std::uint64_t>(in.parts, 1);
  // The process, its libraries, stacks; names, bounds and layouts by part and type.
  const std::uint64_t base = saturating_sum(
      16 * mib + threads * mib, saturating(parts, 2048 + 32 * (in.node_types + in.edge_types) +
                                                      384 * (in.node_features + in.edge_features)));
  // Of all nodes, and of a rank's share of those of each type.
  const std::uint64_t table = saturating(in.nodes, n),
                      own_table = in.ranks <= 1
                                      ? table
                                      : saturating(in.nodes / in.ranks + in.node_types, n);

  // Parts differ in size, so a rank may have more than its share; buffers are for an even share.
  const std::uint64_t ranks = std::clamp<std::uint64_t>(in.ranks, 1,
                                                        std::max<std::uint64_t>(parts, 1));
  const auto share = [&](std::uint64_t whole) {
    return whole / ranks + (whole % ranks != 0 ? 1 : 0);
  };
  const std::uint64_t own_edges = share(in.edges), own_parts = share(parts), record = 2 * n + e,
                      own_node_rows = saturating(share(in.nodes), in.node_row_bytes),
                      own_edge_rows = share(in.edge_feature_bytes);

  dispatch_need out;
  out.budget_bytes = budget;
  out.ranks = std::max<std::uint64_t>(in.ranks, 1);
  auto& use = out.buffers;
  const auto room = [&](std::uint64_t taken) { return budget > taken ? budget - taken : 0; };
  const auto stage = [&](const char* name, std::uint64_t least, std::uint64_t bytes) {
    out.stages.push_back({name, least, std::max(least, bytes)});
    out.least_bytes = std::max(out.least_bytes, least);
    out.bytes = std::max(out.bytes, std::max(least, bytes));
  };

  // The same in all stages, so no more than the one that needs most can spare, and no more than a
  // few rounds of what this rank has need.
  constexpr std::uint64_t least_exchange = 4 * mib;
  if (in.ranks > 1) {
    const std::uint64_t spare = budget == 0 ? 0 : room(plan_dispatch_memory(in, 0).least_bytes),
                        sent = std::max({saturating(own_edges, record),
                                         saturating_sum(own_node_rows, saturating(in.nodes, 8)),
                                         saturating_sum(own_edge_rows, saturating(own_edges, 8))});
    use.exchange_bytes = std::clamp<std::uint64_t>(
        std::min({room(saturating_sum(base, own_table)) / 4, saturating_sum(least_exchange, spare),
                  sent}),
        least_exchange, 64 * mib);
  }
  const std::uint64_t exchange_least = in.ranks <= 1 ? 0 : least_exchange;

  // Pieces of the assignment; then original IDs are sent.
  stage("nodes", base + std::max(threads * 4 * mib, exchange_least),
        base + std::max(threads * 4 * mib, use.exchange_bytes));

  // Buckets of about 1 MiB of rows, so that each is sorted in the processor's caches, even where a
  // few nodes have most edges.
  use.buckets = std::clamp<std::uint64_t>(saturating(own_edges, record) / mib, 1, 1024);
  {
    const std::uint64_t recent = in.ranks <= 1 ? 0 : threads * 2 * 4 * detail::recent_nodes,
                        fixed = saturating_sum(base, saturating_sum(own_table, recent)),
                        least_fixed = saturating_sum(fixed, exchange_least);
    // Two blocks for each thread, and those that are read next; when edges are sent, twice as much
    // as the former, and each rank may send as much; and the nodes that they end in are asked for.
    const std::uint64_t per_edge =
        threads * 2 * (4 * n + (in.ranks <= 1 ? 0 : (in.ranks + 2) * record + 4 + 4 * n));
    const std::uint64_t least_block = std::clamp<std::uint64_t>((std::uint64_t{8} * mib) / per_edge,
                                                                64, std::uint64_t{1} << 14);
    const std::uint64_t with_exchange = saturating_sum(fixed, use.exchange_bytes);
    if (in.ranks > 1) {
      constexpr std::uint64_t most = std::uint64_t{1} << 40;
      const std::uint64_t rest = room(
          saturating_sum(with_exchange, use.buckets * 4 * kib + least_block * per_edge));
      use.known_nodes = std::min(std::bit_floor(rest / 4 / (2 * n + 1)),
                                 std::bit_ceil(std::min(in.nodes, most)));
    }
    const std::uint64_t whole = saturating(use.known_nodes, 2 * n + 1, with_exchange),
                        spare = room(saturating_sum(whole, use.buckets * 4 * kib));
    // No larger than a graph of few edges can fill.
    use.block_edges = std::clamp<std::uint64_t>(std::min(spare / 2 / per_edge, own_edges),
                                                least_block, std::uint64_t{1} << 18);
    // Small enough for the processor's caches, but a bucket of up to 8 MiB is in no more than 64
    // pieces of its file, which may have to come from a disk.
    const std::uint64_t of_bucket = saturating(own_edges / use.buckets, record),
                        piece = std::clamp<std::uint64_t>(of_bucket / 64, 16 * kib, 128 * kib);
    use.bucket_bytes = std::clamp<std::uint64_t>(
        std::min({room(saturating_sum(whole, use.block_edges * per_edge)) / use.buckets,
                  2 * of_bucket, piece}),
        4 * kib, 128 * kib);
    stage("edges", saturating_sum(least_fixed, use.buckets * 4 * kib + least_block * per_edge),
          saturating_sum(whole, use.buckets * use.bucket_bytes + use.block_edges * per_edge));
  }
  // Sets of nodes, while the rows of other ranks are fetched, through a window of one thread.
  const std::uint64_t bits = in.ranks > 1 && in.hops > 1
                                 ? saturating_sum(in.nodes / 2, saturating(out.ranks, 64))
                                 : 0,
                      fetching = saturating_sum(saturating_sum(base, bits), use.exchange_bytes);
  use.window_bytes = std::clamp<std::uint64_t>(
      std::min({room(base + use.exchange_bytes) / 2 / threads, room(fetching),
                saturating(own_edges, record)}),
      256 * kib, 4 * mib);
  stage("rows", base + threads * 256 * kib, base + threads * use.window_bytes);
  const auto through_buckets = base + use.exchange_bytes +
                               std::max(threads * use.window_bytes, use.buckets * use.bucket_bytes);
  const auto least_through_buckets = base + exchange_least +
                                     std::max(threads * 256 * kib, use.buckets * 4 * kib);
  {
    // A buffer for each part of this rank and each sender; or, on one rank, counts for each part.
    const std::uint64_t lists = saturating(own_parts, out.ranks),
                        least_list = 8 * detail::most_cut_pieces;
    const bool sent = in.ranks > 1;
    use.cut_bytes = std::clamp<std::uint64_t>(
        std::min(room(fetching), saturating(own_edges, record)) / std::max<std::uint64_t>(lists, 1),
        least_list, 512 * kib);
    stage("cut",
          saturating_sum(fetching - use.exchange_bytes + exchange_least,
                         std::max(sent ? 256 * kib : 0, saturating(lists, least_list))),
          saturating_sum(fetching,
                         std::max(sent ? use.window_bytes : 0, saturating(lists, use.cut_bytes))));
  }

  {
    // A running part: local IDs, and fixed buffers of 8 bytes per element and rows. A rank of
    // several need not have room for a table of all nodes.
    constexpr std::uint64_t least_columns = 4 * mib;
    const std::uint64_t with_table = saturating_sum(table, 4 * mib);
    const bool hash = in.ranks > 1 && with_table > room(base + least_columns);
    if (hash) use.local_ids = local_lookup::hash;
    const std::uint64_t running = hash ? 4 * mib : with_table;
    use.part_threads = std::clamp<std::uint64_t>(room(base) / std::max<std::uint64_t>(running, 1),
                                                 1, std::min(threads, own_parts));
    const std::uint64_t fixed = saturating_sum(base, saturating(running, use.part_threads));
    // Edges in the order of their IDs, listed twice while they are sorted, unless they have one
    // type and are all at hand; in other formats; and HALO nodes. With one hop, one of the running
    // parts may be four times as large as the mean and the others twice; what is beyond that is in
    // files.
    const bool listed = in.edge_types > 1 || in.ranks > 1;
    const auto in_parts = [&](std::uint64_t all) {
      const std::uint64_t whole = saturating(all, use.part_threads);
      return in.hops > 1 ? whole
                         : std::min(whole, saturating(all / parts, 2 * use.part_threads + 2));
    };
    const std::uint64_t whole = saturating(
        in_parts(in.edges),
        (listed ? 3 * (n + e) : 0) + (in.other_formats ? 2 * (2 * n + 2 * e) : 0),
        saturating(in_parts(in.nodes), 4 * n + 16 + (hash ? 12 * n : 0), use.part_threads * mib));
    use.column_bytes = std::min(room(fixed) / 10 * 9, whole);
    stage("parts",
          saturating_sum(
              base, in.ranks <= 1 ? with_table : std::min(with_table, least_columns + 4 * mib)),
          saturating_sum(fixed, use.column_bytes));
  }
  if (in.node_features != 0) {
    // A row at least goes each way.
    const std::uint64_t wide = in.ranks <= 1 ? 0 : saturating(out.ranks + 4, in.node_row_bytes + 8);
    const std::uint64_t plain = saturating_sum(
        base, saturating_sum(2 * mib + 2 * in.node_row_bytes, wide));
    const std::uint64_t fixed = saturating_sum(plain, use.exchange_bytes),
                        streams = saturating(own_parts, out.ranks);
    const std::uint64_t least = std::max<std::uint64_t>(4 * kib, in.node_row_bytes);
    use.part_row_bytes = std::clamp<std::uint64_t>(
        std::min(room(fixed) / 2, own_node_rows) / streams, least,
        std::max<std::uint64_t>(least, mib));
    stage("node features",
          saturating_sum(saturating_sum(plain, exchange_least), saturating(streams, least)),
          saturating_sum(fixed, saturating(streams, use.part_row_bytes)));
  }
  if (in.edge_features != 0) {
    const std::uint64_t wide = in.ranks <= 1 ? 0 : saturating(out.ranks + 4, in.edge_row_bytes + 8);
    const std::uint64_t plain = saturating_sum(base + 2 * mib + 2 * in.edge_row_bytes, wide),
                        fixed = saturating_sum(plain, use.exchange_bytes);
    const std::uint64_t row = in.edge_row_bytes + 8,
                        least_bucket = std::max<std::uint64_t>(4 * kib, row);
    const std::uint64_t least = std::max<std::uint64_t>(4 * mib, 64 * row);
    use.feature_window_bytes = std::clamp<std::uint64_t>(
        std::min(room(fixed), own_edge_rows), least, std::max<std::uint64_t>(least, 512 * mib));
    // Rows are written to one bucket for each window, each with a buffer; after that the windows
    // are read.
    const auto windows = [&](std::uint64_t window) { return own_edge_rows / window + 1; };
    use.feature_bucket_bytes = std::clamp<std::uint64_t>(
        room(fixed) / windows(use.feature_window_bytes), least_bucket,
        std::max<std::uint64_t>(256 * kib, row));
    // Before that, the inverse of the edges' order is sorted through the buckets of edges.
    stage(
        "edge features",
        std::max(least_through_buckets,
                 saturating_sum(saturating_sum(plain, exchange_least),
                                std::max(least, saturating(windows(least), least_bucket)))),
        std::max(through_buckets, saturating_sum(fixed, std::max(use.feature_window_bytes,
                                                                 windows(use.feature_window_bytes) *
                                                                     use.feature_bucket_bytes))));
  }
  // What other stages take anyway.
  for (auto& one : out.stages) {
    if (one.name != "rows") continue;
    use.sorted_bytes = std::min((out.bytes - one.bytes) / threads, saturating(own_edges, n + e));
    one.bytes += threads * use.sorted_bytes;
  }
  // Rows and the buckets they are sorted from, or rows, cut edges and with several ranks the
  // buckets of these.
  out.scratch_disk_bytes = saturating_sum(saturating(share(in.nodes), 2 * n + 2 * e),
                                          saturating(own_edges,
                                                     (n + 2 * e) + (in.ranks > 1 ? 3 : 2) * record +
                                                         (in.edge_features != 0 ? 3 * e : 0),
                                                     own_edge_rows));
  if (in.ranks > 1) {
    // Rows a second time, with those of other ranks: with 2 hops or more, up to all.
    const std::uint64_t known = 2 * n + 2 * e;
    out.scratch_disk_bytes = saturating_sum(
        out.scratch_disk_bytes,
        saturating_sum(saturating(in.hops > 1 ? in.nodes : share(in.nodes), e,
                                  saturating(in.all_original_nodes ? in.nodes : 0, n)),
                       saturating(in.hops > 1 ? in.edges : own_edges, known + n + 2 * e)));
  }
  return out;
}

HALOGRAPH_INLINE void require_budget(const dispatch_need& need) {
  if (need.least_bytes <= need.budget_bytes) return;
  std::string stage;
  for (const auto& one : need.stages) {
    if (one.least_bytes == need.least_bytes) stage = one.name;
  }
  raise(error_kind::memory,
        concat({"a budget of ", need.budget_bytes,
                " bytes is too small; the smallest that suffices is ",
                budget_text(need.least_bytes), ", for the stage \"", stage, "\""}));
}

HALOGRAPH_INLINE json::value to_json(const dispatch_need& need) {
  json::value stages{json::array{}};
  for (const auto& one : need.stages) {
    stages.push(
        json::object{{"name", one.name}, {"bytes", one.bytes}, {"least_bytes", one.least_bytes}});
  }
  return json::object{{"ranks", need.ranks},
                      {"budget_bytes", need.budget_bytes},
                      {"bytes", need.bytes},
                      {"least_bytes", need.least_bytes},
                      {"scratch_disk_bytes", need.scratch_disk_bytes},
                      {"stages", std::move(stages)}};
}

}  // namespace halograph
