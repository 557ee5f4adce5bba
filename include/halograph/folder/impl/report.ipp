// SPDX-License-Identifier: BSL-1.0
/// @file report.ipp
/// Bodies of the plain functions of folder/report.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/impl/counted_part.ipp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::optional<json::value> read_simulation(const partition_config& config,
                                                            const any_file_opener& files,
                                                            const any_json_codec& codec) {
  const std::string path = config.resolve(std::string(simulation_file));
  file_bytes content;
  try {
    content = files(path);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return std::nullopt;
    throw;
  }
  json::value out;
  const std::string_view text(reinterpret_cast<const char*>(content.bytes.data()),
                              content.bytes.size());
  if (!codec.parse(text, out) || !out.is_object())
    raise(error_kind::malformed, "simulated figures must be a JSON object", {.file = path});
  return out;
}

}  // namespace halograph

namespace halograph::detail {

/// An upper bound on what a report holds: one part at a time.
class report_memory {
 public:
  explicit report_memory(bool figures) : figures_(figures) {}

  /// One more part.
  /// @param made   bytes of what no file holds
  /// @param outer  edges with an end that is not inner
  void add(std::uint64_t made, std::uint64_t inner, std::uint64_t halo, std::uint64_t edges,
           std::uint64_t outer) {
    // See folder_counter::part() and, for figures, drawing_sampler::part().
    const std::uint64_t drawn = figures_ ? std::min(saturating_multiply(inner, 96),
                                                    saturating_multiply(edges, 8))
                                         : 0;
    const std::uint64_t rest = saturating(halo, 4,
                                          saturating(outer, 4, saturating_sum(drawn, made)));
    add_bytes(saturating(inner + halo, figures_ ? 46 : 20, rest));
  }
  void add_bytes(std::uint64_t count) { most_ = std::max(most_, count); }
  /// With what the process and its libraries take.
  std::uint64_t bytes() const {
    constexpr std::uint64_t base = 8u << 20;
    return saturating_sum(base, most_);
  }

 private:
  bool figures_;
  std::uint64_t most_ = 0;
};

/// Refuse what would take too much. The first bound is that of the sizes of files; if it is too
/// large, the parts are read and their edges counted.
HALOGRAPH_INLINE void require_report_memory(const partition_config& config,
                                            const folder_access& access,
                                            const report_options& options) {
  if (options.most_bytes == ~std::uint64_t{0}) return;
  // A node takes at least 2 bytes of a file, an edge 1.
  report_memory bound(options.figures);
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const std::uint64_t size = access.files(config.resolve(config.parts[p].graph)).bytes.size();
    bound.add(saturating_multiply(size, 2), size / 2, 0, size, size);
  }
  if (bound.bytes() <= options.most_bytes) return;
  report_memory exact(options.figures);
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const counted_part part(config, p, access);
    std::uint64_t inner = 0, outer = 0;
    with_integers(part.inner(), [&](auto is_inner) {
      for (std::size_t v = 0; v < part.nodes(); ++v) inner += is_inner(v) != 0 ? 1u : 0u;
      part.for_each_edge([&](std::size_t u, std::size_t v) {
        outer += is_inner(u) == 0 || is_inner(v) == 0 ? 1u : 0u;
      });
    });
    exact.add(part.made_bytes(), inner, part.nodes() - inner, part.edges(), outer);
  }
  if (exact.bytes() <= options.most_bytes) return;
  raise(error_kind::memory,
        concat({"a report of this folder needs up to ", readable::bytes(exact.bytes()),
                " of memory, but ", readable::bytes(options.most_bytes),
                " are available; allow more"}),
        {.file = config.path});
}

/// Counts the parts of a folder one after another.
///
/// A part that holds the edges that leave it, besides those that enter it, shows all neighbors that
/// its nodes have in other parts. Where all parts do, each pair of nodes that an edge connects
/// across parts is seen by two of them.
class folder_counter {
 public:
  folder_counter(const partition_config& config, folder_report& out, bool figures)
      : config_(config), out_(out), memory_(figures) {
    inner_by_type_.resize(config.schema.num_node_types());
    if (figures) {
      out.figures.emplace();
      drawing_.emplace(config.num_nodes, config.num_parts);
    }
  }

