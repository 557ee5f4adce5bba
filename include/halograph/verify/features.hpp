// SPDX-License-Identifier: BSL-1.0
/// @file features.hpp
/// Checks of features: shape, equality with the input, consistency across parts.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

struct trainer_range {
  std::size_t part;
  std::int64_t low, high;
  std::string file;
};

/// What the features of all parts have in common. Parts are added in order.
class feature_agreement {
 public:
  std::size_t parts_with_features = 0;
  bool unknown = false;  ///< a feature that the input does not have
  std::vector<trainer_range> trainer_ranges{};

  /// Compare a feature with the one of that name in earlier parts.
  void compare(const verify_context& state, finding_list& findings, std::size_t p, bool of_nodes,
               std::size_t t, const std::string& feature_name, dtype type, const tensor_shape& row,
               std::uint64_t rows, const std::string& file);

  /// Check that every checked part has every feature.
  void check_features_agree(const verify_context& state, finding_list& findings, std::size_t first,
                            std::size_t last) const;

  /// Find a T such that trainer / T is the part everywhere, or report the part that rules it out.
  void check_trainers(finding_list& findings) const;

 private:
  struct feature_seen {
    dtype type{};
    tensor_shape row{};
    std::size_t part = 0;
    std::uint64_t rows = 0;
    std::size_t parts = 0;  // that have it
  };
  std::map<std::tuple<bool, std::size_t, std::string>, feature_seen> seen_features_{};
};

/// What the features' checks need of the IDs that are kept, whatever their width.
struct feature_ids {
  /// Append the original IDs of a part's next `most` nodes or edges of a type after the first
  /// `done`, without dropped edges. @return how many there were, dropped ones included
  function_ref<std::size_t(std::size_t p, bool of_nodes, std::size_t t, std::uint64_t done,
                           std::size_t most, std::uint64_t& cursor,
                           std::vector<std::uint64_t>& out)>
      originals;
  /// The parts to which the assignment gives a part's nodes of a type.
  function_ref<std::vector<part_id>(std::size_t p, std::size_t t)> assigned;
};

/// Calls f(feature_ids).
template <class Id, class F>
void with_feature_ids(const verify_state<Id>& state, F&& f) {
  const auto originals = [&](std::size_t p, bool of_nodes, std::size_t t, std::uint64_t done,
                             std::size_t most, std::uint64_t& cursor,
                             std::vector<std::uint64_t>& out) {
    std::vector<Id> ids;
    (of_nodes ? state.nodes : state.edges).ids(p, t, done, most, ids, cursor);
    const auto& old = of_nodes ? state.node_old : state.edge_old;
    for (const Id id : ids) {
      if (!of_nodes && state.source[id] == state.none) continue;  // dropped
      out.push_back(old[id]);
    }
    return ids.size();
  };
  const auto assigned = [&](std::size_t p, std::size_t t) {
    std::vector<Id> ids;
    std::uint64_t cursor = 0;
    state.nodes.ids(p, t, 0, static_cast<std::size_t>(state.nodes.count(p, t)), ids, cursor);
    std::vector<part_id> parts;
    parts.reserve(ids.size());
    for (const Id id : ids) parts.push_back(state.assigned[state.original_place(id)]);
    return parts;
  };
  f(feature_ids{originals, assigned});
}

/// Checks the features of a part.
class feature_check {
 public:
  /// @param shared  is updated when the findings of this part are merged
  feature_check(const verify_context& state, const feature_ids& ids, finding_log& findings,
                feature_agreement& shared)
      : state_(state), ids_(ids), findings_(findings), shared_(shared) {}

  void check_features(std::size_t p, const open_part* part, const input_graph* input);

 private:
  void compare_feature(std::size_t p, bool of_nodes, std::size_t t, std::string_view feature_name,
                       const tensor& value, const std::string& file, const input_graph& input);

  /// `trainer_id` of nodes and of edges, written with several trainers per machine.
  void note_trainers(std::size_t p, const open_part* part, const partition_features& all,
                     const std::string (&files)[2]);

  const verify_context& state_;
  const feature_ids& ids_;
  finding_log& findings_;
  feature_agreement& shared_;
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/features.ipp>
#endif
