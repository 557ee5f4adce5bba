// SPDX-License-Identifier: BSL-1.0
/// @file input.hpp
/// Graphs of any format, with the usual choices bound (hosted.hpp).
/// Layer: hosted, above all; needs the component hosted, as hosted.hpp does. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/hosted.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/serial/table.hpp>

#include <cstdint>
#include <string>

namespace halograph {

/// A chunked graph of any size. Parquet files need another table reader: see adapters/duckdb.hpp.
inline chunked_graph open_chunked(const std::string& path, const chunked_options& options = {}) {
  return open_chunked(path, mapped_files{}, nlohmann_codec{}, no_tables{}, options);
}

/// A graph of any known format.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> load_dataset(const std::string& path, const input_options& options = {}) {
  return load_dataset<Node, Edge>(path, options, mapped_files{}, nlohmann_codec{});
}

}  // namespace halograph
