// SPDX-License-Identifier: BSL-1.0
/// @file owner_fetch.hpp
/// Fetch rows from the ranks that own them, or send rows to their owners, in rounds of bounded
/// memory.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/uninitialized.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Default limit of the bytes that a rank receives in one round of an exchange.
inline constexpr std::size_t default_exchange_bytes = std::size_t{1} << 22;

/// What exchanges have moved, as counted by one rank.
struct exchange_counters {
  std::uint64_t local_rows = 0;      ///< requested and found on the same rank
  std::uint64_t cached_rows = 0;     ///< of those, copies of rows of other ranks
  std::uint64_t remote_rows = 0;     ///< requested from other ranks, or sent to them
  std::uint64_t served_rows = 0;     ///< sent to other ranks on request, or received from them
  std::uint64_t sent_bytes = 0;      ///< to other ranks: IDs and rows
  std::uint64_t received_bytes = 0;  ///< from other ranks
  std::uint64_t rounds = 0;          ///< of communication; 0 where R is 1

  /// Add each counter of `other`.
  constexpr exchange_counters& operator+=(const exchange_counters& other) noexcept {
    local_rows += other.local_rows;
    cached_rows += other.cached_rows;
    remote_rows += other.remote_rows;
    served_rows += other.served_rows;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    rounds += other.rounds;
    return *this;
  }
};

/// A row that a rank has received.
struct received_row {
  std::uint64_t id = 0;                ///< the ID under which it was sent
  std::span<const std::byte> bytes{};  ///< [width] valid until the function that gets it returns
};

namespace detail {

/// Check that a buffer has exactly the size of its rows. @errors mismatch
void check_rows(std::size_t ids, std::size_t width, std::size_t bytes);

}  // namespace detail

/// Moves rows by ID between ranks. IDs are any 64-bit numbers for which the caller knows the rank.
/// Every member is collective, and each rank may request as many rows as it likes, in any order and
/// repeatedly. If one rank fails, all do. Memory: twice the budget, whatever is requested, but at
/// least one row of each rank; send_to_owners() needs more. Not thread-safe.
class row_exchange {
 private:
  /// Copies IDs that lie in memory, piece by piece.
  struct copier {
    std::span<const std::uint64_t> ids;
    void operator()(std::size_t first, std::span<std::uint64_t> out) const noexcept {
      std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    }
  };

 public:
  /// @param budget_bytes  the most bytes that a rank receives in a round, but at least one row of
  ///     each rank. The same on all ranks
  explicit row_exchange(communicator_ref ranks, std::size_t budget_bytes = default_exchange_bytes)
      : ranks_(ranks), peers_(ranks), budget_(budget_bytes) {}

  /// Fetch rows.
  /// @param ids      [n]
  /// @param width    bytes of a row, the same on all ranks
  /// @param rank_of  rank_of(id) < R; must not throw
  /// @param serve    void serve(id, span<byte> row): write the row of an ID that this rank owns;
  ///     may throw
  /// @param rows     [n x width] out, in the order of `ids`
  /// @errors mismatch: `rows` has another size; what serve throws, on all ranks
  ///     (run_collective()); those of the communicator
  /// @complexity O(n) and what serve takes; sends 8 + width bytes for each row of another rank
  template <class RankOf, class Serve>
  void fetch(std::span<const std::uint64_t> ids, std::size_t width, const RankOf& rank_of,
             const Serve& serve, std::span<std::byte> rows) {
    run_collective(ranks_, [&] {
      detail::check_rows(ids.size(), width, rows.size());
      fetch_each(
          ids.size(), copier{ids}, width, rank_of, serve,
          [&](std::size_t i, std::uint64_t id) { serve(id, rows.subspan(i * width, width)); },
          [&](std::size_t i, std::span<const std::byte> row) {
            put_row(row, rows.subspan(i * width, width));
          });
    });
  }

