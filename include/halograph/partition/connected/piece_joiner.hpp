// SPDX-License-Identifier: BSL-1.0
/// @file piece_joiner.hpp
/// How connected_parts (connected_parts.hpp) joins the pieces of parts.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
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
    bool left = true;
    for (int round = 0; round < most_rounds && left; ++round) {
      left = join_pieces();
      if (left && !swap_pieces(g)) break;
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

  void sum_loads(std::span<const Index> nodes) {
    std::fill(sums_.begin(), sums_.end(), std::uint64_t{0});
    for (const Index v : nodes) {
      table_.loads().visit(index(v),
                           [this](std::size_t row, std::uint64_t weight) { sums_[row] += weight; });
    }
  }

  /// Move a piece as one. Was there a part with room?
  bool join_as_one(const piece& one) {
    const auto nodes = nodes_of(one);
    sum_loads(nodes);
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

  /// Join all pieces that can be joined, the lightest first. Is any left?
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
    const auto settle = [&](piece& one) {
      one.settled = true;
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
    return left;
  }

  /// A forest that spans the settled nodes of each part, so that its leaves can leave a part
  /// without taking it apart; and all neighbors.
  template <graph G>
  void grow_forest(const G& g) {
    const std::size_t nodes = owner_.size();
    if (row_begin_.empty()) {
      const auto visit = [&](auto&& f) {
        visit_edges(g, [&](auto u, auto v, auto) {
          if (index(u) == index(v)) return;
          f(index(u), index(v));
          f(index(v), index(u));
        });
      };
      row_begin_.assign(nodes + 1, 0);
      visit([&](std::size_t a, std::size_t) { ++row_begin_[a]; });
      std::size_t sum = 0;
      for (auto& begin : row_begin_) sum = (begin += sum);
      rows_.resize(sum);
      visit([&](std::size_t a, std::size_t b) { rows_[--row_begin_[a]] = static_cast<Index>(b); });
      // In the same order whatever the storage.
      for (std::size_t v = 0; v < nodes; ++v)
        std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(row_begin_[v]),
                  rows_.begin() + static_cast<std::ptrdiff_t>(row_begin_[v + 1]));
    }
    parent_.assign(nodes, static_cast<Index>(nodes));
    children_.assign(nodes, Index{0});
    members_.assign(table_.parts(), {});
    std::vector<Index> queue;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (settled_[v] == 0) continue;
      members_[index(owner_[v])].push_back(static_cast<Index>(v));
      if (index(parent_[v]) != nodes) continue;
      parent_[v] = static_cast<Index>(v);
      queue.assign(1, static_cast<Index>(v));
      for (std::size_t head = 0; head < queue.size(); ++head) {
        const std::size_t a = index(queue[head]);
        visit_row(a, [&](std::size_t b) {
          if (settled_[b] == 0 || owner_[b] != owner_[a] || index(parent_[b]) != nodes) return;
          parent_[b] = static_cast<Index>(a);
          ++children_[a];
          queue.push_back(static_cast<Index>(b));
        });
      }
    }
  }
  template <class F>
  void visit_row(std::size_t v, F&& f) const {
    for (std::size_t at = row_begin_[v]; at < row_begin_[v + 1]; ++at) f(index(rows_[at]));
  }

  /// Hang v below a settled neighbor in part `to`. False where there is none.
  bool hang(std::size_t v, std::size_t to) {
    const std::size_t nodes = owner_.size();
    std::size_t above = nodes;
    visit_row(v, [&](std::size_t u) {
      if (above == nodes && settled_[u] != 0 && index(owner_[u]) == to) above = u;
    });
    if (above == nodes) return false;
    if (const std::size_t old = index(parent_[v]); old != nodes) --children_[old];
    parent_[v] = static_cast<Index>(above);
    ++children_[above];
    return true;
  }

  struct step {
    std::size_t node, from, parent;
  };
  void undo(std::vector<step>& steps) {
    for (; !steps.empty(); steps.pop_back()) {
      const step& last = steps.back();
      --children_[index(parent_[last.node])];
      parent_[last.node] = static_cast<Index>(last.parent);
      if (last.parent != owner_.size())
        ++children_[last.parent];
      else
        settled_[last.node] = 0;
      move(last.node, last.from);
    }
  }

  /// Join what has no room, where leaves of the part that it joins can make room. Did any?
  template <graph G>
  bool swap_pieces(const G& g) {
    grow_forest(g);
    bool any = false;
    std::size_t budget = 64 * owner_.size();
    for (piece& one : pieces_) {
      if (one.settled) continue;
      if (budget == 0) break;
      std::vector<std::size_t> tried;
      for (int attempt = 0; attempt < 3 && !one.settled; ++attempt) {
        const std::size_t to = choose(nodes_of(one), [&](std::size_t p) {
          return std::find(tried.begin(), tried.end(), p) == tried.end();
        });
        if (to == table_.parts()) break;
        tried.push_back(to);
        one.settled = swap_into(one, to, budget);
      }
      any = any || one.settled;
    }
    return any;
  }

  bool swap_into(const piece& one, std::size_t to, std::size_t& budget) {
    const auto nodes = nodes_of(one);
    const std::size_t from = index(owner_[index(nodes.front())]);
    sum_loads(nodes);
    std::vector<step> steps;
    // The piece, from its edges to the part inwards.
    std::vector<std::size_t> queue;
    const auto enter = [&](std::size_t v) {
      if (settled_[v] != 0 || !hang(v, to)) return;
      move(v, to);
      settled_[v] = 1;
      steps.push_back({v, from, owner_.size()});
      queue.push_back(v);
    };
    const std::size_t mark = index(piece_of_[one.first]);
    for (const Index v : nodes) enter(index(v));
    for (std::size_t head = 0; head < queue.size(); ++head) {
      visit_row(queue[head], [&](std::size_t u) {
        if (index(piece_of_[u]) == mark) enter(u);
      });
    }
    const auto is_burden = [&](std::size_t v) {
      bool found = false;
      table_.loads().visit(v, [&](std::size_t row, std::uint64_t) {
        found = found || table_.load(row, to) > table_.cap(row);
      });
      return found;
    };
    const auto has_room = [&] {
      for (std::size_t row = 0; row < sums_.size(); ++row) {
        if (sums_[row] != 0 && table_.load(row, to) > table_.cap(row)) return false;
      }
      return true;
    };
    std::vector<std::pair<std::int64_t, std::size_t>> leaves;
    for (int pass = 0; pass < 64 && budget != 0 && !has_room(); ++pass) {
      leaves.clear();
      const auto& members = members_[to];
      budget -= std::min(budget, members.size());
      for (const Index member : members) {
        const std::size_t v = index(member);
        if (index(owner_[v]) != to || children_[v] != Index{0} || index(parent_[v]) == v ||
            !is_burden(v))
          continue;
        std::int64_t loss = 0;
        bool open = false;
        visit_row(v, [&](std::size_t u) {
          const bool stays = index(owner_[u]) == to;
          loss += stays ? 1 : -1;
          open = open || (!stays && settled_[u] != 0);
        });
        if (open) leaves.emplace_back(loss, v);
      }
      std::sort(leaves.begin(), leaves.end());
      bool moved = false;
      for (const auto& [loss, v] : leaves) {
        if (has_room()) break;
        if (index(owner_[v]) != to || children_[v] != Index{0} || !is_burden(v)) continue;
        const std::size_t next = most_edges(v, to);
        if (next == table_.parts()) continue;
        steps.push_back({v, to, index(parent_[v])});
        hang(v, next);
        move(v, next);
        moved = true;
      }
      if (!moved) break;
    }
    if (queue.size() == nodes.size() && has_room()) {
      for (const step& done : steps)
        members_[index(owner_[done.node])].push_back(static_cast<Index>(done.node));
      return true;
    }
    undo(steps);
    return false;
  }

  /// The part other than `own` with most edges from v to its settled nodes, of those with room.
  std::size_t most_edges(std::size_t v, std::size_t own) {
    visit_row(v, [&](std::size_t u) {
      const std::size_t p = index(owner_[u]);
      if (settled_[u] != 0 && p != own && count_[p]++ == 0) touched_.push_back(p);
    });
    std::size_t best = table_.parts();
    for (const std::size_t p : touched_) {
      if ((best == table_.parts() || count_[p] > count_[best] ||
           (count_[p] == count_[best] && p < best)) &&
          table_.fits(v, p))
        best = p;
    }
    for (const std::size_t p : touched_) count_[p] = 0;
    touched_.clear();
    return best;
  }

  std::span<Part> owner_;
  load_table& table_;
  std::vector<piece> pieces_{};
  std::vector<Index> piece_of_{}, loose_{}, place_{}, neighbors_{};
  std::vector<std::size_t> offsets_{};
  std::vector<std::uint8_t> settled_{};
  std::vector<std::size_t> count_, touched_{};  // by part
  std::vector<std::uint64_t> sums_;             // by row
  // For swap_pieces(): all neighbors, the forest, and nodes by part, some of which have left.
  std::vector<std::size_t> row_begin_{};
  std::vector<Index> rows_{}, parent_{}, children_{};
  std::vector<std::vector<Index>> members_{};
};

}  // namespace detail

}  // namespace halograph
