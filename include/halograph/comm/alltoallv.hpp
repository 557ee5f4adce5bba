// SPDX-License-Identifier: BSL-1.0
/// @file alltoallv.hpp
/// Records on their way to the ranks they are for, in rounds through memory of a fixed size.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <vector>

namespace halograph {

/// The least of all ranks' numbers, everywhere: for what all must agree on. Collective, as the next
/// two inside run_collective().
/// @errors as check_peers()
template <communicator C>
std::uint64_t all_reduce_min(const C& ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return *std::min_element(all.begin(), all.end());
}
/// The largest of all ranks' numbers, everywhere. Collective.
template <communicator C>
std::uint64_t most_of_ranks(const C& ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return *std::max_element(all.begin(), all.end());
}
/// The sum of all ranks' numbers, everywhere. Collective.
template <communicator C>
std::uint64_t all_reduce_sum(const C& ranks, std::uint64_t mine) {
  check_peers(ranks);
  std::array<std::uint64_t, 1> sum{mine};
  check_ranks(ranks.sum(sum));
  return sum[0];
}

/// Records that fit a round within so much memory. @see record_exchange
constexpr std::size_t records_per_round(std::uint64_t memory_bytes, std::size_t ranks,
                                        std::size_t record_bytes) noexcept {
  const std::uint64_t each = (std::uint64_t{ranks} + 2) * record_bytes + 4;
  return static_cast<std::size_t>(std::max<std::uint64_t>(memory_bytes / each, 1));
}

namespace detail {

/// f(bytes) for each of the records of so many bytes that lie end to end.
template <class F>
void for_each_record(std::span<const std::byte> bytes, std::size_t width, F&& f) {
  for (std::size_t at = 0; width <= bytes.size() - at; at += width) f(bytes.subspan(at, width));
}
/// f(record) for each.
template <class Record, class F>
  requires std::is_trivially_copyable_v<Record>
void for_each_record(std::span<const std::byte> bytes, F&& f) {
  for_each_record(bytes, sizeof(Record), [&](std::span<const std::byte> one) {
    Record record;
    std::memcpy(&record, one.data(), sizeof record);
    f(record);
  });
}

}  // namespace detail

/// Takes records of one width round by round and hands them over on the rank they are for.
///
/// In a round each rank appends up to `per_round` records, in an order that is kept: the receiver
/// sees those of rank 0 first, in the order in which they were appended, then those of rank 1, ...
/// Memory: ((R + 2) width + 4) per_round bytes at most, however the records are spread over ranks.
template <communicator C>
class record_exchange {
 public:
  /// @param width      bytes of a record, 1 or more
  /// @param per_round  records that this rank may append in a round; the same on all ranks
  record_exchange(const C& ranks, std::size_t width, std::size_t per_round,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : ranks_(ranks),
        width_(width),
        most_(per_round),
        held_(most_ * width_, memory),
        sorted_(most_ * width_, memory),
        got_(ranks.size() * most_ * width_, memory),
        to_(most_ * sizeof(std::uint32_t), memory),
        out_(ranks.size()),
        in_(ranks.size()),
        eights_(ranks.size()),
        at_(ranks.size()),
        bytes_(16 * ranks.size()) {}

  /// Records that may still be appended in this round.
  std::size_t room() const noexcept { return most_ - count_; }
  /// Room for one record to rank `to`, to be filled before the next call. @pre room() != 0
  std::byte* append(std::size_t to) {
    to_of(count_) = static_cast<std::uint32_t>(to);
    return held_.data() + width_ * count_++;
  }
  template <class Record>
    requires std::is_trivially_copyable_v<Record>
  void push(std::size_t to, const Record& record) {
    std::memcpy(append(to), &record, sizeof(Record));
  }

  /// Rounds until no rank has more. Collective.
  ///
  /// @param produce  produce(round): appends; true: it has more. Not called again once it has not.
  ///     Where it has on all ranks or on none, ranks may talk to each other in it as in
  ///     run_collective()
  /// @param consume  consume(round, from, bytes): whole records from each rank in turn, in every
  ///     round, be there any or not
  /// @errors collective_abort everywhere where one of them raises, so it goes inside
  /// run_collective()
  template <class Produce, class Consume>
  void run(Produce&& produce, Consume&& consume) {
    std::exception_ptr problem;
    bool more = true;
    for (std::uint64_t round = 0;; ++round) {
      count_ = 0;
      if (more && !problem) {
        try {
          more = produce(round);
        } catch (const collective_abort&) {
          throw;
        } catch (...) {
          problem = std::current_exception();
        }
      }
      const auto [failed, any] = ask_ranks(ranks_, problem != nullptr, more || count_ != 0);
      if (failed) throw collective_abort{problem};
      if (!any) return;
      swap();
      for (std::size_t from = 0, at = 0; from < in_.size() && !problem; ++from) {
        const auto bytes = static_cast<std::size_t>(in_[from]);
        try {
          consume(round, from, std::span<const std::byte>(got_.data() + at, bytes));
        } catch (...) {
          problem = std::current_exception();
        }
        at += bytes;
      }
    }
  }

 private:
  void swap() {
    // By rank, stable.
    std::fill(out_.begin(), out_.end(), 0);
    for (std::size_t i = 0; i < count_; ++i) ++out_[to_of(i)];
    at_[0] = 0;
    for (std::size_t r = 1; r < at_.size(); ++r)
      at_[r] = at_[r - 1] + static_cast<std::size_t>(out_[r - 1]);
    for (std::size_t i = 0; i < count_; ++i)
      std::memcpy(sorted_.data() + width_ * at_[to_of(i)]++, held_.data() + width_ * i, width_);
    for (auto& bytes : out_) bytes *= width_;
    check_ranks(exchange_counts(ranks_, std::span<const std::uint64_t>(out_),
                                std::span<std::uint64_t>(in_), std::span<std::uint64_t>(eights_),
                                std::span<std::byte>(bytes_)));
    std::uint64_t total = 0;
    for (const auto bytes : in_) total += bytes;
    if (total > ranks_.size() * most_ * width_)
      raise(errc::mismatch, "a rank sends more in a round than this one expects");
    check_ranks(ranks_.all_to_all(sorted_.first(count_ * width_), out_,
                                  got_.first(static_cast<std::size_t>(total)), in_));
  }

  std::uint32_t& to_of(std::size_t i) const noexcept {
    return reinterpret_cast<std::uint32_t*>(to_.data())[i];
  }

  const C& ranks_;
  std::size_t width_, most_, count_ = 0;
  detail::raw_bytes held_, sorted_, got_,
      to_;  // taken here, where it may fail: not between two calls of all ranks
  std::vector<std::uint64_t> out_, in_, eights_;
  std::vector<std::size_t> at_;
  std::vector<std::byte> bytes_;
};

}  // namespace halograph
