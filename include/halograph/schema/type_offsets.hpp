// SPDX-License-Identifier: BSL-1.0
/// @file type_offsets.hpp
/// Typed IDs to global IDs and back, given only where each type starts.
/// Layer: schema (no allocation, no exceptions). Words: README.md.
///
/// Types lie end to end in type order: type t holds the global IDs [offsets[t], offsets[t+1]).
/// Any type may be empty: an ID belongs to the type whose range holds it, so empty types
/// never match.
#pragma once

#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

/// A typed ID: the number of the type, and the position among the things of this type.
template <id ID>
struct typed_id {
  type_id type = 0;  ///< from 0, in the order of the input
  ID id = 0;         ///< from 0 in each type
  friend constexpr bool operator==(const typed_id&, const typed_id&) = default;
};

namespace detail {

/// Is `value` in [0, size), whatever its type?
template <id ID>
constexpr bool in_space(ID value, std::uint64_t size) noexcept {
  return std::cmp_greater_equal(value, 0) && std::cmp_less(value, size);
}

/// Is every ID in [0, size)? Otherwise the position of the first that is not.
template <id ID>
constexpr status all_in_space(std::span<const ID> ids, std::uint64_t size) noexcept {
  using bits = std::make_unsigned_t<ID>;
  constexpr auto top = static_cast<bits>(bits{1} << (8 * sizeof(ID) - 1));
  bool good = true;
  // Neither loop has a jump, so that both become vector code; the search for the culprit is rare.
  if (size != 0 && size - 1 < top) {
    // An ID or its distance to the last one has the top bit where it is outside. Old machines have
    // no vectors of comparisons of 64 bits, but of these.
    const auto last = static_cast<bits>(size - 1);
    bits any = 0;
    for (const ID value : ids) {
      const auto one = static_cast<bits>(value);
      any = static_cast<bits>(any | one | static_cast<bits>(last - one));
    }
    good = any < top;
  } else {
    std::size_t bad = 0;
    for (const ID value : ids) bad += static_cast<std::size_t>(!in_space(value, size));
    good = bad == 0;
  }
  if (good) return status::ok;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!in_space(ids[i], size)) return status::out_of_range.at(i);
  }
  return status::internal;
}

}  // namespace detail

/// Boundaries of types laid end to end, from their counts.
/// @param counts_row  [T] things of each type
/// @param offsets_row [T+1] out
/// @errors mismatch: offsets does not have T+1 entries; invalid_argument at t: a negative count;
///     overflow at t: the sum up to type t does not fit Offset; offsets is then partly written
/// @complexity O(T)
template <id_row Counts, id_output Offsets>
constexpr status offsets_from_counts(const Counts& counts_row, Offsets&& offsets_row) noexcept {
  const auto counts = ids_of(counts_row);
  const auto offsets = ids_out(offsets_row);
  using Offset = std::ranges::range_value_t<Offsets>;
  if (offsets.size() != counts.size() + 1) return status::mismatch.at(counts.size() + 1);
  std::uint64_t sum = 0;
  offsets[0] = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (std::cmp_less(counts[t], 0)) return status::invalid_argument.at(t);
    const auto count = static_cast<std::uint64_t>(counts[t]);
    if (count > std::numeric_limits<std::uint64_t>::max() - sum ||
        !std::in_range<Offset>(sum + count)) {
      return status::overflow.at(t);
    }
    sum += count;
    offsets[t + 1] = static_cast<Offset>(sum);
  }
  return status::ok;
}

/// Converts between typed and global IDs over the caller's offsets; names are not needed.
/// The view is as valid as the memory it was made over; reading is safe from several threads.
/// Offset is separate from ID, so that 256 nodes may have 8-bit IDs.
/// @invariant offsets are [T+1], ascending, the first 0 (checked by validate())
template <id ID, id Offset>
class basic_type_offsets {
 public:
  using id_type = ID;          ///< of global and of typed IDs
  using offset_type = Offset;  ///< of the offsets

  constexpr basic_type_offsets() = default;
  /// @param offsets [T+1] first global ID of each type; last: how many there are
  constexpr explicit basic_type_offsets(std::span<const Offset> offsets) noexcept
      : offsets_(offsets), ends_(offsets.empty() ? offsets : offsets.subspan(1)) {}
  /// The same with a table that makes look-ups O(1) where types are of like size.
  /// @param table what build_index() filled for these offsets
  constexpr basic_type_offsets(std::span<const Offset> offsets,
                               std::span<const std::uint32_t> table) noexcept
      : offsets_(offsets), ends_(offsets.empty() ? offsets : offsets.subspan(1), table) {}

  /// Entries of the table for `types` types.
  static constexpr std::size_t index_size(std::size_t types) noexcept {
    return boundary_index<Offset>::memory_size(types);
  }
  /// Fill the table of valid offsets. @errors malformed: no offsets; capacity: table is too small
  static constexpr status build_index(std::span<const Offset> offsets,
                                      std::span<std::uint32_t> table) noexcept {
    if (offsets.empty()) return status::malformed;
    return boundary_index<Offset>::build(offsets.subspan(1), table);
  }

