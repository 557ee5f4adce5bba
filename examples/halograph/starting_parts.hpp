// SPDX-License-Identifier: BSL-1.0
/// @file starting_parts.hpp
/// --from, --fixed, --max-moved, --only-new, --refine, --connected and --part-weights of partition
/// and assign: nodes that have parts already, assignments that are improved once they are made,
/// parts that differ.
#pragma once

#include "command.hpp"
#include "policies.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::cli {

/// What --preset names.
multilevel_effort effort_of(std::string_view preset);
/// What --objective names.
halograph::objective objective_of(std::string_view word);

struct start_flags {
  std::string from{}, fixed{}, max_moved{}, part_weights{};
  std::vector<std::string> metis{};  // its own options (metis_policy.hpp)
  bool only_new = false, refine = false, connected = false;

  /// Is an assignment changed once it is made?
  bool improves() const { return refine || connected; }
};

/// --objective, --preset and --compress: what the method minimizes, and what it spends on that.
void bind_goal_flags(flag_set& app, std::string& objective, std::string& preset, bool& compress);
void bind_start_flags(flag_set& app, start_flags& flags);
/// @errors usage_error: flags contradict each other or the method, or a value is wrong
void check_start_flags(const start_flags& flags, std::string_view method, std::uint64_t parts);
/// Can the graph stay compressed? Not where an assignment is improved.
inline bool may_compress(const start_flags& flags) {
  return flags.from.empty() && !flags.improves();
}
/// What multilevel is given, edge weights not counted. @param flags  of partition or assign
template <class Flags>
multilevel_inputs given_to_multilevel(const Flags& flags) {
  return {.compress = flags.compress,
          .fixed = !flags.start.fixed.empty(),
          .from = flags.start.refine || !flags.start.from.empty(),
          .repeats = effort_of(flags.preset).cycles != 0,
          .volume = flags.objective == "vol"};
}
/// @errors usage_error: --compress means nothing to the method, or to what the other flags ask for
void check_compress(bool compress, std::string_view method, const start_flags& flags);
/// A given flag that only multilevel knows, or "".
std::string_view decides_method(const start_flags& flags);
/// For a manifest: what was asked for, without paths.
void describe(const start_flags& flags, json::value& out);

/// Refuse what is no value of --max-moved. @errors usage_error
void check_max_moved(const std::string& text);
/// The nodes that a value of --max-moved allows to move. @param nodes  that have a part
/// @pre check_max_moved(text)
std::uint64_t moves_allowed(const std::string& text, std::uint64_t nodes);

/// The weights that --part-weights lists, or none. @errors usage_error
std::vector<double> part_weights_of(const start_flags& flags, std::uint64_t parts);

/// Bytes of the features of a node or an edge, by type; empty: not known.
struct row_sizes {
  std::vector<std::uint64_t> nodes{};  ///< [T]
  std::vector<std::uint64_t> edges{};  ///< [R]
};

/// The assignment that a run starts from.
struct starting_parts {
  static constexpr part_id no_part = static_cast<part_id>(-1);  ///< of new nodes

  std::vector<part_id> owner{};  ///< [V], or empty; nodes that it does not have: no part
  std::vector<part_id> fixed{};  ///< [V] parts that nodes must get, or no part; or empty
  std::uint64_t max_moved = ~std::uint64_t{0};
  bool only_new = false;
  std::vector<double> part_weights{};  ///< [K], or empty

  /// Read it where the flags name one. Files may lack nodes at the end of a type, or say -1: those
  /// are new.
  /// @errors mismatch: a file has more lines than the type has nodes; out_of_range, malformed: a
  ///     line that is no part; not_found
  static starting_parts read(const start_flags& flags, const graph_schema& schema,
                             std::span<const std::uint64_t> node_counts, std::uint64_t parts,
                             executor_ref threads);
  void tell(policy_inputs& in) const;
  /// Are new nodes placed in one pass over the edges (new_nodes.hpp)? Yes if parts are to be of
  /// equal size, few edges are to be cut, and the preset is the default one.
  bool are_placed_in_one_pass(std::string_view preset, halograph::objective objective) const {
    return only_new && part_weights.empty() && objective == halograph::objective::cut &&
           preset == "balanced";
  }
  /// Nodes that have no part yet.
  std::uint64_t new_nodes() const;

