// SPDX-License-Identifier: BSL-1.0
/// @file communicator.hpp
/// Ranks that exchange bytes: one process, a library's processes, or the user's own.
/// Layer: core (no allocation, no exceptions). Words: README.md.
///
/// R ranks, numbered 0 to R-1, run the same program on pieces of the data. Every call but rank()
/// and size() is *collective*: all ranks make the same calls in the same order, one at a time, and
/// a call returns when its own rank may go on. Counts are 64-bit; a library that counts in 31 bits
/// gets slices from its adapter, not from the callers. Buffers of one call do not overlap.
/// Bytes travel as they are: ranks of one communicator share a byte order.
#pragma once

#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

namespace detail {
template <class C>
concept names_ranks = requires(const C& ranks) {
  { ranks.rank() } -> std::convertible_to<std::size_t>;
  { ranks.size() } -> std::convertible_to<std::size_t>;
};
template <class C>
concept waits = requires(const C& ranks) {
  { ranks.barrier() } -> std::same_as<status>;
};
template <class C>
concept broadcasts = requires(const C& ranks, std::span<std::byte> data, std::size_t root) {
  { ranks.broadcast(data, root) } -> std::same_as<status>;
};
template <class C>
concept gathers = requires(const C& ranks, std::span<const std::byte> mine,
                           std::span<std::byte> all) {
  { ranks.all_gather(mine, all) } -> std::same_as<status>;
};
template <class C>
concept exchanges = requires(const C& ranks, std::span<const std::byte> out,
                             std::span<const std::uint64_t> counts, std::span<std::byte> in) {
  { ranks.all_to_all(out, counts, in, counts) } -> std::same_as<status>;
};
template <class C>
concept sums = requires(const C& ranks, std::span<std::uint64_t> values) {
  { ranks.sum(values) } -> std::same_as<status>;
};
}  // namespace detail

/// R ranks and what they can do together.
///
/// - `rank()` < `size()`: which one this is, and R;
/// - `barrier()`: no rank leaves before all have come;
/// - `broadcast(data, root)`: `data` of rank `root` becomes everyone's; of one length everywhere;
/// - `all_gather(mine, all)`: [n] bytes of each rank, in the order of ranks, [R x n] everywhere;
/// - `all_to_all(out, out_counts, in, in_counts)`: [R] counts each, in bytes; piece r of `out` goes
///   to rank r, piece r of `in` comes from it; pieces are end to end and may be empty;
/// - `sum(values)`: the sum of all ranks' values, element by element, modulo 2^64, everywhere.
///
/// Laws (testing/laws.hpp): the above; buffers and counts that do not fit each other are mismatch
/// and a root that is not a rank is out_of_range, before anything is exchanged.
template <class C>
concept communicator =
    (detail::names_ranks<C> ||
     unmet<"communicator: needs size_t rank() const and size_t size() const">()) &&
    (detail::waits<C> || unmet<"communicator: needs status barrier() const">()) &&
    (detail::broadcasts<C> ||
     unmet<"communicator: needs status broadcast(span<byte> data, size_t root) const">()) &&
    (detail::gathers<C> ||
     unmet<
         "communicator: needs status all_gather(span<const byte> mine, span<byte> all) const">()) &&
    (detail::exchanges<C> ||
     unmet<
         "communicator: needs status all_to_all(span<const byte> out, span<const uint64_t> out_counts, span<byte> in, span<const uint64_t> in_counts) const">()) &&
    (detail::sums<C> || unmet<"communicator: needs status sum(span<uint64_t> values) const">());

/// Do the buffers of an all_to_all fit their counts? For models of communicator.
/// @return ok; mismatch at R: not one count per rank; mismatch at the total: a buffer is not what
///     its counts add up to
/// @complexity O(R)
constexpr status check_exchange(std::size_t ranks, std::uint64_t buffer_bytes,
                                std::span<const std::uint64_t> counts) noexcept {
  if (counts.size() != ranks) return status::mismatch.at(ranks);
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) {
    if (count > ~total) return status::mismatch.at(~std::uint64_t{0});
    total += count;
  }
  return total == buffer_bytes ? status::ok : status::mismatch.at(total);
}

/// The only rank there is.
struct single_rank {
  /// @{
  /// The calls of `communicator` with R = 1: what is passed is already what every rank has.
  static constexpr std::size_t rank() noexcept { return 0; }
  static constexpr std::size_t size() noexcept { return 1; }
  constexpr status barrier() const noexcept { return status::ok; }
  constexpr status broadcast(std::span<std::byte>, std::size_t root) const noexcept {
    return root == 0 ? status::ok : status::out_of_range.at(root);
  }
  constexpr status all_gather(std::span<const std::byte> mine,
                              std::span<std::byte> all) const noexcept {
    if (all.size() != mine.size()) return status::mismatch.at(mine.size());
    std::copy(mine.begin(), mine.end(), all.begin());
    return status::ok;
  }
  constexpr status all_to_all(std::span<const std::byte> out,
                              std::span<const std::uint64_t> out_counts, std::span<std::byte> in,
                              std::span<const std::uint64_t> in_counts) const noexcept {
    if (const status fits = check_exchange(1, out.size(), out_counts); !fits) return fits;
    if (const status fits = check_exchange(1, in.size(), in_counts); !fits) return fits;
    if (in.size() != out.size()) return status::mismatch.at(out.size());
    std::copy(out.begin(), out.end(), in.begin());
    return status::ok;
  }
  constexpr status sum(std::span<std::uint64_t>) const noexcept { return status::ok; }
  /// @}
};
static_assert(communicator<single_rank>);

