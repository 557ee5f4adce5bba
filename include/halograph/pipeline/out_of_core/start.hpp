// SPDX-License-Identifier: BSL-1.0
/// @file start.hpp
/// Dispatch, first phase: check the job, split the memory budget, open the staging folder and find
/// out what an earlier run completed; and what is kept where a run fails.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

/// The names that a format gives to the files of a part.
inline std::string names_of_files(const part_layout& layout) {
  std::string out;
  for (const auto& file : layout.files) out += (out.empty() ? "" : ",") + file.name;
  return out;
}

/// The options of a job that decide its result.
json::value describe_request(const dispatch_state& job);

/// All that decides the result of a job, on one line: options, counts, and the sizes and times of
/// the input files. A run of another job cannot be resumed.
std::string describe_job(const dispatch_state& job);

/// Open the staging folder and the list of completed stages: a resumed run keeps what an earlier
/// run left, any other starts over. Collective.
void open_stages(dispatch_state& job);

/// Decide, after a run has failed, whether its completed stages are kept.
///
/// Running out of memory or disk space, or being canceled, may succeed later: what is complete is
/// kept if all ranks have completed something. Any other failure is due to the input or the options
/// and would happen again.
/// @errors raises `problem`, and says whether the run can be resumed
[[noreturn]] void end_failed(dispatch_state& job, const error& problem);

/// Ranks with different jobs would wait for each other, or mix what they write.
/// @errors mismatch, on all ranks: their inputs or options differ
void require_same_job(const dispatch_state& job);

/// @errors those of check_job() and check_machines(); invalid_argument: options contradict each
///     other, or the target would replace the input; overflow: IDs are too narrow
void check_dispatch(dispatch_state& job);

/// What the memory of a job is computed from: one process, IDs of 4 bytes.
dispatch_counts count_for_dispatch(const chunked_graph& input, std::uint64_t parts,
                                   const dispatch_options& options, std::size_t threads);
/// The same of a job that has begun.
dispatch_counts counts_of(const dispatch_state& job);

/// Split the budget among buffers. Rounds of an exchange must have the same size on all ranks.
void split_budget(dispatch_state& job);

/// The first phase.
void start_dispatch(dispatch_state& job);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/start.ipp>
#endif
