// SPDX-License-Identifier: BSL-1.0
/// @file run_checks.ipp
/// Bodies of the plain functions of verify/run_checks.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/run_checks.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool plausible(const verify_context& state, finding_list& findings) {
  std::uint64_t bytes = 0;
  for (std::size_t p = 0; p < state.config.num_parts; ++p) {
    try {
      bytes += state.files(state.config.resolve(paths_of(state.config, p).graph)).bytes.size();
    } catch (const error& problem) {
      findings.done(check_kind::structure);
      findings.add(check_kind::structure, state.config.path, problem);
    }
  }
  if (state.nodes.size() <= bytes && state.edges.size() <= bytes) return true;
  findings.note(concat({"nothing else is checked, because the parts' graph files have ", bytes,
                        " bytes for the config's ", state.nodes.size(), " nodes and ",
                        state.edges.size(), " edges"}));
  if (findings.count() == 0) {
    findings.add(check_kind::book, state.config.path,
                 concat({"the ranges hold ", state.nodes.size(), " nodes and ", state.edges.size(),
                         " edges, but the parts' graph files have ", bytes, " bytes"}));
  }
  return false;
}

}  // namespace halograph::detail
