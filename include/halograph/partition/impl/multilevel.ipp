// SPDX-License-Identifier: BSL-1.0
/// @file multilevel.ipp
/// Bodies of the plain functions of partition/multilevel.hpp.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/fixed_nodes.hpp>
#include <halograph/partition/multilevel/k_way.hpp>
#include <halograph/partition/multilevel/k_way_memory.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Take the nodes without neighbors, fixed part and part in `from` out of a graph. @return the
/// nodes that are left; empty where all are
template <class Word>
std::vector<Word> drop_isolated(weighted_graph<Word>& g, std::span<const std::uint32_t> from,
                                executor_ref threads) {
  const std::size_t nodes = g.num_nodes();
  const auto stays = [&](std::size_t v) {
    return g.degree(v) != 0 || g.is_fixed(v) || (!from.empty() && from[v] != no_part);
  };
  std::size_t count = 0;
  for (std::size_t v = 0; v < nodes; ++v) count += stays(v) ? 1u : 0u;
  std::vector<Word> kept;
  if (count == nodes) return kept;
  std::vector<Word> place(nodes);
  kept.reserve(count);
  for (std::size_t v = 0; v < nodes; ++v) {
    if (stays(v)) {
      place[v] = static_cast<Word>(kept.size());
      kept.push_back(static_cast<Word>(v));
    }
  }
  const bool compressed = g.is_compressed();
  for (std::size_t i = 0; i < count; ++i) {
    if (!g.fixed.empty()) g.fixed[i] = g.fixed[index(kept[i])];
    if (!compressed) g.offsets[i + 1] = g.offsets[index(kept[i]) + 1];
  }
  if (!g.fixed.empty()) g.fixed.resize(count);
  if (compressed) {
    compress(g, kept, place, threads);
    return kept;
  }
  g.offsets.resize(count + 1);
  g.offsets.shrink_to_fit();
  constexpr std::size_t grain = std::size_t{1} << 14;
  threads.parallel_for(0, g.targets.size(), grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t e = first; e < last; ++e) g.targets[e] = place[index(g.targets[e])];
  });
  return kept;
}

/// Node types and masks, of which a node is in one at most, are stored as their numbers where they
/// are the first rows; of the other rows each node's load is stored.
/// @param kept  [n] the nodes of the loads that the graph has, or empty: all
template <class Word>
void set_loads(weighted_graph<Word>& g, const node_loads& loads, std::span<const Word> kept) {
  const std::size_t nodes = g.num_nodes(), rows = g.rows = loads.rows();
  const auto node = [&](std::size_t i) { return kept.empty() ? i : index(kept[i]); };
  // How many rows are classes: the row in which a node weighs other than 1, or something besides
  // an earlier row, is none, and neither are those after it.
  std::size_t classes = std::min<std::size_t>(rows, std::numeric_limits<std::uint16_t>::max() - 1);
  std::vector<std::uint64_t> sums(rows);
  for (std::size_t i = 0; i < nodes; ++i) {
    bool any = false;
    loads.visit(node(i), [&](std::size_t row, std::uint64_t load) {
      sums[row] += load;
      if (load != 1 || any) classes = std::min(classes, row);
      any = true;
    });
  }
  if (classes != 0) {
    g.class_rows = classes;
    g.classes.assign(nodes, static_cast<std::uint16_t>(classes));
  }
  const std::size_t others = rows - classes;
  if (others != 0) {
    g.loads.assign(nodes * others, std::all_of(sums.begin(), sums.end(), [](std::uint64_t sum) {
                     return sum <= 0xFFFFFFFFu;
                   }));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    loads.visit(node(i), [&](std::size_t row, std::uint64_t load) {
      if (row < classes)
        g.classes[i] = static_cast<std::uint16_t>(row);
      else
        g.loads.set(i * others + (row - classes), load);
    });
  }
}

/// Where there are at most as many nodes as parts: the parts that nodes keep, one node each as far
/// as fixed ones and the bound of moves allow.
/// @param fixed  [V], or empty
inline std::vector<std::uint32_t> thin_out(std::span<const std::uint32_t> fixed,
                                           const k_way_options& options) {
  std::vector<std::uint32_t> out(fixed.begin(), fixed.end());
  if (options.from.empty()) return out;
  out.resize(options.from.size(), no_part);
  std::set<std::uint32_t> taken(out.begin(), out.end());
  std::uint64_t may = options.max_moved;
  for (std::size_t v = 0; v < out.size(); ++v) {
    const std::uint32_t p = options.from[v];
    if (out[v] != no_part || p == no_part) continue;
    if (!taken.insert(p).second && may != 0)
      --may;
    else
      out[v] = p;
  }
  return out;
}

