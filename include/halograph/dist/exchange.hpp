// SPDX-License-Identifier: BSL-1.0
/// @file exchange.hpp
/// Ask the ranks that own things for rows of bytes, or hand them rows: owners do the work, in rounds of bounded memory.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/pipeline/jointly.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace halograph {

/// What exchanges have moved, as seen from one rank.
struct exchange_counters {
  std::uint64_t local_rows = 0;      ///< asked for and found on the same rank: not through the network
  std::uint64_t remote_rows = 0;     ///< asked of other ranks, or handed to them
  std::uint64_t served_rows = 0;     ///< answered to other ranks, or taken from them
  std::uint64_t sent_bytes = 0;      ///< to other ranks: IDs and rows
  std::uint64_t received_bytes = 0;  ///< from other ranks
  std::uint64_t rounds = 0;

  constexpr exchange_counters& operator+=(const exchange_counters& other) noexcept {
    local_rows += other.local_rows;
    remote_rows += other.remote_rows;
    served_rows += other.served_rows;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    rounds += other.rounds;
    return *this;
  }
};

/// A row that a rank was handed.
struct handed_row {
  std::uint64_t id = 0;
  std::span<const std::byte> bytes{};
};

/// Rows by ID between ranks. IDs are any 64-bit numbers whose rank the caller can tell. Every member is collective, and
/// each rank may ask for as many rows as it likes, in any order and repeatedly.
/// Memory: the budget, twice over, whatever is asked. Not thread-safe.
template <communicator Communicator>
class row_exchange {
 public:
  /// @param budget_bytes  what a rank may be sent in a round, at most; at least one row of each rank. The same on all ranks
  explicit row_exchange(const Communicator& ranks, std::size_t budget_bytes = std::size_t{1} << 24)
      : ranks_(&ranks), budget_(budget_bytes), out_counts_(ranks.size()), in_counts_(ranks.size()), eights_(ranks.size()), bytes_(16 * ranks.size()) {}

  /// Fetch rows.
  /// @param ids      [n]
  /// @param width    bytes of a row, the same on all ranks
  /// @param rank_of  rank_of(id) < R
  /// @param serve    void serve(id, span<byte> row): write the row of an ID that is this rank's; may raise
  /// @param rows     [n x width] out, in the order of `ids`
  /// @errors raises mismatch: `rows` has another size; what serve raises, on all ranks (jointly()); those of the communicator
  /// @complexity O(n) and what serve takes; 8 + width bytes for each row of another rank
  template <class RankOf, class Serve>
  void fetch(std::span<const std::uint64_t> ids, std::size_t width, const RankOf& rank_of, const Serve& serve, std::span<std::byte> rows) {
    if (ranks_->size() == 1) {
      check_rows(ids.size(), width, rows.size());
      for (std::size_t i = 0; i < ids.size(); ++i) serve(ids[i], rows.subspan(i * width, width));
      counters_.local_rows += ids.size();
      return;
    }
    jointly(*ranks_, [&] { check_rows(ids.size(), width, rows.size()); });
    const std::size_t step = rows_in_a_round(width);
    for_each_round(ids.size(), step, [&](std::size_t begin, std::size_t end) {
      const auto some = ids.subspan(begin, end - begin);
      deal(some, rank_of);
      const auto asked = swap_ids(some);
      const auto answers = room(out_rows_, asked.size() * width), got = room(in_rows_, remote_.size() * width);
      jointly(*ranks_, [&] {
        for (std::size_t i = 0; i < asked.size(); ++i) serve(asked[i], answers.subspan(i * width, width));
        for (const auto i : local_) serve(some[i], rows.subspan((begin + i) * width, width));
      });
      swap_bytes(answers, in_counts_, got, out_counts_, width);
      for (std::size_t i = 0; i < remote_.size(); ++i) {
        if (width != 0) std::memcpy(rows.data() + (begin + remote_[i]) * width, got.data() + i * width, width);
      }
    });
  }

  /// Hand rows to the ranks that own them, which take them in the global order: by the rank that hands them, then by position.
  /// @param rows  [n x width]
  /// @param take  void take(span<const handed_row>), called once on each rank with all rows that are its own, in that
  ///              order, whatever the number of ranks; may raise
  /// @errors      as fetch; where take raises, what others took stays taken
  /// @complexity  O(n); memory for all rows that a rank is handed, since the order is known only then
  template <class RankOf, class Take>
  void hand(std::span<const std::uint64_t> ids, std::size_t width, const RankOf& rank_of, std::span<const std::byte> rows, const Take& take) {
    if (ranks_->size() == 1) {
      check_rows(ids.size(), width, rows.size());
      std::vector<handed_row> mine(ids.size());
      for (std::size_t i = 0; i < ids.size(); ++i) mine[i] = {ids[i], rows.subspan(i * width, width)};
      counters_.local_rows += ids.size();
      take(std::span<const handed_row>(mine));
      return;
    }
    jointly(*ranks_, [&] { check_rows(ids.size(), width, rows.size()); });
    struct pile {
      std::vector<std::uint64_t> ids{};
      std::vector<std::byte> rows{};
    };
    std::vector<pile> piles(ranks_->size());  // by the rank they come from
    for_each_round(ids.size(), rows_in_a_round(width), [&](std::size_t begin, std::size_t end) {
      const auto some = ids.subspan(begin, end - begin);
      deal(some, rank_of);
      const auto came = swap_ids(some);
      const auto out = room(out_rows_, remote_.size() * width), in = room(in_rows_, came.size() * width);
      for (std::size_t i = 0; i < remote_.size(); ++i) {
        if (width != 0) std::memcpy(out.data() + i * width, rows.data() + (begin + remote_[i]) * width, width);
      }
      swap_bytes(out, out_counts_, in, in_counts_, width);
      for (std::size_t r = 0, at = 0; r < piles.size(); ++r) {
        const auto count = static_cast<std::size_t>(in_counts_[r]);
        piles[r].ids.insert(piles[r].ids.end(), came.begin() + static_cast<std::ptrdiff_t>(at), came.begin() + static_cast<std::ptrdiff_t>(at + count));
        piles[r].rows.insert(piles[r].rows.end(), in.begin() + static_cast<std::ptrdiff_t>(at * width), in.begin() + static_cast<std::ptrdiff_t>((at + count) * width));
        at += count;
      }
    });
    jointly(*ranks_, [&] {
      std::vector<handed_row> all;
      for (std::size_t r = 0; r < piles.size(); ++r) {
        if (r == ranks_->rank()) {
          for (std::size_t i = 0; i < ids.size(); ++i) {
            if (rank_of(ids[i]) == r) all.push_back({ids[i], rows.subspan(i * width, width)});
          }
        }
        for (std::size_t i = 0; i < piles[r].ids.size(); ++i) all.push_back({piles[r].ids[i], std::span<const std::byte>(piles[r].rows).subspan(i * width, width)});
      }
      take(std::span<const handed_row>(all));
    });
  }

