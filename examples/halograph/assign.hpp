// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// `halograph assign`: the nodes of a graph to parts, as an assignment folder.
#pragma once

#include "any_graph.hpp"
#include "command.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "parallel_methods.hpp"
#include "partition.hpp"
#include "ranks.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::cli {

/// The flags of `assign` as they stand on the command line.
struct assign_flags {
  std::string input{}, out{}, method = "metis", objective = "cut", stream_order = "natural",
                              balance_ntypes = "types";
  std::uint64_t parts = 0, seed = 0, memory = 0;
  double tolerance = default_tolerance;
  reading_flags reading{};
  bool seeded = false, tolerant = false, balance_edges = false, no_measure = false,
       ignore_memory = false;
};

/// Bind the flags. @param methods the words that --method takes
void bind_assign_flags(CLI::App& app, assign_flags& flags, const std::vector<std::string>& methods);

any_graph open_for_assign(const assign_flags& flags, const context& asked,
                          const program_ranks& ranks);

/// Set what the flags say, where the policy has a member for it. @errors usage_error: it has none
template <class Policy>
void configure_from(Policy& policy, const assign_flags& flags) {
  policy_inputs in;
  in.parts = flags.parts;
  if (flags.seeded) in.seed = flags.seed;
  in.shuffled = flags.stream_order == "shuffled";
  configure(policy, in, flags.method.c_str());
  if constexpr (requires { policy.tolerance = flags.tolerance; }) {
    policy.tolerance = flags.tolerance;
  } else if (flags.tolerant) {
    throw usage_error("--tolerance means nothing to --method " + flags.method);
  }
  constexpr bool shares = detail::shares_edges<Policy, program_ranks>;
  if (flags.balance_edges && !shares && !takes_constraints<Policy>)
    throw usage_error("--balance-edges means nothing to --method " + flags.method);
  if (flags.balance_ntypes != "types" && !shares && !(requires { policy.balance_types = false; })) {
    throw usage_error("--balance-ntypes means nothing to --method " + flags.method);
  }
}

/// All that decides the bytes of the result beside the graph, the number of parts and the method:
/// for partition_meta.json. No paths.
template <class Policy>
json::value settings_of(const Policy& policy, const assign_flags& flags) {
  json::value out{json::object{}};
  if constexpr (takes_seed<Policy>) out.set("seed", static_cast<std::uint64_t>(policy.seed));
  if constexpr (requires {
                  { policy.tolerance } -> std::convertible_to<double>;
                })
    out.set("tolerance", static_cast<double>(policy.tolerance));
  if (flags.method == "metis") out.set("objective", flags.objective);
  if constexpr (requires {
                  { policy.order } -> std::convertible_to<stream_order>;
                })
    out.set("stream_order", flags.stream_order);
  if (reads_edges<Policy>)
    out.set("balance_ntypes", flags.balance_ntypes).set("balance_edges", flags.balance_edges);
  if (flags.method == "ptscotch" || flags.method == "parmetis") out.set("ranks", launched().ranks);
  describe(flags.reading, out);
  return out;
}

/// Say what the run takes, and refuse what does not fit this machine.
void check_need(const assign_need& need, const assign_flags& flags, bool json);

/// The options that the flags decide, but for policy_bytes.
/// @param settings  settings_of()   @param types  of nodes
assign_options options_of(const assign_flags& flags, json::value settings, std::size_t types,
                          bool json);

/// What the subcommand answers.
answer answer_of(const assign_result& made, const assign_flags& flags);

/// Run one of the built-in methods.
answer assign_built_in(const assign_flags& flags, const context& asked);

/// Assign by a policy, on all ranks.
/// @param prepare  prepare(graph, policy, options): what depends on the graph
template <class Policy, class Prepare>
answer assign_by(Policy policy, const assign_flags& flags, const context& asked,
                 const Prepare& prepare) {
  guard_inputs(flags.out, {flags.input});
  configure_from(policy, flags);
  return with_ranks([&](const program_ranks& ranks) {
    const auto input = open_for_assign(flags, asked, ranks);
    const auto& graph = input.graph;
    auto options = options_of(flags, settings_of(policy, flags), graph.node_counts.size(),
                              asked.json);
    prepare(graph, policy, options);
    answer done = answer_of(
        assign_chunked(graph, policy, flags.out, options, make_threads(asked.threads), ranks),
        flags);
    done.details.set("copy", input.describe_copy());
    return done;
  });
}

/// What a policy says that it takes, where it says so: bytes(nodes, edges, constraints, ranks).
struct ask_for_bytes {
  const assign_flags& flags;
  template <class Graph, class Policy>
  void operator()(const Graph& graph, const Policy& policy, assign_options& options) const {
    const std::size_t constraints = (flags.balance_edges ? 2 : 1) *
                                    (options.balance.types ? graph.node_counts.size() : 1);
    if constexpr (requires {
                    policy.bytes(graph.num_nodes(), graph.num_edges(), constraints,
                                 launched().ranks);
                  }) {
      options.policy_bytes = policy.bytes(graph.num_nodes(), graph.num_edges(), constraints,
                                          launched().ranks);
    }
  }
};

template <class... Policies>
answer run_assign(const assign_flags& flags, const context& asked) {
  answer done;
  bool found = false;
  [[maybe_unused]] const auto try_one = [&]<class Policy>(std::type_identity<Policy>) {
    if (found || flags.method != policy_name<Policy>()) return;
    found = true;
    done = assign_by(Policy{}, flags, asked, ask_for_bytes{flags});
  };
  (try_one(std::type_identity<Policies>{}), ...);
  return found ? done : assign_built_in(flags, asked);
}

template <class... Policies>
action add_assign(CLI::App& app) {
  auto flags = std::make_shared<assign_flags>();
  bind_assign_flags(app, *flags,
                    {"metis", "random", "ldg", "fennel", "hash", "range", "label_propagation",
                     "ptscotch", "parmetis", policy_name<Policies>()...});
  return [flags](const context& asked) { return run_assign<Policies...>(*flags, asked); };
}

}  // namespace halograph::cli
