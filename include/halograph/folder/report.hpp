// SPDX-License-Identifier: BSL-1.0
/// @file report.hpp
/// The quality report of a partitioning, recomputed from its folder alone.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
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

/// The file of the simulated cost of training on a folder (dist/simulate_sampling.hpp).
inline constexpr std::string_view simulation_file = "simulation.json";

/// The content of that file, if it exists. @errors malformed: not a JSON object; those of the
/// opener
template <file_opener Files, json_codec Codec>
std::optional<json::value> read_simulation(const partition_config& config, const Files& files,
                                           const Codec& codec) {
  const std::string path = config.resolve(std::string(simulation_file));
  file_bytes content;
  try {
    content = files(path);
  } catch (const error& problem) {
    if (problem.code() == errc::not_found) return std::nullopt;
    throw;
  }
  json::value out;
  const std::string_view text(reinterpret_cast<const char*>(content.bytes.data()),
                              content.bytes.size());
  if (!codec.parse(text, out) || !out.is_object())
    raise(errc::malformed, "simulated figures must be a JSON object", {.file = path});
  return out;
}

/// How to recompute a report.
struct report_options {
  /// for the verdict; a folder does not record its own
  double tolerance = default_tolerance;
  progress_callback on_progress{};
};

/// What report_folder returns.
struct folder_report {
  quality_report report{};
  /// false if cut edges were dropped: `edge_cut` and `communication_volume` then count only the
  /// remaining edges, so they are 0
  bool cut_known = true;
  std::vector<std::string> notes{};  ///< notes for the user
};

namespace detail {

/// Counts the parts of a folder one after another.
class folder_counter {
 public:
  folder_counter(const partition_config& config, folder_report& out) : config_(config), out_(out) {
    if (config.halo_hops > max_halo_hops) {
      raise(errc::out_of_range,
            "\"halo_hops\" is " + std::to_string(config.halo_hops) + "; it must be 0 to " +
                std::to_string(max_halo_hops),
            {.file = config.path});
    }
    inner_by_type_.resize(config.schema.num_node_types());
  }

  template <class Book>
  void part(std::size_t p, const loaded_structure& graph, const Book& book,
            const std::string& file) {
    const auto fail = [&](errc code, const std::string& sentence) {
      raise(code, sentence, {.file = file});
    };
    if (const auto fault = check_structure(graph)) {
      fail(errc::malformed, "element " + std::to_string(fault->element) + ": " + fault->sentence);
    }
    const auto column = [&](const std::vector<named_tensor>& columns, const char* called,
                            std::uint64_t rows) -> const tensor& {
      const tensor* found = find_column(columns, called);
      if (!found || found->rank() != 1 || found->rows() != rows || !is_integer(found->type())) {
        fail(errc::malformed, "the column \"" + std::string(called) +
                                  "\" is missing or not one of " + std::to_string(rows) +
                                  " integers");
      }
      return *found;
    };
    if (graph.nodes > config_.num_nodes)
      fail(errc::malformed, "the part has " + std::to_string(graph.nodes) +
                                " nodes, but the whole graph has only " +
                                std::to_string(config_.num_nodes));
    if (graph.nodes >= unseen)
      fail(errc::unsupported, "the part has " + std::to_string(graph.nodes) +
                                  " nodes; a report supports at most 4294967294");
    const tensor& ids = column(graph.node_columns, "_ID", graph.nodes);
    const tensor& inner = column(graph.node_columns, "inner_node", graph.nodes);
    const auto nodes = static_cast<std::size_t>(graph.nodes),
               edges = static_cast<std::size_t>(graph.edges);

    // By local ID: the global one, and whether it is inner.
    std::vector<std::uint64_t> global(nodes);
    std::vector<std::uint32_t> hop(nodes, unseen);
    part_report counted;
    with_integers(ids, [&](auto id) {
      with_integers(inner, [&](auto is_inner) {
        for (std::size_t v = 0; v < nodes; ++v) {
          const std::int64_t value = id(v);
          if (value < 0 || static_cast<std::uint64_t>(value) >= config_.num_nodes) {
            fail(errc::out_of_range, "node " + std::to_string(v) + " has _ID " +
                                         std::to_string(value) + "; there are " +
                                         std::to_string(config_.num_nodes));
          }
          global[v] = static_cast<std::uint64_t>(value);
          if (is_inner(v) != 0) {
            hop[v] = 0;
            ++counted.inner_nodes;
          }
        }
      });
    });
    counted.halo_nodes = graph.nodes - counted.inner_nodes;

    const coo_columns ends = graph.coo   ? *graph.coo
                             : graph.csc ? pairs_of(*graph.csc, false)
                                         : pairs_of(*graph.csr, true);
    std::vector<std::uint64_t> offsets(nodes + 1);  // of halo nodes' in-edges from halo nodes
    with_integers(ends.source, [&](auto source) {
      with_integers(ends.target, [&](auto target) {
        for (std::size_t e = 0; e < edges; ++e) {
          const auto u = static_cast<std::size_t>(source(e)),
                     v = static_cast<std::size_t>(target(e));
          if (hop[v] == 0) {
            ++counted.inner_edges;
            if (hop[u] != 0) add_cut(global[u], global[v]);
          } else if (hop[u] != 0) {
            ++offsets[v];
          }
        }
        counted.halo_edges = graph.edges - counted.inner_edges;
        count_hops(ends, source, target, hop, offsets, counted);
      });
    });

    // Owners by the book, and types by the order of ranges.
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto owner = static_cast<std::size_t>(book.nid2partid(global[v]));
      if ((owner == p) != (hop[v] == 0)) {
        fail(errc::malformed, "node " + std::to_string(v) + " (_ID " + std::to_string(global[v]) +
                                  ") is " + (hop[v] == 0 ? "inner" : "not inner") +
                                  " here, but belongs to part " + std::to_string(owner));
      }
    }
    stored_ += graph.nodes;
    out_.report.parts.push_back(std::move(counted));
  }

