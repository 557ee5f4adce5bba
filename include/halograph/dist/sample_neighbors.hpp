// SPDX-License-Identifier: BSL-1.0
/// @file sample_neighbors.hpp
/// Sample neighbors of any nodes of a distributed graph: locally where this rank holds their edges,
/// else on the ranks that own them.
/// Layer: dist. Words: README.md.
///
///     hg::neighbor_sampler sampler(g, files, formats);                       // once; all ranks
///     auto cur = g.book().map_to_homo_nid(seeds, "paper");
///     auto frontier = hg::sample_neighbors(sampler, cur, {.fanout = {10}, .seed = batch});
///     auto block = hg::to_block(frontier);
///     cur = block.src_nodes();                                               // the next layer
///
/// The edges drawn for (seed, node) do not depend on the number of ranks and threads, nor, if the
/// folder stores original IDs (all but those made with `--no-mapping`), on the number of parts:
/// part_sampler.hpp explains how. A part sends no requests for its own nodes, nor for HALO nodes
/// whose in-edges it holds, which are those before the last hop: k layers of in-edges from inner
/// nodes need no network if the HALO has k hops. The counters show it.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Options of a neighbor_sampler.
struct sampler_options {
  edge_direction direction = edge_direction::in;  ///< of the edges to draw
  std::string
      weight{};  ///< the edge feature to draw by, one number an edge; "": all edges weigh the same
};

/// Which parts drew the requested nodes, for one requesting part and one node type.
struct sampling_counters {
  std::uint64_t own = 0;           ///< nodes that the requesting part owns
  std::uint64_t from_halo = 0;     ///< HALO nodes that it holds all edges of
  std::uint64_t remote = 0;        ///< nodes requested from other parts
  std::uint64_t remote_edges = 0;  ///< edges received for those
  std::uint64_t other_ranks = 0;   ///< of `remote`, nodes requested from other ranks

  /// Traffic of requests to other parts: an ID there, a count back, and two IDs for each edge.
  std::uint64_t remote_bytes() const noexcept { return 16 * (remote + remote_edges); }
  friend bool operator==(const sampling_counters&, const sampling_counters&) = default;
  /// Add the counts of another part, type or batch.
  sampling_counters& operator+=(const sampling_counters& more) noexcept {
    own += more.own;
    from_halo += more.from_halo;
    remote += more.remote;
    remote_edges += more.remote_edges;
    other_ranks += more.other_ranks;
    return *this;
  }
};

/// Draws neighbors over all parts of a distributed graph. Keeps the graph open. Sampling is
/// collective and must be called by one thread; locate() and the part samplers are thread-safe.
class neighbor_sampler {
 public:
  /// Collective.
  /// @param g        opened with the direction's edges, and with features where edges have weights
  /// @param files, formats  where original IDs are read, as for open_dist_graph
  /// @errors         raises, on all ranks: unsupported: out-edges of a folder whose HALOs follow
  ///     in-edges only; not_found: no edge type has the weight; mismatch: weights of several
  ///     dtypes, or more than one number each; malformed: an invalid weight, with its file,
  ///     part and row
  /// @complexity     O(nodes + edges) of this rank's parts; 8 bytes per node if the folder
  ///     stores original IDs, and what part_sampler takes
  neighbor_sampler(const dist_graph& g, const any_file_opener& files, const format_list& formats,
                   const sampler_options& options = {});

  /// The graph that is drawn from.
  const dist_graph& graph() const noexcept { return *graph_; }
  /// The samplers of this rank's parts, in the order of graph().parts().
  std::span<const part_sampler> parts() const noexcept { return samplers_; }
  /// Are samples the same for every partitioning of the graph?
  bool knows_original_ids() const noexcept { return knows_original_ids_; }

  /// Where the edges of a node are drawn.
  enum class source : std::uint8_t { own, halo, other_part };
  /// A node as a part sampler of this rank knows it.
  struct place {
    const part_sampler* sampler = nullptr;  ///< null: on another rank
    std::size_t local = 0;
    source from = source::other_part;  ///< whose sampler it is, seen from the part that asked
  };
  /// Which sampler of this rank draws a node for part `asking`. Thread-safe, not collective.
  /// @param asking  position in parts(); beyond its end: no part
  /// @pre           a global ID of the graph
  place locate(global_id node, std::size_t asking) const noexcept {
    if (asking < samplers_.size()) {
      if (const auto row = samplers_[asking].row_of(node)) {
        return {&samplers_[asking], *row,
                samplers_[asking].part().is_inner(*row) ? source::own : source::halo};
      }
    }
    const part_id owner = graph_->part_of_node(node);
    if (graph_->rank_of_part(owner) != graph_->ranks().rank()) return {};
    const auto& there = samplers_[owner - static_cast<std::size_t>(graph_->part_range().begin)];
    return {&there,
            static_cast<std::size_t>(static_cast<std::uint64_t>(node) -
                                     there.part().inner_nodes().begin),
            source::other_part};
  }
  /// Check options and nodes.
  /// @errors invalid_argument: not one fan-out for all edge types, or one for each; out_of_range: a
  ///     node
  void check(std::span<const global_id> nodes, const sample_options& options) const;

