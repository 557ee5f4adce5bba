// SPDX-License-Identifier: BSL-1.0
/// @file draw_neighbors.hpp
/// Draw some of a node's edges: uniformly or by weight, with or without replacement, the same on
/// every machine.
/// Layer: dist (no allocation, no exceptions). Words: README.md.
///
/// A row of edges is drawn from by *position*, 0 to degree-1; what an edge is called plays no part.
/// Whoever keeps rows in an order that does not depend on how the graph was cut, and names nodes by
/// IDs that do not either, draws the same edges from any number of parts. Weights are turned into
/// integers first, so that no machine rounds otherwise.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace halograph {

/// A fan-out that takes every edge, once each.
inline constexpr std::uint64_t all_neighbors = ~std::uint64_t{0};

/// The random numbers of one node's edges of one type: a function of these four alone, so that
/// nodes can be drawn for in any order and anywhere.
/// @param direction  0: in-edges, 1: out-edges
/// @param node       names the node among those of its type
constexpr random_stream draw_stream(std::uint64_t seed, std::uint64_t edge_type, unsigned direction,
                                    std::uint64_t node) noexcept {
  return random_stream::at(mix(seed) ^ (2 * edge_type + direction), node);
}

/// How many edges are drawn of a row without weights.
constexpr std::uint64_t draw_count(std::uint64_t degree, std::uint64_t fanout,
                                   bool replace) noexcept {
  if (degree == 0) return 0;
  return fanout == all_neighbors || (!replace && degree < fanout) ? degree : fanout;
}

/// Draw positions uniformly.
///
/// @param stream   draw_stream of the node; a copy is drawn from
/// @param replace  an edge may be drawn again; without, every subset is equally likely
/// @param out      [draw_count] out, ascending
/// @errors         capacity: `out` is smaller
/// @complexity     k = draw_count: O(k log k) with replacement, O(min(k^2, degree)) without, O(k)
///     where all are taken
/// @repeatable     yes
/// @source         selection by rank among those not yet drawn; for many, Knuth, The Art of
///     Computer Programming 2,
///                 3.4.2, algorithm S
/// @tparam Stream  random_stream, or another with `below(bound)`, such as one that counts outcomes
template <class Stream>
constexpr status draw_uniform_into(Stream stream, std::uint64_t degree, std::uint64_t fanout,
                                   bool replace, std::span<std::uint64_t> out) noexcept {
  const std::uint64_t count = draw_count(degree, fanout, replace);
  if (out.size() < count) return status::capacity.at(count);
  const auto drawn = out.first(static_cast<std::size_t>(count));
  if (fanout == all_neighbors || (!replace && count == degree)) {
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = i;
    return status::ok;
  }
  if (replace) {
    for (auto& position : drawn) position = stream.below(degree);
    std::sort(drawn.begin(), drawn.end());
    return status::ok;
  }
  if (count > 16 && count > degree / count) {
    std::size_t taken = 0;
    for (std::uint64_t i = 0; taken < drawn.size(); ++i) {
      if (stream.below(degree - i) < count - taken) drawn[taken++] = i;
    }
    return status::ok;
  }
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    // The x-th of those that are left: step over the drawn ones before it.
    std::uint64_t x = stream.below(degree - j);
    std::size_t i = 0;
    while (i < j && x >= drawn[i]) {
      ++x;
      ++i;
    }
    for (std::size_t k = j; k > i; --k) drawn[k] = drawn[k - 1];
    drawn[i] = x;
  }
  return status::ok;
}

/// Turn the weights of one row into ascending integers: edge i is drawn with probability (ends[i] -
/// ends[i-1]) / ends.back().
///
/// Integers are taken as they are while their sum stays below 2^63. Floating-point numbers, and
/// integers beyond that, are scaled by a power of two, so that the largest keeps as many bits as
/// there is room for (40 or more in a row of up to four million edges), and rounded up: what is
/// above 0 can be drawn.
/// @param weights  [degree] of edges, each finite and at least 0
/// @param ends     [degree] out
/// @errors         malformed at i: a weight that is negative, infinite or no number; capacity:
///     `ends` is smaller
/// @complexity     O(degree)
/// @repeatable     yes, on every machine whose floating point is IEEE's: scaling by powers of two
///     is exact
template <class Weight>
  requires std::is_arithmetic_v<Weight>
