// SPDX-License-Identifier: BSL-1.0
/// @file coarsest.hpp
/// Assign a graph that is spread over ranks, the first of the assignments that are refined: the
/// first rank partitions it whole, or, where it is too large for that, in the order of its nodes.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// What all ranks together hold of a level.
struct level_totals {
  std::uint64_t entries = 0;  // neighbors in all rows
  std::uint64_t weight = 0;   // of all entries
  bool has_weights = false;   // does any entry weigh other than 1?
  bool has_loads = false;     // does any node, or are there several loads?
};

/// The rows that a rank has of a level, as gather_graph() reads them: neighbors by their IDs.
template <communicator C>
class rows_of_level {
 public:
  rows_of_level(const multilevel_problem<C>& problem, const level_graph& g)
      : g_(g), first_(g.ranges[problem.rank]), rows_(problem.rows) {}

  std::span<const std::uint64_t> ranges() const noexcept { return g_.ranges; }
  std::size_t num_nodes() const noexcept { return g_.num_nodes(); }
  std::size_t num_entries() const noexcept { return g_.targets.size(); }
  std::size_t num_loads() const noexcept { return rows_ - 1; }
  bool has_weights() const noexcept { return !g_.weights.empty(); }
  std::uint64_t degree(std::size_t v) const noexcept { return g_.degree(v); }
  std::uint64_t load(std::size_t v, std::size_t r) const noexcept {
    return g_.loads[v * rows_ + r];
  }
  std::uint64_t neighbor(std::size_t e) const noexcept {
    const std::uint64_t u = g_.targets[e];
    return u < num_nodes() ? first_ + u
                           : g_.remote.nodes()[static_cast<std::size_t>(u) - num_nodes()];
  }
  std::uint64_t weight(std::size_t e) const noexcept { return has_weights() ? g_.weights[e] : 1; }

 private:
  const level_graph& g_;
  std::uint64_t first_;
  std::size_t rows_;
};

/// Collective.
template <communicator C, class Rows>
status sum_rows(const C& ranks, const Rows& rows, level_totals& out) {
  std::array<std::uint64_t, 4> sums{rows.num_entries(), 0, rows.has_weights() ? 1u : 0u,
                                    rows.num_loads() > 1 ? 1u : 0u};
  if (!rows.has_weights()) sums[1] = rows.num_entries();
  for (std::size_t e = 0; rows.has_weights() && e < rows.num_entries(); ++e)
    sums[1] += rows.weight(e);
  for (std::size_t v = 0; v < rows.num_nodes() && sums[3] == 0; ++v)
    sums[3] = rows.load(v, 0) != 1 ? 1 : 0;
  if (const status answer = ranks.sum(sums); !answer) return answer;
  out = {sums[0], sums[1], sums[2] != 0, sums[3] != 0};
  return status::ok;
}

/// Numbers of all ranks on the first one, in the order of ranks, a block at a time. Collective.
/// @param counts  [R] how many each rank has, the same everywhere
/// @param number  number(i): the i-th of this rank, asked for in order
/// @param all     out: a vector, on the first rank
template <communicator C, class Number, class Numbers>
status gather_on_first(const C& ranks, std::span<const std::uint64_t> counts, const Number& number,
                       Numbers& all) {
  using value = typename Numbers::value_type;
  constexpr std::uint64_t block = std::uint64_t{1} << 18;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  std::vector<std::uint64_t> out_bytes(counts.size()), in_bytes(counts.size());
  std::vector<value> sent;
  if (rank == 0) {
    all.resize(
        static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})));
    for (std::size_t i = 0; i < counts[0]; ++i) all[i] = static_cast<value>(number(i));
  }
  std::size_t at = static_cast<std::size_t>(counts[0]);
  for (std::size_t r = 1; r < counts.size(); ++r) {
    for (std::uint64_t begin = 0; begin < counts[r]; begin += block) {
      const auto count = static_cast<std::size_t>(std::min(block, counts[r] - begin));
      std::span<value> came;
      sent.clear();
      out_bytes[0] = in_bytes[r] = 0;
      if (rank == r) {
        for (std::size_t i = 0; i < count; ++i)
          sent.push_back(static_cast<value>(number(static_cast<std::size_t>(begin) + i)));
        out_bytes[0] = count * sizeof(value);
      } else if (rank == 0) {
        came = std::span(all).subspan(at, count);
        in_bytes[r] = count * sizeof(value);
      }
      if (const status answer = ranks.all_to_all(std::as_bytes(std::span<const value>(sent)),
                                                 out_bytes, std::as_writable_bytes(came), in_bytes);
          !answer)
        return answer;
      in_bytes[r] = 0;
      at += count;
    }
  }
  return status::ok;
}

