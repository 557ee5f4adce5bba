// SPDX-License-Identifier: BSL-1.0
/// @file graph_change.hpp
/// Nodes and edges that a graph gains, and edges that it loses.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// A change of a graph. Types are those of the graph, by number; a list may be empty where nothing
/// changes.
template <id Node = std::uint64_t>
struct graph_change {
  /// [T] nodes that are added to each type; their IDs follow those of the type's other nodes
  std::vector<std::uint64_t> new_nodes{};
  /// [R] edges that are added to each type, between old and new nodes; their IDs follow those of
  /// the edges that stay
  std::vector<edge_columns<Node>> added{};
  /// [R] edges that are removed, by their ends: each pair removes one edge, of parallel ones the
  /// first
  std::vector<edge_columns<Node>> removed{};
};

/// What became of a graph's nodes and edges. Those that stay keep their order, and nodes their IDs.
struct applied_change {
  std::vector<std::uint64_t> old_nodes{};             ///< [T] nodes before the change
  std::vector<std::uint64_t> old_edges{};             ///< [R] edges before the change
  std::vector<std::vector<std::uint64_t>> removed{};  ///< [R] old IDs of removed edges, ascending

  /// Edges of a type that stay; those that were added follow them.
  std::uint64_t kept_edges(type_id type) const noexcept {
    return old_edges[type] - removed[type].size();
  }
  /// The ID of an old edge now, or nothing if it was removed. @complexity O(log removed)
  std::optional<std::uint64_t> new_edge(type_id type, std::uint64_t old) const noexcept {
    const auto& gone = removed[type];
    const auto at = std::lower_bound(gone.begin(), gone.end(), old);
    if (at != gone.end() && *at == old) return std::nullopt;
    return old - static_cast<std::uint64_t>(at - gone.begin());
  }
  /// Finds the old IDs of edges that stay, soon where they follow each other.
  class cursor {
   public:
    /// @param removed  old IDs, ascending, which must outlive this; nullptr: none
    explicit cursor(const std::vector<std::uint64_t>* removed) noexcept : removed_(removed) {}
    /// The old ID of an edge that stays. @complexity O(log removed); O(1) as mostly after the last
    std::uint64_t old_of(std::uint64_t edge) noexcept {
      if (removed_ == nullptr) return edge;
      // Before removed edge i there are removed[i] - i that stay.
      const auto& gone = *removed_;
      const auto stay = [&](std::size_t i) { return gone[i] - i; };
      if ((at_ != 0 && stay(at_ - 1) > edge) || (at_ < gone.size() && stay(at_) <= edge)) {
        std::size_t low = 0, high = gone.size();
        while (low < high) {
          const std::size_t middle = low + (high - low) / 2;
          if (stay(middle) <= edge)
            low = middle + 1;
          else
            high = middle;
        }
        at_ = low;
      }
      return edge + at_;
    }

   private:
    const std::vector<std::uint64_t>* removed_;
    std::size_t at_ = 0;
  };
  /// The old ID of an edge that stays. @pre edge < kept_edges(type) @complexity O(log removed)
  std::uint64_t old_edge(type_id type, std::uint64_t edge) const noexcept {
    return cursor(&removed[type]).old_of(edge);
  }
};

namespace detail {

/// Finds the pairs of a list among many others, most of which are not in it.
class pair_set {
 public:
  using ends = std::pair<std::uint64_t, std::uint64_t>;
  static constexpr std::size_t none = ~std::size_t{0};

  /// @param count  the pairs   @param at  at(i) gives pair i
  template <class At>
  pair_set(std::size_t count, const At& at) : bits_(std::bit_ceil(count + 1)) {
    pairs_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) pairs_.push_back({at(i), i});
    std::sort(pairs_.begin(), pairs_.end());
    found_.resize(count);
    for (const auto& one : pairs_) {
      const std::uint64_t bit = bit_of(one.first);
      bits_[static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
    }
  }

  /// Where the pair is in the list; none: it is not.
  std::size_t find(const ends& pair) const {
    const std::uint64_t bit = bit_of(pair);
    if ((bits_[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1) == 0) return none;
    const std::size_t at = first_of(pair);
    return at < pairs_.size() && pairs_[at].first == pair ? at : none;
  }
  /// Was the pair taken less often than it is in the list? Then take it. @param first  of find()
  bool take(std::size_t first) {
    const ends pair = pairs_[first].first;
    for (std::size_t at = first; at < pairs_.size() && pairs_[at].first == pair; ++at) {
      if (found_[at]) continue;
      found_[at] = true;
      return true;
    }
    return false;
  }
  /// The first pair of the list that was not taken.
  std::optional<std::size_t> left() const {
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (!found_[i] && (!out || pairs_[i].second < *out)) out = pairs_[i].second;
    }
    return out;
  }

