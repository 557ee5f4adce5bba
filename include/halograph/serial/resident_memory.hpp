// SPDX-License-Identifier: BSL-1.0
/// @file resident_memory.hpp
/// The resident memory of this process.
/// Layer: serial. Words: README.md.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace halograph {

/// The highest resident memory of this process so far, in bytes; 0 where the system does not say.
inline std::uint64_t peak_resident_bytes() noexcept {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// The anonymous resident memory of this process now, in bytes; 0 where the system does not say.
inline std::uint64_t anonymous_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace halograph
