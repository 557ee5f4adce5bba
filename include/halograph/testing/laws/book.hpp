// SPDX-License-Identifier: BSL-1.0
/// @file book.hpp
/// The laws of partition books.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halograph::laws {

/// Every global ID has one part and one typed ID, from which it follows again; part p owns count(p)
/// of them, in ascending order, and to_local inverts nth; the same for each type; IDs out of range
/// are out_of_range. For maps without gaps, as this library writes them.
/// @complexity O(size) look-ups
template <halograph::ownership Map>
verdict ownership(const Map& map) {
  using value = typename Map::id_type;
  const auto size = static_cast<std::uint64_t>(map.size());
  const auto as = [](std::uint64_t x) { return static_cast<value>(x); };
  const auto named = [](std::uint64_t x) { return "ID " + std::to_string(x); };
  std::vector<std::uint64_t> owned(map.num_parts()), types(map.num_types());
  for (std::uint64_t x = 0; x < size; ++x) {
    part_id part{}, again{};
    typed_id<value> typed{};
    value back{}, local{}, typed_local{};
    if (!map.part_of(as(x), part) || part >= map.num_parts())
      return detail::broken(named(x) + " has no part");
    if (!map.to_typed(as(x), typed) || typed.type >= map.num_types())
      return detail::broken(named(x) + " has no type");
    if (!map.to_global(typed.type, typed.id, back) || back != as(x)) {
      return detail::broken(named(x) + " does not follow from its typed ID");
    }
    if (!map.part_of(typed.type, typed.id, again) || again != part) {
      return detail::broken(named(x) + " has another part by its typed ID");
    }
    if (!map.to_local(part, as(x), local) || index(local) != owned[part]) {
      return detail::broken(named(x) + " is the " + std::to_string(owned[part]) + "th of part " +
                            std::to_string(part) + ", but to_local says otherwise");
    }
    if (map.nth(part, index(local)) != as(x))
      return detail::broken("nth does not invert to_local of " + named(x));
    if (!map.to_local(part, typed.type, typed.id, typed_local) ||
        map.nth(part, typed.type, index(typed_local)) != typed.id) {
      return detail::broken("nth of the type does not invert to_local of " + named(x));
    }
    ++owned[part];
    ++types[typed.type];
  }
  for (std::size_t p = 0; p < owned.size(); ++p) {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < types.size(); ++t) sum += map.count(p, static_cast<type_id>(t));
    if (map.count(p) != owned[p] || sum != owned[p]) {
      return detail::broken("part " + std::to_string(p) + " owns " + std::to_string(owned[p]) +
                            " IDs, but count says otherwise");
    }
  }
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (map.size(static_cast<type_id>(t)) != types[t]) {
      return detail::broken("type " + std::to_string(t) + " has " + std::to_string(types[t]) +
                            " IDs, but size says otherwise");
    }
  }
  if (size < id_capacity<value>()) {
    part_id part{};
    typed_id<value> typed{};
    if (map.part_of(as(size), part) != status::out_of_range ||
        map.to_typed(as(size), typed) != status::out_of_range) {
      return detail::broken(named(size) + " of " + std::to_string(size) + " must be out_of_range");
    }
  }
  return {};
}

/// Nodes and edges have the same number of parts, and the law of ownership holds for both.
template <halograph::partition_book_like Book>
verdict partition_book(const Book& book) {
  if (book.nodes().num_parts() != book.edges().num_parts())
    return detail::broken("nodes and edges must have the same number of parts");
  if (verdict nodes = ownership(book.nodes()); !nodes) return detail::broken("nodes: " + nodes.why);
  if (verdict edges = ownership(book.edges()); !edges) return detail::broken("edges: " + edges.why);
  return {};
}

}  // namespace halograph::laws
