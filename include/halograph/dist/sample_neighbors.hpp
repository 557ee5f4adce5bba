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
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Options of a neighbor_sampler.
struct sampler_options {
  edge_direction direction = edge_direction::in;
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
template <communicator Communicator>
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
  template <file_opener Files, class Formats>
  neighbor_sampler(const dist_graph<Communicator>& g, const Files& files, const Formats& formats,
                   const sampler_options& options = {})
      : exchange_(g.ranks(), g.options().exchange_bytes) {
    run_collective(g.ranks(), [&] {
      graph_ = std::make_shared<dist_graph<Communicator>>(g);
      const bool in = options.direction == edge_direction::in;
      if (!(in ? g.options().part.in_edges : g.options().part.out_edges)) {
        raise(errc::invalid_argument, std::string("the graph was opened without its ") +
                                          (in ? "in" : "out") +
                                          "-edges; request them in part_options");
      }
      if (!in && !g.has_all_out_edges()) {
        raise(
            errc::unsupported,
            "parts of this folder do not hold all out-edges of their nodes; sample in-edges, or partition again with the closing step of the HALO",
            {.file = g.config().path});
      }
      auto keys = read_keys(files, formats);
      for (std::size_t i = 0; i < g.parts().size(); ++i) {
        samplers_.emplace_back(g.parts()[i], options.direction,
                               keys.empty() ? std::vector<std::uint64_t>() : std::move(keys[i]));
      }
      if (!options.weight.empty()) weigh(options.weight);
      counters_.resize(std::max<std::size_t>(1, samplers_.size()) * g.schema().num_node_types());
    });
  }

  const dist_graph<Communicator>& graph() const noexcept { return *graph_; }
  /// The samplers of this rank's parts, in the order of graph().parts().
  std::span<const part_sampler> parts() const noexcept { return samplers_; }
  /// Are samples the same for every partitioning of the graph?
  bool knows_original_ids() const noexcept { return knows_original_ids_; }

  /// Where the edges of a node are drawn.
  enum class source : std::uint8_t { own, halo, other_part };
  struct place {
    const part_sampler* sampler = nullptr;  ///< null: on another rank
    std::size_t local = 0;
    source from = source::other_part;
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
  void check(std::span<const global_id> nodes, const sample_options& options) const {
    const std::size_t types = graph_->schema().num_edge_types();
    if (options.fanout.size() != 1 && options.fanout.size() != types) {
      raise(errc::invalid_argument, "there are " + std::to_string(options.fanout.size()) +
                                        " fan-outs for " + std::to_string(types) +
                                        " edge types; give one for all, or one for each");
    }
    const std::uint64_t end = graph_->num_nodes();
    for (const global_id v : nodes) {
      if (static_cast<std::uint64_t>(v) >= end) {
        raise(errc::out_of_range, "global node ID " + std::to_string(v) +
                                      " is not in the valid range [0, " + std::to_string(end) +
                                      ")");
      }
    }
  }

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
                       std::size_t asking = 0) {
    sampled_edges out{{}, {}, {}, {}};
    run_collective(graph_->ranks(), [&] {
      check(nodes, options);
      if (asking >= std::max<std::size_t>(1, samplers_.size())) {
        raise(errc::out_of_range, "part " + std::to_string(asking) +
                                      " of this rank does not exist; the number of its parts is " +
                                      std::to_string(samplers_.size()));
      }
      out.seeds.assign(nodes.begin(), nodes.end());
      out.offsets.reserve(nodes.size() + 1);
      out.offsets.push_back(0);
      const auto take = [&](global_id neighbor, global_id edge) {
        out.neighbors.push_back(neighbor);
        out.edges.push_back(edge);
      };
      const auto end_row = [&](global_id v, source from, std::uint64_t drawn, bool over_ranks) {
        typed_id<global_id> typed{};
        static_cast<void>(graph_->book().nodes().to_typed(v, typed));
        auto& counted = counters_[asking * graph_->schema().num_node_types() + typed.type];
        count(counted, from, drawn);
        if (over_ranks) ++counted.other_ranks;
        out.offsets.push_back(out.edges.size());
      };
      // Rows of this rank, up to the first one of another.
      std::size_t row = 0;
      const auto draw_here = [&] {
        for (; row < nodes.size(); ++row) {
          const place at = locate(nodes[row], asking);
          if (at.sampler == nullptr) return;
          end_row(nodes[row], at.from, at.sampler->draw(at.local, options, scratch_, take), false);
        }
      };
      if (graph_->ranks().size() > 1) {
        check_same(options);
        std::size_t ahead = 0;
        ask_owners(
            options, false,
            [&](std::size_t& rank, draw_request& request) {
              for (; ahead < nodes.size(); ++ahead) {
                if (locate(nodes[ahead], asking).sampler != nullptr) continue;
                request.node = nodes[ahead++];
                rank = graph_->rank_of_node(request.node);
                return true;
              }
              return false;
            },
            [&](std::span<const global_id> ends) {
              draw_here();
              for (std::size_t k = 0; k < ends.size(); k += 2) take(ends[k], ends[k + 1]);
              end_row(nodes[row++], source::other_part, ends.size() / 2, true);
            });
      }
      draw_here();
    });
    return out;
  }

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
            raise(errc::mismatch, "another rank requests node " + std::to_string(asked.node) +
                                      ", which this rank does not own");
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
  void check_same(const sample_options& options) const {
    std::vector<std::uint64_t> words(options.fanout);
    words.push_back(options.replace ? 1 : 0);
    words.push_back(options.seed);
    require_same(graph_->ranks(), digest_of(std::as_bytes(std::span(words))),
                 "samples with other options than",
                 "fan-outs, replacement and seed must be the same on all ranks");
  }

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

