// SPDX-License-Identifier: BSL-1.0
/// @file hosted.hpp
/// The usual choices bound: METIS partitions, nlohmann-json parses, Boost.Interprocess maps files.
/// Layer: above all; needs the component hosted (metis, nlohmann_json and boost_interprocess).
#pragma once

#if !__has_include(<metis.h>) || !__has_include(<nlohmann/json.hpp>) || !__has_include(<boost/interprocess/mapped_region.hpp>)
#error \
    "halograph/hosted.hpp needs METIS, nlohmann-json and Boost (Debian: libmetis-dev nlohmann-json3-dev libboost-dev); halograph/halograph.hpp needs none of them"
#else

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/halograph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace halograph {

/// Open one part of a partition folder, files mapped. As the generic load_partition, with
/// everything chosen.
inline loaded_partition load_partition(const std::string& config, std::size_t part,
                                       const load_options& options = {}) {
  return load_partition(config, part, mapped_files{}, nlohmann_codec{}, built_in_formats{},
                        options);
}

/// The features of one part, files mapped.
inline partition_features load_partition_feats(const std::string& config, std::size_t part) {
  return load_partition_feats(read_config(config, mapped_files{}, nlohmann_codec{}), part,
                              mapped_files{}, built_in_formats{});
}

/// The partition book of a config, speaking for `part`.
inline any_partition_book load_partition_book(const std::string& config, std::size_t part = 0) {
  auto read = read_config(config, mapped_files{}, nlohmann_codec{});
  resolve_relations(read, mapped_files{}, built_in_formats{});
  return load_partition_book(read, part, mapped_files{});
}

/// Open a chunked graph of any size, files mapped. Parquet files need another table reader: see
/// adapters/duckdb.hpp.
inline chunked_graph<mapped_files> open_chunked(const std::string& path,
                                                const chunked_options& options = {}) {
  return open_chunked(path, mapped_files{}, nlohmann_codec{}, no_tables{}, options);
}

/// Read a graph of any known format, files mapped.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> load_dataset(const std::string& path, const input_options& options = {}) {
  return load_dataset<Node, Edge>(path, options, mapped_files{}, nlohmann_codec{});
}

}  // namespace halograph

#endif
