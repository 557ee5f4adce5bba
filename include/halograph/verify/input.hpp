// SPDX-License-Identifier: BSL-1.0
/// @file input.hpp
/// What the parts of a folder must hold, derived from the input graph and the assignment.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Compare types by name, and their sizes. @return whether they agree
bool match_types(verify_context& state, finding_list& findings, const input_graph& input);

/// Derives from the input what each part must hold, into the state.
template <class Id>
class input_check {
 public:
  input_check(verify_state<Id>& state, finding_list& findings)
      : state_(state), findings_(findings) {}

  /// What the parts must hold, from the input graph and the new IDs of its nodes and edges.
  void against(const input_graph& input) {
    owners_from(input);
    for (const auto* all : {&input.features.nodes, &input.features.edges}) {
      for (const auto& one : *all)
        state_.trainers_are_input = state_.trainers_are_input || one.name == "trainer_id";
    }
    if (state_.nodes.size() == 0)
      state_.mapping_good = true;  // there is nothing to map
    else if (state_.node_old.empty() && !order_nodes())
      return;
    if (!state_.mapping_good) {
      note_wrong_mapping();
      return;
    }
    state_.new_node.assign(static_cast<std::size_t>(state_.nodes.size()), state_.none);
    for (std::uint64_t v = 0; v < state_.nodes.size(); ++v) {
      const std::size_t t = state_.nodes.type(v);
      state_.new_node[static_cast<std::size_t>(state_.nodes.begin_of(t) +
                                               state_.node_old[static_cast<std::size_t>(v)])] =
          static_cast<Id>(v);
    }
    check_assignment();
    if (state_.edge_old.empty() && !order_edges(input)) return;
    const std::uint64_t dropped = state_.config.cut_edges_dropped.value_or(0);
    std::uint64_t absent = 0;
    state_.source.assign(static_cast<std::size_t>(state_.edges.size()), state_.none);
    state_.target.assign(static_cast<std::size_t>(state_.edges.size()), state_.none);
    for (std::size_t r = 0; r < state_.edges.types(); ++r) {
      const auto& columns = input.edges[state_.input_edge_type[r]];
      const auto source_type = state_.config.schema.source_type(static_cast<type_id>(r));
      const auto target_type = state_.config.schema.target_type(static_cast<type_id>(r));
      std::vector<bool> placed(columns.source.size());
      const auto place = [&](std::uint64_t id) {
        const auto old = static_cast<std::size_t>(state_.edge_old[static_cast<std::size_t>(id)]);
        const Id u = new_of(source_type, columns.source[old]),
                 v = new_of(target_type, columns.target[old]);
        if (state_.edges.mapped() && dropped != 0 && state_.nodes.part(u) != state_.nodes.part(v))
          return;  // left out, ID and all
        placed[old] = true;
        state_.source[static_cast<std::size_t>(id)] = u;
        state_.target[static_cast<std::size_t>(id)] = v;
      };
      std::vector<Id> ids;
      for (std::size_t p = 0; p < state_.config.num_parts; ++p) {
        std::uint64_t cursor = 0;
        for (std::uint64_t done = 0; done < state_.edges.count(p, r); done += ids.size()) {
          state_.edges.ids(p, r, done, id_block, ids, cursor);
          for (const Id id : ids) place(id);
        }
      }
      for (std::size_t e = 0; e < placed.size(); ++e) {
        if (placed[e]) continue;
        ++absent;
        const Id u = new_of(source_type, columns.source[e]),
                 v = new_of(target_type, columns.target[e]);
        if (dropped == 0 || state_.nodes.part(u) == state_.nodes.part(v)) {
          findings_.add(check_kind::input, state_.config.path, "edge left out", [&] {
            return concat({"input edge ", std::uint64_t{e}, " of type ", state_.edge_type_name(r),
                           " is in no part; ",
                           (dropped == 0 ? "every edge must be in one"
                                         : "only edges across parts may be dropped")});
          });
        }
      }
    }
    if (absent != dropped) {
      findings_.add(check_kind::input, state_.config.path,
                    concat({"\"cut_edges_dropped\" is ", dropped, ", but ", absent,
                            " input edges are left out"}));
    }
    state_.truth_known = true;
  }

  /// Compare types by name, and their sizes.
  bool match_types(const input_graph& input) {
    return halograph::detail::match_types(state_, findings_, input);
  }

 private:
  void note_wrong_mapping() {
    findings_.note(
        "the parts are not compared with the input, because the mapping to original IDs is wrong");
  }

  Id new_of(std::size_t type, std::uint64_t typed) const {
    return state_.new_node[static_cast<std::size_t>(state_.nodes.begin_of(type) + typed)];
  }

  /// The assigned part of each node by (config type, typed ID), if an assignment is given.
  void owners_from(const input_graph& input) {
    if (state_.options.assignment.empty()) return;
    const auto& given = state_.options.assignment;
    if (given.size() != state_.nodes.size()) {
      raise(error_kind::mismatch,
            concat({"the assignment names a part for ", std::uint64_t{given.size()},
                    " nodes; the graph has ", state_.nodes.size()}));
    }
    state_.trainers = state_.options.trainers_per_machine;
    if (state_.trainers == 0) {
      const auto most = std::uint64_t{*std::max_element(given.begin(), given.end())} + 1;
      state_.trainers = std::max<std::uint64_t>(
          1, (most + state_.config.num_parts - 1) / state_.config.num_parts);
    }
    const std::vector<std::uint64_t> begin = offsets_of(input.node_counts);
    state_.assigned.resize(given.size());
    for (std::size_t t = 0; t < state_.nodes.types(); ++t) {
      for (std::uint64_t i = 0; i < state_.input_nodes[t]; ++i) {
        state_.assigned[static_cast<std::size_t>(state_.nodes.begin_of(t) + i)] =
            given[static_cast<std::size_t>(begin[state_.input_node_type[t]] + i)];
      }
    }
  }

