// SPDX-License-Identifier: BSL-1.0
/// @file check.hpp
/// Check your model of a concept against all its laws, over all test graphs, in one call.
/// Layer: testing (no test framework: the answer is a verdict). Words: README.md.
///
///     EXPECT_EQ(hg::laws::check_partitioner(my_policy{}).why, "");  // GoogleTest prints the
///     reason const auto v = hg::laws::check_partitioner(my_policy{});      // without a test
///     framework if (!v) return puts(v.why.c_str()), 1;
///
/// | model | call |
/// | --- | --- |
/// | partitioner, streaming or not | `check_partitioner(policy)`, or `(policy, parts)` if it has no member `parts` |
/// | refiner | `check_refiner(policy)`, or `(policy, parts)` |
/// | node order | `check_node_order(order)` |
/// | graph storage | `check_storage(make)`, make(nodes, sources, targets) returns a graph; laws::graph(g) for a single graph |
/// | serializer | `check_serializer(format)` |
/// | feature store | `check_feature_store(store)` |
/// | executor | `check_executor(pool)` |
/// | JSON codec | `check_json_codec(codec)` |
/// | communicator | `check_communicator(ranks)`, on every rank |
/// | distributed partitioner | `check_distributed_partitioner(policy)`: 1 to 4 ranks, a thread each |
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/serial_laws.hpp>
#include <halograph/testing/small_graphs.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::laws {

namespace detail {

inline verdict with_place(verdict answer, const std::string& graph, std::uint64_t parts) {
  if (!answer.holds) {
    answer.why = "graph \"" + graph + "\", " + std::to_string(parts) +
                 (parts == 1 ? " part: " : " parts: ") + answer.why;
  }
  return answer;
}

/// Can the number of parts be set, on a copy?
template <class Policy>
concept parts_can_be_set = std::copyable<Policy> && requires(Policy& policy) { policy.parts = 2; };

template <class Policy>
void set_parts(Policy& policy, std::uint64_t parts) {
  policy.parts = static_cast<std::remove_cvref_t<decltype(policy.parts)>>(parts);
}

/// The numbers of parts to check: one, fewer than most test graphs have nodes, and more.
inline constexpr std::uint64_t part_counts[] = {1, 2, 3, 7};

/// One policy on one graph: its law, and the same owners from every storage of the graph.
template <class Policy>
verdict check_partitioner_on(const Policy& policy, std::uint64_t parts, const small_graph<>& g) {
  const auto run = [&](const auto& storage, std::vector<typename Policy::part>& owner) {
    owner.assign(g.num_nodes(), 0);
    return policy.assign(storage, std::span<typename Policy::part>(owner));
  };
  std::vector<typename Policy::part> owner, other;
  // A policy may reject more parts than nodes.
  if (run(g, owner) == status::infeasible && parts > g.num_nodes()) return {};
  if (verdict answer = partitioner(policy, parts, g); !answer) return answer;
  if constexpr (!reads_edges<Policy>) {
    const coo_view<std::uint32_t, std::uint32_t> bare{g.num_nodes(), {}, {}};
    if constexpr (halograph::partitioner<Policy, coo_view<std::uint32_t, std::uint32_t>>) {
      if (!run(bare, other) || owner != other)
        return broken("reads_edges is false, but the owners differ when the graph has no edges");
    }
  }
  if constexpr (halograph::partitioner<Policy,
                                       archetype::edge_list<std::uint32_t, std::uint32_t>>) {
    std::vector<archetype::ends<std::uint32_t>> ends;
    for (std::size_t e = 0; e < g.num_edges(); ++e) ends.push_back({g.source()[e], g.target()[e]});
    const archetype::edge_list<std::uint32_t, std::uint32_t> list(g.num_nodes(), ends);
    if (!run(list, other) || owner != other)
      return broken("the owners differ when the same graph is a plain edge list");
  }
  return {};
}

template <class Policy>
verdict check_policy_on(const Policy& policy, std::uint64_t parts, const small_graph<>& g) {
  if constexpr (halograph::partitioner<Policy, small_graph<>>) {
    if (verdict answer = check_partitioner_on(policy, parts, g); !answer) return answer;
  }
  if constexpr (halograph::streaming_partitioner<Policy>) {
    if (verdict answer = streaming_partitioner(policy, parts, g); !answer)
      return broken("as a stream: " + answer.why);
  }
  return {};
}

/// Call f(policy, parts) for every number of parts that can be set, or for its own.
template <class Policy, class F>
verdict for_parts(const Policy& policy, F&& f) {
  if constexpr (parts_can_be_set<Policy>) {
    for (const std::uint64_t parts : part_counts) {
      Policy asked = policy;
      set_parts(asked, parts);
      if (verdict answer = f(asked, parts); !answer) return answer;
    }
    return {};
  } else {
    return f(policy, static_cast<std::uint64_t>(policy.parts));
  }
}

}  // namespace detail

