// SPDX-License-Identifier: BSL-1.0
/// @file range_map.hpp
/// Who owns an ID, in a space of IDs where every part owns one range per type.
/// Layer: book (no allocation, no exceptions). Words: README.md.
///
/// Cells are (part, type), laid out part by part and in a part type by type: cell k = part * T +
/// type. Our own output tiles [0, n) without gaps, so [P*T+1] bounds suffice; files of other
/// programs may leave gaps, or give two types the same range, and are bound as [P*T] starts and
/// [P*T] ends.
///
/// There are three ID spaces: **global** (all types together), **typed** (position among the global
/// IDs of one type, ascending), and **local** (position inside one part). In the global space part
/// p holds [end of part p-1, end of part p): a gap counts for the part after it, as in DGL.
/// @source DGL's RangePartitionBook and IdMap, restated from their documented behavior
#pragma once

#include <halograph/book/fwd.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

/// What ranges of other programs must satisfy.
enum class range_rule : std::uint8_t {
  ascending,   ///< start, end, next start, next end ... never descend: what a config must have
  overlapping  ///< starts never descend and ends never descend, so two types may share a range;
               ///< queries return the first
};

/// Ownership by ranges over the caller's memory. The view is as valid as that memory; reading is
/// safe from several threads. Offset is separate from ID, so that 256 nodes may have 8-bit IDs.
template <id ID, id Offset>
class basic_range_map {
 public:
  using id_type = ID;          ///< of global, typed and local IDs
  using offset_type = Offset;  ///< of the table of ranges

  /// Entries of working memory that bind() needs: for each type, how many IDs are before each part.
  static constexpr std::size_t totals_size(std::size_t parts, std::size_t types) noexcept {
    return types * (parts + 1);
  }
  /// Entries of the bounds of `parts` parts and `types` types.
  static constexpr std::size_t bounds_size(std::size_t parts, std::size_t types) noexcept {
    return parts * types + 1;
  }

  /// Entries of the tables that bind_index() fills.
  static constexpr std::size_t index_size(std::size_t parts, std::size_t types) noexcept {
    return (2 * value_words + 2) * parts * types +
           boundary_index<Offset>::memory_size(parts * types) +
           types * boundary_index<Offset>::memory_size(parts);
  }

  constexpr basic_range_map() = default;

  /// Bind ranges without gaps.
  /// @param bounds [P*T+1] cell k is [bounds[k], bounds[k+1]); the first is 0
  /// @param totals [totals_size(P, T)] working memory, filled here and read by every query
  /// @errors invalid_argument: no part; mismatch: bounds has the wrong size (position: the right
  ///     one); capacity: totals is too small; malformed at k: bounds[k] descends, is negative, or
  ///     the first is not 0; overflow: ID cannot number them all. After an error the map is as
  ///     before.
  /// @complexity O(P T)
  constexpr status bind(std::size_t parts, std::size_t types, std::span<const Offset> bounds,
                        std::span<Offset> totals) noexcept {
    if (const auto bad = check_shape(parts, types, totals); !bad) return bad;
    if (bounds.size() != bounds_size(parts, types))
      return status::mismatch.at(bounds_size(parts, types));
    if (bounds[0] != 0) return status::malformed;
    return adopt(parts, types, bounds.first(parts * types), bounds.subspan(1), totals,
                 range_rule::ascending);
  }

  /// Bind ranges that may have gaps (and, if the rule says so, overlaps).
  /// @param starts, ends [P*T] cell k is [starts[k], ends[k])
  /// @param totals [totals_size(P, T)] as above
  /// @errors as above; malformed at k: cell k ends before it starts, starts below 0, or breaks the
  ///     rule
  constexpr status bind(std::size_t parts, std::size_t types, std::span<const Offset> starts,
                        std::span<const Offset> ends, std::span<Offset> totals,
                        range_rule rule = range_rule::ascending) noexcept {
    if (const auto bad = check_shape(parts, types, totals); !bad) return bad;
    if (starts.size() != parts * types || ends.size() != parts * types) {
      return status::mismatch.at(parts * types);
    }
    return adopt(parts, types, starts, ends, totals, rule);
  }