/// The limit of each part, where parts differ.
/// @return [K x rows]
inline std::vector<std::uint64_t> caps_of_parts(const node_loads& loads,
                                                std::span<const std::uint64_t> shares,
                                                std::uint32_t parts) {
  const std::size_t rows = loads.rows();
  std::vector<std::uint64_t> out(std::size_t{parts} * rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto weight = [&](std::size_t p) {
      return shares[shares.size() == parts ? p : p * rows + r];
    };
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < parts; ++p) sum += weight(p);
    const std::uint64_t total = loads.total(r).total;
    for (std::size_t p = 0; p < parts; ++p)
      out[p * rows + r] = part_limit(total, weight(p), sum, loads.tolerance(r));
  }
  return out;
}

/// Where nodes without neighbors go, where parts differ: to the part that is least full.
class unequal_parts {
 public:
  /// @param caps  [K x rows]
  unequal_parts(const node_loads& loads, std::span<const std::uint64_t> caps, std::uint32_t parts)
      : loads_(loads), caps_(caps), parts_(parts), held_(caps.size()), queues_(loads.rows()) {}

  void add(std::size_t v, std::uint32_t p) {
    loads_.visit(v, [&](std::size_t row, std::uint64_t load) { add(row, p, load); });
  }
  void add(std::size_t row, std::uint32_t p, std::uint64_t load) {
    held_[p * loads_.rows() + row] += load;
  }
  /// @complexity O(log K) where there is room, else O(K x rows)
  std::uint32_t place(std::size_t v) {
    std::size_t main = loads_.rows();
    loads_.visit(v, [&](std::size_t row, std::uint64_t) { main = std::min(main, row); });
    if (main == loads_.rows()) main = 0;
    auto& queue = queues_[main];
    if (queue.empty()) {
      for (std::uint32_t p = 0; p < parts_; ++p) queue.emplace(fullness(p, main), p);
    }
    for (std::uint64_t now; (now = fullness(queue.top().second, main)) != queue.top().first;) {
      const std::uint32_t p = queue.top().second;
      queue.pop();
      queue.emplace(now, p);
    }
    std::uint32_t best = queue.top().second;
    if (excess(v, best) == 0) return best;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t p = 0; p < parts_ && least != 0; ++p) {
      const std::uint64_t over = excess(v, p);
      if (over >= least) continue;
      least = over;
      best = p;
    }
    return best;
  }

 private:
  using entry = std::pair<std::uint64_t, std::uint32_t>;

  std::uint64_t fullness(std::uint32_t p, std::size_t row) const {
    const std::size_t i = p * loads_.rows() + row;
    return share_of(held_[i], caps_[i]);
  }
  /// By how much v would overfill p.
  std::uint64_t excess(std::size_t v, std::uint32_t p) const {
    std::uint64_t sum = 0;
    loads_.visit(v, [&](std::size_t row, std::uint64_t load) {
      const std::size_t i = p * loads_.rows() + row;
      if (const std::uint64_t all = held_[i] + load; all > caps_[i])
        sum = saturating_sum(sum, std::max<std::uint64_t>(1, share_of(all - caps_[i], caps_[i])));
    });
    return sum;
  }

  node_loads loads_;
  std::span<const std::uint64_t> caps_;
  std::uint32_t parts_;
  std::vector<std::uint64_t> held_;  // [K x rows]
  std::vector<std::priority_queue<entry, std::vector<entry>, std::greater<>>> queues_;  // by row
};

