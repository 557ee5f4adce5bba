// SPDX-License-Identifier: BSL-1.0
/// @file finish.hpp
/// Dispatch, last phase: the config, the script that copies, and the commit of the folder.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// How the result was made, for the manifest. The folders of ranks name their assignment, because
/// nothing else distinguishes the folders of two runs.
json::value made_by(const dispatch_state& job);

/// Write the config, and with machines the script that copies each machine its parts.
void write_config(dispatch_state& job);

/// The last phase.
/// @param cut_edges     of all parts
/// @param remove_arrays  closes and removes the scratch arrays of this rank
void finish_dispatch(dispatch_state& job, std::uint64_t cut_edges,
                     function_ref<void()> remove_arrays);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/finish.ipp>
#endif