  /// Bind tables with which look-ups take O(1) where ranges have similar sizes. Optional.
  /// @param tables [index_size(P, T)] filled here and read by every query
  /// @errors capacity: tables is too small; the map is as before @complexity O(P T)
  constexpr status bind_index(std::span<std::uint32_t> tables) noexcept {
    using built = boundary_index<Offset>;
    if (tables.size() < index_size(parts_, types_))
      return status::capacity.at(index_size(parts_, types_));
    const std::size_t cells = ends_.size(), each = built::memory_size(parts_);
    std::size_t used = 0;
    const auto take = [&](std::size_t entries) {
      return tables.subspan(std::exchange(used, used + entries), entries);
    };
    // The wide tables first, where memory is aligned for them.
    const auto shifts = take(value_words * cells), typed_shifts = take(value_words * cells),
               owners = take(cells), kinds = take(cells);
    const auto cell_table = take(built::memory_size(cells)), type_tables = take(types_ * each);
    if (const auto bad = built::build(ends_, cell_table); !bad) return bad;
    for (std::size_t t = 0; t < types_; ++t) {
      const auto row = totals_.subspan(t * (parts_ + 1) + 1, parts_);
      if (const auto bad = built::build(row, type_tables.subspan(t * each, each)); !bad) return bad;
    }
    for (std::size_t p = 0, k = 0; p < parts_; ++p) {
      for (std::size_t t = 0; t < types_; ++t, ++k) {
        const auto shift = static_cast<value>(wide(starts_[k]) -
                                              before(static_cast<type_id>(t), p));
        put(shifts.data(), k, shift);
        put(typed_shifts.data(), t * parts_ + p, shift);
        owners[k] = static_cast<std::uint32_t>(p);
        kinds[k] = static_cast<std::uint32_t>(t);
      }
    }
    cells_ = built(ends_, cell_table);
    type_tables_ = type_tables;
    shifts_ = shifts;
    typed_shifts_ = typed_shifts;
    part_of_cell_ = owners;
    type_of_cell_ = kinds;
    return status::ok;
  }

  constexpr std::size_t num_parts() const noexcept { return parts_; }  ///< P
  constexpr std::size_t num_types() const noexcept { return types_; }  ///< T
  /// One past the largest global ID.
  constexpr std::uint64_t size() const noexcept { return ends_.empty() ? 0 : wide(ends_.back()); }
  /// Number of IDs of type t. @pre t < num_types()
  constexpr std::uint64_t size(type_id t) const noexcept { return before(t, parts_); }
  /// The global IDs of part p, those of a gap before it included. @pre p < num_parts()
  constexpr id_range range(std::size_t p) const noexcept {
    return {p == 0 ? 0 : part_end(p - 1), part_end(p)};
  }
  /// The typed IDs of type t in part p. @pre p < num_parts(), t < num_types()
  constexpr id_range typed_range(std::size_t p, type_id t) const noexcept {
    return {before(t, p), before(t, p + 1)};
  }
  /// The global IDs of cell (p, t), as bound. @pre p < num_parts(), t < num_types()
  constexpr id_range cell(std::size_t p, type_id t) const noexcept {
    const std::size_t k = p * types_ + t;
    return {wide(starts_[k]), wide(ends_[k])};
  }
  /// Number of global IDs in part p.
  constexpr std::uint64_t count(std::size_t p) const noexcept { return range(p).size(); }
  /// Number of IDs of type t in part p.
  constexpr std::uint64_t count(std::size_t p, type_id t) const noexcept {
    return typed_range(p, t).size();
  }
  /// The k-th global ID of part p, ascending. @pre k < count(p)
  constexpr ID nth(std::size_t p, std::uint64_t k) const noexcept {
    return static_cast<ID>(range(p).begin + k);
  }
  /// The k-th typed ID of type t in part p, ascending. @pre k < count(p, t)
  constexpr ID nth(std::size_t p, type_id t, std::uint64_t k) const noexcept {
    return static_cast<ID>(before(t, p) + k);
  }

