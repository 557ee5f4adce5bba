// SPDX-License-Identifier: BSL-1.0
/// @file resident_memory.ipp
/// Bodies of the plain functions of serial/resident_memory.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/serial/resident_memory.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace halograph {

HALOGRAPH_INLINE std::uint64_t anonymous_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace halograph
