// SPDX-License-Identifier: BSL-1.0
/// @file verify.hpp
/// verify_partition() and report_folder() with the usual choices bound (hosted.hpp).
/// Layer: hosted, above all; needs the component hosted, as hosted.hpp does. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/hosted.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/verify/verify.hpp>

#include <string>

namespace halograph {

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

}  // namespace halograph
