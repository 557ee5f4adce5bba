// SPDX-License-Identifier: BSL-1.0
/// @file refine.hpp
/// Improve an assignment node by node: fewer cut edges, or parts within their tolerance.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
///
/// | refiner | moves | until |
/// | --- | --- | --- |
/// | `label_propagation` | a node to the part that holds most of its neighbors, where that has room | nothing moves, or `rounds` |
/// | `balance_repair` | out of parts that hold too much, whatever costs fewest cut edges first | every part keeps its caps |
///
/// A refiner of one's own is an aggregate with `part` and `status refine(const G&, std::span<part>
/// owner) const`; `chained` (chained.hpp) runs it after any partitioner.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/neighbors.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {
template <class P, class G>
concept refines = requires(const P& policy, const G& g, std::span<typename P::part> owner) {
  { policy.refine(g, owner) } -> std::same_as<status>;
};
}  // namespace detail

/// Improves an assignment of the nodes of a G. Laws (testing/laws.hpp): on status::ok
/// every owner is below the number of parts, as before; the same graph, policy and assignment give
/// the same owners; an owner beyond the parts is status::out_of_range, an `owner` that is not [V]
/// status::mismatch.
template <class P, class G>
concept refiner =
    (detail::names_part<P> || unmet<"refiner: P::part must name an unsigned integer">()) &&
    (detail::refines<P, G> || unmet<"refiner: needs status refine(const G&, span<part>) const">());

namespace detail {

/// The state of a refiner: loads, rows of neighbors, counters by part.
template <graph Graph, unsigned_id Part>
class moving_nodes {
 public:
  /// Words of memory: tables of parts, rows of neighbors, and `more` words for each node.
  static constexpr std::size_t words(std::size_t nodes, std::size_t edges, std::uint64_t parts,
                                     std::size_t rows, std::size_t more) {
    const std::uint64_t of_parts = saturating_sum(load_table::words(parts, rows),
                                                  saturating_multiply(parts, 3)),
                        of_nodes = saturating_sum(saturating_multiply(nodes, more),
                                                  neighbor_rows<Graph>::words(nodes, edges, true)),
                        all = saturating_sum(of_parts, of_nodes);
    return index(all);
  }

  static constexpr status make(const Graph& g, const node_loads& loads, std::uint64_t parts,
                               std::span<Part> owner, std::span<std::uint64_t> memory,
                               std::size_t more, moving_nodes& out) {
    const std::size_t nodes = num_nodes(g), needed = words(nodes, 0, parts, loads.rows(), more);
    if (memory.size() < needed)
      return status::capacity.at(words(nodes, num_edges(g), parts, loads.rows(), more));
    if (const status sound = check_owners(std::span<const Part>(owner), parts); !sound)
      return sound;
    const auto take = [&memory](std::size_t count) {
      const auto taken = memory.first(count);
      memory = memory.subspan(count);
      return taken;
    };
    const auto k = static_cast<std::size_t>(parts);
    out.owner_ = owner;
    if (const status made = load_table::make(
            loads, parts, take(load_table::words(parts, loads.rows())), out.table_);
        !made)
      return made;
    out.count_ = take(k);
    out.touched_ = take(k);
    out.size_ = take(k);
    out.per_node_ = take(more * nodes);
    std::fill(out.count_.begin(), out.count_.end(), std::uint64_t{0});
    std::fill(out.size_.begin(), out.size_.end(), std::uint64_t{0});
    const status built = neighbor_rows<Graph>::build(g, every_neighbor{}, memory, out.rows_);
    if (built == status::capacity)
      return status::capacity.at(needed - neighbor_rows<Graph>::words(nodes, 0, true) +
                                 built.position);
    if (!built) return built;
    for (std::size_t v = 0; v < nodes; ++v) {
      out.table_.add(v, static_cast<std::size_t>(owner[v]));
      ++out.size_[static_cast<std::size_t>(owner[v])];
    }
    return status::ok;
  }

  constexpr const load_table& table() const noexcept { return table_; }
  constexpr std::span<std::uint64_t> per_node() const noexcept { return per_node_; }
  constexpr std::size_t owner(std::size_t v) const noexcept {
    return static_cast<std::size_t>(owner_[v]);
  }
  constexpr std::uint64_t size(std::size_t p) const noexcept { return size_[p]; }
  constexpr bool bad_neighbor() const noexcept { return bad_neighbor_; }

