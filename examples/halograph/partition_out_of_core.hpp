// SPDX-License-Identifier: BSL-1.0
/// @file partition_out_of_core.hpp
/// `halograph partition` of a graph that is kept in files: multilevel sees it compressed, and
/// dispatch writes the parts. The folder is the one that the job in memory writes.
#pragma once

#include "command.hpp"
#include "partition_inputs.hpp"
#include "policies.hpp"

#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>

#include <cstddef>
#include <optional>

namespace halograph::cli {

/// Can assign and dispatch do all that the flags ask for?
bool may_run_out_of_core(const partition_flags& flags);

/// What such a run takes.
/// @param counts  with what the flags decide  @param dispatched  what dispatch computes its memory
///     from; its IDs are of 4 bytes
resource_estimate estimate_out_of_core(const estimate_input& counts,
                                       const dispatch_counts& dispatched,
                                       const partition_flags& flags);
/// The same before the input was opened: features are taken for eight of each kind.
dispatch_counts guess_dispatch_counts(const estimate_input& counts);

/// The whole job.
/// @param decided  is it known that it takes less memory than the job in memory?
/// @return         nothing, which it never is where that is known: the job in memory takes less
/// @errors         those of the job in memory, and of its steps
std::optional<answer> partition_out_of_core(const partition_flags& flags,
                                            const offered_policies& policies, const context& asked,
                                            bool decided);

}  // namespace halograph::cli
