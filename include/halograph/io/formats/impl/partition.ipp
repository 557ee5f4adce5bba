// SPDX-License-Identifier: BSL-1.0
/// @file partition.ipp
/// Bodies of the plain functions of io/formats/partition.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE kept_ids kept_original_ids(const partition_config& config,
                                            const any_file_opener& files,
                                            const format_list& formats) {
  const auto knows = [&](entity kind, std::size_t types) {
    try {
      for (std::size_t t = 0; t < types; ++t)
        static_cast<void>(
            load_original_ids(config, 0, {kind, static_cast<type_id>(t)}, files, formats));
    } catch (const error& problem) {
      if (problem.code() != error_kind::not_found || problem.where().file != config.path) throw;
      return false;
    }
    return true;
  };
  const bool nodes = knows(entity::node, config.schema.num_node_types());
  return {nodes, nodes && config.cut_edges_dropped.value_or(0) == 0 &&
                     knows(entity::edge, config.schema.num_edge_types())};
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE streamed_graph partition_streamer::run() {
  graph_.name = config_.graph_name;
  graph_.schema = config_.schema;
  for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t)
    graph_.node_counts.push_back(type_count(config_, {entity::node, static_cast<type_id>(t)}));
  for (std::size_t r = 0; r < config_.schema.num_edge_types(); ++r)
    graph_.edge_counts.push_back(type_count(config_, {entity::edge, static_cast<type_id>(r)}));
  check_sizes();
  find_order();
  index_nodes();
  std::vector<edge_queue> edges;
  const std::uint64_t share = options_.memory / std::max<std::size_t>(graph_.edge_counts.size(), 1);
  for (std::size_t r = 0; r < graph_.edge_counts.size(); ++r)
    edges.emplace_back(options_.scratch, share);
  std::vector<column> node_columns, edge_columns;
  for (std::size_t p = 0; p < config_.num_parts; ++p) {
    read_part(p, edges, node_columns, edge_columns);
    if (options_.on_progress)
      options_.on_progress({"read parts", p + 1, config_.num_parts, "parts"});
  }
  give_features(node_columns, graph_.node_counts, graph_.node_features, entity::node);
  give_features(edge_columns, graph_.edge_counts, graph_.edge_features, entity::edge);
  give_edges(std::move(edges));
  return std::move(graph_);
}

HALOGRAPH_INLINE void partition_streamer::check_sizes() const {
  // Any node or edge takes bytes of a file.
  std::uint64_t bytes = 0;
  for (std::size_t p = 0; p < config_.num_parts; ++p)
    bytes += files_(config_.resolve(paths_of(config_, p).graph)).bytes.size();
  if (graph_.num_nodes() > bytes || graph_.num_edges() > bytes) {
    fail(error_kind::mismatch,
         "the config counts " + std::to_string(graph_.num_nodes()) + " nodes and " +
             std::to_string(graph_.num_edges()) + " edges; the graphs of all parts together have " +
             std::to_string(bytes) + " bytes",
         config_.path);
  }
}

HALOGRAPH_INLINE void partition_streamer::check_part(std::size_t p, const loaded_structure& part,
                                                     const std::string& file) const {
  if (!config_.reshuffled()) return;
  const auto sum = [&](const std::vector<std::vector<id_range>>& map) {
    std::uint64_t out = 0;
    for (const auto& ranges : map) out += ranges[p].size();
    return out;
  };
  if (sum(config_.node_map) > part.nodes || sum(config_.edge_map) > part.edges) {
    fail(error_kind::mismatch,
         "the part has " + std::to_string(part.nodes) + " nodes and " + std::to_string(part.edges) +
             " edges, fewer than the config gives it",
         file);
  }
}

HALOGRAPH_INLINE void partition_streamer::find_order() {
  const bool dropped = config_.cut_edges_dropped.value_or(0) != 0;
  if (dropped) {
    graph_.notes.push_back(
        std::to_string(*config_.cut_edges_dropped) +
        " edges were dropped when the graph was partitioned and are missing here; edges are in the order of their new IDs");
  }
  const auto kept = kept_original_ids(config_, files_, formats_);
  nodes_restored_ = kept.nodes;
  edges_restored_ = kept.edges;
  if (!nodes_restored_) {
    graph_.notes.push_back(
        "the folder has no ID mapping (partition without --no-mapping to keep it); nodes and edges are in the order of their new IDs");
  } else if (!dropped && !edges_restored_) {
    graph_.notes.push_back(
        "the folder has no original edge IDs (partition with --save-mapping to keep them); edges are in the order of their new IDs");
  }
}

