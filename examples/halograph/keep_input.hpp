// SPDX-License-Identifier: BSL-1.0
// A result replaces an older one in its place: that place must not hold what the run reads.
#pragma once

#include "command.hpp"

#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace halograph::cli {

/// @errors usage_error: `input` is the folder `out` or lies in it
inline void keep_input(const std::string& out, const std::string& input) {
  if (out.empty() || input.empty()) return;
  const auto real = [](const std::string& path) {
    std::error_code ignored;
    auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    return found.has_filename() ? found : found.parent_path();
  };
  const auto target = real(out), source = real(input);
  if (std::mismatch(target.begin(), target.end(), source.begin(), source.end()).first != target.end()) return;
  throw usage_error("the output " + graph_schema::quoted(out) + " would replace the input " + graph_schema::quoted(input) + "; name another folder");
}

}  // namespace halograph::cli