  /// What came of it.
  struct moves {
    bool known = false;
    std::uint64_t old_nodes = 0, moved_nodes = 0;
    std::uint64_t moved_edges = 0;        ///< those that end in moved nodes
    std::uint64_t moved_bytes = 0;        ///< of the features of moved nodes and edges
    std::vector<balance_line> balance{};  ///< by part weights, where there are some

    /// Correct what was measured as if parts were to hold the same.
    template <class Line>
    void correct(std::vector<Line>& lines) const {
      for (std::size_t i = 0; i < std::min(lines.size(), balance.size()); ++i) {
        lines[i].imbalance = balance[i].imbalance;
        lines[i].met = balance[i].met;
        lines[i].least_imbalance = balance[i].least_imbalance;
      }
    }
  };
  /// Where only new nodes get parts.
  moves none_moved() const;
  /// @param types  [T+1] first node of each type
  /// @param bytes  [T] bytes of a node's features, or empty
  /// @param constraints  what is balanced
  moves count(std::span<const part_id> now, std::span<const std::uint64_t> types,
              std::span<const std::uint64_t> bytes, std::span<const constraint> constraints) const;
  /// The same, and the edges that end in nodes that have moved.
  template <id ID>
  moves count(std::span<const part_id> now, const hetero_view<ID, ID>& g, const row_sizes& bytes,
              std::span<const constraint> constraints) const {
    const auto types = g.node_type_offsets();
    moves out = count(now, types, bytes.nodes, constraints);
    if (out.moved_nodes == 0) return out;
    for (std::size_t r = 0; r < g.relations().size(); ++r) {
      const auto& one = g.relations()[r];
      const std::uint64_t first = types[one.target_type];
      std::uint64_t count = 0;
      for (const ID target : one.target) {
        const auto v = index(first) + index(target);
        count += owner[v] != no_part && owner[v] != now[v] ? 1u : 0u;
      }
      out.moved_edges += count;
      if (r < bytes.edges.size()) out.moved_bytes += count * bytes.edges[r];
    }
    return out;
  }
};

/// Note the parts to which --fixed gives more nodes than they may hold. @param tolerance  of nodes
void note_overfull(const starting_parts& start, std::uint64_t parts, double tolerance);

/// Add what moved to an answer.
void tell_moves(const starting_parts::moves& moves, bool bytes_known, answer& done);

/// Memory that --connected takes at most besides the graph.
std::uint64_t bytes_to_connect(std::uint64_t nodes, std::uint64_t edges);

/// Add how many connected components the parts have to an answer, and say in a note where
/// --connected was asked for and is not met. Nothing where that is not known.
/// @param connections  [K], or empty
void tell_connections(std::span<const part_connection> connections, const start_flags& flags,
                      answer& done);

/// Add how many connected components the parts of a folder have.
void tell_components(const folder_report& found, answer& done);

/// Refinement after a policy.
struct refinement {
  bool asked = false, connected = false;
  std::uint64_t parts = 1, seed = 0;
  std::string preset = "balanced";
  halograph::objective objective = halograph::objective::cut;
  double tolerance = default_tolerance;
  std::span<const constraint> constraints{};
  std::span<const std::int64_t> edge_weights{}, node_sizes{};
  std::span<const double> part_weights{};
  std::span<const part_id> fixed{};
  bool balance_types = true;
  std::vector<part_connection>* connections = nullptr;  ///< out, [K], unless null

  /// Does nothing unless asked for, but count what `connections` is for.
  status refine(const hetero_view<std::uint32_t, std::uint32_t>& g, std::span<part_id> owner,
                executor_ref threads) const;
  status refine(const hetero_view<std::uint64_t, std::uint64_t>& g, std::span<part_id> owner,
                executor_ref threads) const;
  /// The sentence for a status of the policy or of the refinement.
  std::string explain(status answer, const chosen_policy& policy) const;
};

}  // namespace halograph::cli
