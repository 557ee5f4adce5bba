// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// `halograph partition` and `halograph estimate`: the same flags; the whole job, or what it would
/// take.
#pragma once

#include "command.hpp"
#include "policies.hpp"

namespace halograph::cli {

action add_partition(flag_set& app, const offered_policies& policies);
action add_estimate(flag_set& app, const offered_policies& policies);

}  // namespace halograph::cli
