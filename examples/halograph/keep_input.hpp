// SPDX-License-Identifier: BSL-1.0
// The library's refusal to replace what a run reads, decided from the command line alone.
#pragma once

#include "command.hpp"

#include <halograph/pipeline/keep_input.hpp>

#include <string>

namespace halograph::cli {

/// The folder that a config lies in.
inline std::string folder_of(const std::string& config) {
  const auto slash = config.rfind('/');
  return slash == std::string::npos ? "." : config.substr(0, slash + 1);
}

/// @errors usage_error: `input` is the folder `out` or lies in it
inline void keep_input(const std::string& out, const std::string& input) {
  try {
    halograph::keep_input(out, input);
  } catch (const error& problem) {
    throw usage_error(problem.what());
  }
}

}  // namespace halograph::cli
