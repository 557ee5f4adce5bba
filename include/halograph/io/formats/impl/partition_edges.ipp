// SPDX-License-Identifier: BSL-1.0
/// @file partition_edges.ipp
/// Bodies of the functions of io/formats/partition.hpp that read edges.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halograph::detail {

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
  const cell_finder cells(ranges(entity::node));
  std::vector<stream_node> out(static_cast<std::size_t>(part.nodes));
  with_integers(node_ids, [&](auto at) {
    for (std::size_t v = 0; v < out.size(); ++v) {
      const auto id = static_cast<std::uint64_t>(at(v));
      const auto cell = cells.find(id);
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
                                                     edge_taker put) const {
  const std::size_t types = graph_.edge_counts.size();
  const tensor& node_ids = column_of(part.node_columns, "_ID", part.nodes, file);
  const tensor& edge_ids = column_of(part.edge_columns, "_ID", part.edges, file);
  const tensor& inner = column_of(part.edge_columns, "inner_edge", part.edges, file);
  std::vector<std::vector<std::uint64_t>> ids(types);  // empty: the order of new IDs
  std::vector<std::uint64_t> begins, counts;
  for (std::size_t r = 0; r < types; ++r) {
    const entity_type of{entity::edge, static_cast<type_id>(r)};
    if (edges_restored_ || !config_.reshuffled()) ids[r] = ids_of(p, of);
    counts.push_back(config_.reshuffled() ? config_.edge_map[r][p].size() : ids[r].size());
    if (!config_.reshuffled()) continue;
    if (edges_restored_ && ids[r].size() != counts[r]) mapping_size(p, of, ids[r].size());
    begins.push_back(new_begin(p, of));
  }
  const std::vector<stream_node> nodes = nodes_of(part, node_ids);
  const cell_finder edge_cells(ranges(entity::edge));
  std::vector<std::uint64_t> taken(types);
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
    const auto cell = edge_cells.find(id);
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
    put(type, number,
        {typed_node(source, config_.schema.source_type(of)),
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
  for (std::size_t r = 0; r < types; ++r) {
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
