// SPDX-License-Identifier: BSL-1.0
/// @file alltoallv.hpp
/// All-to-all of any size: counts first, then bytes; and records in rounds of bounded memory.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <vector>

namespace halograph {

/// The smallest number of all ranks. Collective, as the next two, inside run_collective().
/// @errors as check_peers()
inline std::uint64_t all_reduce_min(communicator_ref ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return *std::min_element(all.begin(), all.end());
}
/// The largest number of all ranks. Collective.
inline std::uint64_t all_reduce_max(communicator_ref ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return *std::max_element(all.begin(), all.end());
}
/// The sum of the numbers of all ranks. Collective.
std::uint64_t all_reduce_sum(communicator_ref ranks, std::uint64_t mine);

/// How many records of each rank fit a round of so much memory. @see record_exchange
constexpr std::size_t records_per_round(std::uint64_t memory_bytes, std::size_t ranks,
                                        std::size_t record_bytes) noexcept {
  const std::uint64_t each = (std::uint64_t{ranks} + 2) * record_bytes + 4;
  return static_cast<std::size_t>(std::max<std::uint64_t>(memory_bytes / each, 1));
}

namespace detail {

/// Calls f(bytes) for each record of `width` bytes; records lie end to end.
template <class F>
void for_each_record(std::span<const std::byte> bytes, std::size_t width, F&& f) {
  for (std::size_t at = 0; width <= bytes.size() - at; at += width) f(bytes.subspan(at, width));
}
/// Calls f(record) for each record.
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

/// Counts and bytes of an all-to-all in which every rank sends each other rank as much as it likes.
/// Memory is kept from call to call. Not thread-safe.
class alltoallv {
 public:
  /// Views `ranks`; takes no memory before allocate().
  explicit alltoallv(communicator_ref ranks) noexcept : ranks_(ranks) {}

  /// [R] how many items go to each rank; the caller fills it.
  std::vector<std::uint64_t> out{}, in{};  ///< [R] how many come from each, by exchange_counts()

  /// Take the memory for the calls below, which then allocate nothing. @errors memory
  void allocate();
  /// Send each rank its count. Collective. @return items that come from all ranks: the sum of `in`
  /// @errors those of check_ranks()
  std::uint64_t exchange_counts();
  /// Send items of `width` bytes to the ranks that `out` counts. Collective.
  /// @param sent      items for each rank in turn
  /// @param received  items from each rank in turn, as `in` counts them
  void exchange(std::span<const std::byte> sent, std::span<std::byte> received, std::size_t width) {
    exchange(sent, out, received, in, width);
  }
  /// Answer: one item for each item received, back to its sender. Collective.
  void reply(std::span<const std::byte> sent, std::span<std::byte> received, std::size_t width) {
    exchange(sent, in, received, out, width);
  }
  /// Bytes of all items so far, replies and those to this rank itself included; counts are not.
  /// @{
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }
  std::uint64_t received_bytes() const noexcept { return received_bytes_; }
  /// @}

 private:
  void exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sent_items,
                std::span<std::byte> received, std::span<const std::uint64_t> received_items,
                std::size_t width);

  communicator_ref ranks_;
  std::vector<std::uint64_t> eights_{}, out_bytes_{}, in_bytes_{};
  std::vector<std::byte> scratch_{};
  std::uint64_t sent_bytes_ = 0, received_bytes_ = 0;
};

/// Sends records of one width to other ranks, in rounds of bounded memory.
///
/// In a round each rank appends up to `per_round` records. The receiver gets those of rank 0 first,
/// in the order in which they were appended, then those of rank 1, and so on. Memory: at most
/// ((R + 2) width + 4) per_round bytes, however the records are spread over the ranks.
class record_exchange {
 public:
  /// @param width      bytes of a record, 1 or more
  /// @param per_round  records that this rank may append in a round; the same on all ranks
  record_exchange(communicator_ref ranks, std::size_t width, std::size_t per_round,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : ranks_(ranks),
        width_(width),
        most_(per_round),
        held_(most_ * width_, memory),
        sorted_(most_ * width_, memory),
        got_(ranks.size() * most_ * width_, memory),
        to_(most_ * sizeof(std::uint32_t), memory),
        at_(ranks.size()),
        peers_(ranks) {
    peers_.allocate();
  }

  /// Records that may still be appended in this round.
  std::size_t room() const noexcept { return most_ - count_; }
  /// Memory for one record to rank `to`, to be filled before the next call. @pre room() != 0
  std::byte* append(std::size_t to) {
    to_of(count_) = static_cast<std::uint32_t>(to);
    return held_.data() + width_ * count_++;
  }
  /// Append a copy of a record to rank `to`. @pre room() != 0; a record has the exchange's width
  template <class Record>
    requires std::is_trivially_copyable_v<Record>
  void push(std::size_t to, const Record& record) {
    std::memcpy(append(to), &record, sizeof(Record));
  }

  /// Rounds until no rank has more. Collective.
  ///
  /// @param produce  produce(round): appends records and returns whether it has more. It is not
  ///     called again after it has returned false. If the number of rounds is the same on all
  ///     ranks, it may communicate, as in run_collective()
  /// @param consume  consume(round, from, bytes): gets the records of each rank in turn, in every
  ///     round, even if there are none
  /// @errors collective_abort on all ranks if one of the two throws, so call this inside
  ///     run_collective()
  void run(function_ref<bool(std::uint64_t)> produce,
           function_ref<void(std::uint64_t, std::size_t, std::span<const std::byte>)> consume);

 private:
  void swap();

  std::uint32_t& to_of(std::size_t i) const noexcept {
    return reinterpret_cast<std::uint32_t*>(to_.data())[i];
  }

  communicator_ref ranks_;
  std::size_t width_, most_, count_ = 0;
  // Allocated by the constructor, where it may fail, and not between two collective calls.
  detail::raw_bytes held_, sorted_, got_, to_;
  std::vector<std::size_t> at_;
  alltoallv peers_;
};

/// Memory of the rounds in which ranks exchange records and values, unless the caller says
/// otherwise.
inline constexpr std::uint64_t node_exchange_bytes = std::uint64_t{16} << 20;

/// Send each record to the rank `to(record)`, in rounds. Inside run_collective().
/// @param records  of any trivially copyable type
/// @param round_bytes  memory of the rounds, the same on all ranks
/// @return the records that this rank received, in unspecified order
/// @complexity O(records); memory: round_bytes and the result
template <class Record, class To>
std::vector<Record> send_records(communicator_ref ranks, std::span<const Record> records,
                                 const To& to, std::uint64_t round_bytes = node_exchange_bytes) {
  std::vector<Record> received;
  if (ranks.size() == 1) {
    received.assign(records.begin(), records.end());
    return received;
  }
  record_exchange exchange(ranks, sizeof(Record),
                           records_per_round(round_bytes, ranks.size(), sizeof(Record)));
  std::size_t next = 0;
  exchange.run(
      [&](std::uint64_t) {
        for (; next < records.size() && exchange.room() != 0; ++next)
          exchange.push(to(records[next]), records[next]);
        return next < records.size();
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        detail::for_each_record<Record>(bytes, [&](const Record& one) { received.push_back(one); });
      });
  return received;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/comm/impl/alltoallv.ipp>
#endif
