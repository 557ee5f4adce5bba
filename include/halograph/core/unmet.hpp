// SPDX-License-Identifier: BSL-1.0
/// @file unmet.hpp
/// Sentences inside constraints: a concept that fails quotes the sentence of the clause that
/// failed.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstddef>

namespace halograph {

/// A string literal usable as a template argument.
template <std::size_t N>
struct text {
  char chars[N]{};  ///< with the final 0
  // Implicit, so that unmet<"sentence"> can be written.
  /// Implicit, so that unmet<"sentence"> can be written.
  constexpr text(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) chars[i] = literal[i];
  }
};

/// Always false; exists to be quoted by the compiler: `(clause<T> || unmet<"what would be
/// right">())`.
template <text Sentence>
consteval bool unmet() {
  return false;
}

}  // namespace halograph
