// SPDX-License-Identifier: BSL-1.0
/// @file id_range.hpp
/// A half-open range of IDs.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstdint>

namespace halograph {

/// A half-open range of IDs.
struct id_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  constexpr std::uint64_t size() const noexcept { return end - begin; }
  friend constexpr bool operator==(const id_range&, const id_range&) = default;
};

}  // namespace halograph
