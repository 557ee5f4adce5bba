// SPDX-License-Identifier: BSL-1.0
/// @file dist.hpp
/// open_dist_graph() with the usual choices bound (hosted.hpp).
/// Layer: hosted, above all; needs the component hosted, as hosted.hpp does. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/hosted.hpp>

#include <string>

namespace halograph {

/// A partition folder as one graph over several ranks. Collective.
inline dist_graph open_dist_graph(communicator_ref ranks, const std::string& config,
                                  const dist_options& options = {}) {
  return open_dist_graph(ranks, config, hosted_access(), options);
}

}  // namespace halograph
