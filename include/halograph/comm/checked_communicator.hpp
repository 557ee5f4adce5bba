// SPDX-License-Identifier: BSL-1.0
/// @file checked_communicator.hpp
/// A communicator for algorithms that do not handle exceptions of other ranks: if one rank throws,
/// all ranks leave the algorithm.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

namespace detail {
/// A communicator that adapts a library may have a member `handle()`, for foreign functions that
/// need the library's own object, such as an MPI_Comm.
template <class C>
concept has_handle = requires(const C& ranks) { ranks.handle(); };
}  // namespace detail

/// Calls check_peers() before every call of another communicator, which it views.
///
///     run_collective(ranks, [&] {
///       answer = policy.assign(checked_communicator(ranks), mine, owner);
///     });
///
/// @errors collective_abort, from any call but rank() and size()
/// @complexity one more all-reduce for each call
template <communicator C>
class checked_communicator {
 public:
  /// Views `ranks`, which must outlive this object.
  explicit checked_communicator(const C& ranks) noexcept : ranks_(&ranks) {}

  /// The communicator that is viewed; its calls check nothing.
  const C& ranks() const noexcept { return *ranks_; }
  /// This rank and R, without any check.
  /// @{
  std::size_t rank() const { return ranks_->rank(); }
  std::size_t size() const { return ranks_->size(); }
  /// @}
  /// The calls of `communicator`, each after check_peers().
  /// @return the status of the viewed communicator  @errors collective_abort: another rank failed
  /// @{
  status barrier() const { return checked().barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return checked().broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return checked().all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return checked().all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return checked().sum(values); }
  /// @}

  /// The handle of the library behind the communicator, where there is one.
  auto handle() const
    requires detail::has_handle<C>
  {
    return ranks_->handle();
  }

 private:
  const C& checked() const {
    check_peers(*ranks_);
    return *ranks_;
  }
  const C* ranks_;
};

}  // namespace halograph
