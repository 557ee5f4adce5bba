// SPDX-License-Identifier: BSL-1.0
/// @file statuses.hpp
/// For tests: what a status is, and what a policy says of it.
#pragma once

#include <halograph/core/status.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace halograph::testing {

inline void expect_status(status answer, error_kind code, std::uint64_t position) {
  EXPECT_EQ(answer.code, code);
  EXPECT_EQ(answer.position, position);
}

/// policy.explain(answer) has these words.
template <class Policy>
void expect_explained(const Policy& policy, status answer, const char* words) {
  EXPECT_NE(policy.explain(answer).find(words), std::string::npos) << policy.explain(answer);
}

}  // namespace halograph::testing