  /// The same, with IDs that are generated on demand and rows that are passed to a function. Inside
  /// run_collective().
  /// @param count  how many rows this rank wants
  /// @param fill   void fill(first, span<uint64_t> out): the IDs at positions first, first + 1,
  ///     ...; must not throw
  /// @param here   void here(i, id): position i wants a row that this rank owns; may throw
  /// @param put    void put(i, span<const byte> row): the row of another rank for position i; must
  ///     not throw
  template <class Fill, class RankOf, class Serve, class Here, class Put>
  void fetch_each(std::size_t count, const Fill& fill, std::size_t width, const RankOf& rank_of,
                  const Serve& serve, const Here& here, const Put& put) {
    if (ranks_.size() == 1) {
      step_ = std::min<std::size_t>(count, 4096);
      if (ids_.size() < step_) ids_ = uninitialized_array<std::uint64_t>(step_);
      for (std::size_t begin = 0; begin < count; begin += step_) {
        const auto some = ids_.values().first(std::min(step_, count - begin));
        fill(begin, some);
        for (std::size_t i = 0; i < some.size(); ++i) here(begin + i, some[i]);
      }
      counters_.local_rows += count;
      return;
    }
    const std::uint64_t rounds = begin_rounds(count, width, true);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const auto [begin, some] = slice(round, count, fill);
      deal(some, rank_of);
      const auto asked = swap_ids(some);
      const auto answers = out_rows_.values().first(asked.size() * width),
                 got = in_rows_.values().first(remote_count_ * width);
      for (std::size_t i = 0; i < asked.size(); ++i)
        serve(asked[i], answers.subspan(i * width, width));
      for (std::size_t i = remote_count_; i < some.size(); ++i)
        here(begin + places_[i], some[places_[i]]);
      check_peers(ranks_);
      peers_.reply(answers, got, width);
      for (std::size_t i = 0; i < remote_count_; ++i)
        put(begin + places_[i], std::span<const std::byte>(got).subspan(i * width, width));
    }
  }

  /// Send rows to the ranks that own them. An owner gets them ordered by the sending rank, then by
  /// position.
  /// @param rows  [n x width]
  /// @param take  void take(span<const received_row>), called once on each rank with all rows that
  ///     it owns, in that order, whatever the number of ranks; may throw
  /// @errors      as fetch; if take throws, other ranks may have taken their rows
  /// @complexity  O(n); memory for all rows that a rank receives, because they must be ordered
  template <class RankOf, class Take>
  void send_to_owners(std::span<const std::uint64_t> ids, std::size_t width, const RankOf& rank_of,
                      std::span<const std::byte> rows, const Take& take) {
    run_collective(ranks_, [&] {
      detail::check_rows(ids.size(), width, rows.size());
      std::vector<received_row> mine;
      uninitialized_array<std::byte> theirs;
      if (ranks_.size() == 1) {
        mine.reserve(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i)
          mine.push_back({ids[i], rows.subspan(i * width, width)});
        counters_.local_rows += ids.size();
      } else {
        send_rows(ids, width, rank_of, rows, mine, theirs);
      }
      take(std::span<const received_row>(mine));
    });
  }

  /// What this rank has moved since the object was made. Not collective.
  exchange_counters counters() const noexcept {
    exchange_counters all = counters_;
    all.sent_bytes = peers_.sent_bytes();
    all.received_bytes = peers_.received_bytes();
    return all;
  }

 private:
  static void put_row(std::span<const std::byte> from, std::span<std::byte> to) noexcept {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  }
  /// The rows that this rank receives, by sending rank, itself included.
  /// @param theirs  out, the bytes received
  template <class RankOf>
  void send_rows(std::span<const std::uint64_t> ids, std::size_t width, const RankOf& rank_of,
                 std::span<const std::byte> rows, std::vector<received_row>& mine,
                 uninitialized_array<std::byte>& theirs) {
    const std::size_t count = ranks_.size();
    const std::uint64_t rounds = begin_rounds(ids.size(), width, false);
    // Total of each rank, so that memory is allocated before the first row arrives.
    std::fill(peers_.out.begin(), peers_.out.end(), 0);
    for (const auto id : ids) ++peers_.out[static_cast<std::size_t>(rank_of(id))];
    const std::uint64_t own = peers_.out[ranks_.rank()];
    peers_.exchange_counts();
    std::vector<std::size_t> next(count);  // by the rank they come from
    std::size_t total = 0;
    for (std::size_t r = 0; r < count; ++r) {
      next[r] = total;
      total += static_cast<std::size_t>(r == ranks_.rank() ? own : peers_.in[r]);
    }
    mine.resize(total);
    theirs = uninitialized_array<std::byte>((total - static_cast<std::size_t>(own)) * width);
    std::size_t used = 0;
    check_peers(ranks_);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const auto [begin, some] = slice(round, ids.size(), copier{ids});
      deal(some, rank_of);
      const auto came = swap_ids(some);
      const auto out = out_rows_.values().first(remote_count_ * width),
                 in = theirs.values().subspan(used * width, came.size() * width);
      for (std::size_t i = 0; i < remote_count_; ++i)
        put_row(rows.subspan((begin + places_[i]) * width, width), out.subspan(i * width, width));
      peers_.exchange(out, in, width);
      for (std::size_t r = 0, at = 0; r < count; ++r) {
        for (std::uint64_t i = 0; i < peers_.in[r]; ++i, ++at)
          mine[next[r]++] = {came[at], std::span<const std::byte>(in).subspan(at * width, width)};
      }
      for (std::size_t i = remote_count_; i < some.size(); ++i)
        mine[next[ranks_.rank()]++] = {some[places_[i]],
                                       rows.subspan((begin + places_[i]) * width, width)};
      used += came.size();
    }
  }

  /// Memory that is reused by all rounds and calls.
  /// @param answers  rows are sent in reply to IDs, not with them
  void make_room(std::size_t step, std::size_t width, bool answers);

  /// Agree on the number of rounds and allocate their memory, so that the ranks can communicate
  /// without check_peers() until something is called that may throw. All ranks may request rows of
  /// the same rank, which then receives R - 1 times what each sends.
  /// @param answers  rows are sent in reply to IDs, not with them
  std::uint64_t begin_rounds(std::size_t count, std::size_t width, bool answers);

  /// The IDs of this rank in a round, and the position of the first.
  template <class Fill>
  std::pair<std::size_t, std::span<const std::uint64_t>> slice(std::uint64_t round,
                                                               std::size_t count,
                                                               const Fill& fill) {
    const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(count, round * step_));
    const auto some = ids_.values().first(std::min(step_, count - begin));
    fill(begin, some);
    return {begin, some};
  }

  /// Sort the positions of IDs by rank, this rank last, and count the IDs of each other rank.
  template <class RankOf>
  void deal(std::span<const std::uint64_t> ids, const RankOf& rank_of) {
    std::fill(peers_.out.begin(), peers_.out.end(), 0);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ++peers_.out[ranks_of_[i] = static_cast<std::size_t>(rank_of(ids[i]))];
    const auto local = static_cast<std::size_t>(std::exchange(peers_.out[ranks_.rank()], 0));
    remote_count_ = 0;
    for (std::size_t r = 0; r < starts_.size(); ++r) {
      starts_[r] = remote_count_;
      remote_count_ += static_cast<std::size_t>(peers_.out[r]);
    }
    starts_[ranks_.rank()] = remote_count_;
    for (std::size_t i = 0; i < ids.size(); ++i) places_[starts_[ranks_of_[i]]++] = i;
    counters_.local_rows += local;
    counters_.remote_rows += remote_count_;
  }

  /// Send IDs to the ranks that own them. @return the IDs that this rank receives
  std::span<const std::uint64_t> swap_ids(std::span<const std::uint64_t> ids);

  communicator_ref ranks_;
  alltoallv peers_;
  std::size_t budget_;
  std::size_t step_ = 0;          // rows of this rank in a round
  std::size_t remote_count_ = 0;  // of those, other ranks'
  std::vector<std::size_t> starts_{};
  uninitialized_array<std::uint64_t> ids_{}, out_ids_{}, in_ids_{};
  uninitialized_array<std::size_t> places_{}, ranks_of_{};
  uninitialized_array<std::byte> out_rows_{}, in_rows_{};
  exchange_counters counters_{};
};