  void part(std::size_t p, const counted_part& graph, const any_partition_book& books) {
    const std::size_t nodes = graph.nodes(), drawn = out_.figures ? nodes : 0;
    std::vector<std::uint32_t> owner(nodes), hop(nodes, unseen);
    std::vector<std::uint64_t> global(drawn);
    part_report counted;
    for_each_node(config_, p, graph, books,
                  [&](std::size_t v, std::uint64_t id, std::uint32_t part, bool inner) {
                    owner[v] = part;
                    if (!global.empty()) global[v] = id;
                    if (!inner) return;
                    hop[v] = 0;
                    ++counted.inner_nodes;
                  });
    counted.halo_nodes = nodes - counted.inner_nodes;

    std::vector<std::uint32_t> roots(nodes);
    outer_rows rows = list_outer_edges(graph, hop, roots, counted);
    count_components(hop, rows, roots);
    count_neighbors(owner, hop, rows, roots);
    counted.halo_edges = graph.edges() - counted.inner_edges;
    inner_edges_ += counted.inner_edges;
    if (inner_edges_ > config_.num_edges)
      graph.fail(error_kind::malformed,
                 concat({"the parts up to this one hold ", inner_edges_,
                         " inner edges; the config says ", config_.num_edges}));
    if (out_.figures) {
      count_figures(p, graph, owner, hop);
      std::vector<bool> inner(nodes);
      for (std::size_t v = 0; v < nodes; ++v) inner[v] = hop[v] == 0;
      drawing_->part(p, global, inner, [&](function_ref<void(std::size_t, std::size_t)> call) {
        graph.for_each_edge(call);
      });
    }
    count_hops(rows, hop, counted);

    memory_.add(graph.made_bytes(), counted.inner_nodes, counted.halo_nodes, graph.edges(),
                rows.entries.size());
    directed_cut_ += rows.entering;
    leaving_ += rows.leaving;
    stored_ += nodes;
    out_.report.parts.push_back(std::move(counted));
  }

  /// Do the parts hold the edges that leave them? Then cut and volume are known.
  bool sees_both_ends() const { return directed_cut_ == leaving_ && neighbors_ % 2 == 0; }

