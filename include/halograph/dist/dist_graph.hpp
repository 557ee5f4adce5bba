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

#include <halograph/book/range_book.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
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

template <communicator Communicator>
class dist_graph;
template <communicator Communicator>
class dist_type;

/// The rows of one feature of a type, on all ranks. Cheap to copy; keeps the graph open.
template <communicator Communicator>
class dist_rows {
 public:
  dtype type() const noexcept { return column_->item; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::span<const std::uint64_t> row_shape() const noexcept { return column_->row_shape; }
  std::size_t row_bytes() const noexcept { return column_->row_bytes(); }
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
  template <id_row Row>
  void gather(const Row& ids, std::span<std::byte> out, exchange_counters* moved = nullptr) const {
    exchange_counters cost;
    run_collective(graph_->ranks(), [&] {
      const auto wanted = ids_of(ids);
      const std::size_t width = row_bytes();
      graph_->check_ids(column_->of_nodes, column_->type, wanted);
      detail::check_rows(wanted.size(), width, out.size());
      row_exchange<Communicator> exchange(graph_->ranks(), graph_->options().exchange_bytes);
      const std::size_t here = graph_->ranks().rank();
      const auto keeps = column_->kept.finder();
      std::uint64_t kept = 0;
      const auto rank = [&](std::uint64_t id) {
        const std::size_t owner = graph_->rank_of(column_->of_nodes, id);
        return owner != here && keeps(id) != nullptr ? here : owner;
      };
      const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
        copy_row(row_at(id).data(), row);
      };
      const auto take = [&](std::size_t i, std::uint64_t id) {
        const auto row = out.subspan(i * width, width);
        if (graph_->rank_of(column_->of_nodes, id) == here) return serve(id, row);
        copy_row(keeps(id), row);
        ++kept;
      };
      exchange.fetch_each(wanted.size(),
                          graph_->fill_global(column_->of_nodes, column_->type, wanted), width,
                          rank, serve, take, [&](std::size_t i, std::span<const std::byte> row) {
                            copy_row(row.data(), out.subspan(i * width, width));
                          });
      cost = exchange.counters();
      cost.cached_rows = kept;
    });
    if (moved != nullptr) *moved += cost;
  }
  /// The same into memory of its own: [n, ...]. Collective.
  template <id_row Row>
  tensor operator[](const Row& ids) const {
    std::optional<tensor> out;
    run_collective(graph_->ranks(), [&] {
      tensor_shape shape{ids_of(ids).size()};
      shape.insert(shape.end(), row_shape().begin(), row_shape().end());
      auto bytes = std::make_shared<std::vector<std::byte>>(ids_of(ids).size() * row_bytes());
      gather(ids, *bytes);
      const std::span<const std::byte> view(*bytes);
      out.emplace(type(), std::move(shape), view, std::move(bytes));
    });
    return std::move(*out);
  }
  /// Is the row on this rank?
  /// @errors raises out_of_range: no such ID
  template <id Id>
  bool is_local(Id typed) const {
    return graph_->rank_of(column_->of_nodes, graph_->to_global(column_->of_nodes, column_->type,
                                                                typed)) == graph_->ranks().rank();
  }
  /// One row in place, without a copy. Not collective.
  /// @errors raises out_of_range: no such ID, or a row of another rank
  template <id Id>
  std::span<const std::byte> local_row(Id typed) const {
    const auto global = graph_->to_global(column_->of_nodes, column_->type, typed);
    if (const auto rank = graph_->rank_of(column_->of_nodes, global);
        rank != graph_->ranks().rank()) {
      raise(errc::out_of_range, "row " + std::to_string(typed) + " of \"" + column_->name +
                                    "\" is on rank " + std::to_string(rank) + "; use gather()");
    }
    return row_at(global);
  }
  /// The rows of one part of this rank: [inner nodes or edges of the type, ...], by typed ID. @pre
  /// the part is on this rank
  const tensor& of_part(part_id part) const noexcept {
    return column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)];
  }

 private:
  friend class dist_type<Communicator>;
  dist_rows(std::shared_ptr<const dist_graph<Communicator>> graph,
            const detail::dist_column* column, std::uint64_t rows)
      : graph_(std::move(graph)), column_(column), rows_(rows) {}

  std::span<const std::byte> row_at(std::uint64_t global) const noexcept {
    const auto [part, begin] = graph_->cell_of(column_->of_nodes, column_->type, global);
    const auto bytes =
        column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)].bytes();
    return bytes.subspan(static_cast<std::size_t>(global - begin) * row_bytes(), row_bytes());
  }
  static void copy_row(const std::byte* from, std::span<std::byte> row) noexcept {
    if (!row.empty()) std::memcpy(row.data(), from, row.size());
  }

  std::shared_ptr<const dist_graph<Communicator>> graph_;
  const detail::dist_column* column_;
  std::uint64_t rows_;
};

