// SPDX-License-Identifier: BSL-1.0
/// @file feature_cache.hpp
/// Copies of other parts' feature rows, kept in a part: choosing (the plan), placing and reading.
/// Layer: folder. Words: README.md.
///
/// A plan is a `.npy` file of int64 [rows, 3]: the part that keeps the row, the node's global ID,
/// and how often it was fetched when that was counted; part by part, most fetched first. Placing
/// it writes one file `cached_feats` beside each part's features, in the folder's format, which
/// holds for each node type, by global ID:
///
/// | name | content |
/// | --- | --- |
/// | `type/_ID` | [n] global IDs, ascending |
/// | `type/name` | [n, ...] their rows of the feature |
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// A node whose features a part keeps although another part owns it.
struct cached_row {
  std::int64_t part = 0;     ///< which keeps the row
  std::int64_t node = 0;     ///< global ID
  std::int64_t fetched = 0;  ///< how often it was fetched, if counted
  friend bool operator==(const cached_row&, const cached_row&) = default;
};

/// Rows part by part, most fetched first.
using cache_plan = std::vector<cached_row>;

/// Write a plan as a `.npy` file, atomically; an older `.npy` file is replaced. @errors
/// exists, io
void write_cache_plan(const cache_plan& plan, const std::string& path);

/// Read a plan for the folder of a config.
/// @errors mismatch: not int64 [rows, 3]; out_of_range: a part or node that the folder does not
///     have; malformed: a part keeps a row of its own, or one twice; each with the row. Those of
///     the opener and read_npy
cache_plan read_cache_plan(const std::string& path, const partition_config& config,
                           const any_file_opener& files);

/// How to place cached rows.
struct cache_options {
  /// "type/name" of the node features to keep; empty: all
  std::vector<std::string> features{};
  std::string out{};                ///< the folder to write; "": replace the config's own
  json::value command{};            ///< how the result was made, for the manifest
  progress_callback on_progress{};  ///< called after each part; may be empty
};

/// What was placed.
struct cache_result {
  std::uint64_t rows = 0;   ///< nodes, all parts together
  std::uint64_t bytes = 0;  ///< of their feature rows
  std::string note{};       ///< a note for the user, or ""
};

namespace detail {

/// The file of a part's cached rows, relative to the config: beside its node features.
std::string cached_features_file(const partition_config& config, std::size_t part);

/// The nodes of one type that one part owns.
struct node_cell {
  id_range nodes{};
  std::size_t type = 0, part = 0;
};

/// One node feature in all parts.
struct parted_feature {
  type_id type = 0;
  std::string key{};  // "type/name"
  dtype item = dtype::float32;
  tensor_shape row_shape{};
  std::vector<tensor> rows{};  // [P]
  std::uint64_t rows_seen =
      0;  // while 0, dtype and shape are a guess: DGL writes arbitrary ones for parts without rows
};

/// The wanted node features of a folder. @errors not_found: a feature is missing; mismatch: parts
/// differ
std::vector<parted_feature> node_features_of(const partition_config& config,
                                             const std::vector<std::string>& wanted,
                                             const any_file_opener& files,
                                             const format_list& formats);

}  // namespace detail

/// Place the rows of a plan into the parts, atomically: one more file in each part, every other
/// file unchanged. Parts that the plan does not name get no such file, and lose an earlier one.
///
/// @param config   as read from the folder; relations resolved
/// @param plan     as read_cache_plan() gives it
/// @param access   reads the folder
/// @errors         unsupported: parts that own no ranges; not_found: a feature; mismatch: parts
///     differ; those of amend_folder
/// @complexity     O(rows placed x log(P T)), and reading every file once for the manifest
cache_result attach_cache(const partition_config& config, const cache_plan& plan,
                          const folder_access& access, const cache_options& options = {});

/// The rows of other parts that a part keeps, "type/_ID" and "type/name"; empty if none were
/// placed.
/// @errors those of the opener and the format
std::vector<named_tensor> load_cached_features(const partition_config& config, std::size_t part,
                                               const any_file_opener& files,
                                               const format_list& formats);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/feature_cache.ipp>
#endif
