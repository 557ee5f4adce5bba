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
#include <span>
#include <string>
#include <type_traits>
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
    count_edges();
    if (state_.config.halo_hops == 0 && cut_begin_.back() != 0) {
      findings_.add(check_kind::halo, state_.config.path,
                    concat({cut_begin_.back(),
                            " edges cross parts, which a folder with 0 hops cannot hold"}));
    }

    // DGL's partition_graph holds the out-edges of inner nodes, its dispatch pipeline does not, and
    // no config says which: take the variant with fewer differences over all parts.
    std::vector<scratch> memory(state_.running);
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
  /// Distances and marks by node, cleared after each part, and nodes that are reached.
  struct scratch {
    std::vector<Id> distance{};
    std::vector<std::uint8_t> member{};
    std::vector<Id> reached{};
  };

  /// Count the edges that cross parts, by the part of their source, and list them if there is
  /// memory; list the in-edges of all nodes, unless the only hop is that of the edges that a part
  /// owns.
  void count_edges() {
    const auto n = static_cast<std::size_t>(state_.nodes.size());
    const bool lists_in_edges = state_.owners.empty() || state_.config.halo_hops > 1;
    in_begin_.assign(lists_in_edges ? n + 1 : 0, 0);
    cut_begin_ = state_.cut;
    cut_begin_.resize(state_.config.num_parts + 1);
    const auto crosses = [&](Id u, Id v) { return state_.nodes.part(u) != state_.nodes.part(v); };
    if (lists_in_edges) {
      state_.for_each_edge([&](std::uint64_t, Id u, Id v) {
        ++in_begin_[v];
        if (state_.owners.empty() && crosses(u, v)) ++cut_begin_[state_.nodes.part(u)];
      });
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
    if (lists_in_edges) in_edges_.resize(static_cast<std::size_t>(sum_up(in_begin_)));
    const std::uint64_t cut = sum_up(cut_begin_);
    lists_cut_ = state_.owners.empty() || cut <= state_.cut_list_bytes / sizeof(Id);
    if (lists_cut_) cut_edges_.resize(static_cast<std::size_t>(cut));
    // The file of a part may have changed since it was counted.
    const auto put = [](std::vector<Id>& list, auto& at, std::uint64_t e) {
      if (at < list.size()) list[static_cast<std::size_t>(at++)] = static_cast<Id>(e);
    };
    if (lists_in_edges) {
      state_.for_each_edge([&](std::uint64_t e, Id u, Id v) {
        put(in_edges_, in_begin_[v], e);
        if (state_.owners.empty() && crosses(u, v))
          put(cut_edges_, cut_begin_[state_.nodes.part(u)], e);
      });
    }
    if (lists_cut_) {
      for_each_edge_between([&](std::uint64_t e, Id u, const auto&) {
        put(cut_edges_, cut_begin_[state_.nodes.part(u)], e);
      });
    }
    const auto step_back = [](auto& begins) {
      std::copy_backward(begins.begin(), begins.end() - 1, begins.end());
      begins.front() = 0;
    };
    if (lists_in_edges) step_back(in_begin_);
    if (lists_cut_) step_back(cut_begin_);
  }
  /// f(edge, target) for each edge from a part to others, ascending.
  template <class F>
  void for_each_out_edge(std::size_t p, const F& f) const {
    if (lists_cut_) {
      for (auto k = cut_begin_[p]; k < cut_begin_[p + 1]; ++k) {
        const Id e = cut_edges_[static_cast<std::size_t>(k)];
        f(e, state_.ends_of(e).second);
      }
      return;
    }
    for_each_edge_between([&](std::uint64_t e, Id u, const auto& target) {
      if (state_.nodes.part(u) != p) return;
      if (const Id v = target(); v != state_.none) f(static_cast<Id>(e), v);
    });
  }
  /// f(edge, source, target()) for each edge between parts, ascending. @pre owners are read
  template <class F>
  void for_each_edge_between(const F& f) const {
    for (std::size_t p = 0; p < state_.owners.size(); ++p) {
      const open_part& part = state_.owners[p];
      const std::uint64_t first = state_.edges.first(p), inner = state_.nodes.count(p),
                          count = state_.edges.count(p);
      for (std::uint64_t j = 0; j < count; ++j) {
        const std::int64_t source = at(&part.ends.source, j);
        if (static_cast<std::uint64_t>(source) < inner) continue;
        const Id u = state_.node_of(part, source);
        if (u != state_.none)
          f(first + j, u, [&] { return state_.node_of(part, at(&part.ends.target, j)); });
      }
    }
  }

  /// f(p, part, place in the wave, findings) for each usable part.
  void each_part(std::size_t first, std::size_t last, executor_ref executor, const char* step,
                 function_ref<void(std::size_t, const open_part&, std::size_t, finding_log&)> f) {
    const auto& progress = state_.options.on_progress;
    in_waves(first, last, state_.running, [&](std::size_t begin, std::size_t end) {
      if (*step != '\0' && progress) progress({step, begin - first, last - first, "parts"});
      std::vector<finding_log> logs(end - begin);
      executor.parallel_for(begin, end, 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t p = from; p < to; ++p) {
          if (state_.usable[p] == 0) continue;
          open_part opened;
          if (!state_.owners.empty())
            f(p, state_.owners[p], p - begin, logs[p - begin]);
          else if (open(state_, p, opened, reading::all))
            f(p, opened, p - begin, logs[p - begin]);
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
    // Breadth-first distance against the edges, from the inner nodes. Each node is reached once.
    auto& reached = here.reached;
    reached.clear();
    reached.reserve(distance.size());
    for (std::uint64_t i = 0; i < inner; ++i) {
      const auto v = static_cast<Id>(at(part.id, i));
      distance[v] = 0;
      reached.push_back(v);
    }
    const auto reach = [&](Id u, std::uint64_t hop) {
      if (u == state_.none || distance[u] != state_.none) return;
      distance[u] = static_cast<Id>(hop);
      reached.push_back(u);
    };
    std::size_t from = 0;
    for (std::uint64_t hop = 1; hop <= hops && from < reached.size(); ++hop) {
      const std::size_t to = reached.size();
      if (in_begin_.empty()) {  // all of them are edges that the part owns
        for (std::uint64_t j = 0, count = state_.edges.count(p); j < count; ++j)
          reach(state_.node_of(part, at(&part.ends.source, j)), hop);
        from = to;
      }
      for (; from < to; ++from) {
        const Id v = reached[from];
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k)
          reach(state_.ends_of(in_edges_[k]).first, hop);
      }
    }
    // 1: expected, 2: present.
    const std::size_t expanded = reached.size();
    for (std::size_t i = static_cast<std::size_t>(inner); i < expanded; ++i) member[reached[i]] = 1;
    if (closing && hops > 0) {
      for_each_out_edge(p, [&](Id, Id v) {
        if (member[v] != 0 || distance[v] == 0) return;
        member[v] = 1;
        reached.push_back(v);
      });
    }
    const std::span<const Id> expected = std::span<const Id>(reached).subspan(
        static_cast<std::size_t>(inner));
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
      for (std::size_t i = static_cast<std::size_t>(inner); i < expanded; ++i) {
        const Id v = reached[i];
        if (distance[v] >= hops) continue;
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k) f(in_edges_[k]);
      }
      if (!closing || hops == 0) return;
      for_each_out_edge(p, [&](Id e, Id v) {
        if (distance[v] == state_.none || distance[v] >= hops) f(e);
      });
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
  std::vector<Id> in_begin_{}, in_edges_{};  // in-edges by target, or empty
  std::vector<std::uint64_t> cut_begin_{};   // [P + 1] edges between parts, by that of the source
  std::vector<Id> cut_edges_{};              // those edges, if lists_cut_
  bool lists_cut_ = false;
};

}  // namespace detail

}  // namespace halograph
