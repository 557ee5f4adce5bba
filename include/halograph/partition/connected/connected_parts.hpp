// SPDX-License-Identifier: BSL-1.0
/// @file connected_parts.hpp
/// Make parts connected: what is apart from the rest of its part joins a neighboring part.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
///     hg::chained<hg::metis, hg::connected_parts> connected{.parts = 8};
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace halograph {

namespace detail {

/// Joins the pieces of parts: components of the edges inside parts. A piece is *settled* if it
/// stays: whole components of the graph, the largest other piece of each part, and the largest of a
/// component of the graph that has none of those. Every other one is loose and joins settled nodes.
template <id Index, unsigned_id Part>
class piece_joiner {
 public:
  piece_joiner(std::span<Part> owner, load_table& table)
      : owner_(owner), table_(table), count_(table.parts()), sums_(table.rows()) {}

  template <graph G>
  status run(const G& g) {
    if (const status found = find_pieces(g); !found) return found;
    if (loose_.empty()) return status::ok;
    find_neighbors(g);
    for (int round = 0; round < most_rounds && join_pieces(); ++round) {
    }
    return status::ok;
  }

 private:
  static constexpr int most_rounds = 16;
  static constexpr std::uint8_t most_tries = 4;  // of a node that moves on its own

  struct piece {
    std::size_t first = 0;   // node
    std::size_t nodes = 0;   // how many
    std::size_t group = 0;   // component of the graph, by its lowest node
    std::uint64_t load = 0;  // in shares of all rows' totals
    std::size_t begin = 0;   // of its nodes in loose_
    bool settled = true, waits = false, tried = false;

    /// More load, then more nodes, then the lower.
    bool exceeds(const piece& other) const {
      return std::tuple(load, nodes, other.first) > std::tuple(other.load, other.nodes, first);
    }
  };

  /// A node's load, as a number that can be summed over rows and nodes.
  std::uint64_t load_of(std::size_t v) const {
    const std::size_t rows = table_.rows();
    std::uint64_t out = 0;
    table_.loads().visit(v, [&](std::size_t row, std::uint64_t weight) {
      out += rows == 1 ? weight
                       : multiply_divide(weight, std::uint64_t{1} << 40,
                                         std::max<std::uint64_t>(1, table_.total(row)));
    });
    return out;
  }

  template <graph G>
  status find_pieces(const G& g) {
    const std::size_t nodes = owner_.size();
    std::vector<Index> group(nodes);
    piece_of_.resize(nodes);
    const std::span<Index> root(piece_of_);
    if (const status found = find_components(
            g, root, [this](std::size_t a, std::size_t b) { return owner_[a] == owner_[b]; });
        !found)
      return found;
    if (const status found = find_components(g, std::span<Index>(group),
                                             [](std::size_t, std::size_t) { return true; });
        !found)
      return found;

    // Roots come before the other nodes of their pieces, so that roots turn into numbers in place.
    std::vector<Index> group_nodes(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      ++group_nodes[index(group[v])];
      const std::size_t at = index(root[v]);
      if (at == v) {
        root[v] = static_cast<Index>(pieces_.size());
        pieces_.push_back({.first = v, .group = index(group[v])});
      } else {
        root[v] = root[at];
      }
      piece& own = pieces_[index(root[v])];
      ++own.nodes;
      own.load += load_of(v);
    }
    const auto is_whole = [&](const piece& one) {
      return one.nodes == index(group_nodes[one.group]);
    };

    // What stays, by part and then by component of the graph.
    constexpr auto none = ~std::size_t{0};
    std::vector<std::size_t> of_part(table_.parts(), none);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      piece& one = pieces_[i];
      if (is_whole(one)) continue;
      one.settled = false;
      std::size_t& best = of_part[index(owner_[one.first])];
      if (best == none || one.exceeds(pieces_[best])) best = i;
    }
    for (const std::size_t i : of_part) {
      if (i == none) continue;
      pieces_[i].settled = true;
      group_nodes[pieces_[i].group] = Index{0};  // it has a piece that stays
    }
    std::vector<std::size_t> lonely;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!pieces_[i].settled && group_nodes[pieces_[i].group] != Index{0}) lonely.push_back(i);
    }
    std::sort(lonely.begin(), lonely.end(), [this](std::size_t a, std::size_t b) {
      const piece &x = pieces_[a], &y = pieces_[b];
      return x.group != y.group ? x.group < y.group : x.exceeds(y);
    });
    for (std::size_t i = 0; i < lonely.size(); ++i) {
      if (i == 0 || pieces_[lonely[i]].group != pieces_[lonely[i - 1]].group)
        pieces_[lonely[i]].settled = true;
    }

    std::size_t count = 0;
    for (piece& one : pieces_) {
      one.begin = count;
      if (!one.settled) count += one.nodes;
    }
    settled_.resize(nodes);
    loose_.resize(count);
    std::vector<std::size_t> next(pieces_.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) next[i] = pieces_[i].begin;
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::size_t i = index(piece_of_[v]);
      settled_[v] = pieces_[i].settled ? 1 : 0;
      if (!pieces_[i].settled) loose_[next[i]++] = static_cast<Index>(v);
    }
    return status::ok;
  }

  /// The neighbors of loose nodes, in the order of loose_.
  template <graph G>
  void find_neighbors(const G& g) {
    place_.resize(owner_.size());
    for (std::size_t i = 0; i < loose_.size(); ++i)
      place_[index(loose_[i])] = static_cast<Index>(i);
    const auto visit = [&](auto&& f) {
      visit_edges(g, [&](auto u, auto v, auto) {
        const std::size_t a = index(u), b = index(v);
        if (a == b) return;
        if (settled_[a] == 0) f(index(place_[a]), b);
        if (settled_[b] == 0) f(index(place_[b]), a);
      });
    };
    offsets_.assign(loose_.size() + 1, 0);
    visit([&](std::size_t i, std::size_t) { ++offsets_[i]; });
    std::size_t sum = 0;
    for (auto& offset : offsets_) sum = (offset += sum);
    neighbors_.resize(sum);
    visit([&](std::size_t i, std::size_t u) { neighbors_[--offsets_[i]] = static_cast<Index>(u); });
  }

  template <class F>
  void visit_neighbors(std::size_t v, F&& f) const {
    const std::size_t i = index(place_[v]);
    for (std::size_t at = offsets_[i]; at < offsets_[i + 1]; ++at) f(index(neighbors_[at]));
  }
  std::span<const Index> nodes_of(const piece& one) const {
    return std::span<const Index>(loose_).subspan(one.begin, one.nodes);
  }

  /// The part with most edges from `nodes` to its settled nodes, of those that `fits`; their own
  /// where that is among them. K where there is none.
  template <class Fits>
  std::size_t choose(std::span<const Index> nodes, const Fits& fits) {
    for (const Index v : nodes) {
      visit_neighbors(index(v), [this](std::size_t u) {
        if (settled_[u] == 0) return;
        const std::size_t p = index(owner_[u]);
        if (count_[p]++ == 0) touched_.push_back(p);
      });
    }
    const std::size_t own = index(owner_[index(nodes.front())]);
    std::size_t best = table_.parts();
    for (const std::size_t p : touched_) {
      if (best == own) break;
      if (p == own) {
        best = p;
      } else if ((best == table_.parts() || count_[p] > count_[best] ||
                  (count_[p] == count_[best] && p < best)) &&
                 fits(p)) {
        best = p;
      }
    }
    for (const std::size_t p : touched_) count_[p] = 0;
    touched_.clear();
    return best;
  }

  void move(std::size_t v, std::size_t to) {
    if (const std::size_t from = index(owner_[v]); from != to) {
      table_.remove(v, from);
      table_.add(v, to);
      owner_[v] = static_cast<Part>(to);
    }
  }

  /// Move a piece as one. Was there a part with room?
  bool join_as_one(const piece& one) {
    const auto nodes = nodes_of(one);
    std::fill(sums_.begin(), sums_.end(), std::uint64_t{0});
    for (const Index v : nodes) {
      table_.loads().visit(index(v),
                           [this](std::size_t row, std::uint64_t weight) { sums_[row] += weight; });
    }
    const std::size_t to = choose(nodes, [this](std::size_t p) {
      for (std::size_t row = 0; row < sums_.size(); ++row) {
        const std::uint64_t most = table_.cap(row);
        if (sums_[row] != 0 && (sums_[row] > most || table_.load(row, p) > most - sums_[row]))
          return false;
      }
      return true;
    });
    if (to == table_.parts()) return false;
    for (const Index v : nodes) {
      move(index(v), to);
      settled_[index(v)] = 1;
    }
    return true;
  }

  /// Move a piece node by node to several parts, all of it or nothing.
  bool join_by_node(const piece& one) {
    const auto nodes = nodes_of(one);
    const std::size_t from = index(owner_[index(nodes.front())]),
                      mark = index(piece_of_[one.first]);
    std::vector<std::size_t> moved, waiting;
    std::vector<std::uint8_t> tries(nodes.size());
    const auto wait = [&](std::size_t v) {
      std::uint8_t& tried = tries[index(place_[v]) - one.begin];
      if (tried == most_tries) return;
      ++tried;
      waiting.push_back(v);
      std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
    };
    for (const Index v : nodes) {
      bool open = false;
      visit_neighbors(index(v), [&](std::size_t u) { open = open || settled_[u] != 0; });
      if (open) wait(index(v));
    }
    while (!waiting.empty()) {
      std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
      const std::size_t v = waiting.back();
      waiting.pop_back();
      if (settled_[v] != 0) continue;
      const auto self = static_cast<Index>(v);
      const std::size_t to = choose({&self, 1}, [&](std::size_t p) { return table_.fits(v, p); });
      if (to == table_.parts()) continue;
      move(v, to);
      settled_[v] = 1;
      moved.push_back(v);
      visit_neighbors(v, [&](std::size_t u) {
        if (settled_[u] == 0 && index(piece_of_[u]) == mark) wait(u);
      });
    }
    if (moved.size() == nodes.size()) return true;
    for (const std::size_t v : moved) {
      move(v, from);
      settled_[v] = 0;
    }
    return false;
  }

  /// Join all pieces that can be joined, the lightest first. Can another round bring more?
  bool join_pieces() {
    std::vector<std::size_t> heap;
    const auto later = [this](std::size_t a, std::size_t b) {
      const piece &x = pieces_[a], &y = pieces_[b];
      return x.load > y.load || (x.load == y.load && a > b);
    };
    const auto wait = [&](std::size_t i) {
      piece& one = pieces_[i];
      if (one.settled || one.waits || one.tried) return;
      one.waits = true;
      heap.push_back(i);
      std::push_heap(heap.begin(), heap.end(), later);
    };
    bool joined = false;
    const auto settle = [&](piece& one) {
      one.settled = joined = true;
      for (const Index v : nodes_of(one))
        visit_neighbors(index(v), [&](std::size_t u) { wait(index(piece_of_[u])); });
    };
    const auto touches_settled = [&](const piece& one) {
      bool found = false;
      for (const Index v : nodes_of(one)) {
        visit_neighbors(index(v), [&](std::size_t u) { found = found || settled_[u] != 0; });
        if (found) break;
      }
      return found;
    };
    const auto drain = [&] {
      while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        piece& one = pieces_[heap.back()];
        heap.pop_back();
        one.waits = false;
        if (!touches_settled(one)) continue;  // it comes again with its neighbor
        one.tried = true;
        if (join_as_one(one)) settle(one);
      }
    };
    for (piece& one : pieces_) one.tried = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) wait(i);
    drain();
    // What fits nowhere as one.
    bool left = false;
    for (piece& one : pieces_) {
      if (one.settled) continue;
      if (join_by_node(one)) settle(one);
      drain();
      left = left || !one.settled;
    }
    return joined && left;
  }

  std::span<Part> owner_;
  load_table& table_;
  std::vector<piece> pieces_{};
  std::vector<Index> piece_of_{}, loose_{}, place_{}, neighbors_{};
  std::vector<std::size_t> offsets_{};
  std::vector<std::uint8_t> settled_{};
  std::vector<std::size_t> count_, touched_{};  // by part
  std::vector<std::uint64_t> sums_;             // by row
};

}  // namespace detail

