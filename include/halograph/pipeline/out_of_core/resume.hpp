// SPDX-License-Identifier: BSL-1.0
/// @file resume.hpp
/// Decides what a resumed dispatch skips: which stages an earlier run of the same job completed.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The completed stages of a run. A stage counts as completed only if all ranks completed it, and
/// rerunning a stage invalidates every later stage.
class stage_progress {
 public:
  explicit stage_progress(communicator_ref ranks) : ranks_(ranks) {}

  /// Begin the list of this rank, or read the one that an earlier run left. As stage_list.
  void open(const std::string& staging, const std::string& job, bool resume,
            const std::function<void()>& start_over) {
    list_.emplace(staging, job, resume, ranks_.rank(), ranks_.size(), start_over);
  }
  bool is_open() const noexcept { return list_.has_value(); }
  bool empty() const noexcept { return !list_ || list_->empty(); }

  /// The record of a stage that an earlier run completed; null: the stage has to run. Collective.
  const stage_record* completed(const std::string& name);
  /// As completed(), for a stage that writes rows into the files of parts: a part that was written
  /// again after the stage has lost its rows. Collective. @param parts  of this rank
  const stage_record* completed_after_parts(const std::string& name, id_range parts);
  /// The record of a part that an earlier run wrote; null: the part has to be written.
  const stage_record* completed_part(std::uint64_t part) {
    const auto* const found = rerun_from_here_ ? nullptr : list_->completed(part_stage(part));
    if (found != nullptr) resumed_.push_back(found->name);
    return found;
  }
  /// A part was written: every later stage has to run.
  void rerun_from_here() noexcept { rerun_from_here_ = true; }

  const stage_record& complete(stage_record stage) { return list_->complete(std::move(stage)); }
  /// The record of a stage that was completed in this run.
  const stage_record& record_of(const std::string& name) const {
    return *list_->completed_before(name);
  }
  /// The stages and parts that an earlier run had completed.
  const std::vector<std::string>& resumed() const noexcept { return resumed_; }

  static std::string part_stage(std::uint64_t part) { return concat({"part", part}); }

 private:
  communicator_ref ranks_;
  std::optional<stage_list> list_{};
  bool rerun_from_here_ = false;  // a stage has run on any rank
  std::vector<std::string> resumed_{};
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/resume.ipp>
#endif
