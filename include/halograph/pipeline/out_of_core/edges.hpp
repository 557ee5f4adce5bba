// SPDX-License-Identifier: BSL-1.0
/// @file edges.hpp
/// Dispatch, edges: written to buckets by target, then sorted bucket by bucket into rows in files.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// An edge in new node IDs, as it is exchanged and sorted.
template <id Node, id Edge>
struct edge_record {
  Node target;
  Node source;
  Edge edge;  // original ID
};

/// The columns of sorted edges in their files, for rows_from_buckets().
template <id Node, id Edge>
class row_columns {
 public:
  row_columns(scratch_array<Node>& sources, scratch_array<Edge>& old_edge)
      : sources_(sources), old_edge_(old_edge) {}

  /// Rows in order, in memory or in the files.
  struct block {
    Node* sources;
    Edge* old_edge;
    void put(std::size_t at, const edge_record<Node, Edge>& one) const noexcept {
      sources[at] = one.source;
      old_edge[at] = one.edge;
    }
  };
  block mapped() const noexcept { return {sources_.values().data(), old_edge_.values().data()}; }
  /// Memory for some edges.
  static constexpr std::size_t bytes(std::size_t edges) noexcept {
    return first_bytes(edges) + edges * sizeof(Edge);
  }
  /// @param memory  bytes(edges)
  static block in_memory(std::span<std::byte> memory, std::size_t edges) noexcept {
    return {reinterpret_cast<Node*>(memory.data()),
            reinterpret_cast<Edge*>(memory.data() + first_bytes(edges))};
  }
  /// Write what is in memory. @errors io
  void write(const block& from, std::size_t first, std::size_t edges) const {
    sources_.write(first, std::span<const Node>(from.sources, edges));
    old_edge_.write(first, std::span<const Edge>(from.old_edge, edges));
  }

 private:
  static constexpr std::size_t first_bytes(std::size_t edges) noexcept {
    return (edges * sizeof(Node) + alignof(Edge) - 1) / alignof(Edge) * alignof(Edge);
  }
  scratch_array<Node>& sources_;
  scratch_array<Edge>& old_edge_;
};

/// A hash of an edge, to be summed over edges in any order: equal sums mean, almost certainly,
/// equal edges. The product of a hash of its ends and an odd number of its own: one other end
/// always changes the sum, and so do, as good as always, IDs that change places.
template <class Node, class Edge>
std::uint64_t edge_sum(Node target, Node source, Edge edge) noexcept {
  const std::uint64_t ends = static_cast<std::uint64_t>(target) * 0x9E3779B97F4A7C15u +
                             static_cast<std::uint64_t>(source) + 0xBF58476D1CE4E5B9u;
  return ends * (2 * static_cast<std::uint64_t>(edge) + 1);
}

/// Edges of one type that are read at once.
struct edge_piece {
  type_id type = 0;
  std::uint64_t first = 0, last = 0;  // of the type
  std::uint64_t base = 0;             // original ID of the type's first edge
};

/// All edges in pieces of at most `block` edges, by original ID.
/// @errors internal: the blocks of the input do not hold all edges
std::vector<edge_piece> edge_pieces(const chunked_graph& input, std::uint64_t block);

/// The nodes that the edges of pieces end in, where other ranks have their new IDs. A node that
/// many edges of a piece end in is asked for once, or a few times.
template <id Node>
class piece_ends {
 public:
  /// @param pieces, block  so many pieces of so many edges at once
  piece_ends(std::size_t pieces, std::size_t block, std::pmr::memory_resource* memory)
      : room_(2 * block),
        nodes_(pieces * room_, memory),
        answers_(pieces * room_, memory),
        recent_(pieces * recent_nodes, memory),
        requests_(pieces) {}

