// SPDX-License-Identifier: BSL-1.0
/// @file same_files.hpp
/// For tests that expect two folders to hold the same names and bytes.
#pragma once

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace halograph::testing {

/// Every file below a folder, by its name in it. @param except  one to leave out
inline std::map<std::string, std::string> files_of(const std::string& folder,
                                                   std::string_view except = {}) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_regular_file() && name != except) out[name] = content_of(entry.path().string());
  }
  return out;
}

inline void expect_same_files(const std::string& got, const std::string& want,
                              std::string_view except = {}) {
  const auto ours = files_of(got, except), theirs = files_of(want, except);
  ASSERT_FALSE(theirs.empty());
  for (const auto& [name, bytes] : theirs) {
    ASSERT_EQ(ours.count(name), 1u) << name;
    EXPECT_TRUE(ours.at(name) == bytes) << name << " differs";
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

}  // namespace halograph::testing