template <class Word>
status assign_k_way_words(weighted_graph<Word> g, const node_loads& loads,
                          const k_way_options& options, executor_ref threads,
                          std::vector<std::uint32_t>& owner) {
  const std::size_t nodes = g.num_nodes(), rows = loads.rows();
  const std::uint32_t parts = options.parts;
  if (!options.sizes.empty() && options.sizes.size() != nodes) return status::mismatch.at(nodes);
  for (std::size_t v = 0; v < options.sizes.size(); ++v) {
    if (options.sizes[v] < 0) return status::invalid_argument.at(v);
  }
  owner.clear();
  if (parts == 1 || nodes <= parts) owner.assign(nodes, 0);
  if (parts == 1) return status::ok;
  if (nodes <= parts) {
    spread_nodes(thin_out(g.fixed, options), parts, owner);
    return status::ok;
  }
  std::uint64_t weight = 0;
  for (const Word one : g.weights) {
    weight += one;
    if (weight > most_pair_weight) return status::overflow;
  }
  std::uint64_t sent = 0;
  for (std::size_t v = 0; v < options.sizes.size(); ++v) {
    sent = saturating_sum(
        sent, saturating_multiply(static_cast<std::uint64_t>(options.sizes[v]), g.degree(v)));
    if (sent > most_sent) return status::overflow.at(v);
  }

  const std::uint64_t given = g.memory_bytes();
  // Nodes without neighbors come last: they go where there is room.
  std::vector<std::uint64_t> memory(load_table::words(parts, rows)), caps(rows);
  load_table table;
  if (const status made = load_table::make(loads, parts, memory, table); !made) return made;
  for (std::size_t r = 0; r < rows; ++r) caps[r] = table.cap(r);
  if (!options.shares.empty()) caps = caps_of_parts(loads, options.shares, parts);
  unequal_parts unequal(loads, caps, parts);
  const std::vector<std::uint32_t> stays = g.fixed;
  const std::vector<Word> kept = drop_isolated(g, options.from, threads);
  if (options.compress && !g.offsets.empty()) compress(g, {}, {}, threads);
  if (!loads.weighs_one()) set_loads<Word>(g, loads, kept);
  std::vector<std::uint32_t> from;
  if (!options.from.empty()) {
    from.assign(options.from.begin(), options.from.end());
    for (std::size_t i = 0; i < kept.size(); ++i) from[i] = from[index(kept[i])];
    from.resize(g.num_nodes());
  }
  std::vector<std::int64_t> sizes;
  if (!options.sizes.empty()) {
    sizes.assign(options.sizes.begin(), options.sizes.end());
    for (std::size_t i = 0; i < kept.size(); ++i) sizes[i] = sizes[index(kept[i])];
    sizes.resize(g.num_nodes());
  }
  // The rows as they came beside those that are kept, or numbers of all nodes.
  const std::uint64_t prepared = g.is_compressed()
                                     ? given + 3 * g.memory_bytes()
                                     : given + 4 * sizeof(Word) * std::uint64_t{nodes};
  const auto tell_bytes = [&](std::uint64_t bytes, bool in_all) {
    (*options.on_bytes)(std::max(prepared, bytes) + sizeof(Word) * std::uint64_t{kept.size()},
                        in_all);
  };
  const function_ref<void(std::uint64_t, bool)> listener(tell_bytes);
  const bool tells = options.on_bytes != nullptr && options.from.empty() && stays.empty() &&
                     options.minimize == objective::cut;
  k_way_options of_kept = options;
  of_kept.on_bytes = tells ? &listener : nullptr;
  of_kept.from = from;
  of_kept.sizes = sizes;
  std::vector<std::uint32_t> part = k_way_partition<Word>(g, caps, of_kept, threads).run();
  const std::size_t found = part.size();
  const auto node = [&](std::size_t i) { return kept.empty() ? i : index(kept[i]); };
  const auto place_isolated = [&] {
    std::vector<std::uint64_t> held(std::size_t{parts} * rows);
    for (std::size_t i = 0; i < found; ++i) {
      const std::size_t v = node(i);
      loads.visit(
          v, [&](std::size_t row, std::uint64_t load) { held[owner[v] * rows + row] += load; });
    }
    for (std::uint32_t p = 0; p < parts; ++p) {
      for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t load = held[p * rows + row];
        options.shares.empty() ? table.add(row, p, load) : unequal.add(row, p, load);
      }
    }
    for (std::size_t v = 0, i = 0; v < nodes; ++v) {
      if (i < found && node(i) == v) {
        ++i;
      } else if (options.shares.empty()) {
        owner[v] = static_cast<std::uint32_t>(table.best_place(v));
        table.add(v, owner[v]);
      } else {
        owner[v] = unequal.place(v);
        unequal.add(v, owner[v]);
      }
    }
  };
  std::vector<Word> degrees;
  if (has_empty_part(std::span<const std::uint32_t>(part), parts)) {
    degrees.resize(nodes);
    for (std::size_t i = 0; i < found; ++i) degrees[node(i)] = static_cast<Word>(g.degree(i));
  }
  g = {};
  if (found == nodes) {
    owner = std::move(part);
  } else {
    owner.assign(nodes, 0);
    for (std::size_t i = 0; i < found; ++i) owner[node(i)] = part[i];
    place_isolated();
  }
  std::uint64_t moved = 0;
  for (std::size_t v = 0; v < options.from.size(); ++v)
    moved += options.from[v] != no_part && options.from[v] != owner[v] &&
             (stays.empty() || stays[v] == no_part);
  if (!degrees.empty())
    fill_empty_parts(std::span<const Word>(degrees), parts, stays, options.from,
                     options.max_moved - std::min(moved, options.max_moved),
                     std::span<std::uint32_t>(owner));
  return status::ok;
}

