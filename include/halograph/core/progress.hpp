// SPDX-License-Identifier: BSL-1.0
/// @file progress.hpp
/// Reports of how far a long job has come, and of the memory that it takes.
/// Layer: core. Words: README.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace halograph {

/// How far a long step has come.
struct progress {
  std::string_view step{};  ///< "assign", "relabel", "write", ...
  std::uint64_t done = 0;   ///< of `total`; both 0 where only the step's start is known
  std::uint64_t total = 0;  ///< units of work of this step
  std::string_view unit{};  ///< "parts", "bytes", "edges"
};

/// Called as a long job goes on, from one thread at a time. Throwing from it ends the job cleanly.
using progress_callback = std::function<void(const progress&)>;

/// Told how many bytes a partitioner takes at most: until it is told again, or the last time in
/// all.
using memory_callback = std::function<void(std::uint64_t bytes, bool in_all)>;

}  // namespace halograph
