// SPDX-License-Identifier: BSL-1.0
/// @file resume.ipp
/// Bodies of the plain functions of pipeline/out_of_core/resume.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/out_of_core/resume.hpp>
#include <halograph/serial/files/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE const stage_record* stage_progress::completed(const std::string& name) {
  if (rerun_from_here_) return nullptr;
  const stage_record* found = nullptr;
  run_collective(ranks_, [&] { found = list_->completed(name); });
  if (ranks_.size() > 1 && all_reduce_min(ranks_, found != nullptr ? 1 : 0) == 0) found = nullptr;
  if (found == nullptr)
    rerun_from_here_ = true;
  else
    resumed_.push_back(name);
  return found;
}

HALOGRAPH_INLINE const stage_record* stage_progress::completed_after_parts(const std::string& name,
                                                                           id_range parts) {
  const auto* const found = completed(name);
  if (found == nullptr) return nullptr;
  bool after = true;
  for (auto p = parts.begin; p < parts.end; ++p)
    after = after && !list_->is_later(part_stage(p), name);
  if (ranks_.size() > 1) after = all_reduce_min(ranks_, after ? 1 : 0) != 0;
  if (after) return found;
  rerun_from_here_ = true;
  return nullptr;
}

}  // namespace halograph::detail
