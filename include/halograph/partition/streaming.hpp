// SPDX-License-Identifier: BSL-1.0
/// @file streaming.hpp
/// What a streaming partitioner is: nodes arrive one by one with their neighbors, and each gets
/// its part at once.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
///
/// A policy makes a *stream*: state over the caller's memory, to which the caller pushes nodes in
/// any order.
///
///     hg::ldg policy{.parts = 8};
///     const hg::stream_shape shape{.nodes = nodes, .edges = edges};
///     std::vector<hg::part_id> owner(nodes);  // the result: the stream looks up neighbors there
///     std::vector<std::uint64_t> memory(policy.stream_scratch_size(shape));  // O(K) words
///     hg::ldg::stream stream;
///     policy.begin(shape, owner, memory, stream);
///     for (each node v that arrives)
///       stream.push(v, hg::each_of(neighbors));  // decides owner[v]
///
/// Neighbors come through a *visitor*, any callable that calls `f(u)` for every neighbor u:
/// `each_of` makes one of a row in memory, a storage makes one of its edges, a reader of a file
/// makes one that never holds a row. A neighbor counts as often as it is named; one that has not
/// arrived yet counts for nothing and may be left out. A list of edges therefore needs to
/// bring each edge only once, to the later of its endpoints: that is how `assign` on an edge list
/// and the chunked pipeline feed a stream (rows of the later endpoints, or bucket files of them).
///
/// A stream may have a member `status finish()`, which its host calls after the last push and which
/// may change all owners, and `void run_on(executor_ref)`, by which it gets threads before the
/// first, and `void fetch(std::span<const std::uint64_t> soon) const`, which tells it neighbors
/// that a push will visit soon, so that the processor loads them. What it allocates besides its
/// scratch memory its policy tells by `uint64_t stream_bytes(shape) const`.
///
/// A whole streaming policy:
///
///     struct follow_first {
///       using part = std::uint16_t;
///       static constexpr part no_part = 0xFFFF;
///       std::uint64_t parts = 1;
///       struct stream {
///         std::uint64_t parts = 1;
///         std::span<part> owner{};
///         template <class Neighbors>
///         halograph::status push(std::uint64_t v, const Neighbors& neighbors) {
///           part chosen = no_part;
///           neighbors([&](auto u) { if (chosen == no_part) chosen = owner[u]; });
///           owner[v] = chosen == no_part ? static_cast<part>(v % parts) : chosen;
///           return halograph::status::ok;
///         }
///       };
///       std::size_t stream_scratch_size(const halograph::stream_shape&) const { return 0; }
///       halograph::status begin(const halograph::stream_shape&, std::span<part> owner,
///                               std::span<std::uint64_t>, stream& out) const {
///         std::fill(owner.begin(), owner.end(), no_part);
///         out = {parts, owner};
///         return halograph::status::ok;
///       }
///     };
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/neighbors.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/permutation.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