  /// New node IDs in our fixed order, (part, type, original ID), from the assignment.
  bool order_nodes() {
    if (state_.assigned.empty() && state_.compact_mapping_wrong) {
      note_wrong_mapping();
      return false;
    }
    if (state_.assigned.empty()) {
      raise(
          error_kind::not_found,
          "the folder has no ID mapping; partition again without --no-mapping, or give the assignment (--assignment)",
          {state_.config.path, {}, {}});
    }
    if (state_.config.node_order != "original") {
      raise(error_kind::not_found,
            concat({"the nodes of each part are ordered by ",
                    graph_schema::quoted(state_.config.node_order),
                    ", which the assignment alone does not determine; "
                    "the folder has no ID mapping: partition again without --no-mapping"}),
            {state_.config.path, {}, {}});
    }
    std::vector<std::uint64_t> filled(state_.config.num_parts * state_.nodes.types());
    state_.node_old.assign(static_cast<std::size_t>(state_.nodes.size()), state_.none);
    for (std::size_t t = 0; t < state_.nodes.types(); ++t) {
      for (std::uint64_t i = 0; i < state_.nodes.size_of(t); ++i) {
        const std::uint64_t p =
            state_.assigned[static_cast<std::size_t>(state_.nodes.begin_of(t) + i)] /
            state_.trainers;
        const bool fits = p < state_.config.num_parts &&
                          filled[p * state_.nodes.types() + t] < state_.nodes.count(p, t);
        if (!fits) {
          findings_.done(check_kind::assignment);
          findings_.add(
              check_kind::assignment, state_.config.path,
              p >= state_.config.num_parts
                  ? concat({"node ", i, " of type ", state_.node_type_name(t),
                            " is assigned to part ", p, "; there are ",
                            std::uint64_t{state_.config.num_parts}})
                  : concat({"part ", p, " owns ", state_.nodes.count(p, t), " nodes of type ",
                            state_.node_type_name(t), "; the assignment gives it more"}));
          return false;
        }
        state_.node_old[static_cast<std::size_t>(state_.nodes.first(p, t) +
                                                 filled[p * state_.nodes.types() + t]++)] =
            static_cast<Id>(i);
      }
    }
    state_.mapping_good = true;
    return true;
  }

  /// New edge IDs in our fixed order: (part of the target, type, new target, original ID).
  bool order_edges(const input_graph& input) {
    state_.edge_old.assign(static_cast<std::size_t>(state_.edges.size()), state_.none);
    for (std::size_t r = 0; r < state_.edges.types(); ++r) {
      const auto& columns = input.edges[state_.input_edge_type[r]];
      const auto source_type = state_.config.schema.source_type(static_cast<type_id>(r));
      const auto target_type = state_.config.schema.target_type(static_cast<type_id>(r));
      std::vector<std::pair<Id, Id>> order;  // new target, original ID
      for (std::size_t e = 0; e < columns.target.size(); ++e) {
        const Id v = new_of(target_type, columns.target[e]);
        if (state_.config.cut_edges_dropped &&
            state_.nodes.part(new_of(source_type, columns.source[e])) != state_.nodes.part(v))
          continue;
        order.emplace_back(v, static_cast<Id>(e));
      }
      std::sort(order.begin(), order.end());
      std::size_t at = 0;
      for (std::size_t p = 0; p < state_.config.num_parts; ++p) {
        for (std::uint64_t i = 0; i < state_.edges.count(p, r); ++i, ++at) {
          if (at >= order.size() || state_.nodes.part(order[at].first) != p) {
            findings_.add(
                check_kind::input, state_.config.path,
                concat({"part ", p, " has ", state_.edges.count(p, r), " inner edges of type ",
                        state_.edge_type_name(r), "; the input gives it ", i}));
            state_.edge_old.clear();
            return false;
          }
          state_.edge_old[static_cast<std::size_t>(state_.edges.first(p, r) + i)] =
              order[at].second;
        }
      }
      if (at != order.size()) {
        findings_.add(check_kind::input, state_.config.path,
                      concat({"the parts have ", std::uint64_t{at}, " edges of type ",
                              state_.edge_type_name(r), "; the input gives them ",
                              std::uint64_t{order.size()}}));
        state_.edge_old.clear();
        return false;
      }
    }
    return true;
  }

  void check_assignment() {
    if (state_.assigned.empty()) return;
    findings_.done(check_kind::assignment);
    for (std::uint64_t v = 0; v < state_.nodes.size(); ++v) {
      const auto wanted = state_.assigned[state_.original_place(v)] / state_.trainers;
      if (wanted == state_.nodes.part(v)) continue;
      findings_.add(check_kind::assignment, state_.config.path, "owner", [&] {
        return concat({state_.input_node(v), " is owned by part ",
                       std::uint64_t{state_.nodes.part(v)}, "; the assignment says part ", wanted});
      });
    }
  }

 private:
  verify_state<Id>& state_;
  finding_list& findings_;
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/input.ipp>
#endif
