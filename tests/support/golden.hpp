// SPDX-License-Identifier: BSL-1.0
/// @file golden.hpp
/// For tests against what DGL wrote: the cases of a kind, their JSON, and columns as numbers.
#pragma once

#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace halograph::testing {

using numbers = std::vector<std::int64_t>;

/// The folder of a kind of cases: "partition", "dispatch".
inline std::filesystem::path golden_folder(const char* kind) {
  return std::filesystem::path(HALOGRAPH_SHARED_DIR) / "golden" / kind;
}

/// The names of its cases, sorted.
inline std::vector<std::string> golden_cases(const char* kind) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder(kind)))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return nlohmann::json::parse(file);
}

inline numbers values(const tensor& column) {
  numbers out;
  for (std::uint64_t i = 0; i < column.rows(); ++i)
    out.push_back(column.integer(static_cast<std::size_t>(i)));
  return out;
}

/// The column of a name; the test fails if there is none.
inline numbers values(const std::vector<named_tensor>& columns, const std::string& name) {
  for (const auto& one : columns) {
    if (one.name == name) return values(one.value);
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

}  // namespace halograph::testing
