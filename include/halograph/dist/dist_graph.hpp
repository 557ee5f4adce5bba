// SPDX-License-Identifier: BSL-1.0
/// @file dist_graph.hpp
/// A partition folder as one graph over several ranks: each holds its parts, and asks the others
/// for what is theirs.
/// Layer: dist. Words: README.md.
///
///     auto g = hg::open_dist_graph(ranks, "parts/mag.json", access);
///     g.num_nodes("paper");
///     auto rows = g.nodes("paper").data("feat")[ids];  // typed IDs, of any rank's papers
///
/// *Collective* calls, marked so, must be made by all ranks in the same order, each with IDs of its
/// own (none, too); they fail on all ranks together. Whatever is not marked is answered on the
/// spot. Over `single_rank` all parts are here and no call waits for anybody.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/dist/exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/folder.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// How to open a distributed graph. The same on all ranks.
struct dist_options {
  part_options part{};
  bool features = true;          ///< open the features, too
  bool digest_features = false;  ///< compare them, too, with the manifest: reads them whole
  /// gather rows from copies that attach-features --cache-plan has placed
  bool cached_features = true;
  /// what a rank may be sent in one round of an exchange
  std::size_t exchange_bytes = default_exchange_bytes;
};

namespace detail {

/// Rows of other ranks that are kept here.
struct kept_rows {
  std::vector<std::uint64_t> ids{};  // global, ascending
  std::vector<const std::byte*> rows{};
  std::vector<std::uint32_t> table{};  // of a boundary_index over the IDs
  std::vector<tensor> owners{};        // what keeps the rows in memory

  /// A view that finds a row, or nothing. @complexity expected O(1)
  auto finder() const noexcept {
    return [this, index = boundary_index<std::uint64_t>(ids, table)](
               std::uint64_t id) noexcept -> const std::byte* {
      if (ids.empty() || id > ids.back()) return nullptr;
      const std::size_t count = id == ids.back() ? ids.size() : index.count_not_above(id);
      return count != 0 && ids[count - 1] == id ? rows[count - 1] : nullptr;
    };
  }
};

/// One feature of one type: what all ranks know of it, and the rows of the parts that are here.
struct dist_column {
  bool of_nodes = true;
  type_id type = 0;
  std::string name{};
  dtype item = dtype::float32;
  tensor_shape row_shape{};
  std::vector<tensor> rows{};  // by part of this rank; parts that own none of the type may lack it
  bool certain = false;  // told by a part that has rows: where there are none, DGL writes float32,
                         // whatever it is
  kept_rows kept{};
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape)) * item_bytes(item);
  }
};

/// What copies of a dist_graph share.
struct dist_state {
  partition_config config{};
  std::shared_ptr<const partition_book> book{};
  id_range held{};                     // parts of this rank
  std::vector<std::size_t> rank_of{};  // [P]
  std::vector<part_graph> parts{};
  std::vector<dist_column> columns{};
  bool complete_out_edges = false;
  dist_options options{};
};

/// The texts of all ranks, end to end. Inside run_collective().
template <communicator Communicator>
std::string gather_texts(const Communicator& ranks, const std::string& mine) {
  const auto lengths = gather_numbers(ranks, mine.size());
  const std::vector<std::uint64_t> sent(ranks.size(), mine.size());
  std::string out, all(static_cast<std::size_t>(
                           std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0})),
                       '\0');
  for (std::size_t r = 0; r < ranks.size(); ++r) out += mine;
  check_peers(ranks);
  check_ranks(ranks.all_to_all(std::as_bytes(std::span(out)), sent,
                               std::as_writable_bytes(std::span(all)), lengths));
  return all;
}

}  // namespace detail

template <communicator Communicator>
class dist_graph;
template <communicator Communicator>
class dist_type;