/// Nodes or edges of one type.
template <communicator Communicator>
class dist_type {
 public:
  type_id number() const noexcept { return type_; }
  /// How many there are, on all ranks.
  std::uint64_t size() const noexcept {
    return of_nodes_ ? graph_->book().nodes().size(type_) : graph_->book().edges().size(type_);
  }
  /// The names of its features.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& column : graph_->state_->columns) {
      if (column.of_nodes == of_nodes_ && column.type == type_) all.push_back(column.name);
    }
    return all;
  }
  /// A feature by name. @errors raises not_found, with the type and the names there are
  dist_rows<Communicator> data(std::string_view name) const {
    for (const auto& column : graph_->state_->columns) {
      if (column.of_nodes == of_nodes_ && column.type == type_ && column.name == name) {
        return dist_rows<Communicator>(graph_, &column, size());
      }
    }
    std::string known;
    for (const auto& one : names())
      known += (known.empty() ? "" : ", ") + graph_schema::quoted(one);
    const graph_schema& schema = graph_->schema();
    raise(errc::not_found,
          (of_nodes_ ? "node type " + graph_schema::quoted(schema.node_type_name(type_))
                     : "edge type " + graph_schema::quoted(schema.edge_type_name(type_).str())) +
              " has no feature " + graph_schema::quoted(name) + "; it has " +
              (known.empty() ? "none" : known),
          {graph_->config().path, {}, {}});
  }
  /// @name Typed IDs to global ones
  /// @errors raises out_of_range
  /// @{
  template <id_row Row>
  std::vector<global_id> to_global(const Row& typed) const {
    return of_nodes_ ? graph_->book().map_to_homo_nid(typed, type_)
                     : graph_->book().map_to_homo_eid(typed, type_);
  }
  /// @}
  /// The typed IDs that a part owns. @pre part < number of parts
  id_range of_part(part_id part) const noexcept {
    return of_nodes_ ? graph_->book().nodes().typed_range(part, type_)
                     : graph_->book().edges().typed_range(part, type_);
  }

 private:
  friend class dist_graph<Communicator>;
  dist_type(const dist_graph<Communicator>& graph, bool of_nodes, type_id type)
      : graph_(std::make_shared<dist_graph<Communicator>>(graph)),
        of_nodes_(of_nodes),
        type_(type) {}
  std::shared_ptr<const dist_graph<Communicator>> graph_;
  bool of_nodes_;
  type_id type_;
};

