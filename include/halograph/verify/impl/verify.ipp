// SPDX-License-Identifier: BSL-1.0
/// @file verify.ipp
/// Bodies of the plain functions of verify/verify.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/run_checks.hpp>
#include <halograph/verify/spaces.hpp>
#include <halograph/verify/state.hpp>
#include <halograph/verify/verify.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE verification verify(const std::string& path, const input_graph* input,
                                     const folder_access& access, const verify_options& options,
                                     executor_ref executor) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  verification out;
  finding_list findings(out, options.most_findings);
  partition_config config = read_config(path, files, access.codec);
  if (options.part && *options.part >= config.num_parts) {
    raise(
        error_kind::out_of_range,
        concat({"part ", *options.part, " does not exist; parts are 0 to ", config.num_parts - 1}),
        {path, {}, {}});
  }
  out.nodes = config.num_nodes;
  out.edges = config.num_edges;
  if (config.parts.size() >= config.num_parts) {
    try {
      resolve_relations(config, files, formats);
    } catch (const error& problem) {
      findings.add(check_kind::structure, path, problem);
      return out;
    }
  }
  id_space nodes, edges;
  if (!bind_spaces(config, files, nodes, edges, findings)) return out;
  verify_context context{config, options, files, formats, std::move(nodes), std::move(edges)};
  constexpr std::uint64_t narrow = 0xFFFFFFFEu;
  if (context.nodes.size() < narrow && context.edges.size() < narrow) {
    verify_state<std::uint32_t> state{std::move(context)};
    run_checks(state, input, out, findings, executor);
  } else {
    verify_state<std::uint64_t> state{std::move(context)};
    run_checks(state, input, out, findings, executor);
  }
  return out;
}

}  // namespace halograph::detail
