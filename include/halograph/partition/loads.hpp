// SPDX-License-Identifier: BSL-1.0
/// @file loads.hpp
/// Loads of nodes and parts, for partitioners that place or move one node at a time.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace halograph {

/// What each node weighs, in one or several *rows*, each to be balanced on its own: a row for each
/// constraint where there are constraints; else one for each node type, in which its nodes weigh 1;
/// else one in which every node does.
class node_loads {
 public:
  constexpr node_loads() = default;

  /// @param nodes         V
  /// @param constraints   loads [V] each, or none
  /// @param types         [T+1] first node of each type as stream_shape's, or empty: one type
  /// @param tolerance     of rows that are not constraints
  /// @errors mismatch at V: a load or the offsets are not of V nodes; invalid_argument at v: node
  ///     v's load is negative; invalid_argument: a tolerance is negative or NaN; overflow: a
  ///     load's sum exceeds 63 bits
  /// @complexity O(constraints x V + T)
  static constexpr status make(std::uint64_t nodes, std::span<const constraint> constraints,
                               std::span<const std::uint64_t> types, double tolerance,
                               node_loads& out) {
    out = {};
    out.nodes_ = nodes;
    if (!(tolerance >= 0)) return status::invalid_argument;
    out.tolerance_ = tolerance;
    for (const constraint& one : constraints) {
      if (one.load.size() != nodes) return status::mismatch.at(nodes);
      if (!(one.tolerance >= 0)) return status::invalid_argument;
      std::uint64_t total = 0;
      for (std::size_t v = one.load.first(); v < one.load.last(); ++v) {
        const std::int64_t weight = one.load[v];
        if (weight < 0) return status::invalid_argument.at(v);
        total += static_cast<std::uint64_t>(weight);
        if (total > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          return status::overflow.at(v);
      }
    }
    out.constraints_ = constraints;
    if (constraints.empty() && !types.empty()) {
      if (types.front() != 0 || types.back() != nodes ||
          !std::is_sorted(types.begin(), types.end())) {
        return status::mismatch.at(nodes);
      }
      out.types_ = types;
    }
    return status::ok;
  }

  /// Rows of so many constraints and entries of `types`; at least 1.
  static constexpr std::size_t rows(std::size_t constraints, std::size_t types) noexcept {
    return constraints != 0 ? constraints : types > 1 ? types - 1 : 1;
  }
  /// Of these loads.
  constexpr std::size_t rows() const noexcept { return rows(constraints_.size(), types_.size()); }

  /// Is there one row, in which every node weighs 1?
  constexpr bool weighs_one() const noexcept { return constraints_.empty() && types_.size() <= 2; }

  /// f(row, weight) for every row in which node v weighs something. @pre v < V @complexity O(rows)
  /// or O(log T)
  template <class F>
  constexpr void visit(std::size_t v, F&& f) const {
    if (!constraints_.empty()) {
      for (std::size_t row = 0; row < constraints_.size(); ++row) {
        if (const std::int64_t weight = constraints_[row].load[v]; weight != 0)
          f(row, static_cast<std::uint64_t>(weight));
      }
    } else if (types_.size() > 2) {
      f(range_of(types_, std::uint64_t{v}), std::uint64_t{1});
    } else {
      f(std::size_t{0}, std::uint64_t{1});
    }
  }

  /// The sum of a row.
  struct sum {
    std::uint64_t total = 0;  ///< of all weights
    std::uint64_t nodes = 0;  ///< that weigh something
  };
  /// The sum of a row. @pre row < rows() @complexity O(V) for a constraint, else O(1)
  constexpr sum total(std::size_t row) const noexcept {
    if (constraints_.empty()) {
      const std::uint64_t count = types_.size() > 2 ? types_[row + 1] - types_[row] : nodes_;
      return {count, count};
    }
    sum out;
    const load_view& load = constraints_[row].load;
    for (std::size_t v = load.first(); v < load.last(); ++v) {
      const std::int64_t weight = load[v];
      out.total += static_cast<std::uint64_t>(weight);
      out.nodes += weight != 0 ? 1 : 0;
    }
    return out;
  }

  /// Of a row.
  constexpr double tolerance(std::size_t row) const noexcept {
    return constraints_.empty() ? tolerance_ : constraints_[row].tolerance;
  }

  /// The limit of a part: part_limit(), which a heavy node does not raise. @pre parts > 0
  constexpr std::uint64_t cap(std::size_t row, std::uint64_t total,
                              std::uint64_t parts) const noexcept {
    return part_limit(total, 1, parts, tolerance(row));
  }

 private:
  std::uint64_t nodes_ = 0;
  double tolerance_ = 0;
  std::span<const constraint> constraints_{};
  std::span<const std::uint64_t> types_{};
};

/// The load and limit of each part in each row, and the lightest part. In the caller's memory.
class load_table {
 public:
  /// Words of memory: of each row its total, its cap and its parts' loads, and a tree of the
  /// lightest.
  static constexpr std::size_t words(std::uint64_t parts, std::size_t rows) noexcept {
    const std::uint64_t needed = saturating_multiply(
        detail::saturating_sum(saturating_multiply(parts, 3), 3), rows);
    return index(needed);
  }

  constexpr load_table() = default;