HALOGRAPH_INLINE std::uint64_t partition_streamer::new_begin(std::size_t part,
                                                             entity_type of) const {
  const auto& ranges = (of.kind == entity::node ? config_.node_map : config_.edge_map)[of.type];
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < part; ++p) sum += ranges[p].size();
  return sum;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> partition_streamer::ids_of(std::size_t part,
                                                                       entity_type of) const {
  const bool nodes = of.kind == entity::node;
  std::vector<std::uint64_t> out;
  if (nodes ? nodes_restored_ : edges_restored_) {
    out = originals(part, of);
  } else if (config_.reshuffled()) {
    out.resize(static_cast<std::size_t>(
        (nodes ? config_.node_map : config_.edge_map)[of.type][part].size()));
    std::iota(out.begin(), out.end(), new_begin(part, of));
  } else {
    fail(
        error_kind::infeasible,
        "edges were dropped and kept their original IDs, so the IDs have gaps; partition again with new IDs",
        config_.path);
  }
  const std::uint64_t count = (nodes ? graph_.node_counts : graph_.edge_counts)[of.type];
  for (const auto id : out) {
    if (id >= count) {
      fail(error_kind::out_of_range,
           "the mapping of " + graph_schema::quoted(type_name(config_.schema, of)) + " has ID " +
               std::to_string(id) + " in part " + std::to_string(part) + "; there are " +
               std::to_string(count),
           config_.path);
    }
  }
  return out;
}

HALOGRAPH_INLINE void partition_streamer::index_nodes() {
  for (std::size_t t = 0; t < graph_.node_counts.size(); ++t) {
    const entity_type of{entity::node, static_cast<type_id>(t)};
    auto& all = node_ids_.emplace_back();
    all.reserve(static_cast<std::size_t>(graph_.node_counts[t]));
    std::vector<bool> seen(static_cast<std::size_t>(graph_.node_counts[t]));
    for (std::size_t p = 0; p < config_.num_parts; ++p) {
      const auto ids = ids_of(p, of);
      if (config_.reshuffled() && ids.size() != config_.node_map[t][p].size())
        mapping_size(p, of, ids.size());
      for (const auto id : ids) {
        if (seen[static_cast<std::size_t>(id)]) {
          fail(error_kind::malformed,
               "the mapping names node " + std::to_string(id) + " of " +
                   graph_schema::quoted(type_name(config_.schema, of)) +
                   " twice; each must occur once",
               config_.path);
        }
        seen[static_cast<std::size_t>(id)] = true;
        all.push_back(id);
      }
    }
    if (all.size() != graph_.node_counts[t]) {
      fail(error_kind::mismatch,
           "the parts hold " + std::to_string(all.size()) + " nodes of " +
               graph_schema::quoted(type_name(config_.schema, of)) + ", the config says " +
               std::to_string(graph_.node_counts[t]),
           config_.path);
    }
  }
}

HALOGRAPH_INLINE void partition_streamer::mapping_size(std::size_t part, entity_type of,
                                                       std::size_t found) const {
  fail(error_kind::mismatch,
       "the mapping of " + graph_schema::quoted(type_name(config_.schema, of)) + " has " +
           std::to_string(found) + " rows in part " + std::to_string(part) +
           ", which differs from the config's range",
       config_.path);
}

HALOGRAPH_INLINE partition_streamer::cell_finder::cell_finder(
    const std::vector<std::vector<id_range>>& map) {
  for (std::size_t t = 0; t < map.size(); ++t) {
    std::uint64_t before = 0;
    for (const auto& range : map[t]) {
      if (range.size() != 0) cells_.push_back({range.begin, range.end, t, before});
      before += range.size();
    }
  }
  std::sort(cells_.begin(), cells_.end(),
            [](const cell& a, const cell& b) { return a.begin < b.begin; });
}

HALOGRAPH_INLINE std::optional<std::pair<std::size_t, std::uint64_t>>
partition_streamer::cell_finder::find(std::uint64_t id) const {
  const auto above = std::upper_bound(
      cells_.begin(), cells_.end(), id,
      [](std::uint64_t i, const cell& one) { return i < one.begin; });
  if (above == cells_.begin() || id >= (above - 1)->end) return std::nullopt;
  return std::pair{(above - 1)->type, (above - 1)->before + (id - (above - 1)->begin)};
}

