// SPDX-License-Identifier: BSL-1.0
/// @file laws.hpp
/// What a model of a concept must do beyond compiling: run these on yours.
/// Layer: testing (no test framework: a law answers with a verdict). Words: README.md.
///
///     EXPECT_EQ(hg::laws::partitioner(my_policy{.parts = 4}, 4, graph).why, "");
///
/// Laws of what reads and writes files stand in serial_laws.hpp. check.hpp puts a model through all
/// laws of its concept, over all drawn graphs.
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::laws {

/// Does a law hold? `why` says in one sentence what was seen instead.
struct verdict {
  bool holds = true;
  std::string why{};
  explicit operator bool() const noexcept { return holds; }
};

namespace detail {
inline verdict broken(std::string why) { return {false, std::move(why)}; }
}  // namespace detail

/// Edge IDs are 0..E-1, each once; ends are nodes; num_edges counts them; where the type gives
/// several ways to its edges, they agree. @complexity O(V + E)
template <halograph::graph Graph>
verdict graph(const Graph& g) {
  const std::size_t nodes = num_nodes(g), edges = num_edges(g);
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> ends(edges, {none, none});
  verdict answer;
  std::size_t previous = none;
  const auto see = [&](std::size_t u, std::size_t v, std::size_t e, bool first_way,
                       const char* way) {
    const std::string edge = std::string(way) + " visits edge " + std::to_string(e);
    if (!answer.holds) return;
    if (e >= edges)
      answer = detail::broken(edge + ", but num_edges is " + std::to_string(edges));
    else if (u >= nodes || v >= nodes)
      answer = detail::broken(edge + ", an end of which is no node");
    else if (first_way && ends[e].first != none)
      answer = detail::broken(edge + " twice");
    else if (!first_way && ends[e] != std::pair{u, v})
      answer = detail::broken(edge + ", which another way shows otherwise or not yet");
    if (!answer.holds) return;
    ends[e] = {u, v};
  };
  bool first_way = true;
  std::size_t seen = 0;
  const auto finish = [&](const char* way) {
    if (answer.holds && seen != edges) {
      answer = detail::broken(std::string(way) + " visits " + std::to_string(seen) +
                              " edges, num_edges is " + std::to_string(edges));
    }
    first_way = false;
    seen = 0;
  };
  if constexpr (halograph::edge_list<Graph>) {
    for_each_edge(g, [&](auto u, auto v, auto e) {
      if (answer.holds && index(e) != previous + 1)
        answer = detail::broken("for_each_edge hands edge " + std::to_string(index(e)) +
                                " out of turn");
      previous = index(e);
      see(index(u), index(v), index(e), first_way, "for_each_edge");
      ++seen;
    });
    finish("for_each_edge");
  }
  if constexpr (halograph::in_adjacency<Graph>) {
    for (std::size_t v = 0; v < nodes; ++v) {
      for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto e) {
        see(index(u), v, index(e), first_way, "for_each_in_edge");
        ++seen;
      });
    }
    finish("for_each_in_edge");
  }
  if constexpr (halograph::out_adjacency<Graph>) {
    for (std::size_t u = 0; u < nodes; ++u) {
      for_each_out_edge(g, static_cast<node_id_t<Graph>>(u), [&](auto v, auto e) {
        see(u, index(v), index(e), first_way, "for_each_out_edge");
        ++seen;
      });
    }
    finish("for_each_out_edge");
  }
  return answer;
}