  /// Start with empty parts. @param memory [words(parts, loads.rows())] @errors capacity
  static constexpr status make(const node_loads& loads, std::uint64_t parts,
                               std::span<std::uint64_t> memory, load_table& out) {
    const std::size_t rows = loads.rows(), needed = words(parts, rows);
    if (memory.size() < needed) return status::capacity.at(needed);
    out.loads_ = loads;
    out.parts_ = static_cast<std::size_t>(parts);
    out.memory_ = memory.first(needed);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto words = out.row(row);
      const auto sum = loads.total(row);
      words[0] = sum.total;
      words[1] = sum.nodes;
      words[2] = loads.cap(row, sum.total, parts);
      for (std::size_t p = 0; p < out.parts_; ++p) {
        words[3 + p] = 0;
        words[3 + out.parts_ + out.parts_ + p] =
            p;  // leaves: positions parts .. 2 x parts - 1 of the tree
      }
      for (std::size_t node = out.parts_; node-- > 1;) out.settle(row, node);
    }
    return status::ok;
  }

  constexpr const node_loads& loads() const noexcept { return loads_; }  ///< what nodes weigh
  constexpr std::size_t parts() const noexcept { return parts_; }        ///< K
  /// Loads that are balanced, at least 1.
  constexpr std::size_t rows() const noexcept { return loads_.rows(); }
  /// Of all nodes.
  constexpr std::uint64_t total(std::size_t row) const noexcept { return this->row(row)[0]; }
  /// How many nodes weigh something in the row.
  constexpr std::uint64_t nodes(std::size_t row) const noexcept { return this->row(row)[1]; }
  /// Of one part.
  constexpr std::uint64_t cap(std::size_t row) const noexcept { return this->row(row)[2]; }
  /// What part `part` holds in the row by now.
  constexpr std::uint64_t load(std::size_t row, std::size_t part) const noexcept {
    return this->row(row)[3 + part];
  }
  /// The part that holds least in the row; of equal ones the lowest. @complexity O(1)
  constexpr std::size_t lightest(std::size_t row) const noexcept {
    return parts_ == 1 ? 0 : static_cast<std::size_t>(tree(row)[1]);
  }

  /// The first row in which v weighs something; 0 where there is none.
  constexpr std::size_t main_row(std::size_t v) const {
    std::size_t found = rows();
    loads_.visit(v, [&](std::size_t row, std::uint64_t) { found = std::min(found, row); });
    return found == rows() ? 0 : found;
  }

  /// Would every row of part p stay within its cap if v were added?
  constexpr bool fits(std::size_t v, std::size_t p) const {
    bool all = true;
    loads_.visit(v, [&](std::size_t row, std::uint64_t weight) {
      const std::uint64_t most = cap(row);
      if (weight > most || load(row, p) > most - weight) all = false;
    });
    return all;
  }

  /// @complexity O(log K) for each row in which v weighs something
  constexpr void add(std::size_t v, std::size_t p) {
    loads_.visit(v, [&](std::size_t row, std::uint64_t weight) { add(row, p, weight); });
  }
  /// The same for nodes that weigh so much in a row. @complexity O(log K)
  constexpr void add(std::size_t row, std::size_t p, std::uint64_t weight) {
    set(row, p, load(row, p) + weight);
  }
  /// Undoes add(). @pre v was added to p
  constexpr void remove(std::size_t v, std::size_t p) {
    loads_.visit(
        v, [&](std::size_t row, std::uint64_t weight) { set(row, p, load(row, p) - weight); });
  }

  /// Of all parts, the one in which v would least exceed its caps: by the largest ratio of load to
  /// cap, then by the load in v's main row, then the lowest. @complexity O(K x rows)
  constexpr std::size_t least_bad(std::size_t v) const {
    const std::size_t main = main_row(v);
    std::size_t best = 0;
    std::uint64_t best_ratio = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t p = 0; p < parts_; ++p) {
      std::uint64_t ratio = 0;
      loads_.visit(v, [&](std::size_t row, std::uint64_t weight) {
        ratio = std::max(ratio, multiply_divide(load(row, p) + weight, std::uint64_t{1} << 20,
                                                std::max<std::uint64_t>(1, cap(row))));
      });
      if (ratio < best_ratio || (ratio == best_ratio && load(main, p) < load(main, best))) {
        best = p;
        best_ratio = ratio;
      }
    }
    return best;
  }

  /// A part for v, whatever its neighbors: the lightest in its main row, or least_bad() if v does
  /// not fit there. @complexity O(rows), or that of least_bad()
  constexpr std::size_t best_place(std::size_t v) const {
    const std::size_t to = lightest(main_row(v));
    return fits(v, to) ? to : least_bad(v);
  }

  /// Does a part exceed its limit in any row?
  constexpr bool overfull(std::size_t p) const noexcept {
    for (std::size_t row = 0; row < rows(); ++row) {
      if (load(row, p) > cap(row)) return true;
    }
    return false;
  }

 private:
  constexpr std::size_t stride() const noexcept { return 3 * parts_ + 3; }
  constexpr std::span<std::uint64_t> row(std::size_t row) const noexcept {
    return memory_.subspan(row * stride(), stride());
  }
  constexpr std::span<std::uint64_t> tree(std::size_t row) const noexcept {
    return this->row(row).subspan(3 + parts_);
  }

  constexpr void set(std::size_t row, std::size_t p, std::uint64_t load) {
    this->row(row)[3 + p] = load;
    for (std::size_t node = (p + parts_) / 2; node > 0; node /= 2) settle(row, node);
  }
  /// The lighter of two; of equal ones the lower.
  constexpr void settle(std::size_t row, std::size_t node) {
    const auto words = tree(row);
    const auto a = static_cast<std::size_t>(words[2 * node]),
               b = static_cast<std::size_t>(words[2 * node + 1]);
    const std::uint64_t load_a = load(row, a), load_b = load(row, b);
    words[node] = load_a < load_b || (load_a == load_b && a < b) ? a : b;
  }

  node_loads loads_{};
  std::size_t parts_ = 0;
  std::span<std::uint64_t> memory_{};
};

}  // namespace halograph
