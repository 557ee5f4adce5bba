// SPDX-License-Identifier: BSL-1.0
/// @file window_cuts.hpp
/// Improve an assignment of a small graph: cut the nodes of a few parts that touch each other anew.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// A window is a few parts that touch each other. In each step a part is in at most one window, and
/// recursive bisection divides the nodes of a window again, whatever their parts were. This finds
/// cuts that moves of single nodes and minimum cuts near a border do not reach.
/// @repeatable  the result depends on the graph, the limits and the seeds, not on the threads
template <class Word>
class window_cuts {
 public:
  /// @param caps  [rows] a part's limit of each load, or [K x rows], each part's
  window_cuts(const weighted_graph<Word>& g, std::span<const std::uint64_t> caps,
              std::uint32_t parts, const bisection_options& cuts, executor_ref threads)
      : g_(g), caps_(caps), parts_(parts), cuts_(cuts), threads_(threads) {}

  /// Cut windows of up to `size` parts anew. A window keeps its old parts unless the new ones are
  /// within their limits and cut less.
  /// @param part    [n] the part of each node, in and out; those of fixed nodes stay
  /// @param refine  called with part_moves of a window and a seed, improves its new parts; by
  ///     several threads at once
  /// @return has any window got new parts?
  /// @complexity about O((n + m) log size) for each cut that is tried in a bisection
  template <class Refine>
  bool step(std::span<std::uint32_t> part, std::uint32_t size, std::uint64_t seed,
            const Refine& refine) const {
    const layout at = lay_out(part, size, seed);
    std::vector<std::vector<std::uint32_t>> found(at.windows.size());
    const auto cut = [&](std::size_t i, executor_ref inner) {
      found[i] = cut_window(at, i, part, keyed(seed, i), inner, refine);
    };
    if (found.size() == 1) {
      cut(0, threads_);
    } else {
      const sequential one;
      threads_.parallel_for(0, found.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) cut(i, executor_ref(one));
      });
    }
    bool any = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      any = any || !found[i].empty();
      for (std::size_t j = 0; j < found[i].size(); ++j)
        part[index(at.nodes[i][j])] = at.windows[i][found[i][j]];
    }
    return any;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct layout {
    std::vector<std::vector<std::uint32_t>> windows{};  // the parts in each
    std::vector<std::uint32_t> window_of{};             // [K], or none
    std::vector<std::uint32_t> place_of{};              // [K] in the window
    std::vector<std::vector<Word>> nodes{};             // of each window
    std::vector<Word> node_place{};                     // [n] in the window
  };

  layout lay_out(std::span<const std::uint32_t> part, std::uint32_t size,
                 std::uint64_t seed) const {
    layout out{choose_windows(part, size, seed),
               std::vector<std::uint32_t>(parts_, none),
               std::vector<std::uint32_t>(parts_),
               {},
               std::vector<Word>(g_.num_nodes())};
    for (std::size_t i = 0; i < out.windows.size(); ++i) {
      for (std::size_t j = 0; j < out.windows[i].size(); ++j) {
        out.window_of[out.windows[i][j]] = static_cast<std::uint32_t>(i);
        out.place_of[out.windows[i][j]] = static_cast<std::uint32_t>(j);
      }
    }
    out.nodes.resize(out.windows.size());
    for (std::size_t v = 0; v < part.size(); ++v) {
      if (out.window_of[part[v]] == none) continue;
      auto& nodes = out.nodes[out.window_of[part[v]]];
      out.node_place[v] = static_cast<Word>(nodes.size());
      nodes.push_back(static_cast<Word>(v));
    }
    return out;
  }

  /// Parts in random order become windows with parts that touch them, drawn at random.
  std::vector<std::vector<std::uint32_t>> choose_windows(std::span<const std::uint32_t> part,
                                                         std::uint32_t size,
                                                         std::uint64_t seed) const {
    using pair = std::pair<std::uint32_t, std::uint32_t>;
    std::vector<pair> touching;
    const auto drop_repeated = [&] {
      std::sort(touching.begin(), touching.end());
      touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
    };
    constexpr std::size_t few = std::size_t{1} << 14;
    std::size_t most = few;  // until they are sorted, so that they stay few beside the entries
    for (std::size_t v = 0; v < part.size(); ++v) {
      g_.visit(v, [&](std::size_t u, std::int64_t) {
        const pair one{part[v], part[u]};
        if (one.first != one.second && (touching.empty() || touching.back() != one))
          touching.push_back(one);
      });
      if (touching.size() < most) continue;
      drop_repeated();
      most = std::max(few, 2 * touching.size());
    }
    drop_repeated();
    std::vector<std::size_t> begin(std::size_t{parts_} + 1);
    for (const pair& one : touching) ++begin[std::size_t{one.first} + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> order(parts_);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    random_stream random(seed);
    shuffle(std::span<std::uint32_t>(order), random);
    std::vector<std::uint8_t> taken(parts_);
    std::vector<std::vector<std::uint32_t>> windows;
    for (const std::uint32_t start : order) {
      if (taken[start]) continue;
      std::vector<std::uint32_t> window{start}, near;
      taken[start] = 1;
      while (window.size() < size) {
        const std::size_t last = window.back();
        for (std::size_t i = begin[last]; i < begin[last + 1]; ++i)
          near.push_back(touching[i].second);
        std::erase_if(near, [&](std::uint32_t p) { return taken[p] != 0; });
        if (near.empty()) break;
        window.push_back(near[static_cast<std::size_t>(random.below(near.size()))]);
        taken[window.back()] = 1;
      }
      if (window.size() > 1) windows.push_back(std::move(window));
    }
    return windows;
  }

  /// @return [nodes of the window] the places of their new parts in the window, or nothing
  template <class Refine>
  std::vector<std::uint32_t> cut_window(const layout& at, std::size_t window,
                                        std::span<const std::uint32_t> part, std::uint64_t seed,
                                        executor_ref threads, const Refine& refine) const {
    const std::vector<std::uint32_t>& parts = at.windows[window];
    const auto count = static_cast<std::uint32_t>(parts.size());
    weighted_graph<Word> g = induced_graph<Word>(
        g_, at.nodes[window], at.node_place,
        [&](std::size_t u) { return at.window_of[part[u]] == window; }, threads);
    for (std::uint32_t& one : g.fixed) {
      if (one != no_part) one = at.place_of[one];
    }
    std::vector<std::uint64_t> caps(caps_.begin(), caps_.end());
    if (const std::size_t stride = cap_stride(caps_, g_.rows); stride != 0) {
      caps.clear();
      for (const std::uint32_t p : parts) {
        const auto own = caps_.subspan(p * stride, stride);
        caps.insert(caps.end(), own.begin(), own.end());
      }
    }
    std::vector<std::uint32_t> old;
    for (const Word v : at.nodes[window]) old.push_back(at.place_of[part[index(v)]]);
    const std::int64_t cut = part_moves<Word>(g, count, caps, old, threads).cut();
    auto found = bisect_recursively<Word>(g, caps, count, cuts_, std::span(&seed, 1), threads);
    part_moves<Word> moves(g, count, caps, found[0], threads);
    refine(moves, seed);
    if (moves.excess() != 0 || moves.cut() >= cut) return {};
    return std::move(found[0]);
  }

  const weighted_graph<Word>& g_;
  std::span<const std::uint64_t> caps_;
  std::uint32_t parts_;
  bisection_options cuts_;
  executor_ref threads_;
};

}  // namespace halograph::detail
