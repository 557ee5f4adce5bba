// SPDX-License-Identifier: BSL-1.0
/// @file available_memory.hpp
/// How much memory this process can still take.
#pragma once

#include <cstdint>
#include <string>

namespace halograph::cli {

/// What available_memory() of inputs.hpp answers, read from the files below another root: the least
/// that the machine, the control groups of the process (of both versions, with those above them),
/// and its limits (ulimit -v, -d) leave, in bytes.
/// @param root  the folder that holds proc and sys; "": that of the system
std::uint64_t available_memory_below(const std::string& root);

}  // namespace halograph::cli