/// Check a policy that makes `parts` parts on every test graph: the laws of the partitioner
/// concepts that it models; the same owners however the edges are stored, and without edges if
/// `reads_edges = false`; all of it for several seeds if it takes one. It may return
/// status::infeasible if there are fewer nodes than parts.
/// @return a verdict that names the graph and the number of parts
template <class Policy>
  requires(halograph::partitioner<Policy, small_graph<>> ||
           halograph::streaming_partitioner<Policy>)
verdict check_partitioner(const Policy& policy, std::uint64_t parts) {
  for (const auto& g : small_graphs<>()) {
    if (verdict answer = detail::check_policy_on(policy, parts, g); !answer)
      return detail::with_place(answer, g.name(), parts);
    if constexpr (takes_seed<Policy> && std::copyable<Policy>) {
      for (const std::uint64_t seed : {std::uint64_t{1}, ~std::uint64_t{0}}) {
        Policy seeded = policy;
        seeded.seed = static_cast<std::remove_cvref_t<decltype(seeded.seed)>>(seed);
        if (verdict answer = detail::check_policy_on(seeded, parts, g); !answer) {
          answer.why = "seed " + std::to_string(seed) + ": " + answer.why;
          return detail::with_place(answer, g.name(), parts);
        }
      }
    }
  }
  return {};
}
/// The same with 1, 2, 3 and 7 parts if `parts` can be set, else with its own number. 0 parts must
/// be rejected.
template <names_parts Policy>
  requires(halograph::partitioner<Policy, small_graph<>> ||
           halograph::streaming_partitioner<Policy>)
verdict check_partitioner(const Policy& policy) {
  if constexpr (detail::parts_can_be_set<Policy> && halograph::partitioner<Policy, small_graph<>>) {
    Policy none = policy;
    detail::set_parts(none, 0);
    const small_graph<> two("two nodes", 2, {{0, 1}});
    std::vector<typename Policy::part> owner(2);
    if (static_cast<bool>(none.assign(two, std::span<typename Policy::part>(owner))))
      return detail::broken("0 parts must be rejected");
  }
  return detail::for_parts(policy, [](const Policy& asked, std::uint64_t parts) {
    return check_partitioner(asked, parts);
  });
}

/// Check a refiner on every test graph. @return a verdict that names the graph
template <class Policy>
  requires halograph::refiner<Policy, small_graph<>>
verdict check_refiner(const Policy& policy, std::uint64_t parts) {
  for (const auto& g : small_graphs<>()) {
    if (verdict answer = refiner(policy, parts, g); !answer)
      return detail::with_place(answer, g.name(), parts);
  }
  return {};
}
/// The same for 1, 2, 3 and 7 parts; for the policy's own number where it cannot be set.
template <names_parts Policy>
  requires halograph::refiner<Policy, small_graph<>>
verdict check_refiner(const Policy& policy) {
  return detail::for_parts(
      policy, [](const Policy& asked, std::uint64_t parts) { return check_refiner(asked, parts); });
}

/// Check a node order on every test graph, with 1, 2 and 3 parts.
template <class Order>
  requires halograph::node_order<Order, small_graph<>>
verdict check_node_order(const Order& order) {
  for (const auto& g : small_graphs<>()) {
    for (const std::size_t parts : {1u, 2u, 3u}) {
      if (verdict answer = node_order(order, parts, g); !answer)
        return detail::with_place(answer, g.name(), parts);
    }
  }
  return {};
}

