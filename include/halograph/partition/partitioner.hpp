// SPDX-License-Identifier: BSL-1.0
/// @file partitioner.hpp
/// What a partitioner is: a plain aggregate that gives each node of a graph a part.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
///
/// A whole partitioner:
///
///     struct round_robin {
///       using part = std::uint16_t;
///       std::uint64_t parts = 1;
///       hg::status assign(const auto& g, std::span<part> owner) const {
///         if (const auto fits = hg::check_parts<part>(parts, hg::num_nodes(g), owner); !fits)
///           return fits;
///         for (std::size_t v = 0; v < owner.size(); ++v)
///           owner[v] = static_cast<part>(v % parts);
///         return hg::status::ok;
///       }
///     };
///
/// Whatever else a policy offers is an ability: a concept of its own, found at compile time.
///
/// | ability | member | what hosts do with it |
/// | --- | --- | --- |
/// | `names_parts` | `parts` | check results; required by `partition_graph` |
/// | `takes_seed` | `seed` | set it |
/// | `takes_tolerance` | `tolerance` | balance by it where the host makes the constraints |
/// | `takes_constraints` (balance.hpp) | `constraints` | set loads to balance |
/// | `balances_types` | `balance_types` | switch the balance of each node type off |
/// | `takes_edge_weights` | `edge_weights` | set them |
/// | `chooses_order` (streaming.hpp) | `order` | push nodes in that order |
/// | `reads_edges<P>` | `reads_edges` | load no edges where it is false |
/// | `named_policy` | `name` | write it to configs and manifests |
/// | `assigns_in_context`, `assigns_in_memory` | `assign(g, owner, context)` | lend threads and memory |
/// | `explains_status` | `explain(status)` | say what a status of the policy means |
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/assign_context.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace halograph {

namespace detail {
template <class P>
concept names_part = requires { requires unsigned_id<typename P::part>; };
template <class P, class G>
concept assigns = requires(const P& policy, const G& g, std::span<typename P::part> owner) {
  { policy.assign(g, owner) } -> std::same_as<status>;
};
}  // namespace detail

/// Gives each node of a G a part. Laws (testing/laws.hpp): on status::ok every entry of `owner` was
/// written and is below the number of parts; the same graph and policy give the same owners.
/// `owner` is [V]; any other size is status::mismatch.
template <class P, class G>
concept partitioner = (detail::names_part<P> ||
                       unmet<"partitioner: P::part must name an unsigned integer">()) &&
                      (detail::assigns<P, G> ||
                       unmet<"partitioner: needs status assign(const G&, span<part>) const">());

// ---- optional abilities, found at compile time

namespace detail {
template <class P>
concept has_parts = requires(const P& policy) {
  { policy.parts } -> std::convertible_to<std::uint64_t>;
};
}  // namespace detail

/// Names the number of parts in a member `parts`, so that results can be checked and hosts can set
/// it.
template <class P>
concept names_parts = (detail::has_parts<P> ||
                       unmet<"names_parts: needs a data member parts, the number of parts">());

/// Optional: takes a seed in a member `seed`; the result is a function of it and the graph alone.
template <class P>
concept takes_seed = requires(P& policy, std::uint64_t seed) { policy.seed = seed; };

/// Optional: takes [E] weights by edge ID in a member `edge_weights`.
template <class P>
concept takes_edge_weights = requires(P& policy, std::span<const std::int64_t> weights) {
  policy.edge_weights = weights;
};

/// Optional: takes the allowed imbalance in a member `tolerance`, a fraction of the mean.
template <class P>
concept takes_tolerance = requires(const P& policy) {
  { policy.tolerance } -> std::convertible_to<double>;
};

/// Optional: balances each node type on its own unless its member `balance_types` is false.
template <class P>
concept balances_types = requires(P& policy) { policy.balance_types = false; };

/// Optional: does P read the edges of the graph? `static constexpr bool reads_edges = false` lets a
/// host assign nodes before (or without) loading any edge.
template <class P>
inline constexpr bool reads_edges = true;
template <class P>
  requires requires {
    { P::reads_edges } -> std::convertible_to<bool>;
  }
inline constexpr bool reads_edges<P> = P::reads_edges;  ///< The policy's own answer.

/// Optional: has a name for configs and manifests, `static constexpr std::string_view name`.
template <class P>
concept named_policy = requires { typename std::bool_constant<std::string_view(P::name).empty()>; };

/// The name of a named_policy; "custom" for any other.
template <class P>
constexpr std::string_view name_of_policy() noexcept {
  if constexpr (named_policy<P>) {
    return P::name;
  } else {
    return "custom";
  }
}

/// Optional: explains a status of its own by `std::string explain(status) const`; an empty string
/// means that the general sentence will do.
template <class P>
concept explains_status = requires(const P& policy, status answer) {
  { policy.explain(answer) } -> std::convertible_to<std::string>;
};

/// Optional: uses an assign_context, by `status assign(const G&, span<part>, const Context&) const`
/// for any Context. The owners are those of assign(g, owner).
template <class P, class G, class Context = assign_context<>>
concept assigns_in_context = requires(const P& policy, const G& g,
                                      std::span<typename P::part> owner, const Context& context) {
  { policy.assign(g, owner, context) } -> std::same_as<status>;
};

/// Optional: allocates nothing where the context has memory, `size_t assign_scratch_size(const G&)
/// const` words; less is status::capacity at the words that suffice. For builds without a heap.
template <class P, class G>
concept assigns_in_memory =
    assigns_in_context<P, G, assign_context<sequential, std::span<std::uint64_t>>> &&
    requires(const P& policy, const G& g) {
      { policy.assign_scratch_size(g) } -> std::convertible_to<std::size_t>;
    };

namespace detail {
/// The type of an option that a policy does not have; distinct types, so that they take no room.
template <int Which>
struct no_member {};

/// policy.assign with as much of the context as the policy can use.
template <class P, class G, class Context>
constexpr status assign_in_context(const P& policy, const G& g, std::span<typename P::part> owner,
                                   const Context& context) {
  if constexpr (assigns_in_context<P, G, Context>) {
    return policy.assign(g, owner, context);
  } else {
    return policy.assign(g, owner);
  }
}
}  // namespace detail

// ---- checks that policies and hosts share

/// Can `parts` parts be named by Part, and is `owner` as long as there are nodes?
/// @return ok; invalid_argument: 0 parts; overflow at parts: Part is too narrow; mismatch at V:
///     owner is not [V]
/// @complexity O(1)
template <unsigned_id Part>
constexpr status check_parts(std::uint64_t parts, std::size_t nodes,
                             std::span<const Part> owner) noexcept {
  if (parts == 0) return status::invalid_argument;
  if (parts - 1 > id_capacity<Part>() - 1) return status::overflow.at(parts);
  if (owner.size() != nodes) return status::mismatch.at(nodes);
  return status::ok;
}

/// Is every owner below `parts`? @return ok; out_of_range at v: the first node v with no such part
/// @complexity O(V)
template <unsigned_id Part>
constexpr status check_owners(std::span<const Part> owner, std::uint64_t parts) noexcept {
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (owner[v] >= parts) return status::out_of_range.at(v);
  }
  return status::ok;
}

}  // namespace halograph
