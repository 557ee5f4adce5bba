// SPDX-License-Identifier: BSL-1.0
/// @file generators.hpp
/// Graphs of any size made from a seed: R-MAT, uniform, grids, paths, stars, and a typed one.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
///
/// A generator is a graph that stores no edge: edge i is computed from i alone, so edges can be
/// visited, or written to memory in pieces and in parallel, and are the same on every machine.
///
///     const hg::generators::rmat g{.scale = 20, .edge_factor = 16, .seed = 1};  // an edge_list
///     hg::generators::fill(g, 0, std::span(source), std::span(target));         // its first edges
///
/// | generator | nodes | edges |
/// | --- | --- | --- |
/// | rmat | 2^scale | edge_factor x nodes, power law |
/// | uniform | nodes | edges, both endpoints drawn |
/// | grid | width x height x depth | neighbors along each axis, towards the larger coordinate |
/// | path, cycle | nodes | v -> v+1; the cycle also closes |
/// | star | nodes | v -> 0 |
/// | complete | nodes | every ordered pair of two nodes |
/// | reversed<G> | as G | those of G, then their reverses: edge m + i is edge i reversed |
/// | academic | authors, papers, institutions | writes, cites, affiliated_with |
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace halograph::generators {

/// The ends of an edge.
struct ends {
  std::uint64_t source = 0;  ///< 0 to V-1
  std::uint64_t target = 0;  ///< 0 to V-1
  friend constexpr bool operator==(const ends&, const ends&) = default;
};

namespace detail {
template <class G>
concept has_counts = requires(const G& g) {
  { g.num_nodes() } -> std::same_as<std::uint64_t>;
  { g.num_edges() } -> std::same_as<std::uint64_t>;
};
template <class G>
concept makes_edges = requires(const G& g, std::uint64_t i) {
  { g.edge(i) } -> std::same_as<ends>;
};
}  // namespace detail

/// A graph whose edge i is a function of i: for i below num_edges(), both ends are below
/// num_nodes().
template <class G>
concept generator =
    (detail::has_counts<G> ||
     unmet<"generator: needs uint64_t num_nodes() const and uint64_t num_edges() const">()) &&
    (detail::makes_edges<G> || unmet<"generator: needs ends edge(uint64_t i) const">()) &&
    (validates<G> || unmet<"generator: needs status validate() const">());

/// f(u, v, e) for every edge: every generator is an edge_list. @complexity O(E) edges
template <generator G, class F>
constexpr void for_each_edge(const G& g, F&& f) {
  for (std::uint64_t e = 0, count = g.num_edges(); e < count; ++e) {
    const ends one = g.edge(e);
    f(one.source, one.target, e);
  }
}

/// Write edges [first, first + source.size()) as two columns. Pieces may be filled at the same
/// time.
/// @param source, target  [n] out
/// @errors mismatch: the spans differ in length; out_of_range at E: there are fewer edges; overflow
///     at V: Node is too narrow; and the status of g.validate()
template <generator G, id Node>
constexpr status fill(const G& g, std::uint64_t first, std::span<Node> source,
                      std::span<Node> target) {
  if (const status valid = g.validate(); !valid) return valid;
  if (source.size() != target.size()) return status::mismatch.at(target.size());
  const std::uint64_t edges = g.num_edges();
  if (first > edges || source.size() > edges - first) return status::out_of_range.at(edges);
  if (g.num_nodes() > id_capacity<Node>()) return status::overflow.at(g.num_nodes());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const ends one = g.edge(first + i);
    source[i] = static_cast<Node>(one.source);
    target[i] = static_cast<Node>(one.target);
  }
  return status::ok;
}

namespace detail {

/// a * b where it fits 63 bits, else 2^63: too many, which validate() refuses.
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (a != 0 && b > limit / a) return limit;
  return a * b;
}
constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  return a > limit || b > limit || a + b > limit ? limit : a + b;
}
constexpr status countable(std::uint64_t nodes, std::uint64_t edges) noexcept {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (nodes >= limit) return status::overflow.at(nodes);
  if (edges >= limit) return status::overflow.at(edges);
  return status::ok;
}

/// An integer below `bound` with probability about proportional to 1 / (x + 1): an octave first,
/// then a place in it. Degrees drawn so follow a power law of exponent 2. @pre bound > 0
constexpr std::uint64_t draw_skewed(random_stream& stream, std::uint64_t bound) noexcept {
  const auto octaves = static_cast<std::uint64_t>(std::bit_width(bound));
  for (;;) {
    const std::uint64_t width = std::uint64_t{1} << stream.below(octaves);
    const std::uint64_t draw = width - 1 + stream.below(width);
    if (draw < bound) return draw;
  }
}

}  // namespace detail