/// Offsets of nodes rise from 0 to V and those of edges from 0 to E; edges of one type lead from
/// nodes of one type to nodes of one type; and the law of graphs. @complexity O(V + E log types)
template <halograph::typed_graph Graph>
verdict typed_graph(const Graph& g) {
  if (verdict plain = graph(g); !plain) return plain;
  const std::span<const std::uint64_t> nodes = g.node_type_offsets(), edges = g.edge_type_offsets();
  const auto rises = [](std::span<const std::uint64_t> offsets, std::size_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == last &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  if (!rises(nodes, num_nodes(g)))
    return detail::broken("node_type_offsets must rise from 0 to " + std::to_string(num_nodes(g)));
  if (!rises(edges, num_edges(g)))
    return detail::broken("edge_type_offsets must rise from 0 to " + std::to_string(num_edges(g)));
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> joins(edges.size() - 1, {none, none});
  verdict answer;
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::pair ends{range_of(nodes, index(u)), range_of(nodes, index(v))};
    auto& join = joins[range_of(edges, index(e))];
    if (join.first == none) join = ends;
    if (answer.holds && join != ends) {
      answer = detail::broken("edge " + std::to_string(index(e)) +
                              " joins other node types than the edges of its type before it");
    }
  });
  return answer;
}

/// validate() finds nothing wrong; edge i is the same whenever it is asked for, and both ends are
/// nodes. @complexity O(E)
template <generate::generator Generator>
verdict generator(const Generator& g) {
  if (const status valid = g.validate(); !valid)
    return detail::broken("validate() answers " + std::string(name(valid.code)));
  const std::uint64_t nodes = g.num_nodes(), edges = g.num_edges();
  std::vector<generate::ends> once;
  for (std::uint64_t i = 0; i < edges; ++i) {
    once.push_back(g.edge(i));
    if (once.back().source >= nodes || once.back().target >= nodes) {
      return detail::broken("an end of edge " + std::to_string(i) + " is no node; there are " +
                            std::to_string(nodes));
    }
  }
  for (std::uint64_t i = edges; i-- > 0;) {
    if (g.edge(i) != once[static_cast<std::size_t>(i)])
      return detail::broken("edge " + std::to_string(i) + " is another when asked for again");
  }
  return {};
}

/// Total: every owner is written. In range: below `parts`. Repeatable: the same again, whatever
/// memory held before. An owner span of the wrong size is refused. @complexity three runs of the
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
    return detail::broken("repeatable: answers " + std::string(name(once.code)) + ", then " +
                          std::string(name(again.code)));
  }
  if (!once) return detail::broken("refuses the graph with " + std::string(name(once.code)));
  for (std::size_t v = 0; v < nodes; ++v) {
    if (first[v] != second[v]) {
      return detail::broken("total and repeatable: node " + std::to_string(v) + " is in part " +
                            std::to_string(first[v]) + ", then in " + std::to_string(second[v]) +
                            "; or it was never written");
    }
    if (first[v] >= parts) {
      return detail::broken("in range: node " + std::to_string(v) + " is in part " +
                            std::to_string(first[v]) + " of " + std::to_string(parts));
    }
  }
  std::vector<part> longer(nodes + 1);
  if (policy.assign(g, std::span<part>(longer)) != status::mismatch) {
    return detail::broken(
        "an owner span longer than the graph has nodes must be refused with mismatch");
  }
  return {};
}

/// Pushed with its neighbors, each node gets a part below `parts`, which later pushes leave alone;
/// the same pushes give the same owners, whatever memory held before; a word less memory is refused
/// with the words that suffice, an owner span of the wrong size with mismatch, a node that is none
/// with out_of_range. @complexity two runs of the stream, O(V) checks each push
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
      return detail::broken("refuses to begin with " + std::string(name(begun.code)));
    std::vector<part> decided(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t v = nodes - 1 - i;  // in an order of the caller's
      const std::string pushed = "pushing node " + std::to_string(v);
      if (const status answer = stream.push(v, each_of(rows[v])); !answer)
        return detail::broken(pushed + " is refused with " + std::string(name(answer.code)));
      if (owner[v] >= parts)
        return detail::broken("in range: node " + std::to_string(v) + " is in part " +
                              std::to_string(owner[v]) + " of " + std::to_string(parts));
      decided[v] = owner[v];
      for (std::size_t j = v; j < nodes; ++j) {
        if (owner[j] != decided[j])
          return detail::broken(pushed + " moves node " + std::to_string(j) +
                                ", which was decided");
      }
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
        "an owner span longer than there are nodes must be refused with mismatch");
  if (words != 0) {
    const status little = policy.begin(shape, first, std::span(memory).first(words - 1), stream);
    if (little != status::capacity || little.position != words)
      return detail::broken(
          "a word less than stream_words must be capacity, with the words that suffice");
  }
  return {};
}

