// SPDX-License-Identifier: BSL-1.0
/// @file buffered.hpp
/// Partition a graph as its nodes arrive, with few cut edges: clusters of the nodes so far are held
/// in memory, and cut when the last has come.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/greedy_stream.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// How much of a graph is held.
struct held_options {
  std::uint32_t parts = 2;
  std::uint64_t batch = 0;  ///< entries of the held graph, at most: two for each edge
  std::uint64_t seed = 0;
  multilevel_effort effort{};
};

/// The nodes so far as clusters, and the edges between these.
///
/// Nodes come with their edges to earlier nodes. Where the graph has more entries than may be held,
/// clusters are joined until half of the entries are left.
class held_clusters {
 public:
  held_clusters() = default;
  held_clusters(const held_clusters&) = delete;
  held_clusters& operator=(const held_clusters&) = delete;
  virtual ~held_clusters() = default;

  /// Nodes that see() will get soon.
  virtual void fetch(std::span<const std::uint64_t> soon) const noexcept = 0;
  /// An edge of the node that is added next. @param u  has been added @complexity O(1)
  virtual void see(std::size_t u) = 0;
  /// A node, with the edges that were seen. @return false: there is no room, because the clusters
  /// leave most edges between them; nothing but the destructor may be called then
  virtual bool add(std::size_t v, executor_ref threads) = 0;
  /// Cut the held graph.
  /// @param excess, cut  of another assignment. @return is this one better?
  virtual bool cut(std::uint64_t excess, std::uint64_t cut, executor_ref threads) = 0;
  /// The part of a node. @pre cut() was called
  virtual std::uint32_t part(std::size_t v) const = 0;
};

/// @param loads  the views that it has must outlive the result
std::unique_ptr<held_clusters> hold_clusters(const stream_shape& shape, const node_loads& loads,
                                             const held_options& options);

/// The sum of what parts hold above their limits, over all rows.
std::uint64_t excess_of(const load_table& table);

}  // namespace detail

/// Memory that a stream of basic_buffered allocates besides its scratch memory, at most.
/// @param constraints  how many are balanced; 0 counts as 1
/// @complexity O(1); saturates at 2^64 - 1
std::uint64_t buffered_bytes(std::uint64_t nodes, std::uint64_t edges, std::uint64_t batch,
                             std::uint64_t constraints, std::uint64_t parts) noexcept;

/// A stream that places each node as Fennel does, and all of them anew when the last has arrived,
/// where that cuts fewer edges.
template <unsigned_id Part>
class buffered_stream {
 public:
  static constexpr Part no_part = std::numeric_limits<Part>::max();  ///< in `owner`: not yet placed

  buffered_stream() = default;

  /// Threads to use, before the first push. @param threads  must outlive the stream
  void run_on(executor_ref threads) noexcept { threads_ = threads; }

  /// As greedy_stream::fetch().
  void fetch(std::span<const std::uint64_t> soon) const noexcept {
    greedy_.fetch(soon);
    if (held_ != nullptr) held_->fetch(soon);
  }

  /// @param neighbors  called twice
  /// @errors, @complexity those of greedy_stream; every `batch` edges O(batch) in addition
  template <class Neighbors>
  status push(std::uint64_t v, const Neighbors& neighbors) {
    const bool first = v < owner_.size() && owner_[static_cast<std::size_t>(v)] == no_part;
    const status placed = held_ == nullptr || !first
                              ? greedy_.push(v, neighbors)
                              : greedy_.push(v, [&](auto&& f) {
                                  neighbors([&](auto u) {
                                    f(u);
                                    const std::size_t i = index(u);
                                    if (i < owner_.size() && owner_[i] != no_part) held_->see(i);
                                  });
                                });
    if (!placed) {
      if (first) held_.reset();
      return placed;
    }
    if (held_ != nullptr && !held_->add(static_cast<std::size_t>(v), threads_)) held_.reset();
    return even_ == nullptr ? status::ok : even_->greedy.push(v, neighbors);
  }

