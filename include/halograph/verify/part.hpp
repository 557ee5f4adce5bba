// SPDX-License-Identifier: BSL-1.0
/// @file part.hpp
/// Checks of one part against the book and the schema: its columns, nodes and edges.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Compare the endpoints of an edge with the input, or with the part where it is inner.
template <class Id>
void compare_ends(const verify_state<Id>& state, finding_log& findings, check_kind kind,
                  const open_part& part, std::uint64_t j, std::uint64_t e, std::uint64_t u,
                  std::uint64_t v) {
  const auto [of_source, of_target] = state.ends_of(e);
  const Id tu = of_source, tv = of_target;
  if (tu == u && tv == v) return;
  findings.add(kind, part.file, kind == check_kind::input ? "input ends" : "crossing ends", [&] {
    const std::string start = concat(
        {"edge ", j, " (_ID ", e, ") leads from node ", u, " to node ", v, ", "});
    if (tu == state.none) return start + "but no part owns that edge";
    return concat({start,
                   (state.truth_known ? concat({"but ", state.input_edge(e), " of the input"})
                                      : "but in its own part it"),
                   " leads from ", state.input_node(tu), " to ", state.input_node(tv)});
  });
}

/// What all parts have in common: names and dtypes of columns, and formats.
struct part_signature {
  std::vector<std::pair<std::string, dtype>> columns{};
  std::uint8_t formats = 0;

  explicit part_signature(const loaded_structure& graph);
};

/// Compare a part with the first one. @return false after reporting a difference
bool agree(const part_signature& first, const part_signature& here, const std::string& file,
           finding_log& findings);

/// Checks the columns, nodes and edges of a part.
template <class Id>
class part_check {
 public:
  part_check(verify_state<Id>& state, finding_log& findings) : state_(state), findings_(findings) {}

  /// Check that the columns exist with dtypes that some release wrote.
  /// @param comparable  out: can they be compared with other parts'?
  bool check_columns(const open_part& part, bool& comparable) {
    bool good = true;
    const auto say = [&](std::string sentence) {
      good = false;
      findings_.add(check_kind::structure, part.file, std::move(sentence));
    };
    const auto allow = [&](const tensor* column, const char* kind, const char* called, bool needed,
                           auto... types) {
      if (column == nullptr) {
        if (needed)
          say(concat({kind, " column \"", called, "\" is missing; every part must have it"}));
        return;
      }
      const bool legal = (... || (column->type() == types)) ||
                         (state_.config.serializer != "dgl" && is_integer(column->type()));
      if (column->rank() != 1 || !legal) {
        say(concat({kind, " column \"", called, "\" has dtype ", name(column->type()),
                    " and shape ", to_string(column->shape()),
                    "; it must hold one integer per row, of a width that DGL writes"}));
      }
    };
    const bool typed = state_.nodes.types() > 1 || state_.edges.types() > 1;
    allow(part.id, "node", "_ID", true, dtype::int64);
    allow(part.inner, "node", "inner_node", true, dtype::uint8, dtype::int8, dtype::int32);
    allow(part.owner, "node", "part_id", false, dtype::int64);
    allow(part.type, "node", "_TYPE", typed, dtype::int32, dtype::int64);
    allow(part.original, "node", "orig_id", false, dtype::int64);
    allow(part.edge_id, "edge", "_ID", true, dtype::int64);
    allow(part.inner_edge, "edge", "inner_edge", true, dtype::uint8, dtype::int8);
    allow(part.edge_type, "edge", "_TYPE", typed, dtype::int32, dtype::int64);
    allow(part.edge_original, "edge", "orig_id", false, dtype::int64);
    comparable = good;
    if (!good) return false;
    if (state_.config.serializer == "dgl") {
      if ((part.inner->type() == dtype::uint8) != (part.inner_edge->type() == dtype::uint8)) {
        say(concat({"columns \"inner_node\" and \"inner_edge\" have dtypes ",
                    name(part.inner->type()), " and ", name(part.inner_edge->type()),
                    "; if one is uint8, both must be"}));
      }
      if ((part.type == nullptr) != (part.edge_type == nullptr) ||
          (part.type && part.type->type() != part.edge_type->type())) {
        say("columns \"_TYPE\" of nodes and of edges differ in dtype, or one is missing; both must be present with the same dtype");
      }
      if ((part.original == nullptr) != (part.edge_original == nullptr)) {
        say("column \"orig_id\" exists only for nodes or only for edges; both or neither must have it");
      }
    }
    const auto known = [&](const std::vector<named_tensor>& columns,
                           std::initializer_list<std::string_view> names, const char* kind) {
      for (const auto& one : columns) {
        if (std::find(names.begin(), names.end(), one.name) != names.end()) continue;
        say(concat({kind, " column ", graph_schema::quoted(one.name),
                    " is not a column that parts have"}));
      }
    };
    known(part.graph.node_columns, {"_ID", "inner_node", "part_id", "_TYPE", "orig_id"}, "node");
    known(part.graph.edge_columns, {"_ID", "inner_edge", "_TYPE", "orig_id"}, "edge");
    return good;
  }