  /// @name One ID at a time
  /// @errors out_of_range: the ID is not in the space (for to_typed: or is in a gap);
  ///         not_found at t: no such type; invalid_argument at p: no such part. `out` is then
  ///         untouched.
  /// @complexity O(log(P T)); with tables and ranges of similar size O(1)
  /// @{
  template <id In>
  constexpr status part_of(In global, part_id& out) const noexcept {
    if (!detail::in_space(global, size())) return status::out_of_range;
    out = part_at(global);
    return status::ok;
  }
  template <id In>
  constexpr status part_of(type_id t, In typed, part_id& out) const noexcept {
    if (t >= types_) return status{error_kind::not_found, t};
    if (!detail::in_space(typed, size(t))) return status::out_of_range;
    out = typed_part_at(parts_of(t), typed);
    return status::ok;
  }
  template <id In>
  constexpr status to_typed(In global, typed_id<ID>& out) const noexcept {
    if (!detail::in_space(global, size())) return status::out_of_range;
    return typed_at(global, out) ? status::ok : status::out_of_range;
  }
  template <id In>
  constexpr status to_global(type_id t, In typed, ID& out) const noexcept {
    if (t >= types_) return status{error_kind::not_found, t};
    if (!detail::in_space(typed, size(t))) return status::out_of_range;
    out = global_at(parts_of(t), t, typed);
    return status::ok;
  }
  /// Position of a global ID inside part p, which must hold it.
  template <id In>
  constexpr status to_local(std::size_t p, In global, ID& out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    return shifted(range(p), global, out);
  }
  /// Position of a typed ID among those of its type in part p, which must hold it.
  template <id In>
  constexpr status to_local(std::size_t p, type_id t, In typed, ID& out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    if (t >= types_) return status{error_kind::not_found, t};
    return shifted(typed_range(p, t), typed, out);
  }
  /// @}

  /// @{
  /// Without a check, as DGL answers. Below the space: part 0. Beyond it: num_parts(). Local
  /// positions may be negative or beyond the part. @pre t < num_types(), p < num_parts()
  template <id In>
  constexpr part_id part_of_unchecked(In global) const noexcept {
    if (std::cmp_less(global, 0)) return 0;
    if (std::cmp_greater_equal(global, size())) return static_cast<part_id>(parts_);
    return part_at(global);
  }
  template <id In>
  constexpr part_id part_of_unchecked(type_id t, In typed) const noexcept {
    if (std::cmp_less(typed, 0)) return 0;
    if (std::cmp_greater_equal(typed, size(t))) return static_cast<part_id>(parts_);
    return typed_part_at(parts_of(t), typed);
  }
  template <id In>
  constexpr std::int64_t to_local_unchecked(std::size_t p, In global) const noexcept {
    return difference(global, range(p).begin);
  }
  template <id In>
  constexpr std::int64_t to_local_unchecked(std::size_t p, type_id t, In typed) const noexcept {
    return difference(typed, typed_range(p, t).begin);
  }
  /// @}

