// SPDX-License-Identifier: BSL-1.0
/// @file assign_context.hpp
/// What an assignment may use besides the graph: threads, scratch memory, ranks.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

namespace detail {
template <class T>
inline constexpr T default_of{};
}  // namespace detail

/// The partitioner allocates its scratch memory.
struct allocated_memory {};

/// The threads, the scratch memory and the ranks of one assignment, each optional:
///
///     hg::assign(g, policy, hg::assign_context().on(threads).in(memory));
///
/// A view of what it is given, for the duration of a call. The owners do not depend on it.
template <executor Threads = sequential, class Memory = allocated_memory,
          communicator Ranks = single_rank>
class assign_context {
 public:
  /// Does the caller provide scratch memory? Otherwise memory() does not exist.
  static constexpr bool has_memory = !std::same_as<Memory, allocated_memory>;

  /// @param threads, ranks  must outlive the context
  constexpr explicit assign_context(const Threads& threads = detail::default_of<Threads>,
                                    Memory memory = {},
                                    const Ranks& ranks = detail::default_of<Ranks>) noexcept
      : threads_(&threads), ranks_(&ranks), memory_(memory) {}

  /// The same on an executor.
  template <executor E>
  constexpr auto on(const E& threads) const noexcept {
    return assign_context<E, Memory, Ranks>(threads, memory_, *ranks_);
  }
  /// The same in scratch memory of the caller, [assign_scratch_size(g, policy)].
  constexpr auto in(std::span<std::uint64_t> memory) const noexcept {
    return assign_context<Threads, std::span<std::uint64_t>, Ranks>(*threads_, memory, *ranks_);
  }
  /// The same in memory that the partitioner allocates.
  constexpr auto in_allocated_memory() const noexcept {
    return assign_context<Threads, allocated_memory, Ranks>(*threads_, {}, *ranks_);
  }
  /// The same over ranks, for a graph of which each rank holds a piece.
  template <communicator C>
  constexpr auto over(const C& ranks) const noexcept {
    return assign_context<Threads, Memory, C>(*threads_, memory_, ranks);
  }

  constexpr const Threads& threads() const noexcept { return *threads_; }  ///< where loops run
  /// Who holds the other pieces of the graph.
  constexpr const Ranks& ranks() const noexcept { return *ranks_; }
  /// Scratch memory of the caller, as passed to in().
  constexpr std::span<std::uint64_t> memory() const noexcept
    requires has_memory
  {
    return memory_;
  }

 private:
  const Threads* threads_;
  const Ranks* ranks_;
  [[no_unique_address]] Memory memory_;
};

namespace detail {

template <class T>
inline constexpr bool is_assign_context = false;
template <class Threads, class Memory, class Ranks>
inline constexpr bool is_assign_context<assign_context<Threads, Memory, Ranks>> = true;

/// What calls take as their context: one, or its only member.
template <class T>
concept makes_assign_context = is_assign_context<T> || runs_loops<T> || names_ranks<T> ||
                               std::convertible_to<const T&, std::span<std::uint64_t>>;

template <makes_assign_context T>
constexpr auto assign_context_of(const T& resource) noexcept {
  if constexpr (is_assign_context<T>) {
    return resource;
  } else if constexpr (runs_loops<T>) {
    return assign_context().on(resource);
  } else if constexpr (names_ranks<T>) {
    return assign_context().over(resource);
  } else {
    return assign_context().in(resource);
  }
}

}  // namespace detail

}  // namespace halograph