/// Make each part connected: of the components of a part (components.hpp) that have edges to other
/// parts, the one of most load stays; every other one joins the neighboring part to which it has
/// most edges, of those with room, the lightest first; where none has room for all of it, its nodes
/// go to several parts, if all of them find room. What finds none stays where it is, so that no
/// part that keeps its limits comes to exceed them. Whole components of the graph, isolated nodes
/// among them, stay: no part is next to them. Ends with status::ok in any case; count_components()
/// says what is left. No part becomes empty, and no part gets more components.
/// @complexity O(rounds x (V + E) log V) time, at most 16 rounds; memory, of V below 2^32: 13 bytes
///     for each node; where nodes are apart from their parts up to 100 more for each of them, and 4
///     for each end of their edges
/// @repeatable yes, on every machine and for every storage of the same edges
template <unsigned_id Part = part_id>
struct basic_connected_parts {
  using part = Part;
  static constexpr std::string_view name = "connected_parts";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;       ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};  ///< what to balance
  bool balance_types = true;                  ///< without constraints: each node type on its own

  /// @param owner  [V] in and out
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow; mismatch;
  ///     out_of_range: at v, an owner beyond the parts, or at e, an edge endpoint that is not a
  ///     node
  template <graph G>
  status refine(const G& g, std::span<part> owner) const {
    const std::size_t nodes = num_nodes(g);
    if (const status ok = check_parts<part>(parts, nodes, owner); !ok) return ok;
    if (const status sound = check_owners(std::span<const part>(owner), parts); !sound)
      return sound;
    node_loads loads;
    if (const status made = node_loads::make(
            nodes, constraints, detail::types_to_balance(g, balance_types), tolerance, loads);
        !made)
      return made;
    std::vector<std::uint64_t> memory(load_table::words(parts, loads.rows()));
    load_table table;
    if (const status made = load_table::make(loads, parts, memory, table); !made) return made;
    for (std::size_t v = 0; v < nodes; ++v) table.add(v, index(owner[v]));
    return nodes < id_capacity<std::uint32_t>()
               ? detail::piece_joiner<std::uint32_t, part>(owner, table).run(g)
               : detail::piece_joiner<std::uint64_t, part>(owner, table).run(g);
  }

  /// The sentence for a status of refine, or "".
  std::string explain(status answer) const { return detail::explain_refiner(answer, parts); }
};

using connected_parts = basic_connected_parts<>;

}  // namespace halograph
