// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// The laws of partitioners, in memory, streaming and over ranks, and of refiners.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::laws {

/// Total: every owner is written. In range: below `parts`. Repeatable: the same again, whatever the
/// memory held before. An owner span of the wrong size is rejected. @complexity three runs of the
/// policy
template <class Policy, halograph::graph Graph>
  requires halograph::partitioner<Policy, Graph>
verdict partitioner(const Policy& policy, std::uint64_t parts, const Graph& g) {
  using part = typename Policy::part;
  const std::size_t nodes = num_nodes(g);
  std::vector<part> first(nodes, std::numeric_limits<part>::max()), second(nodes, part{0});
  const status once = policy.assign(g, std::span<part>(first));
  const status again = policy.assign(g, std::span<part>(second));
  if (once.code != again.code) {
    return detail::broken("repeatable: returns " + std::string(name(once.code)) + ", then " +
                          std::string(name(again.code)));
  }
  if (!once) return detail::broken("rejects the graph with " + std::string(name(once.code)));
  for (std::size_t v = 0; v < nodes; ++v) {
    if (first[v] != second[v]) {
      return detail::broken("total and repeatable: node " + std::to_string(v) + " is in part " +
                            std::to_string(first[v]) + ", then in " + std::to_string(second[v]) +
                            ", or was never written");
    }
    if (first[v] >= parts) {
      return detail::broken("in range: node " + std::to_string(v) + " is in part " +
                            std::to_string(first[v]) + " of " + std::to_string(parts));
    }
  }
  std::vector<part> longer(nodes + 1);
  if (policy.assign(g, std::span<part>(longer)) != status::mismatch) {
    return detail::broken(
        "an owner span longer than the graph has nodes must be rejected with mismatch");
  }
  return {};
}

/// A node that is pushed with its neighbors gets a part below `parts`, which later pushes do not
/// change; the same pushes give the same owners, whatever the memory held before. One word too
/// little memory is capacity with the words that suffice, an owner span of the wrong size mismatch,
/// a node out of range out_of_range. @complexity two runs of the stream, O(V) checks each push
template <class Policy, halograph::graph Graph>
  requires halograph::streaming_partitioner<Policy>
verdict streaming_partitioner(const Policy& policy, std::uint64_t parts, const Graph& g) {
  using part = typename Policy::part;
  const stream_shape shape = shape_of(g);
  const std::size_t nodes = num_nodes(g),
                    words = static_cast<std::size_t>(policy.stream_scratch_size(shape));
  std::vector<std::vector<std::size_t>> rows(nodes);
  visit_edges(g, [&](auto u, auto v, auto) {
    rows[index(u)].push_back(index(v));
    rows[index(v)].push_back(index(u));
  });
  std::vector<part> first;
  for (const std::uint64_t before : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    std::vector<part> owner(nodes, static_cast<part>(before));
    std::vector<std::uint64_t> memory(words, before);
    typename Policy::stream stream{};
    if (const status begun = policy.begin(shape, owner, memory, stream); !begun)
      return detail::broken("begin() returns " + std::string(name(begun.code)));
    std::vector<part> decided(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t v = nodes - 1 - i;  // any order of the caller
      const std::string pushed = "pushing node " + std::to_string(v);
      if (const status answer = stream.push(v, each_of(rows[v])); !answer)
        return detail::broken(pushed + " is rejected with " + std::string(name(answer.code)));
      if (owner[v] >= parts)
        return detail::broken("in range: node " + std::to_string(v) + " is in part " +
                              std::to_string(owner[v]) + " of " + std::to_string(parts));
      decided[v] = owner[v];
      for (std::size_t j = v; j < nodes; ++j) {
        if (owner[j] != decided[j])
          return detail::broken(pushed + " moves node " + std::to_string(j) +
                                ", which had been assigned");
      }
    }
    if (const status answer = halograph::detail::finish_stream(stream); !answer)
      return detail::broken("finish() returns " + std::string(name(answer.code)));
    for (std::size_t v = 0; v < nodes; ++v) {
      if (owner[v] >= parts)
        return detail::broken("finish(): node " + std::to_string(v) + " is in part " +
                              std::to_string(owner[v]) + " of " + std::to_string(parts));
    }
    if (stream.push(nodes, no_neighbors{}) != status::out_of_range)
      return detail::broken("pushing node " + std::to_string(nodes) + " of " +
                            std::to_string(nodes) + " must be out_of_range");
    if (before != 0 && owner != first)
      return detail::broken("repeatable: the same pushes give other owners");
    first = std::move(owner);
  }
  std::vector<part> longer(nodes + 1);
  std::vector<std::uint64_t> memory(words);
  typename Policy::stream stream{};
  if (policy.begin(shape, longer, memory, stream) != status::mismatch)
    return detail::broken(
        "an owner span longer than there are nodes must be rejected with mismatch");
  if (words != 0) {
    const status little = policy.begin(shape, first, std::span(memory).first(words - 1), stream);
    if (little != status::capacity || little.position != words)
      return detail::broken(
          "one word less than stream_scratch_size must be capacity, with the words that suffice");
  }
  return {};
}

