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
#include <halograph/folder/config.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/graph/pair_lists.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
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
#include <variant>
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

/// A part's nodes and the ends of its edges, checked against the config.
class counted_part {
 public:
  counted_part(const partition_config& config, std::size_t p, const folder_access& access)
      : config_(config),
        file_(config.resolve(config.parts[p].graph)),
        graph_(load_partition_graph(config, p, access.files, access.formats)) {
    if (const auto fault = check_structure(graph_))
      fail(error_kind::malformed, concat({"element ", fault->element, ": ", fault->sentence}));
    if (graph_.nodes > config_.num_nodes)
      fail(error_kind::malformed,
           concat({"the part has ", graph_.nodes, " nodes, but the whole graph has only ",
                   config_.num_nodes}));
    if (graph_.nodes >= unseen)
      fail(error_kind::unsupported,
           concat({"the part has ", graph_.nodes, " nodes; a report supports at most 4294967294"}));
    ids_ = &column("_ID");
    inner_ = &column("inner_node");
    if (!graph_.coo) {
      made_ = graph_.csc ? pairs_of(*graph_.csc, false) : pairs_of(*graph_.csr, true);
      made_bytes_ = made_.source.bytes().size();
    }
  }

  counted_part(const counted_part&) = delete;  // it points into itself
  counted_part& operator=(const counted_part&) = delete;

  std::size_t nodes() const noexcept { return static_cast<std::size_t>(graph_.nodes); }
  std::uint64_t edges() const noexcept { return graph_.edges; }
  const tensor& ids() const noexcept { return *ids_; }
  const tensor& inner() const noexcept { return *inner_; }
  /// Of the ends of edges, where they are in no file.
  std::uint64_t made_bytes() const noexcept { return made_bytes_; }
  /// f(source, target) for each edge, by local IDs.
  template <class F>
  void for_each_edge(const F& f) const {
    const coo_columns& ends = graph_.coo ? *graph_.coo : made_;
    const std::uint64_t edges = graph_.edges;
    with_integers(ends.source, [&](auto source) {
      with_integers(ends.target, [&](auto target) {
        for (std::uint64_t e = 0; e < edges; ++e)
          f(static_cast<std::size_t>(source(e)), static_cast<std::size_t>(target(e)));
      });
    });
  }
  [[noreturn]] void fail(error_kind code, const std::string& sentence) const {
    raise(code, sentence, {.file = file_});
  }

  static constexpr std::uint32_t unseen = static_cast<std::uint32_t>(-1);

 private:
  const tensor& column(const char* called) const {
    const tensor* found = find_column(graph_.node_columns, called);
    if (!found || found->rank() != 1 || found->rows() != graph_.nodes || !is_integer(found->type()))
      fail(error_kind::malformed, concat({"the column \"", called, "\" is missing or not one of ",
                                          graph_.nodes, " integers"}));
    return *found;
  }

  const partition_config& config_;
  std::string file_;
  loaded_structure graph_;
  coo_columns made_{};
  std::uint64_t made_bytes_ = 0;
  const tensor *ids_ = nullptr, *inner_ = nullptr;
};

/// An upper bound on what a report holds.
class report_memory {
 public:
  /// @param pair_bytes  of a pair that is kept
  report_memory(std::uint64_t parts, bool figures, std::uint64_t pair_bytes)
      : parts_(parts), figures_(figures), pair_bytes_(pair_bytes) {}

  /// One more part.
  /// @param made       bytes of what no file holds
  /// @param from_halo  edges that start at HALO nodes, of which `cut` end at inner ones
  /// @param targets    of cut edges, each as often as there are other parts or, if they are fewer,
  ///     as it has such edges
  void add(std::uint64_t made, std::uint64_t inner, std::uint64_t halo, std::uint64_t edges,
           std::uint64_t from_halo, std::uint64_t cut, std::uint64_t targets) {
    add_pairs(saturating_sum(cut, std::min(cut, halo) + targets));
    // Besides what is kept of this part and of those before it; see folder_counter::part() and,
    // for figures, drawing_sampler::part().
    const std::uint64_t drawn = figures_ ? std::min(saturating_multiply(inner, 96),
                                                    saturating_multiply(edges, 8))
                                         : 0;
    most_ = std::max(
        most_,
        saturating(inner + halo, figures_ ? 66 : 44,
                   saturating(from_halo, 4, saturating_sum(drawn, saturating_sum(made, kept_)))));
  }
  void add_pairs(std::uint64_t count) { kept_ = saturating(pair_bytes_, count, kept_); }
  /// How often a node that so many cut edges lead to counts among their targets.
  std::uint64_t times(std::uint64_t cut_edges) const { return std::min(cut_edges, parts_ - 1); }
  /// With what the process and its libraries take.
  std::uint64_t bytes() const {
    constexpr std::uint64_t base = 8u << 20;
    return saturating_sum(base, std::max(most_, kept_));
  }

