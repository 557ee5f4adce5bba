// SPDX-License-Identifier: BSL-1.0
/// @file metis_policy.hpp
/// METIS as a partitioner of the program, in a file of its own: its header brings much with it.
#pragma once

#include "flag_values.hpp"
#include "policies.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::cli {

policy_entry metis_entry();

/// Why --method metis cannot be used, or "": the program was built with METIS.
std::string missing_metis();

/// Bind --metis NAME=VALUE: METIS's own options, by METIS's own names.
bound_flag bind_metis_options(flag_set& app, std::vector<std::string>& options);
/// @errors usage_error: an option is unknown, given twice or its value wrong; or there are some and
///     the method is not metis
void check_metis_options(std::span<const std::string> options, std::string_view method);

/// METIS's memory. @param entries  of all rows
std::uint64_t bytes_of_metis(std::uint64_t nodes, std::uint64_t entries, std::uint64_t constraints,
                             std::uint64_t parts);

}  // namespace halograph::cli