  /// @return whether the IDs can be used as indices of nodes
  bool check_nodes(std::size_t p, const open_part& part) {
    const std::uint64_t count = part.graph.nodes, inner = state_.nodes.count(p);
    if (count < inner) {
      findings_.add(check_kind::nodes, part.file,
                    concat({"there are ", count, " nodes; the part owns ", inner}));
      return false;
    }
    bool good = true;
    const auto say = [&](const char* fault, std::uint64_t i, function_ref<std::string()> make) {
      good = false;
      findings_.add(check_kind::nodes, part.file, fault,
                    [&] { return concat({"node ", i, ": ", make()}); });
    };
    std::vector<Id> halo;
    halo.reserve(static_cast<std::size_t>(count - inner));
    std::int64_t previous = -1;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t id = at(part.id, i);
      if (id < 0 || static_cast<std::uint64_t>(id) >= state_.nodes.size()) {
        say("_ID range", i, [&] {
          return concat({"_ID ", id, " is not in the valid range [0, ", state_.nodes.size(), ")"});
        });
        continue;
      }
      const auto v = static_cast<std::uint64_t>(id);
      if (i < inner && !state_.nodes.mapped() && v != state_.nodes.first(p) + i) {
        say("_ID order", i, [&] {
          return concat({"_ID is ", id, "; inner nodes come first without gaps, so it must be ",
                         state_.nodes.first(p) + i});
        });
      } else if (i < inner && (state_.nodes.part(v) != p || id <= previous)) {
        say("_ID owner", i, [&] {
          return concat(
              {"_ID is ", id, "; inner nodes come first, owned by part ", p, ", ascending"});
        });
      } else if (i >= inner && state_.nodes.part(v) == p) {
        say("_ID halo", i, [&] {
          return concat({"_ID ", id, " is owned by this part; only HALO nodes may follow the ",
                         inner, " inner nodes"});
        });
      }
      previous = id;
      if (i >= inner) halo.push_back(static_cast<Id>(v));
      if (at(part.inner, i) != (i < inner ? 1 : 0)) {
        say("inner_node", i, [&] {
          return concat(
              {"inner_node is ", at(part.inner, i), "; it must be ",
               (i < inner ? "1, the node is owned here" : "0, the node is owned elsewhere")});
        });
      }
      if (part.owner && at(part.owner, i) != static_cast<std::int64_t>(state_.nodes.part(v))) {
        say("part_id", i, [&] {
          return concat({"part_id is ", at(part.owner, i), "; node ", id, " is owned by part ",
                         std::uint64_t{state_.nodes.part(v)}});
        });
      }
      if (part.type && at(part.type, i) != static_cast<std::int64_t>(state_.nodes.type(v))) {
        say("_TYPE", i, [&] {
          return concat({"_TYPE is ", at(part.type, i), "; node ", id, " is of type ",
                         std::uint64_t{state_.nodes.type(v)}, ", ",
                         state_.node_type_name(state_.nodes.type(v))});
        });
      }
      if (part.original && state_.mapping_good && !state_.mapping_partial &&
          !state_.node_old.empty() &&
          at(part.original, i) !=
              static_cast<std::int64_t>(state_.node_old[static_cast<std::size_t>(v)])) {
        say("orig_id", i, [&] {
          return concat({"orig_id is ", at(part.original, i), "; node ", id, " was ",
                         std::uint64_t{state_.node_old[static_cast<std::size_t>(v)]},
                         " in the input"});
        });
      }
    }
    // Inner nodes have been compared with their positions; only HALO nodes can occur twice.
    std::vector<Id> sorted = halo;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      const auto again = std::find(std::find(halo.begin(), halo.end(), *twice) + 1, halo.end(),
                                   *twice);
      say("_ID twice", inner + static_cast<std::uint64_t>(again - halo.begin()), [&] {
        return concat({"_ID ", std::uint64_t{*twice}, " occurs twice; each node must occur once"});
      });
    }
    return good;
  }

  /// The number of inner edges of part p; with cut edges dropped and original IDs kept, some of the
  /// map's edges are absent.
  bool check_edges(std::size_t p, const open_part& part) {
    const std::uint64_t count = part.graph.edges, inner_nodes = state_.nodes.count(p);
    std::uint64_t inner = state_.edges.count(p);
    bool good = true;
    if (state_.edges.mapped() && state_.config.cut_edges_dropped) {
      inner = 0;
      while (inner < count && at(part.inner_edge, inner) == 1) ++inner;
      kept_edges_ += inner;
    }
    if (count < inner) {
      findings_.add(check_kind::edges, part.file,
                    concat({"there are ", count, " edges; the part owns ", inner}));
      return false;
    }
    const auto say = [&](const char* fault, std::uint64_t j, function_ref<std::string()> make) {
      good = false;
      findings_.add(check_kind::edges, part.file, fault,
                    [&] { return concat({"edge ", j, ": ", make()}); });
    };
    std::int64_t previous = -1;
    for (std::uint64_t j = 0; j < count; ++j) {
      if (j == inner) previous = -1;
      const std::int64_t id = at(part.edge_id, j);
      if (id < 0 || static_cast<std::uint64_t>(id) >= state_.edges.size()) {
        say("_ID range", j, [&] {
          return concat({"_ID ", id, " is not in the valid range [0, ", state_.edges.size(), ")"});
        });
        continue;
      }
      const auto e = static_cast<std::uint64_t>(id);
      if (j < inner && !state_.edges.mapped() && e != state_.edges.first(p) + j) {
        say("_ID order", j, [&] {
          return concat({"_ID is ", id, "; inner edges come first without gaps, so it must be ",
                         state_.edges.first(p) + j});
        });
      } else if (j < inner && state_.edges.part(e) != p) {
        say("_ID owner", j, [&] {
          return concat({"_ID is ", id, ", an edge of another part; inner edges come first"});
        });
      } else if (j >= inner && state_.edges.part(e) == p) {
        say("_ID halo", j, [&] {
          return concat({"_ID ", id,
                         " is owned by this part; only edges of other parts may follow the ", inner,
                         " inner edges"});
        });
      }
      if (id <= previous) {
        say("_ID ascending", j, [&] {
          return concat({"_ID is ", id, ", which does not follow ", previous,
                         " before it; they must ascend"});
        });
      }
      previous = id;
      if (at(part.inner_edge, j) != (j < inner ? 1 : 0)) {
        say("inner_edge", j, [&] {
          return concat(
              {"inner_edge is ", at(part.inner_edge, j), "; it must be ",
               (j < inner ? "1, the edge is owned here" : "0, the edge is owned elsewhere")});
        });
      }
      const auto u = static_cast<std::uint64_t>(at(&part.ends.source, j)),
                 v = static_cast<std::uint64_t>(at(&part.ends.target, j));
      if ((v < inner_nodes) != (j < inner)) {
        say("target", j, [&] {
          return concat({"target is local node ", v, ", ",
                         (v < inner_nodes ? "an inner" : "a HALO"), " node, but the edge is ",
                         (j < inner ? "inner" : "not inner"),
                         "; an edge belongs to the part of its target"});
        });
      }
      const std::size_t r = state_.edges.type(e);
      if (part.edge_type && at(part.edge_type, j) != static_cast<std::int64_t>(r)) {
        say("_TYPE", j, [&] {
          return concat({"_TYPE is ", at(part.edge_type, j), "; edge ", id, " is of type ",
                         std::uint64_t{r}, ", ", state_.edge_type_name(r)});
        });
      }
      const auto gu = static_cast<std::uint64_t>(at(part.id, u)),
                 gv = static_cast<std::uint64_t>(at(part.id, v));
      const auto end = [&](const char* which, std::uint64_t node, type_id wanted) {
        if (state_.nodes.type(node) == wanted) return;
        say(which, j, [&] {
          return concat({which, " is of type ", state_.node_type_name(state_.nodes.type(node)),
                         "; edges of type ", state_.edge_type_name(r), " need ",
                         state_.node_type_name(wanted)});
        });
      };
      end("source", gu, state_.config.schema.source_type(static_cast<type_id>(r)));
      end("target", gv, state_.config.schema.target_type(static_cast<type_id>(r)));
      if (part.edge_original && state_.mapping_good && !state_.mapping_partial &&
          !state_.edge_old.empty() &&
          at(part.edge_original, j) !=
              static_cast<std::int64_t>(state_.edge_old[static_cast<std::size_t>(e)])) {
        say("orig_id", j, [&] {
          return concat({"orig_id is ", at(part.edge_original, j), "; edge ", id, " was ",
                         std::uint64_t{state_.edge_old[static_cast<std::size_t>(e)]},
                         " in the input"});
        });
      }
      if (j >= inner) continue;
      if (u >= inner_nodes && !cut_.empty()) ++cut_[state_.nodes.part(gu)];
      if (state_.truth_known) {
        compare_ends(state_, findings_, check_kind::input, part, j, e, gu, gv);
      } else if (!state_.source.empty() &&
                 state_.edges.part(e) == p) {  // another part's thread writes its own
        state_.source[static_cast<std::size_t>(e)] = static_cast<Id>(gu);
        state_.target[static_cast<std::size_t>(e)] = static_cast<Id>(gv);
      }
    }
    return good;
  }

  /// [P] The inner edges that come from each other part, where that is asked for.
  const std::vector<std::uint64_t>& cut() const noexcept { return cut_; }
  /// The number of inner edges present, where some of the map's may be absent.
  std::uint64_t kept_edges() const noexcept { return kept_edges_; }

 private:
  verify_state<Id>& state_;
  finding_log& findings_;
  std::uint64_t kept_edges_ = 0;
  std::vector<std::uint64_t> cut_ = std::vector<std::uint64_t>(state_.cut.size());
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/part.ipp>
#endif
