// SPDX-License-Identifier: BSL-1.0
/// @file components.hpp
/// Count the connected components of each part.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
///
/// Two nodes of a part are connected if edges inside the part lead from one to the other, whatever
/// their direction. A graph that is not connected itself leaves no choice: a component of a part
/// that is a whole component of the graph, such as an isolated node, has no neighbor in any other
/// part. Those are counted, too, but no part is held responsible for them.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph {

/// How a part hangs together.
struct part_connection {
  std::uint64_t components = 0;  ///< of the nodes of the part and the edges among them
  std::uint64_t whole = 0;       ///< of these, whole components of the graph, isolated nodes too

  /// Components that could be joined to others: those with edges to other parts, but for one.
  constexpr std::uint64_t avoidable() const noexcept {
    const std::uint64_t open = components - whole;
    return open > 1 ? open - 1 : 0;
  }
  friend constexpr bool operator==(const part_connection&, const part_connection&) = default;
};

namespace detail {

/// Disjoint sets of nodes; the root of a set is its lowest node. In the caller's memory.
template <id Index>
class lowest_roots {
 public:
  /// Each node alone. @param parent  [V], V below id_capacity<Index>()
  explicit constexpr lowest_roots(std::span<Index> parent) : parent_(parent) {
    for (std::size_t v = 0; v < parent.size(); ++v) parent_[v] = static_cast<Index>(v);
  }

  constexpr void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = static_cast<Index>(std::min(a, b));
  }
  /// Let every node name its root. @complexity O(V)
  constexpr void flatten() {
    for (std::size_t v = 0; v < parent_.size(); ++v) parent_[v] = parent_[index(parent_[v])];
  }

 private:
  constexpr std::size_t root(std::size_t v) {
    while (index(parent_[v]) != v) {
      parent_[v] = parent_[index(parent_[v])];
      v = index(parent_[v]);
    }
    return v;
  }

  std::span<Index> parent_;
};

/// Name the lowest node of each node's component, along the edges that `keep(u, v)` lets pass.
/// @param root  out, [V]  @errors out_of_range at e: an endpoint of edge e is not a node
template <graph G, id Index, class Keep>
constexpr status find_components(const G& g, std::span<Index> root, const Keep& keep) {
  lowest_roots<Index> sets(root);
  status answer = status::ok;
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::size_t a = index(u), b = index(v);
    if (a >= root.size() || b >= root.size()) {
      if (answer) answer = status::out_of_range.at(index(e));
    } else if (keep(a, b)) {
      sets.join(a, b);
    }
  });
  sets.flatten();
  return answer;
}

}  // namespace detail

/// Count the connected components of each part.
/// @param owner    [V] part of each node
/// @param scratch  [V]
/// @param out      [K] out, by part
/// @errors  mismatch at V: owner is not [V]; out_of_range at v: an owner is not below K, or at e:
///     an endpoint of edge e is not a node; capacity at V; overflow at V: V does not fit Index
/// @complexity O((V + E) log V) at worst, two visits of each edge; no memory
template <graph G, unsigned_id Part, id Index>
constexpr status count_components_into(const G& g, std::span<const Part> owner,
                                       std::span<Index> scratch, std::span<part_connection> out) {
  const std::size_t nodes = num_nodes(g);
  std::fill(out.begin(), out.end(), part_connection{});
  if (owner.size() != nodes) return status::mismatch.at(nodes);
  if (const status sound = check_owners(owner, out.size()); !sound) return sound;
  if (nodes >= id_capacity<Index>()) return status::overflow.at(nodes);
  if (scratch.size() < nodes) return status::capacity.at(nodes);
  const auto root = scratch.first(nodes);
  if (const status found = detail::find_components(
          g, root, [&](std::size_t a, std::size_t b) { return owner[a] == owner[b]; });
      !found)
    return found;
  // A root that names V instead of itself: an edge leaves its component.
  const auto leave = [&](std::size_t v) {
    const std::size_t at = index(root[v]);
    root[at == nodes ? v : at] = static_cast<Index>(nodes);
  };
  visit_edges(g, [&](auto u, auto v, auto) {
    const std::size_t a = index(u), b = index(v);
    if (a >= nodes || b >= nodes || owner[a] == owner[b]) return;
    leave(a);
    leave(b);
  });
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::size_t at = index(root[v]);
    if (at != v && at != nodes) continue;
    part_connection& part = out[index(owner[v])];
    ++part.components;
    part.whole += at == v ? 1u : 0u;
  }
  return status::ok;
}

/// The same in memory that it allocates.
/// @param owners  [V] part of each node: a vector, array, span or other contiguous memory of any
///     integer type
/// @errors raises mismatch, out_of_range
/// @complexity memory: 4 bytes for each node below 2^32, else 8
template <graph G, id_row Owner>
std::vector<part_connection> count_components(const G& g, const Owner& owners,
                                              std::uint64_t parts) {
  const auto owner = parts_of(owners);
  std::vector<part_connection> out(static_cast<std::size_t>(parts));
  const auto count = [&]<class Index>(Index) {
    std::vector<Index> scratch(num_nodes(g));
    return count_components_into(g, owner, std::span(scratch), std::span(out));
  };
  const status answer = num_nodes(g) < id_capacity<std::uint32_t>() ? count(std::uint32_t{})
                                                                    : count(std::uint64_t{});
  if (!answer) {
    const std::string at = std::to_string(answer.position);
    raise(answer.code, answer == status::mismatch
                           ? "there are " + std::to_string(owner.size()) + " owners for " + at +
                                 " nodes; there must be one for each"
                           : "node " + at + " has a part that is not below " +
                                 std::to_string(parts) + ", or edge " + at +
                                 " has an endpoint that is not a node");
  }
  return out;
}

template <graph G, class Owner>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
std::vector<part_connection>
count_components(const G&, const Owner&, std::uint64_t);

}  // namespace halograph