/// From a valid assignment a valid one: every owner stays below `parts`; the same again is the
/// same; an owner span of the wrong size is refused with mismatch, an owner that is no part with
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
      return detail::broken("refuses an assignment in turn with " + std::string(name(answer.code)));
    }
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    if (first[v] != second[v])
      return detail::broken("repeatable: node " + std::to_string(v) +
                            " goes to another part the second time");
    if (first[v] >= parts)
      return detail::broken("in range: node " + std::to_string(v) + " goes to part " +
                            std::to_string(first[v]) + " of " + std::to_string(parts));
  }
  std::vector<part> longer(nodes + 1);
  if (policy.refine(g, std::span<part>(longer)) != status::mismatch) {
    return detail::broken(
        "an owner span longer than the graph has nodes must be refused with mismatch");
  }
  if (nodes > 0 && parts <= std::numeric_limits<part>::max()) {
    first[nodes - 1] = static_cast<part>(parts);
    if (policy.refine(g, std::span<part>(first)) != status::out_of_range) {
      return detail::broken("a node in part " + std::to_string(parts) + " of " +
                            std::to_string(parts) + " must be refused with out_of_range");
    }
  }
  return {};
}

/// Every cell keeps its nodes; the same cells come out the same, whatever scratch held before.
/// @complexity two runs of the order, and O(V log V)
template <class Order, halograph::graph Graph>
  requires halograph::node_order<Order, Graph>
verdict node_order(const Order& order, std::size_t parts, const Graph& g) {
  const std::size_t nodes = num_nodes(g);
  const std::vector<std::uint64_t> type_begin{0, nodes / 2, nodes};
  std::vector<part_id> owner(nodes);
  for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part_id>(v % parts);
  std::vector<std::uint64_t> bounds{0}, sorted;
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t t = 0; t < 2; ++t) {
      for (std::uint64_t v = type_begin[t]; v < type_begin[t + 1]; ++v) {
        if (owner[static_cast<std::size_t>(v)] == p) sorted.push_back(v);
      }
      bounds.push_back(sorted.size());
    }
  }
  const order_sizes sizes = order.sizes(nodes, 2);
  std::vector<std::uint64_t> first;
  for (const std::uint64_t before : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> ordered = sorted, scratch_nodes(sizes.nodes, before),
                               scratch_words(sizes.words, before);
    const status answer = order.arrange(
        g, node_cells<part_id, std::uint64_t>{parts, owner, type_begin, bounds, ordered},
        order_scratch<std::uint64_t>{scratch_nodes, scratch_words});
    if (!answer) return detail::broken("refuses the graph with " + std::string(name(answer.code)));
    if (before != 0 && ordered != first)
      return detail::broken("repeatable: the same cells come out in another order");
    first = ordered;
    for (std::size_t cell = 0; cell + 1 < bounds.size(); ++cell) {
      const auto at = [&](std::vector<std::uint64_t>& of, std::size_t bound) {
        return of.begin() + static_cast<std::ptrdiff_t>(bounds[bound]);
      };
      std::sort(at(ordered, cell), at(ordered, cell + 1));
      if (!std::equal(at(ordered, cell), at(ordered, cell + 1), at(sorted, cell))) {
        return detail::broken("cell " + std::to_string(cell) + " does not keep its nodes");
      }
    }
  }
  return {};
}

