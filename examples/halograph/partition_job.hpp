// SPDX-License-Identifier: BSL-1.0
/// @file partition_job.hpp
/// The whole job of `halograph partition` at one width of IDs.
#pragma once

#include "command.hpp"
#include "partition_inputs.hpp"
#include "policies.hpp"

#include <halograph/core/ids.hpp>

namespace halograph::cli {

template <id ID>
answer partition_at(const partition_flags& flags, const offered_policies& policies,
                    const context& asked);

/// How a result was made, for its manifest: what decides its bytes, and no paths.
json::value describe_command(const partition_flags& flags, const std::string& name);

}  // namespace halograph::cli
