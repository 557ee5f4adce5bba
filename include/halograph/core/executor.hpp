// SPDX-License-Identifier: BSL-1.0
/// @file executor.hpp
/// Where loops run: one thread, a library's pool, or the user's own.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/unmet.hpp>

#include <concepts>
#include <cstddef>

namespace halograph {

namespace detail {
struct example_loop_body {
  void operator()(std::size_t, std::size_t) const {}
};
template <class E>
concept runs_loops = requires(const E& e, std::size_t n, example_loop_body body) {
  e.parallel_for(n, n, n, body);
};
template <class E>
concept has_concurrency = requires(const E& e) {
  { e.concurrency() } -> std::convertible_to<std::size_t>;
};
}  // namespace detail

/// Runs `body(begin, end)` over pieces that tile [first, last). Laws (testing/laws.hpp): every
/// index is visited once; the call returns after the last piece; pieces hold at least `grain`
/// indices where they can; an exception of the body reaches the caller.
template <class E>
concept executor =
    (detail::has_concurrency<E> || unmet<"executor: needs size_t concurrency() const">()) &&
    (detail::runs_loops<E> ||
     unmet<
         "executor: needs void parallel_for(first, last, grain, body) const, body(begin, end)">());

/// The caller's thread.
struct sequential {
  static constexpr std::size_t concurrency() noexcept { return 1; }
  template <class Body>
  constexpr void parallel_for(std::size_t first, std::size_t last, std::size_t /*grain*/,
                              Body&& body) const {
    if (first < last) body(first, last);
  }
};
static_assert(executor<sequential>);

}  // namespace halograph
