// SPDX-License-Identifier: BSL-1.0
/// @file new_nodes.ipp
/// Bodies of the plain functions of partition/placement/new_nodes.hpp.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/k_way.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Places the new nodes of a scan, of which all entries are there, sorted, each once.
class new_node_placer {
 public:
  using part = new_node_scan::part;
  static constexpr part no_part = new_node_scan::no_part;

  new_node_placer(const std::vector<new_node_scan::entry>& entries, std::span<part> owner,
                  load_table& table)
      : entries_(entries), owner_(owner), table_(table), sums_(table.parts()) {
    sizes_.resize(table.parts());
    for (std::size_t v = 0; v < owner.size(); ++v) {
      if (owner[v] == no_part) {
        fresh_.push_back(v);
      } else {
        table_.add(v, owner[v]);
        ++sizes_[owner[v]];
      }
    }
    first_.reserve(fresh_.size() + 1);
    std::size_t at = 0;
    for (const std::uint64_t v : fresh_) {
      first_.push_back(at);
      while (at < entries.size() && entries[at].node == v) ++at;
    }
    first_.push_back(at);
    queued_.resize(fresh_.size());
  }

  /// @param improve  run the multilevel partitioner on the graph of new nodes
  void run(bool improve) {
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      const auto row = neighbors(i);
      if (std::any_of(row.begin(), row.end(),
                      [&](const auto& one) { return owner_[one.neighbor] != no_part; }))
        enqueue(i);
    }
    place_queued();
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (queued_[i] || neighbors(i).empty()) continue;
      enqueue(i);
      place_queued();
    }
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (!queued_[i]) place(i);
    }
    refine();
    if (improve) this->improve();
    fill_empty_parts();
  }

 private:
  std::span<const new_node_scan::entry> neighbors(std::size_t i) const {
    return std::span(entries_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  void enqueue(std::size_t i) {
    queued_[i] = 1;
    queue_.push_back(i);
  }
  void place_queued() {
    for (; next_ < queue_.size(); ++next_) {
      const std::size_t i = queue_[next_];
      place(i);
      for (const auto& one : neighbors(i)) {
        if (owner_[one.neighbor] != no_part) continue;
        const auto j = static_cast<std::size_t>(
            std::lower_bound(fresh_.begin(), fresh_.end(), one.neighbor) - fresh_.begin());
        if (!queued_[j]) enqueue(j);
      }
    }
  }

  /// The part with room that holds most of the neighbors' weight; of equal ones the lighter, then
  /// the lower. K: none of those that hold a neighbor has room.
  struct choice {
    std::size_t part = 0;
    std::int64_t there = 0, own = 0;  // weight of neighbors in that part, and in the node's own
  };
  choice choose(std::size_t i) {
    const std::size_t v = node(i), own = owner_[v] == no_part ? table_.parts() : owner_[v],
                      main = table_.main_row(v);
    sums_.collect([&](const auto& add) {
      for (const auto& one : neighbors(i)) {
        if (const part p = owner_[one.neighbor]; p != no_part)
          add(p, static_cast<std::int64_t>(one.weight));
      }
    });
    choice best{table_.parts(), 0, own == table_.parts() ? 0 : sums_[static_cast<part>(own)]};
    for (const part p : sums_.touched()) {
      if (p == own || sums_[p] < best.there || !table_.fits(v, p)) continue;
      if (best.part != table_.parts() && sums_[p] == best.there) {
        const std::uint64_t load = table_.load(main, p), held = table_.load(main, best.part);
        if (load > held || (load == held && p > best.part)) continue;
      }
      best.part = p;
      best.there = sums_[p];
    }
    return best;
  }
  void place(std::size_t i) {
    const std::size_t v = node(i);
    const std::size_t to = choose(i).part;
    put(v, to == table_.parts() ? table_.best_place(v) : to);
  }
  void put(std::size_t v, std::size_t to) {
    owner_[v] = static_cast<part>(to);
    table_.add(v, to);
    ++sizes_[to];
  }
  void move(std::size_t v, std::size_t to) {
    table_.remove(v, owner_[v]);
    --sizes_[owner_[v]];
    put(v, to);
  }

  /// Each move lowers the cut, so that this ends; the bound keeps it linear.
  void refine() {
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
      bool moved = false;
      for (std::size_t i = 0; i < fresh_.size(); ++i) {
        const choice found = choose(i);
        if (found.part == table_.parts() || found.there <= found.own ||
            sizes_[owner_[node(i)]] == 1)
          continue;
        move(node(i), found.part);
        moved = true;
      }
      if (!moved) return;
    }
  }

  /// Cut the graph of new nodes, where old ones are one fixed node for each part.
  void improve() {
    std::uint64_t weight = 0;
    for (const auto& one : entries_)
      weight = saturating_sum(weight, saturating_multiply(2, one.weight));
    if (entries_.empty() || table_.parts() == 1 || weight > most_pair_weight) return;
    const std::uint64_t most = saturating_sum(2 * entries_.size(), fresh_.size() + table_.parts());
    most < 0x7FFFFFFFu && weight < 0x7FFFFFFFu ? improve_with<std::uint32_t>()
                                               : improve_with<std::uint64_t>();
  }
  template <class Word>
  void improve_with() {
    const std::size_t count = fresh_.size(), parts = table_.parts(), rows = table_.rows();
    // Old nodes of each part, where it has some.
    std::vector<std::size_t> held(parts), place(parts);
    std::copy(sizes_.begin(), sizes_.end(), held.begin());
    for (std::size_t i = 0; i < count; ++i) --held[owner_[node(i)]];
    std::vector<part> fixed(count, detail::no_part), from;
    for (std::size_t i = 0; i < count; ++i) from.push_back(owner_[node(i)]);
    for (std::size_t p = 0; p < parts; ++p) {
      place[p] = fixed.size();
      if (held[p] == 0) continue;
      fixed.push_back(static_cast<part>(p));
      from.push_back(static_cast<part>(p));
    }
    const std::size_t nodes = fixed.size();

    weighted_graph<Word> g;
    std::vector<std::vector<std::pair<Word, Word>>> of_part(nodes - count);
    std::vector<part> touched;
    for (std::size_t i = 0; i < count; ++i) {
      sums_.collect([&](const auto& add) {
        for (const auto& one : neighbors(i)) {
          const auto found = std::lower_bound(fresh_.begin(), fresh_.end(), one.neighbor);
          if (found != fresh_.end() && *found == one.neighbor) {
            g.targets.push_back(static_cast<Word>(found - fresh_.begin()));
            g.weights.push_back(static_cast<Word>(one.weight));
          } else {
            add(owner_[one.neighbor], static_cast<std::int64_t>(one.weight));
          }
        }
      });
      touched.assign(sums_.touched().begin(), sums_.touched().end());
      std::sort(touched.begin(), touched.end());
      for (const part p : touched) {
        const auto weight = static_cast<Word>(sums_[p]);
        g.targets.push_back(static_cast<Word>(place[p]));
        g.weights.push_back(weight);
        of_part[place[p] - count].emplace_back(static_cast<Word>(i), weight);
      }
      g.offsets.push_back(static_cast<Word>(g.targets.size()));
    }
    for (const auto& row : of_part) {
      for (const auto& [i, weight] : row) {
        g.targets.push_back(i);
        g.weights.push_back(weight);
      }
      g.offsets.push_back(static_cast<Word>(g.targets.size()));
    }
    g.fixed = std::move(fixed);

    // What old nodes load is what parts hold without the new ones.
    std::vector<std::vector<std::int64_t>> loads(rows, std::vector<std::int64_t>(nodes));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t p = 0; p < parts; ++p) {
        if (held[p] != 0) loads[r][place[p]] = static_cast<std::int64_t>(table_.load(r, p));
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const part p = owner_[node(i)];
      table_.loads().visit(node(i), [&](std::size_t r, std::uint64_t load) {
        loads[r][i] = static_cast<std::int64_t>(load);
        if (held[p] != 0) loads[r][place[p]] -= static_cast<std::int64_t>(load);
      });
    }
    std::vector<constraint> constraints;
    for (std::size_t r = 0; r < rows; ++r)
      constraints.push_back({"", loads[r], table_.loads().tolerance(r)});
    node_loads of_all;
    k_way_options options;
    options.parts = static_cast<std::uint32_t>(parts);
    options.effort = multilevel_effort::balanced();
    options.from = from;
    std::vector<std::uint32_t> better;
    if (!node_loads::make(nodes, constraints, {}, 0, of_all) ||
        !assign_k_way(std::move(g), of_all, options, executor_ref(), better))
      return;
    for (std::size_t i = 0; i < count; ++i) {
      if (better[i] != owner_[node(i)]) move(node(i), better[i]);
    }
  }

  void fill_empty_parts() {
    if (std::find(sizes_.begin(), sizes_.end(), 0u) == sizes_.end()) return;
    std::vector<std::size_t> order(fresh_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return neighbors(a).size() < neighbors(b).size();
    });
    auto next = order.begin();
    for (std::size_t p = 0; p < sizes_.size(); ++p) {
      if (sizes_[p] != 0) continue;
      while (next != order.end() && sizes_[owner_[node(*next)]] == 1) ++next;
      if (next == order.end()) return;
      move(node(*next++), p);
    }
  }

  std::size_t node(std::size_t i) const { return static_cast<std::size_t>(fresh_[i]); }

  const std::vector<new_node_scan::entry>& entries_;
  std::span<part> owner_;
  load_table& table_;
  part_sums sums_;                      // weight of a node's neighbors in each part
  std::vector<std::uint64_t> fresh_{};  // new nodes, ascending
  std::vector<std::size_t> first_{}, queue_{}, sizes_{};
  std::vector<std::uint8_t> queued_{};
  std::size_t next_ = 0;
};

}  // namespace detail

