// SPDX-License-Identifier: BSL-1.0
/// @file amend.hpp
/// Calls that add to a partition folder or read its rows back, with the usual choices bound
/// (hosted.hpp).
/// Layer: hosted, above all; needs the component hosted, as hosted.hpp does. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/hosted.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/serial/feature_store.hpp>

#include <cstddef>
#include <string>

namespace halograph {

/// Rows of one type in the order of original IDs, from a file of each part.
inline restore_result restore_rows(const partition_config& config, entity_type of,
                                   function_ref<std::string(std::size_t)> rows_of,
                                   const std::string& out) {
  return restore_rows(config, of, rows_of, out, hosted_access());
}

/// Add features to a partition folder.
inline attach_result attach_features(const partition_config& config,
                                     const feature_set_ref& features,
                                     const attach_options& options = {}) {
  return attach_features(config, features, hosted_access(), options);
}

/// Place rows of other parts beside each part.
inline cache_result attach_cache(const partition_config& config, const cache_plan& plan,
                                 const cache_options& options = {}) {
  return attach_cache(config, plan, hosted_access(), options);
}

}  // namespace halograph