  /// All nodes have arrived: choose their parts anew. May be left out.
  status finish() {
    std::uint64_t excess = detail::excess_of(greedy_.loads()), cut = greedy_.cut();
    if (even_ != nullptr) {
      const auto& other = even_->greedy;
      if (const std::uint64_t found = detail::excess_of(other.loads());
          found < excess || (found == excess && other.cut() < cut)) {
        excess = found;
        cut = other.cut();
        take([&](std::size_t v) { return even_->owner[v]; });
      }
      even_.reset();
    }
    if (held_ != nullptr && held_->cut(excess, cut, threads_))
      take([&](std::size_t v) { return held_->part(v); });
    held_.reset();
    return status::ok;
  }

  /// Words of scratch memory. @param rows  loads that are balanced
  static constexpr std::size_t words(std::uint64_t parts, std::size_t rows) noexcept {
    return greedy_stream<Part, fennel_rule>::words(parts, rows);
  }
  /// Start a stream in the caller's memory, [words(parts, rows)]. @errors those of
  /// basic_buffered::begin
  static status begin(const stream_shape& shape, const node_loads& loads, std::uint64_t parts,
                      const detail::held_options& options, std::span<Part> owner,
                      std::span<std::uint64_t> memory, buffered_stream& out) {
    const fennel_rule rule = fennel_rule::of(shape);
    if (const status begun = greedy_stream<Part, fennel_rule>::begin(rule, loads, parts, owner,
                                                                     memory, out.greedy_);
        !begun)
      return begun;
    out.owner_ = owner;
    out.held_.reset();
    out.even_.reset();
    if (parts == 1 || parts >= 0xFFFFFFFFu || shape.nodes <= parts) return status::ok;
    out.held_ = detail::hold_clusters(shape, loads, options);
    out.even_ = std::make_unique<even_placement>();
    out.even_->owner.resize(owner.size());
    out.even_->memory.resize(even_greedy::words(parts, loads.rows()));
    return even_greedy::begin({saturating_multiply(rule.degree, evenness)}, loads, parts,
                              out.even_->owner, out.even_->memory, out.even_->greedy);
  }

 private:
  /// Fennel with dearer parts fills them evenly from the first node on: on graphs of skewed degrees
  /// that cuts far fewer edges, on others more.
  static constexpr std::uint64_t evenness = 8;
  using even_greedy = greedy_stream<std::uint32_t, fennel_rule>;
  struct even_placement {
    std::vector<std::uint32_t> owner{};
    std::vector<std::uint64_t> memory{};
    even_greedy greedy{};
  };

  template <class PartOf>
  void take(const PartOf& part_of) {
    for (std::size_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] != no_part) owner_[v] = static_cast<Part>(part_of(v));
    }
  }

  greedy_stream<Part, fennel_rule> greedy_{};
  std::span<Part> owner_{};
  std::unique_ptr<even_placement> even_{};         // null: one part, or as many as nodes
  std::unique_ptr<detail::held_clusters> held_{};  // null: Fennel alone
  executor_ref threads_{};
};

