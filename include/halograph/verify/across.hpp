// SPDX-License-Identifier: BSL-1.0
/// @file across.hpp
/// Checks across parts: edges have the same endpoints in all parts, and each HALO is what its hops
/// reach.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/part.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Compares parts with one another, or with the input.
template <class Id>
class across_check {
 public:
  across_check(verify_state<Id>& state, finding_list& findings)
      : state_(state), findings_(findings) {}

  /// Check the edges held by parts that do not own them, and the extent of each HALO.
  void check_across(std::size_t first, std::size_t last, std::uint64_t kept_edges,
                    executor_ref executor) {
    findings_.done(check_kind::crossing_edges);
    findings_.done(check_kind::halo);
    if (!state_.options.part && state_.edges.mapped() && state_.config.cut_edges_dropped &&
        kept_edges != state_.config.num_edges) {
      findings_.add(check_kind::edges, state_.config.path,
                    concat({"the parts own ", kept_edges, " edges; the config says ",
                            state_.config.num_edges}));
    }
    const auto n = static_cast<std::size_t>(state_.nodes.size());
    // In-edges by target, and cut edges by the part of their source.
    in_begin_.assign(n + 1, 0);
    cut_begin_.assign(state_.config.num_parts + 1, 0);
    for (std::size_t e = 0; e < state_.source.size(); ++e) {
      if (state_.source[e] == state_.none) continue;
      ++in_begin_[state_.target[e]];
      const auto p = state_.nodes.part(state_.source[e]);
      if (p != state_.nodes.part(state_.target[e])) ++cut_begin_[p];
    }
    const auto sum_up = [](auto& counts) {
      std::uint64_t sum = 0;
      for (auto& c : counts) {
        const std::uint64_t count = c;
        c = static_cast<std::remove_reference_t<decltype(c)>>(sum);
        sum += count;
      }
      return sum;
    };
    in_edges_.resize(static_cast<std::size_t>(sum_up(in_begin_)));
    cut_edges_.resize(static_cast<std::size_t>(sum_up(cut_begin_)));
    for (std::size_t e = 0; e < state_.source.size(); ++e) {
      if (state_.source[e] == state_.none) continue;
      in_edges_[in_begin_[state_.target[e]]++] = static_cast<Id>(e);
      const auto p = state_.nodes.part(state_.source[e]);
      if (p != state_.nodes.part(state_.target[e]))
        cut_edges_[cut_begin_[p]++] = static_cast<Id>(e);
    }
    for (std::size_t v = n; v > 0; --v) in_begin_[v] = in_begin_[v - 1];
    for (std::size_t p = state_.config.num_parts; p > 0; --p) cut_begin_[p] = cut_begin_[p - 1];
    in_begin_[0] = 0;
    cut_begin_[0] = 0;
    if (state_.config.halo_hops == 0 && !cut_edges_.empty()) {
      findings_.add(check_kind::halo, state_.config.path,
                    concat({std::uint64_t{cut_edges_.size()},
                            " edges cross parts, which a folder with 0 hops cannot hold"}));
    }

    // DGL's partition_graph holds the out-edges of inner nodes, its dispatch pipeline does not, and
    // no config says which: take the variant with fewer differences over all parts.
    std::vector<scratch> memory(wave_of(executor));
    std::vector<std::uint64_t> held(memory.size()), with(memory.size()), without(memory.size());
    std::uint64_t cut = 0;
    for (std::size_t p = first; p < last; ++p) {
      if (state_.usable[p] != 0 && state_.config.halo_hops != 0)
        cut += cut_begin_[p + 1] - cut_begin_[p];
    }
    each_part(first, last, executor, "",
              [&](std::size_t p, const open_part& part, std::size_t place, finding_log& findings) {
                const std::uint64_t inner = state_.nodes.count(p);
                for (std::uint64_t j = 0; j < part.graph.edges; ++j) {
                  const auto u = static_cast<std::uint64_t>(at(&part.ends.source, j)),
                             v = static_cast<std::uint64_t>(at(&part.ends.target, j));
                  if (v < inner) continue;
                  if (u < inner) ++held[place];
                  compare_ends(state_, findings, check_kind::crossing_edges, part, j,
                               static_cast<std::uint64_t>(at(part.edge_id, j)),
                               static_cast<std::uint64_t>(at(part.id, u)),
                               static_cast<std::uint64_t>(at(part.id, v)));
                }
              });
    bool closing = true;
    if (std::accumulate(held.begin(), held.end(), std::uint64_t{0}) != cut) {
      each_part(first, last, executor, "",
                [&](std::size_t p, const open_part& part, std::size_t place, finding_log&) {
                  without[place] += check_halo(p, part, false, memory[place], nullptr);
                  with[place] += check_halo(p, part, true, memory[place], nullptr);
                });
      closing = std::accumulate(with.begin(), with.end(), std::uint64_t{0}) <=
                std::accumulate(without.begin(), without.end(), std::uint64_t{0});
    }
    each_part(first, last, executor, "verify HALO",
              [&](std::size_t p, const open_part& part, std::size_t place, finding_log& findings) {
                check_halo(p, part, closing, memory[place], &findings);
              });
  }

