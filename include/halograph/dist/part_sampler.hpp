// SPDX-License-Identifier: BSL-1.0
/// @file part_sampler.hpp
/// Draw edges of the nodes whose edges one part holds.
/// Layer: dist. Words: README.md.
///
/// The edges drawn for (seed, node) are the same in every part that holds all edges of the node,
/// and for every partitioning of the same graph whose folder stores original IDs:
///
/// - the random numbers of a node depend on (seed, edge type, direction, its original typed ID);
///   without original IDs, on its new typed ID, and then samples are the same only for any number
///   of ranks and threads;
/// - in-edges of one type are ordered by global ID, which is the order of their original IDs;
/// - out-edges of one type are ordered by (original ID of the target, global ID).
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/draw_neighbors.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Edges that lead to a node, or away from it.
enum class edge_direction : std::uint8_t { in, out };

/// What to draw for each node.
struct sample_options {
  /// One number for all edge types, or one for each by type number; all_neighbors takes all edges,
  /// 0 takes none.
  std::vector<std::uint64_t> fanout{all_neighbors};
  bool replace = false;    ///< an edge may be drawn several times; without weights always `fanout`
                           ///< edges are drawn, unless the node has none
  std::uint64_t seed = 0;  ///< the draw depends on (seed, node), not on who requests it
};

namespace detail {

/// One number of a column, to be checked as a weight. Of integers only the sign matters.
double weight_at(const tensor& column, std::size_t i) noexcept;

}  // namespace detail

/// Draws from one part. Immutable and thread-safe, with a scratch of its own for each thread.
class part_sampler {
 public:
  /// Memory that draw() needs; kept from call to call.
  struct scratch {
    std::vector<std::uint64_t> positions{};  ///< one number for each edge to choose from
  };

  /// @param part       must outlive this, and have the direction's adjacency
  /// @param direction  of the edges
  /// @param keys       [part.num_nodes()] original typed ID of each node, or [num_inner_nodes()] of
  ///     those if in-edges are drawn and HALO nodes have not all of theirs; empty where the folder
  ///     stores none
  /// @complexity       O(nodes + edges) of the part; no memory for in-edges that are stored by
  ///     global ID, as this library writes them, else 8 bytes for each edge and node
  part_sampler(const part_graph& part, edge_direction direction, std::vector<std::uint64_t> keys);

  /// Are the edges stored in the order in which they are drawn from, so that none is kept?
  /// @complexity O(nodes + edges) of the part
  static bool takes_stored_order(const part_graph& part, edge_direction direction);

  /// The part that is drawn from.
  const part_graph& part() const noexcept { return *part_; }
  /// Of the edges that are drawn.
  edge_direction direction() const noexcept { return direction_; }

  /// The local ID of a node, if this part holds all its edges.
  std::optional<std::size_t> row_of(global_id node) const noexcept {
    const auto local = part_->local_of(node);
    if (!local || !holds_all(*local)) return std::nullopt;
    return local;
  }
  /// Are all edges of a local node here? Of inner nodes; for in-edges also of HALO nodes before the
  /// last hop.
  bool holds_all(std::size_t local) const noexcept {
    return part_->is_inner(local) ||
           (direction_ == edge_direction::in && part_->has_all_in_edges(local));
  }
  /// The key of a node in draw_stream.
  std::uint64_t key_of(std::size_t local) const noexcept {
    if (!keys_.empty()) return keys_[local];
    typed_id<global_id> typed{};
    static_cast<void>(part_->book().nodes().to_typed(part_->global_of(local), typed));
    return static_cast<std::uint64_t>(typed.id);
  }

  /// Give each edge a weight, by its local ID.
  /// @param weights  [part.num_edges()] integers or floating-point numbers; any value for edges of
  ///     incomplete rows
  /// @errors         raises malformed: a weight that is negative, infinite or not a number
  /// @complexity     O(nodes + edges), 8 bytes for each
  void weigh(const tensor& weights);

