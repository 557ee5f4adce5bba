// SPDX-License-Identifier: BSL-1.0
/// @file path.hpp
/// Paths that are relative to a folder.
/// Layer: serial. Words: README.md.
#pragma once

#include <string>

namespace halograph {

/// A path joined to a folder. Absolute paths stay unchanged, and so do all paths if the folder is
/// "." or "".
inline std::string path_in(const std::string& folder, const std::string& path) {
  return folder.empty() || folder == "." || path.starts_with('/')
             ? path
             : folder + (folder.back() == '/' ? "" : "/") + path;
}

}  // namespace halograph
