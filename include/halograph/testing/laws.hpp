// SPDX-License-Identifier: BSL-1.0
/// @file laws.hpp
/// What a model of a concept must do beyond compiling: run these on yours.
/// Layer: testing (no test framework: a law answers with a verdict). Words: README.md.
///
///     EXPECT_TRUE(hg::laws::partitioner(my_policy{.parts = 4}, 4, graph)) << ...;
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
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

/// Edge IDs are 0..E-1, each once; ends are nodes; num_edges counts them; where the type gives several
/// ways to its edges, they agree. @complexity O(V + E)
template <halograph::graph Graph>
verdict graph(const Graph& g) {
  const std::size_t nodes = num_nodes(g), edges = num_edges(g);
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> ends(edges, {none, none});
  verdict answer;
  std::size_t previous = none;
  const auto see = [&](std::size_t u, std::size_t v, std::size_t e, bool first_way, const char* way) {
    const std::string edge = std::string(way) + " visits edge " + std::to_string(e);
    if (!answer.holds) return;
    if (e >= edges) answer = detail::broken(edge + ", but num_edges is " + std::to_string(edges));
    else if (u >= nodes || v >= nodes) answer = detail::broken(edge + ", an end of which is no node");
    else if (first_way && ends[e].first != none) answer = detail::broken(edge + " twice");
    else if (!first_way && ends[e] != std::pair{u, v}) answer = detail::broken(edge + ", which another way shows otherwise or not yet");
    if (!answer.holds) return;
    ends[e] = {u, v};
  };
  bool first_way = true;
  std::size_t seen = 0;
  const auto finish = [&](const char* way) {
    if (answer.holds && seen != edges) {
      answer = detail::broken(std::string(way) + " visits " + std::to_string(seen) + " edges, num_edges is " + std::to_string(edges));
    }
    first_way = false;
    seen = 0;
  };
  if constexpr (halograph::edge_list<Graph>) {
    for_each_edge(g, [&](auto u, auto v, auto e) {
      if (answer.holds && index(e) != previous + 1) answer = detail::broken("for_each_edge hands edge " + std::to_string(index(e)) + " out of turn");
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

/// Total: every owner is written. In range: below `parts`. Repeatable: the same again, whatever memory
/// held before. An owner span of the wrong size is refused. @complexity three runs of the policy
template <class Policy, halograph::graph Graph>
  requires halograph::partitioner<Policy, Graph>
verdict partitioner(const Policy& policy, std::uint64_t parts, const Graph& g) {
  using part = typename Policy::part;
  const std::size_t nodes = num_nodes(g);
  std::vector<part> first(nodes, std::numeric_limits<part>::max()), second(nodes, part{0});
  const status once = policy.assign(g, std::span<part>(first));
  const status again = policy.assign(g, std::span<part>(second));
  if (once.code != again.code) {
    return detail::broken("repeatable: answers " + std::string(name(once.code)) + ", then " + std::string(name(again.code)));
  }
  if (!once) return detail::broken("refuses the graph with " + std::string(name(once.code)));
  for (std::size_t v = 0; v < nodes; ++v) {
    if (first[v] != second[v]) {
      return detail::broken("total and repeatable: node " + std::to_string(v) + " is in part " + std::to_string(first[v]) +
                            ", then in " + std::to_string(second[v]) + "; or it was never written");
    }
    if (first[v] >= parts) {
      return detail::broken("in range: node " + std::to_string(v) + " is in part " + std::to_string(first[v]) + " of " + std::to_string(parts));
    }
  }
  std::vector<part> longer(nodes + 1);
  if (policy.assign(g, std::span<part>(longer)) != status::mismatch) {
    return detail::broken("an owner span longer than the graph has nodes must be refused with mismatch");
  }
  return {};
}

/// Pushed with its neighbours, each node gets a part below `parts`, which later pushes leave alone; the same pushes give
/// the same owners, whatever memory held before; a word less memory is refused with the words that suffice, an owner span of the
/// wrong size with mismatch, a node that is none with out_of_range. @complexity two runs of the stream, O(V) checks each push
template <class Policy, halograph::graph Graph>
  requires halograph::streaming_partitioner<Policy>
verdict streaming_partitioner(const Policy& policy, std::uint64_t parts, const Graph& g) {
  using part = typename Policy::part;
  const stream_shape shape = shape_of(g);
  const std::size_t nodes = num_nodes(g), words = static_cast<std::size_t>(policy.stream_words(shape));
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
    if (const status begun = policy.begin(shape, owner, memory, stream); !begun) return detail::broken("refuses to begin with " + std::string(name(begun.code)));
    std::vector<part> decided(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t v = nodes - 1 - i;  // in an order of the caller's
      const std::string pushed = "pushing node " + std::to_string(v);
      if (const status answer = stream.push(v, each_of(rows[v])); !answer) return detail::broken(pushed + " is refused with " + std::string(name(answer.code)));
      if (owner[v] >= parts) return detail::broken("in range: node " + std::to_string(v) + " is in part " + std::to_string(owner[v]) + " of " + std::to_string(parts));
      decided[v] = owner[v];
      for (std::size_t j = v; j < nodes; ++j) {
        if (owner[j] != decided[j]) return detail::broken(pushed + " moves node " + std::to_string(j) + ", which was decided");
      }
    }
    if (stream.push(nodes, no_neighbours{}) != status::out_of_range) return detail::broken("pushing node " + std::to_string(nodes) + " of " + std::to_string(nodes) + " must be out_of_range");
    if (before != 0 && owner != first) return detail::broken("repeatable: the same pushes give other owners");
    first = std::move(owner);
  }
  std::vector<part> longer(nodes + 1);
  std::vector<std::uint64_t> memory(words);
  typename Policy::stream stream{};
  if (policy.begin(shape, longer, memory, stream) != status::mismatch) return detail::broken("an owner span longer than there are nodes must be refused with mismatch");
  if (words != 0) {
    const status little = policy.begin(shape, first, std::span(memory).first(words - 1), stream);
    if (little != status::capacity || little.position != words) return detail::broken("a word less than stream_words must be capacity, with the words that suffice");
  }
  return {};
}

/// Every index is visited once; pieces lie in the range and hold at least `grain` indices where they can; an
/// empty range runs nothing; the call returns after the last piece.
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
      const std::string range = " for " + std::to_string(size) + " indices and grain " + std::to_string(grain);
      if (outside) return detail::broken("a piece is empty or lies outside the range" + range);
      if (small) return detail::broken("a piece is smaller than the grain" + range);
      for (std::size_t i = 0; i < size; ++i) {
        if (visits[i] != 1) return detail::broken("index " + std::to_string(i) + " is visited " + std::to_string(visits[i]) + " times" + range);
      }
    }
  }
  return {};
}

