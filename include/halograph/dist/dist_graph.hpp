// SPDX-License-Identifier: BSL-1.0
/// @file dist_graph.hpp
/// A partition folder as one graph over several ranks: each rank holds its parts and requests data
/// of other parts from the ranks that hold them.
/// Layer: dist. Words: README.md.
///
///     auto g = hg::open_dist_graph(ranks, "parts/mag.json", access);
///     g.num_nodes("paper");
///     auto rows = g.nodes("paper").data("feat")[ids];  // typed IDs, of any rank's papers
///
/// *Collective* calls are marked so. All ranks must make them in the same order, each with its own
/// IDs, which may be none; they fail on all ranks together. All other calls are local. Over
/// `single_rank` all parts are local.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

class dist_graph;
class dist_type;

/// The rows of one feature of a type, on all ranks. Cheap to copy; keeps the graph open.
class dist_rows {
 public:
  /// The dtype of an element.
  dtype type() const noexcept { return column_->item; }
  /// Rows on all ranks: members of the type.
  std::uint64_t rows() const noexcept { return rows_; }
  /// The shape of one row: (16) where the feature is [n, 16].
  std::span<const std::uint64_t> row_shape() const noexcept { return column_->row_shape; }
  /// Size of one row.
  std::size_t row_bytes() const noexcept { return column_->row_bytes(); }
  /// The feature's name, without that of its type.
  const std::string& name() const noexcept { return column_->name; }

  /// Copy rows of any rank into the caller's memory. Collective.
  /// @param ids   [n] typed IDs; may repeat
  /// @param out   [n x row_bytes()]
  /// @param moved if given, adds the traffic of this call
  /// @errors      raises out_of_range: an ID is none of this type; mismatch: `out` has another
  ///     size; on all ranks
  /// @complexity  O(n) rows; rows of this rank and cached rows (feature_cache.hpp) are copied, the
  ///     others are requested from their ranks in rounds of bounded memory
  ///     (dist_options::exchange_bytes)
  void gather(any_id_row ids, std::span<std::byte> out, exchange_counters* moved = nullptr) const;
  /// The same into memory of its own: [n, ...]. Collective.
  tensor operator[](any_id_row ids) const;
  /// Is the row on this rank?
  /// @errors raises out_of_range: no such ID
  template <id Id>
  bool is_local(Id typed) const {
    return is_here(global_of(std::span<const Id>(&typed, 1)));
  }
  /// One row in place, without a copy. Not collective.
  /// @errors raises out_of_range: no such ID, or a row of another rank
  template <id Id>
  std::span<const std::byte> local_row(Id typed) const {
    const std::uint64_t global = global_of(std::span<const Id>(&typed, 1));
    if (!is_here(global)) raise_elsewhere(std::to_string(typed), global);
    return row_at(global);
  }
  /// The rows of one part of this rank: [inner nodes or edges of the type, ...], by typed ID. @pre
  /// the part is on this rank
  const tensor& of_part(part_id part) const noexcept;

 private:
  friend class dist_type;
  dist_rows(std::shared_ptr<const dist_graph> graph, const detail::dist_column* column,
            std::uint64_t rows)
      : graph_(std::move(graph)), column_(column), rows_(rows) {}

  /// @param one  [1] typed ID   @errors raises out_of_range
  std::uint64_t global_of(any_id_row one) const;
  bool is_here(std::uint64_t global) const noexcept;
  [[noreturn]] void raise_elsewhere(const std::string& typed, std::uint64_t global) const;
  std::span<const std::byte> row_at(std::uint64_t global) const noexcept;
  static void copy_row(const std::byte* from, std::span<std::byte> row) noexcept {
    if (!row.empty()) std::memcpy(row.data(), from, row.size());
  }

  std::shared_ptr<const dist_graph> graph_;
  const detail::dist_column* column_;
  std::uint64_t rows_;
};

/// Nodes or edges of one type.
class dist_type {
 public:
  /// The type's number in the schema.
  type_id number() const noexcept { return type_; }
  /// How many there are, on all ranks.
  std::uint64_t size() const noexcept;
  /// The names of its features.
  std::vector<std::string> names() const;
  /// A feature by name. @errors raises not_found, with the type and the names there are
  dist_rows data(std::string_view name) const;
  /// Typed IDs to global ones.
  /// @errors raises out_of_range
  std::vector<global_id> to_global(any_id_row typed) const;
  /// The typed IDs that a part owns. @pre part < number of parts
  id_range of_part(part_id part) const noexcept;

 private:
  friend class dist_graph;
  dist_type(const dist_graph& graph, bool of_nodes, type_id type);

  std::shared_ptr<const dist_graph> graph_;
  bool of_nodes_;
  type_id type_;
};

