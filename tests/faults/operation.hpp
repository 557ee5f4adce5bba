// SPDX-License-Identifier: BSL-1.0
/// @file operation.hpp
/// How record.cpp writes a call down for crash_states.cpp.
#pragma once

#include <cstdint>

namespace crash {

/// Followed by the path, the other path and the data. Paths are below the root.
///
/// | kind | call |
/// | --- | --- |
/// | C, M | make a file, a folder |
/// | W | write data at `offset` |
/// | T, A | set the size; grow to at least it |
/// | R, X, L | rename to the other path, exchange with it, link as it |
/// | U | remove a file or an empty folder |
/// | S | sync a file or a folder |
struct header {
  char kind;
  std::uint32_t path, other;  // bytes
  std::uint64_t offset, size, data;
};

}  // namespace crash
