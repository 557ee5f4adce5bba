// SPDX-License-Identifier: BSL-1.0
/// @file split.hpp
/// Share the nodes or edges of a training set among trainers.
/// Layer: book (split_into: no allocation, no exceptions; node_split and edge_split return vectors).
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/book/fwd.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The trainer, and how shares are made.
struct split_options {
  /// the trainer; those of one part have consecutive ranks
  std::size_t rank = 0;
  std::size_t trainers = 0;  ///< all trainers C, a multiple of the parts; 0: one per part
  /// shares differ by at most a few members, some of which other parts own
  bool force_even = true;
};

namespace detail {
template <class Mask>
concept lists_integers = std::ranges::contiguous_range<const Mask> &&
                         std::ranges::sized_range<const Mask> &&
                         std::is_integral_v<std::ranges::range_value_t<const Mask>>;
}  // namespace detail

/// One byte or integer per member, not 0: selected.
template <class Mask>
concept selection =
    (detail::lists_integers<Mask> ||
     unmet<"selection: needs contiguous memory of integers and a size, as vector<uint8_t> has">());

namespace detail {

/// Ascending, by a heap: std::sort recurses, which a small stack cannot afford.
template <id ID>
constexpr void sort_in_place(std::span<ID> ids) {
  std::make_heap(ids.begin(), ids.end());
  std::sort_heap(ids.begin(), ids.end());
}

/// Piece `i` of `n` things cut into `pieces` whose sizes differ by at most 1, the larger ones
/// first.
struct piece {
  std::uint64_t begin, end;
};
constexpr piece near_equal(std::uint64_t n, std::uint64_t pieces, std::uint64_t i) noexcept {
  const std::uint64_t small = n / pieces, more = n % pieces;
  const std::uint64_t begin = i * small + std::min(i, more);
  return {begin, begin + small + (i < more ? 1 : 0)};
}

}  // namespace detail