  /// Begin a piece. Pieces at once, each by one thread.
  void begin(std::size_t piece) noexcept { requests_[piece] = {}; }
  /// Replace ends of edges by their places among the piece's nodes.
  /// @param first  node of their type
  void collect(std::size_t piece, std::uint64_t first, std::span<Node> ends) {
    Node* const found = nodes_.data() + piece * room_;
    std::uint32_t* const recent = recent_.data() + piece * recent_nodes;
    std::size_t count = requests_[piece].nodes.size();
    for (Node& end : ends) {
      const std::uint64_t node = first + static_cast<std::uint64_t>(end);
      std::uint32_t& at = recent[(node * 0x9E3779B97F4A7C15u) >> (64 - recent_node_bits)];
      if (at >= count || found[at] != static_cast<Node>(node)) {
        at = static_cast<std::uint32_t>(count);
        found[count++] = static_cast<Node>(node);
      }
      end = static_cast<Node>(at);
    }
    requests_[piece] = {{found, count}, {answers_.data() + piece * room_, count}};
  }
  /// What to ask for: of each piece one.
  std::span<const node_request<Node>> requests() const noexcept { return requests_; }
  /// The new ID of a node of a piece.
  Node new_node(std::size_t piece, Node at) const noexcept {
    return answers_[piece * room_ + index(at)];
  }

 private:
  std::size_t room_;
  std::pmr::vector<Node> nodes_, answers_;
  std::pmr::vector<std::uint32_t> recent_;  // places by hash of the node, the last one of each
  std::vector<node_request<Node>> requests_;
};