  /// Neighbors of v in its own part, and the best other part that has room: by neighbors, then
  /// the lighter, then the lower; `parts` where none that holds a neighbor has room.
  struct choice {
    std::uint64_t own = 0;
    std::uint64_t there = 0;
    std::size_t part = 0;
  };
  constexpr choice choose(std::size_t v) {
    std::size_t touched = 0;
    rows_.visit(v, [&](auto u) {
      const std::size_t i = index(u);
      if (i >= owner_.size()) {
        bad_neighbor_ = true;
        return;
      }
      const auto p = static_cast<std::size_t>(owner_[i]);
      if (count_[p]++ == 0) touched_[touched++] = p;
    });
    const std::size_t own = owner(v), main = table_.main_row(v), none = table_.parts();
    choice out{count_[own], 0, none};
    for (std::size_t i = 0; i < touched; ++i) {
      const auto p = static_cast<std::size_t>(touched_[i]);
      if (p == own || count_[p] < out.there || !table_.fits(v, p)) continue;
      if (out.part != none && count_[p] == out.there) {
        const auto load = table_.load(main, p), best = table_.load(main, out.part);
        if (load > best || (load == best && p > out.part)) continue;
      }
      out.part = p;
      out.there = count_[p];
    }
    for (std::size_t i = 0; i < touched; ++i) count_[static_cast<std::size_t>(touched_[i])] = 0;
    return out;
  }

  constexpr void move(std::size_t v, std::size_t to) {
    const std::size_t from = owner(v);
    table_.remove(v, from);
    table_.add(v, to);
    --size_[from];
    ++size_[to];
    owner_[v] = static_cast<Part>(to);
  }

 private:
  std::span<Part> owner_{};
  load_table table_{};
  neighbor_rows<Graph> rows_{};
  std::span<std::uint64_t> count_{}, touched_{}, size_{}, per_node_{};
  bool bad_neighbor_ = false;
};

template <graph G>
constexpr std::span<const std::uint64_t> types_to_balance(const G& g, bool balance_types) {
  if constexpr (typed_graph<G>) {
    if (balance_types) return g.node_type_offsets();
  }
  return {};
}

/// Rows of loads that a refiner balances.
template <class Policy, graph G>
constexpr std::size_t rows_to_balance(const Policy& policy, const G& g) {
  return node_loads::rows(policy.constraints.size(),
                          types_to_balance(g, policy.balance_types).size());
}

/// The sentence for a status of a refiner, or "".
inline std::string explain_refiner(status answer, std::uint64_t parts) {
  const std::string at = std::to_string(answer.position);
  if (answer == status::infeasible)
    return "part " + at +
           " holds more than its tolerance allows, and no move was found that helps; allow a larger tolerance or fewer parts";
  if (answer == status::out_of_range)
    return "node " + at + " has a part that is not below " + std::to_string(parts) + ", or edge " +
           at + " has an endpoint that is not a node";
  if (answer == status::invalid_argument && parts != 0)
    return "loads must be 0 or more (see node " + at + "), and tolerances must be 0 or more";
  return {};
}

}  // namespace detail

namespace detail {

/// Move each node to the part that holds most of its neighbors, if it has room.
struct propagation_rule {
  static constexpr std::string_view name = "label_propagation";
  static constexpr std::uint32_t rounds = 10;
  static constexpr std::size_t words_per_node = 0;

  template <class Policy, class State>
  static constexpr status run(const Policy& policy, std::size_t nodes, const node_loads&,
                              State& state) {
    for (std::uint32_t round = 0; round < policy.rounds; ++round) {
      bool moved = false;
      for (std::size_t v = 0; v < nodes; ++v) {
        const auto choice = state.choose(v);
        if (state.bad_neighbor()) return status::out_of_range.at(v);
        if (choice.part == policy.parts || choice.there <= choice.own ||
            state.size(state.owner(v)) == 1)
          continue;
        state.move(v, choice.part);
        moved = true;
      }
      if (!moved) break;
    }
    return status::ok;
  }
};

/// Move nodes out of parts that exceed their limits, those whose move cuts the fewest edges first.
struct repair_rule {
  static constexpr std::string_view name = "balance_repair";
  static constexpr no_member<0> rounds{};
  static constexpr std::size_t words_per_node = 2;

