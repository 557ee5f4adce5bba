// SPDX-License-Identifier: BSL-1.0
/// @file partitioner.hpp
/// What a partitioner is: a plain aggregate that gives each node of a graph a part.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
///
/// A whole partitioner:
///
///     struct round_robin {
///       using part = std::uint16_t;
///       static constexpr std::string_view name = "round_robin";  // what configs call it; may be
///       left out std::uint64_t parts = 1; template <class Graph> constexpr halograph::status
///       assign(const Graph& g, std::span<part> owner) const {
///         if (const auto fits = halograph::check_parts<part>(parts, halograph::num_nodes(g),
///         owner); !fits) return fits; for (std::size_t v = 0; v < owner.size(); ++v) owner[v] =
///         static_cast<part>(v % parts); return halograph::status::ok;
///       }
///     };
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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
// ---------------------------------------------------

namespace detail {
template <class P>
concept has_parts = requires(const P& policy) {
  { policy.parts } -> std::convertible_to<std::uint64_t>;
};
template <class P>
concept has_seed = requires(P& policy, std::uint64_t seed) { policy.seed = seed; };
template <class P>
concept has_edge_weights = requires(P& policy, std::span<const std::int64_t> weights) {
  policy.edge_weights = weights;
};
}  // namespace detail

/// Says how many parts it makes, in a member `parts`: then results can be checked, and a host can
/// set it.
template <class P>
concept names_parts = (detail::has_parts<P> ||
                       unmet<"names_parts: needs a data member parts, the number of parts">());

/// Takes a seed, in a member `seed`: a function of it and the graph alone.
template <class P>
concept takes_seed = (detail::has_seed<P> ||
                      unmet<"takes_seed: needs a data member seed that takes a uint64_t">());

/// Takes [E] weights by edge ID, in a member `edge_weights`.
template <class P>
concept takes_edge_weights =
    (detail::has_edge_weights<P> ||
     unmet<
         "takes_edge_weights: needs a data member edge_weights that takes a span<const int64_t>">());

/// Does P read the edges of the graph? `static constexpr bool reads_edges = false` lets a host
/// assign nodes before (or without) loading any edge.
template <class P>
inline constexpr bool reads_edges = true;
template <class P>
  requires requires {
    { P::reads_edges } -> std::convertible_to<bool>;
  }
inline constexpr bool reads_edges<P> = P::reads_edges;

namespace detail {
template <class P>
concept has_name = requires {
  { P::name } -> std::convertible_to<std::string_view>;
};
}  // namespace detail

/// What a policy is called in configs and manifests: its `static constexpr std::string_view name`,
/// or "custom".
template <class P>
constexpr std::string_view name_of_policy() noexcept {
  if constexpr (detail::has_name<P>) {
    return P::name;
  } else {
    return "custom";
  }
}

// ---- checks that policies and hosts share
// --------------------------------------------------------

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