  /// Draw edges of nodes owned by any rank. Collective; the options are the same on all ranks, the
  /// nodes need not be, and may be none.
  ///
  /// @param nodes   [n] global IDs; may repeat, each time with the same edges
  /// @param asking  which of this rank's parts() requests: its HALO is used, its counters count
  /// @return        a row for each node
  /// @errors        raises, on all ranks: out_of_range, invalid_argument (see check()); mismatch:
  ///     the options of the ranks differ; those of the communicator
  /// @complexity    as part_sampler::draw; sends 16 bytes for each node of another rank and 16 for
  ///     each edge, in rounds of bounded memory (dist_options::exchange_bytes)
  sampled_edges sample(std::span<const global_id> nodes, const sample_options& options,
                       std::size_t asking = 0);

  /// Request edges of nodes that other ranks own. Collective, inside run_collective(); the fan-outs
  /// are the same on all ranks.
  /// @param seeded  every request has a seed of its own, which replaces that of the options
  /// @param next    bool next(rank, draw_request): the next request of this rank, and the rank to
  ///     send it to; false: no more requests
  /// @param take    void take(span<const global_id>): the (neighbor, edge) pairs of each request in
  ///     turn
  /// @errors        as sample(), and what the two throw; collective_abort
  /// @complexity    memory as draw_exchange, however many requests there are
  template <class Next, class Take>
  void ask_owners(const sample_options& options, bool seeded, Next&& next, Take&& take) {
    sample_options with = options;
    std::array<global_id, 1> one{};
    exchange_.run(
        seeded, expected_words(options), next,
        [&](draw_request asked, std::vector<std::int64_t>& ends) {
          one[0] = asked.node;
          check(one, options);
          const place at = locate(asked.node, samplers_.size());
          if (at.sampler == nullptr)
            raise(error_kind::mismatch, concat({"another rank requests node ", asked.node,
                                                ", which this rank does not own"}));
          if (seeded) with.seed = asked.seed;
          at.sampler->draw(at.local, with, scratch_, [&](global_id neighbor, global_id edge) {
            ends.push_back(neighbor);
            ends.push_back(edge);
          });
        },
        take);
  }
  /// Check that all ranks have the same options. Collective, inside run_collective().
  /// @errors mismatch
  void check_same(const sample_options& options) const;

  /// Count one node.
  static void count(sampling_counters& counted, source from, std::uint64_t drawn) noexcept {
    switch (from) {
      case source::own:
        ++counted.own;
        return;
      case source::halo:
        ++counted.from_halo;
        return;
      case source::other_part:
        ++counted.remote;
        counted.remote_edges += drawn;
    }
  }
  /// [T] requests of one of this rank's parts since the beginning, by node type.
  std::span<const sampling_counters> counters(std::size_t asking = 0) const noexcept {
    const std::size_t types = graph_->schema().num_node_types();
    return std::span(counters_).subspan(asking * types, types);
  }

 private:
  /// Approximate words of an answer: all edges of an average node, or the fan-outs.
  std::uint64_t expected_words(const sample_options& options) const noexcept {
    const std::uint64_t nodes = std::max<std::uint64_t>(1, graph_->num_nodes()),
                        average = 1 + graph_->num_edges() / nodes;
    std::uint64_t drawn = 0;
    for (const auto fanout : options.fanout) {
      if (fanout == all_neighbors) return 2 * average;
      drawn += std::min(fanout, std::uint64_t{1} << 32);
    }
    return 2 * (options.replace ? drawn : std::min(average, drawn));
  }

  /// [parts here][nodes, or inner nodes alone] original typed IDs; empty where the folder does not
  /// store them. Inside run_collective(), as weigh().
  std::vector<std::vector<std::uint64_t>> read_keys(const any_file_opener& files,
                                                    const format_list& formats, bool inner_alone);

  /// Weights of all edges of this rank's parts, by local ID. Edges of types that have no such
  /// feature weigh 1.
  void weigh(const std::string& weight);
  /// Checked here, where the row and its file are known.
  void check_weights(const tensor& rows, const part_graph& part, type_id type,
                     const std::string& who) const;
  global_id typed_edge(global_id edge) const noexcept {
    typed_id<global_id> typed{};
    static_cast<void>(graph_->book().edges().to_typed(edge, typed));
    return typed.id;
  }
  static std::vector<std::byte> ones(dtype item, std::size_t count);

  std::shared_ptr<const dist_graph> graph_{};
  draw_exchange exchange_;
  std::vector<part_sampler> samplers_{};
  std::vector<sampling_counters> counters_{};  // [parts here, at least one][T]
  part_sampler::scratch scratch_{};
  bool knows_original_ids_ = false;
};

/// Draw edges of nodes: neighbor_sampler::sample under the name that DGL's users know. Collective.
/// @param nodes  global IDs of any integer type
sampled_edges sample_neighbors(neighbor_sampler& sampler, any_id_row nodes,
                               const sample_options& options, std::size_t asking = 0);

/// All edges of nodes in the sampler's direction: all in-edges, as DGL's in_subgraph, or all
/// out-edges. Collective. A sampler with weights gives those of weight above 0.
sampled_edges in_subgraph(neighbor_sampler& sampler, any_id_row nodes, std::size_t asking = 0);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/sample_neighbors.ipp>
#endif
