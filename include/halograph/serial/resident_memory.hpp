// SPDX-License-Identifier: BSL-1.0
/// @file resident_memory.hpp
/// The resident memory of this process.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace halograph {

/// The highest resident memory of this process so far, in bytes; 0 where the system does not say.
inline std::uint64_t peak_resident_bytes() noexcept {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// The anonymous resident memory of this process now, in bytes; 0 where the system does not say.
std::uint64_t anonymous_resident_bytes();

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/resident_memory.ipp>
#endif
