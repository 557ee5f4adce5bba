// SPDX-License-Identifier: BSL-1.0
/// @file hosted.hpp
/// The usual choices bound: METIS partitions, nlohmann-json parses, Boost.Interprocess maps files.
/// Layer: above all; needs the component hosted (metis, nlohmann_json and boost_interprocess).
///
/// Each call here is the generic one of the same name with `hosted_access`. `dispatch` has nothing
/// to bind: hg::dispatch(hg::open_chunked("graph"), "assignment", 8, hg::dgl_folder{"parts"}).
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

/// Maps files, parses with nlohmann-json, and knows DGL's format and ours.
using hosted_access = folder_access<mapped_files, nlohmann_codec, built_in_formats>;

/// The config of a partition folder, relations resolved.
inline partition_config open_config(const std::string& path) {
  return open_config(path, hosted_access());
}

/// One part of a partition folder.
inline loaded_partition load_partition(const std::string& config, std::size_t part,
                                       const load_options& options = {}) {
  return load_partition(config, part, hosted_access(), options);
}

/// The features of one part.
inline partition_features load_partition_feats(const std::string& config, std::size_t part) {
  return load_partition_feats(read_config(config, mapped_files{}, nlohmann_codec{}), part,
                              mapped_files{}, built_in_formats{});
}

/// The partition book of a config, from the view of `part`.
inline any_partition_book load_partition_book(const std::string& config, std::size_t part = 0) {
  return load_partition_book(open_config(config), part, mapped_files{});
}

/// A partition folder as one graph over several ranks. Collective.
template <communicator Communicator>
dist_graph<Communicator> open_dist_graph(const Communicator& ranks, const std::string& config,
                                         const dist_options& options = {}) {
  return open_dist_graph(ranks, config, hosted_access(), options);
}

/// Prove a partition folder by itself.
inline verification verify_partition(const std::string& config,
                                     const verify_options& options = {}) {
  return verify_partition(config, hosted_access(), options);
}
/// Prove a partition folder against the graph that was partitioned.
template <id Node, id Edge>
verification verify_partition(const std::string& config, const dataset<Node, Edge>& input,
                              const verify_options& options = {}) {
  return verify_partition(config, input, hosted_access(), options);
}

/// The quality report of a partition folder, recomputed from its parts.
inline folder_report report_folder(const partition_config& config,
                                   const report_options& options = {}) {
  return report_folder(config, hosted_access(), options);
}

/// Rows of one type in the order of original IDs, from a file of each part.
template <class RowsOf>
restore_result restore_rows(const partition_config& config, entity_type of, const RowsOf& rows_of,
                            const std::string& out) {
  return restore_rows(config, of, rows_of, out, hosted_access());
}

/// Add features to a partition folder.
template <feature_store Store>
attach_result attach_features(const partition_config& config,
                              const basic_feature_set<Store>& features,
                              const attach_options& options = {}) {
  return attach_features(config, features, hosted_access(), options);
}

/// Place rows of other parts beside each part.
inline cache_result attach_cache(const partition_config& config, const cache_plan& plan,
                                 const cache_options& options = {}) {
  return attach_cache(config, plan, hosted_access(), options);
}

/// A chunked graph of any size. Parquet files need another table reader: see adapters/duckdb.hpp.
inline chunked_graph<mapped_files> open_chunked(const std::string& path,
                                                const chunked_options& options = {}) {
  return open_chunked(path, mapped_files{}, nlohmann_codec{}, no_tables{}, options);
}

/// A graph of any known format.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> load_dataset(const std::string& path, const input_options& options = {}) {
  return load_dataset<Node, Edge>(path, options, mapped_files{}, nlohmann_codec{});
}

}  // namespace halograph

#endif
