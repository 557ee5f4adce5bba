// SPDX-License-Identifier: BSL-1.0
/// @file open_chunks.hpp
/// Chunked graphs and assignments on disk, opened as most tests want them: read whole, JSON by
/// nlohmann, no tables.
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

/// The assignment of a graph's nodes; whoever wrote it says how many parts there are.
template <class Data>
auto read_owners(const std::string& folder, const Data& data) {
  return read_assignment(folder, data.schema, data.node_counts, std::nullopt, read_files{},
                         nlohmann_codec{});
}

}  // namespace halograph::testing
