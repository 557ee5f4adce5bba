// SPDX-License-Identifier: BSL-1.0
/// @file resident_memory.ipp
/// Bodies of the plain functions of serial/resident_memory.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/serial/resident_memory.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace halograph {

HALOGRAPH_INLINE std::uint64_t anonymous_resident_bytes() {
  std::uint64_t out = 0;
  std::FILE* const status = std::fopen("/proc/self/status", "re");
  if (status == nullptr) return out;
  // A line of more characters comes in pieces; none of them starts with this name.
  for (char line[256]; std::fgets(line, sizeof line, status) != nullptr;) {
    if (std::strncmp(line, "RssAnon:", 8) == 0) {
      out = std::strtoull(line + 8, nullptr, 10) * 1024;
      break;
    }
  }
  std::fclose(status);
  return out;
}

}  // namespace halograph
