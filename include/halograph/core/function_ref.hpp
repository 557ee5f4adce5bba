// SPDX-License-Identifier: BSL-1.0
/// @file function_ref.hpp
/// Any function of one signature, by reference: code that takes it is compiled once.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace halograph {

template <class Signature>
class function_ref;

/// Refers to a function or a function object (a lambda), which must outlive this object and its
/// copies: a parameter type, not a member's. Two pointers; a call costs one indirect call.
template <class Result, class... Args>
class function_ref<Result(Args...)> {
 public:
  /// @param called  must outlive this object and its copies
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, function_ref> &&
             std::is_object_v<std::remove_reference_t<F>> &&
             std::is_invocable_r_v<Result, F&, Args...>)
  constexpr function_ref(F&& called) noexcept
      : object_(const_cast<void*>(static_cast<const void*>(&called))),
        call_([](void* object, Args... args) -> Result {
          return static_cast<Result>(
              (*static_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...));
        }) {}

  /// A function, as an object would be.
  template <class F>
    requires(std::is_function_v<F> && std::is_invocable_r_v<Result, F&, Args...>)
  function_ref(F& called) noexcept
      : object_(reinterpret_cast<void*>(&called)),
        call_([](void* function, Args... args) -> Result {
          return static_cast<Result>(reinterpret_cast<F*>(function)(std::forward<Args>(args)...));
        }) {}

  /// Calls it; throws what it throws.
  constexpr Result operator()(Args... args) const {
    return call_(object_, std::forward<Args>(args)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace halograph