  template <class Policy, class State>
  static constexpr status run(const Policy&, std::size_t nodes, const node_loads& loads,
                              State& state) {
    const load_table& table = state.table();
    const auto loss = state.per_node().first(nodes),
               waiting = state.per_node().subspan(nodes, nodes);
    // Does v add to a load of which its part holds too much?
    const auto is_burden = [&](std::size_t v) {
      bool found = false;
      loads.visit(v, [&](std::size_t row, std::uint64_t) {
        found = found || table.load(row, state.owner(v)) > table.cap(row);
      });
      return found;
    };
    // A heap by this order gives the least loss first, then the lowest node.
    const auto later = [&](std::uint64_t a, std::uint64_t b) {
      const std::uint64_t x = loss[static_cast<std::size_t>(a)],
                          y = loss[static_cast<std::size_t>(b)];
      return x > y || (x == y && a > b);
    };
    for (;;) {
      std::size_t count = 0;
      for (std::size_t v = 0; v < nodes; ++v) {
        if (!is_burden(v)) continue;
        const auto choice = state.choose(v);
        if (state.bad_neighbor()) return status::out_of_range.at(v);
        loss[v] = (std::uint64_t{1} << 63) + choice.own - choice.there;
        waiting[count++] = v;
      }
      if (count == 0) break;
      bool moved = false;
      std::make_heap(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count), later);
      for (; count > 0; --count) {
        std::pop_heap(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count), later);
        const auto v = static_cast<std::size_t>(waiting[count - 1]);
        if (!is_burden(v)) continue;
        std::size_t to = state.choose(v).part;
        if (to == table.parts()) to = part_with_room(table, v, state.owner(v));
        if (to == table.parts()) continue;
        state.move(v, to);
        moved = true;
      }
      if (!moved) break;
    }
    for (std::size_t p = 0; p < table.parts(); ++p) {
      if (table.overfull(p)) return status::infeasible.at(p);
    }
    return status::ok;
  }

 private:
  /// The lightest part if it has room, else the first that has room; K where none has.
  static constexpr std::size_t part_with_room(const load_table& table, std::size_t v,
                                              std::size_t own) {
    const std::size_t lightest = table.lightest(table.main_row(v));
    if (lightest != own && table.fits(v, lightest)) return lightest;
    for (std::size_t p = 0; p < table.parts(); ++p) {
      if (p != own && table.fits(v, p)) return p;
    }
    return table.parts();
  }
};

}  // namespace detail

/// A refiner that moves one node at a time, by a rule of this header.
/// @repeatable yes, on every machine and for every storage of the same edges
template <unsigned_id Part, class Rule>
struct moving_refiner {
  using part = Part;                                    ///< see refiner
  static constexpr std::string_view name = Rule::name;  ///< see named_policy

  std::uint64_t parts = 1;                    ///< how many parts there are
  double tolerance = default_tolerance;       ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};  ///< what to balance
  bool balance_types = true;                  ///< without constraints: each node type on its own
  /// at most; label_propagation alone has this option
  [[no_unique_address]] std::remove_const_t<decltype(Rule::rounds)> rounds = Rule::rounds;

  /// Words of memory that refine needs for g. @complexity that of num_edges(g)
  template <graph G>
  constexpr std::size_t refine_scratch_size(const G& g) const {
    return detail::moving_nodes<G, Part>::words(
        num_nodes(g), num_edges(g), parts, detail::rows_to_balance(*this, g), Rule::words_per_node);
  }

  /// @param owner   [V] in and out   @param memory [refine_scratch_size(g)]
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow; mismatch; capacity;
  ///     out_of_range: at v, an owner beyond the parts, or at e, an edge endpoint that is not a
  ///     node; balance_repair: infeasible at p: part p still holds too much
  template <graph G>
  constexpr status refine(const G& g, std::span<part> owner,
                          std::span<std::uint64_t> memory) const {
    const std::size_t nodes = num_nodes(g);
    node_loads loads;
    detail::moving_nodes<G, Part> state;
    if (const status ok = check_parts<part>(parts, nodes, owner); !ok) return ok;
    const auto types = detail::types_to_balance(g, balance_types);
    if (const status made = node_loads::make(nodes, constraints, types, tolerance, loads); !made)
      return made;
    if (const status made = detail::moving_nodes<G, Part>::make(g, loads, parts, owner, memory,
                                                                Rule::words_per_node, state);
        !made)
      return made;
    return Rule::run(*this, nodes, loads, state);
  }

  /// The same in memory that it allocates. @errors memory
  template <graph G>
  constexpr status refine(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    std::vector<std::uint64_t> memory(refine_scratch_size(g));
    return refine(g, owner, std::span<std::uint64_t>(memory));
  }

  /// The sentence for a status of refine, or "".
  std::string explain(status answer) const { return detail::explain_refiner(answer, parts); }
};