/// The share of one trainer in the selected members of one type, ascending.
///
/// With `trainers` C and P parts, each part has c = C / P trainers; the calling one is number
/// rank % c of `part`. Not force_even: the members that the part owns, in c runs of floor(n / c),
/// the last with the rest. force_even: all selected members in P runs that differ by at most 1, the
/// larger first; the part takes its run whoever owns it. Inside a run c trainers take near-equal
/// pieces of a permutation; or, where trainers of members are known, first the members of the
/// part's own trainers in the order of these, then the others. Over all parts and ranks shares are
/// disjoint and cover the selection.
///
/// @param map      who owns members: nodes() or edges() of a book
/// @param type     the members' type; none: all types together
/// @param part     the trainer's part
/// @param mask     [n] not 0: selected; n is the number of members
/// @param trainer  [n] the trainer of each member (`trainer_id`), or empty
/// @param out      the share, in its front; a run must fit: count of selected members always
///     suffices
/// @param size     out, length of the share
/// @errors invalid_argument: C is not a multiple of P, rank >= C, no such part, or (at the number
///     of trainers met) trainers beyond C that are not a multiple of C; not_found: no such type;
///     mismatch: mask or trainer has the wrong length (position: the right one); out_of_range at i:
///     a negative trainer; capacity: out is too small (position: the size that suffices)
/// @complexity O(n), with trainers O(n c)
/// @repeatable yes. The permutation is our own, seeded with the part; DGL's is of another
///     generator, so its shares hold other members of the same run
template <ownership Map, selection Mask, id_row Trainers>
constexpr status split_into(const Map& map, std::optional<type_id> type, part_id part,
                            const Mask& mask, const Trainers& trainer, const split_options& options,
                            std::span<typename Map::id_type> out, std::size_t& size) noexcept {
  using ID = typename Map::id_type;
  const std::uint64_t parts = map.num_parts();
  if (type && *type >= map.num_types()) return status{error_kind::not_found, *type};
  if (part >= parts) return status::invalid_argument.at(part);
  const std::uint64_t clients = options.trainers == 0 ? parts : options.trainers;
  if (clients % parts != 0 || options.rank >= clients) return status::invalid_argument.at(clients);
  const std::uint64_t per_part = clients / parts, client = options.rank % per_part;

  const auto* const selected = std::ranges::data(mask);
  const std::uint64_t members = type ? map.size(*type) : map.size();
  if (std::ranges::size(mask) != members) return status::mismatch.at(members);
  const auto trainers = ids_of(trainer);
  if (!trainers.empty() && trainers.size() != members) return status::mismatch.at(members);

  std::size_t written = 0;
  std::uint64_t needed = 0;
  const auto put = [&](ID member) {
    ++needed;
    if (written < out.size()) out[written++] = member;
  };
  const auto done = [&] {
    if (needed > out.size()) return status::capacity.at(needed);
    size = written;
    return status::ok;
  };

  if (!options.force_even) {
    const std::uint64_t owned = type ? map.count(part, *type) : map.count(part);
    const auto member = [&](std::uint64_t k) {
      return type ? map.nth(part, *type, k) : map.nth(part, k);
    };
    std::uint64_t n = 0;
    for (std::uint64_t k = 0; k < owned; ++k) n += selected[index(member(k))] != 0;
    const std::uint64_t share = n / per_part, begin = client * share;
    const std::uint64_t end = client + 1 == per_part ? n : begin + share;
    std::uint64_t seen = 0;
    for (std::uint64_t k = 0; k < owned && seen < end; ++k) {
      const ID m = member(k);
      if (selected[index(m)] == 0) continue;
      if (seen++ >= begin) put(m);
    }
    return done();
  }

  std::uint64_t n = 0;
  for (std::size_t i = 0; i < members; ++i) n += selected[i] != 0;
  const auto run = detail::near_equal(n, parts, part);
  // Calls f(member) for the members of this part's run, ascending.
  const auto for_run = [&](auto&& f) {
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < members && seen < run.end; ++i) {
      if (selected[i] != 0 && seen++ >= run.begin) f(static_cast<ID>(i));
    }
  };

  if (per_part == 1) {
    for_run(put);
    return done();
  }
  if (trainers.empty()) {
    for_run(put);
    if (const auto bad = done(); !bad) return bad;
    random_stream stream(mix(part));
    shuffle(out.first(written), stream);
    const auto mine = detail::near_equal(written, per_part, client);
    std::copy(out.begin() + static_cast<std::ptrdiff_t>(mine.begin),
              out.begin() + static_cast<std::ptrdiff_t>(mine.end), out.begin());
    size = static_cast<std::size_t>(mine.end - mine.begin);
    detail::sort_in_place(out.first(size));
    return status::ok;
  }

  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < members; ++i) {
    if (std::cmp_less(trainers[i], 0)) return status::out_of_range.at(i);
    highest = std::max(highest, static_cast<std::uint64_t>(trainers[i]));
  }
  // Members may have been assigned to more, smaller trainers than there are now.
  std::uint64_t quotient = 1;
  if (highest >= clients) {
    if (highest == ~std::uint64_t{0} || (highest + 1) % clients != 0)
      return status::invalid_argument.at(highest + 1);
    quotient = (highest + 1) / clients;
  }
  const auto trainer_of = [&](ID m) {
    return static_cast<std::uint64_t>(trainers[index(m)]) / quotient;
  };
  const auto is_own = [&](ID m) { return trainer_of(m) / per_part == part; };
  std::uint64_t own = 0, others = 0;
  for_run([&](ID m) { ++(is_own(m) ? own : others); });

  const auto own_piece = detail::near_equal(own, per_part, client);
  std::uint64_t before = 0;  // members of trainers counted so far
  for (std::uint64_t k = 0; k < per_part && before < own_piece.end; ++k) {
    for_run([&](ID m) {
      if (!is_own(m) || trainer_of(m) % per_part != k) return;
      if (before >= own_piece.begin && before < own_piece.end) put(m);
      ++before;
    });
  }
  const auto other_piece = detail::near_equal(others, per_part, client);
  std::uint64_t seen = 0;
  for_run([&](ID m) {
    if (is_own(m)) return;
    if (seen >= other_piece.begin && seen < other_piece.end) put(m);
    ++seen;
  });
  if (const auto bad = done(); !bad) return bad;
  detail::sort_in_place(out.first(size));
  return status::ok;
}

