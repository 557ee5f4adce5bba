// SPDX-License-Identifier: BSL-1.0
/// @file mapping.hpp
/// Checks that the original IDs of a partition folder are a permutation of each type.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// What reading original IDs does whatever the width of those that are kept.
class mapping_files {
 public:
  /// Takes those of a part and type: rows of a tensor from one on.
  using take_rows =
      function_ref<void(std::size_t p, std::size_t t, bool of_nodes, const tensor& values,
                        std::uint64_t from, const std::string& file)>;

  mapping_files(verify_context& state, finding_list& findings)
      : findings_(findings), context_(state) {}

 protected:
  /// Open the compact mapping and check it against the ranges. @return whether it exists and can be
  /// used
  bool read_compact();
  /// The number of original IDs of a type, including dropped cut edges.
  std::uint64_t most_original(bool of_nodes, std::size_t t) const;
  void read_mapping_file(std::size_t p, bool of_nodes, const std::string& file, take_rows take);
  /// From `orig_id` columns, of the inner nodes and edges.
  void read_mapping_columns(std::size_t p, take_rows take);

  finding_list& findings_;
  std::optional<tensor> compact_{};  // the folder's compact mapping, where it has one
  std::vector<std::vector<bool>> seen_nodes_{}, seen_edges_{};  // by type

 private:
  /// Check that each node is in an existing part, and that the counts agree with the config.
  bool check_owners(const std::string& file);

  verify_context& context_;
};

/// Reads original IDs, from files, columns or the compact mapping of nodes, into the state.
template <class Id>
class mapping_check : mapping_files {
 public:
  mapping_check(verify_state<Id>& state, finding_list& findings)
      : mapping_files(state, findings), state_(state) {}

  enum class mapping_source : std::uint8_t { none, files, columns, identity, compact };

  void read_mapping(bool needed, std::size_t first, std::size_t last) {
    mapping_source source = mapping_source::none;
    const bool compact = read_compact();
    std::size_t with_files = 0;
    std::array<std::size_t, 2> having{};  // parts with files of nodes, of edges
    std::vector<std::array<std::string, 2>> paths(state_.config.num_parts);
    for (std::size_t p = 0; p < state_.config.num_parts; ++p) {
      paths[p] = {state_.mapping_file(p, true), state_.mapping_file(p, false)};
      for (std::size_t kind = 0; kind < 2; ++kind) having[kind] += paths[p][kind].empty() ? 0u : 1u;
      with_files += !paths[p][0].empty() || !paths[p][1].empty() ? 1u : 0u;
    }
    if (state_.nodes.mapped() && state_.config.cut_edges_dropped) {
      source = mapping_source::identity;
      if (with_files != 0)
        findings_.note(
            "files of original IDs are not checked, because the parts keep original IDs");
    } else if (with_files != 0 && (having[0] == 0 || having[1] == 0)) {
      if (compact)
        source = mapping_source::compact;
      else
        findings_.note(concat({"only the original IDs of ", (having[0] == 0 ? "edges" : "nodes"),
                               " are saved, which alone are not a mapping"}));
    } else if (with_files != 0) {
      source = mapping_source::files;
    } else if (keeps_node_ids(state_.config)) {
      source = mapping_source::identity;
    } else {
      open_part part;
      for (std::size_t p = first; p < last && source == mapping_source::none; ++p) {
        if (open(state_, p, part, reading::columns) && (part.original || part.edge_original))
          source = mapping_source::columns;
      }
      if (source == mapping_source::none && compact) source = mapping_source::compact;
    }
    state_.mapping_partial = state_.options.part && !needed;
    if (source == mapping_source::none ||
        (source == mapping_source::identity && state_.mapping_partial))
      return;
    const bool edges_known = source != mapping_source::compact;  // otherwise derived from the input
    if (!state_.mapping_partial) {
      state_.node_old.assign(static_cast<std::size_t>(state_.nodes.size()), state_.none);
      if (edges_known)
        state_.edge_old.assign(static_cast<std::size_t>(state_.edges.size()), state_.none);
    }
    seen_nodes_.resize(state_.nodes.types());
    seen_edges_.resize(state_.edges.types());
    state_.mapping_good = true;
    if (source == mapping_source::identity) {
      for (std::size_t v = 0; v < state_.node_old.size(); ++v)
        state_.node_old[v] = static_cast<Id>(v - state_.nodes.begin_of(state_.nodes.type(v)));
      for (std::size_t e = 0; e < state_.edge_old.size(); ++e)
        state_.edge_old[e] = static_cast<Id>(e - state_.edges.begin_of(state_.edges.type(e)));
      return;
    }
    findings_.done(check_kind::mapping);
    const std::size_t from = state_.mapping_partial ? first : 0,
                      to = state_.mapping_partial ? last : state_.config.num_parts;
    if (source == mapping_source::compact) {
      take_compact(from, to);
      seen_nodes_.clear();
      return;
    }
    const auto take = [&](std::size_t p, std::size_t t, bool of_nodes, const tensor& values,
                          std::uint64_t row, const std::string& file) {
      take_mapping(p, t, of_nodes, values, row, file);
    };
    for (std::size_t p = from; p < to; ++p) {
      if (source == mapping_source::columns) {
        read_mapping_columns(p, take);
        continue;
      }
      for (const bool of_nodes : {true, false}) {
        const std::string& file = paths[p][of_nodes ? 0 : 1];
        if (file.empty()) {
          state_.mapping_good = false;
          findings_.add(check_kind::mapping, state_.config.path,
                        concat({"part ", p, " has no file of original ", state_.noun(of_nodes),
                                " IDs, but other parts have one; every part needs one"}));
        } else {
          read_mapping_file(p, of_nodes, file, take);
        }
      }
    }
    seen_nodes_.clear();
    seen_edges_.clear();
    if (compact && state_.mapping_good && !state_.mapping_partial) compare_compact();
  }