/// Turns a valid assignment into a valid one: every owner stays below `parts`; the same input gives
/// the same owners; an owner span of the wrong size is mismatch, an owner out of range
/// out_of_range. @complexity four runs of the refiner
template <class Policy, halograph::graph Graph>
  requires halograph::refiner<Policy, Graph>
verdict refiner(const Policy& policy, std::uint64_t parts, const Graph& g) {
  using part = typename Policy::part;
  const std::size_t nodes = num_nodes(g);
  std::vector<part> first(nodes), second;
  for (std::size_t v = 0; v < nodes; ++v) first[v] = static_cast<part>(v % parts);
  second = first;
  for (auto* owner : {&first, &second}) {
    if (const status answer = policy.refine(g, std::span<part>(*owner)); !answer) {
      return detail::broken("rejects a round-robin assignment with " +
                            std::string(name(answer.code)));
    }
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    if (first[v] != second[v])
      return detail::broken("repeatable: node " + std::to_string(v) +
                            " moves to another part the second time");
    if (first[v] >= parts)
      return detail::broken("in range: node " + std::to_string(v) + " moves to part " +
                            std::to_string(first[v]) + " of " + std::to_string(parts));
  }
  std::vector<part> longer(nodes + 1);
  if (policy.refine(g, std::span<part>(longer)) != status::mismatch) {
    return detail::broken(
        "an owner span longer than the graph has nodes must be rejected with mismatch");
  }
  if (nodes > 0 && parts <= std::numeric_limits<part>::max()) {
    first[nodes - 1] = static_cast<part>(parts);
    if (policy.refine(g, std::span<part>(first)) != status::out_of_range) {
      return detail::broken("a node in part " + std::to_string(parts) + " of " +
                            std::to_string(parts) + " must be rejected with out_of_range");
    }
  }
  return {};
}

/// Every owner is written and below `parts`; a second call gives the same; an owner span of the
/// wrong size on one rank is mismatch on all ranks. Collective; each rank gets its own verdict.
template <halograph::communicator Communicator, class Policy, id Node, id Offset>
  requires halograph::distributed_partitioner<Policy, Communicator,
                                              distributed_graph_view<Node, Offset>>
verdict distributed_partitioner(const Communicator& ranks, const Policy& policy,
                                std::uint64_t parts,
                                const distributed_graph_view<Node, Offset>& local) {
  using part = typename Policy::part;
  const std::size_t nodes = local.num_nodes();
  std::vector<part> first(nodes, std::numeric_limits<part>::max()), second(nodes, part{0});
  const status once = policy.assign(ranks, local, std::span<part>(first));
  const status again = policy.assign(ranks, local, std::span<part>(second));
  verdict answer;
  if (once.code != again.code)
    answer = detail::broken("repeatable: returns " + std::string(name(once.code)) + ", then " +
                            std::string(name(again.code)));
  else if (!once)
    answer = detail::broken("rejects the graph with " + std::string(name(once.code)));
  for (std::size_t v = 0; answer.holds && v < nodes; ++v) {
    const std::string node =
        "node " + std::to_string(local.ranges[static_cast<std::size_t>(ranks.rank())] + v);
    if (first[v] != second[v]) {
      answer = detail::broken("total and repeatable: " + node + " is in part " +
                              std::to_string(first[v]) + ", then in " + std::to_string(second[v]) +
                              ", or was never written");
    } else if (first[v] >= parts) {
      answer = detail::broken("in range: " + node + " is in part " + std::to_string(first[v]) +
                              " of " + std::to_string(parts));
    }
  }
  std::vector<part> longer(nodes + (ranks.rank() + 1 == ranks.size() ? 1 : 0));
  const status refused = policy.assign(ranks, local, std::span<part>(longer));
  if (answer.holds && refused != status::mismatch) {
    answer = detail::broken(
        "an owner span longer than the last rank has nodes must be rejected with mismatch, on every rank");
  }
  return answer;
}

}  // namespace halograph::laws