  template <class Book>
  void finish(const Book& book, double tolerance) {
    auto& report = out_.report;
    std::sort(cut_.begin(), cut_.end());
    cut_.erase(std::unique(cut_.begin(), cut_.end()), cut_.end());
    report.edge_cut = cut_.size();
    // The other parts among the neighbors of each node, each once.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sees;
    sees.reserve(2 * cut_.size());
    for (const auto& [u, v] : cut_) {
      sees.emplace_back(u, static_cast<std::uint32_t>(book.nid2partid(v)));
      sees.emplace_back(v, static_cast<std::uint32_t>(book.nid2partid(u)));
    }
    cut_ = {};
    std::sort(sees.begin(), sees.end());
    report.communication_volume = static_cast<std::uint64_t>(std::unique(sees.begin(), sees.end()) -
                                                             sees.begin());
    report.directed_cut = directed_cut_;
    report.replication_factor = config_.num_nodes == 0 ? 1.0
                                                       : static_cast<double>(stored_) /
                                                             static_cast<double>(config_.num_nodes);

    const auto judge = [&](std::string called, std::span<const std::uint64_t> loads) {
      spread load{0, 0, loads.size()};
      for (const auto one : loads) {
        load.total += static_cast<std::int64_t>(one);
        load.largest = std::max(load.largest, static_cast<std::int64_t>(one));
      }
      report.balance.push_back(
          {std::move(called), tolerance, load.imbalance(), load.met(tolerance)});
    };
    std::vector<std::uint64_t> loads;
    for (const auto& part : report.parts) loads.push_back(part.inner_nodes);
    judge(std::string(detail::all_nodes_class), loads);
    if (config_.schema.num_node_types() < 2) return;
    for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t)
      judge(detail::class_of_type(config_.schema.node_types()[t]), inner_by_type_[t]);
  }

  /// [T][P], to be filled by the caller.
  std::vector<std::vector<std::uint64_t>>& inner_by_type() noexcept { return inner_by_type_; }

 private:
  static constexpr std::uint32_t unseen = static_cast<std::uint32_t>(-1);

  void add_cut(std::uint64_t u, std::uint64_t v) {
    ++directed_cut_;
    cut_.emplace_back(std::min(u, v), std::max(u, v));
  }

  /// Breadth-first search against the edges, from the inner nodes. HALO nodes that no hop reaches
  /// were added along out-edges of inner nodes; they count with hop 1.
  template <class Source, class Target>
  void count_hops(const coo_columns& ends, const Source& source, const Target& target,
                  std::vector<std::uint32_t>& hop, std::vector<std::uint64_t>& offsets,
                  part_report& counted) const {
    const std::uint64_t edges = ends.source.rows();
    // Each hop but the last finds a node, so V counts suffice.
    counted.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min(config_.halo_hops, config_.num_nodes)), 0);
    if (counted.halo_nodes_per_hop.empty()) return;
    std::uint64_t sum = 0;
    for (auto& offset : offsets) sum += std::exchange(offset, sum);
    std::vector<std::uint32_t> from(static_cast<std::size_t>(sum));
    std::vector<std::uint32_t> layer, next;
    std::vector<std::uint64_t> cursor(offsets);
    for (std::uint64_t e = 0; e < edges; ++e) {
      const auto u = static_cast<std::size_t>(source(e)), v = static_cast<std::size_t>(target(e));
      if (hop[v] == 0) {
        if (hop[u] == unseen) {
          hop[u] = 1;
          layer.push_back(static_cast<std::uint32_t>(u));
        }
      } else if (hop[u] != 0) {
        from[static_cast<std::size_t>(cursor[v]++)] = static_cast<std::uint32_t>(u);
      }
    }
    std::uint64_t reached = 0;
    for (std::size_t k = 1; k <= config_.halo_hops && !layer.empty(); ++k) {
      counted.halo_nodes_per_hop[k - 1] = layer.size();
      reached += layer.size();
      next.clear();
      for (const std::uint32_t v : layer) {
        for (auto at = static_cast<std::size_t>(offsets[v]);
             at < static_cast<std::size_t>(cursor[v]); ++at) {
          if (hop[from[at]] != unseen) continue;
          hop[from[at]] = static_cast<std::uint32_t>(k + 1);
          next.push_back(from[at]);
        }
      }
      std::swap(layer, next);
    }
    counted.halo_nodes_per_hop[0] += counted.halo_nodes - reached;
  }

  const partition_config& config_;
  folder_report& out_;
  std::uint64_t directed_cut_ = 0, stored_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      cut_{};  // pairs of global IDs, smaller first
  std::vector<std::vector<std::uint64_t>> inner_by_type_;
};

}  // namespace detail