  /// @{
  /// Many IDs at once, in any order. Outputs have the size of the input, else mismatch; an
  /// output may be the input. Errors as above, position being the place in the input; nothing
  /// is written then (to_typed over a map with gaps: up to the place). overflow: the element
  /// type of an output cannot number all parts or types.
  /// @complexity O(n log(P T)); with tables and ranges of similar size O(n)
  template <id_row Row, id_output Parts>
  constexpr status part_of(const Row& global_row, Parts&& parts) const noexcept {
    const auto global = ids_of(global_row);
    const auto out = ids_out(parts);
    using Part = std::ranges::range_value_t<Parts>;
    if (const auto bad = check_batch(global, out.size(), size()); !bad) return bad;
    if (parts_ > id_capacity<Part>()) return status::overflow.at(parts_);
    if (types_ == 1) {
      cells_.for_each_count(global, [out = out.data()](std::size_t i, auto, std::size_t k) {
        out[i] = static_cast<Part>(k);
      });
    } else if (!part_of_cell_.empty()) {
      cells_.for_each_count(global, [out = out.data(), owners = part_of_cell_.data()](
                                        std::size_t i, auto, std::size_t k) {
        out[i] = static_cast<Part>(owners[k]);
      });
    } else {
      cells_.for_each_count(
          global, [out = out.data(), inverse = inverse_](std::size_t i, auto, std::size_t k) {
            out[i] = static_cast<Part>(quotient(static_cast<std::uint32_t>(k), inverse));
          });
    }
    return status::ok;
  }
  template <id_row Row, id_output Parts>
  constexpr status part_of(type_id t, const Row& typed_row, Parts&& parts) const noexcept {
    const auto typed = ids_of(typed_row);
    const auto out = ids_out(parts);
    using Part = std::ranges::range_value_t<Parts>;
    if (t >= types_) return status{error_kind::not_found, t};
    if (const auto bad = check_batch(typed, out.size(), size(t)); !bad) return bad;
    if (parts_ > id_capacity<Part>()) return status::overflow.at(parts_);
    parts_of(t).for_each_count(typed, [out = out.data()](std::size_t i, auto, std::size_t p) {
      out[i] = static_cast<Part>(p);
    });
    return status::ok;
  }
  template <id_row Row, id_output Types>
  constexpr status to_typed(const Row& global_row, Types&& type_row,
                            std::span<ID> typed) const noexcept {
    const auto global = ids_of(global_row);
    const auto types = ids_out(type_row);
    using Type = std::ranges::range_value_t<Types>;
    if (types.size() != global.size()) return status::mismatch.at(global.size());
    if (const auto bad = check_batch(global, typed.size(), size()); !bad) return bad;
    if (types_ > id_capacity<Type>()) return status::overflow.at(types_);
    if (is_one_space()) {
      for (std::size_t i = 0; i < global.size(); ++i) typed[i] = static_cast<ID>(global[i]);
      for (Type& type : types) type = 0;
      return status::ok;
    }
    if (!gaps_ && !shifts_.empty()) {
      cells_.for_each_count(
          global, [types = types.data(), typed = typed.data(), kinds = type_of_cell_.data(),
                   shifts = shifts_.data()](std::size_t i, auto id, std::size_t k) {
            types[i] = static_cast<Type>(kinds[k]);
            typed[i] = static_cast<ID>(static_cast<std::uint64_t>(id) - get(shifts, k));
          });
      return status::ok;
    }
    if (!gaps_) {
      cells_.for_each_count(global, [types = types.data(), typed = typed.data(),
                                     starts = starts_.data(), totals = totals_.data(),
                                     row = parts_ + 1, many = static_cast<std::uint32_t>(types_),
                                     inverse = inverse_](std::size_t i, auto id, std::size_t k) {
        const auto p = quotient(static_cast<std::uint32_t>(k), inverse),
                   t = static_cast<std::uint32_t>(k) - p * many;
        types[i] = static_cast<Type>(t);
        typed[i] = static_cast<ID>(static_cast<std::uint64_t>(id) -
                                   (wide(starts[k]) - wide(totals[t * row + p])));
      });
      return status::ok;
    }
    for (std::size_t i = 0; i < global.size(); ++i) {
      typed_id<ID> answer;
      if (!typed_at(global[i], answer)) return status::out_of_range.at(i);
      types[i] = static_cast<Type>(answer.type);
      typed[i] = answer.id;
    }
    return status::ok;
  }
  template <id_row Row>
  constexpr status to_global(type_id t, const Row& typed_row, std::span<ID> out) const noexcept {
    const auto typed = ids_of(typed_row);
    if (t >= types_) return status{error_kind::not_found, t};
    if (const auto bad = check_batch(typed, out.size(), size(t)); !bad) return bad;
    if (is_one_space()) {
      for (std::size_t i = 0; i < typed.size(); ++i) out[i] = static_cast<ID>(typed[i]);
    } else if (!typed_shifts_.empty()) {
      parts_of(t).for_each_count(
          typed, [out = out.data(), shifts = typed_shifts_.data() + value_words * parts_ * t](
                     std::size_t i, auto id, std::size_t p) {
            out[i] = static_cast<ID>(static_cast<std::uint64_t>(id) + get(shifts, p));
          });
    } else {
      parts_of(t).for_each_count(typed, [out = out.data(), starts = starts_.data() + t,
                                         many = types_, totals = totals_.data() + t * (parts_ + 1)](
                                            std::size_t i, auto id, std::size_t p) {
        out[i] = static_cast<ID>(static_cast<std::uint64_t>(id) +
                                 (wide(starts[p * many]) - wide(totals[p])));
      });
    }
    return status::ok;
  }
  template <id_row Row>
  constexpr status to_local(std::size_t p, const Row& global, std::span<ID> out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    return shift_all(range(p), ids_of(global), out);
  }
  template <id_row Row>
  constexpr status to_local(std::size_t p, type_id t, const Row& typed,
                            std::span<ID> out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    if (t >= types_) return status{error_kind::not_found, t};
    return shift_all(typed_range(p, t), ids_of(typed), out);
  }
  /// @}