/// What a sink was given, in any order and overlapping, is what lies there; `read(offset, out)` says
/// what does. @param sink empty, with room for 64 bytes
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
  if (!static_cast<bool>(read(std::uint64_t{0}, std::span<std::byte>(seen)))) return detail::broken("what was written cannot be read");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const unsigned expected = i < 2 ? 1 : i < 6 ? 2 : i < 40 ? 0 : i < 47 ? 3 : 4;
    if (seen[i] != static_cast<std::byte>(expected)) {
      return detail::broken("byte " + std::to_string(i) + " is " + std::to_string(std::to_integer<unsigned>(seen[i])) + ", not " + std::to_string(expected));
    }
  }
  return {};
}

/// Reads are pieces of the whole; reading past the end is truncated, however far.
template <halograph::byte_source Source>
verdict byte_source(const Source& source, std::span<const std::byte> whole) {
  if (source.size() != whole.size()) return detail::broken("size() is " + std::to_string(source.size()) + ", not " + std::to_string(whole.size()));
  for (std::size_t begin = 0; begin <= whole.size(); ++begin) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, whole.size() - begin}) {
      std::vector<std::byte> piece(count);
      const status answer = source.read_at(begin, piece);
      const std::string read = "reading " + std::to_string(count) + " bytes at " + std::to_string(begin);
      if (count > whole.size() - begin) {
        if (answer != status::truncated) return detail::broken(read + " must be truncated, not " + std::string(name(answer.code)));
      } else if (!answer || !std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin))) {
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

/// Rows fetched together, in any order and repeated, are the rows fetched one by one; an ID that is no
/// row is out_of_range at its place; too little memory is capacity with the size that suffices.
template <halograph::feature_store Store>
verdict feature_store(const Store& store) {
  const auto rows = store.rows();
  const auto width = static_cast<std::size_t>(element_count(store.row_shape())) * item_bytes(store.type());
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
    if (!std::equal(one.begin(), one.end(), together.begin() + static_cast<std::ptrdiff_t>(i * width))) {
      return detail::broken("row " + std::to_string(ids[i]) + " differs when fetched with others");
    }
  }
  auto wrong = ids;
  wrong.push_back(rows);
  std::vector<std::byte> room(wrong.size() * width);
  const status refused = fetch(wrong, room);
  if (refused != status::out_of_range || refused.position != ids.size()) {
    return detail::broken("row " + std::to_string(rows) + " of " + std::to_string(rows) + " must be out_of_range at its place in the request");
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

/// Every global ID has one part and one typed ID, which lead back to it; part p owns count(p) of them, in
/// ascending order, and to_local inverts nth; the same for each type; IDs outside are out_of_range.
/// For maps without gaps, as this library writes them. @complexity O(size x the look-ups)
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
    if (!map.part_of(as(x), part) || part >= map.num_parts()) return detail::broken(named(x) + " has no part");
    if (!map.to_typed(as(x), typed) || typed.type >= map.num_types()) return detail::broken(named(x) + " has no type");
    if (!map.to_global(typed.type, typed.id, back) || back != as(x)) {
      return detail::broken(named(x) + " does not come back from its typed ID");
    }
    if (!map.part_of(typed.type, typed.id, again) || again != part) {
      return detail::broken(named(x) + " has another part by its typed ID");
    }
    if (!map.to_local(part, as(x), local) || index(local) != owned[part]) {
      return detail::broken(named(x) + " is the " + std::to_string(owned[part]) + "th of part " + std::to_string(part) +
                            ", but to_local says otherwise");
    }
    if (map.nth(part, index(local)) != as(x)) return detail::broken("nth does not invert to_local of " + named(x));
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
      return detail::broken("part " + std::to_string(p) + " owns " + std::to_string(owned[p]) + " IDs, but count says otherwise");
    }
  }
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (map.size(static_cast<type_id>(t)) != types[t]) {
      return detail::broken("type " + std::to_string(t) + " has " + std::to_string(types[t]) + " IDs, but size says otherwise");
    }
  }
  if (size < id_capacity<value>()) {
    part_id part{};
    typed_id<value> typed{};
    if (map.part_of(as(size), part) != status::out_of_range || map.to_typed(as(size), typed) != status::out_of_range) {
      return detail::broken(named(size) + " of " + std::to_string(size) + " must be out_of_range");
    }
  }
  return {};
}

}  // namespace halograph::laws
