// SPDX-License-Identifier: BSL-1.0
/// @file policies.hpp
/// The partitioners of `--method` behind one type, so that what the subcommands do is compiled
/// once, whatever partitioners there are: entry_of<Policy>() wraps one of them.
#pragma once

#include "usage_error.hpp"

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::cli {

/// What the ranks of a partitioner communicate through.
using policy_ranks = checked_communicator<communicator_ref>;

/// Everything that policies may want to know, set where they have a member of the name.
struct policy_inputs {
  std::uint64_t parts = 1;
  std::optional<std::uint64_t> seed{};
  std::optional<double> tolerance{};
  std::span<const constraint> constraints{};
  std::span<const std::int64_t> edge_weights{};
  std::span<const std::int64_t> node_sizes{};
  std::uint64_t batch = 0;                   ///< edges that method buffered holds; 0: its default
  std::string_view preset{};                 ///< of method multilevel: fast, balanced or strong
  std::span<const part_id> from{}, fixed{};  ///< of method multilevel (starting_parts.hpp)
  std::uint64_t max_moved = ~std::uint64_t{0};
  std::span<const double> part_weights{};
  std::span<const std::string> metis_options{};  ///< as check_metis_options() has found them right
  const progress_callback* on_progress = nullptr;  ///< lives as long as the policy assigns
  const memory_callback* on_bytes = nullptr;       ///< the same
  bool volume = false;
  bool compress = false;            ///< of method multilevel
  bool edge_weights_asked = false;  ///< by a flag, not by the input alone
  bool shuffled = false;            ///< nodes are pushed in a seeded order
};

/// Neighbors of a node, block by block: what a policy_stream gets of them.
using neighbor_blocks = function_ref<void(function_ref<void(std::span<const std::uint64_t>)>)>;

/// A stream of a streaming partitioner.
class policy_stream {
 public:
  policy_stream() = default;
  policy_stream(const policy_stream&) = delete;
  policy_stream& operator=(const policy_stream&) = delete;
  virtual ~policy_stream() = default;
  virtual void run_on(executor_ref threads) = 0;
  virtual status push(std::uint64_t v, neighbor_blocks neighbors) = 0;
  virtual void fetch(std::span<const std::uint64_t> soon) const = 0;
  virtual status finish() = 0;
};

/// A partitioner with its options. Only what its entry says it can do may be called.
class chosen_policy {
 public:
  chosen_policy() = default;
  chosen_policy& operator=(const chosen_policy&) = delete;
  virtual ~chosen_policy() = default;
  virtual std::unique_ptr<chosen_policy> clone() const = 0;

  /// Set the members that the policy has. @errors usage_error: it has none for a flag that was
  /// given; overflow: one is too narrow
  virtual void configure(const policy_inputs& in, const std::string& method) = 0;
  virtual void set_constraints(std::span<const constraint> constraints) = 0;
  virtual void set_balance_types(bool each) = 0;

  virtual std::uint64_t parts() const = 0;
  virtual std::uint64_t seed() const = 0;
  virtual double tolerance() const = 0;
  virtual stream_order order() const = 0;
  /// Does it work on rows that are compressed?
  virtual bool compresses() const = 0;

  /// Of a graph in memory.
  virtual status assign(const hetero_view<std::uint32_t, std::uint32_t>& g,
                        std::span<part_id> owner, executor_ref threads) const = 0;
  virtual status assign(const hetero_view<std::uint64_t, std::uint64_t>& g,
                        std::span<part_id> owner, executor_ref threads) const = 0;
  /// Of a graph in undirected rows. @pre it compresses
  virtual status assign_rows(detail::weighted_graph<std::uint32_t> rows,
                             std::span<const std::uint64_t> types, std::span<part_id> owner,
                             executor_ref threads) const = 0;
  virtual status assign_rows(detail::weighted_graph<std::uint64_t> rows,
                             std::span<const std::uint64_t> types, std::span<part_id> owner,
                             executor_ref threads) const = 0;
  /// Without edges.
  virtual status assign_nodes(std::size_t nodes, std::span<part_id> owner) const = 0;
  /// Each rank its own nodes.
  virtual status assign(const policy_ranks& ranks, const distributed_graph_view<std::uint32_t>& g,
                        std::span<part_id> owner) const = 0;
  virtual status assign(const policy_ranks& ranks, const distributed_graph_view<std::uint64_t>& g,
                        std::span<part_id> owner) const = 0;
  /// One node after the other.
  virtual std::size_t stream_scratch_size(const stream_shape& shape) const = 0;
  virtual std::uint64_t stream_bytes(const stream_shape& shape) const = 0;
  virtual status begin(const stream_shape& shape, std::span<part_id> owner,
                       std::span<std::uint64_t> memory,
                       std::unique_ptr<policy_stream>& out) const = 0;

  virtual std::string explain(status answer) const = 0;
  /// Memory that it needs besides loaded or shared edges, where it knows.
  virtual std::optional<std::uint64_t> bytes(std::uint64_t nodes, std::uint64_t edges,
                                             std::size_t constraints, std::size_t ranks) const = 0;

 protected:
  chosen_policy(const chosen_policy&) = default;
};

/// What a partitioner can do.
struct policy_abilities {
  bool cuts_graphs = false;  ///< in memory; one that only works on ranks is for assign alone
  bool reads_edges = true;
  bool shares_edges = false;  ///< each rank has the edges of its nodes
  bool streams = false;
  bool seed = false;
  bool tolerance = false;
  bool constraints = false;
  bool balances_types = false;
  bool order = false;
};

/// One word of --method.
struct policy_entry {
  std::string_view name{};
  policy_abilities can{};
  std::unique_ptr<chosen_policy> (*make)() = nullptr;
};

namespace erasing {

template <class Policy, class Graph>
concept cuts = requires(const Policy& policy, const Graph& graph,
                        std::span<typename Policy::part> owner) { policy.assign(graph, owner); };
/// Can a policy cut a graph in memory?
template <class Policy>
inline constexpr bool cuts_graphs = cuts<Policy, hetero_view<std::uint32_t, std::uint32_t>>;
template <class Policy>
inline constexpr bool cuts_nodes = !reads_edges<Policy> &&
                                   cuts<Policy, halograph::detail::nodes_alone>;
/// Can it assign the nodes of a rank?
template <class Policy>
concept cuts_shares = requires(const Policy& policy, const policy_ranks& ranks,
                               const distributed_graph_view<std::uint32_t>& narrow,
                               const distributed_graph_view<std::uint64_t>& wide,
                               std::span<typename Policy::part> owner) {
  { policy.assign(ranks, narrow, owner) } -> std::same_as<status>;
  { policy.assign(ranks, wide, owner) } -> std::same_as<status>;
};
template <class Policy>
concept sets_tolerance = takes_tolerance<Policy> && requires(Policy& policy, double tolerance) {
  policy.tolerance = tolerance;
};
/// Optional, of built-in policies: choose(in) sets what has no name that all policies share.
template <class Policy>
concept chooses = requires(Policy& policy, const policy_inputs& in) { policy.choose(in); };

/// A visitor of neighbors that come in blocks.
struct blocks_visitor {
  neighbor_blocks blocks;
  template <class F>
  void operator()(F&& f) const {
    blocks([&f](std::span<const std::uint64_t> some) {
      for (const std::uint64_t u : some) f(u);
    });
  }
};

template <class Policy>
class stream_of final : public policy_stream {
 public:
  using part = typename Policy::part;
  typename Policy::stream inner{};
  std::span<part> narrow{};  // where the stream writes, if its parts are narrower
  std::span<part_id> owner{};
  void run_on(executor_ref threads) override { detail::lend_threads(inner, threads); }
  status finish() override {
    const status answer = detail::finish_stream(inner);
    if constexpr (!std::same_as<part, part_id>)
      if (answer) std::copy(narrow.begin(), narrow.end(), owner.begin());
    return answer;
  }
  void fetch(std::span<const std::uint64_t> soon) const override {
    detail::fetch_neighbors(inner, soon);
  }
  status push(std::uint64_t v, neighbor_blocks neighbors) override {
    const status answer = inner.push(v, blocks_visitor{neighbors});
    if constexpr (!std::same_as<part, part_id>) {
      if (answer) owner[static_cast<std::size_t>(v)] = narrow[static_cast<std::size_t>(v)];
    }
    return answer;
  }
};

template <class Policy>
class policy_of final : public chosen_policy {
 public:
  using part = typename Policy::part;

  policy_of() = default;
  explicit policy_of(Policy policy) : policy_(std::move(policy)) {}
  std::unique_ptr<chosen_policy> clone() const override {
    if constexpr (std::copy_constructible<Policy>)
      return std::make_unique<policy_of>(*this);
    else
      raise(error_kind::unsupported, "this partitioner cannot be copied");
  }

  void configure(const policy_inputs& in, const std::string& method) override {
    if constexpr (requires(Policy& p) { p.parts = {}; }) {
      policy_.parts = checked_cast<std::remove_cvref_t<decltype(policy_.parts)>>(
          in.parts, "the number of parts");
    }
    if constexpr (takes_seed<Policy>) {
      if (in.seed)
        policy_.seed = checked_cast<std::remove_cvref_t<decltype(policy_.seed)>>(*in.seed,
                                                                                 "the seed");
    } else if (in.seed) {
      throw usage_error("--seed means nothing to --method " + method);
    }
    if constexpr (takes_constraints<Policy>) policy_.constraints = in.constraints;
    if constexpr (takes_edge_weights<Policy>) {
      policy_.edge_weights = in.edge_weights;
    } else if (in.edge_weights_asked) {
      throw usage_error("--edge-weights means nothing to --method " + method);
    }
    if constexpr (chooses_order<Policy>)
      policy_.order = in.shuffled ? stream_order::shuffled : stream_order::natural;
    if constexpr (sets_tolerance<Policy>) {
      if (in.tolerance) policy_.tolerance = *in.tolerance;
    }
    if constexpr (chooses<Policy>) policy_.choose(in);
  }
  void set_constraints([[maybe_unused]] std::span<const constraint> constraints) override {
    if constexpr (takes_constraints<Policy>) policy_.constraints = constraints;
  }
  void set_balance_types([[maybe_unused]] bool each) override {
    if constexpr (halograph::balances_types<Policy>) policy_.balance_types = each;
  }

  std::uint64_t parts() const override { return static_cast<std::uint64_t>(policy_.parts); }
  std::uint64_t seed() const override {
    if constexpr (takes_seed<Policy>)
      return static_cast<std::uint64_t>(policy_.seed);
    else
      return 0;
  }
  double tolerance() const override {
    if constexpr (takes_tolerance<Policy>)
      return static_cast<double>(policy_.tolerance);
    else
      return default_tolerance;
  }
  stream_order order() const override { return order_of(policy_); }
  bool compresses() const override {
    if constexpr (detail::assigns_rows<Policy>)
      return policy_.compress;
    else
      return false;
  }

  status assign(const hetero_view<std::uint32_t, std::uint32_t>& g, std::span<part_id> owner,
                executor_ref threads) const override {
    return cut(g, owner, threads);
  }
  status assign(const hetero_view<std::uint64_t, std::uint64_t>& g, std::span<part_id> owner,
                executor_ref threads) const override {
    return cut(g, owner, threads);
  }
  status assign_rows(detail::weighted_graph<std::uint32_t> rows,
                     std::span<const std::uint64_t> types, std::span<part_id> owner,
                     executor_ref threads) const override {
    return cut_rows(std::move(rows), types, owner, threads);
  }
  status assign_rows(detail::weighted_graph<std::uint64_t> rows,
                     std::span<const std::uint64_t> types, std::span<part_id> owner,
                     executor_ref threads) const override {
    return cut_rows(std::move(rows), types, owner, threads);
  }
  status assign_nodes([[maybe_unused]] std::size_t nodes,
                      [[maybe_unused]] std::span<part_id> owner) const override {
    if constexpr (cuts_nodes<Policy>) {
      const halograph::detail::nodes_alone alone{nodes};
      return widened(owner, [&](std::span<part> out) { return assign_into(alone, policy_, out); });
    } else {
      return status::unsupported;
    }
  }
  status assign(const policy_ranks& ranks, const distributed_graph_view<std::uint32_t>& g,
                std::span<part_id> owner) const override {
    return cut_share(ranks, g, owner);
  }
  status assign(const policy_ranks& ranks, const distributed_graph_view<std::uint64_t>& g,
                std::span<part_id> owner) const override {
    return cut_share(ranks, g, owner);
  }

  std::size_t stream_scratch_size([[maybe_unused]] const stream_shape& shape) const override {
    if constexpr (streaming_partitioner<Policy>) {
      return static_cast<std::size_t>(policy_.stream_scratch_size(shape)) + narrow_words(shape);
    } else {
      return 0;
    }
  }
  std::uint64_t stream_bytes([[maybe_unused]] const stream_shape& shape) const override {
    if constexpr (requires { policy_.stream_bytes(shape); })
      return policy_.stream_bytes(shape);
    else
      return 0;
  }
  status begin([[maybe_unused]] const stream_shape& shape,
               [[maybe_unused]] std::span<part_id> owner,
               [[maybe_unused]] std::span<std::uint64_t> memory,
               [[maybe_unused]] std::unique_ptr<policy_stream>& out) const override {
    if constexpr (streaming_partitioner<Policy>) {
      auto made = std::make_unique<stream_of<Policy>>();
      made->owner = owner;
      status answer = status::ok;
      if constexpr (std::same_as<part, part_id>) {
        answer = policy_.begin(shape, owner, memory, made->inner);
      } else {
        const std::size_t words = narrow_words(shape);
        if (memory.size() < words) return status::capacity.at(stream_scratch_size(shape));
        auto* const first = reinterpret_cast<part*>(memory.data());
        std::uninitialized_value_construct_n(first, owner.size());
        made->narrow = std::span<part>(first, owner.size());
        answer = policy_.begin(shape, made->narrow, memory.subspan(words), made->inner);
      }
      out = std::move(made);
      return answer;
    } else {
      return status::unsupported;
    }
  }

  std::string explain(status answer) const override { return explain_assignment(policy_, answer); }
  std::optional<std::uint64_t> bytes([[maybe_unused]] std::uint64_t nodes,
                                     [[maybe_unused]] std::uint64_t edges,
                                     [[maybe_unused]] std::size_t constraints,
                                     [[maybe_unused]] std::size_t ranks) const override {
    if constexpr (requires { policy_.bytes(nodes, edges, constraints, ranks); })
      return policy_.bytes(nodes, edges, constraints, ranks);
    else
      return std::nullopt;
  }

 private:
  /// Call f(owner of the policy's own width).
  template <class F>
  static status widened(std::span<part_id> owner, const F& f) {
    if constexpr (std::same_as<part, part_id>) {
      return f(owner);
    } else {
      std::vector<part> narrow(owner.size());
      const status answer = f(std::span<part>(narrow));
      std::copy(narrow.begin(), narrow.end(), owner.begin());
      return answer;
    }
  }
  template <class Graph>
  status cut([[maybe_unused]] const Graph& g, [[maybe_unused]] std::span<part_id> owner,
             [[maybe_unused]] executor_ref threads) const {
    if constexpr (cuts_graphs<Policy>) {
      return widened(owner,
                     [&](std::span<part> out) { return assign_into(g, policy_, out, threads); });
    } else {
      return status::unsupported;
    }
  }
  template <class Word>
  status cut_rows([[maybe_unused]] detail::weighted_graph<Word> rows,
                  [[maybe_unused]] std::span<const std::uint64_t> types,
                  [[maybe_unused]] std::span<part_id> owner,
                  [[maybe_unused]] executor_ref threads) const {
    if constexpr (detail::assigns_rows<Policy>) {
      return widened(owner, [&](std::span<part> out) {
        return policy_.assign_rows(std::move(rows), types, out, threads);
      });
    } else {
      return status::unsupported;
    }
  }
  template <class Graph>
  status cut_share([[maybe_unused]] const policy_ranks& ranks, [[maybe_unused]] const Graph& g,
                   [[maybe_unused]] std::span<part_id> owner) const {
    if constexpr (cuts_shares<Policy>) {
      return widened(owner, [&](std::span<part> out) { return policy_.assign(ranks, g, out); });
    } else {
      return status::unsupported;
    }
  }
  static std::size_t narrow_words([[maybe_unused]] const stream_shape& shape) {
    if constexpr (std::same_as<part, part_id>)
      return 0;
    else
      return static_cast<std::size_t>((shape.nodes * sizeof(part) + 7) / 8);
  }

  Policy policy_{};
};

}  // namespace erasing

/// A policy whose options are set.
template <class Policy>
std::unique_ptr<chosen_policy> erased(Policy policy) {
  return std::make_unique<erasing::policy_of<Policy>>(std::move(policy));
}

template <class Policy>
constexpr policy_abilities abilities_of() {
  policy_abilities can;
  can.cuts_graphs = erasing::cuts_graphs<Policy>;
  can.reads_edges = !erasing::cuts_nodes<Policy>;
  can.shares_edges = erasing::cuts_shares<Policy>;
  can.streams = streaming_partitioner<Policy>;
  can.seed = takes_seed<Policy>;
  can.tolerance = erasing::sets_tolerance<Policy>;
  can.constraints = takes_constraints<Policy>;
  can.balances_types = halograph::balances_types<Policy>;
  can.order = chooses_order<Policy>;
  static_assert(
      erasing::cuts_graphs<Policy> || erasing::cuts_nodes<Policy> || erasing::cuts_shares<Policy> ||
          streaming_partitioner<Policy>,
      "a policy of --method must be a partitioner of hetero_view, a streaming_partitioner "
      "or a distributed_partitioner");
  return can;
}

/// A policy by its name.
template <class Policy>
policy_entry entry_of() {
  return {name_of_policy<Policy>(), abilities_of<Policy>(), []() -> std::unique_ptr<chosen_policy> {
            return std::make_unique<erasing::policy_of<Policy>>();
          }};
}

/// The built-in partitioners in the order of --help, but for those that several processes run
/// together (parallel_methods.hpp).
const std::vector<policy_entry>& built_in_policies();

/// All partitioners of this program: the built-in ones, and the given ones after them.
struct offered_policies {
  std::vector<policy_entry> given{};

  /// The one that --method names, built-in ones first; null: there is none.
  const policy_entry* find(std::string_view method) const;
};

/// Does a built-in partitioner assign one node at a time, as edges are read?
bool is_streaming(std::string_view method);

/// Memory that a built-in partitioner takes besides the loaded graph; 0: none worth counting.
/// @param entries   of the undirected view
/// @param batch     edges that method buffered holds; 0: its default
/// @param given     what else multilevel is given
std::uint64_t bytes_in_memory(std::string_view method, std::uint64_t nodes, std::uint64_t entries,
                              std::uint64_t constraints, std::uint64_t parts, std::uint64_t batch,
                              const multilevel_inputs& given = {});
/// What a built-in partitioner of a graph in memory takes before it tells of more
/// (policy_inputs::on_bytes), where that is less than in all; else 0. @param edges  of the graph
std::uint64_t first_bytes_in_memory(std::string_view method, std::uint64_t nodes,
                                    std::uint64_t edges, std::uint64_t entries,
                                    std::uint64_t constraints, std::uint64_t parts,
                                    std::size_t threads, const multilevel_inputs& given);

/// The parts as they were read. @param owners  must outlive the policy
std::unique_ptr<chosen_policy> given_parts(std::uint64_t parts, std::span<const part_id> owners);

}  // namespace halograph::cli