 private:
  using value = search_value<Offset>;
  static constexpr std::size_t value_words = sizeof(value) / 4;

  // Values in tables of 32-bit words.
  static constexpr value get(const std::uint32_t* table, std::size_t k) noexcept {
    const std::uint32_t* const words = table + value_words * k;
    if constexpr (value_words == 1)
      return *words;
    else
      return words[0] | value{words[1]}
                            << 32;  // compilers make one load of it, seen from one pointer
  }
  static constexpr void put(std::uint32_t* table, std::size_t k, value what) noexcept {
    table[value_words * k] = static_cast<std::uint32_t>(what);
    if constexpr (value_words == 2) table[2 * k + 1] = static_cast<std::uint32_t>(what >> 32);
  }

  static constexpr std::uint64_t wide(Offset bound) noexcept {
    return static_cast<std::uint64_t>(bound);
  }

  static constexpr status check_shape(std::size_t parts, std::size_t types,
                                      std::span<Offset> totals) noexcept {
    if (parts == 0 || parts > std::numeric_limits<part_id>::max())
      return status::invalid_argument.at(parts);
    // parts * types must not wrap, and a cell's number must fit 32 bits (it is divided).
    if (types != 0 && parts > std::numeric_limits<std::uint32_t>::max() / 2 / types) {
      return status::overflow.at(parts);
    }
    if (totals.size() < totals_size(parts, types))
      return status::capacity.at(totals_size(parts, types));
    return status::ok;
  }

