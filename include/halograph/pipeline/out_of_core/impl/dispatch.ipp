// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.ipp
/// Bodies of the plain functions of pipeline/out_of_core/dispatch.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/resume.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

#if HALOGRAPH_COMPILED
template dispatch_result dispatch_at<std::uint32_t, std::uint32_t>(const chunked_graph&,
                                                                   const std::string&, part_id,
                                                                   const any_target&,
                                                                   const dispatch_options&,
                                                                   executor_ref, communicator_ref);
template dispatch_result dispatch_at<std::uint64_t, std::uint64_t>(const chunked_graph&,
                                                                   const std::string&, part_id,
                                                                   const any_target&,
                                                                   const dispatch_options&,
                                                                   executor_ref, communicator_ref);
#endif

HALOGRAPH_INLINE dispatch_result dispatch(const chunked_graph& input, const std::string& assignment,
                                          part_id parts, const any_target& target,
                                          const dispatch_options& options, executor_ref run,
                                          communicator_ref ranks) {
  // A rank may hold edges twice, in their rows and as cut edges.
  const std::uint64_t edges = ranks.size() == 1
                                  ? input.num_edges()
                                  : 2 * std::min(input.num_edges(), ~std::uint64_t{0} / 2);
  if (input.num_nodes() < id_capacity<std::uint32_t>() && edges < id_capacity<std::uint32_t>()) {
    return dispatch_at<std::uint32_t, std::uint32_t>(input, assignment, parts, target, options, run,
                                                     ranks);
  }
  return dispatch_at<std::uint64_t, std::uint64_t>(input, assignment, parts, target, options, run,
                                                   ranks);
}

}  // namespace halograph
