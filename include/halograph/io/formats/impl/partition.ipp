// SPDX-License-Identifier: BSL-1.0
/// @file partition.ipp
/// Bodies of the plain functions of io/formats/partition.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Set the bits of these numbers, while other threads set others. @return whether all were new
inline bool mark_bits(std::span<const std::uint64_t> numbers, std::span<std::uint64_t> words) {
  bool fresh = true;
  for (std::size_t i = 0; i < numbers.size();) {
    // Most follow each other: one access for all of a word.
    const std::uint64_t word = numbers[i] / 64;
    std::uint64_t bits = 0;
    for (; i < numbers.size() && numbers[i] / 64 == word; ++i)
      bits |= std::uint64_t{1} << (numbers[i] % 64);
    const std::uint64_t before = std::atomic_ref(words[static_cast<std::size_t>(word)])
                                     .fetch_or(bits, std::memory_order_relaxed);
    fresh = fresh && (before & bits) == 0;
  }
  return fresh;
}

HALOGRAPH_INLINE void partition_streamer::begin(executor_ref executor) {
  threads_ = executor;
  graph_.name = config_.graph_name;
  graph_.schema = config_.schema;
  for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t)
    graph_.node_counts.push_back(type_count(config_, {entity::node, static_cast<type_id>(t)}));
  for (std::size_t r = 0; r < config_.schema.num_edge_types(); ++r)
    graph_.edge_counts.push_back(type_count(config_, {entity::edge, static_cast<type_id>(r)}));
  first_nodes_ = offsets_of(graph_.node_counts);
  check_sizes();
  find_order();
  index_nodes();
}

HALOGRAPH_INLINE streamed_graph partition_streamer::run() {
  begin({});
  std::vector<edge_queue> edges;
  const std::uint64_t share = options_.memory / std::max<std::size_t>(graph_.edge_counts.size(), 1);
  for (std::size_t r = 0; r < graph_.edge_counts.size(); ++r)
    edges.emplace_back(options_.scratch, share);
  std::vector<column> node_columns, edge_columns;
  for (std::size_t p = 0; p < config_.num_parts; ++p) {
    read_structure(p, [&](std::size_t type, std::span<const std::uint64_t> numbers,
                          std::span<const ends> pairs) {
      for (std::size_t i = 0; i < numbers.size(); ++i) edges[type].add(numbers[i], pairs[i]);
    });
    if (options_.features && !(paths_of(config_, p).node_features.empty() &&
                               paths_of(config_, p).edge_features.empty())) {
      const auto features = load_partition_feats(config_, p, files_, formats_);
      take_features(p, features.nodes, entity::node, node_columns);
      take_features(p, features.edges, entity::edge, edge_columns);
    }
    if (options_.on_progress)
      options_.on_progress({"read parts", p + 1, config_.num_parts, "parts"});
  }
  open_.reset();
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
  nodes_restored_ = knows(entity::node, graph_.node_counts.size());
  edges_restored_ = !dropped && nodes_restored_ && knows(entity::edge, graph_.edge_counts.size());
  if (!nodes_restored_) {
    graph_.notes.push_back(
        "the folder has no ID mapping (partition without --no-mapping to keep it); nodes and edges are in the order of their new IDs");
  } else if (!dropped && !edges_restored_) {
    graph_.notes.push_back(
        "the folder has no original edge IDs (partition with --save-mapping to keep them); edges are in the order of their new IDs");
  }
}

HALOGRAPH_INLINE bool partition_streamer::knows(entity kind, std::size_t types) {
  if (kind == entity::node && owner_of_node()) return true;
  open_part(0);
  try {
    for (std::size_t t = 0; t < types; ++t)
      static_cast<void>(originals(0, {kind, static_cast<type_id>(t)}));
  } catch (const error& problem) {
    if (problem.code() != error_kind::not_found || problem.where().file != config_.path) throw;
    return false;
  }
  return true;
}

HALOGRAPH_INLINE std::optional<tensor> partition_streamer::owner_of_node() const {
  if (!config_.reshuffled() || !in_original_order(config_) ||
      !paths_of(config_, 0).original_nodes.empty())
    return std::nullopt;
  return read_node_mapping(config_, files_);
}

