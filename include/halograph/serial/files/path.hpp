// SPDX-License-Identifier: BSL-1.0
/// @file path.hpp
/// Paths of files that a file in a folder names.
/// Layer: serial. Words: README.md.
#pragma once

#include <string>

namespace halograph {

/// A path as the program must open it: an absolute one as it is, else within a folder; "." and ""
/// are no part of it.
inline std::string path_in(const std::string& folder, const std::string& path) {
  return folder.empty() || folder == "." || path.starts_with('/')
             ? path
             : folder + (folder.back() == '/' ? "" : "/") + path;
}

}  // namespace halograph