HALOGRAPH_INLINE const tensor& partition_streamer::column_of(
    const std::vector<named_tensor>& columns, std::string_view name, std::uint64_t rows,
    const std::string& file) const {
  const tensor* const found = find_column(columns, name);
  if (found == nullptr || found->rank() != 1 || !is_integer(found->type()) ||
      found->rows() != rows) {
    fail(error_kind::malformed,
         "the part has no column " + graph_schema::quoted(name) + " of " + std::to_string(rows) +
             " integers, which every part has",
         file);
  }
  return *found;
}

HALOGRAPH_INLINE void partition_streamer::read_part(std::size_t p, std::vector<edge_queue>& edges,
                                                    std::vector<column>& node_columns,
                                                    std::vector<column>& edge_columns) {
  const std::string file = config_.resolve(paths_of(config_, p).graph);
  {
    const auto part = load_partition_graph(config_, p, files_, formats_);
    check_part(p, part, file);
    if (const auto found = check_structure(part))
      fail(error_kind::malformed, found->sentence, file);
    read_edges(p, part, file, edges);
  }
  if (!options_.features ||
      (paths_of(config_, p).node_features.empty() && paths_of(config_, p).edge_features.empty()))
    return;
  const auto features = load_partition_feats(config_, p, files_, formats_);
  take_features(p, features.nodes, entity::node, node_columns);
  take_features(p, features.edges, entity::edge, edge_columns);
}

HALOGRAPH_INLINE std::optional<std::uint64_t> partition_streamer::edge_queue::finish() {
  if (sorter_ != nullptr) {
    for (auto at = sorter_->sorted(); at.next();) {
      if (number_key::value_of(at.key()) != in_file_) return std::nullopt;
      append(at.value());
    }
    sorter_.reset();
  }
  file_->flush();
  return in_file_;
}

HALOGRAPH_INLINE void partition_streamer::edge_queue::sort(std::uint64_t number, const ends& edge) {
  if (sorter_ == nullptr) sorter_ = std::make_unique<external_sorter<ends>>(folder_, memory_);
  sorter_->add(number_key(number), edge);
}

HALOGRAPH_INLINE std::vector<partition_streamer::stream_node> partition_streamer::nodes_of(
    const loaded_structure& part, const tensor& node_ids) const {
  const cell_finder cells(config_.node_map);
  const offsets kept(graph_.node_counts);
  std::vector<stream_node> out(static_cast<std::size_t>(part.nodes));
  with_integers(node_ids, [&](auto at) {
    for (std::size_t v = 0; v < out.size(); ++v) {
      const auto id = static_cast<std::uint64_t>(at(v));
      const auto cell = config_.reshuffled() ? cells.find(id) : kept.find(id);
      if (!cell) continue;
      const auto [type, place] = *cell;
      out[v] = {config_.reshuffled() ? node_ids_[type][static_cast<std::size_t>(place)] : place,
                type};
    }
  });
  return out;
}

