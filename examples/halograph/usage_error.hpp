// SPDX-License-Identifier: BSL-1.0
/// @file usage_error.hpp
/// What is wrong with the command line alone.
#pragma once

#include <stdexcept>

namespace halograph::cli {

/// Decided from the command line alone: unknown, missing or contradictory flags, values out of
/// range. Exit code 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace halograph::cli