/// A recursive matrix graph: each edge falls into a quadrant of the adjacency matrix, and so on
/// `scale` times. Self-loops and repeated edges occur; small IDs are the busy ones.
/// @source Chakrabarti, Zhan & Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004;
///         the default probabilities 0.57, 0.19, 0.19, 0.05 are Graph500's
struct rmat {
  std::uint32_t scale = 10;        ///< 2^scale nodes, at most 2^62
  std::uint64_t edge_factor = 16;  ///< edges per node
  // Probabilities in 1/2^32 of the quadrants: source low or high, target low or high. The rest, d,
  // is high-high.
  std::uint32_t a = 2448131359u;  ///< low, low: 0.57
  std::uint32_t b = 816043786u;   ///< low, high: 0.19
  std::uint32_t c = 816043786u;   ///< high, low: 0.19
  std::uint64_t seed = 0;         ///< equal seeds give equal graphs

  /// @{
  /// V = 2^scale, and E = V x edge_factor; 2^64 - 1 where there are more.
  constexpr std::uint64_t num_nodes() const noexcept {
    return std::uint64_t{1} << std::min<std::uint32_t>(scale, 63);
  }
  constexpr std::uint64_t num_edges() const noexcept {
    return detail::times(num_nodes(), edge_factor);
  }
  /// @}
  /// ok; invalid_argument: a + b + c exceeds 1; overflow: too many nodes or edges
  constexpr status validate() const noexcept {
    if (std::uint64_t{a} + b + c > std::uint64_t{1} << 32) return status::invalid_argument;
    return detail::countable(num_nodes(), num_edges());
  }
  /// @complexity O(scale)
  constexpr ends edge(std::uint64_t i) const noexcept {
    random_stream stream = random_stream::at(seed, i);
    ends one;
    std::uint64_t draw = 0;
    for (std::uint32_t level = 0; level < scale; ++level) {
      draw = level % 2 == 0 ? stream.next() : draw >> 32;
      const std::uint64_t place = draw & 0xFFFFFFFFu;
      const bool high_source = place >= std::uint64_t{a} + b;
      const bool high_target = high_source ? place >= std::uint64_t{a} + b + c : place >= a;
      one.source = one.source << 1 | static_cast<std::uint64_t>(high_source);
      one.target = one.target << 1 | static_cast<std::uint64_t>(high_target);
    }
    return one;
  }
};

/// Both ends of every edge drawn uniformly, loops and repetitions included.
/// @source the G(n, m) model of Erdos & Renyi (1959), with replacement
struct uniform {
  std::uint64_t nodes = 0;  ///< V
  std::uint64_t edges = 0;  ///< E
  std::uint64_t seed = 0;   ///< equal seeds give equal graphs

  /// @{
  /// V and E, as set.
  constexpr std::uint64_t num_nodes() const noexcept { return nodes; }
  constexpr std::uint64_t num_edges() const noexcept { return edges; }
  /// @}
  /// ok; invalid_argument: edges without nodes; overflow
  constexpr status validate() const noexcept {
    return nodes == 0 && edges != 0 ? status::invalid_argument : detail::countable(nodes, edges);
  }
  /// Edge i. @complexity O(1)
  constexpr ends edge(std::uint64_t i) const noexcept {
    random_stream stream = random_stream::at(seed, i);
    const std::uint64_t source = stream.below(nodes);
    return {source, stream.below(nodes)};
  }
};

/// Neighbors in a box of width x height x depth nodes; node (x, y, z) is (z * height + y) * width
/// + x. Edges along x first, then along y, then along z, each towards the larger coordinate.
struct grid {
  std::uint64_t width = 1;   ///< nodes along x
  std::uint64_t height = 1;  ///< nodes along y
  std::uint64_t depth = 1;   ///< nodes along z

  /// @{
  /// V and E; 2^64 - 1 where there are more.
  constexpr std::uint64_t num_nodes() const noexcept {
    return detail::times(detail::times(width, height), depth);
  }
  constexpr std::uint64_t num_edges() const noexcept {
    return detail::plus(along(0), detail::plus(along(1), along(2)));
  }
  /// @}
  /// Ok; overflow: too many nodes or edges.
  constexpr status validate() const noexcept { return detail::countable(num_nodes(), num_edges()); }
  /// Edge i. @complexity O(1)
  constexpr ends edge(std::uint64_t i) const noexcept {
    if (i < along(0)) {
      const std::uint64_t row = i / (width - 1), source = row * width + i % (width - 1);
      return {source, source + 1};
    }
    i -= along(0);
    if (i < along(1)) {
      const std::uint64_t layer = width * (height - 1);
      const std::uint64_t source = i / layer * (width * height) + i % layer;
      return {source, source + width};
    }
    i -= along(1);
    return {i, i + width * height};
  }