  constexpr status adopt(std::size_t parts, std::size_t types, std::span<const Offset> starts,
                         std::span<const Offset> ends, std::span<Offset> totals,
                         range_rule rule) noexcept {
    bool gapless = true;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const Offset last_start = k == 0 ? Offset{0} : starts[k - 1];
      const Offset last_end = k == 0 ? Offset{0} : ends[k - 1];
      if (starts[k] < last_start || ends[k] < starts[k] || ends[k] < last_end ||
          (rule == range_rule::ascending && starts[k] < last_end)) {
        return status::malformed.at(k);
      }
      // A type would count more than the space has if its own ranges overlapped between parts.
      if (k >= types && starts[k] < ends[k - types]) return status::malformed.at(k);
      gapless = gapless && starts[k] == last_end;
    }
    const std::uint64_t size = ends.empty() ? 0 : wide(ends.back());
    if (size > id_capacity<ID>()) return status::overflow.at(size);
    for (std::size_t t = 0; t < types; ++t) {
      std::uint64_t sum = 0;
      totals[t * (parts + 1)] = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t k = p * types + t;
        sum += wide(ends[k]) - wide(starts[k]);
        totals[t * (parts + 1) + p + 1] = static_cast<Offset>(sum);
      }
    }
    parts_ = parts;
    types_ = types;
    inverse_ = types == 0 ? 0 : ~std::uint64_t{0} / types + 1;
    starts_ = starts;
    ends_ = ends;
    totals_ = totals.first(totals_size(parts, types));
    cells_ = boundary_index<Offset>(ends);
    type_tables_ = {};
    shifts_ = typed_shifts_ = part_of_cell_ = type_of_cell_ = {};
    gaps_ = !gapless;
    return status::ok;
  }

  constexpr std::uint64_t part_end(std::size_t p) const noexcept {
    return types_ == 0 ? 0 : wide(ends_[p * types_ + types_ - 1]);
  }
  constexpr std::uint64_t before(type_id t, std::size_t p) const noexcept {
    return wide(totals_[t * (parts_ + 1) + p]);
  }
  template <id In>
  constexpr std::uint32_t cell_at(In global) const noexcept {
    return static_cast<std::uint32_t>(cells_.count_not_above(static_cast<value>(global)));
  }
  // cell / types_, by the high half of a product: a division would cost more than the look-up.
  // Exact for 32-bit cells: Lemire, Kaser & Kurz, "Faster remainder by direct computation", SPE
  // 49(6), 2019.
  static constexpr part_id quotient(std::uint32_t cell, std::uint64_t inverse) noexcept {
    const std::uint64_t high = (inverse >> 32) * cell, low = (inverse & 0xFFFFFFFFu) * cell;
    return static_cast<part_id>((high + (low >> 32)) >> 32);
  }
  constexpr part_id part_of_cell(std::uint32_t cell) const noexcept {
    return types_ == 1 ? cell : quotient(cell, inverse_);
  }
  // Are typed and global IDs the same?
  constexpr bool is_one_space() const noexcept { return types_ == 1 && !gaps_; }
  template <id In>
  constexpr part_id part_at(In global) const noexcept {
    return part_of_cell(cell_at(global));
  }
  // The parts of type t by their typed IDs.
  constexpr boundary_index<Offset> parts_of(type_id t) const noexcept {
    const std::span<const Offset> row = totals_.subspan(t * (parts_ + 1) + 1, parts_);
    if (type_tables_.empty()) return boundary_index<Offset>(row);
    const std::size_t each = boundary_index<Offset>::memory_size(parts_);
    return {row, type_tables_.subspan(t * each, each)};
  }
  template <id In>
  static constexpr part_id typed_part_at(const boundary_index<Offset>& parts, In typed) noexcept {
    return static_cast<part_id>(parts.count_not_above(static_cast<value>(typed)));
  }
  template <id In>
  constexpr bool typed_at(In global, typed_id<ID>& out) const noexcept {
    const std::uint32_t k = cell_at(global);
    const std::uint32_t p = part_of_cell(k), t = k - p * static_cast<std::uint32_t>(types_);
    const auto place = static_cast<std::uint64_t>(global);
    if (gaps_ && place < wide(starts_[k])) return false;
    out = {t, static_cast<ID>(place - wide(starts_[k]) + before(t, p))};
    return true;
  }
  template <id In>
  constexpr ID global_at(const boundary_index<Offset>& parts, type_id t, In typed) const noexcept {
    const part_id p = typed_part_at(parts, typed);
    return static_cast<ID>(wide(starts_[p * types_ + t]) +
                           (static_cast<std::uint64_t>(typed) - before(t, p)));
  }
  template <id In>
  static constexpr std::int64_t difference(In value_in, std::uint64_t base) noexcept {
    // Wraps like the two's complement it is; a difference of two IDs of one space always fits.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value_in) - base);
  }
  template <id In>
  static constexpr bool within(id_range r, In value_in) noexcept {
    return std::cmp_greater_equal(value_in, r.begin) && std::cmp_less(value_in, r.end);
  }
  template <id In>
  static constexpr status shifted(id_range r, In value_in, ID& out) noexcept {
    if (!within(r, value_in)) return status::out_of_range;
    out = static_cast<ID>(static_cast<std::uint64_t>(value_in) - r.begin);
    return status::ok;
  }
  template <id In>
  static constexpr status shift_all(id_range r, std::span<const In> ids,
                                    std::span<ID> out) noexcept {
    if (out.size() != ids.size()) return status::mismatch.at(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!within(r, ids[i])) return status::out_of_range.at(i);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      out[i] = static_cast<ID>(static_cast<std::uint64_t>(ids[i]) - r.begin);
    }
    return status::ok;
  }
  template <id In>
  static constexpr status check_batch(std::span<const In> ids, std::size_t out,
                                      std::uint64_t size) noexcept {
    if (out != ids.size()) return status::mismatch.at(ids.size());
    return detail::all_in_space(ids, size);
  }

  std::size_t parts_ = 0;
  std::size_t types_ = 0;
  std::uint64_t inverse_ = 0;         // 2^64 / types_, rounded up; unused for one type
  std::span<const Offset> starts_{};  // [P*T]
  std::span<const Offset> ends_{};    // [P*T]; of gapless maps the same memory, one further
  std::span<const Offset> totals_{};  // [T][P+1] IDs of the type before each part
  boundary_index<Offset> cells_{};    // [P*T] ends, with their table if bound
  std::span<const std::uint32_t> type_tables_{};  // [T] tables, if bound
  std::span<const std::uint32_t>
      shifts_{};  // [P*T] by which global IDs exceed typed ones, if bound
  std::span<const std::uint32_t> typed_shifts_{};                   // [T][P] the same, type by type
  std::span<const std::uint32_t> part_of_cell_{}, type_of_cell_{};  // [P*T], if bound
  bool gaps_ = false;  // a new map is all zeros: static ones take no room in a program's image
};

}  // namespace halograph