 private:
  /// Original IDs of the nodes, from the compact mapping.
  void take_compact(std::size_t from, std::size_t to) {
    const auto& space = state_.nodes;
    if (!in_original_order(state_.config)) {
      for (std::size_t p = from; p < to; ++p) {
        for (std::size_t t = 0; t < space.types(); ++t)
          take_mapping(p, t, true, *compact_, space.first(p, t), node_mapping_file(state_.config));
      }
    } else if (!state_.mapping_partial) {
      with_integers(*compact_, [&](auto owner) {
        std::vector<std::uint64_t> next(state_.config.num_parts);
        for (std::size_t t = 0; t < space.types(); ++t) {
          for (std::size_t p = 0; p < next.size(); ++p) next[p] = space.first(p, t);
          for (std::uint64_t i = 0; i < space.size_of(t); ++i) {
            const auto p = static_cast<std::uint64_t>(owner(space.begin_of(t) + i));
            // Bounded, because a mapped file may change between two reads.
            if (p >= next.size() || next[static_cast<std::size_t>(p)] ==
                                        space.first(static_cast<std::size_t>(p), t) +
                                            space.count(static_cast<std::size_t>(p), t)) {
              state_.mapping_good = false;
              continue;
            }
            state_.node_old[static_cast<std::size_t>(next[static_cast<std::size_t>(p)]++)] =
                static_cast<Id>(i);
          }
        }
      });
    }
    if (state_.config.num_parts != 1 || state_.mapping_partial) return;
    // With one part, edges keep their original IDs.
    state_.edge_old.resize(static_cast<std::size_t>(state_.edges.size()));
    for (std::size_t e = 0; e < state_.edge_old.size(); ++e)
      state_.edge_old[e] = static_cast<Id>(e - state_.edges.begin_of(state_.edges.type(e)));
  }
  /// Compare the compact mapping with the one that was read.
  void compare_compact() {
    const auto& space = state_.nodes;
    const bool owners = in_original_order(state_.config);
    with_integers(*compact_, [&](auto at) {
      for (std::uint64_t v = 0; v < space.size(); ++v) {
        const std::int64_t here = at(owners ? state_.original_place(v) : v);
        const std::uint64_t there = owners ? std::uint64_t{space.part(v)}
                                           : std::uint64_t{
                                                 state_.node_old[static_cast<std::size_t>(v)]};
        if (here >= 0 && static_cast<std::uint64_t>(here) == there) continue;
        findings_.add(check_kind::mapping, node_mapping_file(state_.config),
                      "node of the compact mapping", [&] {
                        return owners ? concat({state_.input_node(v), " is in part ", here,
                                                " here; part ", there, " owns it"})
                                      : concat({"row ", v, " is original node ID ", here,
                                                "; the part's own mapping has ", there});
                      });
      }
    });
  }