 private:
  /// Edges along one axis.
  constexpr std::uint64_t along(int axis) const noexcept {
    if (width == 0 || height == 0 || depth == 0) return 0;
    return detail::times(
        detail::times(axis == 0 ? width - 1 : width, axis == 1 ? height - 1 : height),
        axis == 2 ? depth - 1 : depth);
  }
};

/// 0 -> 1 -> 2 -> ...
struct path {
  /// @{
  /// What `generator` asks for; `nodes` is V.
  std::uint64_t nodes = 0;
  constexpr std::uint64_t num_nodes() const noexcept { return nodes; }
  constexpr std::uint64_t num_edges() const noexcept { return nodes == 0 ? 0 : nodes - 1; }
  constexpr status validate() const noexcept { return detail::countable(nodes, num_edges()); }
  constexpr ends edge(std::uint64_t i) const noexcept { return {i, i + 1}; }
  /// @}
};

/// 0 -> 1 -> 2 -> ... -> 0; one node has a loop.
struct cycle {
  /// @{
  /// What `generator` asks for; `nodes` is V.
  std::uint64_t nodes = 0;
  constexpr std::uint64_t num_nodes() const noexcept { return nodes; }
  constexpr std::uint64_t num_edges() const noexcept { return nodes; }
  constexpr status validate() const noexcept { return detail::countable(nodes, nodes); }
  constexpr ends edge(std::uint64_t i) const noexcept { return {i, i + 1 == nodes ? 0 : i + 1}; }
  /// @}
};

/// Every other node -> 0.
struct star {
  /// @{
  /// What `generator` asks for; `nodes` is V.
  std::uint64_t nodes = 0;
  constexpr std::uint64_t num_nodes() const noexcept { return nodes; }
  constexpr std::uint64_t num_edges() const noexcept { return nodes == 0 ? 0 : nodes - 1; }
  constexpr status validate() const noexcept { return detail::countable(nodes, num_edges()); }
  constexpr ends edge(std::uint64_t i) const noexcept { return {i + 1, 0}; }
  /// @}
};

/// Every ordered pair of two different nodes, by source, then by target.
struct complete {
  /// @{
  /// What `generator` asks for; `nodes` is V.
  std::uint64_t nodes = 0;
  constexpr std::uint64_t num_nodes() const noexcept { return nodes; }
  constexpr std::uint64_t num_edges() const noexcept {
    return nodes == 0 ? 0 : detail::times(nodes, nodes - 1);
  }
  constexpr status validate() const noexcept { return detail::countable(nodes, num_edges()); }
  constexpr ends edge(std::uint64_t i) const noexcept {
    const std::uint64_t source = i / (nodes - 1), rank = i % (nodes - 1);
    return {source, rank < source ? rank : rank + 1};
  }
  /// @}
};

/// A generator's edges, then each of them turned round: what an undirected graph is for message
/// passing.
template <generator G>
struct reversed {
  /// @{
  /// What `generator` asks for; edge i of `graph` is also edge E/2 + i, turned round.
  G graph{};
  constexpr std::uint64_t num_nodes() const noexcept { return graph.num_nodes(); }
  constexpr std::uint64_t num_edges() const noexcept { return detail::times(2, graph.num_edges()); }
  constexpr status validate() const noexcept {
    const status inner = graph.validate();
    return inner ? detail::countable(num_nodes(), num_edges()) : inner;
  }
  constexpr ends edge(std::uint64_t i) const noexcept {
    const std::uint64_t m = graph.num_edges();
    if (i < m) return graph.edge(i);
    const ends one = graph.edge(i - m);
    return {one.target, one.source};
  }
  /// @}
};