status cumulate_weights_into(std::span<const Weight> weights,
                             std::span<std::uint64_t> ends) noexcept {
  if (ends.size() < weights.size()) return status::capacity.at(weights.size());
  const int room = 63 - static_cast<int>(
                            std::bit_width(weights.size()));  // bits of each, for a sum below 2^63
  std::uint64_t sum = 0;
  Weight largest{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if constexpr (std::floating_point<Weight>) {
      if (!(weights[i] >= 0) || weights[i] > std::numeric_limits<Weight>::max())
        return status::malformed.at(i);
    } else if constexpr (std::signed_integral<Weight>) {
      if (weights[i] < 0) return status::malformed.at(i);
    }
    largest = std::max(largest, weights[i]);
  }
  if constexpr (std::floating_point<Weight>) {
    int exponent = 0;
    std::frexp(largest, &exponent);  // largest < 2^exponent
    const int scale = std::min(room, 52) - exponent;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double scaled = std::ldexp(static_cast<double>(weights[i]), scale);
      auto whole = static_cast<std::uint64_t>(scaled);
      if (static_cast<double>(whole) < scaled || (whole == 0 && weights[i] > 0)) ++whole;
      ends[i] = sum += whole;
    }
  } else {
    const int excess = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))) - room;
    const auto shift = static_cast<unsigned>(std::max(excess, 0));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto weight = static_cast<std::uint64_t>(weights[i]);
      ends[i] = sum += (weight >> shift) + ((weight >> shift) << shift < weight ? 1 : 0);
    }
  }
  return status::ok;
}

/// Draw positions by weight: each time in proportion to the weights of those that can still be
/// drawn.
///
/// @param ends   [degree] of cumulate_weights_into
/// @param out    [draw_count(degree, fanout, replace)] out, the first `count` of it, ascending
/// @param count  out, how many; without replacement no edge of weight 0, so there may be fewer.
///     all_neighbors takes every edge of weight above 0, once
/// @errors       capacity: `out` is smaller
/// @complexity   k drawn: O(k log degree) with replacement, O(k (k + log degree)) without
/// @repeatable   yes
/// @source       successive sampling (Efraimidis & Spirakis, Information Processing Letters 97,
///     2006, whose keys draw from the same distribution, but need logarithms that machines round
///     differently)
template <class Stream>
constexpr status draw_weighted_into(Stream stream, std::span<const std::uint64_t> ends,
                                    std::uint64_t fanout, bool replace,
                                    std::span<std::uint64_t> out, std::uint64_t& count) noexcept {
  count = 0;
  const std::uint64_t most = draw_count(ends.size(), fanout, replace);
  if (out.size() < most) return status::capacity.at(most);
  if (ends.empty() || ends.back() == 0) return status::ok;
  const auto start = [&](std::uint64_t position) {
    return position == 0 ? 0 : ends[static_cast<std::size_t>(position) - 1];
  };
  const auto weight = [&](std::uint64_t position) {
    return ends[static_cast<std::size_t>(position)] - start(position);
  };
  const auto holding = [&](std::uint64_t x) { return std::uint64_t{count_not_above(ends, x)}; };
  if (fanout == all_neighbors || (!replace && most == ends.size())) {
    for (std::uint64_t i = 0; i < ends.size(); ++i) {
      if (weight(i) != 0) out[static_cast<std::size_t>(count++)] = i;
    }
    return status::ok;
  }
  if (replace) {
    for (; count < most; ++count)
      out[static_cast<std::size_t>(count)] = holding(stream.below(ends.back()));
    std::sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count));
    return status::ok;
  }
  for (std::uint64_t left = ends.back(); count < most && left != 0; ++count) {
    std::uint64_t x = stream.below(left);
    std::size_t i = 0;
    while (i < count && x >= start(out[i])) x += weight(out[i++]);
    const std::uint64_t position = holding(x);
    for (auto k = static_cast<std::size_t>(count); k > i; --k) out[k] = out[k - 1];
    out[i] = position;
    left -= weight(position);
  }
  return status::ok;
}

}  // namespace halograph
