// SPDX-License-Identifier: BSL-1.0
/// @file embedded.hpp
/// A minimal error hook, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/status.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

namespace halograph::archetype {

/// Models `error_hook`: does nothing.
struct error_hook {
  error_hook() = default;
  error_hook(const error_hook&) = delete;
  error_hook& operator=(const error_hook&) = delete;
  constexpr void operator()(status, const char*) const {}
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Takes no name of the failed step.
struct error_hook_without_step {
  void operator()(status) const {}
};
/// Not default-constructible.
struct error_hook_with_log : archetype::awkward {
  void operator()(status, const char*) const {}
};

}  // namespace halograph::near_miss
