// SPDX-License-Identifier: BSL-1.0
/// @file book.hpp
/// Minimal models of partition books, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/type_offsets.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <cstddef>
#include <cstdint>

namespace halograph::archetype {

/// Models `ownership`: IDs of one type, dealt to two parts in turn.
class ownership : awkward {
 public:
  using id_type = std::int8_t;
  explicit constexpr ownership(std::uint64_t ids) : awkward(0), ids_(ids) {}
  constexpr std::uint8_t num_parts() const { return 2; }
  constexpr std::uint8_t num_types() const { return 1; }
  constexpr std::uint64_t size() const { return ids_; }
  constexpr std::uint64_t size(type_id) const { return ids_; }
  constexpr std::uint64_t count(std::size_t p) const { return (ids_ + 1 - p) / 2; }
  constexpr std::uint64_t count(std::size_t p, type_id) const { return count(p); }
  constexpr id_type nth(std::size_t p, std::uint64_t k) const {
    return static_cast<id_type>(2 * k + p);
  }
  constexpr id_type nth(std::size_t p, type_id, std::uint64_t k) const { return nth(p, k); }
  constexpr status part_of(id_type x, part_id& out) const {
    if (index(x) >= ids_) return status::out_of_range;
    out = static_cast<part_id>(x % 2);
    return status::ok;
  }
  constexpr status part_of(type_id, id_type x, part_id& out) const { return part_of(x, out); }
  constexpr status to_typed(id_type x, typed_id<id_type>& out) const {
    if (index(x) >= ids_) return status::out_of_range;
    out = {0, x};
    return status::ok;
  }
  constexpr status to_global(type_id t, id_type x, id_type& out) const {
    if (t != 0 || index(x) >= ids_) return status::out_of_range;
    out = x;
    return status::ok;
  }
  constexpr status to_local(std::size_t p, id_type x, id_type& out) const {
    if (index(x) >= ids_ || index(x) % 2 != p) return status::out_of_range;
    out = static_cast<id_type>(x / 2);
    return status::ok;
  }
  constexpr status to_local(std::size_t p, type_id, id_type x, id_type& out) const {
    return to_local(p, x, out);
  }

 private:
  std::uint64_t ids_;
};

/// Models `partition_book_like`.
class partition_book : awkward {
 public:
  constexpr partition_book(std::uint64_t nodes, std::uint64_t edges)
      : awkward(0), nodes_(nodes), edges_(edges) {}
  constexpr const ownership& nodes() const { return nodes_; }
  constexpr const ownership& edges() const { return edges_; }

 private:
  ownership nodes_;
  ownership edges_;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Has no id_type.
struct ownership_without_ids {};
/// Has an id_type but no counts.
struct ownership_without_counts {
  using id_type = int;
  status part_of(int, part_id&) const { return status::ok; }
  status part_of(type_id, int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
  status to_local(std::size_t, int, int&) const { return status::ok; }
  status to_local(std::size_t, type_id, int, int&) const { return status::ok; }
};
namespace detail {
struct counted {
  using id_type = int;
  std::size_t num_parts() const { return 0; }
  std::size_t num_types() const { return 0; }
  std::uint64_t size() const { return 0; }
  std::uint64_t size(type_id) const { return 0; }
  std::uint64_t count(std::size_t) const { return 0; }
  std::uint64_t count(std::size_t, type_id) const { return 0; }
  int nth(std::size_t, std::uint64_t) const { return 0; }
  int nth(std::size_t, type_id, std::uint64_t) const { return 0; }
};
}  // namespace detail
/// Finds the part of global IDs only.
struct ownership_without_typed_part : detail::counted {
  status part_of(int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
  status to_local(std::size_t, int, int&) const { return status::ok; }
  status to_local(std::size_t, type_id, int, int&) const { return status::ok; }
};
/// Has no local IDs.
struct ownership_without_local_ids : detail::counted {
  status part_of(int, part_id&) const { return status::ok; }
  status part_of(type_id, int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
};
/// Has edges only.
struct partition_book_without_nodes {
  const archetype::ownership& edges() const;
};
/// Has nodes only.
struct partition_book_without_edges {
  const archetype::ownership& nodes() const;
};

}  // namespace halograph::near_miss