  /// @param original  as drawing_sampler::finish()
  void finish(double tolerance, std::span<const std::uint64_t> original) {
    auto& report = out_.report;
    out_.memory_bytes = memory_.bytes();
    report.edge_cut = neighbors_ / 2;
    report.communication_volume = parts_beside_;
    report.directed_cut = directed_cut_;
    report.replication_factor = config_.num_nodes == 0 ? 1.0
                                                       : static_cast<double>(stored_) /
                                                             static_cast<double>(config_.num_nodes);
    if (out_.figures) {
      out_.figures->nodes_by_type = inner_by_type_;
      out_.figures->drawing = drawing_->finish(original);
    }
    std::vector<std::uint64_t> loads;
    for (const auto& part : report.parts) loads.push_back(part.inner_nodes);
    judge(std::string(detail::all_nodes_class), loads, tolerance);
    if (config_.schema.num_node_types() < 2) return;
    for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t)
      judge(detail::class_of_type(config_.schema.node_types()[t]), inner_by_type_[t], tolerance);
  }

  /// [T][P], to be filled by the caller.
  std::vector<std::vector<std::uint64_t>>& inner_by_type() noexcept { return inner_by_type_; }

 private:
  static constexpr std::uint32_t unseen = counted_part::unseen;

  /// A part's edges with an end that is not inner, as rows.
  struct outer_rows {
    std::vector<std::uint64_t> offsets{};  ///< [n + 2], and one more
    /// Of an inner node its neighbors in other parts; of another one those that edges come from.
    std::vector<std::uint32_t> entries{};
    std::vector<std::uint32_t> first_hop{};   ///< nodes from which an edge leads to an inner one
    std::uint64_t entering = 0, leaving = 0;  ///< edges to, and from, an inner node

    std::span<const std::uint32_t> of(std::size_t v) const {
      return std::span(entries).subspan(static_cast<std::size_t>(offsets[v]),
                                        static_cast<std::size_t>(offsets[v + 1] - offsets[v]));
    }
  };

  /// @param hop      [n] 0: the node is inner; out: 1: an edge leads from it to an inner one
  /// @param roots    [n] out: of the inner nodes that edges inside the part connect, the lowest
  /// @param counted  its inner edges are counted
  outer_rows list_outer_edges(const counted_part& graph, std::span<std::uint32_t> hop,
                              std::span<std::uint32_t> roots, part_report& counted) const {
    lowest_roots<std::uint32_t> sets(roots);
    outer_rows out;
    out.offsets.resize(hop.size() + 2);
    std::uint64_t inner = 0, sum = 0;
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      const bool from_inner = hop[u] == 0, to_inner = hop[v] == 0;
      inner += to_inner ? 1u : 0u;
      if (from_inner && to_inner) {
        sets.join(u, v);
        return;
      }
      ++out.offsets[(from_inner ? u : v) + 2];
      out.entering += to_inner ? 1u : 0u;
      out.leaving += from_inner ? 1u : 0u;
    });
    sets.flatten();
    counted.inner_edges = inner;
    for (auto& offset : out.offsets) offset = (sum += offset);
    out.entries.resize(static_cast<std::size_t>(sum));
    out.first_hop.reserve(static_cast<std::size_t>(counted.halo_nodes));
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      const bool from_inner = hop[u] == 0, to_inner = hop[v] == 0;
      if (from_inner && to_inner) return;
      const std::size_t row = from_inner ? u : v, other = from_inner ? v : u;
      out.entries[static_cast<std::size_t>(out.offsets[row + 1]++)] = static_cast<std::uint32_t>(
          other);
      if (!to_inner || hop[u] != unseen) return;
      hop[u] = 1;
      out.first_hop.push_back(static_cast<std::uint32_t>(u));
    });
    return out;
  }

  /// @param roots  [n] as list_outer_edges has left it; changed
  void count_components(std::span<const std::uint32_t> hop, const outer_rows& rows,
                        std::span<std::uint32_t> roots) {
    // The root of a component with neighbors in other parts names no node.
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] == 0 && !rows.of(v).empty()) roots[roots[v] == unseen ? v : roots[v]] = unseen;
    }
    std::uint64_t whole = 0, open = 0;
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] != 0) continue;
      whole += roots[v] == v ? 1u : 0u;
      open += roots[v] == unseen ? 1u : 0u;
    }
    out_.components.push_back(whole + open);
    out_.whole.push_back(whole);
  }

  /// Count the different neighbors of inner nodes in other parts, and these parts.
  /// @param last_of  [n] scratch
  void count_neighbors(std::span<const std::uint32_t> owner, std::span<const std::uint32_t> hop,
                       const outer_rows& rows, std::span<std::uint32_t> last_of) {
    // The last node for which each node, and each part, was seen.
    std::fill(last_of.begin(), last_of.end(), unseen);
    std::vector<std::uint32_t> last_of_part(config_.num_parts, unseen);
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] != 0) continue;
      const auto node = static_cast<std::uint32_t>(v);
      for (const std::uint32_t u : rows.of(v)) {
        neighbors_ += std::exchange(last_of[u], node) != node ? 1u : 0u;
        parts_beside_ += std::exchange(last_of_part[owner[u]], node) != node ? 1u : 0u;
      }
    }
  }

  /// Breadth-first search against the edges, from the inner nodes. HALO nodes that no hop reaches
  /// were added along out-edges of inner nodes; they count with hop 1.
  /// @param rows  without nodes of hop 1, after
  void count_hops(outer_rows& rows, std::span<std::uint32_t> hop, part_report& counted) const {
    // Each hop but the last finds a node, so V counts suffice.
    counted.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min(config_.halo_hops, config_.num_nodes)), 0);
    if (counted.halo_nodes_per_hop.empty()) return;
    auto found = std::move(rows.first_hop);  // it has room for all
    std::size_t begin = 0;
    for (std::size_t k = 1; k <= config_.halo_hops && begin != found.size(); ++k) {
      const std::size_t end = found.size();
      counted.halo_nodes_per_hop[k - 1] = end - begin;
      for (; begin < end; ++begin) {
        for (const std::uint32_t u : rows.of(found[begin])) {
          if (hop[u] != unseen) continue;
          hop[u] = static_cast<std::uint32_t>(k + 1);
          found.push_back(u);
        }
      }
    }
    // Those of one hop more than there should be count as unreached.
    counted.halo_nodes_per_hop[0] += counted.halo_nodes - begin;
  }

  /// Figures of part p. @param hop  [n] 0: the node is inner
  void count_figures(std::size_t p, const counted_part& graph, std::span<const std::uint32_t> owner,
                     std::span<const std::uint32_t> hop) {
    auto& figures = *out_.figures;
    // In-edges of each inner node from inner nodes and from others; of all by the source's part.
    std::vector<std::uint32_t> inside(hop.size()), across(hop.size());
    std::vector<std::uint64_t> edges(config_.num_parts);
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      if (hop[v] != 0) return;
      ++(hop[u] == 0 ? inside : across)[v];
      ++edges[owner[u]];
    });
    const auto count = [&](std::vector<std::uint64_t>& histogram, std::uint64_t degree) {
      const auto digits = static_cast<std::size_t>(std::bit_width(degree));
      if (histogram.size() <= digits) histogram.resize(digits + 1);
      ++histogram[digits];
    };
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] != 0) continue;
      count(figures.degrees_inside, inside[v]);
      count(figures.degrees_across, across[v]);
    }
    for (std::size_t q = 0; q < edges.size(); ++q) {
      if (edges[q] != 0)
        figures.edges_between.push_back(
            {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(p), edges[q]});
    }
  }

  void judge(std::string called, std::span<const std::uint64_t> loads, double tolerance) {
    spread load{0, 0, loads.size()};
    for (const auto one : loads) {
      load.total += static_cast<std::int64_t>(one);
      load.largest = std::max(load.largest, static_cast<std::int64_t>(one));
    }
    out_.report.balance.push_back({std::move(called), tolerance, load.imbalance(),
                                   load.met(tolerance), load.least_imbalance()});
  }

  const partition_config& config_;
  folder_report& out_;
  std::optional<drawing_sampler> drawing_{};
  std::uint64_t inner_edges_ = 0, directed_cut_ = 0, stored_ = 0;
  std::uint64_t leaving_ = 0;  // edges from an inner node to another part
  /// @{
  /// Of all inner nodes: neighbors in other parts, and parts that have neighbors.
  std::uint64_t neighbors_ = 0, parts_beside_ = 0;
  /// @}
  std::vector<std::vector<std::uint64_t>> inner_by_type_;
  report_memory memory_;
};