 private:
  std::uint64_t parts_;
  bool figures_;
  std::uint64_t pair_bytes_, most_ = 0;
  std::uint64_t kept_ = 0;  // bytes of the pairs of all parts so far
};

/// Refuse what would take too much. The first bound is that of the sizes of files; if it is too
/// large, the parts are read and their cut edges counted.
/// @param memory  of no part yet
HALOGRAPH_INLINE void require_report_memory(const partition_config& config,
                                            const folder_access& access, std::uint64_t most_bytes,
                                            const report_memory& memory) {
  if (most_bytes == ~std::uint64_t{0}) return;
  // A node takes at least 2 bytes of a file, an edge 1.
  report_memory bound = memory;
  bound.add_pairs(saturating_multiply(3, config.num_edges));
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const std::uint64_t size = access.files(config.resolve(config.parts[p].graph)).bytes.size();
    bound.add(saturating_multiply(size, 2), size / 2, 0, size, size, 0, 0);
  }
  if (bound.bytes() <= most_bytes) return;
  report_memory exact = memory;
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const counted_part part(config, p, access);
    constexpr std::uint32_t halo = counted_part::unseen;
    std::vector<std::uint32_t> cut_edges(part.nodes(), halo);  // into each inner node
    std::uint64_t inner = 0, from_halo = 0, cut = 0, targets = 0;
    with_integers(part.inner(), [&](auto is_inner) {
      for (std::size_t v = 0; v < cut_edges.size(); ++v) {
        if (is_inner(v) == 0) continue;
        cut_edges[v] = 0;
        ++inner;
      }
    });
    part.for_each_edge([&](std::size_t u, std::size_t v) {
      if (cut_edges[u] != halo) return;
      ++from_halo;
      if (cut_edges[v] == halo) return;
      ++cut;
      if (cut_edges[v] + 1 != halo) ++cut_edges[v];
    });
    for (const std::uint32_t count : cut_edges) targets += count == halo ? 0 : exact.times(count);
    exact.add(part.made_bytes(), inner, part.nodes() - inner, part.edges(), from_halo, cut,
              targets);
  }
  if (exact.bytes() <= most_bytes) return;
  raise(error_kind::memory,
        concat({"a report of this folder needs up to ", readable::bytes(exact.bytes()),
                " of memory, but ", readable::bytes(most_bytes), " are available; allow more"}),
        {.file = config.path});
}

/// Counts the parts of a folder one after another.
/// @tparam Word  holds global IDs
template <class Word>
class folder_counter {
 public:
  /// @param memory  of no part yet
  folder_counter(const partition_config& config, folder_report& out, bool figures,
                 const report_memory& memory)
      : config_(config), out_(out), memory_(memory) {
    inner_by_type_.resize(config.schema.num_node_types());
    if (figures) {
      out.figures.emplace();
      drawing_.emplace(config.num_nodes, config.num_parts);
    }
  }

