// SPDX-License-Identifier: BSL-1.0
/// @file open_chunks.hpp
/// For tests: chunked graphs and assignments on disk, opened with whole files, nlohmann-json and no
/// tables.
#pragma once

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/serial/files/file.hpp>

#include <optional>
#include <string>

namespace halograph::testing {

inline auto open_chunks(const std::string& path, const chunked_options& options = {}) {
  return open_chunked(path, read_files{}, nlohmann_codec{}, no_tables{}, options);
}

/// The assignment of a graph's nodes; its writer names the number of parts.
template <class Data>
auto read_owners(const std::string& folder, const Data& data) {
  return read_assignment(folder, data.schema, data.node_counts, std::nullopt, read_files{},
                         nlohmann_codec{});
}

}  // namespace halograph::testing