/// Every owner is written and below `parts`; the second call gives the same; a span of owners of
/// another size on one rank is mismatch on all. Collective; the verdict is each rank's own.
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
    answer = detail::broken("repeatable: answers " + std::string(name(once.code)) + ", then " +
                            std::string(name(again.code)));
  else if (!once)
    answer = detail::broken("refuses the graph with " + std::string(name(once.code)));
  for (std::size_t v = 0; answer.holds && v < nodes; ++v) {
    const std::string node =
        "node " + std::to_string(local.ranges[static_cast<std::size_t>(ranks.rank())] + v);
    if (first[v] != second[v]) {
      answer = detail::broken("total and repeatable: " + node + " is in part " +
                              std::to_string(first[v]) + ", then in " + std::to_string(second[v]) +
                              "; or it was never written");
    } else if (first[v] >= parts) {
      answer = detail::broken("in range: " + node + " is in part " + std::to_string(first[v]) +
                              " of " + std::to_string(parts));
    }
  }
  std::vector<part> longer(nodes + (ranks.rank() + 1 == ranks.size() ? 1 : 0));
  const status refused = policy.assign(ranks, local, std::span<part>(longer));
  if (answer.holds && refused != status::mismatch) {
    answer = detail::broken(
        "an owner span longer than the last rank has nodes must be refused with mismatch, on every rank");
  }
  return answer;
}

/// What each call of a communicator says it does, for pieces of no bytes and of different sizes;
/// what does not fit is refused before anything is exchanged. Collective: every rank calls it, and
/// each gets its own verdict.
template <halograph::communicator Communicator>
verdict communicator(const Communicator& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  verdict answer;
  const auto expect = [&](bool seen, const char* what) {
    if (answer.holds && !seen)
      answer = detail::broken(std::string(what) + " (rank " + std::to_string(rank) + " of " +
                              std::to_string(size) + ")");
  };
  const auto byte = [](std::size_t x) { return static_cast<std::byte>(x); };
  if (size == 0) return detail::broken("size() must be at least 1");
  expect(rank < size, "rank() must be below size()");
  expect(static_cast<bool>(ranks.barrier()), "barrier() does not answer ok");

  std::vector<std::byte> all(3 * size, byte(255));
  const std::vector<std::byte> mine(3, byte(rank));
  expect(static_cast<bool>(ranks.all_gather(mine, all)), "all_gather refuses 3 bytes of each rank");
  for (std::size_t i = 0; i < all.size(); ++i)
    expect(all[i] == byte(i / 3), "all_gather must give each rank's bytes in the order of ranks");
  expect(static_cast<bool>(ranks.all_gather({}, {})), "all_gather refuses no bytes");

  for (std::size_t root = 0; root < size; ++root) {
    std::vector<std::byte> data(5, byte(100 + rank));
    expect(static_cast<bool>(ranks.broadcast(data, root)), "broadcast refuses 5 bytes");
    expect(data == std::vector<std::byte>(5, byte(100 + root)),
           "broadcast must give everyone the root's bytes");
  }

  // Rank r sends 2r + 4p bytes to rank p: rank 0 none to itself.
  std::vector<std::uint64_t> out_counts(size), in_counts(size), numbers{rank, ~std::uint64_t{0}};
  std::vector<std::byte> out, in, expected;
  for (std::size_t p = 0; p < size; ++p) {
    out_counts[p] = 2 * rank + 4 * p;
    in_counts[p] = 2 * p + 4 * rank;
    for (std::size_t i = 0; i < out_counts[p]; ++i) out.push_back(byte(rank * size + p + 37 * i));
    for (std::size_t i = 0; i < in_counts[p]; ++i)
      expected.push_back(byte(p * size + rank + 37 * i));
  }
  in.resize(expected.size());
  expect(static_cast<bool>(ranks.all_to_all(out, out_counts, in, in_counts)),
         "all_to_all refuses counts that fit");
  expect(in == expected,
         "all_to_all must lay the pieces from each rank end to end, in the order of ranks");
  const std::vector<std::uint64_t> none(size);
  expect(static_cast<bool>(ranks.all_to_all({}, none, {}, none)),
         "all_to_all refuses pieces of no bytes");

  expect(static_cast<bool>(ranks.sum(numbers)), "sum refuses two numbers");
  expect(numbers[0] == size * (size - 1) / 2 && numbers[1] == ~std::uint64_t{0} - (size - 1),
         "sum must add up all ranks' numbers, modulo 2^64");

  expect(ranks.broadcast(out, size) == status::out_of_range,
         "a root that is no rank must be out_of_range");
  expect(ranks.all_gather(mine, std::span(all).first(3 * size - 1)) == status::mismatch,
         "all_gather into too few bytes must be mismatch");
  out.push_back(byte(0));
  expect(ranks.all_to_all(out, out_counts, in, in_counts) == status::mismatch,
         "counts that do not add up to the bytes sent must be mismatch");
  out.pop_back();
  in.push_back(byte(0));
  expect(ranks.all_to_all(out, out_counts, in, in_counts) == status::mismatch,
         "counts that do not add up to the bytes awaited must be mismatch");
  expect(ranks.all_to_all(out, std::span(out_counts).first(size - 1), in, in_counts) ==
             status::mismatch,
         "fewer counts than ranks must be mismatch");
  expect(static_cast<bool>(ranks.barrier()), "barrier() does not answer ok");
  return answer;
}