 private:
  /// A few multiplications, since all edges of a graph are asked for.
  std::uint64_t bit_of(const ends& pair) const noexcept {
    const std::uint64_t mixed = (pair.first * 0xD6E8FEB86659FD93u ^ pair.second) *
                                0xA0761D6478BD642Fu;
    return (mixed ^ mixed >> 32) & (bits_.size() * 64 - 1);
  }
  std::size_t first_of(const ends& pair) const {
    return static_cast<std::size_t>(
        std::lower_bound(pairs_.begin(), pairs_.end(), std::pair{pair, std::size_t{0}}) -
        pairs_.begin());
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::pair<ends, std::size_t>> pairs_{};  // in order, with their places in the list
  std::vector<bool> found_{};
};

/// Take the elements at some places, in ascending order, out of a vector.
template <class T>
void erase_at(std::vector<T>& values, const std::vector<std::uint64_t>& places) {
  if (places.empty()) return;
  const auto at = [&](std::uint64_t place) {
    return values.begin() + static_cast<std::ptrdiff_t>(place);
  };
  auto kept = at(places[0]);
  for (std::size_t i = 0; i < places.size(); ++i)
    kept = std::copy(at(places[i] + 1), i + 1 < places.size() ? at(places[i + 1]) : values.end(),
                     kept);
  values.erase(kept, values.end());
}

/// The lists of a change belong to the graph. @errors mismatch
void check_change(std::size_t node_types, std::size_t edge_types, std::size_t new_nodes,
                  std::size_t added, std::size_t removed);
[[noreturn]] void raise_no_such_node(const graph_schema& schema, type_id type, std::size_t edge,
                                     std::uint64_t node, std::uint64_t nodes);
[[noreturn]] void raise_no_such_edge(const graph_schema& schema, type_id type, std::size_t edge,
                                     std::uint64_t source, std::uint64_t target);

}  // namespace detail

/// Change a graph. Edges that stay keep their order.
///
/// @param data    a finished dataset, whose features and weights are left out: they are the
///     caller's; after an error it may be changed in part
/// @param executor  looks for removed edges
/// @return        what became of the nodes and edges
/// @errors        mismatch: lists that are not one for each type, or of two lengths; out_of_range:
///     an added edge ends in a node that there is not; not_found: an edge that is to be removed is
///     not there, or not as often; those of dataset::finish()
/// @complexity    O(E + change log change) time; memory: 80 bytes for each removed edge, and 16
///     for each edge between the same nodes
template <id Node, id Edge>
applied_change apply_change(dataset<Node, Edge>& data, const graph_change<Node>& change,
                            executor_ref executor = {}) {
  const std::size_t types = data.edges.size();
  detail::check_change(data.node_counts.size(), types, change.new_nodes.size(), change.added.size(),
                       change.removed.size());
  applied_change out;
  out.old_nodes = data.node_counts;
  for (std::size_t t = 0; t < change.new_nodes.size(); ++t) {
    if (change.new_nodes[t] > ~std::uint64_t{0} - data.node_counts[t])
      raise(error_kind::overflow, "there are more new nodes than IDs for them");
    data.node_counts[t] += change.new_nodes[t];
  }
  for (std::size_t r = 0; r < types; ++r) {
    const auto type = static_cast<type_id>(r);
    std::vector<Node>&source = data.edges[r].source, &target = data.edges[r].target;
    out.old_edges.push_back(source.size());
    auto& gone = out.removed.emplace_back();
    if (r < change.removed.size() && !change.removed[r].source.empty()) {
      const std::vector<Node>&from = change.removed[r].source, &to = change.removed[r].target;
      if (from.size() != to.size())
        raise(error_kind::mismatch, "each removed edge needs a source and a target");
      detail::pair_set asked(from.size(),
                             [&](std::size_t i) { return detail::pair_set::ends(from[i], to[i]); });
      // Edges with the ends of a removed one, and where those are in the list.
      using edge_and_pair = std::pair<std::uint64_t, std::size_t>;
      std::vector<std::vector<edge_and_pair>> alike;
      std::mutex adding;
      executor.parallel_for(0, source.size(), std::size_t{1} << 16,
                            [&](std::size_t first, std::size_t last) {
                              std::vector<edge_and_pair> found;
                              for (std::size_t e = first; e < last; ++e) {
                                const std::size_t at = asked.find({source[e], target[e]});
                                if (at != detail::pair_set::none) found.emplace_back(e, at);
                              }
                              if (found.empty()) return;
                              const std::lock_guard lock(adding);
                              alike.push_back(std::move(found));
                            });
      std::sort(alike.begin(), alike.end());  // by their first edges
      for (const auto& some : alike) {
        for (const auto& [edge, at] : some) {
          if (asked.take(at)) gone.push_back(edge);
        }
      }
      if (const auto left = asked.left())
        detail::raise_no_such_edge(data.schema, type, *left, from[*left], to[*left]);
      executor.parallel_for(0, 2, 1, [&](std::size_t first, std::size_t last) {
        for (; first < last; ++first) detail::erase_at(first == 0 ? source : target, gone);
      });
    }
    if (r < change.added.size()) {
      const auto& [from, to] = change.added[r];
      if (from.size() != to.size())
        raise(error_kind::mismatch, "each added edge needs a source and a target");
      const type_id from_type = data.schema.source_type(type),
                    to_type = data.schema.target_type(type);
      for (std::size_t e = 0; e < from.size(); ++e) {
        if (from[e] >= data.node_counts[from_type])
          detail::raise_no_such_node(data.schema, from_type, e, from[e],
                                     data.node_counts[from_type]);
        if (to[e] >= data.node_counts[to_type])
          detail::raise_no_such_node(data.schema, to_type, e, to[e], data.node_counts[to_type]);
      }
      source.insert(source.end(), from.begin(), from.end());
      target.insert(target.end(), to.begin(), to.end());
    }
  }
  data.features = {};
  data.node_weights.clear();
  data.node_sizes.clear();
  data.finish();
  return out;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/graph_change.ipp>
#endif
