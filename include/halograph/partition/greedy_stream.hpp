// SPDX-License-Identifier: BSL-1.0
/// @file greedy_stream.hpp
/// The common part of LDG and Fennel: score each part by its neighbors and its load, take the best.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Places each node where its score is best among the parts that have room for it: parts with
/// neighbors of it, and the lightest. Ties go to the part that is lighter (in the first row in
/// which the node weighs something), then to the lowest. Where no part has room, the one whose caps
/// are exceeded least takes it.
///
/// @tparam Rule the score, in integers:
///   `uint64_t burden(const load_table&, row, part) const`: kept for each row and part, renewed
///   when a load changes; `uint64_t weigh(const load_table&, row, weight, burden) const`: what the
///   burden means to a node of a weight; the largest over its rows counts; `int64_t score(uint64_t
///   neighbors, uint64_t weighed) const`: more is better; falls as the burden rises.
template <unsigned_id Part, class Rule>
class greedy_stream {
 public:
  /// The owner of nodes that have not arrived; no part has this number.
  static constexpr Part no_part = std::numeric_limits<Part>::max();

  /// Words of memory. @complexity O(1)
  static constexpr std::size_t words(std::uint64_t parts, std::size_t rows) noexcept {
    const std::uint64_t needed = saturating_multiply(parts, std::uint64_t{rows} + 2);
    return index(detail::saturating_sum(needed, load_table::words(parts, rows)));
  }

  /// @param owner   [V] out: all no_part
  /// @param memory  [words(parts, loads.rows())]
  /// @errors invalid_argument: 0 parts; overflow at parts: Part cannot name them and no_part;
  ///     capacity
  static constexpr status begin(const Rule& rule, const node_loads& loads, std::uint64_t parts,
                                std::span<Part> owner, std::span<std::uint64_t> memory,
                                greedy_stream& out) {
    if (parts == 0) return status::invalid_argument;
    if (parts > no_part) return status::overflow.at(parts);
    const std::size_t needed = words(parts, loads.rows()),
                      table = load_table::words(parts, loads.rows());
    if (memory.size() < needed) return status::capacity.at(needed);
    out.rule_ = rule;
    out.owner_ = owner;
    out.cut_ = 0;
    if (const status made = load_table::make(loads, parts, memory.first(table), out.table_); !made)
      return made;
    const auto k = static_cast<std::size_t>(parts);
    out.count_ = memory.subspan(table, k);
    out.touched_ = memory.subspan(table + k, k);
    out.burden_ = memory.subspan(table + 2 * k, loads.rows() * k);
    std::fill(owner.begin(), owner.end(), no_part);
    std::fill(out.count_.begin(), out.count_.end(), std::uint64_t{0});
    for (std::size_t row = 0; row < loads.rows(); ++row) {
      for (std::size_t p = 0; p < k; ++p)
        out.burden_[row * k + p] = rule.burden(out.table_, row, p);
    }
    return status::ok;
  }

  /// Place v. @param neighbors  calls f(u) for each; those that have not arrived, and v itself,
  /// count for nothing
  /// @errors out_of_range at v: v or a neighbor of it is not a node; invalid_argument at v: it was
  ///     pushed before
  /// @complexity O(neighbors + rows x (parts among them + log K)); where no part has room O(rows x
  ///     K)
  template <class Neighbors>
  constexpr status push(std::uint64_t v, const Neighbors& neighbors) {
    if (v >= owner_.size()) return status::out_of_range.at(v);
    const auto node = static_cast<std::size_t>(v);
    if (owner_[node] != no_part) return status::invalid_argument.at(v);
    std::size_t touched = 0;
    std::uint64_t named = 0;
    bool bad_neighbor = false;
    neighbors([&](auto u) {
      const std::size_t i = index(u);
      if (i >= owner_.size()) {
        bad_neighbor = true;
        return;
      }
      if (owner_[i] == no_part) return;
      const auto p = static_cast<std::size_t>(owner_[i]);
      if (count_[p]++ == 0) touched_[touched++] = p;
      ++named;
    });
    if (!bad_neighbor) {
      place(node, touched);
      cut_ += named - count_[static_cast<std::size_t>(owner_[node])];
    }
    for (std::size_t i = 0; i < touched; ++i) count_[static_cast<std::size_t>(touched_[i])] = 0;
    return bad_neighbor ? status::out_of_range.at(v) : status::ok;
  }

  /// Let the processor load the parts of nodes that push() will visit soon. @param soon  any IDs
  void fetch(std::span<const std::uint64_t> soon) const noexcept {
    for (const std::uint64_t u : soon) {
      if (u < owner_.size()) __builtin_prefetch(owner_.data() + u);
    }
    asm volatile("");  // GCC leaves out calls of functions that do nothing else
  }

  /// The loads of the parts.
  constexpr const load_table& loads() const noexcept { return table_; }
  /// Edges between parts.
  constexpr std::uint64_t cut() const noexcept { return cut_; }