  /// Original IDs of the inner nodes or edges of one part and type, in order of new IDs.
  void take_mapping(std::size_t p, std::size_t t, bool of_nodes, const tensor& values,
                    std::uint64_t from, const std::string& file) {
    const auto& space = of_nodes ? state_.nodes : state_.edges;
    auto& old = of_nodes ? state_.node_old : state_.edge_old;
    auto& seen = of_nodes ? seen_nodes_ : seen_edges_;
    const std::uint64_t most = most_original(of_nodes, t), count = space.count(p, t);
    const auto say = [&](std::uint64_t row, std::int64_t value, const char* what) {
      state_.mapping_good = false;
      findings_.add(check_kind::mapping, file, of_nodes ? "original node" : "original edge", [&] {
        return concat(
            {"row ", row, " of type ", state_.type_name(of_nodes, t), ": original ",
             state_.noun(of_nodes), " ID ", value, what,
             (value < 0 || static_cast<std::uint64_t>(value) >= most ? concat({most, ")"}) : "")});
      });
    };
    constexpr const char* range = " is not in the valid range [0, ";
    constexpr const char* twice = " is listed twice; each original ID must be there once";
    if (state_.mapping_partial) {  // what other parts list is not known
      std::vector<std::pair<std::int64_t, std::uint64_t>> values_here;
      for (std::uint64_t row = 0; row < count; ++row) {
        const std::int64_t value = values.integer(static_cast<std::size_t>(from + row));
        if (value < 0 || static_cast<std::uint64_t>(value) >= most) say(row, value, range);
        values_here.emplace_back(value, row);
      }
      std::sort(values_here.begin(), values_here.end());
      for (std::size_t i = 1; i < values_here.size(); ++i) {
        if (values_here[i].first == values_here[i - 1].first)
          say(values_here[i].second, values_here[i].first, twice);
      }
      return;
    }
    seen[t].resize(static_cast<std::size_t>(most));
    std::vector<Id> ids;
    std::uint64_t cursor = 0;
    for (std::uint64_t done = 0; done < count; done += ids.size()) {
      space.ids(p, t, done, id_block, ids, cursor);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::uint64_t row = from + done + i;
        const std::int64_t value = values.integer(static_cast<std::size_t>(row));
        const auto place = static_cast<std::uint64_t>(value);
        if (value < 0 || place >= most) {
          say(done + i, value, range);
          continue;
        }
        if (seen[t][static_cast<std::size_t>(place)]) {
          state_.mapping_good = false;
          findings_.add(
              check_kind::mapping, file, of_nodes ? "original node" : "original edge", [&] {
                return concat({"row ", done + i, " of type ", state_.type_name(of_nodes, t),
                               ": original ", state_.noun(of_nodes), " ID ", value,
                               " is listed twice, first ",
                               first_listing(of_nodes, t, static_cast<Id>(place)),
                               "; each original ID must be there once"});
              });
          continue;
        }
        seen[t][static_cast<std::size_t>(place)] = true;
        old[static_cast<std::size_t>(ids[i])] = static_cast<Id>(place);
      }
    }
  }

  /// "in row 3 of FILE": where an original ID was listed before.
  std::string first_listing(bool of_nodes, std::size_t t, Id original) const {
    const auto& space = of_nodes ? state_.nodes : state_.edges;
    const auto& old = of_nodes ? state_.node_old : state_.edge_old;
    std::vector<Id> ids;
    for (std::size_t p = 0; p < state_.config.num_parts; ++p) {
      std::uint64_t cursor = 0;
      for (std::uint64_t done = 0; done < space.count(p, t); done += ids.size()) {
        space.ids(p, t, done, id_block, ids, cursor);
        for (std::size_t i = 0; i < ids.size(); ++i) {
          if (old[ids[i]] != original) continue;
          const std::string file = state_.mapping_file(p, of_nodes);
          return concat({"in row ", done + i, " of part ", std::uint64_t{p},
                         (file.empty() ? std::string() : concat({" (", file, ")"}))});
        }
      }
    }
    return "elsewhere";
  }

 private:
  verify_state<Id>& state_;
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/mapping.ipp>
#endif