/// Count cut and volume of a folder whose parts hold only edges that enter them, in a list of all
/// cut edges, unless it takes too much memory.
/// @tparam Index  holds global IDs
template <id Index>
void count_listed_edges(const partition_config& config, const folder_access& access,
                        const any_partition_book& book, std::uint64_t most_bytes,
                        executor_ref threads, folder_report& out) {
  auto& report = out.report;
  std::uint64_t most_nodes = 0, inner_nodes = 0;
  for (const auto& part : report.parts) {
    most_nodes = std::max(most_nodes, part.inner_nodes + part.halo_nodes);
    inner_nodes += part.inner_nodes;
  }
  // Memory is taken for what the config says.
  if (inner_nodes != config.num_nodes) {
    raise(error_kind::malformed,
          concat(
              {"the parts hold ", inner_nodes, " inner nodes; the config says ", config.num_nodes}),
          {.file = config.path});
  }
  report_memory memory(false);
  memory.add_bytes(saturating(
      most_nodes, sizeof(Index) + 1,
      saturating(config.num_nodes, sizeof(part_id),
                 bytes_to_count_crossing(config.num_nodes, report.directed_cut, config.num_parts,
                                         threads.concurrency(), sizeof(Index)))));
  if (memory.bytes() > most_bytes) {
    report.edge_cut = report.communication_volume = 0;
    out.cut_known = false;
    out.notes.push_back(
        concat({"cut edges are listed in up to ", readable::bytes(memory.bytes()),
                " of memory, but ", readable::bytes(most_bytes),
                " are available, so edge cut and communication volume are unknown; allow more"}));
    return;
  }
  out.memory_bytes = std::max(out.memory_bytes, memory.bytes());
  std::vector<part_id> owner(static_cast<std::size_t>(config.num_nodes));
  std::vector<Index> source, target;  // of each cut edge
  source.reserve(static_cast<std::size_t>(report.directed_cut));
  target.reserve(static_cast<std::size_t>(report.directed_cut));
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const counted_part graph(config, p, access);
    std::vector<Index> global(graph.nodes());
    std::vector<bool> inner(graph.nodes());
    for_each_node(config, p, graph, book,
                  [&](std::size_t v, std::uint64_t id, std::uint32_t part, bool is_inner) {
                    global[v] = static_cast<Index>(id);
                    owner[static_cast<std::size_t>(id)] = part;
                    inner[v] = is_inner;
                  });
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      if (!inner[v] || inner[u]) return;
      source.push_back(global[u]);
      target.push_back(global[v]);
    });
  }
  assignment_quality counted;
  if (const status answer = count_crossing<Index>(owner.size(), source, target,
                                                  std::span<const part_id>(owner), config.num_parts,
                                                  counted, threads);
      !answer)
    raise(answer.code, explain_symmetrize<std::uint64_t>(answer), {.file = config.path});
  report.edge_cut = counted.edge_cut;
  report.communication_volume = counted.communication_volume;
}