/// Read the edges of all types on all threads and put them, in new node IDs, into buckets by target
/// on the rank that owns the target. Each bucket is ordered by original ID, because ranks read the
/// pieces of a round in turn. Inside run_collective().
///
/// @param block, slots  edges of a piece, and pieces that a rank reads in a round: the same on all
///     ranks
/// @param ranges        of the targets, counted from the first node of this rank
/// @return              the sum of edge_sum over all edges that this rank has read
template <id Node, id Edge>
std::uint64_t edges_to_buckets(const chunked_graph& input, new_node_table<Node>& new_nodes,
                               const rank_shares& shares, const bucket_ranges& ranges,
                               spill_buckets& spill, std::size_t block, std::size_t slots,
                               std::pmr::memory_resource* memory, communicator_ref ranks,
                               executor_ref run,
                               const std::function<void(std::uint64_t, std::uint64_t)>& told) {
  using record = edge_record<Node, Edge>;
  const auto node_offsets = offsets_of(input.node_counts);
  const auto pieces = edge_pieces(input, block);
  // Two sets: one thread puts the edges of a round into buckets while the others read the next.
  std::pmr::vector<Node> columns(4 * slots * block, memory);
  const bool whole = new_nodes.is_whole();
  const auto new_node = new_nodes.own();
  piece_ends<Node> ends(whole ? 0 : slots, block, memory);
  const std::uint64_t of_all = std::uint64_t{slots} * ranks.size(),
                      rounds = pieces.size() / of_all + (pieces.size() % of_all != 0 ? 1 : 0);
  std::uint64_t sum = 0, seen = 0, own = 0;
  const auto in_round = [&](std::uint64_t round) {
    const std::uint64_t first = (round * ranks.size() + ranks.rank()) * slots;
    return std::pair{
        static_cast<std::size_t>(std::min<std::uint64_t>(first, pieces.size())),
        static_cast<std::size_t>(std::min<std::uint64_t>(first + slots, pieces.size()))};
  };
  for (std::uint64_t round = 0; in_round(round).first < pieces.size(); ++round) {
    for (auto [i, end] = in_round(round); i < end; ++i) own += pieces[i].last - pieces[i].first;
  }
  // The sources and targets of piece i of a round.
  const auto columns_of = [&](std::uint64_t round, std::size_t i) {
    const edge_piece& piece = pieces[in_round(round).first + i];
    const auto edges = static_cast<std::size_t>(piece.last - piece.first);
    const std::size_t at = 2 * block * (static_cast<std::size_t>(round % 2) * slots + i);
    return std::pair{std::span(columns).subspan(at, edges),
                     std::span(columns).subspan(at + block, edges)};
  };
  const auto read = [&](std::uint64_t round, std::size_t i) {
    const edge_piece& piece = pieces[in_round(round).first + i];
    const std::uint64_t from = node_offsets[input.schema.source_type(piece.type)],
                        to = node_offsets[input.schema.target_type(piece.type)];
    const auto [source, target] = columns_of(round, i);
    input.read_edges_into<Node>(piece.type, piece.first, source, target);
    if (!whole) {
      ends.begin(i);
      ends.collect(i, from, source);
      return ends.collect(i, to, target);
    }
    for (Node& u : source)
      u = new_node[static_cast<std::size_t>(from + static_cast<std::uint64_t>(u))];
    for (Node& v : target)
      v = new_node[static_cast<std::size_t>(to + static_cast<std::uint64_t>(v))];
  };
  const auto put = [&](std::uint64_t round, auto&& emit) {
    const auto [begin, end] = in_round(round);
    for (std::size_t i = 0; i < end - begin; ++i) {
      const edge_piece& piece = pieces[begin + i];
      const auto [source, target] = columns_of(round, i);
      for (std::size_t k = 0; k < source.size(); ++k) {
        const Node u = whole ? source[k] : ends.new_node(i, source[k]),
                   v = whole ? target[k] : ends.new_node(i, target[k]);
        const record edge{v, u, static_cast<Edge>(piece.base + piece.first + k)};
        sum += edge_sum(edge.target, edge.source, edge.edge);
        emit(edge);
      }
      seen += source.size();
    }
    if (told) told(seen, own);
  };
  // Which other ranks ask for nodes in, too.
  const auto find_nodes = [&](std::uint64_t round) {
    if (whole) return;
    const auto [begin, end] = in_round(round);
    for (std::size_t i = end - begin; i < slots; ++i) ends.begin(i);
    new_nodes.find(ends.requests());
  };
  // @return whether there is another round: all ranks have as many
  const auto read_round = [&](std::uint64_t round, auto&& emit) {
    const auto count = [&](std::uint64_t of) { return in_round(of).second - in_round(of).first; };
    if (round == 0) {
      run.parallel_for(0, count(0), 1, [&](std::size_t first, std::size_t last) {
        for (; first < last; ++first) read(0, first);
      });
      find_nodes(0);
    }
    run.parallel_for(0, 1 + count(round + 1), 1, [&](std::size_t first, std::size_t last) {
      for (; first < last; ++first) {
        if (first == 0)
          put(round, emit);
        else
          read(round + 1, first - 1);
      }
    });
    if (round + 1 < rounds) find_nodes(round + 1);
    return round + 1 < rounds;
  };
  const std::uint64_t first_node = shares.nodes().begin;
  if (ranks.size() == 1) {
    for (std::uint64_t round = 0; !pieces.empty(); ++round) {
      if (!read_round(round, [&](const record& edge) {
            spill.push(ranges.of(static_cast<std::uint64_t>(edge.target)), edge);
          }))
        break;
    }
    return sum;
  }
  record_exchange exchange(ranks, sizeof(record), slots * block, memory);
  exchange.run(
      [&](std::uint64_t round) {
        return read_round(round, [&](const record& edge) {
          exchange.push(shares.of_node(static_cast<std::uint64_t>(edge.target)), edge);
        });
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        for_each_record<record>(bytes, [&](const record& edge) {
          spill.push(ranges.of(static_cast<std::uint64_t>(edge.target) - first_node), edge);
        });
      });
  return sum;
}

/// Number the edges of this rank's parts as relabel_edges_into numbers those of all parts. There
/// are two steps, because ranks exchange the counts in between.
template <id Node, id Edge>
class edge_numbers {
 public:
  /// @param rows  from the first node of this rank's parts on
  edge_numbers(const csc_view<Node, Edge>& rows, std::uint64_t first_row,
               std::span<const Edge> old_edge, std::span<const std::uint64_t> part_begin,
               std::span<const std::uint64_t> type_begin, bool drop)
      : rows_(rows),
        first_row_(first_row),
        old_edge_(old_edge),
        part_begin_(part_begin),
        type_begin_(type_begin),
        drop_(drop) {}

