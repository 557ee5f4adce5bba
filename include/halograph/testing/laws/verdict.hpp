// SPDX-License-Identifier: BSL-1.0
/// @file verdict.hpp
/// The result of checking a law.
/// Layer: testing. Words: README.md.
#pragma once

#include <string>
#include <utility>

namespace halograph::laws {

/// Whether a law holds; if not, `why` says in one sentence what was seen instead.
struct verdict {
  bool holds = true;                                         ///< false: the law is broken
  std::string why{};                                         ///< empty where it holds
  explicit operator bool() const noexcept { return holds; }  ///< whether it holds
};

namespace detail {
inline verdict broken(std::string why) { return {false, std::move(why)}; }
}  // namespace detail

}  // namespace halograph::laws
