// SPDX-License-Identifier: BSL-1.0
/// @file checked_communicator.hpp
/// Lend ranks to an algorithm that knows nothing of exceptions, so that where one of them throws
/// all leave it together.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// A communicator that asks before every call whether a rank has thrown since the last. Views
/// another one.
///
///     run_collective(ranks, [&] { answer = policy.assign(checked_communicator(ranks), mine,
///     owner); });
///
/// @errors collective_abort, out of any call but rank() and size()
/// @complexity one sum more for each call
template <communicator C>
class checked_communicator {
 public:
  explicit checked_communicator(const C& ranks) noexcept : ranks_(&ranks) {}

  const C& ranks() const noexcept { return *ranks_; }
  std::size_t rank() const { return ranks_->rank(); }
  std::size_t size() const { return ranks_->size(); }
  status barrier() const { return asked().barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return asked().broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return asked().all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return asked().all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return asked().sum(values); }

  /// What a foreign library wants of them, where there is such a thing.
  auto handle() const
    requires requires(const C& ranks) { ranks.handle(); }
  {
    return ranks_->handle();
  }

 private:
  const C& asked() const {
    check_peers(*ranks_);
    return *ranks_;
  }
  const C* ranks_;
};

}  // namespace halograph