  /// @param counts  [P*R+1] zeros; out: edges of each (part, type) of this rank
  void count(id_range parts, std::span<std::uint64_t> counts, executor_ref run) const {
    each_part(parts, run, [&](std::size_t p) {
      visit(p, [&](std::size_t, std::size_t type) {
        if (type < types()) ++counts[p * types() + type];
      });
    });
  }
  /// @param bounds  [P*R+1] where the new IDs of each (part, type) begin
  void number(id_range parts, std::span<const std::uint64_t> bounds, std::span<Edge> new_edge,
              executor_ref run) const {
    each_part(parts, run, [&](std::size_t p) {
      if (part_begin_.size() == 2) {  // one part: nothing is renumbered
        visit(p, [&](std::size_t k, std::size_t) { new_edge[k] = old_edge_[k]; });
        return;
      }
      std::vector<std::uint64_t> next(types());
      for (std::size_t r = 0; r < types(); ++r) next[r] = bounds[p * types() + r];
      visit(p, [&](std::size_t k, std::size_t type) {
        new_edge[k] = type < types() ? static_cast<Edge>(next[type]++) : dropped_edge<Edge>;
      });
    });
  }

 private:
  std::size_t types() const noexcept { return type_begin_.size() - 1; }
  template <class F>
  static void each_part(id_range parts, executor_ref run, F&& f) {
    run.parallel_for(static_cast<std::size_t>(parts.begin), static_cast<std::size_t>(parts.end), 1,
                     [&](std::size_t first, std::size_t last) {
                       for (std::size_t p = first; p < last; ++p) f(p);
                     });
  }
  /// f(position, type) for the edges of a part; type `types()`: the edge is dropped.
  template <class F>
  void visit(std::size_t p, F&& f) const {
    const std::uint64_t begin = part_begin_[p], size = part_begin_[p + 1] - begin;
    for (std::uint64_t v = begin; v < begin + size; ++v) {
      rows_.for_each_in_edge(v - first_row_, [&](Node u, Edge k) {
        if (drop_ && static_cast<std::uint64_t>(u) - begin >= size) return f(index(k), types());
        const auto old = static_cast<std::uint64_t>(old_edge_[index(k)]);
        f(index(k), range_of(type_begin_, old));
      });
    }
  }

  csc_view<Node, Edge> rows_;
  std::uint64_t first_row_;
  std::span<const Edge> old_edge_;
  std::span<const std::uint64_t> part_begin_, type_begin_;
  bool drop_;
};

/// Read all edges and sort those of this rank's parts by target. @return the sum of edge_sum over
/// the edges that this rank has read
/// @param used  out: the buckets that the edges were sorted through
template <id Node, id Edge>
std::uint64_t sort_edges(dispatch_job<Node, Edge>& job, std::optional<spill_buckets>& used) {
  using record = edge_record<Node, Edge>;
  auto& edges = job.edges;
  const id_range own = job.shares.nodes();
  const bucket_ranges ranges(own.size(), job.buffers.buckets);
  spill_buckets& spill = used.emplace(job.scratch_file("buckets"), ranges.count, sizeof(record),
                                      static_cast<std::size_t>(job.buffers.bucket_bytes),
                                      job.memory());
  std::uint64_t sum = 0;
  {
    const row_readers share = job.node_readers();
    const auto block = static_cast<std::size_t>(job.buffers.block_edges);
    new_node_table<Node> new_nodes(job.nodes, share, job.ranks, 2 * job.slots * block,
                                   job.buffers.exchange_bytes, job.buffers.known_nodes,
                                   job.memory());
    sum = edges_to_buckets<Node, Edge>(job.input, new_nodes, job.shares, ranges, spill, block,
                                       job.slots, job.memory(), job.ranks, job.run,
                                       [&](std::uint64_t seen, std::uint64_t all) {
                                         job.show_progress("edges", seen, all, "edges");
                                       });
    spill.finish();
  }
  edges.rows = 0;
  for (std::size_t b = 0; b < ranges.count; ++b) edges.rows += spill.count(b);
  edges.first_row = own.begin;
  edges.offsets = scratch_array<Edge>::create(job.scratch_file("offsets"), own.size() + 1);
  // Each on its own thread: the system takes a while to reserve them.
  job.run.parallel_for(0, 2, 1, [&](std::size_t first, std::size_t last) {
    if (first == 0)
      edges.sources = scratch_array<Node>::create(job.scratch_file("sources"), edges.rows);
    if (last == 2)
      edges.old_edge = scratch_array<Edge>::create(job.scratch_file("old_edge"), edges.rows);
  });
  job.show_progress("rows", 0, edges.rows, "edges");
  rows_from_buckets<record>(
      spill, ranges, edges.offsets.values(), job.buffers.window_bytes, job.buffers.sorted_bytes,
      job.memory(), job.run,
      [&](const record& one) { return static_cast<std::uint64_t>(one.target) - own.begin; },
      row_columns<Node, Edge>(edges.sources, edges.old_edge),
      [&](std::uint64_t seen) { job.show_progress("rows", seen, edges.rows, "edges"); });
  return sum;
}