HALOGRAPH_INLINE status new_node_scan::add(std::uint64_t u, std::uint64_t v, std::uint64_t weight) {
  for (const entry one : {entry{u, v, weight}, entry{v, u, weight}}) {
    if (owner_[static_cast<std::size_t>(one.node)] != no_part) continue;
    if (entries_.size() >= most_) return status::capacity.at(most_);
    entries_.push_back(one);
  }
  return status::ok;
}

HALOGRAPH_INLINE status new_node_scan::finish() {
  constexpr std::uint64_t most_weight = std::numeric_limits<std::int64_t>::max();
  std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) {
    return a.node != b.node ? a.node < b.node : a.neighbor < b.neighbor;
  });
  std::size_t kept = 0;
  for (const entry& one : entries_) {
    if (kept == 0 || entries_[kept - 1].node != one.node ||
        entries_[kept - 1].neighbor != one.neighbor)
      entries_[kept++] = one;
    else if (summed_)
      entries_[kept - 1].weight = detail::saturating_sum(entries_[kept - 1].weight, one.weight);
  }
  entries_.resize(kept);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i == 0 || entries_[i].node != entries_[i - 1].node) sum = 0;
    sum = detail::saturating_sum(sum, entries_[i].weight);
    if (sum > most_weight) return status::overflow.at(entries_[i].node);
  }
  std::vector<std::uint64_t> memory(load_table::words(parts_, loads_.rows()));
  load_table table;
  if (const status made = load_table::make(loads_, parts_, memory, table); !made) return made;
  detail::new_node_placer(entries_, owner_, table).run(improve_);
  entries_ = std::vector<entry>();
  return status::ok;
}