/// Send all rows to the first rank. Collective.
/// @param part             [n] the part of each node of this rank, or empty on every rank
/// @param out, loads, from  out: on the first rank the whole graph, [rows][n] loads where it has
///     any, and the part of each node
template <class Word, communicator C, class Rows>
status gather_graph(const C& ranks, const Rows& rows, const level_totals& totals,
                    std::span<const std::uint64_t> part, weighted_graph<Word>& out,
                    std::vector<std::vector<std::int64_t>>& loads,
                    std::vector<std::uint32_t>& from) {
  std::vector<std::uint64_t> nodes(rows.ranges().size() - 1), entries;
  for (std::size_t r = 0; r < nodes.size(); ++r) nodes[r] = rows.ranges()[r + 1] - rows.ranges()[r];
  const std::array<std::uint64_t, 2> mine{rows.num_entries(), part.empty() ? 0u : 1u};
  std::vector<std::uint64_t> said;
  if (const status answer = gather_words(ranks, mine, said); !answer) return answer;
  bool has_parts = false;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    entries.push_back(said[2 * r]);
    has_parts = has_parts || said[2 * r + 1] != 0;
  }
  const auto gather = [&](std::span<const std::uint64_t> counts, const auto& number, auto& all) {
    return gather_on_first(ranks, counts, number, all);
  };
  const std::span<const std::uint64_t> of_nodes(nodes), of_entries(entries);
  std::vector<Word> degrees;
  if (const status answer = gather(
          of_nodes, [&](std::size_t v) { return rows.degree(v); }, degrees);
      !answer)
    return answer;
  if (ranks.rank() == 0) {
    out.offsets.resize(degrees.size() + 1);
    out.offsets[0] = 0;
    std::partial_sum(degrees.begin(), degrees.end(), out.offsets.begin() + 1);
  }
  degrees = std::vector<Word>();
  if (has_parts) {
    if (const status answer = gather(
            of_nodes, [&](std::size_t v) { return part[v]; }, from);
        !answer)
      return answer;
  }
  loads.resize(totals.has_loads ? rows.num_loads() : 0);
  for (std::size_t r = 0; r < loads.size(); ++r) {
    if (const status answer = gather(
            of_nodes, [&](std::size_t v) { return rows.load(v, r); }, loads[r]);
        !answer)
      return answer;
  }
  if (const status answer = gather(
          of_entries, [&](std::size_t e) { return rows.neighbor(e); }, out.targets);
      !answer)
    return answer;
  if (!totals.has_weights) return status::ok;
  return gather(of_entries, [&](std::size_t e) { return rows.weight(e); }, out.weights);
}

/// May the first rank hold the whole graph?
inline bool fits_first_rank(const multilevel_options& options, const level_totals& totals,
                            std::uint64_t nodes) noexcept {
  return std::max(totals.entries, nodes) <= options.coarsest_entries;
}

/// Partition the whole graph on the first rank. Collective.
/// @param owner  in: the part of each node of this rank, to be improved, or empty; out
template <class Word, communicator C, class Rows>
status assign_words_on_first_rank(const C& ranks, const multilevel_options& options,
                                  const Rows& rows, const level_totals& totals,
                                  std::vector<std::uint64_t>& owner) {
  weighted_graph<Word> whole;
  std::vector<std::vector<std::int64_t>> loads;
  std::vector<std::uint32_t> from;
  if (const status answer = gather_graph<Word>(ranks, rows, totals, owner, whole, loads, from);
      !answer)
    return answer;
  const std::span<const std::uint64_t> ranges = rows.ranges();
  std::vector<std::uint64_t> words, counts(ranges.size() - 1), in_counts;
  status mine = status::ok;
  if (ranks.rank() == 0) {
    std::vector<constraint> constraints;
    for (std::size_t r = 0; r < loads.size(); ++r)
      constraints.push_back(
          {{}, load_view(std::span<const std::int64_t>(loads[r])), options.tolerances[r]});
    node_loads of_nodes;
    mine = node_loads::make(ranges.back(), constraints, {}, options.tolerances[0], of_nodes);
    const auto tell_bytes = [&](std::uint64_t bytes, bool in_all) {
      (*options.on_bytes)(bytes + 8 * std::uint64_t{loads.size()} * ranges.back(), in_all);
    };
    const function_ref<void(std::uint64_t, bool)> listener(tell_bytes);
    std::vector<std::uint32_t> found;
    if (mine)
      mine = assign_k_way(std::move(whole), of_nodes,
                          {.parts = options.parts,
                           .seed = options.seed,
                           .effort = options.effort,
                           .from = from,
                           .on_bytes = options.on_bytes != nullptr ? &listener : nullptr},
                          executor_ref(), found);
    words.assign(found.begin(), found.end());
    for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = ranges[r + 1] - ranges[r];
  }
  if (const status all = agree(ranks, mine); !all) return all;
  return exchange_words(ranks, std::span<const std::uint64_t>(words),
                        std::span<const std::uint64_t>(counts), owner, in_counts);
}

