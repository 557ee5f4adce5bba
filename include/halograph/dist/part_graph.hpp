// SPDX-License-Identifier: BSL-1.0
/// @file part_graph.hpp
/// One part of a partition folder as a graph: neighbors of its nodes, local and global IDs.
/// Layer: dist. Words: README.md.
///
/// Local IDs count the part's nodes (inner first, then HALO) and edges (inner first, then others)
/// from 0. Arrays of the files are used in place; an adjacency that the files lack, and a table of
/// HALO nodes by global ID, are built.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// A node or edge in the new numbering of the whole graph.
using global_id = std::int64_t;

namespace detail {

/// A column of non-negative integers of any width, read in place.
class id_column {
 public:
  id_column() = default;
  explicit id_column(const tensor& column) noexcept
      : data_(column.bytes().data()),
        rows_(static_cast<std::size_t>(column.rows())),
        width_(item_bytes(column.type())) {}

  std::size_t size() const noexcept { return rows_; }
  /// The first `count` of them.
  id_column first(std::size_t count) const noexcept {
    id_column out = *this;
    out.rows_ = count;
    return out;
  }
  std::size_t operator[](std::size_t i) const noexcept {
    return static_cast<std::size_t>(load_unsigned(data_ + i * width_, width_));
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t width_ = 8;
};

/// Adjacency by rows: that of a file, or what lists the edges of pairs by row.
class walked_rows {
 public:
  walked_rows() = default;
  /// @param columns  whose memory is kept
  explicit walked_rows(compressed_columns columns)
      : owner_(std::move(columns)),
        offsets_(owner_.offsets),
        neighbors_(owner_.neighbors),
        edges_(owner_.edges),
        in_order_(edges_.size() == 0 ? neighbors_.size() : 0) {}
  /// Rows ordered by edge. As far as the pairs are in that order, only the ends of rows take
  /// memory.
  /// @param rows, neighbors  [E] of pairs, read in place   @param nodes  rows
  walked_rows(const id_column& rows, const id_column& neighbors, std::size_t nodes);

  bool there() const noexcept { return offsets_.size() != 0; }
  /// Rows behind the last one are empty.
  std::size_t degree(std::size_t row) const noexcept {
    return row + 1 < offsets_.size() ? offsets_[row + 1] - offsets_[row] : 0;
  }
  /// The k-th neighbor of a row, and the edge.
  std::pair<std::size_t, std::size_t> at(std::size_t row, std::size_t k) const noexcept {
    const std::size_t place = offsets_[row] + k,
                      edge = place < in_order_ ? place : edges_[place - in_order_];
    return {neighbors_[neighbors_by_edge_ ? edge : place], edge};
  }
  template <class Function>
  void visit(std::size_t row, Function&& f) const {
    for (std::size_t k = 0, count = degree(row); k < count; ++k) {
      const auto [neighbor, edge] = at(row, k);
      f(neighbor, edge);
    }
  }

 private:
  compressed_columns owner_{};
  id_column offsets_{}, neighbors_{}, edges_{};
  std::size_t in_order_ = 0;        // places that are those of their edges
  bool neighbors_by_edge_ = false;  // else by place in the rows
};

/// The IDs at the beginning that would stay where they are if all were sorted.
std::size_t sorted_already(const id_column& ids);
/// Does no ID from `first` on descend?
bool ascends(const id_column& ids, std::size_t first);

}  // namespace detail

/// What to open of a part.
struct part_options {
  bool in_edges = true;   ///< neighbors along in-edges
  bool out_edges = true;  ///< neighbors along out-edges
  bool digest = true;     ///< compare the graph file with the folder's manifest, where there is one
  bool halo_rows = true;  ///< false: HALO nodes of folders with 1 hop may have no in-edges, which
                          ///< saves memory
};

/// An upper bound on the bytes that a part takes once it is opened, and while it is, besides its
/// file.
/// @param graph  as load_partition_graph() gives it
/// @param inner  nodes that the part owns
/// @param hops   of the folder's HALO
/// @complexity   O(nodes + edges)
std::uint64_t part_graph_memory(const loaded_structure& graph, std::uint64_t inner,
                                std::uint64_t hops, const part_options& options);

/// One opened part. Immutable and thread-safe. Copies share everything.
class part_graph {
 public:
  /// @param graph   as load_partition_graph() gives it
  /// @param book    of the whole graph
  /// @param config  for the number of hops, and for error messages
  /// @errors raises out_of_range, not_found: no such part in the config; malformed, mismatch: the
  ///     file does not hold this part of this graph, with the file and element; unsupported: ranges
  ///     of the part leave gaps
  /// @complexity O(nodes + edges) of the part; memory for the adjacency that the files lack: 4
  ///     bytes a node for either direction, and 4 for each edge from the first one on that is not
  ///     in the order of targets (sources, for out-edges); 4 for each HALO node where these are not
  ///     in the order of their global IDs; 8 instead of 4 where there are more than 2^31
  part_graph(const partition_config& config, part_id part, loaded_structure graph,
             std::shared_ptr<const partition_book> book, const part_options& options = {});