HALOGRAPH_INLINE status new_nodes::begin_scan(const stream_shape& shape, std::span<part> owner,
                                              scan& out) const {
  if (parts == 0) return status::infeasible;
  const auto nodes = static_cast<std::size_t>(shape.nodes);
  if (owner.size() != nodes || fixed.size() != nodes) return status::mismatch.at(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    if (fixed[v] != no_part && fixed[v] >= parts) return status::out_of_range.at(v);
  }
  node_loads loads;
  if (const status made = node_loads::make(
          nodes, constraints,
          balance_types ? shape.node_type_offsets : std::span<const std::uint64_t>(), tolerance,
          loads);
      !made)
    return made;
  std::copy(fixed.begin(), fixed.end(), owner.begin());
  out = scan(loads, parts, owner, most_entries, !edge_weights.empty(), improve);
  return status::ok;
}

HALOGRAPH_INLINE std::string new_nodes::explain(status answer) const {
  const std::string at = std::to_string(answer.position);
  if (answer == status::capacity)
    return "the new nodes have more than " + at +
           " neighbors, which is what fits in memory; give a larger budget, or add fewer nodes at once";
  if (answer == status::overflow)
    return "the edges of node " + at + " weigh 2^63 or more together; divide the weights";
  if (answer == status::out_of_range)
    return "node " + at + " has a part that is not below " + std::to_string(parts) + ", or edge " +
           at + " has an endpoint that is not a node";
  if (answer == status::mismatch)
    return "there must be a part, or none, for each node, and a weight for each edge or none";
  if (answer == status::invalid_argument)
    return "loads and tolerances must be 0 or more, and edge weights 1 or more (see " + at + ")";
  return {};
}

HALOGRAPH_INLINE std::uint64_t new_nodes_bytes(std::uint64_t fresh, std::uint64_t entries,
                                               std::uint64_t rows, std::uint64_t parts) noexcept {
  // A vector that grows holds its entries twice, and up to half of them are unused.
  const std::uint64_t nodes = detail::saturating_sum(fresh, parts);
  const std::array<std::uint64_t, 4> all{
      saturating_multiply(entries, 3 * sizeof(new_node_scan::entry)),
      saturating_multiply(nodes, detail::saturating_sum(saturating_multiply(rows, 16), 96)),
      saturating_multiply(parts, saturating_multiply(rows, 24)),
      multilevel_bytes(nodes, saturating_multiply(entries, 2), rows, parts)};
  std::uint64_t sum = 0;
  for (const std::uint64_t one : all) sum = detail::saturating_sum(sum, one);
  return sum;
}

}  // namespace halograph
