// SPDX-License-Identifier: BSL-1.0
/// @file repair.ipp
/// Bodies of the plain functions of adapters/metis/repair.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/metis/call.hpp>
#include <halograph/adapters/metis/repair.hpp>
#include <halograph/core/ids.hpp>

#include <metis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace halograph::detail {

HALOGRAPH_HOSTED_INLINE std::int64_t inner_weight(const metis_input& in,
                                                  std::span<const idx_t> owner, std::size_t v,
                                                  idx_t p) {
  std::int64_t sum = 0;
  for (auto i = index(in.offsets[v]); i < index(in.offsets[v + 1]); ++i) {
    if (owner[index(in.neighbors[i])] == p) sum += in.pair_weights.empty() ? 1 : in.pair_weights[i];
  }
  return sum;
}

HALOGRAPH_HOSTED_INLINE std::size_t fill_parts(const metis_input& in, std::span<idx_t> owner,
                                               std::span<const std::size_t> needed) {
  const std::size_t parts = needed.size(), nodes = owner.size();
  const auto width = static_cast<std::size_t>(in.constraints);
  std::vector<std::size_t> counts(parts, 0);
  for (std::size_t v = 0; v < nodes; ++v) ++counts[index(owner[v])];
  bool short_of_nodes = false;
  for (std::size_t p = 0; p < parts; ++p) short_of_nodes |= counts[p] < needed[p];
  if (!short_of_nodes) return 0;
  std::vector<std::vector<std::size_t>> members(parts);
  for (std::size_t v = 0; v < nodes; ++v) members[index(owner[v])].push_back(v);

  std::vector<double> total(width, 0), load(parts * width, 0);
  const auto load_of = [&](std::size_t v, std::size_t c) {
    return in.loads.empty() ? 1.0 : static_cast<double>(in.loads[v * width + c]);
  };
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t c = 0; c < width; ++c) {
      total[c] += load_of(v, c);
      load[index(owner[v]) * width + c] += load_of(v, c);
    }
  }
  const auto burden = [&](std::size_t p) {
    double worst = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const double target = in.targets.empty() ? 1.0 / static_cast<double>(parts)
                                               : static_cast<double>(in.targets[p * width + c]);
      if (total[c] > 0) worst = std::max(worst, load[p * width + c] / (total[c] * target));
    }
    return worst;
  };
  std::size_t moves = 0;
  for (std::size_t to = 0; to < parts; ++to) {
    while (members[to].size() < needed[to]) {
      std::size_t from = parts;
      for (std::size_t p = 0; p < parts; ++p) {
        if (p == to || members[p].size() <= needed[p]) continue;
        if (from == parts || burden(p) > burden(from) ||
            (burden(p) == burden(from) && members[p].size() > members[from].size())) {
          from = p;
        }
      }
      if (from == parts) return moves;  // fewer nodes than needed in all
      std::size_t best = 0;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::size_t i = 0; i < members[from].size(); ++i) {
        const auto tie = inner_weight(in, owner, members[from][i], static_cast<idx_t>(from)) -
                         inner_weight(in, owner, members[from][i], static_cast<idx_t>(to));
        if (tie < least) {
          least = tie;
          best = i;
        }
      }
      const std::size_t v = members[from][best];
      members[from].erase(members[from].begin() + static_cast<std::ptrdiff_t>(best));
      members[to].push_back(v);
      owner[v] = static_cast<idx_t>(to);
      for (std::size_t c = 0; c < width; ++c) {
        load[from * width + c] -= load_of(v, c);
        load[to * width + c] += load_of(v, c);
      }
      ++moves;
    }
  }
  return moves;
}

HALOGRAPH_HOSTED_INLINE std::size_t count_pieces(const metis_input& in,
                                                 std::span<const idx_t> owner) {
  std::vector<bool> seen(in.num_nodes(), false);
  std::vector<std::size_t> stack;
  std::size_t pieces = 0;
  for (std::size_t start = 0; start < in.num_nodes(); ++start) {
    if (seen[start]) continue;
    ++pieces;
    seen[start] = true;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::size_t v = stack.back();
      stack.pop_back();
      for (auto i = index(in.offsets[v]); i < index(in.offsets[v + 1]); ++i) {
        const auto u = index(in.neighbors[i]);
        if (seen[u] || owner[u] != owner[v]) continue;
        seen[u] = true;
        stack.push_back(u);
      }
    }
  }
  return pieces;
}

}  // namespace halograph::detail