  /// The part's number.
  part_id part() const noexcept { return part_; }
  /// The whole graph's ranges.
  const partition_book& book() const noexcept { return *book_; }
  /// The graph file, for error messages.
  const std::string& file() const noexcept { return file_; }

  /// Nodes of the part, inner and HALO.
  std::size_t num_nodes() const noexcept { return static_cast<std::size_t>(graph_.nodes); }
  /// Edges of the part, with those that HALO nodes brought.
  std::size_t num_edges() const noexcept { return static_cast<std::size_t>(graph_.edges); }
  /// Nodes that the part owns: the first of its local IDs.
  std::size_t num_inner_nodes() const noexcept { return static_cast<std::size_t>(nodes_.size()); }
  /// Edges that the part owns: the first of its local IDs.
  std::size_t num_inner_edges() const noexcept { return static_cast<std::size_t>(edges_.size()); }
  /// Global IDs of the nodes this part owns; local ID i is global ID begin + i. The same of edges.
  id_range inner_nodes() const noexcept { return nodes_; }
  /// Global IDs of the edges that the part owns.
  id_range inner_edges() const noexcept { return edges_; }
  /// Does the part own the node?
  bool is_inner(std::size_t local) const noexcept { return local < num_inner_nodes(); }
  /// Does the part own the edge?
  bool is_inner_edge(std::size_t local) const noexcept { return local < num_inner_edges(); }