/// Every index is visited once; pieces lie in the range and hold at least `grain` indices where
/// they can; an empty range runs nothing; the call returns after the last piece; an exception of
/// the body reaches the caller.
template <halograph::executor Executor>
verdict executor(const Executor& e) {
  if (e.concurrency() == 0) return detail::broken("concurrency() must be at least 1");
  for (const std::size_t size : {0u, 1u, 2u, 7u, 64u, 1000u}) {
    for (const std::size_t grain : {1u, 3u, 64u, 5000u}) {
      const std::size_t first = 5;
      std::vector<std::atomic<unsigned>> visits(size);
      std::atomic<bool> outside{false}, small{false};
      e.parallel_for(first, first + size, grain, [&](std::size_t begin, std::size_t end) {
        if (begin < first || end > first + size || begin >= end) {
          outside = true;
          return;
        }
        if (end - begin < grain && size >= grain) small = true;
        for (std::size_t i = begin; i < end; ++i) ++visits[i - first];
      });
      const std::string range = " for " + std::to_string(size) + " indices and grain " +
                                std::to_string(grain);
      if (outside) return detail::broken("a piece is empty or lies outside the range" + range);
      if (small) return detail::broken("a piece is smaller than the grain" + range);
      for (std::size_t i = 0; i < size; ++i) {
        if (visits[i] != 1)
          return detail::broken("index " + std::to_string(i) + " is visited " +
                                std::to_string(visits[i]) + " times" + range);
      }
    }
  }
  try {
    e.parallel_for(0, 8, 1,
                   [](std::size_t, std::size_t) { raise(errc::canceled, "the body stops"); });
  } catch (const error& problem) {
    if (problem.code() == errc::canceled) return {};
  }
  return detail::broken("an exception of the body must reach the caller");
}

