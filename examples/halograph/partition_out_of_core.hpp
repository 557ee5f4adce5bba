// SPDX-License-Identifier: BSL-1.0
/// @file partition_out_of_core.hpp
/// `halograph partition` of a graph that is kept in files: multilevel sees it compressed, or the
/// method reads each edge once, and dispatch writes the parts. The folder is the one that the job
/// in memory writes.
#pragma once

#include "command.hpp"
#include "partition_inputs.hpp"
#include "policies.hpp"

#include <halograph/pipeline/estimate.hpp>

#include <optional>

namespace halograph::cli {

/// Can assign and dispatch do all that the flags ask for, on a compressed graph?
bool may_run_out_of_core(const partition_flags& flags);
/// ... with a method that holds no edges, for a graph that does not fit in memory? auto: buffered.
bool may_stream_out_of_core(const partition_flags& flags, const offered_policies& policies);

/// What multilevel takes that sees the graph compressed, before the input is opened.
/// @param known    of the input  @param decided  the same with what the flags decide
resource_estimate guess_out_of_core(const estimate_input& known, const estimate_input& decided,
                                    const partition_flags& flags);

/// The whole job; auto means multilevel here. Of a method that holds no edges, edge cut and
/// communication volume are counted in the result, if there is memory.
/// @param decided  is it known that it takes less memory than the job in memory?
/// @param known    what the job in memory would hold, where that is known before the input is
/// opened
/// @return         nothing, which it never is where it is decided: the job in memory takes less
/// @errors         those of the job in memory, and of its steps
std::optional<answer> partition_out_of_core(const partition_flags& flags,
                                            const offered_policies& policies, const context& asked,
                                            bool decided, const estimate_input* known = nullptr);

}  // namespace halograph::cli