/// Which rank holds a node. @param ranges [R+1] first node of each rank @pre node < ranges[R]
/// @complexity O(log R)
inline std::size_t rank_of_node(std::span<const std::uint64_t> ranges,
                                std::uint64_t node) noexcept {
  return range_of(ranges, node);
}

/// Fetch a number of each of some nodes from the ranks that own them. Inside run_collective().
///
/// @param ranges  [R+1] first node of each rank, the same on all ranks
/// @param wanted  nodes of any rank
/// @param value   value(i): the number of the i-th node of this rank's range; may throw
/// @param round_bytes  memory of the rounds, the same on all ranks
/// @return        [wanted]
/// @complexity    O(wanted + what the other ranks want) time; memory: 8 bytes for each node that is
///     wanted, and round_bytes
template <class Value>
std::vector<std::uint64_t> values_of_nodes(communicator_ref ranks,
                                           std::span<const std::uint64_t> ranges,
                                           std::span<const std::uint64_t> wanted,
                                           const Value& value,
                                           std::uint64_t round_bytes = node_exchange_bytes) {
  const std::uint64_t first = ranges[ranks.rank()];
  std::vector<std::uint64_t> out(wanted.size());
  const auto own = [&](std::uint64_t node) -> std::uint64_t {
    return value(static_cast<std::size_t>(node - first));
  };
  row_exchange exchange(ranks, static_cast<std::size_t>(round_bytes / 2));
  exchange.fetch_each(
      wanted.size(),
      [&](std::size_t begin, std::span<std::uint64_t> ids) {
        std::copy_n(wanted.begin() + static_cast<std::ptrdiff_t>(begin), ids.size(), ids.begin());
      },
      sizeof(std::uint64_t), [&](std::uint64_t node) { return rank_of_node(ranges, node); },
      [&](std::uint64_t node, std::span<std::byte> row) {
        const std::uint64_t found = own(node);
        std::memcpy(row.data(), &found, sizeof found);
      },
      [&](std::size_t i, std::uint64_t node) { out[i] = own(node); },
      [&](std::size_t i, std::span<const std::byte> row) {
        std::memcpy(&out[i], row.data(), sizeof out[i]);
      });
  return out;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/comm/impl/owner_fetch.ipp>
#endif
