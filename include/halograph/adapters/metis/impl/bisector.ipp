// SPDX-License-Identifier: BSL-1.0
/// @file bisector.ipp
/// Bodies of the plain functions of adapters/metis/bisector.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/metis/bisector.hpp>
#include <halograph/adapters/metis/call.hpp>
#include <halograph/adapters/metis/repair.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace halograph::detail {

HALOGRAPH_HOSTED_INLINE status metis_bisector::run(std::size_t parts) {
  owner_.assign(whole_.num_nodes(), 0);
  std::vector<std::size_t> all(whole_.num_nodes());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const double levels = std::max(1.0, std::ceil(std::log2(static_cast<double>(parts))));
  allowed_ = whole_.allowed;
  for (auto& a : allowed_) {
    a = std::max(static_cast<real_t>(1.001),
                 static_cast<real_t>(std::pow(static_cast<double>(a), 1 / levels)));
  }
  return split(all, 0, parts, parts);
}

HALOGRAPH_HOSTED_INLINE status metis_bisector::split(const std::vector<std::size_t>& nodes,
                                                     std::size_t first, std::size_t parts,
                                                     std::size_t all_parts) {
  if (parts == 1 || nodes.size() <= parts) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      owner_[nodes[i]] = static_cast<idx_t>(first + (parts == 1 ? 0 : i));
    }
    return status::ok;
  }
  const std::array<std::size_t, 2> share{parts / 2, parts - parts / 2};
  const auto width = static_cast<std::size_t>(whole_.constraints);
  std::array<std::vector<std::size_t>, 2> half;
  {
    metis_input piece;
    piece.constraints = whole_.constraints;
    piece.options = whole_.options;
    piece.allowed = allowed_;
    piece.targets.resize(2 * width);
    for (std::size_t c = 0; c < width; ++c) {
      double left = 0, both = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const double target = whole_.targets.empty()
                                  ? 1.0 / static_cast<double>(all_parts)
                                  : static_cast<double>(whole_.targets[(first + p) * width + c]);
        both += target;
        if (p < share[0]) left += target;
      }
      piece.targets[c] = static_cast<real_t>(left / both);
      piece.targets[width + c] = static_cast<real_t>(1 - left / both);
    }
    // local_ is 1 + the position in this piece, 0 for nodes outside it.
    for (std::size_t i = 0; i < nodes.size(); ++i) local_[nodes[i]] = i + 1;
    piece.offsets.push_back(0);
    for (const std::size_t v : nodes) {
      for (auto i = index(whole_.offsets[v]); i < index(whole_.offsets[v + 1]); ++i) {
        const std::size_t place = local_[index(whole_.neighbors[i])];
        if (place == 0) continue;
        piece.neighbors.push_back(static_cast<idx_t>(place - 1));
        if (!whole_.pair_weights.empty()) piece.pair_weights.push_back(whole_.pair_weights[i]);
      }
      piece.offsets.push_back(static_cast<idx_t>(piece.neighbors.size()));
      for (std::size_t c = 0; c < width; ++c) {
        piece.loads.push_back(whole_.loads.empty() ? 1 : whole_.loads[v * width + c]);
      }
    }
    for (const std::size_t v : nodes) local_[v] = 0;
    std::vector<idx_t> side;
    if (const status answer = call_metis(piece, metis_method::recursive, 2, side); !answer)
      return answer;
    fill_parts(piece, side, share);
    for (std::size_t i = 0; i < nodes.size(); ++i) half[index(side[i])].push_back(nodes[i]);
  }
  if (const status answer = split(half[0], first, share[0], all_parts); !answer) return answer;
  return split(half[1], first + share[0], share[1], all_parts);
}

}  // namespace halograph::detail