/// What a sink was given, in any order and overlapping, is what lies there; `read(offset, out)`
/// says what does. @param sink empty, with room for 64 bytes
template <halograph::byte_sink Sink, class Read>
verdict byte_sink(Sink& sink, Read&& read) {
  const auto put = [&](std::uint64_t offset, std::size_t count, unsigned value) {
    const std::vector<std::byte> bytes(count, static_cast<std::byte>(value));
    return static_cast<bool>(sink.write_at(offset, bytes));
  };
  if (!put(40, 8, 3) || !put(0, 4, 1) || !put(2, 4, 2) || !put(47, 1, 4) || !put(5, 0, 9)) {
    return detail::broken("refuses a write of a few bytes below 64");
  }
  std::vector<std::byte> seen(48);
  if (!static_cast<bool>(read(std::uint64_t{0}, std::span<std::byte>(seen))))
    return detail::broken("what was written cannot be read");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const unsigned expected = i < 2 ? 1 : i < 6 ? 2 : i < 40 ? 0 : i < 47 ? 3 : 4;
    if (seen[i] != static_cast<std::byte>(expected)) {
      return detail::broken("byte " + std::to_string(i) + " is " +
                            std::to_string(std::to_integer<unsigned>(seen[i])) + ", not " +
                            std::to_string(expected));
    }
  }
  return {};
}

/// Reads are pieces of the whole; reading past the end is truncated, however far.
template <halograph::byte_source Source>
verdict byte_source(const Source& source, std::span<const std::byte> whole) {
  if (source.size() != whole.size())
    return detail::broken("size() is " + std::to_string(source.size()) + ", not " +
                          std::to_string(whole.size()));
  for (std::size_t begin = 0; begin <= whole.size(); ++begin) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, whole.size() - begin}) {
      std::vector<std::byte> piece(count);
      const status answer = source.read_at(begin, piece);
      const std::string read = "reading " + std::to_string(count) + " bytes at " +
                               std::to_string(begin);
      if (count > whole.size() - begin) {
        if (answer != status::truncated)
          return detail::broken(read + " must be truncated, not " + std::string(name(answer.code)));
      } else if (!answer || !std::equal(piece.begin(), piece.end(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(begin))) {
        return detail::broken(read + " gives something else");
      }
    }
  }
  std::byte one{};
  if (source.read_at(std::numeric_limits<std::uint64_t>::max(), {&one, 1}) != status::truncated) {
    return detail::broken("reading at 2^64 - 1 must be truncated");
  }
  return {};
}

/// The bytes seen are those read; and the law of sources.
template <halograph::memory_source Source>
verdict memory_source(const Source& source, std::span<const std::byte> whole) {
  const std::span<const std::byte> seen = source.bytes();
  if (seen.size() != whole.size() || !std::equal(seen.begin(), seen.end(), whole.begin()))
    return detail::broken("bytes() shows something else");
  return byte_source(source, whole);
}

/// Rows fetched together, in any order and repeated, are the rows fetched one by one; an ID that is
/// no row is out_of_range at its place; too little memory is capacity with the size that suffices.
template <halograph::feature_store Store>
verdict feature_store(const Store& store) {
  const auto rows = store.rows();
  const auto width = static_cast<std::size_t>(element_count(store.row_shape())) *
                     item_bytes(store.type());
  std::vector<std::uint64_t> ids;
  for (std::uint64_t row = rows; row-- > 0;) ids.push_back(row);
  if (rows > 0) ids.push_back(rows / 2);
  std::vector<std::byte> together(ids.size() * width), one(width);
  const auto fetch = [&](const std::vector<std::uint64_t>& which, std::vector<std::byte>& out) {
    return store.gather(std::span<const std::uint64_t>(which), std::span<std::byte>(out));
  };
  if (!fetch(ids, together)) return detail::broken("does not give its own rows");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!fetch({ids[i]}, one)) return detail::broken("does not give row " + std::to_string(ids[i]));
    if (!std::equal(one.begin(), one.end(),
                    together.begin() + static_cast<std::ptrdiff_t>(i * width))) {
      return detail::broken("row " + std::to_string(ids[i]) + " differs when fetched with others");
    }
  }
  auto wrong = ids;
  wrong.push_back(rows);
  std::vector<std::byte> room(wrong.size() * width);
  const status refused = fetch(wrong, room);
  if (refused != status::out_of_range || refused.position != ids.size()) {
    return detail::broken("row " + std::to_string(rows) + " of " + std::to_string(rows) +
                          " must be out_of_range at its place in the request");
  }
  if (!ids.empty() && width > 0) {
    together.pop_back();
    const status short_of = fetch(ids, together);
    if (short_of != status::capacity || short_of.position != ids.size() * width) {
      return detail::broken("too little memory must be capacity, with the size that suffices");
    }
  }
  return {};
}