 private:
  constexpr void place(std::size_t v, std::size_t touched) {
    const std::size_t main = table_.main_row(v), k = table_.parts();
    std::size_t best = k;
    std::int64_t best_score = 0;
    const auto consider = [&](std::size_t p) {
      if (!table_.fits(v, p)) return;
      std::uint64_t weighed = 0;
      table_.loads().visit(v, [&](std::size_t row, std::uint64_t weight) {
        weighed = std::max(weighed, rule_.weigh(table_, row, weight, burden_[row * k + p]));
      });
      const std::int64_t score = rule_.score(count_[p], weighed);
      if (best != k) {
        const std::uint64_t load = table_.load(main, p), best_load = table_.load(main, best);
        if (score < best_score ||
            (score == best_score && (load > best_load || (load == best_load && p >= best))))
          return;
      }
      best = p;
      best_score = score;
    };
    consider(table_.lightest(main));
    for (std::size_t i = 0; i < touched; ++i) consider(static_cast<std::size_t>(touched_[i]));
    if (best == k) best = table_.least_bad(v);
    owner_[v] = static_cast<Part>(best);
    table_.add(v, best);
    table_.loads().visit(v, [&](std::size_t row, std::uint64_t) {
      burden_[row * k + best] = rule_.burden(table_, row, best);
    });
  }

  Rule rule_{};
  std::span<Part> owner_{};
  load_table table_{};
  std::span<std::uint64_t> count_{};
  std::span<std::uint64_t> touched_{};
  std::span<std::uint64_t> burden_{};
  std::uint64_t cut_ = 0;
};

/// The sentence for a status of a policy that streams greedily, or "".
template <unsigned_id Part>
std::string explain_greedy_stream(status answer, std::uint64_t parts) {
  const std::string at = std::to_string(answer.position);
  if (answer == status::overflow && answer.position == parts) {
    return at +
           " parts do not fit the partitioner's part type, which also has to mark nodes without a part; there may be at most " +
           std::to_string(std::numeric_limits<Part>::max());
  }
  if (answer == status::overflow)
    return "the loads of a constraint must sum to at most 2^63 - 1; they exceed it at node " + at;
  if (answer == status::out_of_range)
    return "an edge of the graph has an endpoint that is not a node, at " + at;
  if (answer == status::mismatch)
    return "every constraint needs one load for each of the " + at + " nodes";
  if (answer == status::invalid_argument && parts != 0)
    return "loads must be 0 or more (see node " + at + "), and tolerances must be 0 or more";
  if (answer == status::capacity) return "the memory must hold at least " + at + " words";
  return {};
}

/// The policy of a rule: one pass over the nodes, each assigned at once and for good. A neighbor
/// counts once for each edge, in either direction; loops count for nothing. Without constraints
/// each node type of a typed_graph is balanced on its own (`balance_types`). `parts` must be below
/// the largest Part. LDG (ldg.hpp) and Fennel (fennel.hpp) are its rules.
///
/// Decisions are made in integers. Every row of loads stays within its cap, (1 + tolerance) x mean,
/// while nodes weigh 1 in one row, as they do without constraints; with weights, as far as the last
/// nodes leave it possible.
/// @tparam Rule  as of greedy_stream, with a `name` and `static Rule of(const stream_shape&)`
/// @complexity O(V log K + E) time; stream: O(rows x K) words; assign: rows of neighbors besides
///     (streaming_scratch_size)
/// @repeatable yes, on every machine and for every storage of the same edges
template <unsigned_id Part, class Rule>
struct greedy_partitioner {
  using part = Part;                                    ///< see partitioner
  using stream = greedy_stream<Part, Rule>;             ///< see streaming_partitioner
  static constexpr std::string_view name = Rule::name;  ///< see named_policy

  std::uint64_t parts = 1;                    ///< how many parts to make
  double tolerance = default_tolerance;       ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};  ///< what to balance
  bool balance_types = true;  ///< without constraints: balance each node type on its own
  stream_order order = stream_order::natural;  ///< in which assign pushes the nodes
  std::uint64_t seed = 0;                      ///< of the order, where it is shuffled

  /// Words of memory of a stream. @complexity O(1)
  constexpr std::size_t stream_scratch_size(const stream_shape& shape) const noexcept {
    return stream::words(
        parts,
        node_loads::rows(constraints.size(), balance_types ? shape.node_type_offsets.size() : 0));
  }

  /// @param owner   [V] out: of nodes that have not arrived stream::no_part
  /// @param memory  [stream_scratch_size(shape)]
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow: Part cannot name
  ///     parts + 1 values, or a constraint's loads sum to 2^63; mismatch at V: owner or a
  ///     constraint is not [V]; capacity
  constexpr status begin(const stream_shape& shape, std::span<part> owner,
                         std::span<std::uint64_t> memory, stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    node_loads loads;
    const auto types = balance_types ? shape.node_type_offsets : std::span<const std::uint64_t>();
    if (const status made = node_loads::make(shape.nodes, constraints, types, tolerance, loads);
        !made)
      return made;
    return stream::begin(Rule::of(shape), loads, parts, owner, memory, out);
  }

  /// Words of memory that assign needs for g. @complexity that of num_edges(g)
  template <graph G>
  constexpr std::size_t assign_scratch_size(const G& g) const {
    return streaming_scratch_size<G>(*this, shape_of(g));
  }

  /// @param context  its memory is used where it has some
  /// @errors those of begin; out_of_range: an edge endpoint is not a node; memory
  template <graph G, class Context>
  constexpr status assign(const G& g, std::span<part> owner, const Context& context) const {
    if constexpr (Context::has_memory) {
      return assign_by_streaming(*this, g, shape_of(g), owner, context.memory());
    } else {
      if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
      std::vector<std::uint64_t> memory(assign_scratch_size(g));
      return assign(g, owner, context.in(memory));
    }
  }
  /// The same on the caller's thread, in memory of its own.
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    return assign(g, owner, assign_context());
  }

  /// The sentence for a status of assign or begin.
  std::string explain(status answer) const { return explain_greedy_stream<Part>(answer, parts); }
};

}  // namespace halograph