HALOGRAPH_INLINE status assign_k_way(weighted_graph<std::uint32_t> g, const node_loads& loads,
                                     const k_way_options& options, executor_ref threads,
                                     std::vector<std::uint32_t>& owner) {
  return assign_k_way_words(std::move(g), loads, options, threads, owner);
}
HALOGRAPH_INLINE status assign_k_way(weighted_graph<std::uint64_t> g, const node_loads& loads,
                                     const k_way_options& options, executor_ref threads,
                                     std::vector<std::uint32_t>& owner) {
  return assign_k_way_words(std::move(g), loads, options, threads, owner);
}

HALOGRAPH_INLINE status read_shares(std::span<const double> part_weights, std::uint64_t parts,
                                    std::size_t rows, std::vector<std::uint64_t>& out) {
  if (part_weights.empty()) return status::ok;
  const std::size_t count = part_weights.size();
  if (count != parts && (count % rows != 0 || count / rows != parts))
    return status::mismatch.at(parts);
  constexpr double most = 1048576;
  constexpr std::uint64_t most_sum = std::uint64_t{1} << 63;
  out.resize(count);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(part_weights[i] > 0) || part_weights[i] > most) return status::invalid_argument.at(i);
    out[i] = fixed_32(part_weights[i]);
    sum = saturating_sum(sum, out[i]);
    if (sum >= most_sum) return status::overflow.at(i);
  }
  if (std::all_of(out.begin(), out.end(), [&](std::uint64_t w) { return w == out[0]; }))
    out.clear();
  return status::ok;
}

HALOGRAPH_INLINE status sum_edge_weights(std::span<const std::int64_t> weights,
                                         std::uint64_t& total) {
  std::uint64_t sum = 0;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] < 1) return status::invalid_argument.at(e);
    sum = saturating_sum(sum, static_cast<std::uint64_t>(weights[e]));
    if (sum > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return status::overflow.at(e);
  }
  total = sum;
  return status::ok;
}

template <class Id>
bool names_none(Id part, std::uint64_t none) noexcept {
  if (std::cmp_equal(part, none)) return true;
  if constexpr (std::is_signed_v<Id>)
    return part < 0;
  else
    return part == std::numeric_limits<Id>::max();
}

HALOGRAPH_INLINE bool is_part_or_none(const any_id_row& row, std::size_t v, std::uint64_t parts,
                                      std::uint64_t none) noexcept {
  return row.visit(
      [&](auto ids) { return names_none(ids[v], none) || std::cmp_less(ids[v], parts); });
}

HALOGRAPH_INLINE status read_parts(const any_id_row& row, std::size_t nodes, std::uint64_t parts,
                                   std::uint64_t none, std::vector<std::uint32_t>& out) {
  if (row.size() == 0) return status::ok;
  if (row.size() != nodes) return status::mismatch.at(nodes);
  if (parts > none) return status::overflow.at(parts);
  out.resize(nodes);
  return row.visit([&](auto ids) -> status {
    for (std::size_t v = 0; v < nodes; ++v) {
      // A part of this number is one, even if its type has no larger number.
      if (!std::cmp_less(ids[v], 0) && std::cmp_less(ids[v], parts)) {
        out[v] = static_cast<std::uint32_t>(ids[v]);
      } else if (names_none(ids[v], none)) {
        out[v] = no_part;
      } else {
        return status::out_of_range.at(v);
      }
    }
    return status::ok;
  });
}

HALOGRAPH_INLINE std::vector<std::int64_t> lighter_edges(std::span<const std::int64_t> weights,
                                                         std::uint64_t total) {
  // Sums of gains need the bits that are free above most_pair_weight.
  std::vector<std::int64_t> out;
  if (total <= most_pair_weight / 2) return out;
  out.reserve(weights.size());
  for (const std::int64_t one : weights) out.push_back(std::max<std::int64_t>(1, one / 8));
  return out;
}

HALOGRAPH_INLINE std::string explain_part(std::string_view member, std::size_t v,
                                          const any_id_row& row, std::uint64_t parts) {
  const std::string part = row.visit([&](auto ids) { return std::to_string(ids[v]); });
  return std::string(member) + " names part " + part + " for node " + std::to_string(v) +
         "; parts are numbered 0 to " + std::to_string(parts - 1);
}

HALOGRAPH_INLINE std::string explain_owner(status answer, std::uint64_t parts) {
  const std::string at = std::to_string(answer.position);
  return "node " + at + " has a part that is not below " + std::to_string(parts) + ", or edge " +
         at + " has an endpoint that is not a node of the graph";
}