/// A partitioned graph over the ranks of a communicator; DGL's DistGraph. Made by
/// open_dist_graph(). Copies share everything. Immutable and thread-safe, except that collective
/// calls must be made by one thread.
template <communicator Communicator>
class dist_graph {
 public:
  const Communicator& ranks() const noexcept { return *ranks_; }
  const partition_config& config() const noexcept { return state_->config; }
  const partition_book& book() const noexcept { return *state_->book; }
  const graph_schema& schema() const noexcept { return state_->book->schema(); }
  const dist_options& options() const noexcept { return state_->options; }

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
  dist_type<Communicator> nodes(type_key ntype = {}) const {
    return {*this, true,
            ntype.what() == type_key::kind::all ? only(schema().num_node_types(), "node")
                                                : book().node_type_number(ntype)};
  }
  dist_type<Communicator> edges(type_key etype = {}) const {
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
  template <id_row Row>
  void find_edges(const Row& edges, std::span<global_id> sources, std::span<global_id> targets,
                  type_key etype = {}) const {
    run_collective(*ranks_, [&] {
      const auto wanted = ids_of(edges);
      if (sources.size() != wanted.size() || targets.size() != sources.size()) {
        raise(errc::mismatch, "the endpoints of " + std::to_string(wanted.size()) +
                                  " edges need as many sources and targets, not " +
                                  std::to_string(sources.size()) + " and " +
                                  std::to_string(targets.size()));
      }
      const auto type = type_of(false, etype);
      check_ids(false, type, wanted);
      const auto ends_of = [&](std::uint64_t id) {
        const auto& at = *part(part_of_edge(static_cast<global_id>(id)));
        const std::size_t edge = *at.local_inner_edge_of(static_cast<global_id>(id));
        const global_id source = at.global_of(at.source_of(edge)),
                        target = at.global_of(at.target_of(edge));
        return type ? std::array{typed_node(source), typed_node(target)}
                    : std::array{source, target};
      };
      const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
        const auto found = ends_of(id);
        std::memcpy(row.data(), found.data(), sizeof found);
      };
      const auto keep = [&](std::size_t i, const std::array<global_id, 2>& found) {
        sources[i] = found[0];
        targets[i] = found[1];
      };
      row_exchange<Communicator> exchange(*ranks_, state_->options.exchange_bytes);
      exchange.fetch_each(
          wanted.size(), fill_global(false, type, wanted), sizeof(std::array<global_id, 2>),
          [&](std::uint64_t id) { return rank_of(false, id); }, serve,
          [&](std::size_t i, std::uint64_t id) { keep(i, ends_of(id)); },
          [&](std::size_t i, std::span<const std::byte> row) {
            std::array<global_id, 2> found{};
            std::memcpy(found.data(), row.data(), sizeof found);
            keep(i, found);
          });
    });
  }
  /// The same into memory of its own. Collective.
  template <id_row Row>
  std::pair<std::vector<global_id>, std::vector<global_id>> find_edges(const Row& edges,
                                                                       type_key etype = {}) const {
    std::pair<std::vector<global_id>, std::vector<global_id>> ends;
    run_collective(*ranks_, [&] {
      ends.first.resize(ids_of(edges).size());
      ends.second.resize(ids_of(edges).size());
      find_edges(edges, ends.first, ends.second, etype);
    });
    return ends;
  }

  /// In-degrees of nodes of any rank: of typed IDs, counting edges of one type, or of global IDs,
  /// counting all edges. Collective.
  /// @errors      raises out_of_range, not_found; on all ranks
  /// @complexity  O(n), and with a type the edges of the nodes
  template <id_row Row>
  std::vector<std::uint64_t> in_degrees(const Row& nodes, type_key etype = {}) const {
    return degrees(true, nodes, etype);
  }
  /// Out-degrees of nodes of any rank. Requests every rank, unless has_all_out_edges(). Collective.
  template <id_row Row>
  std::vector<std::uint64_t> out_degrees(const Row& nodes, type_key etype = {}) const {
    return degrees(false, nodes, etype);
  }

 private:
  template <communicator C, file_opener Files, json_codec Codec, class Formats>
  friend dist_graph<C> open_dist_graph(const C& ranks, const std::string& path,
                                       const folder_access<Files, Codec, Formats>& access,
                                       const dist_options& options);
  friend class dist_rows<Communicator>;
  friend class dist_type<Communicator>;
  dist_graph(const Communicator& ranks, std::shared_ptr<const detail::dist_state> state)
      : ranks_(&ranks), state_(std::move(state)) {}