  /// Draw edges of one node and give each to `out(neighbor, edge)`, in global IDs: by edge type,
  /// then in the order drawn from, which for in-edges is that of edge IDs.
  /// @pre holds_all(local); options.fanout has one entry, or one for each edge type
  /// @return how many
  /// @complexity as draw_uniform_into or draw_weighted_into, and O(log degree) for each edge type
  template <class Output>
  std::uint64_t draw(std::size_t local, const sample_options& options, scratch& memory,
                     Output&& out) const {
    const std::size_t degree = this->degree(local);
    if (degree == 0) return 0;
    std::uint64_t drawn = 0;
    const std::uint64_t key = key_of(local);
    std::size_t begin = 0;
    for (const type_id type :
         types_of_[num_edge_types_ == 1 ? types_of_.size() == 1 ? 0 : part_->node_type(local)
                                        : part_->node_type(local)]) {
      const std::size_t end = num_edge_types_ == 1 ? degree
                                                   : end_of_type(local, begin, degree, type);
      const std::uint64_t fanout = options.fanout.size() == 1 ? options.fanout[0]
                                                              : options.fanout[type];
      const std::uint64_t most = draw_count(end - begin, fanout, options.replace);
      if (most != 0) {
        if (memory.positions.size() < most) memory.positions.resize(static_cast<std::size_t>(most));
        const auto stream = draw_stream(options.seed, type,
                                        direction_ == edge_direction::in ? 0 : 1, key);
        std::uint64_t count = most;
        if (ends_.empty()) {
          static_cast<void>(
              draw_uniform_into(stream, end - begin, fanout, options.replace, memory.positions));
        } else {
          const auto row = std::span(ends_).subspan(static_cast<std::size_t>(begin_[local]) + begin,
                                                    end - begin);
          static_cast<void>(
              draw_weighted_into(stream, row, fanout, options.replace, memory.positions, count));
        }
        for (std::size_t i = 0; i < count; ++i) {
          const auto [neighbor, edge] = this->edge(
              local, begin + static_cast<std::size_t>(memory.positions[i]));
          out(part_->global_of(neighbor), part_->global_edge_of(edge));
        }
        drawn += count;
      }
      begin = end;
    }
    return drawn;
  }

 private:
  std::size_t degree(std::size_t local) const noexcept {
    return direction_ == edge_direction::in ? part_->in_degree(local) : part_->out_degree(local);
  }
  /// (neighbor, edge) at a position of the row in the file.
  std::pair<std::size_t, std::size_t> listed(std::size_t local, std::size_t k) const noexcept {
    return direction_ == edge_direction::in ? part_->in_edge(local, k) : part_->out_edge(local, k);
  }
  /// (neighbor, edge) at a position of the row that is drawn from.
  std::pair<std::size_t, std::size_t> edge(std::size_t local, std::size_t position) const noexcept {
    return listed(local, order_.empty()
                             ? position
                             : static_cast<std::size_t>(
                                   order_[static_cast<std::size_t>(begin_[local]) + position]));
  }
  /// The first position after the edges of a type or of an earlier one.
  std::size_t end_of_type(std::size_t local, std::size_t first, std::size_t last,
                          type_id type) const noexcept {
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (part_->edge_type(edge(local, middle).second) <= type)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

  void number_rows();

  /// Sort rows into the order that is described above.
  void arrange();

  /// @param load  load(edges, out): the weights of some edges, widened without a loss
  template <class Wide>
  void weigh_as(function_ref<void(std::span<const std::size_t>, std::span<Wide>)> load);

  const part_graph* part_;
  edge_direction direction_;
  std::vector<std::uint64_t> keys_;  // [nodes], or none
  std::vector<std::vector<type_id>>
      types_of_{};  // [T] edge types that a node of the type has, ascending
  std::size_t num_edge_types_ = 0;
  std::vector<std::uint64_t>
      begin_{};  // [nodes+1] where a row starts in the two below; rows not all here are empty
  std::vector<std::uint64_t> order_{};  // position -> place in the file's row; empty: the same
  std::vector<std::uint64_t>
      ends_{};  // cumulated weights, type by type in a row; empty: all weigh the same
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/part_sampler.ipp>
#endif
