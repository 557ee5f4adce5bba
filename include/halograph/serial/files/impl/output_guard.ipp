// SPDX-License-Identifier: BSL-1.0
/// @file output_guard.ipp
/// Bodies of the plain functions of serial/files/output_guard.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/serial/files/output_guard.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace halograph::detail {

HALOGRAPH_INLINE std::filesystem::path canonical_place(const std::string& name) {
  std::error_code problem;
  const auto whole = std::filesystem::absolute(name, problem);
  auto found = std::filesystem::weakly_canonical(whole, problem);
  if (problem)
    found = whole.lexically_normal();  // a place that we may not look at: whoever uses it says so
  return found.has_filename() ? found : found.parent_path();
}

HALOGRAPH_INLINE bool holds_place(const std::filesystem::path& folder,
                                  const std::filesystem::path& place) {
  return std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first ==
         folder.end();
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE bool is_inside(const std::string& target, const std::string& path) {
  if (target.empty() || path.empty()) return false;
  return detail::holds_place(detail::canonical_place(target), detail::canonical_place(path));
}

}  // namespace halograph