  static type_id only(std::size_t types, const char* noun) {
    if (types != 1)
      raise(errc::invalid_argument,
            std::string("there are ") + std::to_string(types) + " " + noun + " types; name one");
    return 0;
  }
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
  template <id Id>
  void check_ids(bool of_nodes, std::optional<type_id> type, std::span<const Id> ids) const {
    const auto size_in = [&](const auto& map) { return type ? map.size(*type) : map.size(); };
    const std::uint64_t end = of_nodes ? size_in(book().nodes()) : size_in(book().edges());
    for (const auto id : ids) {
      if (std::in_range<std::uint64_t>(id) && static_cast<std::uint64_t>(id) < end) continue;
      if (type)
        static_cast<void>(of_nodes ? book().map_to_homo_nid(id, *type)
                                   : book().map_to_homo_eid(id, *type));  // knows the words
      raise(errc::out_of_range, std::string("global ") + (of_nodes ? "node" : "edge") + " ID " +
                                    std::to_string(id) + " is not in the valid range [0, " +
                                    std::to_string(end) + ")");
    }
  }
  /// fill(first, out): the global IDs of checked ones, slice by slice.
  template <id Id>
  auto fill_global(bool of_nodes, std::optional<type_id> type,
                   std::span<const Id> ids) const noexcept {
    return [this, of_nodes, type, ids](std::size_t first, std::span<std::uint64_t> out) noexcept {
      const auto some = ids.subspan(first, out.size());
      if (!type) {
        std::transform(some.begin(), some.end(), out.begin(),
                       [](Id id) { return static_cast<std::uint64_t>(id); });
        return;
      }
      const std::span<global_id> to(reinterpret_cast<global_id*>(out.data()),
                                    out.size());  // its signed twin
      static_cast<void>(of_nodes ? book().nodes().to_global(*type, some, to)
                                 : book().edges().to_global(*type, some, to));
    };
  }
  template <id Id>
  std::uint64_t to_global(bool of_nodes, type_id type, Id typed) const {
    std::array<std::uint64_t, 1> out{};
    const std::array<Id, 1> one{typed};
    check_ids(of_nodes, std::optional(type), std::span<const Id>(one));
    fill_global(of_nodes, std::optional(type), std::span<const Id>(one))(0, out);
    return out[0];
  }
  /// Edges of a type (or all) at a local node of a part; `owned_alone`: only those that the part
  /// owns.
  static std::uint64_t degree_at(const part_graph& at, std::size_t local, bool in,
                                 std::optional<type_id> type, bool owned_alone) {
    if (!type && !owned_alone) return in ? at.in_degree(local) : at.out_degree(local);
    std::uint64_t count = 0;
    const auto see = [&](std::size_t, std::size_t edge) {
      count += (!owned_alone || at.is_inner_edge(edge)) && (!type || at.edge_type(edge) == *type)
                   ? 1u
                   : 0u;
    };
    if (in)
      at.for_each_in_edge(local, see);
    else
      at.for_each_out_edge(local, see);
    return count;
  }

  template <id_row Row>
  std::vector<std::uint64_t> degrees(bool in, const Row& nodes, type_key etype) const {
    std::vector<std::uint64_t> found;
    run_collective(*ranks_, [&] {
      if (!(in ? state_->options.part.in_edges : state_->options.part.out_edges)) {
        raise(errc::invalid_argument, std::string("the graph was opened without its ") +
                                          (in ? "in" : "out") +
                                          "-edges; request them in part_options");
      }
      const auto type = type_of(false, etype);
      const auto wanted = ids_of(nodes);
      const auto of = type ? std::optional(in ? schema().target_type(*type)
                                              : schema().source_type(*type))
                           : std::nullopt;
      check_ids(true, of, wanted);
      found.resize(wanted.size());
      const bool everyone = !in && !has_all_out_edges();
      const auto count_here = [&](std::uint64_t id) {
        const auto node = static_cast<global_id>(id);
        if (!everyone) {
          const auto& at = *part(part_of_node(node));
          return degree_at(at, *at.local_of(node), in, type, false);
        }
        std::uint64_t count = 0;
        for (const auto& at : parts()) {
          if (const auto local = at.local_of(node)) count += degree_at(at, *local, in, type, true);
        }
        return count;
      };
      const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
        const std::uint64_t count = count_here(id);
        std::memcpy(row.data(), &count, sizeof count);
      };
      row_exchange<Communicator> exchange(*ranks_, state_->options.exchange_bytes);
      // If edges of a node may be in any part, request all nodes from each rank in turn.
      for (std::size_t asked = 0; asked < (everyone ? ranks_->size() : 1); ++asked) {
        exchange.fetch_each(
            wanted.size(), fill_global(true, of, wanted), sizeof found[0],
            [&](std::uint64_t id) { return everyone ? asked : rank_of(true, id); }, serve,
            [&](std::size_t i, std::uint64_t id) { found[i] += count_here(id); },
            [&](std::size_t i, std::span<const std::byte> row) {
              std::uint64_t count = 0;
              std::memcpy(&count, row.data(), sizeof count);
              found[i] += count;
            });
      }
    });
    return found;
  }

  const Communicator* ranks_;
  std::shared_ptr<const detail::dist_state> state_;
};

template <communicator Communicator = single_rank>
using DistGraph = dist_graph<Communicator>;  ///< the name DGL's users know

}  // namespace halograph