/// Sums over the rows of this rank's parts.
struct row_sums {
  std::uint64_t edges = 0;  ///< of edge_sum
  std::uint64_t cut = 0;    ///< edges from other parts
};
template <id Node, id Edge>
row_sums sum_rows(const dispatch_job<Node, Edge>& job, executor_ref run) {
  const auto sorted = job.rows();
  const auto old_edge = job.edges.old_edge.values();
  std::atomic<std::uint64_t> found = 0, cut = 0;
  // By row, as the parts of this rank.
  const id_range own = job.shares.parts();
  const std::uint64_t first_node = job.edges.first_row;
  std::vector<std::uint64_t> part_begin;
  for (auto p = static_cast<std::size_t>(own.begin); p <= own.end; ++p)
    part_begin.push_back(job.part_begin[p] - first_node);
  const std::size_t pieces = pieces_of(run);
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    std::uint64_t here = 0, crossing = 0;
    for (std::size_t piece = first; piece < last; ++piece) {
      for_each_part_of(sorted, std::span<const std::uint64_t>(part_begin), piece, pieces,
                       [&](std::size_t part, std::size_t row, std::size_t row_end) {
                         const std::uint64_t begin = first_node + part_begin[part],
                                             size = part_begin[part + 1] - part_begin[part];
                         for (std::size_t v = row; v < row_end; ++v) {
                           const auto target = static_cast<Node>(first_node + v);
                           sorted.for_each_in_edge(v, [&](Node u, auto k) {
                             here += edge_sum(target, u, old_edge[index(k)]);
                             crossing += static_cast<std::uint64_t>(u) - begin >= size ? 1u : 0u;
                           });
                         }
                       });
    }
    found += here;
    cut += crossing;
  });
  return {found.load(), cut.load()};
}