HALOGRAPH_INLINE bool partition_streamer::index_nodes_by_owner() {
  const auto owners = owner_of_node();
  if (!owners) return false;
  std::uint64_t first = 0;
  for (std::size_t t = 0; t < graph_.node_counts.size(); ++t) {
    const std::uint64_t count = graph_.node_counts[t];
    auto& all = node_ids_.emplace_back(static_cast<std::size_t>(count));
    // Where the next node of each part is put, and where the part's nodes end.
    std::vector<std::uint64_t> next, end;
    std::uint64_t sum = 0;
    for (const auto& range : config_.node_map[t]) {
      next.push_back(sum);
      end.push_back(sum += range.size());
    }
    with_integers(*owners, [&](auto owner) {
      for (std::uint64_t v = 0; v < count; ++v) {
        const auto p = static_cast<std::uint64_t>(owner(first + v));
        if (p >= next.size() ||
            next[static_cast<std::size_t>(p)] == end[static_cast<std::size_t>(p)])
          fail(error_kind::mismatch,
               "node " + std::to_string(v) + " of type " +
                   graph_schema::quoted(config_.schema.node_types()[t]) + " is given to part " +
                   std::to_string(p) + ", which the config does not have or gives no more nodes",
               node_mapping_file(config_));
        all[static_cast<std::size_t>(next[static_cast<std::size_t>(p)]++)] = v;
      }
    });
    first += count;
  }
  return true;
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
  if (index_nodes_by_owner()) return;
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

HALOGRAPH_INLINE std::vector<std::vector<id_range>> partition_streamer::ranges(entity kind) const {
  const bool nodes = kind == entity::node;
  if (config_.reshuffled()) return nodes ? config_.node_map : config_.edge_map;
  std::vector<std::vector<id_range>> out;
  std::uint64_t begin = 0;
  for (const auto count : nodes ? graph_.node_counts : graph_.edge_counts) {
    out.push_back({{begin, begin + count}});
    begin += count;
  }
  return out;
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

HALOGRAPH_INLINE const partition_streamer::cell* partition_streamer::cell_finder::find(
    std::uint64_t id) const {
  const auto above = std::upper_bound(
      cells_.begin(), cells_.end(), id,
      [](std::uint64_t i, const cell& one) { return i < one.begin; });
  return above == cells_.begin() || !(above - 1)->has(id) ? nullptr : &*(above - 1);
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

HALOGRAPH_INLINE void partition_streamer::read_structure(std::size_t p, edge_taker take) {
  const std::string file = config_.resolve(paths_of(config_, p).graph);
  const loaded_structure& part = open_part(p);
  check_part(p, part, file);
  if (const auto found = check_structure(part, threads_))
    fail(error_kind::malformed, found->sentence, file);
  if (p == 0) {
    form_.original_ids = find_column(part.node_columns, "orig_id") != nullptr;
    if (part.coo) form_.formats = form_.formats.with(sparse_format::coo);
    if (part.csr) form_.formats = form_.formats.with(sparse_format::csr);
    if (part.csc) form_.formats = form_.formats.with(sparse_format::csc);
  }
  read_edges(p, part, file, take);
}

HALOGRAPH_INLINE const loaded_structure& partition_streamer::open_part(std::size_t p) {
  if (!open_ || open_number_ != p) {
    open_.reset();  // two at once would take twice the memory
    open_ = load_partition_graph(config_, p, files_, formats_, threads_);
    open_number_ = p;
  }
  return *open_;
}

HALOGRAPH_INLINE streamed_graph partition_streamer::read_into(
    executor_ref executor, function_ref<void(const streamed_graph&)> prepare, edge_taker put) {
  begin(executor);
  prepare(graph_);
  const std::size_t types = graph_.edge_counts.size();
  std::vector<std::vector<std::uint64_t>> seen;  // a bit for each number
  for (const auto count : graph_.edge_counts)
    seen.emplace_back(static_cast<std::size_t>((count + 63) / 64));
  std::vector<std::uint64_t> taken(types);
  for (std::size_t p = 0; p < config_.num_parts; ++p) {
    read_structure(p, [&](std::size_t type, std::span<const std::uint64_t> numbers,
                          std::span<const ends> edges) {
      // Two threads must not write one edge; that one is there twice is an error below.
      if (mark_bits(numbers, seen[type])) put(type, numbers, edges);
      std::atomic_ref(taken[type]).fetch_add(numbers.size(), std::memory_order_relaxed);
    });
    if (options_.on_progress)
      options_.on_progress({"read parts", p + 1, config_.num_parts, "parts"});
  }
  for (std::size_t r = 0; r < types; ++r) {
    for (std::uint64_t number = 0; number < graph_.edge_counts[r]; number += 64) {
      const auto there = static_cast<std::uint64_t>(
          std::countr_one(seen[r][static_cast<std::size_t>(number / 64)]));
      if (there < std::min<std::uint64_t>(64, graph_.edge_counts[r] - number))
        missing_edge(r, number + there);
    }
    check_count(r, taken[r]);
  }
  open_.reset();
  return std::move(graph_);
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

}  // namespace halograph::detail