/// [V] the original ID of each node among all nodes, types end to end; empty if the folder does not
/// tell.
HALOGRAPH_INLINE std::vector<std::uint64_t> original_numbers(const partition_config& config,
                                                             const any_file_opener& files,
                                                             const format_list& formats) {
  if (!config.reshuffled()) return {};
  std::vector<std::uint64_t> out(static_cast<std::size_t>(config.num_nodes));
  std::uint64_t first = 0;  // of the type
  try {
    for (std::size_t t = 0; t < config.schema.num_node_types(); ++t) {
      const entity_type of{entity::node, static_cast<type_id>(t)};
      for (std::size_t p = 0; p < config.num_parts; ++p) {
        const auto ids = load_original_ids(config, p, of, files, formats);
        const auto begin = config.node_map[t][p].begin;
        for (std::size_t i = 0; i < ids.size(); ++i)
          out[static_cast<std::size_t>(begin) + i] = first + ids[i];
      }
      first += type_count(config, of);
    }
  } catch (const error& problem) {
    if (problem.code() != error_kind::not_found) throw;
    return {};
  }
  return out;
}

/// Read all parts.
HALOGRAPH_INLINE void count_folder(const partition_config& config, const folder_access& access,
                                   const report_options& options, executor_ref threads,
                                   folder_report& out) {
  require_report_memory(config, access, options);
  folder_counter counter(config, out, options.figures);
  auto& by_type = counter.inner_by_type();
  for (auto& loads : by_type) loads.resize(config.num_parts);
  const any_partition_book book = load_partition_book(config, 0, access.files);
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    counter.part(p, counted_part(config, p, access), book);
    for (std::size_t t = 0; t < by_type.size(); ++t) {
      by_type[t][p] = config.reshuffled()
                          ? config.node_map[t][p].size()
                          : load_original_ids(config, p, {entity::node, static_cast<type_id>(t)},
                                              access.files, access.formats)
                                .size();
    }
    if (options.on_progress) options.on_progress({"read parts", p + 1, config.num_parts, "parts"});
  }
  std::vector<std::uint64_t> original;
  if (options.figures && config.num_nodes <= graph_drawing::most_nodes)
    original = original_numbers(config, access.files, access.formats);
  counter.finish(options.tolerance, original);
  if (counter.sees_both_ends()) return;
  out.whole.clear();
  const auto count = config.num_nodes < id_capacity<std::uint32_t>()
                         ? &count_listed_edges<std::uint32_t>
                         : &count_listed_edges<std::uint64_t>;
  count(config, access, book, options.most_bytes, threads, out);
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE folder_report report_folder(const partition_config& config,
                                             const folder_access& access,
                                             const report_options& options, executor_ref threads) {
  folder_report out;
  auto& report = out.report;
  if (config.halo_hops > max_halo_hops) {
    raise(error_kind::out_of_range,
          concat({"\"halo_hops\" is ", config.halo_hops, "; it must be 0 to ", max_halo_hops}),
          {.file = config.path});
  }
  step_clock clock(report, options.on_progress);
  clock.run("read parts", [&] { detail::count_folder(config, access, options, threads, out); });
  for (std::size_t t = 0; t < config.schema.num_node_types(); ++t) {
    report.node_types.emplace_back(config.schema.node_types()[t],
                                   type_count(config, {entity::node, static_cast<type_id>(t)}));
  }
  for (std::size_t r = 0; r < config.schema.num_edge_types(); ++r) {
    report.edge_types.emplace_back(config.schema.edge_types()[r].str(),
                                   type_count(config, {entity::edge, static_cast<type_id>(r)}));
  }
  report.nodes = config.num_nodes;
  report.edges = config.num_edges;
  if (const auto dropped = config.cut_edges_dropped.value_or(0); dropped != 0) {
    // The config counts what was kept.
    report.edges += dropped;
    report.directed_cut = dropped;
    out.cut_known = false;
    out.whole.clear();
    out.notes.push_back(concat(
        {dropped,
         " cut edges were dropped when the graph was partitioned, so edge cut and communication volume are "
         "unknown"}));
  }
  std::uint64_t inner_edges = 0;
  for (const auto& part : report.parts) inner_edges += part.inner_edges;
  if (inner_edges != config.num_edges) {
    raise(error_kind::malformed,
          concat(
              {"the parts hold ", inner_edges, " inner edges; the config says ", config.num_edges}),
          {.file = config.path});
  }
  return out;
}

}  // namespace halograph
