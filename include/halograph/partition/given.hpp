// SPDX-License-Identifier: BSL-1.0
/// @file given.hpp
/// Use an assignment that the caller already has.
/// Layer: partition (allocates only its sentences). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

/// Views the caller's [V] parts, of any integer type, and checks them.
/// @complexity O(V) time, no memory  @repeatable yes
template <unsigned_id Part = part_id, id Source = Part>
struct basic_given {
  using part = Part;                                 ///< see partitioner
  static constexpr std::string_view name = "given";  ///< see named_policy
  static constexpr bool reads_edges = false;         ///< see halograph::reads_edges

  std::uint64_t parts = 1;           ///< how many parts there are
  std::span<const Source> owners{};  ///< [V] part of each node

  /// @errors invalid_argument: 0 parts; overflow: Part is too narrow; mismatch at V: owners is not
  ///     [V]; out_of_range at v: node v's part is negative or not below parts
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    const std::size_t nodes = num_nodes(g);
    if (const status ok = check_parts<part>(parts, nodes, owner); !ok) return ok;
    if (owners.size() != nodes) return status::mismatch.at(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      if (std::cmp_less(owners[v], 0) || std::cmp_greater_equal(owners[v], parts)) {
        return status::out_of_range.at(v);
      }
      owner[v] = static_cast<part>(owners[v]);
    }
    return status::ok;
  }

  /// The sentence for a status of assign.
  std::string explain(status answer) const {
    if (answer == status::mismatch) {
      return "the assignment lists " + std::to_string(owners.size()) + " nodes; the graph has " +
             std::to_string(answer.position);
    }
    if (answer == status::out_of_range && answer.position < owners.size()) {
      return "the assignment puts node " + std::to_string(answer.position) + " into part " +
             std::to_string(owners[static_cast<std::size_t>(answer.position)]) +
             "; parts are numbered 0 to " + std::to_string(parts - 1);
    }
    return {};
  }
};

/// The same for a vector, array, span ... of any integer type, found out at run time:
/// `hg::given{.parts = 8, .owners = parts_of_metis}`.
struct given {
  using part = part_id;                                          ///< see partitioner
  static constexpr std::string_view name = basic_given<>::name;  ///< see named_policy
  static constexpr bool reads_edges = false;                     ///< see halograph::reads_edges

  std::uint64_t parts = 1;  ///< how many parts there are
  any_id_row owners{};      ///< [V] part of each node

  /// @errors as basic_given
  template <graph G>
  status assign(const G& g, std::span<part> owner) const {
    return owners.visit([&](auto ids) { return typed(ids).assign(g, owner); });
  }
  /// The sentence for a status of assign.
  std::string explain(status answer) const {
    return owners.visit([&](auto ids) { return typed(ids).explain(answer); });
  }

 private:
  template <class Source>
  basic_given<part, Source> typed(std::span<const Source> ids) const noexcept {
    return {parts, ids};
  }
};

}  // namespace halograph