/// Every global ID has one part and one typed ID, which lead back to it; part p owns count(p) of
/// them, in ascending order, and to_local inverts nth; the same for each type; IDs outside are
/// out_of_range. For maps without gaps, as this library writes them. @complexity O(size x the
/// look-ups)
template <halograph::ownership Map>
verdict ownership(const Map& map) {
  using value = typename Map::id_type;
  const auto size = static_cast<std::uint64_t>(map.size());
  const auto as = [](std::uint64_t x) { return static_cast<value>(x); };
  const auto named = [](std::uint64_t x) { return "ID " + std::to_string(x); };
  std::vector<std::uint64_t> owned(map.num_parts()), types(map.num_types());
  for (std::uint64_t x = 0; x < size; ++x) {
    part_id part{}, again{};
    typed_id<value> typed{};
    value back{}, local{}, typed_local{};
    if (!map.part_of(as(x), part) || part >= map.num_parts())
      return detail::broken(named(x) + " has no part");
    if (!map.to_typed(as(x), typed) || typed.type >= map.num_types())
      return detail::broken(named(x) + " has no type");
    if (!map.to_global(typed.type, typed.id, back) || back != as(x)) {
      return detail::broken(named(x) + " does not come back from its typed ID");
    }
    if (!map.part_of(typed.type, typed.id, again) || again != part) {
      return detail::broken(named(x) + " has another part by its typed ID");
    }
    if (!map.to_local(part, as(x), local) || index(local) != owned[part]) {
      return detail::broken(named(x) + " is the " + std::to_string(owned[part]) + "th of part " +
                            std::to_string(part) + ", but to_local says otherwise");
    }
    if (map.nth(part, index(local)) != as(x))
      return detail::broken("nth does not invert to_local of " + named(x));
    if (!map.to_local(part, typed.type, typed.id, typed_local) ||
        map.nth(part, typed.type, index(typed_local)) != typed.id) {
      return detail::broken("nth of the type does not invert to_local of " + named(x));
    }
    ++owned[part];
    ++types[typed.type];
  }
  for (std::size_t p = 0; p < owned.size(); ++p) {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < types.size(); ++t) sum += map.count(p, static_cast<type_id>(t));
    if (map.count(p) != owned[p] || sum != owned[p]) {
      return detail::broken("part " + std::to_string(p) + " owns " + std::to_string(owned[p]) +
                            " IDs, but count says otherwise");
    }
  }
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (map.size(static_cast<type_id>(t)) != types[t]) {
      return detail::broken("type " + std::to_string(t) + " has " + std::to_string(types[t]) +
                            " IDs, but size says otherwise");
    }
  }
  if (size < id_capacity<value>()) {
    part_id part{};
    typed_id<value> typed{};
    if (map.part_of(as(size), part) != status::out_of_range ||
        map.to_typed(as(size), typed) != status::out_of_range) {
      return detail::broken(named(size) + " of " + std::to_string(size) + " must be out_of_range");
    }
  }
  return {};
}

/// Nodes and edges have the same parts, and each keeps the law of ownership.
template <halograph::partition_book_like Book>
verdict partition_book(const Book& book) {
  if (book.nodes().num_parts() != book.edges().num_parts())
    return detail::broken("nodes and edges must have the same number of parts");
  if (verdict nodes = ownership(book.nodes()); !nodes) return detail::broken("nodes: " + nodes.why);
  if (verdict edges = ownership(book.edges()); !edges) return detail::broken("edges: " + edges.why);
  return {};
}

}  // namespace halograph::laws
