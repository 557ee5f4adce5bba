// SPDX-License-Identifier: BSL-1.0
/// @file executor.hpp
/// Where loops run: one thread, a library's pool, or the user's own.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/unmet.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

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
  /// @{
  /// The calls of `executor`: one piece, at once.
  static constexpr std::size_t concurrency() noexcept { return 1; }
  template <class Body>
  constexpr void parallel_for(std::size_t first, std::size_t last, std::size_t /*grain*/,
                              Body&& body) const {
    if (first < last) body(first, last);
  }
  /// @}
};
static_assert(executor<sequential>);

/// Any executor, by reference: code that takes it is compiled once for all of them. A loop costs
/// one indirect call and one more per piece. By default the caller's thread.
class executor_ref {
 public:
  constexpr executor_ref() noexcept : executor_ref(caller) {}
  /// @param run  must outlive this object and its copies
  template <class Executor>
    requires(!std::same_as<Executor, executor_ref> && executor<Executor>)
  constexpr executor_ref(const Executor& run) noexcept
      : executor_(&run),
        concurrency_([](const void* executor) {
          return static_cast<std::size_t>(static_cast<const Executor*>(executor)->concurrency());
        }),
        loop_([](const void* executor, std::size_t first, std::size_t last, std::size_t grain,
                 function_ref<void(std::size_t, std::size_t)> body) {
          static_cast<const Executor*>(executor)->parallel_for(first, last, grain, body);
        }) {}
  /// A temporary would be destroyed before the first loop, so it must be one without members.
  template <class Executor>
    requires(!std::same_as<Executor, executor_ref> && executor<Executor> &&
             std::is_empty_v<Executor>)
  constexpr executor_ref(const Executor&&) noexcept : executor_ref(stateless<Executor>) {}
  template <class Executor>
    requires(!std::same_as<Executor, executor_ref> && executor<Executor> &&
             !std::is_empty_v<Executor>)
  executor_ref(const Executor&&) = delete;

  /// @{
  /// The calls of `executor`, passed on.
  std::size_t concurrency() const { return concurrency_(executor_); }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    loop_(executor_, first, last, grain, body);
  }
  /// @}

 private:
  static constexpr sequential caller{};
  template <class Executor>
  static constexpr Executor stateless{};

  const void* executor_;
  std::size_t (*concurrency_)(const void*);
  void (*loop_)(const void*, std::size_t, std::size_t, std::size_t,
                function_ref<void(std::size_t, std::size_t)>);
};
static_assert(executor<executor_ref>);

}  // namespace halograph
