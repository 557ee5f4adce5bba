// SPDX-License-Identifier: BSL-1.0
/// @file metis_policy.hpp
/// METIS as a partitioner of the program, in a file of its own: its header brings much with it.
#pragma once

#include "policies.hpp"

#include <cstdint>
#include <string>

namespace halograph::cli {

policy_entry metis_entry();

/// Why --method metis cannot be used, or "": the program was built with METIS.
std::string missing_metis();

/// METIS's memory. @param entries  of all rows
std::uint64_t bytes_of_metis(std::uint64_t nodes, std::uint64_t entries, std::uint64_t constraints,
                             std::uint64_t parts);

}  // namespace halograph::cli
