// SPDX-License-Identifier: BSL-1.0
/// @file report.ipp
/// Bodies of the plain functions of folder/report.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

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

HALOGRAPH_INLINE folder_counter::folder_counter(const partition_config& config, folder_report& out,
                                                bool figures)
    : config_(config), out_(out) {
  if (config.halo_hops > max_halo_hops) {
    raise(error_kind::out_of_range,
          concat({"\"halo_hops\" is ", config.halo_hops, "; it must be 0 to ", max_halo_hops}),
          {.file = config.path});
  }
  inner_by_type_.resize(config.schema.num_node_types());
  if (figures) {
    out.figures.emplace();
    drawing_.emplace(config.num_nodes, config.num_parts);
  }
}

HALOGRAPH_INLINE void folder_counter::part(std::size_t p, const loaded_structure& graph,
                                           const any_partition_book& books,
                                           const std::string& file) {
  const auto fail = [&](error_kind code, const std::string& sentence) {
    raise(code, sentence, {.file = file});
  };
  if (const auto fault = check_structure(graph)) {
    fail(error_kind::malformed, concat({"element ", fault->element, ": ", fault->sentence}));
  }
  const auto column = [&](const std::vector<named_tensor>& columns, const char* called,
                          std::uint64_t rows) -> const tensor& {
    const tensor* found = find_column(columns, called);
    if (!found || found->rank() != 1 || found->rows() != rows || !is_integer(found->type())) {
      fail(error_kind::malformed,
           concat({"the column \"", called, "\" is missing or not one of ", rows, " integers"}));
    }
    return *found;
  };
  if (graph.nodes > config_.num_nodes)
    fail(error_kind::malformed,
         concat({"the part has ", graph.nodes, " nodes, but the whole graph has only ",
                 config_.num_nodes}));
  if (graph.nodes >= unseen)
    fail(error_kind::unsupported,
         concat({"the part has ", graph.nodes, " nodes; a report supports at most 4294967294"}));
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
          fail(error_kind::out_of_range,
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
  counted.halo_nodes = graph.nodes - counted.inner_nodes;

  const coo_columns ends = graph.coo   ? *graph.coo
                           : graph.csc ? pairs_of(*graph.csc, false)
                                       : pairs_of(*graph.csr, true);
  std::vector<std::uint64_t> offsets(nodes + 1);  // of halo nodes' in-edges from halo nodes
  std::vector<std::uint32_t> roots(nodes);
  lowest_roots<std::uint32_t> sets(roots);
  with_integers(ends.source, [&](auto source) {
    with_integers(ends.target, [&](auto target) {
      for (std::size_t e = 0; e < edges; ++e) {
        const auto u = static_cast<std::size_t>(source(e)), v = static_cast<std::size_t>(target(e));
        if (hop[v] == 0) {
          ++counted.inner_edges;
          if (hop[u] == 0)
            sets.join(u, v);
          else
            add_cut(global[u], global[v]);
        } else if (hop[u] != 0) {
          ++offsets[v];
        }
      }
      counted.halo_edges = graph.edges - counted.inner_edges;
      count_hops(ends, source, target, hop, offsets, counted);
    });
  });

  // Owners by the book, and types by the order of ranges.
  std::visit(
      [&](const auto& book) {
        for (std::size_t v = 0; v < nodes; ++v) {
          const auto owner = static_cast<std::size_t>(book.nid2partid(global[v]));
          if ((owner == p) != (hop[v] == 0)) {
            fail(error_kind::malformed, concat({"node ", v, " (_ID ", global[v], ") is ",
                                                (hop[v] == 0 ? "inner" : "not inner"),
                                                " here, but belongs to part ", owner}));
          }
        }
      },
      books);
  if (out_.figures) count_figures(p, ends, global, hop, books);
  std::uint64_t components = 0;
  for (std::size_t v = 0; v < nodes; ++v) components += hop[v] == 0 && roots[v] == v ? 1u : 0u;
  out_.components.push_back(components);
  stored_ += graph.nodes;
  out_.report.parts.push_back(std::move(counted));
}

HALOGRAPH_INLINE void folder_counter::count_figures(std::size_t p, const coo_columns& ends,
                                                    std::span<const std::uint64_t> global,
                                                    std::span<const std::uint32_t> hop,
                                                    const any_partition_book& books) {
  auto& figures = *out_.figures;
  std::vector<bool> inner(global.size());
  for (std::size_t v = 0; v < global.size(); ++v) inner[v] = hop[v] == 0;
  const std::uint64_t rows = ends.source.rows();
  const auto each_edge = [&](function_ref<void(std::size_t, std::size_t)> call) {
    with_integers(ends.source, [&](auto source) {
      with_integers(ends.target, [&](auto target) {
        for (std::uint64_t e = 0; e < rows; ++e)
          call(static_cast<std::size_t>(source(e)), static_cast<std::size_t>(target(e)));
      });
    });
  };
  std::vector<std::uint64_t> inside(global.size()), across(global.size());
  std::vector<std::uint32_t> sources;  // parts, one for each cut edge
  std::uint64_t kept = 0;
  std::visit(
      [&](const auto& book) {
        each_edge([&](std::size_t u, std::size_t v) {
          if (!inner[v]) return;
          if (inner[u]) {
            ++inside[v];
            ++kept;
          } else {
            ++across[v];
            sources.push_back(static_cast<std::uint32_t>(book.nid2partid(global[u])));
          }
        });
      },
      books);
  const auto count = [&](std::vector<std::uint64_t>& histogram, std::uint64_t degree) {
    const auto digits = static_cast<std::size_t>(std::bit_width(degree));
    if (histogram.size() <= digits) histogram.resize(digits + 1);
    ++histogram[digits];
  };
  for (std::size_t v = 0; v < global.size(); ++v) {
    if (!inner[v]) continue;
    count(figures.degrees_inside, inside[v]);
    count(figures.degrees_across, across[v]);
  }
  const auto target = static_cast<std::uint32_t>(p);
  std::sort(sources.begin(), sources.end());
  const auto put = [&](std::uint32_t source, std::uint64_t edges) {
    if (edges != 0) figures.edges_between.push_back({source, target, edges});
  };
  const auto own = std::lower_bound(sources.begin(), sources.end(), target);
  for (auto at = sources.begin(); at != sources.end();) {
    if (at == own) put(target, std::exchange(kept, 0));
    const auto end = std::upper_bound(at, sources.end(), *at);
    put(*at, static_cast<std::uint64_t>(end - at));
    at = end;
  }
  put(target, kept);
  drawing_->part(p, global, inner, each_edge);
}

HALOGRAPH_INLINE void folder_counter::finish(const any_partition_book& books, double tolerance,
                                             std::span<const std::uint64_t> original) {
  auto& report = out_.report;
  std::sort(cut_.begin(), cut_.end());
  cut_.erase(std::unique(cut_.begin(), cut_.end()), cut_.end());
  report.edge_cut = cut_.size();
  // The other parts among the neighbors of each node, each once.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sees;
  sees.reserve(2 * cut_.size());
  std::visit(
      [&](const auto& book) {
        for (const auto& [u, v] : cut_) {
          sees.emplace_back(u, static_cast<std::uint32_t>(book.nid2partid(v)));
          sees.emplace_back(v, static_cast<std::uint32_t>(book.nid2partid(u)));
        }
      },
      books);
  cut_ = {};
  if (out_.figures) {
    out_.figures->nodes_by_type = inner_by_type_;
    out_.figures->drawing = drawing_->finish(original);
  }
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
    report.balance.push_back({std::move(called), tolerance, load.imbalance(), load.met(tolerance),
                              load.least_imbalance()});
  };
  std::vector<std::uint64_t> loads;
  for (const auto& part : report.parts) loads.push_back(part.inner_nodes);
  judge(std::string(detail::all_nodes_class), loads);
  if (config_.schema.num_node_types() < 2) return;
  for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t)
    judge(detail::class_of_type(config_.schema.node_types()[t]), inner_by_type_[t]);
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE folder_report report_folder(const partition_config& config,
                                             const folder_access& access,
                                             const report_options& options) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  folder_report out;
  auto& report = out.report;
  step_clock clock(report, options.on_progress);
  detail::folder_counter counter(config, out, options.figures);
  auto& by_type = counter.inner_by_type();
  for (auto& loads : by_type) loads.resize(config.num_parts);
  clock.run("read parts", [&] {
    const any_partition_book book = load_partition_book(config, 0, files);
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      const auto graph = load_partition_graph(config, p, files, formats);
      counter.part(p, graph, book, config.resolve(config.parts[p].graph));
      for (std::size_t t = 0; t < by_type.size(); ++t) {
        by_type[t][p] = config.reshuffled()
                            ? config.node_map[t][p].size()
                            : load_original_ids(config, p, {entity::node, static_cast<type_id>(t)},
                                                files, formats)
                                  .size();
      }
      if (options.on_progress)
        options.on_progress({"read parts", p + 1, config.num_parts, "parts"});
    }
    std::vector<std::uint64_t> original;
    if (options.figures && config.num_nodes <= graph_drawing::most_nodes)
      original = detail::original_numbers(config, files, formats);
    counter.finish(book, options.tolerance, original);
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