/// Buffered streaming: a partitioner for graphs larger than memory that reads each edge once.
///
///     auto owner = hg::assign(g, hg::buffered{.parts = 8});
///
/// The nodes come one by one, each with its earlier neighbors. They are held as a graph of clusters
/// with at most `batch` entries and clusters, or 256 for each part if that is more. When it is
/// full, neighbors that belong together are joined, as the multilevel partitioner does when it
/// coarsens, until half of it is free; where clusters would grow too large for the balance, the
/// lightest edges are forgotten. After the last node what is held is cut by that partitioner, and
/// each node gets the part of its cluster. A graph that fits is partitioned as a whole.
///
/// Fennel places the nodes as well, at little cost, once as it is and once with dearer parts; these
/// parts are the result where they cut fewer edges, as in graphs without clusters (R-MAT). So the
/// result is never worse than Fennel's.
///
/// Loads: as basic_multilevel. Where nodes weigh 1 in one row, caps are met.
///
/// @complexity  about O(E + (V + batch) log K) time; memory: O(V + batch), buffered_bytes()
/// @repeatable  yes, on every machine, for any number of threads and every storage of the same
///     edges
/// @source clusters of the stream's batches: Faraj & Schulz, "Buffered streaming graph
///     partitioning" (HeiStream), ACM J. Exp. Algorithmics 27, 2022; Meyerhenke, Sanders & Schulz,
///     "Partitioning complex networks via size-constrained clustering", SEA 2014
template <unsigned_id Part = part_id>
struct basic_buffered {
  using part = Part;                                    ///< see partitioner
  using stream = buffered_stream<Part>;                 ///< see streaming_partitioner
  static constexpr std::string_view name = "buffered";  ///< see named_policy
  /// Enough for HeiStream's batches of 32,768 nodes of 16 edges each.
  static constexpr std::uint64_t default_batch = std::uint64_t{1} << 20;

  std::uint64_t parts = 1;  ///< how many parts to make
  /// Entries that are held at most, two for each edge; more cut fewer edges.
  std::uint64_t batch = default_batch;
  /// of cutting what is held; by default less than `fast`, a few times as long as Fennel takes
  multilevel_effort effort{0, 2, 1, 1, 0, 0, 0, 0};
  double tolerance = default_tolerance;        ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};   ///< what to balance
  bool balance_types = true;                   ///< without constraints: each node type on its own
  stream_order order = stream_order::natural;  ///< in which assign pushes the nodes
  std::uint64_t seed = 0;                      ///< equal seeds give equal parts

  /// Words of scratch memory of a stream. @complexity O(1)
  std::size_t stream_scratch_size(const stream_shape& shape) const noexcept {
    return stream::words(parts, rows(shape));
  }
  /// Bytes that a stream allocates besides. @complexity O(1)
  std::uint64_t stream_bytes(const stream_shape& shape) const noexcept {
    return buffered_bytes(shape.nodes, shape.edges, batch, rows(shape), parts);
  }

  /// @param owner   [V] out: of nodes that have not arrived stream::no_part
  /// @param memory  [stream_scratch_size(shape)]
  /// @errors those of basic_fennel::begin
  status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t> memory,
               stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    node_loads loads;
    const auto types = balance_types ? shape.node_type_offsets : std::span<const std::uint64_t>();
    if (const status made = node_loads::make(shape.nodes, constraints, types, tolerance, loads);
        !made)
      return made;
    return stream::begin(shape, loads, parts,
                         {static_cast<std::uint32_t>(parts), batch, seed, effort}, owner, memory,
                         out);
  }

  /// @errors those of begin; out_of_range: an edge endpoint is not a node
  template <graph G, class Context>
  status assign(const G& g, std::span<part> owner, const Context& context) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), std::span<const part>(owner)); !ok)
      return ok;
    const stream_shape shape = shape_of(g);
    std::vector<std::uint64_t> memory(streaming_scratch_size<G>(*this, shape));
    return assign_by_streaming(*this, g, shape, owner, memory, context.threads());
  }
  /// The same on the caller's thread.
  template <graph G>
  status assign(const G& g, std::span<part> owner) const {
    return assign(g, owner, assign_context());
  }

  /// The sentence for a status of assign or begin.
  std::string explain(status answer) const { return explain_greedy_stream<Part>(answer, parts); }

 private:
  std::size_t rows(const stream_shape& shape) const noexcept {
    return node_loads::rows(constraints.size(), balance_types ? shape.node_type_offsets.size() : 0);
  }
};

using buffered = basic_buffered<>;  ///< of part_id

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/partition/impl/buffered.ipp>
#endif
