// SPDX-License-Identifier: BSL-1.0
/// @file awkward.hpp
/// The base of most archetypes: movable, not copyable, not default-constructible.
/// Layer: testing. Words: README.md.
#pragma once

namespace halograph::archetype {

/// Movable, not copyable, not default-constructible.
struct awkward {
  awkward() = delete;
  explicit constexpr awkward(int) {}
  awkward(const awkward&) = delete;
  awkward& operator=(const awkward&) = delete;
  awkward(awkward&&) = default;
  awkward& operator=(awkward&&) = default;
};

}  // namespace halograph::archetype