  /// ok; malformed at t: offsets are empty, do not start at 0, or sink at t; overflow: ID cannot
  /// name all.
  constexpr status validate() const noexcept {
    if (offsets_.empty() || offsets_[0] != 0) return status::malformed;
    for (std::size_t t = 0; t + 1 < offsets_.size(); ++t) {
      if (offsets_[t + 1] < offsets_[t]) return status::malformed.at(t + 1);
    }
    if (size() > id_capacity<ID>()) return status::overflow.at(size());
    return status::ok;
  }

  /// T; 0: no offsets
  constexpr std::size_t num_types() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  /// How many global IDs there are.
  constexpr std::uint64_t size() const noexcept {
    return offsets_.empty() ? 0 : static_cast<std::uint64_t>(offsets_.back());
  }
  /// How many IDs type t has. @pre t < num_types()
  constexpr std::uint64_t size(type_id t) const noexcept {
    return static_cast<std::uint64_t>(offsets_[t + 1]) - static_cast<std::uint64_t>(offsets_[t]);
  }
  /// [T+1]
  constexpr std::span<const Offset> offsets() const noexcept { return offsets_; }

  /// The type of a global ID. @pre value is in [0, size()) @complexity O(log T)
  template <id In>
  constexpr type_id type_of_unchecked(In value) const noexcept {
    return static_cast<type_id>(ends_.count_not_above(static_cast<search_value<Offset>>(value)));
  }

  /// Typed to global. @errors not_found at t: no such type; out_of_range: the ID is not in [0,
  /// size(t))
  template <id In>
  constexpr status to_global(type_id t, In value, ID& out) const noexcept {
    if (t >= num_types()) return status{error_kind::not_found, t};
    if (!detail::in_space(value, size(t))) return status::out_of_range;
    out = static_cast<ID>(static_cast<std::uint64_t>(offsets_[t]) +
                          static_cast<std::uint64_t>(value));
    return status::ok;
  }

  /// Global to typed. @errors out_of_range: the ID is not in [0, size()) @complexity O(log T)
  template <id In>
  constexpr status to_typed(In value, typed_id<ID>& out) const noexcept {
    if (!detail::in_space(value, size())) return status::out_of_range;
    out = typed_unchecked(value);
    return status::ok;
  }

  /// Typed to global, many at once; out may be the input. Nothing is written on an error.
  /// @param typed [n] typed IDs of type t   @param out [n]
  /// @errors as the scalar call, out_of_range at the position in the row; mismatch: sizes differ
  template <id_row Row>
  constexpr status to_global(type_id t, const Row& typed, std::span<ID> out) const noexcept {
    const auto ids = ids_of(typed);
    if (t >= num_types()) return status{error_kind::not_found, t};
    if (out.size() != ids.size()) return status::mismatch.at(ids.size());
    if (const auto bad = detail::all_in_space(ids, size(t)); !bad) return bad;
    const auto base = static_cast<std::uint64_t>(offsets_[t]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      out[i] = static_cast<ID>(base + static_cast<std::uint64_t>(ids[i]));
    }
    return status::ok;
  }

  /// Global to typed, many at once; typed may be the input. Nothing is written on an error.
  /// @param global [n] in any order   @param type_row [n] out, type numbers   @param typed [n] out
  /// @errors out_of_range at the position in ids; mismatch: sizes differ; overflow: Type cannot
  ///     number the types
  /// @complexity O(n log T); with a table and types of like size O(n)
  template <id_row Row, id_output Types>
  constexpr status to_typed(const Row& global, Types&& type_row,
                            std::span<ID> typed) const noexcept {
    const auto ids = ids_of(global);
    const auto types = ids_out(type_row);
    using Type = std::ranges::range_value_t<Types>;
    if (types.size() != ids.size() || typed.size() != ids.size())
      return status::mismatch.at(ids.size());
    if (num_types() > id_capacity<Type>()) return status::overflow.at(num_types());
    if (const auto bad = detail::all_in_space(ids, size()); !bad) return bad;
    ends_.for_each_count(ids,
                         [types = types.data(), typed = typed.data(), offsets = offsets_.data()](
                             std::size_t i, auto value, std::size_t t) {
                           types[i] = static_cast<Type>(t);
                           typed[i] = static_cast<ID>(static_cast<std::uint64_t>(value) -
                                                      static_cast<std::uint64_t>(offsets[t]));
                         });
    return status::ok;
  }

 private:
  template <id In>
  constexpr typed_id<ID> typed_unchecked(In value) const noexcept {
    const type_id t = type_of_unchecked(value);
    return {t, static_cast<ID>(static_cast<std::uint64_t>(value) -
                               static_cast<std::uint64_t>(offsets_[t]))};
  }

  std::span<const Offset> offsets_{};  // [T+1]
  boundary_index<Offset> ends_{};      // [T], the same memory
};

}  // namespace halograph