/// Authors, papers and institutions, in the shape of the academic graphs: three node types, three
/// relations, a few very busy nodes of each type (the small IDs), papers that cite earlier ones.
/// Every paper has an author, every author an institution. Models edge_list (homogenized IDs) and
/// typed_graph.
class academic {
 public:
  using node_id = std::uint64_t;  ///< homogenized
  using edge_id = std::uint64_t;  ///< homogenized
  /// @{
  /// Numbers of the types.
  enum node_type : type_id { author, paper, institution };
  enum relation : type_id { writes, cites, affiliated_with };
  /// @}
  /// @{
  /// Names by number.
  static constexpr std::array<std::string_view, 3> node_types{"author", "paper", "institution"};
  static constexpr std::array<std::string_view, 3> relations{"writes", "cites", "affiliated_with"};
  /// @}
  /// @{
  /// [R] node type at one end of each relation.
  static constexpr std::array<type_id, 3> source_types{author, paper, author};
  static constexpr std::array<type_id, 3> target_types{paper, paper, institution};
  /// @}

  /// How many there are of each; validate() says whether that can be.
  struct options {
    std::uint64_t papers = 1000;            ///< 0 is allowed
    std::uint64_t authors = 0;              ///< 0: as many as papers
    std::uint64_t institutions = 0;         ///< 0: one for 100 authors, at least one
    std::uint64_t authors_per_paper = 3;    ///< on average; at least 1
    std::uint64_t citations_per_paper = 8;  ///< on average
    std::uint64_t seed = 0;                 ///< equal seeds give equal graphs
  };

  /// Always succeeds; see validate(). @complexity O(1)
  constexpr explicit academic(const options& wanted) : seed_(wanted.seed) {
    const std::uint64_t papers = wanted.papers;
    const std::uint64_t authors = wanted.authors != 0 ? wanted.authors : papers;
    const std::uint64_t institutions = wanted.institutions != 0
                                           ? wanted.institutions
                                           : authors / 100 + (authors != 0 ? 1 : 0);
    const std::array<std::uint64_t, 3> nodes{authors, papers, institutions};
    const std::array<std::uint64_t, 3> edges{
        authors == 0 ? 0
                     : detail::times(papers, std::max<std::uint64_t>(1, wanted.authors_per_paper)),
        papers < 2 ? 0 : detail::times(papers, wanted.citations_per_paper), authors};
    for (std::size_t t = 0; t < 3; ++t) {
      node_begin_[t + 1] = detail::plus(node_begin_[t], nodes[t]);
      edge_begin_[t + 1] = detail::plus(edge_begin_[t], edges[t]);
    }
  }

  /// @{
  /// Of all types, or of one; 2^64 - 1 where there are more.
  constexpr std::uint64_t num_nodes() const noexcept { return node_begin_[3]; }
  constexpr std::uint64_t num_edges() const noexcept { return edge_begin_[3]; }
  constexpr std::uint64_t num_nodes(node_type t) const noexcept {
    return node_begin_[t + 1] - node_begin_[t];
  }
  constexpr std::uint64_t num_edges(relation r) const noexcept {
    return edge_begin_[r + 1] - edge_begin_[r];
  }
  /// @}
  /// [T+1] and [R+1] first homogenized IDs.
  constexpr std::span<const std::uint64_t> node_type_offsets() const noexcept {
    return node_begin_;
  }
  /// [R+1] first homogenized ID of each relation; last: E.
  constexpr std::span<const std::uint64_t> edge_type_offsets() const noexcept {
    return edge_begin_;
  }
  /// ok; overflow: too many nodes or edges
  constexpr status validate() const noexcept { return detail::countable(num_nodes(), num_edges()); }

  /// Edge i of relation r, in typed IDs.
  constexpr ends edge(relation r, std::uint64_t i) const noexcept {
    random_stream stream = random_stream::at(mix(seed_ + r + 1), i);
    const std::uint64_t papers = num_nodes(paper), authors = num_nodes(author);
    switch (r) {
      case writes: {
        const std::uint64_t written = i < papers ? i : stream.below(papers);
        return {detail::draw_skewed(stream, authors), written};
      }
      case cites: {
        const std::uint64_t later = 1 + stream.below(papers - 1);
        return {later, detail::draw_skewed(stream, later)};
      }
      case affiliated_with:
        return {i, detail::draw_skewed(stream, num_nodes(institution))};
    }
    return {};
  }
  /// Edge i of all, in homogenized IDs.
  constexpr ends edge(std::uint64_t i) const noexcept {
    const type_id r = i < edge_begin_[1] ? 0 : i < edge_begin_[2] ? 1 : 2;
    const ends typed = edge(static_cast<relation>(r), i - edge_begin_[r]);
    return {typed.source + node_begin_[source_types[r]],
            typed.target + node_begin_[target_types[r]]};
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> node_begin_{};
  std::array<std::uint64_t, 4> edge_begin_{};
};

}  // namespace halograph::generators
