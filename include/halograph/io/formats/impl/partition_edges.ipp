// SPDX-License-Identifier: BSL-1.0
/// @file partition_edges.ipp
/// Bodies of the functions of io/formats/partition.hpp that read edges.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
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
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
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

/// The elements of a column of integers at some places.
inline void read_integers(const tensor& values, std::span<const std::uint64_t> places,
                          std::span<std::uint64_t> out) {
  with_integers(values, [&](auto at) {
    for (std::size_t i = 0; i < places.size(); ++i)
      out[i] = static_cast<std::uint64_t>(at(places[i]));
  });
}

HALOGRAPH_INLINE std::vector<std::uint64_t> partition_streamer::nodes_of(
    const loaded_structure& part, const tensor& node_ids, executor_ref executor) const {
  const cell_finder cells(ranges(entity::node));
  std::vector<std::uint64_t> out(static_cast<std::size_t>(part.nodes));
  with_integers(node_ids, [&](auto at) {
    executor.parallel_for(0, out.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
      const cell* in = nullptr;  // the ID before, mostly of the same range
      std::uint64_t first_of_type = 0;
      for (std::size_t v = first; v < last; ++v) {
        const auto id = static_cast<std::uint64_t>(at(v));
        if (in == nullptr || !in->has(id)) {
          in = cells.find(id);
          if (in != nullptr) first_of_type = first_nodes_[in->type];
        }
        if (in == nullptr) {
          out[v] = no_node;
          continue;
        }
        const std::uint64_t place = in->place_of(id);
        out[v] = first_of_type + (config_.reshuffled()
                                      ? node_ids_[in->type][static_cast<std::size_t>(place)]
                                      : place);
      }
    });
  });
  return out;
}

/// The edges of a part, a block at a time, in the order of its file.
class partition_streamer::part_edges {
 public:
  /// The most edges of a block.
  static constexpr std::size_t most = 512;
  /// Edges of the file: the local IDs of their ends, and their own.
  struct block {
    std::array<std::uint64_t, most> source, target, edge;
    std::size_t size = 0;
  };

  part_edges(const partition_streamer& from, std::size_t p, const loaded_structure& part,
             const std::string& file, executor_ref executor)
      : from_(from),
        p_(p),
        file_(file),
        node_ids_(from.column_of(part.node_columns, "_ID", part.nodes, file)),
        edge_ids_(from.column_of(part.edge_columns, "_ID", part.edges, file)),
        inner_(from.column_of(part.edge_columns, "inner_edge", part.edges, file)),
        cells_(from.ranges(entity::edge)),
        taken_(from.graph_.edge_counts.size()) {
    const bool given = from.edges_restored_ || !from.config_.reshuffled();
    for (std::size_t r = 0; r < taken_.size(); ++r) {
      const entity_type of{entity::edge, static_cast<type_id>(r)};
      numbers_.push_back(given ? from.ids_of(p, of) : std::vector<std::uint64_t>());
      const std::uint64_t count = from.config_.reshuffled() ? from.config_.edge_map[r][p].size()
                                                            : numbers_[r].size();
      if (from.edges_restored_ && numbers_[r].size() != count)
        from.mapping_size(p, of, numbers_[r].size());
      counts_.push_back(count);
    }
    nodes_ = from.nodes_of(part, node_ids_, executor);
  }

  /// Give the inner edges of a block to `put`, those of one type that follow each other at once.
  void take(block& edges, edge_taker put) {
    std::array<std::uint64_t, most> id, number;
    std::array<ends, most> pair;
    read_integers(inner_, std::span(edges.edge).first(edges.size), id);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges.size; ++i) {
      edges.source[kept] = edges.source[i];
      edges.target[kept] = edges.target[i];
      edges.edge[kept] = edges.edge[i];
      kept += id[i] != 0 ? 1u : 0u;
    }
    read_integers(edge_ids_, std::span(edges.edge).first(kept), id);
    for (std::size_t first = 0; first < kept;) {
      const cell& in = own_cell(id[first], edges.edge[first]);
      const auto type = static_cast<type_id>(in.type);
      const type_id source = from_.config_.schema.source_type(type),
                    target = from_.config_.schema.target_type(type);
      const std::uint64_t first_source = from_.first_nodes_[source],
                          first_target = from_.first_nodes_[target];
      const bool restored = from_.edges_restored_ && from_.config_.reshuffled();
      std::size_t n = 0;
      for (; first < kept && in.has(id[first]); ++first, ++n) {
        number[n] = restored ? numbers_[type][static_cast<std::size_t>(id[first] - in.begin)]
                             : in.place_of(id[first]);
        pair[n] = {node(edges.source[first], source, first_source),
                   node(edges.target[first], target, first_target)};
      }
      put(type, std::span(number).first(n), std::span(pair).first(n));
      std::atomic_ref(taken_[type]).fetch_add(n, std::memory_order_relaxed);
    }
  }

  /// Were as many edges of each type taken as the part has?
  void check_counts() const {
    for (std::size_t r = 0; r < taken_.size(); ++r) {
      if (taken_[r] == counts_[r]) continue;
      from_.fail(error_kind::mismatch,
                 "part " + std::to_string(p_) + " has " + std::to_string(taken_[r]) +
                     " inner edges of type " +
                     graph_schema::quoted(from_.config_.schema.edge_types()[r].str()) +
                     "; it must have " + std::to_string(counts_[r]),
                 file_);
    }
  }

 private:
  /// The range of an edge's ID, which must be the part's.
  const cell& own_cell(std::uint64_t id, std::uint64_t edge) const {
    const cell* const in = cells_.find(id);
    if (in == nullptr)
      from_.fail(error_kind::malformed,
                 "edge " + std::to_string(edge) + " has ID " + std::to_string(id) +
                     ", which is in none of the config's ranges",
                 file_);
    if (!from_.config_.reshuffled()) return *in;
    const id_range& own = from_.config_.edge_map[in->type][p_];
    if (id < own.begin || id >= own.end)
      from_.fail(error_kind::malformed,
                 "edge " + std::to_string(edge) + " has ID " + std::to_string(id) +
                     ", which part " + std::to_string(p_) + " does not own",
                 file_);
    return *in;
  }
  /// The ID in the stream of a node that must be of a type.
  std::uint64_t node(std::uint64_t local, type_id type, std::uint64_t first_of_type) const {
    const std::uint64_t id = nodes_[static_cast<std::size_t>(local)] - first_of_type;
    if (id < from_.graph_.node_counts[type]) return id;
    from_.fail(error_kind::malformed,
               "node " + std::to_string(local) + " has ID " +
                   std::to_string(static_cast<std::uint64_t>(
                       node_ids_.integer(static_cast<std::size_t>(local)))) +
                   ", which is not a node of type " +
                   graph_schema::quoted(from_.config_.schema.node_types()[type]) +
                   " that the edge's type connects",
               file_);
  }

  const partition_streamer& from_;
  std::size_t p_;
  const std::string& file_;
  const tensor &node_ids_, &edge_ids_, &inner_;
  cell_finder cells_;
  std::vector<std::uint64_t> taken_, counts_{};        // by type
  std::vector<std::vector<std::uint64_t>> numbers_{};  // by type; empty: the order of new IDs
  std::vector<std::uint64_t> nodes_{};                 // by local ID; see nodes_of
};