/// Recompute the quality report of a partition folder from its parts.
/// Each input edge is inner in exactly one part, so the parts together determine the cut; hops are
/// found again by following the stored edges backwards. Balance is reported for all nodes and for
/// the nodes of each type.
///
/// @param config   as read; relations resolved
/// @param access   reads the folder
/// @errors         malformed, out_of_range: a part that contradicts the config (`verify` gives
///     details); those of the opener and the format
/// @complexity     O(size of the parts + C log C) time, memory: one part and 32 bytes for each of C
///     cut edges
template <file_opener Files, json_codec Codec, class Formats>
folder_report report_folder(const partition_config& config,
                            const folder_access<Files, Codec, Formats>& access,
                            const report_options& options = {}) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  folder_report out;
  auto& report = out.report;
  step_clock clock(report, options.on_progress);
  detail::folder_counter counter(config, out);
  auto& by_type = counter.inner_by_type();
  for (auto& loads : by_type) loads.resize(config.num_parts);
  clock.run("read parts", [&] {
    const any_partition_book book = load_partition_book(config, 0, files);
    std::visit(
        [&](const auto& one) {
          for (std::size_t p = 0; p < config.num_parts; ++p) {
            const auto graph = load_partition_graph(config, p, files, formats);
            counter.part(p, graph, one, config.resolve(config.parts[p].graph));
            for (std::size_t t = 0; t < by_type.size(); ++t) {
              by_type[t][p] = config.reshuffled()
                                  ? config.node_map[t][p].size()
                                  : load_original_ids(config, p,
                                                      {entity::node, static_cast<type_id>(t)},
                                                      files, formats)
                                        .size();
            }
            if (options.on_progress)
              options.on_progress({"read parts", p + 1, config.num_parts, "parts"});
          }
        },
        book);
    std::visit([&](const auto& one) { counter.finish(one, options.tolerance); }, book);
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
    out.notes.push_back(
        std::to_string(dropped) +
        " cut edges were dropped when the graph was partitioned, so edge cut and communication volume are "
        "unknown");
  }
  std::uint64_t inner_edges = 0;
  for (const auto& part : report.parts) inner_edges += part.inner_edges;
  if (inner_edges != config.num_edges) {
    raise(errc::malformed,
          "the parts hold " + std::to_string(inner_edges) + " inner edges; the config says " +
              std::to_string(config.num_edges),
          {.file = config.path});
  }
  return out;
}

}  // namespace halograph