/// The rows of one feature of a type, wherever they live. Cheap to copy; keeps the graph open.
template <communicator Communicator>
class dist_rows {
 public:
  dtype type() const noexcept { return column_->item; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::span<const std::uint64_t> row_shape() const noexcept { return column_->row_shape; }
  std::size_t row_bytes() const noexcept { return column_->row_bytes(); }
  const std::string& name() const noexcept { return column_->name; }

  /// Copy rows of any rank's into the caller's memory. Collective.
  /// @param ids   [n] typed IDs; may repeat
  /// @param out   [n x row_bytes()]
  /// @param moved what it cost is added here, if given
  /// @errors      raises out_of_range: an ID is none of this type; mismatch: `out` has another
  ///     size; on all ranks
  /// @complexity  O(n) rows; those of this rank are copied from where they lie, so are copies that
  ///     its parts keep of others' (feature_cache.hpp); the rest is asked of its ranks in rounds of
  ///     bounded memory (dist_options::exchange_bytes)
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
  /// One row where it lies, without copying it. Not collective.
  /// @errors raises out_of_range: no such ID, or a row of another rank
  template <id Id>
  std::span<const std::byte> local_row(Id typed) const {
    const auto global = graph_->to_global(column_->of_nodes, column_->type, typed);
    if (const auto rank = graph_->rank_of(column_->of_nodes, global);
        rank != graph_->ranks().rank()) {
      raise(errc::out_of_range, "row " + std::to_string(typed) + " of \"" + column_->name +
                                    "\" lives on rank " + std::to_string(rank) +
                                    "; gather() brings it here");
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
  /// The typed IDs of a part: it owns them, no other does. @pre part < number of parts
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
/// open_dist_graph(). Copies share everything; immutable, but collective calls are one thread's
/// business.
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
  /// A part of this rank; nothing where another rank holds it.
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
  /// Does every part hold all out-edges of its inner nodes? (Not where HALOs follow in-edges
  /// alone.) Proven when the graph was opened, by counting edges over all ranks.
  bool has_all_out_edges() const noexcept { return state_->complete_out_edges; }
  /// @}

  /// The ends of edges of any rank's. Collective.
  /// @param edges    [n] edge IDs: of `etype`, or global without
  /// @param sources  [n] out, targets [n] out: typed IDs of the type's ends, or global ones
  /// @errors         raises out_of_range, not_found, mismatch (a length), on all ranks
  /// @complexity     O(n); 24 bytes through the network for an edge of another rank
  template <id_row Row>
  void find_edges(const Row& edges, std::span<global_id> sources, std::span<global_id> targets,
                  type_key etype = {}) const {
    run_collective(*ranks_, [&] {
      const auto wanted = ids_of(edges);
      if (sources.size() != wanted.size() || targets.size() != sources.size()) {
        raise(errc::mismatch, "the ends of " + std::to_string(wanted.size()) +
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

  /// How many edges lead to nodes of any rank's: edges of one type to typed IDs of its target type,
  /// or all edges to global IDs. Collective.
  /// @errors      raises out_of_range, not_found; on all ranks
  /// @complexity  O(n), and with a type the edges of the nodes
  template <id_row Row>
  std::vector<std::uint64_t> in_degrees(const Row& nodes, type_key etype = {}) const {
    return degrees(true, nodes, etype);
  }
  /// How many edges leave nodes of any rank's. Where parts do not hold all out-edges of their nodes
  /// (has_all_out_edges()) every rank is asked. Collective.
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
                                          "-edges; part_options says which to make ready");
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
      // Where edges of a node may lie in any part, each rank in turn is asked for all nodes.
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

namespace detail {

/// Are all ranks looking at the folder of one run? Where each has a folder of its own (dispatch's
/// --local-output), a manifest lists that rank's parts alone: what two manifests both say must
/// agree. Inside run_collective().
template <communicator Communicator>
void check_same_run(const Communicator& ranks, const partition_config& config,
                    std::uint64_t of_config, const std::optional<manifest>& made) {
  const auto mixed = [&](const char* what, std::size_t one, std::size_t other) {
    raise(
        errc::mismatch,
        std::string("the ") + what + " of rank " + std::to_string(other) + " is not that of rank " +
            std::to_string(one) +
            ": folders of different runs are mixed; every rank needs the config and its parts of one run",
        {config.path, {}, {}});
  };
  const auto configs = gather_numbers(ranks, of_config);
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    if (configs[r] != configs[0]) mixed("config", 0, r);
  }
  // How the run was made, then each part's files; 0: nothing is said of it.
  std::vector<std::uint64_t> said(1 + config.num_parts);
  if (made) {
    said[0] = digest64{}
                  .update(std::as_bytes(std::span(made->version)))
                  .update(std::as_bytes(std::span(made->command)))
                  .value();
    for (std::size_t p = 0; p < std::min(config.num_parts, config.parts.size());
         ++p) {  // paths_of() says which are missing
      digest64 of_part;
      for (const auto& name :
           {config.parts[p].graph, config.parts[p].node_features, config.parts[p].edge_features}) {
        const auto* const entry = name.empty() ? nullptr : made->find(name);
        if (entry != nullptr)
          said[1 + p] = of_part.update(std::as_bytes(std::span(&entry->digest, 1))).value();
      }
    }
  }
  const auto all = gather_numbers(ranks, said);
  for (std::size_t k = 0; k < said.size(); ++k) {
    std::size_t first = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::uint64_t it = all[r * said.size() + k], before = all[first * said.size() + k];
      if (before == 0)
        first = r;
      else if (it != 0 && it != before)
        mixed("manifest", first, r);
    }
  }
}

/// Files of a folder as its manifest lists them, where it does.
/// @param digests  not their sizes alone
template <file_opener Files>
auto as_listed(const partition_config& config, const Files& files,
               const std::optional<manifest>& made, bool digests) {
  return [&config, &files, &made, digests](const std::string& path) {
    file_bytes content = files(path);
    const std::string folder = config.folder();
    const auto* const entry = made && path.starts_with(folder)
                                  ? made->find(path.substr(folder.size()))
                                  : nullptr;
    if (entry != nullptr &&
        (entry->bytes != content.bytes.size() ||
         (digests && entry->digest != digest64{}.update(content.bytes).value()))) {
      raise(
          errc::mismatch,
          "this is not the file that the folder's manifest lists: it was changed, or folders of different runs are mixed; partition again, or copy the part again",
          {path, {}, {}});
    }
    return content;
  };
}

/// The features of this rank's parts, part by part.
template <file_opener Files, class Formats>
void open_columns(dist_state& state, const Files& files, const Formats& formats) {
  const auto& book = *state.book;
  for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
    const auto part = static_cast<part_id>(p);
    const auto path = state.config.resolve(state.config.parts[part].graph);
    auto found = load_partition_feats(state.config, part, files, formats);
    for (const bool of_nodes : {true, false}) {
      for (auto& one : of_nodes ? found.nodes : found.edges) {
        const auto slash = one.name.find('/');
        const auto of = one.name.substr(0, slash);
        const auto fail = [&](errc code, const std::string& what) {
          raise(code,
                "feature " + graph_schema::quoted(one.name) + " of part " + std::to_string(part) +
                    " " + what,
                {path, {}, {}});
        };
        type_id type = 0;
        try {
          type = of_nodes ? book.node_type_number(of) : book.edge_type_number(of);
        } catch (const error& problem) {
          fail(problem.code(), "is of a type that the config lacks: " + problem.message());
        }
        const std::uint64_t owned = of_nodes ? book.nodes().count(part, type)
                                             : book.edges().count(part, type);
        if (one.value.rank() == 0 || one.value.rows() != owned) {
          fail(errc::mismatch, "has shape " + to_string(one.value.shape()) +
                                   "; the config gives the part " + std::to_string(owned) +
                                   " rows of it");
        }
        const std::string name = one.name.substr(slash + 1);
        auto column = std::find_if(
            state.columns.begin(), state.columns.end(), [&](const dist_column& c) {
              return c.of_nodes == of_nodes && c.type == type && c.name == name;
            });
        if (column == state.columns.end()) {
          state.columns.push_back({of_nodes,
                                   type,
                                   name,
                                   one.value.type(),
                                   {one.value.row_shape().begin(), one.value.row_shape().end()},
                                   std::vector<tensor>(static_cast<std::size_t>(state.held.size())),
                                   owned != 0});
          column = state.columns.end() - 1;
        } else if (owned != 0 && !column->certain) {
          column->item = one.value.type();
          column->row_shape.assign(one.value.row_shape().begin(), one.value.row_shape().end());
          column->certain = true;
        }
        if (owned == 0) continue;
        if (column->item != one.value.type() ||
            !std::equal(column->row_shape.begin(), column->row_shape.end(),
                        one.value.row_shape().begin(), one.value.row_shape().end())) {
          fail(errc::mismatch, "has dtype " + std::string(halograph::name(one.value.type())) +
                                   " and shape " + to_string(one.value.shape()) +
                                   "; another part's is " +
                                   std::string(halograph::name(column->item)) + " with rows of " +
                                   to_string(column->row_shape));
        }
        column->rows[static_cast<std::size_t>(p - state.held.begin)] = std::move(one.value);
      }
    }
  }
}

/// One line for each feature of this rank; then those of all ranks, in an order that does not
/// depend on who holds what. Inside run_collective().
template <communicator Communicator>
void agree_on_columns(const Communicator& ranks, dist_state& state) {
  std::string lines;
  for (const auto& column : state.columns) {
    lines += std::string(column.of_nodes ? "n" : "e") + (column.certain ? "+" : "?") +
             std::to_string(column.type) + " " + std::to_string(static_cast<int>(column.item)) +
             " " + std::to_string(column.row_shape.size());
    for (const auto extent : column.row_shape) lines += " " + std::to_string(extent);
    lines += " " + std::to_string(column.name.size()) + " " + column.name;
  }
  const std::string text = gather_texts(ranks, lines);
  std::vector<dist_column> merged;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (; at < text.size() && text[at] != ' '; ++at)
      value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
    ++at;
    return value;
  };
  while (at < text.size()) {
    dist_column column;
    column.of_nodes = text[at] == 'n';
    column.certain = text[at + 1] == '+';
    at += 2;
    column.type = static_cast<type_id>(number());
    column.item = static_cast<dtype>(number());
    for (auto left = number(); left > 0; --left) column.row_shape.push_back(number());
    const auto length = static_cast<std::size_t>(number());
    column.name = text.substr(at, length);
    at += length;
    const auto key = [](const dist_column& c) {
      return std::tuple(!c.of_nodes, c.type, std::string_view(c.name));
    };
    const auto place = std::lower_bound(
        merged.begin(), merged.end(), column,
        [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (place == merged.end() || key(*place) != key(column)) {
      column.rows.resize(static_cast<std::size_t>(state.held.size()));
      merged.insert(place, std::move(column));
    } else if (!place->certain) {
      if (!column.certain) continue;
      place->item = column.item;
      place->row_shape = column.row_shape;
      place->certain = true;
    } else if (column.certain &&
               (place->item != column.item || place->row_shape != column.row_shape)) {
      raise(errc::mismatch,
            "feature " + graph_schema::quoted(column.name) + " has rows of dtype " +
                std::string(name(place->item)) + " and shape " + to_string(place->row_shape) +
                " in one part, of " + std::string(name(column.item)) + " and " +
                to_string(column.row_shape) + " in another; folders of different runs are mixed",
            {state.config.path, {}, {}});
    }
  }
  for (auto& column : state.columns) {
    for (auto& into : merged) {
      if (into.of_nodes == column.of_nodes && into.type == column.type && into.name == column.name)
        into.rows = std::move(column.rows);
    }
  }
  state.columns = std::move(merged);
}

/// A part that owns rows of a type has each feature of it.
inline void check_columns(const dist_state& state) {
  for (const auto& column : state.columns) {
    for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
      const auto part = static_cast<std::size_t>(p);
      const std::uint64_t owned = column.of_nodes ? state.book->nodes().count(part, column.type)
                                                  : state.book->edges().count(part, column.type);
      const auto& rows = column.rows[static_cast<std::size_t>(p - state.held.begin)];
      if (owned != rows.rows()) {
        raise(errc::not_found,
              "part " + std::to_string(p) + " has no feature " + graph_schema::quoted(column.name) +
                  ", which other parts have; folders of different runs are mixed",
              {state.config.path, {}, {}});
      }
    }
  }
}

/// The rows of other ranks' nodes that this rank's parts keep.
template <file_opener Files, class Formats>
void open_kept_rows(dist_state& state, std::size_t rank, const Files& files,
                    const Formats& formats) {
  struct kept_row {
    std::uint64_t node;
    const std::byte* row;
  };
  std::vector<std::vector<kept_row>> found(state.columns.size());
  for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
    const auto part = static_cast<std::size_t>(p);
    const auto all = load_cached_features(state.config, part, files, formats);
    if (all.empty()) continue;
    const auto fail = [&](const std::string& name, const std::string& what) {
      raise(errc::mismatch,
            "the kept rows " + graph_schema::quoted(name) + " of part " + std::to_string(part) +
                " " + what + "; place the plan again, by attach-features --cache-plan",
            {state.config.resolve(cached_features_file(state.config, part)), {}, {}});
    };
    for (const auto& one : all) {
      const auto slash = one.name.find('/');
      const std::string type_name = one.name.substr(0, slash),
                        name = slash == std::string::npos ? "" : one.name.substr(slash + 1);
      if (name == "_ID") continue;
      const auto type = state.config.schema.node_type(type_name);
      const auto* const ids = find_column(all, type_name + "/_ID");
      if (!type || ids == nullptr) fail(one.name, "are of nodes that the file does not name");
      if (ids->rank() != 1 || ids->type() != dtype::int64 || one.value.rank() == 0 ||
          one.value.rows() != ids->rows()) {
        fail(one.name, "have shape " + to_string(one.value.shape()) + ", their IDs " +
                           to_string(ids->shape()) + " of " +
                           std::string(halograph::name(ids->type())) + "; each row needs an int64");
      }
      const auto column = std::find_if(
          state.columns.begin(), state.columns.end(),
          [&](const auto& c) { return c.of_nodes && c.type == *type && c.name == name; });
      if (column == state.columns.end() || column->item != one.value.type() ||
          !std::equal(column->row_shape.begin(), column->row_shape.end(),
                      one.value.row_shape().begin(), one.value.row_shape().end())) {
        fail(one.name, "are none of a feature of the folder, or of another dtype or shape");
      }
      for (std::size_t i = 0; i < ids->rows(); ++i) {
        const std::int64_t id = ids->integer(i);
        typed_id<global_id> typed{};
        if (!state.book->nodes().to_typed(id, typed) || typed.type != *type ||
            (i != 0 && id <= ids->integer(i - 1))) {
          fail(one.name, "name node " + std::to_string(id) + " in row " + std::to_string(i) +
                             ", where nodes of the type must ascend");
        }
        if (state.rank_of[state.book->nodes().part_of_unchecked(id)] == rank) continue;
        found[static_cast<std::size_t>(column - state.columns.begin())].push_back(
            {static_cast<std::uint64_t>(id), one.value.bytes().data() + i * column->row_bytes()});
      }
      column->kept.owners.push_back(one.value);
    }
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    auto& [ids, rows, table, owners] = state.columns[c].kept;
    std::sort(found[c].begin(), found[c].end(),
              [](const kept_row& a, const kept_row& b) { return a.node < b.node; });
    for (const auto& one : found[c]) {
      if (!ids.empty() && ids.back() == one.node) continue;  // several parts of this rank keep it
      ids.push_back(one.node);
      rows.push_back(one.row);
    }
    table.resize(ids.empty() ? 0 : boundary_index<std::uint64_t>::memory_size(ids.size()));
    if (!boundary_index<std::uint64_t>::build(ids, table))
      table.clear();  // too many for a table: searched by halving
  }
}

}  // namespace detail

/// Open a partition folder on all ranks. Collective. Rank r of R holds the parts block_range(parts,
/// r, R); files of other parts are not touched, so each rank needs the config and its own parts
/// alone. (Configs of DGL 0.6 to 0.9 with several node types name relations alone: a part that has
/// an edge of each is read for their ends.)
///
/// Where there is a manifest, each file that is opened has the size, and each graph the digest,
/// that it lists; manifests of several ranks agree on every file. Features of another run that have
/// the same size are found where dist_options::digest_features asks for it, and by verify. Rows
/// that attach-features --cache-plan has placed are opened, too.
///
/// @param ranks    over whom; must outlive the graph and its copies
/// @param path     the config JSON, as this rank sees it
/// @param access   reads the folder; views of mapped files cost nothing until touched
///
/// @errors         raises, on all ranks: those of reading a config and a part; mismatch: ranks, or
///     a part and the config, are of different runs, or the folder was replaced while it was
///     opened, or ranks have other options than each other; unsupported: a folder made without
///     relabeling (`--no-reshuffle`), whose parts own no ranges of IDs
/// @complexity     O(size of this rank's parts)
template <communicator Communicator, file_opener Files, json_codec Codec, class Formats>
dist_graph<Communicator> open_dist_graph(const Communicator& ranks, const std::string& path,
                                         const folder_access<Files, Codec, Formats>& access,
                                         const dist_options& options) {
  const auto& formats = access.formats;
  std::shared_ptr<detail::dist_state> state;
  run_collective(ranks, [&] {
    const recorded_files<borrowed_files<Files>> recorded{.inner = {&access.files}};
    const auto& [in_edges, out_edges, digest] = options.part;
    const std::array<std::uint64_t, 7> said{in_edges,
                                            out_edges,
                                            digest,
                                            options.features,
                                            options.digest_features,
                                            options.cached_features,
                                            options.exchange_bytes};
    require_same(ranks, digest_of(std::as_bytes(std::span(said))),
                 "opens the graph with other options than", "they must be the same on all ranks");
    state = std::make_shared<detail::dist_state>();
    state->options = options;
    state->config = read_config(path, recorded, access.codec);
    const std::uint64_t of_config = digest64{}.update(recorded(path).bytes).value();
    std::optional<manifest> made;
    try {
      const std::string place = state->config.folder() + std::string(manifest_name);
      const file_bytes content = recorded(place);
      made = parse_manifest(
          {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, place);
    } catch (const error& problem) {
      if (problem.code() != errc::not_found) throw;  // DGL writes none
    }
    if (!state->config.reshuffled()) {
      detail::raise_in(
          state->config, errc::unsupported,
          "the folder was made without relabeling, so no part owns a range of IDs; partition again without --no-reshuffle");
    }
    detail::check_same_run(ranks, state->config, of_config, made);
    resolve_relations(state->config, recorded, formats);
    state->held = block_range(state->config.num_parts, ranks.rank(), ranks.size());
    const auto first = static_cast<std::size_t>(
        std::min<std::uint64_t>(state->held.begin, state->config.num_parts - 1));
    state->book = std::make_shared<const partition_book>(
        std::get<partition_book>(load_partition_book(state->config, first, recorded)));
    state->rank_of.resize(state->config.num_parts);
    for (std::size_t p = 0; p < state->rank_of.size(); ++p)
      state->rank_of[p] = static_cast<std::size_t>(
          block_range_of(state->config.num_parts, p, ranks.size()));
    for (std::uint64_t p = state->held.begin; p < state->held.end; ++p) {
      state->parts.push_back(open_part_graph(state->config, static_cast<part_id>(p), state->book,
                                             recorded, formats, made ? &*made : nullptr,
                                             options.part));
    }
    const auto listed = detail::as_listed(state->config, recorded, made, options.digest_features);
    if (options.features) detail::open_columns(*state, listed, formats);
    detail::agree_on_columns(ranks, *state);
    detail::check_columns(*state);
    if (options.features && options.cached_features && ranks.size() > 1)
      detail::open_kept_rows(*state, ranks.rank(), listed, formats);
    recorded.settle();
    std::array<std::uint64_t, 1> from_inner{};
    for (const auto& part : state->parts) from_inner[0] += part.edges_from_inner();
    check_peers(ranks);
    check_ranks(ranks.sum(from_inner));
    state->complete_out_edges = from_inner[0] == state->book->edges().size();
  });
  return dist_graph<Communicator>(ranks, std::move(state));
}
template <communicator Communicator, file_opener Files, json_codec Codec, class Formats>
dist_graph<Communicator> open_dist_graph(const Communicator& ranks, const std::string& path,
                                         const folder_access<Files, Codec, Formats>& access) {
  return open_dist_graph(ranks, path, access, dist_options{});
}
/// Ranks that end with the call would be gone before the graph.
template <communicator Communicator, class... Arguments>
void open_dist_graph(const Communicator&& ranks, const Arguments&...) = delete;

}  // namespace halograph