/// Reads the entries of a part's graph in the order of its file.
class partition_streamer::entry_reader {
 public:
  entry_reader(const loaded_structure& part, std::uint64_t first)
      : part_(part), by_source_(part.csr.has_value()) {
    if (part.coo) return;
    std::uint64_t low = 0, high = part.nodes - 1;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (end_of(middle) <= first)
        low = middle + 1;
      else
        high = middle;
    }
    row_ = low;
    end_ = end_of(low);
  }

  /// Fill a block of given size with the entries from `first` on, which follow those read before.
  void read(std::uint64_t first, part_edges::block& out) {
    std::array<std::uint64_t, part_edges::most> all;
    std::iota(all.begin(), all.end(), first);
    const auto places = std::span(all).first(out.size);
    if (part_.coo) {
      read_integers(part_.coo->source, places, out.source);
      read_integers(part_.coo->target, places, out.target);
      out.edge = all;
      return;
    }
    read_integers(rows().neighbors, places, by_source_ ? out.target : out.source);
    if (rows().edges.rows() == 0)
      out.edge = all;
    else
      read_integers(rows().edges, places, out.edge);
    auto& ends = by_source_ ? out.source : out.target;
    for (std::size_t i = 0; i < out.size; ++i) {
      while (end_ <= first + i) end_ = end_of(++row_);
      ends[i] = row_;
    }
  }

 private:
  const compressed_columns& rows() const { return by_source_ ? *part_.csr : *part_.csc; }
  std::uint64_t end_of(std::uint64_t row) const {
    return static_cast<std::uint64_t>(rows().offsets.integer(static_cast<std::size_t>(row + 1)));
  }

  const loaded_structure& part_;
  bool by_source_;
  std::uint64_t row_ = 0, end_ = 0;
};

HALOGRAPH_INLINE void partition_streamer::read_edges(std::size_t p, const loaded_structure& part,
                                                     const std::string& file,
                                                     edge_taker put) const {
  part_edges edges(*this, p, part, file, threads_);
  // The error of the first edges that have one, whatever the number of threads.
  std::mutex failing;
  std::exception_ptr failed;
  std::size_t failed_at = 0;
  threads_.parallel_for(
      0, static_cast<std::size_t>(part.edges), 1 << 16, [&](std::size_t first, std::size_t last) {
        try {
          part_edges::block some;
          for (entry_reader entries(part, first); first < last; first += some.size) {
            some.size = std::min(part_edges::most, last - first);
            entries.read(first, some);
            edges.take(some, put);
          }
        } catch (...) {
          const std::lock_guard lock(failing);
          if (!failed || first < failed_at) failed = std::current_exception(), failed_at = first;
        }
      });
  if (failed) std::rethrow_exception(failed);
  edges.check_counts();
}

HALOGRAPH_INLINE void partition_streamer::missing_edge(std::size_t type,
                                                       std::uint64_t number) const {
  fail(error_kind::malformed,
       "edge " + std::to_string(number) + " of type " +
           graph_schema::quoted(config_.schema.edge_types()[type].str()) +
           " is in none of the parts, or another edge is in two",
       config_.path);
}

HALOGRAPH_INLINE void partition_streamer::check_count(std::size_t type, std::uint64_t found) const {
  if (found == graph_.edge_counts[type]) return;
  fail(error_kind::mismatch,
       "the parts hold " + std::to_string(found) + " edges of type " +
           graph_schema::quoted(config_.schema.edge_types()[type].str()) + ", the config says " +
           std::to_string(graph_.edge_counts[type]),
       config_.path);
}

HALOGRAPH_INLINE void partition_streamer::give_edges(std::vector<edge_queue> edges) {
  std::vector<std::shared_ptr<scratch_file>> files;
  for (std::size_t r = 0; r < edges.size(); ++r) {
    const auto found = edges[r].finish();
    if (!found) missing_edge(r, edges[r].in_order());
    check_count(r, *found);
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