  void part(std::size_t p, const counted_part& graph, const any_partition_book& books) {
    const std::size_t nodes = graph.nodes();
    // By local ID: the global one, the owner, and the distance to an inner node.
    std::vector<std::uint64_t> global(nodes);
    std::vector<std::uint32_t> owner(nodes), hop(nodes, unseen);
    part_report counted;
    with_integers(graph.ids(), [&](auto id) {
      with_integers(graph.inner(), [&](auto is_inner) {
        for (std::size_t v = 0; v < nodes; ++v) {
          const std::int64_t value = id(v);
          if (value < 0 || static_cast<std::uint64_t>(value) >= config_.num_nodes) {
            graph.fail(error_kind::out_of_range,
                       concat({"node ", v, " has _ID ", value, "; there are ", config_.num_nodes}));
          }
          global[v] = static_cast<std::uint64_t>(value);
          if (is_inner(v) != 0) {
            hop[v] = 0;
            ++counted.inner_nodes;
          }
        }
      });
    });
    counted.halo_nodes = nodes - counted.inner_nodes;
    std::visit(
        [&](const auto& book) {
          for (std::size_t v = 0; v < nodes; ++v) {
            owner[v] = static_cast<std::uint32_t>(book.nid2partid(global[v]));
            if ((owner[v] == p) != (hop[v] == 0)) {
              graph.fail(error_kind::malformed, concat({"node ", v, " (_ID ", global[v], ") is ",
                                                        (hop[v] == 0 ? "inner" : "not inner"),
                                                        " here, but belongs to part ", owner[v]}));
            }
          }
        },
        books);

    // Of each node the edges that come from HALO nodes.
    std::vector<std::uint64_t> offsets(nodes + 1);
    std::vector<std::uint32_t> roots(nodes), inside(out_.figures ? nodes : 0);
    lowest_roots<std::uint32_t> sets(roots);
    std::uint64_t cut = 0;
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      if (hop[v] == 0) ++counted.inner_edges;
      if (hop[u] != 0) {
        ++offsets[v];
        cut += hop[v] == 0 ? 1u : 0u;
      } else if (hop[v] == 0) {
        sets.join(u, v);
        if (!inside.empty()) ++inside[v];
      }
    });
    counted.halo_edges = graph.edges() - counted.inner_edges;
    // Before they are kept: memory was promised for what the config says.
    inner_edges_ += counted.inner_edges;
    if (inner_edges_ > config_.num_edges)
      graph.fail(error_kind::malformed,
                 concat({"the parts up to this one hold ", inner_edges_,
                         " inner edges; the config says ", config_.num_edges}));
    std::uint64_t sum = 0;
    for (auto& offset : offsets) sum += std::exchange(offset, sum);
    std::vector<std::uint32_t> from(static_cast<std::size_t>(sum));
    std::vector<std::uint64_t> cursor(offsets);
    graph.for_each_edge([&](std::size_t u, std::size_t v) {
      if (hop[u] != 0) from[static_cast<std::size_t>(cursor[v]++)] = static_cast<std::uint32_t>(u);
    });
    const auto sources = [&](std::size_t v) {
      return std::span(from).subspan(static_cast<std::size_t>(offsets[v]),
                                     static_cast<std::size_t>(cursor[v] - offsets[v]));
    };
    const std::vector<std::uint32_t> first = keep_pairs(global, owner, hop, cut, sources);
    if (out_.figures) {
      count_figures(p, owner, hop, inside, sources);
      std::vector<bool> inner(nodes);
      for (std::size_t v = 0; v < nodes; ++v) inner[v] = hop[v] == 0;
      drawing_->part(p, global, inner, [&](function_ref<void(std::size_t, std::size_t)> call) {
        graph.for_each_edge(call);
      });
    }
    count_hops(first, sources, hop, counted);

    std::uint64_t components = 0;
    for (std::size_t v = 0; v < nodes; ++v) components += hop[v] == 0 && roots[v] == v ? 1u : 0u;
    out_.components.push_back(components);
    std::uint64_t targets = 0;
    for (std::size_t v = 0; v < nodes; ++v)
      targets += hop[v] == 0 ? memory_.times(sources(v).size()) : 0;
    memory_.add(graph.made_bytes(), counted.inner_nodes, counted.halo_nodes, graph.edges(), sum,
                cut, targets);
    directed_cut_ += cut;
    stored_ += nodes;
    out_.report.parts.push_back(std::move(counted));
  }

  /// @param original  as drawing_sampler::finish()
  void finish(double tolerance, std::span<const std::uint64_t> original, executor_ref threads) {
    auto& report = out_.report;
    out_.memory_bytes = memory_.bytes();
    report.edge_cut = count_distinct<Word>(cut_, config_.num_nodes, threads);
    report.communication_volume = count_distinct<Word>(beside_, config_.num_nodes, threads);
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

  /// Keep the cut edges of a part, and which nodes are beside other parts.
  /// @param hop  0: inner; out: 1: an edge leads to an inner node
  /// @return the nodes of hop 1
  template <class Sources>
  std::vector<std::uint32_t> keep_pairs(std::span<const std::uint64_t> global,
                                        std::span<const std::uint32_t> owner,
                                        std::span<std::uint32_t> hop, std::uint64_t cut,
                                        const Sources& sources) {
    auto& ends = cut_.emplace_back();
    auto& beside = beside_.emplace_back();
    ends.reserve(static_cast<std::size_t>(cut));
    std::vector<std::uint32_t> out;
    // The last node for which each part was seen, and one more.
    std::vector<std::uint64_t> seen(config_.num_parts);
    std::size_t count = 0;
    const auto other_parts = [&](std::uint64_t round, const auto& call) {
      for (std::size_t v = 0; v < hop.size(); ++v) {
        if (hop[v] != 0) continue;
        for (const std::uint32_t u : sources(v)) {
          if (std::exchange(seen[owner[u]], round * hop.size() + v + 1) ==
              round * hop.size() + v + 1)
            continue;
          call(v, owner[u]);
        }
      }
    };
    other_parts(0, [&](std::size_t, std::uint32_t) { ++count; });
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] != 0) continue;
      for (const std::uint32_t u : sources(v)) {
        const auto [least, most] = std::minmax(global[u], global[v]);
        ends.emplace_back(static_cast<Word>(least), static_cast<Word>(most));
        if (hop[u] != unseen) continue;
        hop[u] = 1;
        out.push_back(u);
      }
    }
    beside.reserve(count + out.size());
    other_parts(1, [&](std::size_t v, std::uint32_t part) {
      beside.emplace_back(static_cast<Word>(global[v]), static_cast<Word>(part));
    });
    const auto own = static_cast<Word>(cut_.size() - 1);
    for (const std::uint32_t u : out) beside.emplace_back(static_cast<Word>(global[u]), own);
    return out;
  }

  /// Breadth-first search against the edges, from the inner nodes. HALO nodes that no hop reaches
  /// were added along out-edges of inner nodes; they count with hop 1.
  /// @param layer  the nodes of hop 1
  template <class Sources>
  void count_hops(std::vector<std::uint32_t> layer, const Sources& sources,
                  std::span<std::uint32_t> hop, part_report& counted) const {
    // Each hop but the last finds a node, so V counts suffice.
    counted.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min(config_.halo_hops, config_.num_nodes)), 0);
    if (counted.halo_nodes_per_hop.empty()) return;
    std::vector<std::uint32_t> next;
    std::uint64_t reached = 0;
    for (std::size_t k = 1; k <= config_.halo_hops && !layer.empty(); ++k) {
      counted.halo_nodes_per_hop[k - 1] = layer.size();
      reached += layer.size();
      next.clear();
      for (const std::uint32_t v : layer) {
        for (const std::uint32_t u : sources(v)) {
          if (hop[u] != unseen) continue;
          hop[u] = static_cast<std::uint32_t>(k + 1);
          next.push_back(u);
        }
      }
      std::swap(layer, next);
    }
    counted.halo_nodes_per_hop[0] += counted.halo_nodes - reached;
  }

  /// Figures of part p. @param hop  [n] 0: the node is inner  @param inside  [n] in-edges from
  /// inner nodes
  template <class Sources>
  void count_figures(std::size_t p, std::span<const std::uint32_t> owner,
                     std::span<const std::uint32_t> hop, std::span<const std::uint32_t> inside,
                     const Sources& sources) {
    auto& figures = *out_.figures;
    const auto count = [&](std::vector<std::uint64_t>& histogram, std::uint64_t degree) {
      const auto digits = static_cast<std::size_t>(std::bit_width(degree));
      if (histogram.size() <= digits) histogram.resize(digits + 1);
      ++histogram[digits];
    };
    std::vector<std::uint64_t> edges(config_.num_parts);  // by the part of their sources
    for (std::size_t v = 0; v < hop.size(); ++v) {
      if (hop[v] != 0) continue;
      count(figures.degrees_inside, inside[v]);
      count(figures.degrees_across, sources(v).size());
      edges[p] += inside[v];
      for (const std::uint32_t u : sources(v)) ++edges[owner[u]];
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
  std::vector<pair_list<Word>> cut_{};     // [K] global IDs of ends, the smaller first
  std::vector<pair_list<Word>> beside_{};  // [K] global IDs of nodes and parts of their neighbors
  std::vector<std::vector<std::uint64_t>> inner_by_type_;
  report_memory memory_;
};

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
/// @tparam Word  holds global IDs
template <class Word>
void count_folder(const partition_config& config, const folder_access& access,
                  const report_options& options, executor_ref threads, folder_report& out) {
  const report_memory memory(config.num_parts, options.figures, sizeof(std::pair<Word, Word>));
  require_report_memory(config, access, options.most_bytes, memory);
  folder_counter<Word> counter(config, out, options.figures, memory);
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
  counter.finish(options.tolerance, original, threads);
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
  clock.run("read parts", [&] {
    if (config.num_nodes <= std::uint64_t{1} << 32)
      detail::count_folder<std::uint32_t>(config, access, options, threads, out);
    else
      detail::count_folder<std::uint64_t>(config, access, options, threads, out);
  });
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
