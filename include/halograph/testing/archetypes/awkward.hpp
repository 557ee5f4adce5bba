// SPDX-License-Identifier: BSL-1.0
/// @file awkward.hpp
/// Moved, never copied, never made of nothing: the base of most archetypes.
/// Layer: testing. Words: README.md.
#pragma once

namespace halograph::archetype {

/// Moved, never copied, never made of nothing.
struct awkward {
  awkward() = delete;
  explicit constexpr awkward(int) {}
  awkward(const awkward&) = delete;
  awkward& operator=(const awkward&) = delete;
  awkward(awkward&&) = default;
  awkward& operator=(awkward&&) = default;
};

}  // namespace halograph::archetype