/// A partitioned graph over the ranks of a communicator; DGL's DistGraph. Made by
/// open_dist_graph(). Copies share everything. Immutable and thread-safe, except that collective
/// calls must be made by one thread. It refers to the communicator, which must outlive the graph,
/// its copies, and what is made from them: types, rows, tensors, samplers.
class dist_graph {
 public:
  /// The communicator that the graph was opened on.
  communicator_ref ranks() const noexcept { return ranks_; }
  /// What the folder's config says.
  const partition_config& config() const noexcept { return state_->config; }
  /// Converts IDs, and names the owner of each.
  const partition_book& book() const noexcept { return *state_->book; }
  /// The graph's types.
  const graph_schema& schema() const noexcept { return state_->book->schema(); }
  /// How the graph was opened.
  const dist_options& options() const noexcept { return state_->options; }

  /// An upper bound on what the graphs of this rank's parts take besides their files; 0 if
  /// dist_options::most_bytes set no limit.
  std::uint64_t memory_bytes() const noexcept { return state_->memory_bytes; }

  /// @name The whole graph, and types
  /// @{
  std::uint64_t num_nodes(type_key ntype = {}) const { return book().num_nodes(ntype); }
  std::uint64_t num_edges(type_key etype = {}) const { return book().num_edges(etype); }
  std::size_t num_parts() const noexcept { return book().num_partitions(); }
  const std::vector<std::string>& ntypes() const noexcept { return book().ntypes(); }
  std::vector<std::string> etypes() const { return book().etypes(); }
  const std::vector<canonical_etype>& canonical_etypes() const noexcept {
    return book().canonical_etypes();
  }
  const canonical_etype& to_canonical_etype(type_key etype) const {
    return book().to_canonical_etype(etype);
  }
  /// The nodes of one type; without a name where there is one type alone. @errors raises not_found;
  /// invalid_argument: name one of several
  dist_type nodes(type_key ntype = {}) const {
    return {*this, true,
            ntype.what() == type_key::kind::all ? only(schema().num_node_types(), "node")
                                                : book().node_type_number(ntype)};
  }
  dist_type edges(type_key etype = {}) const {
    return {*this, false,
            etype.what() == type_key::kind::all ? only(schema().num_edge_types(), "edge")
                                                : book().edge_type_number(etype)};
  }
  /// @}

  /// @name Parts and ranks
  /// @{
  /// The parts of this rank, by number: part_range() of them.
  std::span<const part_graph> parts() const noexcept { return state_->parts; }
  id_range part_range() const noexcept { return state_->held; }
  /// A part of this rank; null if another rank holds it.
  const part_graph* part(part_id p) const noexcept {
    return p >= state_->held.begin && p < state_->held.end
               ? &state_->parts[p - static_cast<std::size_t>(state_->held.begin)]
               : nullptr;
  }
  /// @pre part < num_parts()
  std::size_t rank_of_part(part_id p) const noexcept { return state_->rank_of[p]; }
  /// @pre a global ID of the graph
  part_id part_of_node(global_id node) const noexcept {
    return book().nodes().part_of_unchecked(node);
  }
  part_id part_of_edge(global_id edge) const noexcept {
    return book().edges().part_of_unchecked(edge);
  }
  std::size_t rank_of_node(global_id node) const noexcept {
    return rank_of_part(part_of_node(node));
  }
  std::size_t rank_of_edge(global_id edge) const noexcept {
    return rank_of_part(part_of_edge(edge));
  }
  /// Does every part hold all out-edges of its inner nodes? (No if HALOs follow in-edges only.)
  /// Determined when the graph was opened, by counting edges over all ranks.
  bool has_all_out_edges() const noexcept { return state_->complete_out_edges; }
  /// @}

  /// The endpoints of edges of any rank. Collective.
  /// @param edges    [n] edge IDs: of `etype`, or global without
  /// @param sources  [n] out, targets [n] out: typed IDs of the type's ends, or global ones
  /// @errors         raises out_of_range, not_found, mismatch (a length), on all ranks
  /// @complexity     O(n); 24 bytes of traffic for each edge of another rank
  void find_edges(any_id_row edges, std::span<global_id> sources, std::span<global_id> targets,
                  type_key etype = {}) const;
  /// The same into memory of its own. Collective.
  std::pair<std::vector<global_id>, std::vector<global_id>> find_edges(any_id_row edges,
                                                                       type_key etype = {}) const;

  /// In-degrees of nodes of any rank: of typed IDs, counting edges of one type, or of global IDs,
  /// counting all edges. Collective.
  /// @errors      raises out_of_range, not_found; on all ranks
  /// @complexity  O(n), and with a type the edges of the nodes
  std::vector<std::uint64_t> in_degrees(any_id_row nodes, type_key etype = {}) const {
    return degrees(true, nodes, etype);
  }
  /// Out-degrees of nodes of any rank. Requests every rank, unless has_all_out_edges(). Collective.
  std::vector<std::uint64_t> out_degrees(any_id_row nodes, type_key etype = {}) const {
    return degrees(false, nodes, etype);
  }