/// Any communicator, by reference: code that takes it is compiled once for all of them. A call
/// costs one indirect call. By default the only rank.
class communicator_ref {
 public:
  constexpr communicator_ref() noexcept : communicator_ref(alone) {}
  /// @param ranks  must outlive this object and its copies
  template <class C>
    requires(!std::same_as<C, communicator_ref> && communicator<C>)
  constexpr communicator_ref(const C& ranks) noexcept : ranks_(&ranks), calls_(&calls_of<C>) {}
  /// A temporary would be destroyed before the first call, so it must be one without members.
  template <class C>
    requires(!std::same_as<C, communicator_ref> && communicator<C> && std::is_empty_v<C>)
  constexpr communicator_ref(const C&&) noexcept : communicator_ref(stateless<C>) {}
  template <class C>
    requires(!std::same_as<C, communicator_ref> && communicator<C> && !std::is_empty_v<C>)
  communicator_ref(const C&&) = delete;

  /// @{
  /// The calls of `communicator`, passed on; errors are those of the communicator referred to.
  std::size_t rank() const { return calls_->rank(ranks_); }
  std::size_t size() const { return calls_->size(ranks_); }
  status barrier() const { return calls_->barrier(ranks_); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return calls_->broadcast(ranks_, data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return calls_->all_gather(ranks_, mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return calls_->all_to_all(ranks_, out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return calls_->sum(ranks_, values); }
  /// @}

 private:
  struct calls {
    std::size_t (*rank)(const void*);
    std::size_t (*size)(const void*);
    status (*barrier)(const void*);
    status (*broadcast)(const void*, std::span<std::byte>, std::size_t);
    status (*all_gather)(const void*, std::span<const std::byte>, std::span<std::byte>);
    status (*all_to_all)(const void*, std::span<const std::byte>, std::span<const std::uint64_t>,
                         std::span<std::byte>, std::span<const std::uint64_t>);
    status (*sum)(const void*, std::span<std::uint64_t>);
  };
  template <class C>
  static constexpr const C& as(const void* ranks) {
    return *static_cast<const C*>(ranks);
  }
  template <class C>
  static constexpr calls calls_of{
      [](const void* r) { return static_cast<std::size_t>(as<C>(r).rank()); },
      [](const void* r) { return static_cast<std::size_t>(as<C>(r).size()); },
      [](const void* r) { return as<C>(r).barrier(); },
      [](const void* r, std::span<std::byte> data, std::size_t root) {
        return as<C>(r).broadcast(data, root);
      },
      [](const void* r, std::span<const std::byte> mine, std::span<std::byte> all) {
        return as<C>(r).all_gather(mine, all);
      },
      [](const void* r, std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
         std::span<std::byte> in, std::span<const std::uint64_t> in_counts) {
        return as<C>(r).all_to_all(out, out_counts, in, in_counts);
      },
      [](const void* r, std::span<std::uint64_t> values) { return as<C>(r).sum(values); }};
  static constexpr single_rank alone{};
  template <class C>
  static constexpr C stateless{};

  const void* ranks_;
  const calls* calls_;
};
static_assert(communicator<communicator_ref>);

/// Agree on whether any rank failed, so that no rank waits for one that has given up. Collective.
/// @param mine  the status of this rank
/// @return      the same on every rank: ok if all are, else the status of the lowest rank whose is
///     not
/// @errors      those of the communicator
/// @complexity  one sum; if a rank failed, R broadcasts of 9 bytes at most
template <communicator C>
constexpr status agree(const C& ranks, status mine) {
  std::array<std::uint64_t, 1> failed{mine ? 0u : 1u};
  if (const status answer = ranks.sum(failed); !answer) return answer;
  if (failed[0] == 0) return status::ok;
  for (std::size_t root = 0; root < ranks.size(); ++root) {
    std::array<std::byte, 9> sent{};
    if (root == ranks.rank()) {
      for (unsigned i = 0; i < 8; ++i) sent[i] = static_cast<std::byte>(mine.position >> (8 * i));
      sent[8] = static_cast<std::byte>(mine.code);
    }
    if (const status answer = ranks.broadcast(sent, root); !answer) return answer;
    status theirs{static_cast<error_kind>(sent[8]), 0};
    for (unsigned i = 0; i < 8; ++i)
      theirs.position |= std::to_integer<std::uint64_t>(sent[i]) << (8 * i);
    if (!theirs) return theirs;
  }
  return status::internal;  // a rank failed, but no rank reports a failure
}

/// Send each rank the number of bytes (or rows: any number) that it will get from this one.
/// Collective.
/// @param out  [R] number for each rank   @param in  [R] out, number from each rank
/// @param eights  [R] scratch
/// @param bytes  [16 R] scratch
/// @errors mismatch: a span does not have its length; those of the communicator
template <communicator C>
constexpr status exchange_counts(const C& ranks, std::span<const std::uint64_t> out,
                                 std::span<std::uint64_t> in, std::span<std::uint64_t> eights,
                                 std::span<std::byte> bytes) {
  const std::size_t count = ranks.size();
  if (out.size() != count || in.size() != count || eights.size() != count ||
      bytes.size() != 16 * count) {
    return status::mismatch.at(count);
  }
  const auto sent = bytes.first(8 * count), got = bytes.subspan(8 * count);
  for (std::size_t r = 0; r < count; ++r) {
    eights[r] = 8;
    for (unsigned i = 0; i < 8; ++i) sent[8 * r + i] = static_cast<std::byte>(out[r] >> (8 * i));
  }
  if (const status answer = ranks.all_to_all(sent, eights, got, eights); !answer) return answer;
  for (std::size_t r = 0; r < count; ++r) {
    in[r] = 0;
    for (unsigned i = 0; i < 8; ++i)
      in[r] |= std::to_integer<std::uint64_t>(got[8 * r + i]) << (8 * i);
  }
  return status::ok;
}

}  // namespace halograph
