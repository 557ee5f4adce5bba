// SPDX-License-Identifier: BSL-1.0
/// @file concepts.hpp
/// The queries of every partition book, by ranges or by one part per ID.
/// Layer: book (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace halograph {

namespace detail {
template <class M>
concept names_its_ids = requires { requires id<typename M::id_type>; };
template <class M>
concept counts_owned = requires(const M& m, std::size_t p, type_id t, std::uint64_t k) {
  { m.num_parts() } -> std::convertible_to<std::size_t>;
  { m.num_types() } -> std::convertible_to<std::size_t>;
  { m.size() } -> std::convertible_to<std::uint64_t>;
  { m.size(t) } -> std::convertible_to<std::uint64_t>;
  { m.count(p) } -> std::convertible_to<std::uint64_t>;
  { m.count(p, t) } -> std::convertible_to<std::uint64_t>;
  { m.nth(p, k) } -> std::convertible_to<typename M::id_type>;
  { m.nth(p, t, k) } -> std::convertible_to<typename M::id_type>;
};
template <class M>
concept finds_owners = requires(const M& m, type_id t, typename M::id_type value, part_id& part) {
  { m.part_of(value, part) } -> std::same_as<status>;
  { m.part_of(t, value, part) } -> std::same_as<status>;
};
template <class M>
concept converts_ids = requires(const M& m, std::size_t p, type_id t, typename M::id_type value,
                                typename M::id_type& out, typed_id<typename M::id_type>& typed) {
  { m.to_typed(value, typed) } -> std::same_as<status>;
  { m.to_global(t, value, out) } -> std::same_as<status>;
  { m.to_local(p, value, out) } -> std::same_as<status>;
  { m.to_local(p, t, value, out) } -> std::same_as<status>;
};
}  // namespace detail

/// Who owns what in one ID space, global and typed. Laws: each global ID has one part; part p owns
/// count(p) of them, nth(p, 0) < nth(p, 1) < ...; to_local(p, nth(p, k)) is k; the same for each
/// type; to_global inverts to_typed; an ID outside the space gives out_of_range.
template <class M>
concept ownership =
    (detail::names_its_ids<M> ||
     unmet<"ownership: M::id_type must be an integer of 8 to 64 bits">()) &&
    (detail::counts_owned<M> ||
     unmet<
         "ownership: needs num_parts(), num_types(), size(), size(type), count(part), count(part, type), nth(part, k), nth(part, type, k)">()) &&
    (detail::finds_owners<M> ||
     unmet<
         "ownership: needs status part_of(id, part_id&) const and status part_of(type, id, part_id&) const">()) &&
    (detail::converts_ids<M> ||
     unmet<
         "ownership: needs status to_typed(id, typed_id&), to_global(type, id, out), to_local(part, id, out), to_local(part, type, id, out) const">());

namespace detail {
template <class B>
concept owns_nodes = requires(const B& b) {
  requires ownership<std::remove_cvref_t<decltype(b.nodes())>>;
};
template <class B>
concept owns_edges = requires(const B& b) {
  requires ownership<std::remove_cvref_t<decltype(b.edges())>>;
};
}  // namespace detail

/// Ownership of nodes and of edges over the same parts.
template <class B>
concept partition_book_like =
    (detail::owns_nodes<B> ||
     unmet<"partition_book_like: needs nodes() const, a model of ownership">()) &&
    (detail::owns_edges<B> ||
     unmet<"partition_book_like: needs edges() const, a model of ownership">());

}  // namespace halograph