/// Check a graph storage with every test graph: the law of graphs, and the same edges as stored, in
/// any order.
/// @param make  make(nodes, span<const uint32_t> sources, span<const uint32_t> targets) returns a
///     graph; the spans stay valid until check_storage returns
template <class Make>
verdict check_storage(Make&& make) {
  const std::vector<small_graph<>> drawn = small_graphs<>();
  for (const auto& g : drawn) {
    const auto& stored = make(g.num_nodes(), g.source(), g.target());
    const std::string place = "graph \"" + g.name() + "\": ";
    if (verdict answer = graph(stored); !answer) return detail::broken(place + answer.why);
    if (num_nodes(stored) != g.num_nodes()) {
      return detail::broken(place + "has " + std::to_string(num_nodes(stored)) + " nodes, not " +
                            std::to_string(g.num_nodes()));
    }
    std::vector<std::pair<std::size_t, std::size_t>> in, out;
    for_each_edge(g, [&](auto u, auto v, auto) { in.emplace_back(index(u), index(v)); });
    visit_edges(stored, [&](auto u, auto v, auto) { out.emplace_back(index(u), index(v)); });
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    if (in != out) return detail::broken(place + "does not have the edges that were stored");
  }
  return {};
}

/// Check a serializer with every combination of sparse formats.
template <halograph::serializer Serializer>
verdict check_serializer(const Serializer& format) {
  return serializer(format);
}

/// Check a feature store with the rows that it has.
template <halograph::feature_store Store>
verdict check_feature_store(const Store& store) {
  return feature_store(store);
}

/// Check an executor with ranges and grains of many sizes.
template <halograph::executor Executor>
verdict check_executor(const Executor& pool) {
  return executor(pool);
}

/// Check a JSON codec with valid and invalid texts.
template <halograph::json_codec Codec>
verdict check_json_codec(const Codec& codec) {
  return json_codec(codec);
}

/// Check a communicator; collective. The verdict holds on all ranks or on none, as far as the ranks
/// can still communicate.
template <halograph::communicator Communicator>
verdict check_communicator(const Communicator& ranks) {
  verdict answer = communicator(ranks);
  if (!agree(ranks, answer ? status::ok : status::mismatch) && answer)
    answer = detail::broken("a law does not hold on another rank");
  return answer;
}

/// Check a distributed partitioner on every test graph over 1, 2, 3 and 4 ranks: its law, and the
/// same owners for any number of ranks, with even ranges and with all nodes on the first rank.
template <class Policy>
  requires halograph::distributed_partitioner<Policy, thread_rank>
verdict check_distributed_partitioner(const Policy& policy, std::uint64_t parts) {
  using part = typename Policy::part;
  for (const auto& g : small_graphs<>()) {
    const std::size_t nodes = num_nodes(g);
    std::vector<part> expected, owner(nodes);
    for (std::size_t size = 1; size <= 4; ++size) {
      for (const bool even : {true, false}) {
        std::vector<std::uint64_t> ranges(size + 1, nodes);
        ranges[0] = 0;
        for (std::size_t r = 0; even && r < size; ++r)
          ranges[r] = block_range(nodes, r, size).begin;
        std::vector<verdict> seen(size);
        run_ranks(size, [&](const thread_rank& ranks) {
          const auto piece = piece_of(g, ranges, ranks.rank());
          seen[ranks.rank()] = distributed_partitioner(ranks, policy, parts, piece.view());
          const std::span<part> mine = std::span(owner).subspan(
              static_cast<std::size_t>(ranges[ranks.rank()]), piece.view().num_nodes());
          static_cast<void>(policy.assign(ranks, piece.view(), mine));
        });
        const std::string where = " (" + std::to_string(size) + " ranks)";
        for (verdict& answer : seen) {
          if (!answer)
            return detail::with_place(detail::broken(answer.why + where), g.name(), parts);
        }
        if (size == 1 && even) expected = owner;
        if (owner != expected)
          return detail::with_place(
              detail::broken("the owners differ from those on one rank" + where), g.name(), parts);
      }
    }
  }
  return {};
}
/// The same for 1, 2, 3 and 7 parts; for the policy's own number where it cannot be set.
template <names_parts Policy>
  requires halograph::distributed_partitioner<Policy, thread_rank>
verdict check_distributed_partitioner(const Policy& policy) {
  return detail::for_parts(policy, [](const Policy& asked, std::uint64_t parts) {
    return check_distributed_partitioner(asked, parts);
  });
}

}  // namespace halograph::laws