  /// @name Local IDs to global ones, and back
  /// @pre local < num_nodes(), or num_edges()
  /// @{
  // Inner IDs are a range and need no memory access; sampling calls this for every edge that it
  // draws.
  global_id global_of(std::size_t local) const noexcept {
    return static_cast<global_id>(is_inner(local) ? nodes_.begin + local : node_ids_[local]);
  }
  global_id global_edge_of(std::size_t local) const noexcept {
    return static_cast<global_id>(is_inner_edge(local) ? edges_.begin + local : edge_ids_[local]);
  }
  /// The local ID of an inner or HALO node; nothing if this part does not hold the node.
  /// @complexity O(1) for inner nodes, O(log HALO nodes) for others
  std::optional<std::size_t> local_of(global_id global) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(global);
    if (wanted >= nodes_.begin && wanted < nodes_.end)
      return static_cast<std::size_t>(wanted - nodes_.begin);
    std::size_t low = 0, high = num_nodes() - num_inner_nodes();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (node_ids_[halo_by_global(middle)] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == num_nodes() - num_inner_nodes()) return std::nullopt;
    const std::size_t local = halo_by_global(low);
    return node_ids_[local] == wanted ? std::optional(local) : std::nullopt;
  }
  /// The local ID of an inner edge; nothing for edges of other parts.
  std::optional<std::size_t> local_inner_edge_of(global_id global) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(global);
    if (wanted < edges_.begin || wanted >= edges_.end) return std::nullopt;
    return static_cast<std::size_t>(wanted - edges_.begin);
  }
  /// @}

  /// The part that owns a node. @complexity O(1) for inner nodes, O(log(P T)) for others
  part_id owner_of(std::size_t local) const noexcept {
    return is_inner(local) ? part_ : book_->nodes().part_of_unchecked(global_of(local));
  }
  /// The type of a node. @pre local < num_nodes() @complexity O(log(P T))
  type_id node_type(std::size_t local) const noexcept {
    typed_id<global_id> typed{};
    static_cast<void>(book_->nodes().to_typed(
        global_of(local), typed));  // the ID was checked when the part was opened
    return typed.type;
  }
  /// The type of an edge. @pre local < num_edges() @complexity O(log(P R))
  type_id edge_type(std::size_t local) const noexcept {
    typed_id<global_id> typed{};
    static_cast<void>(book_->edges().to_typed(global_edge_of(local), typed));
    return typed.type;
  }
  /// [num_nodes()] the original typed ID of each node; nothing if the part does not store them. The
  /// same for edges.
  const tensor* original_nodes() const noexcept {
    return detail::find_column(graph_.node_columns, "orig_id");
  }
  /// [num_edges()] the original typed ID of each edge; null if the part does not store them.
  const tensor* original_edges() const noexcept {
    return detail::find_column(graph_.edge_columns, "orig_id");
  }

  /// @name Neighbors f(neighbor, edge) in local IDs, in the order of the file, or by edge if the
  ///     adjacency was built here. Inner nodes have all their in-edges, and all their out-edges if
  ///     the part was made with them (see dist_graph::has_all_out_edges()).
  /// @pre the direction was requested in part_options
  /// @{
  template <class Function>
  void for_each_in_edge(std::size_t local, Function&& f) const {
    in_.visit(local, f);
  }
  template <class Function>
  void for_each_out_edge(std::size_t local, Function&& f) const {
    out_.visit(local, f);
  }
  /// The k-th of them: (neighbor, edge). @pre k < in_degree(local), or out_degree(local)
  /// @complexity O(1)
  std::pair<std::size_t, std::size_t> in_edge(std::size_t local, std::size_t k) const noexcept {
    return in_.at(local, k);
  }
  std::pair<std::size_t, std::size_t> out_edge(std::size_t local, std::size_t k) const noexcept {
    return out_.at(local, k);
  }
  std::size_t in_degree(std::size_t local) const noexcept {
    return in_.degree(local);
  }  ///< edges that are here
  std::size_t out_degree(std::size_t local) const noexcept {
    return out_.degree(local);
  }  ///< edges that are here
  bool has_in_edges() const noexcept { return in_.there(); }
  bool has_out_edges() const noexcept { return out_.there(); }
  /// Does this part hold all in-edges of a node? Always for inner nodes; for HALO nodes if they are
  /// before the last hop.
  bool has_all_in_edges(std::size_t local) const noexcept {
    return is_inner(local) || (!complete_.empty() && complete_[local - num_inner_nodes()]);
  }
  /// May HALO nodes have all their in-edges here?
  bool completes_halo_nodes() const noexcept { return !complete_.empty(); }
  std::size_t source_of(std::size_t edge) const noexcept { return sources_[edge]; }
  std::size_t target_of(std::size_t edge) const noexcept { return targets_[edge]; }
  /// @}

  /// Edges of this part whose source is inner. Their sum over all parts is the number of edges of
  /// the graph if and only if every part holds all out-edges of its inner nodes.
  std::uint64_t edges_from_inner() const noexcept { return edges_from_inner_; }

 private:
  /// The local ID of the HALO node with the i-th smallest global ID.
  std::size_t halo_by_global(std::size_t i) const noexcept {
    return halo_column_.size() == 0 ? num_inner_nodes() + i : halo_column_[i];
  }
  void sort_halo();

  [[noreturn]] void fail(error_kind code, const std::string& what, std::uint64_t element) const {
    raise(code, concat({"part ", part_, ", element ", element, ": ", what}), {file_, {}, {}});
  }
  detail::id_column column(const std::vector<named_tensor>& columns, const char* name) const;

  template <class Map>
  id_range own_range(const Map& map, const char* noun) const {
    std::uint64_t named = 0;
    for (std::size_t t = 0; t < map.num_types(); ++t) named += map.size(static_cast<type_id>(t));
    if (named != map.size()) {
      raise(error_kind::unsupported,
            concat({"the config's ranges of ", noun,
                    " leave gaps; to be opened as one graph they must follow one another, from 0"}),
            {file_, {}, {}});
    }
    return map.range(part_);
  }

  /// Check that inner IDs come first and match the config, and that the others belong to other
  /// parts.
  void check_numbers(const detail::id_column& ids, const detail::id_column& inner, id_range own,
                     std::uint64_t all, const char* noun) const;

  void number_nodes();

  void number_edges();

  /// HALO nodes at a distance of fewer than `hops` in-edges from inner nodes, whose own in-edges
  /// were followed, too.
  void find_complete(std::uint64_t hops);

  part_id part_ = 0;
  loaded_structure graph_{};
  std::shared_ptr<const partition_book> book_{};
  std::string file_{};
  id_range nodes_{}, edges_{};
  detail::id_column node_ids_{}, edge_ids_{}, sources_{}, targets_{};
  tensor halo_{};                    // local IDs of HALO nodes by global ID, unless in that order
  detail::id_column halo_column_{};  // of halo_
  std::vector<bool> complete_{};     // [HALO nodes]; empty: none
  std::uint64_t edges_from_inner_ = 0;
  detail::walked_rows in_{}, out_{};
};

/// Open the graph of one part.
/// @param made  the manifest of the folder, or null
/// @errors as load_partition_graph and part_graph; mismatch: the file is not the one that the
///     manifest lists
part_graph open_part_graph(const partition_config& config, part_id part,
                           std::shared_ptr<const partition_book> book, const any_file_opener& files,
                           const format_list& formats, const manifest* made = nullptr,
                           const part_options& options = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/part_graph.ipp>
#endif