/// The same, with numbers as wide as the graph needs. Collective.
template <communicator C, class Rows>
status assign_on_first_rank(const C& ranks, const multilevel_options& options, const Rows& rows,
                            const level_totals& totals, std::vector<std::uint64_t>& owner) {
  constexpr std::uint64_t most = 0xFFFFFFFFu;
  return totals.weight < most && totals.entries < most && rows.ranges().back() < most / 2
             ? assign_words_on_first_rank<std::uint32_t>(ranks, options, rows, totals, owner)
             : assign_words_on_first_rank<std::uint64_t>(ranks, options, rows, totals, owner);
}

/// Assign nodes in the order of their IDs, or of their degrees and then their IDs, so that each
/// part gets an even share of the loads. The first follows a numbering with locality (of a crawl,
/// of a road map), the second keeps the core of a graph together. Collective.
template <communicator C>
status assign_in_stripes(const multilevel_problem<C>& problem, const level_graph& g, bool by_degree,
                         std::vector<std::uint64_t>& owner) {
  const auto main_row = [&](std::size_t v) {
    std::size_t r = 0;
    while (r + 1 < problem.rows && g.loads[v * problem.rows + r] == 0) ++r;
    return r;
  };
  // Degrees below 16 are a class each, above them eighths of powers of two; the largest first.
  constexpr std::size_t most = 512;
  const std::size_t count = by_degree ? most : 1;
  const auto class_of_node = [&](std::size_t v) {
    if (!by_degree) return std::size_t{0};
    const std::uint64_t degree = g.degree(v);
    const auto width = static_cast<unsigned>(std::bit_width(degree));
    const auto steep = degree < 16 ? static_cast<std::size_t>(degree)
                                   : (width - 3) * std::size_t{8} +
                                         static_cast<std::size_t>(degree >> (width - 4));
    return most - 1 - std::min(steep, most - 1);
  };
  std::vector<std::uint64_t> mine(count * problem.rows), all, total(problem.rows),
      before(count * problem.rows);
  for (std::size_t v = 0; v < g.num_nodes(); ++v)
    mine[class_of_node(v) * problem.rows + main_row(v)] += g.loads[v * problem.rows + main_row(v)];
  if (const status answer = gather_words(problem.ranks, std::span<const std::uint64_t>(mine), all);
      !answer)
    return answer;
  for (std::size_t i = 0; i < count * problem.rows; ++i) {
    before[i] = total[i % problem.rows];
    for (std::size_t r = 0; r < problem.size; ++r) {
      total[i % problem.rows] += all[r * count * problem.rows + i];
      if (r < problem.rank) before[i] += all[r * count * problem.rows + i];
    }
  }
  owner.resize(g.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v) {
    const std::size_t r = main_row(v);
    auto& passed = before[class_of_node(v) * problem.rows + r];
    owner[v] = std::min<std::uint64_t>(
        problem.options.parts - 1,
        multiply_divide(passed, problem.options.parts, std::max<std::uint64_t>(1, total[r])));
    passed += g.loads[v * problem.rows + r];
  }
  return status::ok;
}

/// Assign the coarsest graph, by its numbering where it is too large for one rank. Collective.
/// @param whole  may the first rank hold it?
/// @param owner  in: the part of each node of this rank, to be improved, or empty; out
template <communicator C>
status assign_coarsest(const multilevel_problem<C>& problem, const level_graph& g,
                       const level_totals& totals, bool whole, std::vector<std::uint64_t>& owner) {
  if (!whole) return assign_in_stripes(problem, g, false, owner);
  return assign_on_first_rank(problem.ranks, problem.options, rows_of_level<C>(problem, g), totals,
                              owner);
}

}  // namespace halograph::detail