 private:
  friend dist_graph open_dist_graph(communicator_ref ranks, const std::string& path,
                                    const folder_access& access, const dist_options& options);
  friend class dist_rows;
  friend class dist_type;
  dist_graph(communicator_ref ranks, std::shared_ptr<const detail::dist_state> state)
      : ranks_(ranks), state_(std::move(state)) {}

  static type_id only(std::size_t types, const char* noun);
  std::optional<type_id> type_of(bool of_nodes, type_key key) const {
    if (key.what() == type_key::kind::all) return std::nullopt;
    return of_nodes ? book().node_type_number(key) : book().edge_type_number(key);
  }
  std::size_t rank_of(bool of_nodes, std::uint64_t global) const noexcept {
    const auto id = static_cast<global_id>(global);
    return of_nodes ? rank_of_node(id) : rank_of_edge(id);
  }
  global_id typed_node(global_id global) const noexcept {
    typed_id<global_id> typed{};
    static_cast<void>(book().nodes().to_typed(global, typed));
    return typed.id;
  }
  /// The part that owns a thing, and the global ID of the first of its type there.
  std::pair<std::size_t, std::uint64_t> cell_of(bool of_nodes, type_id type,
                                                std::uint64_t global) const noexcept {
    const std::size_t p = of_nodes ? part_of_node(static_cast<global_id>(global))
                                   : part_of_edge(static_cast<global_id>(global));
    return {p, (of_nodes ? book().nodes().cell(p, type) : book().edges().cell(p, type)).begin};
  }
  /// Are these IDs of the type, or global IDs? @errors raises out_of_range, with the ID
  void check_ids(bool of_nodes, std::optional<type_id> type, any_id_row ids) const;
  /// The global IDs of checked ones, from position `first` on.
  void fill_global(bool of_nodes, std::optional<type_id> type, any_id_row ids, std::size_t first,
                   std::span<std::uint64_t> out) const noexcept {
    if (!type) return ids.convert(first, out);
    std::array<global_id, 256> some{};
    for (std::size_t at = 0; at < out.size(); at += some.size()) {
      const auto piece = out.subspan(at, std::min(some.size(), out.size() - at));
      const auto typed = std::span(some).first(piece.size());
      ids.convert(first + at, typed);
      const std::span<global_id> to(reinterpret_cast<global_id*>(piece.data()),
                                    piece.size());  // its signed twin
      static_cast<void>(of_nodes ? book().nodes().to_global(*type, typed, to)
                                 : book().edges().to_global(*type, typed, to));
    }
  }
  /// Edges of a type (or all) at a local node of a part; `owned_alone`: only those that the part
  /// owns.
  static std::uint64_t degree_at(const part_graph& at, std::size_t local, bool in,
                                 std::optional<type_id> type, bool owned_alone);

  std::vector<std::uint64_t> degrees(bool in, any_id_row nodes, type_key etype) const;

  communicator_ref ranks_;
  std::shared_ptr<const detail::dist_state> state_;
};

inline const tensor& dist_rows::of_part(part_id part) const noexcept {
  return column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)];
}
inline bool dist_rows::is_here(std::uint64_t global) const noexcept {
  return graph_->rank_of(column_->of_nodes, global) == graph_->ranks().rank();
}
inline void dist_rows::raise_elsewhere(const std::string& typed, std::uint64_t global) const {
  raise(error_kind::out_of_range,
        concat({"row ", typed, " of \"", column_->name, "\" is on rank ",
                graph_->rank_of(column_->of_nodes, global), "; use gather()"}));
}
inline std::span<const std::byte> dist_rows::row_at(std::uint64_t global) const noexcept {
  const auto [part, begin] = graph_->cell_of(column_->of_nodes, column_->type, global);
  const auto bytes =
      column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)].bytes();
  return bytes.subspan(static_cast<std::size_t>(global - begin) * row_bytes(), row_bytes());
}

inline dist_type::dist_type(const dist_graph& graph, bool of_nodes, type_id type)
    : graph_(std::make_shared<dist_graph>(graph)), of_nodes_(of_nodes), type_(type) {}
inline std::uint64_t dist_type::size() const noexcept {
  return of_nodes_ ? graph_->book().nodes().size(type_) : graph_->book().edges().size(type_);
}
inline id_range dist_type::of_part(part_id part) const noexcept {
  return of_nodes_ ? graph_->book().nodes().typed_range(part, type_)
                   : graph_->book().edges().typed_range(part, type_);
}

using DistGraph = dist_graph;  ///< the name DGL's users know

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/dist_graph.ipp>
#endif