HALOGRAPH_INLINE void partition_streamer::read_edges(std::size_t p, const loaded_structure& part,
                                                     const std::string& file,
                                                     std::vector<edge_queue>& edges) const {
  const tensor& node_ids = column_of(part.node_columns, "_ID", part.nodes, file);
  const tensor& edge_ids = column_of(part.edge_columns, "_ID", part.edges, file);
  const tensor& inner = column_of(part.edge_columns, "inner_edge", part.edges, file);
  std::vector<std::vector<std::uint64_t>> ids(edges.size());  // empty: the order of new IDs
  std::vector<std::uint64_t> begins, counts;
  for (std::size_t r = 0; r < edges.size(); ++r) {
    const entity_type of{entity::edge, static_cast<type_id>(r)};
    if (edges_restored_ || !config_.reshuffled()) ids[r] = ids_of(p, of);
    counts.push_back(config_.reshuffled() ? config_.edge_map[r][p].size() : ids[r].size());
    if (!config_.reshuffled()) continue;
    if (edges_restored_ && ids[r].size() != counts[r]) mapping_size(p, of, ids[r].size());
    begins.push_back(new_begin(p, of));
  }
  const std::vector<stream_node> nodes = nodes_of(part, node_ids);
  const cell_finder edge_cells(config_.edge_map);
  const offsets edges_kept(graph_.edge_counts);
  std::vector<std::uint64_t> taken(edges.size());
  const auto typed_node = [&](std::uint64_t local, std::size_t type) {
    const stream_node& node = nodes[static_cast<std::size_t>(local)];
    if (node.type != type) {
      fail(error_kind::malformed,
           "node " + std::to_string(local) + " has ID " +
               std::to_string(
                   static_cast<std::uint64_t>(node_ids.integer(static_cast<std::size_t>(local)))) +
               ", which is not a node of type " +
               graph_schema::quoted(config_.schema.node_types()[type]) +
               " that the edge's type connects",
           file);
    }
    return node.id;
  };
  const auto take = [&](std::uint64_t source, std::uint64_t target, std::uint64_t local,
                        std::uint64_t id) {
    const auto cell = config_.reshuffled() ? edge_cells.find(id) : edges_kept.find(id);
    if (!cell)
      fail(error_kind::malformed,
           "edge " + std::to_string(local) + " has ID " + std::to_string(id) +
               ", which is in none of the config's ranges",
           file);
    const auto [type, place] = *cell;
    std::uint64_t number = place;
    if (config_.reshuffled()) {
      if (place < begins[type] || place - begins[type] >= counts[type]) {
        fail(error_kind::malformed,
             "edge " + std::to_string(local) + " has ID " + std::to_string(id) + ", which part " +
                 std::to_string(p) + " does not own",
             file);
      }
      if (edges_restored_) number = ids[type][static_cast<std::size_t>(place - begins[type])];
    }
    const auto of = static_cast<type_id>(type);
    edges[type].add(number, {typed_node(source, config_.schema.source_type(of)),
                             typed_node(target, config_.schema.target_type(of))});
    ++taken[type];
  };
  std::vector<bool> is_inner(static_cast<std::size_t>(part.edges));
  with_integers(inner, [&](auto at) {
    for (std::size_t e = 0; e < is_inner.size(); ++e) is_inner[e] = at(e) != 0;
  });
  with_integers(edge_ids, [&](auto id_of) {
    if (part.coo) {
      const tensor &source = part.coo->source, &target = part.coo->target;
      for (std::size_t e = 0; e < is_inner.size(); ++e) {
        if (!is_inner[e]) continue;
        take(static_cast<std::uint64_t>(source.integer(e)),
             static_cast<std::uint64_t>(target.integer(e)), e,
             static_cast<std::uint64_t>(id_of(e)));
      }
    } else {
      const bool by_source = part.csr.has_value();
      for_each_entry(by_source ? *part.csr : *part.csc, [&](std::int64_t row, std::int64_t neighbor,
                                                            std::int64_t edge, std::uint64_t) {
        const auto e = static_cast<std::uint64_t>(edge);
        if (is_inner[static_cast<std::size_t>(e)])
          take(static_cast<std::uint64_t>(by_source ? row : neighbor),
               static_cast<std::uint64_t>(by_source ? neighbor : row), e,
               static_cast<std::uint64_t>(id_of(e)));
        return true;
      });
    }
  });
  for (std::size_t r = 0; r < edges.size(); ++r) {
    if (taken[r] != counts[r]) {
      fail(error_kind::mismatch,
           "part " + std::to_string(p) + " has " + std::to_string(taken[r]) +
               " inner edges of type " +
               graph_schema::quoted(config_.schema.edge_types()[r].str()) + "; it must have " +
               std::to_string(counts[r]),
           file);
    }
  }
}

HALOGRAPH_INLINE std::optional<std::pair<std::size_t, std::uint64_t>>
partition_streamer::offsets::find(std::uint64_t id) const {
  const auto above = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), id) -
                                              ends_.begin());
  if (above == ends_.size()) return std::nullopt;
  return std::pair{above, id - (above == 0 ? 0 : ends_[above - 1])};
}

