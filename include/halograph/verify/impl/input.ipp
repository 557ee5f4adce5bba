// SPDX-License-Identifier: BSL-1.0
/// @file input.ipp
/// Bodies of the plain functions of verify/input.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/state.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE bool match_types(verify_context& state, finding_list& findings,
                                  const input_graph& input) {
  bool good = true;
  const auto say = [&](std::string sentence) {
    good = false;
    findings.add(check_kind::input, state.config.path, std::move(sentence));
  };
  for (std::size_t t = 0; t < state.nodes.types(); ++t) {
    const auto found = input.schema.node_type(state.config.schema.node_types()[t]);
    if (!found) {
      say(concat({"node type ", state.node_type_name(t), " is not in the input"}));
      continue;
    }
    state.input_node_type.push_back(*found);
    state.input_nodes.push_back(input.node_counts[*found]);
    if (state.input_nodes.back() != state.nodes.size_of(t)) {
      say(concat({"there are ", state.nodes.size_of(t), " nodes of type ", state.node_type_name(t),
                  "; the input has ", state.input_nodes.back()}));
    }
  }
  std::uint64_t missing = 0;
  for (std::size_t r = 0; r < state.edges.types(); ++r) {
    const auto found = input.schema.edge_type(state.config.schema.edge_types()[r]);
    if (!found) {
      say(concat({"edge type ", state.edge_type_name(r), " is not in the input"}));
      continue;
    }
    state.input_edge_type.push_back(*found);
    state.input_edges.push_back(input.edges[*found].source.size());
    const std::uint64_t have = state.edges.size_of(r), want = state.input_edges.back();
    if (have > want || (have < want && !state.config.cut_edges_dropped)) {
      say(concat({"there are ", have, " edges of type ", state.edge_type_name(r),
                  "; the input has ", want}));
    } else {
      missing += want - have;
    }
  }
  if (input.schema.num_node_types() > state.nodes.types() ||
      input.schema.num_edge_types() > state.edges.types()) {
    say(concat({"the input has ", std::uint64_t{input.schema.num_node_types()}, " node types and ",
                std::uint64_t{input.schema.num_edge_types()}, " edge types; the config lists ",
                std::uint64_t{state.nodes.types()}, " and ", std::uint64_t{state.edges.types()}}));
  }
  if (good && missing != (state.edges.mapped() ? 0 : state.config.cut_edges_dropped.value_or(0))) {
    say(concat({"the input has ", missing,
                " more edges than the parts; \"cut_edges_dropped\" must say so"}));
  }
  return good;
}

}  // namespace halograph::detail
