// SPDX-License-Identifier: BSL-1.0
/// @file input_record.ipp
/// Bodies of the plain functions of serial/files/input_record.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE void input_record::opening(const std::string& path, bool amended) {
  const std::lock_guard lock(mutex_);
  require_allowed(path);
  const auto now = identify(path);
  if (const auto known = files_.find(path); known != files_.end()) {
    if (const auto problem = difference(path, known->second, now)) {
      change_ = problem;
      throw_(*problem);
    }
    if (amended) return;
  }
  if (!amended) require_outside(path);
  if (!now) return;  // opening it will fail
  files_.emplace(path, *now);
  const auto slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (const auto place = folders_.find(folder); place == folders_.end()) {
    if (const auto found = identify(folder)) folders_.emplace(std::move(folder), *found);
  }
}

HALOGRAPH_INLINE std::optional<error> input_record::changed() const {
  const std::lock_guard lock(mutex_);
  if (auto problem = find_change()) change_ = std::move(problem);
  return change_;
}

HALOGRAPH_INLINE std::optional<error> input_record::find_change() const {
  for (const auto& [path, before] : folders_) {
    const auto now = identify(path);
    if (!now || !now->same_file(before)) return replaced(path, now.has_value());
  }
  for (const auto& [path, before] : files_) {
    if (auto problem = difference(path, before, identify(path))) return problem;
  }
  return std::nullopt;
}

HALOGRAPH_INLINE void input_record::settle() {
  require_unchanged();
  const std::lock_guard lock(mutex_);
  files_.clear();
  folders_.clear();
}

HALOGRAPH_INLINE void input_record::forget(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  const auto inside = [&](const auto& entry) { return is_inside(folder, entry.first); };
  std::erase_if(files_, inside);
  std::erase_if(folders_, inside);
  if (change_ && is_inside(folder, change_->where().file)) change_.reset();
}

HALOGRAPH_INLINE error input_record::replaced(const std::string& path, bool there) {
  return error(
      error_kind::mismatch,
      there ? "was replaced while it was read; run again" : "was removed while it was read",
      {.file = path, .line = {}, .byte = {}});
}

HALOGRAPH_INLINE std::optional<error> input_record::difference(
    const std::string& path, const file_identity& before, const std::optional<file_identity>& now) {
  if (now && *now == before) return std::nullopt;
  if (!now || !now->same_file(before)) return replaced(path, now.has_value());
  if (now->bytes < before.bytes) {
    return error(error_kind::truncated,
                 "became shorter while it was read: it had " + std::to_string(before.bytes) +
                     " bytes and has " + std::to_string(now->bytes),
                 {.file = path, .line = {}, .byte = {}});
  }
  return error(error_kind::mismatch, "was written to while it was read; run again",
               {.file = path, .line = {}, .byte = {}});
}

HALOGRAPH_INLINE void input_record::require_outside(const std::string& path) const {
  if (targets_.empty()) return;
  for (auto place = detail::canonical_place(path);; place = place.parent_path()) {
    if (const auto target = targets_.find(place); target != targets_.end())
      detail::raise_over_input(target->second, path);
    if (!place.has_relative_path()) return;
  }
}

HALOGRAPH_INLINE void input_record::require_allowed(const std::string& path) const {
  if (allowed_.empty()) return;
  const auto place = detail::canonical_place(path);
  const bool allowed = std::any_of(allowed_.begin(), allowed_.end(), [&](const auto& folder) {
    return detail::holds_place(folder, place);
  });
  if (allowed) return;
  raise(error_kind::invalid_argument,
        "lies outside of " + graph_schema::quoted(allowed_.front().string()) +
            (allowed_.size() == 1 ? "" : " and the other folders") +
            " to which inputs are confined; move it there, or allow its folder, too",
        {.file = path});
}

}  // namespace halograph