namespace halograph {

/// What is known of a graph before its first node arrives.
struct stream_shape {
  std::uint64_t nodes = 0;  ///< V
  /// E, or a guess: what Fennel scales its costs by; any other policy ignores it
  std::uint64_t edges = 0;
  /// [T+1] first ID of each node type, last: V; each type is then balanced on its own. Empty: one
  /// type. The view is kept by the stream.
  std::span<const std::uint64_t> node_type_offsets{};
};

namespace detail {

/// Stands in for a visitor of neighbors in concepts.
struct example_neighbors {
  template <class F>
  constexpr void operator()(F&& f) const {
    f(std::uint32_t{0});
  }
};

template <class P>
concept names_stream = requires { requires std::default_initializable<typename P::stream>; };
template <class P>
concept has_stream_scratch_size = requires(const P& policy, const stream_shape& shape) {
  { policy.stream_scratch_size(shape) } -> std::convertible_to<std::size_t>;
};
template <class P>
concept begins_streams = requires(const P& policy, const stream_shape& shape,
                                  std::span<typename P::part> owner,
                                  std::span<std::uint64_t> memory, typename P::stream& out) {
  { policy.begin(shape, owner, memory, out) } -> std::same_as<status>;
};
template <class P>
concept pushes_nodes = requires(typename P::stream& stream, std::uint64_t v,
                                const example_neighbors& neighbors) {
  { stream.push(v, neighbors) } -> std::same_as<status>;
};

}  // namespace detail

/// Assigns nodes as they arrive. Laws (testing/laws.hpp): after `push(v, neighbors)` answered ok,
/// owner[v] is below the number of parts and is not changed by later pushes; the same pushes give
/// the same owners; too little memory is status::capacity. A stream writes to nothing but `owner`
/// and `memory`, which must outlive it.
template <class P>
concept streaming_partitioner =
    (detail::names_part<P> ||
     unmet<"streaming_partitioner: P::part must name an unsigned integer">()) &&
    (detail::names_stream<P> ||
     unmet<
         "streaming_partitioner: P::stream must name the type of its streams, which has a default constructor">()) &&
    (detail::has_stream_scratch_size<P> ||
     unmet<
         "streaming_partitioner: needs size_t stream_scratch_size(const stream_shape&) const">()) &&
    (detail::begins_streams<P> ||
     unmet<
         "streaming_partitioner: needs status begin(const stream_shape&, span<part> owner, span<uint64_t> memory, stream&) const">()) &&
    (detail::pushes_nodes<P> ||
     unmet<
         "streaming_partitioner: its stream needs status push(uint64_t v, neighbors), neighbors(f) calling f(u) for each">());

/// A visitor of a row of IDs: `stream.push(v, each_of(row))`. A view; valid while the row is.
template <std::ranges::input_range Row>
  requires id<std::ranges::range_value_t<Row>>
constexpr auto each_of(const Row& row) noexcept {
  return [&row](auto&& f) {
    for (const auto u : row) f(u);
  };
}

/// A visitor of nothing: a node without neighbors.
struct no_neighbors {
  template <class F>
  constexpr void operator()(F&&) const noexcept {}  ///< Calls nothing.
};

/// The order in which a host that holds the whole graph pushes its nodes.
enum class stream_order : std::uint8_t {
  natural,   ///< by ID: what crawls and files sorted by locality want
  shuffled,  ///< by id_permutation(V, the policy's seed): where the IDs' order would mislead
};

namespace detail {

/// Optional: the stream takes threads before the first push.
template <class S>
concept takes_threads = requires(S& stream, executor_ref threads) { stream.run_on(threads); };
/// Optional: the stream decides anew when all nodes have arrived.
template <class S>
concept finishes = requires(S& stream) {
  { stream.finish() } -> std::same_as<status>;
};
/// Optional: the stream lets the processor load what it keeps of nodes.
template <class S>
concept fetches = requires(const S& stream, std::span<const std::uint64_t> soon) {
  stream.fetch(soon);
};
/// Tell a stream which neighbors push() will visit soon.
template <class S>
constexpr void fetch_neighbors(const S& stream, std::span<const std::uint64_t> soon) {
  if constexpr (fetches<S>) stream.fetch(soon);
}
/// Lend threads to a stream that takes them. @param threads  must outlive the stream
template <class S, executor Threads>
constexpr void lend_threads(S& stream, const Threads& threads) {
  if constexpr (takes_threads<S>) stream.run_on(threads);
}
/// What the stream does when all nodes have been pushed.
template <class S>
constexpr status finish_stream(S& stream) {
  if constexpr (finishes<S>) return stream.finish();
  return status::ok;
}

}  // namespace detail

/// Optional: chooses the order in which a host pushes the nodes, in a member `order`.
template <class P>
concept chooses_order = requires(const P& policy) {
  { policy.order } -> std::convertible_to<stream_order>;
};

/// The order that a policy chooses; natural where it does not. @complexity O(1)
template <class P>
constexpr stream_order order_of(const P& policy) noexcept {
  if constexpr (chooses_order<P>) {
    return policy.order;
  } else {
    return stream_order::natural;
  }
}

// ---- partitioners that read no edges

namespace detail {
/// As many nodes as there are, and no edge: what partitioners see that read none.
struct nodes_alone {
  std::size_t nodes = 0;
  constexpr std::size_t num_nodes() const noexcept { return nodes; }
  static constexpr std::size_t num_edges() noexcept { return 0; }
  template <class F>
  constexpr void for_each_edge(F&&) const noexcept {}
};
}  // namespace detail

/// A stream in which everything is decided before the first node arrives.
template <unsigned_id Part>
class decided_stream {
 public:
  /// Assign all nodes at once. @errors those of policy.assign
  template <class P>
  static constexpr status begin(const P& policy, const stream_shape& shape, std::span<Part> owner,
                                decided_stream& out) {
    out.nodes_ = owner.size();
    return policy.assign(detail::nodes_alone{static_cast<std::size_t>(shape.nodes)}, owner);
  }
  /// @errors out_of_range at v: no such node @complexity O(1)
  template <class Neighbors>
  constexpr status push(std::uint64_t v, const Neighbors&) const noexcept {
    return v < nodes_ ? status::ok : status::out_of_range.at(v);
  }