HALOGRAPH_INLINE void partition_streamer::take_features(std::size_t p,
                                                        const std::vector<named_tensor>& all,
                                                        entity kind, std::vector<column>& columns) {
  const auto& schema = config_.schema;
  const std::size_t types = kind == entity::node ? schema.num_node_types()
                                                 : schema.num_edge_types();
  for (std::size_t t = 0; t < types; ++t) {
    const entity_type of{kind, static_cast<type_id>(t)};
    const std::string prefix = type_name(schema, of) + "/";
    std::optional<std::vector<std::uint64_t>> ids;
    for (const auto& [name, rows] : all) {
      if (!name.starts_with(prefix)) continue;
      const std::string file = config_.resolve(kind == entity::node
                                                   ? paths_of(config_, p).node_features
                                                   : paths_of(config_, p).edge_features);
      if (!ids) ids = ids_of(p, of);
      const std::string who = "feature " + graph_schema::quoted(name);
      if (rows.rank() == 0 || rows.rows() != ids->size()) {
        fail(error_kind::mismatch,
             who + " has shape " + to_string(rows.shape()) + "; the part has " +
                 std::to_string(ids->size()) + " inner " + std::string(halograph::name(kind)) +
                 "s of its type",
             file);
      }
      const std::string called = name.substr(prefix.size());
      auto found = std::find_if(columns.begin(), columns.end(), [&](const column& one) {
        return one.type == t && one.name == called;
      });
      if (found == columns.end()) {
        columns.push_back({of.type,
                           called,
                           rows.type(),
                           {rows.row_shape().begin(), rows.row_shape().end()},
                           0,
                           false,
                           std::make_shared<scratch_file>(options_.scratch)});
        found = columns.end() - 1;
      }
      // A part without rows does not determine dtype and shape: some writers store float32 there.
      if (ids->empty()) continue;
      if (!found->known) {
        found->element = rows.type();
        found->row_shape.assign(rows.row_shape().begin(), rows.row_shape().end());
        found->known = true;
      } else if (found->element != rows.type() ||
                 !std::equal(found->row_shape.begin(), found->row_shape.end(),
                             rows.row_shape().begin(), rows.row_shape().end())) {
        fail(error_kind::mismatch,
             who + " has dtype " + std::string(halograph::name(rows.type())) + " and shape " +
                 to_string(rows.shape()) + ", which differs from the parts before",
             file);
      }
      found->rows += rows.rows();
      scatter(rows, *ids, *found->file);
    }
  }
}

HALOGRAPH_INLINE void partition_streamer::scatter(const tensor& rows,
                                                  const std::vector<std::uint64_t>& ids,
                                                  scratch_file& out) {
  const std::size_t width = rows.row_bytes();
  if (width == 0) return;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t run = 1;
    while (i + run < ids.size() && ids[i + run] == ids[i] + run) ++run;
    out.write_at(ids[i] * width, rows.bytes().subspan(i * width, run * width));
    i += run;
  }
}

HALOGRAPH_INLINE void partition_streamer::give_features(std::vector<column>& columns,
                                                        const std::vector<std::uint64_t>& counts,
                                                        std::vector<streamed_feature>& out,
                                                        entity kind) {
  std::stable_sort(columns.begin(), columns.end(),
                   [](const column& a, const column& b) { return a.type < b.type; });
  for (auto& one : columns) {
    if (one.rows != counts[one.type]) {
      fail(error_kind::mismatch,
           "feature " +
               graph_schema::quoted(type_name(config_.schema, {kind, one.type}) + "/" + one.name) +
               " has " + std::to_string(one.rows) + " rows in all parts; there are " +
               std::to_string(counts[one.type]) + " " + std::string(halograph::name(kind)) + "s",
           config_.path);
    }
    streamed_feature feature{one.type, one.name, one.element, one.row_shape, one.rows, {}};
    feature.read = [file = one.file, width = feature.row_bytes()](
                       std::uint64_t first, std::uint64_t, std::span<std::byte> bytes) {
      file->read_at(first * width, bytes);
    };
    out.push_back(std::move(feature));
  }
}

HALOGRAPH_INLINE void partition_streamer::give_edges(std::vector<edge_queue> edges) {
  std::vector<std::shared_ptr<scratch_file>> files;
  for (std::size_t r = 0; r < edges.size(); ++r) {
    const auto found = edges[r].finish();
    if (!found) {
      fail(error_kind::malformed,
           "edge " + std::to_string(edges[r].in_order()) + " of type " +
               graph_schema::quoted(config_.schema.edge_types()[r].str()) +
               " is in none of the parts, or another edge is in two",
           config_.path);
    }
    if (*found != graph_.edge_counts[r]) {
      fail(error_kind::mismatch,
           "the parts hold " + std::to_string(*found) + " edges of type " +
               graph_schema::quoted(config_.schema.edge_types()[r].str()) + ", the config says " +
               std::to_string(graph_.edge_counts[r]),
           config_.path);
    }
    files.push_back(edges[r].file());
  }
  graph_.read_edges = [files](type_id r, std::uint64_t first, std::uint64_t last,
                              const edge_block_visitor& visit) {
    std::vector<ends> pairs;
    std::vector<std::uint64_t> source, target;
    for (; first < last; first += pairs.size()) {
      pairs.resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
      files[r]->read_at(first * sizeof(ends), std::as_writable_bytes(std::span(pairs)));
      source.resize(pairs.size());
      target.resize(pairs.size());
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        source[i] = pairs[i].source;
        target[i] = pairs[i].target;
      }
      visit(source, target, first);
    }
  };
}

}  // namespace halograph::detail
