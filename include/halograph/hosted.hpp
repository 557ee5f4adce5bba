// SPDX-License-Identifier: BSL-1.0
/// @file hosted.hpp
/// The usual choices bound: nlohmann-json parses, Boost.Interprocess maps files.
/// Layer: above all; needs the component hosted (nlohmann_json and boost_interprocess).
///
/// Each call here is the generic one of the same name with `hosted_access`. The job itself has
/// nothing to bind: hg::partition_graph(graph, hg::multilevel{.parts = 8},
/// hg::dgl_folder{"parts"}), with pipeline/partition_graph.hpp and the partitioner's own header,
/// here partition/multilevel.hpp; for hg::metis it is adapters/metis.hpp. What takes more to
/// include is in headers of its own: hosted/input.hpp (load_dataset, open_chunked),
/// hosted/verify.hpp (verify_partition, report_folder), hosted/amend.hpp (restore_rows,
/// attach_features, attach_cache) and hosted/dist.hpp (open_dist_graph).
#pragma once

#if !__has_include(<nlohmann/json.hpp>) || !__has_include(<boost/interprocess/mapped_region.hpp>)
#error \
    "halograph/hosted.hpp needs nlohmann-json and Boost (Debian: nlohmann-json3-dev libboost-dev); halograph/halograph.hpp needs neither"
#else

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/folder/targets.hpp>

#include <cstddef>
#include <string>

namespace halograph {

/// Maps files, parses with nlohmann-json, and knows DGL's format and ours.
struct hosted_access : folder_access {
  hosted_access() : folder_access(mapped_files{}, nlohmann_codec{}, built_in_formats{}) {}
};

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

}  // namespace halograph

#endif
