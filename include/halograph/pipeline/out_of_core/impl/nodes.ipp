// SPDX-License-Identifier: BSL-1.0
/// @file nodes.ipp
/// Bodies of the plain functions of pipeline/out_of_core/nodes.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<std::uint64_t> sum_counts(communicator_ref ranks,
                                                       std::span<std::uint64_t> counts) {
  // A rank at a time, so that no rank has the counts of all.
  std::vector<std::uint64_t> all(counts.size()), one(counts.size()), before(counts.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (r == ranks.rank()) {
      before = all;
      std::copy(counts.begin(), counts.end(), one.begin());
    } else {
      std::fill(one.begin(), one.end(), 0);
    }
    check_peers(ranks);
    check_ranks(ranks.sum(one));
    for (std::size_t cell = 0; cell < all.size(); ++cell) all[cell] += one[cell];
  }
  std::copy(before.begin(), before.end(), counts.begin());
  return all;
}

HALOGRAPH_INLINE assigned_place find_assigned(const assigned_file& file, communicator_ref ranks,
                                              executor_ref run) {
  if (ranks.size() == 1) return {};
  const std::uint64_t bytes = file.bytes().size(), nodes = file.nodes();
  std::vector<assigned_place> pieces;  // nodes from the first line of this rank's bytes
  std::uint64_t count = 0;
  file.read<std::int32_t>(block_range(bytes, ranks.rank(), ranks.size()), run,
                          [&](std::span<const std::int32_t> parts, id_range lines) {
                            pieces.push_back({lines.begin, count});
                            count += parts.size();
                            return true;
                          });
  const auto counts = gather_numbers(ranks, count);
  const auto own = counts.begin() + static_cast<std::ptrdiff_t>(ranks.rank());
  const std::uint64_t first = std::accumulate(counts.begin(), own, std::uint64_t{0}),
                      all = std::accumulate(own, counts.end(), first);
  if (all != nodes) file.raise_count(all, bytes);
  // Every rank's first node is among the lines of one.
  std::vector<std::uint64_t> places(2 * ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::uint64_t node = block_range(nodes, r, ranks.size()).begin - first;
    if (node >= count) continue;
    const auto& piece = *std::prev(std::partition_point(
        pieces.begin(), pieces.end(), [&](const assigned_place& one) { return one.node <= node; }));
    places[2 * r] = piece.byte;
    places[2 * r + 1] = first + piece.node;
  }
  check_peers(ranks);
  check_ranks(ranks.sum(places));
  return {places[2 * ranks.rank()], places[2 * ranks.rank() + 1]};
}

HALOGRAPH_INLINE std::uint64_t assignment_sum(std::uint64_t first,
                                              std::span<const std::int32_t> parts) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum += keyed(first + i, static_cast<std::uint64_t>(parts[i]));
  return sum;
}

}  // namespace halograph::detail