  /// [parts here][nodes] original typed IDs; empty where the folder does not store them. Inside
  /// run_collective(), as weigh().
  template <class Files, class Formats>
  std::vector<std::vector<std::uint64_t>> read_keys(const Files& files, const Formats& formats) {
    const auto& g = *graph_;
    const std::size_t types = g.schema().num_node_types();
    std::vector<std::vector<std::uint64_t>> keys(g.parts().size());
    bool whole = true;  // including HALO nodes
    bool there = true;
    for (std::size_t i = 0; i < g.parts().size() && there; ++i) {
      const part_graph& part = g.parts()[i];
      auto& ids = keys[i];
      if (const tensor* const column = part.original_nodes()) {
        if (column->rank() != 1 || !is_integer(column->type()) ||
            column->rows() != part.num_nodes()) {
          raise(errc::mismatch,
                "the column \"orig_id\" has shape " + to_string(column->shape()) + " and dtype " +
                    std::string(name(column->type())) + "; it must be " +
                    std::to_string(part.num_nodes()) + " integers",
                {.file = part.file()});
        }
        for (std::size_t v = 0; v < part.num_nodes(); ++v)
          ids.push_back(static_cast<std::uint64_t>(column->integer(v)));
        continue;
      }
      whole = false;
      const auto number = static_cast<std::size_t>(part.part());
      try {
        for (std::size_t t = 0; t < types; ++t) {
          const auto some = load_original_ids(
              g.config(), number, {entity::node, static_cast<type_id>(t)}, files, formats);
          ids.insert(ids.end(), some.begin(), some.end());
        }
      } catch (const error& problem) {
        // A file that the config names must exist; otherwise no mapping was saved.
        if (problem.code() != errc::not_found || !g.config().parts[number].original_nodes.empty())
          throw;
        there = false;
      }
      if (there && ids.size() != part.num_inner_nodes())
        raise(errc::mismatch,
              "there are " + std::to_string(ids.size()) + " original IDs for " +
                  std::to_string(part.num_inner_nodes()) + " inner nodes",
              {.file = part.file()});
    }
    std::array<std::uint64_t, 2> missing{there ? 0u : 1u, whole ? 0u : 1u};
    check_peers(g.ranks());
    check_ranks(g.ranks().sum(missing));
    if (missing[0] != 0) return {};
    knows_original_ids_ = true;
    if (missing[1] == 0) return keys;

    // HALO nodes' from their owners.
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < g.parts().size(); ++i) {
      const part_graph& part = g.parts()[i];
      for (std::size_t v = keys[i].size(); v < part.num_nodes(); ++v)
        ids.push_back(static_cast<std::uint64_t>(part.global_of(v)));
    }
    std::vector<std::uint64_t> found(ids.size());
    const auto rank = [&](std::uint64_t id) { return g.rank_of_node(static_cast<global_id>(id)); };
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
      const auto owner = static_cast<std::size_t>(g.part_of_node(static_cast<global_id>(id)) -
                                                  g.part_range().begin);
      std::memcpy(row.data(),
                  &keys[owner][static_cast<std::size_t>(id - g.parts()[owner].inner_nodes().begin)],
                  8);
    };
    row_exchange<Communicator> exchange(g.ranks(), g.options().exchange_bytes);
    exchange.fetch(ids, 8, rank, serve, std::as_writable_bytes(std::span(found)));
    std::size_t at = 0;
    for (std::size_t i = 0; i < g.parts().size(); ++i) {
      while (keys[i].size() < g.parts()[i].num_nodes()) keys[i].push_back(found[at++]);
    }
    return keys;
  }

  /// Weights of all edges of this rank's parts, by local ID. Edges of types that have no such
  /// feature weigh 1.
  void weigh(const std::string& weight) {
    const auto& g = *graph_;
    std::vector<type_id> having;
    std::optional<dtype> item;
    for (std::size_t r = 0; r < g.schema().num_edge_types(); ++r) {
      const auto type = static_cast<type_id>(r);
      const auto names = g.edges(type).names();
      // Files may hold anything for a type without edges.
      if (g.edges(type).size() == 0 || std::find(names.begin(), names.end(), weight) == names.end())
        continue;
      const auto rows = g.edges(type).data(weight);
      const std::string who = "edge feature " +
                              graph_schema::quoted(g.schema().edge_type_name(type).str() + "/" +
                                                   weight);
      if (element_count(rows.row_shape()) != 1) {
        raise(errc::mismatch,
              who + " has rows of shape " + to_string(rows.row_shape()) +
                  "; a weight must be one number for each edge",
              {.file = g.config().path});
      }
      if (item && *item != rows.type()) {
        raise(errc::mismatch,
              who + " is of dtype " + std::string(name(rows.type())) +
                  ", that of another edge type is " + std::string(name(*item)) +
                  "; a weight must have one dtype for all edge types",
              {.file = g.config().path});
      }
      item = rows.type();
      having.push_back(type);
      for (const auto& part : g.parts()) check_weights(rows.of_part(part.part()), part, type, who);
    }
    if (having.empty()) {
      raise(errc::not_found,
            "no edge type has a feature " + graph_schema::quoted(weight) +
                " to draw by; attach it first, or open the graph with features",
            {.file = g.config().path});
    }
    const std::size_t width = item_bytes(*item);
    std::vector<std::shared_ptr<std::vector<std::byte>>> columns;
    for (const auto& part : g.parts())
      columns.push_back(std::make_shared<std::vector<std::byte>>(ones(*item, part.num_edges())));
    for (const type_id type : having) {
      const auto rows = g.edges(type).data(weight);
      std::vector<global_id> wanted;  // edges of other parts
      for (const auto& part : g.parts()) {
        for (std::size_t e = part.num_inner_edges(); e < part.num_edges(); ++e) {
          if (part.edge_type(e) == type) wanted.push_back(typed_edge(part.global_edge_of(e)));
        }
      }
      std::vector<std::byte> got(wanted.size() * width);
      rows.gather(wanted, got);
      std::size_t at = 0;
      for (std::size_t i = 0; i < g.parts().size(); ++i) {
        const auto& part = g.parts()[i];
        const auto cell = g.book().edges().cell(part.part(), type);
        const auto mine = rows.of_part(part.part()).bytes();
        if (cell.size() != 0)
          std::memcpy(columns[i]->data() + (cell.begin - part.inner_edges().begin) * width,
                      mine.data(), static_cast<std::size_t>(cell.size()) * width);
        for (std::size_t e = part.num_inner_edges(); e < part.num_edges(); ++e) {
          if (part.edge_type(e) == type)
            std::memcpy(columns[i]->data() + e * width, got.data() + width * at++, width);
        }
      }
    }
    for (std::size_t i = 0; i < samplers_.size(); ++i) {
      const std::span<const std::byte> view(*columns[i]);
      samplers_[i].weigh(tensor(*item, {g.parts()[i].num_edges()}, view, columns[i]));
    }
  }
  /// Checked here, where the row and its file are known.
  void check_weights(const tensor& rows, const part_graph& part, type_id type,
                     const std::string& who) const {
    const auto cell = graph_->book().edges().cell(part.part(), type);
    for (std::uint64_t i = 0; i < cell.size(); ++i) {
      const double weight = detail::weight_at(rows, static_cast<std::size_t>(i));
      if (weight >= 0 && weight <= std::numeric_limits<double>::max()) continue;
      raise(errc::malformed,
            "row " + std::to_string(i) + " of " + who + " in part " + std::to_string(part.part()) +
                ", edge " + std::to_string(cell.begin + i) +
                ", is negative, infinite or not a number; weights must be finite and at least 0",
            {.file = graph_->config().resolve(graph_->config().parts[part.part()].edge_features)});
    }
  }
  global_id typed_edge(global_id edge) const noexcept {
    typed_id<global_id> typed{};
    static_cast<void>(graph_->book().edges().to_typed(edge, typed));
    return typed.id;
  }
  static std::vector<std::byte> ones(dtype item, std::size_t count) {
    const auto fill = [&](auto one) {
      std::vector<std::byte> out(count * sizeof one);
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(out.data() + i * sizeof one, &one, sizeof one);
      return out;
    };
    if (item == dtype::float64) return fill(1.0);
    if (item == dtype::float32) return fill(1.0f);
    if (item == dtype::float16) return fill(half_from_double(1));
    if (item == dtype::bfloat16) return fill(std::uint16_t{0x3F80});
    switch (item_bytes(item)) {
      case 1:
        return fill(std::uint8_t{1});
      case 2:
        return fill(std::uint16_t{1});
      case 4:
        return fill(std::uint32_t{1});
      default:
        return fill(std::uint64_t{1});
    }
  }

  std::shared_ptr<const dist_graph<Communicator>> graph_{};
  draw_exchange<Communicator> exchange_;
  std::vector<part_sampler> samplers_{};
  std::vector<sampling_counters> counters_{};  // [parts here, at least one][T]
  part_sampler::scratch scratch_{};
  bool knows_original_ids_ = false;
};

/// Draw edges of nodes: neighbor_sampler::sample under the name that DGL's users know. Collective.
/// @param nodes  global IDs of any integer type
template <communicator Communicator, id_row Row>
sampled_edges sample_neighbors(neighbor_sampler<Communicator>& sampler, const Row& nodes,
                               const sample_options& options, std::size_t asking = 0) {
  sampled_edges out{{}, {}, {}, {}};
  run_collective(sampler.graph().ranks(), [&] {
    const auto ids = ids_of(nodes);
    const std::vector<global_id> wide(ids.begin(), ids.end());
    out = sampler.sample(wide, options, asking);
  });
  return out;
}

/// All edges of nodes in the sampler's direction: all in-edges, as DGL's in_subgraph, or all
/// out-edges. Collective. A sampler with weights gives those of weight above 0.
template <communicator Communicator, id_row Row>
sampled_edges in_subgraph(neighbor_sampler<Communicator>& sampler, const Row& nodes,
                          std::size_t asking = 0) {
  sampled_edges out{{}, {}, {}, {}};
  run_collective(sampler.graph().ranks(), [&] {
    out = sample_neighbors(sampler, nodes, {.fanout = {all_neighbors}}, asking);
  });
  return out;
}

}  // namespace halograph