  const exchange_counters& counters() const noexcept { return counters_; }

 private:
  /// Memory that stays from round to round; what it holds is written over.
  static std::span<std::byte> room(uninitialized_array<std::byte>& memory, std::size_t size) {
    if (memory.size() < size) memory = uninitialized_array<std::byte>(size);
    return memory.values().first(size);
  }
  static void check_rows(std::size_t ids, std::size_t width, std::size_t bytes) {
    if (width == 0 ? bytes != 0 : bytes % width != 0 || bytes / width != ids) {
      raise(errc::mismatch, std::to_string(ids) + " rows of " + std::to_string(width) + " bytes do not fit memory of " + std::to_string(bytes) +
                                " bytes; it must have exactly their size");
    }
  }

  // All ranks may ask the same one: it gets R times what each sends.
  std::size_t rows_in_a_round(std::size_t width) const noexcept {
    return std::max<std::size_t>(1, budget_ / ranks_->size() / std::max<std::size_t>(width, 8));
  }

  template <class Round>
  void for_each_round(std::size_t count, std::size_t step, const Round& round) {
    const std::uint64_t mine = count / step + (count % step != 0 ? 1 : 0);
    std::array<std::byte, 8> sent{};
    std::memcpy(sent.data(), &mine, 8);
    std::vector<std::byte> all(8 * ranks_->size());
    check_ranks(ranks_->all_gather(sent, all));
    std::uint64_t rounds = 0;
    for (std::size_t r = 0; r < ranks_->size(); ++r) {
      std::uint64_t theirs = 0;
      std::memcpy(&theirs, all.data() + 8 * r, 8);
      rounds = std::max(rounds, theirs);
    }
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(count, i * step));
      round(begin, begin + std::min(step, count - begin));
    }
    counters_.rounds += rounds;
  }

  /// Positions of local IDs, and of others by their rank; how many each rank gets.
  template <class RankOf>
  void deal(std::span<const std::uint64_t> ids, const RankOf& rank_of) {
    local_.clear();
    std::fill(out_counts_.begin(), out_counts_.end(), 0);
    ranks_of_.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto rank = static_cast<std::size_t>(rank_of(ids[i]));
      ranks_of_[i] = rank;
      if (rank == ranks_->rank()) local_.push_back(i);
      else ++out_counts_[rank];
    }
    std::vector<std::size_t> at(ranks_->size());
    std::size_t total = 0;
    for (std::size_t r = 0; r < at.size(); ++r) {
      at[r] = total;
      total += static_cast<std::size_t>(out_counts_[r]);
    }
    remote_.resize(total);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ranks_of_[i] != ranks_->rank()) remote_[at[ranks_of_[i]]++] = i;
    }
    counters_.local_rows += local_.size();
    counters_.remote_rows += total;
  }

  /// IDs to the ranks they are of; what this rank is sent.
  std::vector<std::uint64_t> swap_ids(std::span<const std::uint64_t> ids) {
    check_ranks(exchange_counts(*ranks_, out_counts_, in_counts_, eights_, bytes_));
    std::vector<std::uint64_t> out(remote_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ids[remote_[i]];
    std::uint64_t coming = 0;
    for (const auto count : in_counts_) coming += count;
    std::vector<std::uint64_t> in(static_cast<std::size_t>(coming));
    swap_bytes(std::as_bytes(std::span(out)), out_counts_, std::as_writable_bytes(std::span(in)), in_counts_, 8);
    counters_.served_rows += coming;
    return in;
  }

  void swap_bytes(std::span<const std::byte> out, const std::vector<std::uint64_t>& out_rows, std::span<std::byte> in, const std::vector<std::uint64_t>& in_rows,
                  std::size_t width) {
    std::vector<std::uint64_t> out_bytes(out_rows), in_bytes(in_rows);
    for (auto& count : out_bytes) count *= width;
    for (auto& count : in_bytes) count *= width;
    check_ranks(ranks_->all_to_all(out, out_bytes, in, in_bytes));
    counters_.sent_bytes += out.size();
    counters_.received_bytes += in.size();
  }

  const Communicator* ranks_;
  std::size_t budget_;
  std::vector<std::uint64_t> out_counts_, in_counts_, eights_;  // rows, each rank's
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> local_{}, remote_{}, ranks_of_{};
  uninitialized_array<std::byte> out_rows_{}, in_rows_{};
  exchange_counters counters_{};
};

}  // namespace halograph