/// Give edges their new IDs, after proving that the rows hold the edges that were read.
/// @param sum   as sort_edges() returns it
/// @param used  as sort_edges() leaves them; they are removed
template <id Node, id Edge>
void number_edges(dispatch_job<Node, Edge>& job, std::uint64_t sum,
                  std::optional<spill_buckets>& used) {
  auto& edges = job.edges;
  const auto sorted = job.rows();
  const auto old_edge = std::as_const(edges).old_edge.values();
  const std::span<const std::uint64_t> part_begin(job.part_begin), types(job.edge_offsets);
  const id_range own = job.shares.parts();
  const auto remove_buckets = [&] { used.reset(); };
  const run_beside run(job.run, remove_buckets);
  const row_sums found = sum_rows(job, run);
  std::array<std::uint64_t, 4> all{sum, found.edges, found.cut, edges.rows};
  check_peers(job.ranks);
  check_ranks(job.ranks.sum(all));
  run_collective(job.ranks, [&] {
    require_equal(all[3], job.num_edges(), "edges");
    if (all[1] != all[0])
      raise(error_kind::internal,
            "the rows do not hold the edges that were read: their sums differ");
    edges.cut_edges = all[2];
    const bool drop = job.options.hops == 0 && job.options.drop_cut_edges && edges.cut_edges != 0;
    edges.dropped = drop ? edges.cut_edges : 0;
    edges.new_edge = scratch_array<Edge>::create(job.scratch_file("new_edge"), job.new_edges());
    edges.bounds = scratch_array<std::uint64_t>::create(job.scratch_file("edge_bounds"),
                                                        job.edge_cells() + 1);
    if (job.plan().edge_id_is_position()) {
      const auto offsets = std::as_const(edges).offsets.values();
      const auto bounds = edges.bounds.values();
      for (std::size_t p = 0; p < bounds.size(); ++p)
        bounds[p] = static_cast<std::uint64_t>(offsets[static_cast<std::size_t>(part_begin[p])]);
      return;
    }
    if (job.several_ranks()) {
      edge_numbers<Node, Edge>(sorted, edges.first_row, old_edge, part_begin, types, drop)
          .count(own, edges.bounds.values(), job.run);
      return;
    }
    check(relabel_edges_into(
              sorted, std::span<const part_id>(), std::span<const Node>(), part_begin, types,
              [&](auto position) { return static_cast<std::uint64_t>(old_edge[index(position)]); },
              drop, edges.bounds.values(), edges.new_edge.values(), job.run),
          "edges cannot be numbered");
  });
  if (!job.several_ranks()) return;
  const auto bounds = edges.bounds.values();
  check_peers(job.ranks);
  check_ranks(job.ranks.sum(bounds));
  std::uint64_t before = 0;
  for (auto& cell : bounds) before += std::exchange(cell, before);
  edge_numbers<Node, Edge>(sorted, edges.first_row, old_edge, part_begin, types, edges.dropped != 0)
      .number(own, bounds, edges.new_edge.values(), job.run);
}

/// Compare the numbers of edges with the input's, and complete the stage.
template <id Node, id Edge>
void complete_edges(dispatch_job<Node, Edge>& job) {
  const auto& edges = job.edges;
  const auto& counts = job.input.edge_counts;
  const std::size_t types = counts.size();
  stage_record stage{"edges",
                     {{"edges", job.num_edges()},
                      {"rows", edges.rows},
                      {"cut_edges", edges.cut_edges},
                      {"dropped", edges.dropped}},
                     {},
                     {}};
  const auto bounds = edges.bounds.values();
  std::uint64_t kept = 0;
  for (std::size_t r = 0; r < types; ++r) {
    std::uint64_t count = 0;
    for (std::size_t p = 0; p < job.parts; ++p)
      count += bounds[p * types + r + 1] - bounds[p * types + r];
    if (edges.dropped == 0)
      require_equal(
          count, counts[r],
          "edges of type " + graph_schema::quoted(job.input.schema.edge_types()[r].str()));
    stage.counts.emplace_back(concat({"type", r}), count);
    kept += count;
  }
  require_equal(kept + edges.dropped, job.num_edges(), "edges");
  job.add_rows(stage, "");
  job.add_file(stage, edges.bounds, "edge_bounds");
  job.stages.complete(std::move(stage));
}

/// The phase of edges: each rank reads its share of them, and keeps those into its parts.
template <id Node, id Edge>
void dispatch_edges(dispatch_job<Node, Edge>& job) {
  const stage_record* done = job.stages.completed("edges");
  if (done == nullptr) {
    std::uint64_t sum = 0;
    std::optional<spill_buckets> used;
    run_collective(job.ranks, [&] { sum = sort_edges(job, used); });
    number_edges(job, sum, used);
    run_collective(job.ranks, [&] { complete_edges(job); });
    done = &job.stages.record_of("edges");
  }
  run_collective(job.ranks, [&] {
    auto& edges = job.edges;
    edges.rows = done->count("rows");
    edges.cut_edges = done->count("cut_edges");
    edges.dropped = done->count("dropped");
    edges.open_rows(job.scratch_file(""), job.shares.nodes(), edges.rows, job.new_edges());
    edges.bounds = scratch_array<std::uint64_t>::open(job.scratch_file("edge_bounds"),
                                                      job.edge_cells() + 1);
    require_equal(done->count("edges"), job.num_edges(), "edges");
    check_cut_edges(edges.cut_edges, job.options.hops, job.options.drop_cut_edges);
  });
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/edges.ipp>
#endif