HALOGRAPH_INLINE std::string explain_multilevel(status answer, std::uint64_t parts,
                                                std::uint64_t part_capacity) {
  const std::string at = std::to_string(answer.position);
  switch (answer.code) {
    case error_kind::invalid_argument:
      if (parts == 0) return "the number of parts must be at least 1";
      return "loads, tolerances and node sizes must be 0 or more, edge weights 1 or more, and part weights above 0 and at most 2^20 (see node, edge or part " +
             at + ")";
    case error_kind::overflow:
      if (parts > part_capacity || parts >= 0xFFFFFFFFu)
        return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
      return "the loads of a constraint must sum to at most 2^63 - 1, edge weights to at most 2^63 - 1, part weights to less than 2^31, and node sizes times degrees to at most 2^51 (exceeded at node, edge or part " +
             at + ")";
    case error_kind::mismatch:
      return "constraints, parts and sizes must be given for each node, part weights for each part, and edge weights for each edge (" +
             at + ")";
    case error_kind::out_of_range:
      return "edge " + at + " has an endpoint that is not a node of the graph";
    default:
      return {};
  }
}

}  // namespace detail

HALOGRAPH_INLINE std::uint64_t multilevel_bytes(std::uint64_t nodes, std::uint64_t entries,
                                                std::uint64_t constraints, std::uint64_t parts,
                                                const multilevel_inputs& given) noexcept {
  const std::uint64_t rows = std::max<std::uint64_t>(1, constraints),
                      words = detail::saturating_sum(nodes, entries) < 0x7FFFFFFFu ? 1 : 2;
  // The graph, the coarser one at work, each entry with a weight, and the others, packed; copies of
  // the coarsest, which power-law and random graphs keep most of their entries in, if its nodes can
  // have as many, and of its halves and theirs. Of a node its numbers in the phases, and its loads
  // where they are not all 1. In further cycles nodes around a hub of another part are not joined.
  // Of a part its loads. What fixed nodes are joined in is a graph of its own. bench/README.md has
  // what was measured.
  const std::uint64_t coarsest = detail::coarsest_nodes(parts), per_coarsest = parts > 32 ? 6 : 4,
                      per_entry = (given.compress ? 9u : 16u) + (rows > 1 ? 2u : 0u) +
                                  (given.edge_weights ? 4u : 0u) + (given.fixed ? 14u : 0u) +
                                  (given.compress && given.volume ? 4u : 0u),
                      per_node = (rows > 1 ? detail::saturating(rows, 8) : 0) +
                                 (given.compress ? 56u : 40u) + (given.from ? 24u : 0u) +
                                 (given.fixed ? 48u : 0u) + (given.repeats ? 28u : 0u);
  const std::array<std::uint64_t, 4> all{
      saturating_multiply(entries, per_entry * words),
      saturating_multiply(std::min(entries, saturating_multiply(coarsest, coarsest)),
                          per_coarsest * words),
      saturating_multiply(nodes, saturating_multiply(per_node, words)),
      saturating_multiply(parts, saturating_multiply(rows, 4096))};
  std::uint64_t sum = std::uint64_t{1} << 20;
  for (const std::uint64_t one : all) sum = detail::saturating_sum(sum, one);
  return sum;
}

HALOGRAPH_INLINE std::uint64_t multilevel_first_bytes(std::uint64_t nodes, std::uint64_t edges,
                                                      std::uint64_t entries,
                                                      std::uint64_t constraints,
                                                      std::uint64_t parts, std::size_t threads,
                                                      const multilevel_inputs& given) noexcept {
  const std::uint64_t all = multilevel_bytes(nodes, entries, constraints, parts, given);
  if (given.compress || given.fixed || given.from || given.volume) return all;
  // The tables and lists of symmetrize_into() and its result; edge_slices() says how many tables.
  const std::uint64_t slices = std::clamp<std::uint64_t>(
                          std::min<std::uint64_t>(threads,
                                                  1 + edges / std::max<std::uint64_t>(nodes, 1)),
                          1, most_edge_slices),
                      weighs = given.edge_weights ? 2 : 1,
                      bytes = detail::counts_in_32_bits(nodes, edges) ? 4 : 8;
  std::uint64_t words = saturating_multiply(nodes, 2 * slices + 3);
  for (const std::uint64_t some : {edges, entries})
    words = detail::saturating_sum(words, saturating_multiply(some, weighs));
  return std::min(
      all, detail::saturating_sum(std::uint64_t{1} << 18, saturating_multiply(words, bytes)));
}

}  // namespace halograph