 private:
  std::size_t nodes_ = 0;
};

// ---- a whole graph through a stream

/// The shape of g for a stream: its types each on their own where `balance_types` and g tells
/// them.
template <graph Graph>
constexpr stream_shape shape_of(const Graph& g, bool balance_types = true) {
  stream_shape out{num_nodes(g), num_edges(g), {}};
  if constexpr (typed_graph<Graph>) {
    if (balance_types) out.node_type_offsets = g.node_type_offsets();
  }
  return out;
}

/// Words of memory that assign_by_streaming needs: the stream's, and rows of neighbors (4 bytes
/// for each edge below 2^32 nodes, 8 for each node) where Graph does not list the edges of a node
/// in both directions.
template <graph Graph, streaming_partitioner P>
constexpr std::size_t streaming_scratch_size(const P& policy, const stream_shape& shape) {
  return static_cast<std::size_t>(policy.stream_scratch_size(shape)) +
         neighbor_rows<Graph>::words(static_cast<std::size_t>(shape.nodes),
                                     static_cast<std::size_t>(shape.edges), false);
}

/// Push all nodes of a graph in the policy's order.
/// @param g       V nodes, E edges; directions do not matter
/// @param shape   of g, as the policy wants to see it: shape_of(g)
/// @param owner   [V] out
/// @param memory  [streaming_scratch_size(policy, shape)]
/// @errors        capacity; out_of_range: an edge endpoint is not a node; those of begin and
///     push
/// @param threads lent to the stream where it takes them
/// @complexity    the stream's, and O(V + E)
template <graph Graph, streaming_partitioner P, executor Threads = sequential>
constexpr status assign_by_streaming(const P& policy, const Graph& g, const stream_shape& shape,
                                     std::span<typename P::part> owner,
                                     std::span<std::uint64_t> memory, const Threads& threads = {}) {
  const std::size_t nodes = num_nodes(g);
  if (owner.size() != nodes || shape.nodes != nodes) return status::mismatch.at(nodes);
  const auto state = static_cast<std::size_t>(policy.stream_scratch_size(shape));
  if (memory.size() < state)
    return status::capacity.at(streaming_scratch_size<Graph>(policy, shape));
  typename P::stream stream{};
  if (const status begun = policy.begin(shape, owner, memory.first(state), stream); !begun)
    return begun;
  detail::lend_threads(stream, threads);
  // f(k) gives the node that is pushed k-th; each edge is kept in the row of its later end.
  const auto push_in_order = [&](const auto& order, const auto& rank) {
    neighbor_rows<Graph> rows;
    const status built = neighbor_rows<Graph>::build(
        g, earlier_neighbors<std::remove_cvref_t<decltype(rank)>>{rank}, memory.subspan(state),
        rows);
    if (built == status::capacity) return status::capacity.at(state + built.position);
    if (!built) return built;
    for (std::uint64_t k = 0; k < nodes; ++k) {
      const std::uint64_t v = order(k);
      const status pushed = stream.push(
          v, [&](auto&& f) { rows.visit(static_cast<std::size_t>(v), f); });
      if (!pushed) return pushed;
    }
    return detail::finish_stream(stream);
  };
  if (order_of(policy) == stream_order::natural) return push_in_order(by_id{}, by_id{});
  if constexpr (takes_seed<P>) {
    const id_permutation order(nodes, static_cast<std::uint64_t>(policy.seed));
    return push_in_order(order, [order](std::uint64_t v) { return order.rank(v); });
  } else {
    const id_permutation order(nodes, 0);
    return push_in_order(order, [order](std::uint64_t v) { return order.rank(v); });
  }
}

}  // namespace halograph