namespace detail {

/// No trainers are known.
inline constexpr std::span<const std::int64_t> no_trainers{};

template <class Map, class Mask, class Trainers>
std::vector<typename Map::id_type> split(const Map& map, const char* word,
                                         std::optional<type_id> type, part_id part,
                                         const Mask& mask, const Trainers& trainer,
                                         const split_options& options) {
  std::size_t selected = 0;
  for (const auto flag : mask) selected += flag != 0;
  std::vector<typename Map::id_type> share(selected);
  std::size_t size = 0;
  const status answer = split_into(map, type, part, mask, trainer, options, std::span(share), size);
  if (answer == status::mismatch) {
    raise(
        answer.code,
        std::string(
            "the mask or the trainer IDs have the wrong length; there must be one entry for each of the ") +
            std::to_string(answer.position) + " " + word + "s");
  }
  if (answer == status::out_of_range) {
    raise(answer.code, std::string("the trainer ID of ") + word + " " +
                           std::to_string(answer.position) + " is negative");
  }
  if (answer == status::invalid_argument) {
    const std::size_t clients = options.trainers == 0 ? map.num_parts() : options.trainers;
    if (answer.position != clients) {
      raise(answer.code, "trainer IDs name " + std::to_string(answer.position) +
                             " trainers, which is not a multiple of the " +
                             std::to_string(clients) + " there are");
    }
    raise(
        answer.code,
        std::to_string(clients) + " trainers, of which number " + std::to_string(options.rank) +
            " is this one, cannot share " + std::to_string(map.num_parts()) +
            " parts; the trainers must be a multiple of the parts, and the rank below their number");
  }
  check(answer, "the selection cannot be split");
  share.resize(size);
  return share;
}

}  // namespace detail

/// The share of a trainer of the book's own part in the selected nodes, ascending. See split_into.
/// @param mask     [nodes of the type] not 0: selected
/// @param ntype    the nodes' type; none or `_N`: all nodes, by global IDs
/// @param trainers [nodes of the type] the feature `trainer_id`, or nothing
/// @errors as split_into, with a sentence
template <selection Mask, partition_book_like Book, id_row Trainers = std::span<const std::int64_t>>
auto node_split(const Mask& mask, const Book& book, std::string_view ntype = "_N",
                const split_options& options = {}, const Trainers& trainers = detail::no_trainers) {
  const auto type = ntype == "_N" ? std::nullopt : std::optional(book.node_type_number(ntype));
  return detail::split(book.nodes(), "node", type, book.partid(), mask, trainers, options);
}

/// The share of a trainer of the book's own part in the selected edges, ascending. See node_split.
/// @param etype "source:relation:target", or a relation name that is unique; none, `_E` or
///     `_N:_E:_N`: all edges
template <selection Mask, partition_book_like Book, id_row Trainers = std::span<const std::int64_t>>
auto edge_split(const Mask& mask, const Book& book, std::string_view etype = "_N:_E:_N",
                const split_options& options = {}, const Trainers& trainers = detail::no_trainers) {
  const auto type = etype == "_E" || etype == "_N:_E:_N"
                        ? std::nullopt
                        : std::optional(book.edge_type_number(etype));
  return detail::split(book.edges(), "edge", type, book.partid(), mask, trainers, options);
}

}  // namespace halograph