 private:
  /// Distances and marks by node, cleared after each part.
  struct scratch {
    std::vector<Id> distance{};
    std::vector<std::uint8_t> member{};
  };

  /// f(p, part, place in the wave, findings) for each usable part.
  void each_part(std::size_t first, std::size_t last, executor_ref executor, const char* step,
                 function_ref<void(std::size_t, const open_part&, std::size_t, finding_log&)> f) {
    const auto& progress = state_.options.on_progress;
    in_waves(first, last, executor, [&](std::size_t begin, std::size_t end) {
      if (*step != '\0' && progress) progress({step, begin - first, last - first, "parts"});
      std::vector<finding_log> logs(end - begin);
      executor.parallel_for(begin, end, 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t p = from; p < to; ++p) {
          open_part part;
          if (state_.usable[p] != 0 && open(state_, p, part, reading::all))
            f(p, part, p - begin, logs[p - begin]);
        }
      });
      for (const auto& log : logs) log.tell(findings_);
    });
    if (*step != '\0' && progress) progress({step, last - first, last - first, "parts"});
  }

  /// Compare a part's HALO with what its hops reach. @return the number of differences
  std::uint64_t check_halo(std::size_t p, const open_part& part, bool closing, scratch& here,
                           finding_log* findings) const {
    const std::uint64_t hops = state_.config.halo_hops, inner = state_.nodes.count(p);
    std::uint64_t differences = 0;
    auto& distance = here.distance;
    auto& member = here.member;
    if (distance.empty()) {
      distance.assign(static_cast<std::size_t>(state_.nodes.size()), state_.none);
      member.assign(static_cast<std::size_t>(state_.nodes.size()), 0);
    }
    const auto say = [&](const char* fault, function_ref<std::string()> make) {
      ++differences;
      if (findings != nullptr) findings->add(check_kind::halo, part.file, fault, make);
    };
    // Breadth-first distance against the edges, from the inner nodes.
    std::vector<Id> reached;
    for (std::uint64_t i = 0; i < inner; ++i) {
      const auto v = static_cast<Id>(at(part.id, i));
      distance[v] = 0;
      reached.push_back(v);
    }
    std::size_t from = 0;
    for (std::uint64_t hop = 1; hop <= hops && from < reached.size(); ++hop) {
      const std::size_t to = reached.size();
      for (; from < to; ++from) {
        const Id v = reached[from];
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k) {
          const Id u = state_.source[in_edges_[k]];
          if (distance[u] != state_.none) continue;
          distance[u] = static_cast<Id>(hop);
          reached.push_back(u);
        }
      }
    }
    // 1: expected, 2: present.
    std::vector<Id> expected(reached.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min<std::uint64_t>(inner, reached.size())),
                             reached.end());
    for (const Id v : expected) member[v] = 1;
    if (closing && hops > 0) {
      for (auto k = cut_begin_[p]; k < cut_begin_[p + 1]; ++k) {
        const Id v = state_.target[cut_edges_[k]];
        if (member[v] != 0) continue;
        member[v] = 1;
        expected.push_back(v);
      }
    }
    for (std::uint64_t i = inner; i < part.graph.nodes; ++i) {
      const auto v = static_cast<std::size_t>(at(part.id, i));
      if (member[v] == 1) {
        member[v] = 2;
      } else {
        say("HALO node", [&] {
          return concat({"node ", i, " (", state_.input_node(v),
                         ") does not belong to the HALO of ", hops, " hops"});
        });
      }
    }
    for (const Id v : expected) {
      if (member[v] == 1)
        say("no HALO node", [&] {
          return concat(
              {state_.input_node(v), " belongs to the HALO of ", hops, " hops, but is missing"});
        });
      member[v] = 0;
    }
    // Edges after the inner ones: in-edges of expanded nodes, and out-edges of inner nodes.
    const auto belongs = [&](Id u, Id v) {
      if (closing && hops > 0 && distance[u] == 0) return true;
      return distance[v] != state_.none && distance[v] >= 1 && distance[v] < hops;
    };
    std::uint64_t first_other = 0, found = 0;
    while (first_other < part.graph.edges &&
           static_cast<std::uint64_t>(at(&part.ends.target, first_other)) < inner)
      ++first_other;
    for (std::uint64_t j = first_other; j < part.graph.edges; ++j) {
      const auto u = static_cast<Id>(
          at(part.id, static_cast<std::uint64_t>(at(&part.ends.source, j))));
      const auto v = static_cast<Id>(
          at(part.id, static_cast<std::uint64_t>(at(&part.ends.target, j))));
      if (belongs(u, v)) {
        ++found;
      } else {
        say("other edge", [&] {
          return concat({"edge ", j, " (_ID ", at(part.edge_id, j),
                         ") does not belong to a HALO of ", hops, " hops"});
        });
      }
    }
    // Expected others: in-edges of expanded nodes, plus out-edges of inner nodes not among those.
    std::uint64_t wanted = 0;
    const auto each_wanted = [&](const auto& f) {
      for (std::size_t i = static_cast<std::size_t>(inner); i < reached.size(); ++i) {
        const Id v = reached[i];
        if (distance[v] >= hops) continue;
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k) f(in_edges_[k]);
      }
      if (!closing || hops == 0) return;
      for (auto k = cut_begin_[p]; k < cut_begin_[p + 1]; ++k) {
        const Id v = state_.target[cut_edges_[k]];
        if (distance[v] == state_.none || distance[v] >= hops) f(cut_edges_[k]);
      }
    };
    each_wanted([&](Id) { ++wanted; });
    if (found != wanted) {
      // IDs ascend, so that they can be searched.
      each_wanted([&](Id e) {
        std::uint64_t low = first_other, high = part.graph.edges;
        while (low < high) {
          const std::uint64_t middle = low + (high - low) / 2;
          if (static_cast<std::uint64_t>(at(part.edge_id, middle)) < e)
            low = middle + 1;
          else
            high = middle;
        }
        if (low < part.graph.edges && static_cast<std::uint64_t>(at(part.edge_id, low)) == e)
          return;
        say("no other edge", [&] {
          return concat({state_.input_edge(e), " (_ID ", std::uint64_t{e},
                         ") belongs to the HALO of ", hops, " hops, but is missing"});
        });
      });
    }
    for (const Id v : reached) distance[v] = state_.none;
    return differences;
  }

 private:
  verify_state<Id>& state_;
  finding_list& findings_;
  std::vector<Id> in_begin_{}, in_edges_{},
      cut_edges_{};  // in-edges by target; cut edges by the part of their source
  std::vector<std::uint64_t> cut_begin_{};
};

}  // namespace detail

}  // namespace halograph