/// Size-constrained label propagation: node after node, by ID, moves to the part that holds most of
/// its neighbors, if those are more than in its own and the part has room. The number of cut edges
/// falls with every move; no part loses its last node, and no part that keeps its limits comes to
/// exceed them.
/// @complexity O(rounds x (V + E)) time; memory: refine_scratch_size
/// @source Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; Meyerhenke, Sanders & Schulz,
///     "Partitioning complex networks via size-constrained clustering", SEA 2014
template <unsigned_id Part = part_id>
using basic_label_propagation = moving_refiner<Part, detail::propagation_rule>;

/// Repair balance: of the nodes in parts that hold more than they may, those whose move cuts fewest
/// edges more go first, each to the part with most of its neighbors among those with room, or to
/// the lightest; until every part keeps its limits, or nothing helps (infeasible, at the part).
/// Parts that keep their limits lose no node. Loads of 1 can always be repaired; with weights and
/// several constraints a solution may exist that is not found.
/// @complexity O(passes x (V + E) + moves x log V); memory: refine_scratch_size
template <unsigned_id Part = part_id>
using basic_balance_repair = moving_refiner<Part, detail::repair_rule>;

using label_propagation = basic_label_propagation<>;  ///< of part_id
using balance_repair = basic_balance_repair<>;        ///< of part_id

/// Improve an assignment in place.
/// @param g       V nodes
/// @param policy  a refiner of G, such as `hg::label_propagation{.parts = 8}`
/// @param owner   [V] part of each node, in and out: a vector, array, span or other contiguous
///     memory of any integer type
/// @errors        raises the policy's code and sentence, and then leaves owner unchanged where its
///     type is not the policy's; out_of_range: a part is negative or too large for the policy;
///     overflow: a new part does not fit owner's type; memory
/// @complexity    the policy's, and O(V) where owner's type is not the policy's
template <graph G, class P, class Owner>
  requires refiner<P, G> && id_output<Owner>
void refine(const G& g, const P& policy, Owner&& owner) {
  using part = typename P::part;
  const auto out = ids_out(owner);
  using source = typename decltype(out)::value_type;
  const auto require = [&](status answer) {
    if (answer) return;
    std::string sentence;
    if constexpr (explains_status<P>) sentence = policy.explain(answer);
    if (sentence.empty())
      sentence = concat({"the refiner failed at position ", answer.position, " of the owners"});
    raise(answer.code, sentence);
  };
  if constexpr (std::same_as<source, part>) {
    require(policy.refine(g, std::span<part>(out)));
  } else {
    std::vector<part> own(out.size());
    for (std::size_t v = 0; v < out.size(); ++v) {
      if (!std::in_range<part>(out[v])) {
        raise(error_kind::out_of_range,
              concat({"node ", v, " is assigned to part ", out[v],
                      "; parts are numbered from 0 to ", std::numeric_limits<part>::max()}));
      }
      own[v] = static_cast<part>(out[v]);
    }
    require(policy.refine(g, std::span<part>(own)));
    for (std::size_t v = 0; v < out.size(); ++v) {
      if (!std::in_range<source>(own[v])) {
        raise(error_kind::overflow,
              concat({"node ", v, " got part ", own[v],
                      ", which does not fit the owners' type; use a wider one"}));
      }
    }
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = static_cast<source>(own[v]);
  }
}
template <graph G, class P, class Owner>
  requires(!id_output<Owner>)
__attribute__((unavailable(
    "id_output: owners need contiguous memory of integers that can be written, as a vector, array or span of them has"))) void
refine(const G&, const P&, Owner&&);

}  // namespace halograph
