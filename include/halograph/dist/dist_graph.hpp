// SPDX-License-Identifier: BSL-1.0
/// @file dist_graph.hpp
/// A partition folder as one graph over several ranks: each holds its parts, and asks the others for what is theirs.
/// Layer: dist. Words: README.md.
///
///     auto g = hg::open_dist_graph(ranks, "parts/mag.json", hg::mapped_files{}, hg::nlohmann_codec{}, formats);
///     g.num_nodes("paper");
///     auto rows = g.nodes("paper").data("feat")[ids];     // typed IDs, of any rank's papers
///
/// *Collective* calls, marked so, must be made by all ranks in the same order, each with IDs of its own (none, too); they
/// fail on all ranks together. Whatever is not marked is answered on the spot. Over `single_rank` all parts are here and no
/// call waits for anybody.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/digest.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/even_share.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/jointly.hpp>
#include <halograph/pipeline/load_partition.hpp>
#include <halograph/serial/folder.hpp>
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
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// How to open a distributed graph. The same on all ranks.
struct dist_options {
  part_options part{};
  bool features = true;                              ///< open the features, too
  std::size_t exchange_bytes = std::size_t{1} << 24; ///< what a rank may be sent in one round of an exchange
};

namespace detail {

/// One feature of one type: what all ranks know of it, and the rows of the parts that are here.
struct dist_column {
  bool of_nodes = true;
  type_id type = 0;
  std::string name{};
  dtype item = dtype::float32;
  tensor_shape row_shape{};
  std::vector<tensor> rows{};  // by part of this rank; parts that own none of the type may lack it
  bool certain = false;        // told by a part that has rows: where there are none, DGL writes float32, whatever it is
  std::size_t row_bytes() const noexcept { return static_cast<std::size_t>(element_count(row_shape)) * item_bytes(item); }
};

/// What copies of a dist_graph share.
struct dist_state {
  partition_config config{};
  std::shared_ptr<const partition_book> book{};
  id_range held{};                      // parts of this rank
  std::vector<std::size_t> rank_of{};   // [P]
  std::vector<part_graph> parts{};
  std::vector<dist_column> columns{};
  bool complete_out_edges = false;
  dist_options options{};
};

/// Bytes of every rank, of any lengths, end to end; `ends` is [R].
template <communicator Communicator>
std::vector<std::byte> gather_texts(const Communicator& ranks, std::span<const std::byte> mine, std::vector<std::uint64_t>& ends) {
  std::array<std::byte, 8> length{};
  const std::uint64_t size = mine.size();
  std::memcpy(length.data(), &size, 8);
  std::vector<std::byte> lengths(8 * ranks.size());
  check_ranks(ranks.all_gather(length, lengths));
  std::vector<std::uint64_t> out_counts(ranks.size(), size), in_counts(ranks.size());
  std::memcpy(in_counts.data(), lengths.data(), lengths.size());
  ends.assign(ranks.size(), 0);
  std::uint64_t total = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) ends[r] = total += in_counts[r];
  std::vector<std::byte> out(mine.size() * ranks.size()), all(static_cast<std::size_t>(total));
  for (std::size_t r = 0; r < ranks.size(); ++r) std::copy(mine.begin(), mine.end(), out.begin() + static_cast<std::ptrdiff_t>(r * mine.size()));
  check_ranks(ranks.all_to_all(out, out_counts, all, in_counts));
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
  /// @errors      raises out_of_range: an ID is none of this type; mismatch: `out` has another size; on all ranks
  /// @complexity  O(n) rows; those of this rank are copied from where they lie, others are asked of their ranks in rounds of
  ///              bounded memory (dist_options::exchange_bytes)
  template <id_row Row>
  void gather(const Row& ids, std::span<std::byte> out, exchange_counters* moved = nullptr) const {
    const auto& state = *graph_->state_;
    std::vector<std::uint64_t> global;
    jointly(graph_->ranks(), [&] { global = graph_->to_global(column_->of_nodes, column_->type, ids); });
    row_exchange<Communicator> exchange(graph_->ranks(), state.options.exchange_bytes);
    const auto rank = [&](std::uint64_t id) { return graph_->rank_of(column_->of_nodes, id); };
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) { copy_row(id, row); };
    exchange.fetch(global, row_bytes(), rank, serve, out);
    if (moved != nullptr) *moved += exchange.counters();
  }
  /// The same into memory of its own: [n, ...]. Collective.
  template <id_row Row>
  tensor operator[](const Row& ids) const {
    tensor_shape shape{ids_of(ids).size()};
    shape.insert(shape.end(), row_shape().begin(), row_shape().end());
    std::shared_ptr<std::vector<std::byte>> bytes;
    jointly(graph_->ranks(), [&] { bytes = std::make_shared<std::vector<std::byte>>(ids_of(ids).size() * row_bytes()); });
    gather(ids, *bytes);
    const std::span<const std::byte> view(*bytes);
    return tensor(type(), std::move(shape), view, std::move(bytes));
  }
  /// Is the row on this rank?
  /// @errors raises out_of_range: no such ID
  template <id Id>
  bool is_local(Id typed) const {
    const std::array<Id, 1> one{typed};
    return graph_->rank_of(column_->of_nodes, graph_->to_global(column_->of_nodes, column_->type, one)[0]) == graph_->ranks().rank();
  }
  /// One row where it lies, without copying it. Not collective.
  /// @errors raises out_of_range: no such ID, or a row of another rank
  template <id Id>
  std::span<const std::byte> local_row(Id typed) const {
    const std::array<Id, 1> one{typed};
    const auto global = graph_->to_global(column_->of_nodes, column_->type, one)[0];
    if (const auto rank = graph_->rank_of(column_->of_nodes, global); rank != graph_->ranks().rank()) {
      raise(errc::out_of_range, "row " + std::to_string(typed) + " of \"" + column_->name + "\" lives on rank " + std::to_string(rank) + "; gather() brings it here");
    }
    return row_at(global);
  }
  /// The rows of one part of this rank: [inner nodes or edges of the type, ...], by typed ID. @pre the part is on this rank
  const tensor& of_part(part_id part) const noexcept { return column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)]; }

 private:
  friend class dist_type<Communicator>;
  dist_rows(std::shared_ptr<const dist_graph<Communicator>> graph, const detail::dist_column* column, std::uint64_t rows)
      : graph_(std::move(graph)), column_(column), rows_(rows) {}

  std::span<const std::byte> row_at(std::uint64_t global) const noexcept {
    const auto [part, begin] = graph_->cell_of(column_->of_nodes, column_->type, global);
    const auto bytes = column_->rows[part - static_cast<std::size_t>(graph_->part_range().begin)].bytes();
    return bytes.subspan(static_cast<std::size_t>(global - begin) * row_bytes(), row_bytes());
  }
  void copy_row(std::uint64_t global, std::span<std::byte> row) const noexcept {
    const auto from = row_at(global);
    if (!row.empty()) std::memcpy(row.data(), from.data(), row.size());
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
  std::uint64_t size() const noexcept { return of_nodes_ ? graph_->book().nodes().size(type_) : graph_->book().edges().size(type_); }
  /// The names of its features.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& column : graph_->state_->columns) {
      if (column.of_nodes == of_nodes_ && column.type == type_) all.push_back(column.name);
    }
    return all;
  }
  /// A feature by name. @errors raises not_found, with the names there are
  dist_rows<Communicator> data(std::string_view name) const {
    for (const auto& column : graph_->state_->columns) {
      if (column.of_nodes == of_nodes_ && column.type == type_ && column.name == name) {
        return dist_rows<Communicator>(graph_, &column, size());
      }
    }
    std::string known;
    for (const auto& one : names()) known += (known.empty() ? "" : ", ") + graph_schema::quoted(one);
    raise(errc::not_found, "there is no feature " + graph_schema::quoted(name) + " of this type; there are " + (known.empty() ? "none" : known));
  }
  /// @name Typed IDs to global ones
  /// @errors raises out_of_range
  /// @{
  template <id_row Row>
  std::vector<global_id> to_global(const Row& typed) const {
    return of_nodes_ ? graph_->book().map_to_homo_nid(typed, type_) : graph_->book().map_to_homo_eid(typed, type_);
  }
  /// @}
  /// The typed IDs of a part: it owns them, no other does. @pre part < number of parts
  id_range of_part(part_id part) const noexcept {
    return of_nodes_ ? graph_->book().nodes().typed_range(part, type_) : graph_->book().edges().typed_range(part, type_);
  }

 private:
  friend class dist_graph<Communicator>;
  dist_type(const dist_graph<Communicator>& graph, bool of_nodes, type_id type)
      : graph_(std::make_shared<dist_graph<Communicator>>(graph)), of_nodes_(of_nodes), type_(type) {}
  std::shared_ptr<const dist_graph<Communicator>> graph_;
  bool of_nodes_;
  type_id type_;
};

/// A partitioned graph over the ranks of a communicator; DGL's DistGraph. Made by open_dist_graph(). Copies share
/// everything; immutable, but collective calls are one thread's business.
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
  const std::vector<canonical_etype>& canonical_etypes() const noexcept { return book().canonical_etypes(); }
  const canonical_etype& to_canonical_etype(type_key etype) const { return book().to_canonical_etype(etype); }
  /// The nodes of one type; without a name where there is one type alone. @errors raises not_found; invalid_argument: name one of several
  dist_type<Communicator> nodes(type_key ntype = {}) const {
    return {*this, true, ntype.what() == type_key::kind::all ? only(schema().num_node_types(), "node") : book().node_type_number(ntype)};
  }
  dist_type<Communicator> edges(type_key etype = {}) const {
    return {*this, false, etype.what() == type_key::kind::all ? only(schema().num_edge_types(), "edge") : book().edge_type_number(etype)};
  }
  /// @}

  /// @name Parts and ranks
  /// @{
  /// The parts of this rank, by number: part_range() of them.
  std::span<const part_graph> parts() const noexcept { return state_->parts; }
  id_range part_range() const noexcept { return state_->held; }
  /// A part of this rank; nothing where another rank holds it.
  const part_graph* part(part_id p) const noexcept {
    return p >= state_->held.begin && p < state_->held.end ? &state_->parts[p - static_cast<std::size_t>(state_->held.begin)] : nullptr;
  }
  /// @pre part < num_parts()
  std::size_t rank_of_part(part_id p) const noexcept { return state_->rank_of[p]; }
  /// @pre a global ID of the graph
  part_id part_of_node(global_id node) const noexcept { return book().nodes().part_of_unchecked(node); }
  part_id part_of_edge(global_id edge) const noexcept { return book().edges().part_of_unchecked(edge); }
  std::size_t rank_of_node(global_id node) const noexcept { return rank_of_part(part_of_node(node)); }
  std::size_t rank_of_edge(global_id edge) const noexcept { return rank_of_part(part_of_edge(edge)); }
  /// Does every part hold all out-edges of its inner nodes? (Not where HALOs follow in-edges alone.) Proven when the graph
  /// was opened, by counting edges over all ranks.
  bool has_all_out_edges() const noexcept { return state_->complete_out_edges; }
  /// @}

  /// The ends of edges of any rank's. Collective.
  /// @param edges    [n] edge IDs: of `etype`, or global without
  /// @param sources  [n] out, targets [n] out: typed IDs of the type's ends, or global ones
  /// @errors         raises out_of_range, not_found, mismatch (a length), on all ranks
  /// @complexity     O(n); 24 bytes through the network for an edge of another rank
  template <id_row Row>
  void find_edges(const Row& edges, std::span<global_id> sources, std::span<global_id> targets, type_key etype = {}) const {
    std::vector<std::uint64_t> ids;
    std::optional<type_id> type;
    jointly(*ranks_, [&] {
      if (sources.size() != ids_of(edges).size() || targets.size() != sources.size()) {
        raise(errc::mismatch, "the ends of " + std::to_string(ids_of(edges).size()) + " edges need as many sources and targets, not " +
                                  std::to_string(sources.size()) + " and " + std::to_string(targets.size()));
      }
      type = type_of(false, etype);
      ids = to_global(false, type, edges);
    });
    std::vector<std::array<global_id, 2>> ends(ids.size());
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
      const auto& at = *part(part_of_edge(static_cast<global_id>(id)));
      const std::size_t edge = *at.local_inner_edge_of(static_cast<global_id>(id));
      const std::array<global_id, 2> found{at.global_of(at.source_of(edge)), at.global_of(at.target_of(edge))};
      std::memcpy(row.data(), found.data(), sizeof found);
    };
    row_exchange<Communicator> exchange(*ranks_, state_->options.exchange_bytes);
    exchange.fetch(ids, sizeof ends[0], [&](std::uint64_t id) { return rank_of(false, id); }, serve, std::as_writable_bytes(std::span(ends)));
    for (std::size_t i = 0; i < ends.size(); ++i) {
      sources[i] = type ? typed_node(ends[i][0]) : ends[i][0];
      targets[i] = type ? typed_node(ends[i][1]) : ends[i][1];
    }
  }
  /// The same into memory of its own. Collective.
  template <id_row Row>
  std::pair<std::vector<global_id>, std::vector<global_id>> find_edges(const Row& edges, type_key etype = {}) const {
    std::pair<std::vector<global_id>, std::vector<global_id>> ends{std::vector<global_id>(ids_of(edges).size()), std::vector<global_id>(ids_of(edges).size())};
    find_edges(edges, ends.first, ends.second, etype);
    return ends;
  }

  /// How many edges lead to nodes of any rank's: edges of one type to typed IDs of its target type, or all edges to
  /// global IDs. Collective.
  /// @errors      raises out_of_range, not_found; on all ranks
  /// @complexity  O(n), and with a type the edges of the nodes
  template <id_row Row>
  std::vector<std::uint64_t> in_degrees(const Row& nodes, type_key etype = {}) const { return degrees(true, nodes, etype); }
  /// How many edges leave nodes of any rank's. Where parts do not hold all out-edges of their nodes (has_all_out_edges())
  /// every rank is asked. Collective.
  template <id_row Row>
  std::vector<std::uint64_t> out_degrees(const Row& nodes, type_key etype = {}) const { return degrees(false, nodes, etype); }

 private:
  template <communicator C, file_opener Files, json_codec Codec, class Formats>
  friend dist_graph<C> open_dist_graph(const C& ranks, const std::string& path, const Files& files, const Codec& codec, const Formats& formats,
                                       const dist_options& options);
  friend class dist_rows<Communicator>;
  friend class dist_type<Communicator>;
  dist_graph(const Communicator& ranks, std::shared_ptr<const detail::dist_state> state) : ranks_(&ranks), state_(std::move(state)) {}

  static type_id only(std::size_t types, const char* noun) {
    if (types != 1) raise(errc::invalid_argument, std::string("there are ") + std::to_string(types) + " " + noun + " types; name one");
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
  std::pair<std::size_t, std::uint64_t> cell_of(bool of_nodes, type_id type, std::uint64_t global) const noexcept {
    const std::size_t p = of_nodes ? part_of_node(static_cast<global_id>(global)) : part_of_edge(static_cast<global_id>(global));
    return {p, (of_nodes ? book().nodes().cell(p, type) : book().edges().cell(p, type)).begin};
  }
  template <id_row Row>
  std::vector<std::uint64_t> to_global(bool of_nodes, std::optional<type_id> type, const Row& ids) const {
    std::vector<std::uint64_t> out;
    out.reserve(ids_of(ids).size());
    if (type) {
      for (const auto id : of_nodes ? book().map_to_homo_nid(ids, *type) : book().map_to_homo_eid(ids, *type)) out.push_back(static_cast<std::uint64_t>(id));
      return out;
    }
    const std::uint64_t end = of_nodes ? book().nodes().size() : book().edges().size();
    for (const auto id : ids_of(ids)) {
      if (!std::in_range<std::uint64_t>(id) || static_cast<std::uint64_t>(id) >= end) {
        raise(errc::out_of_range, std::string("global ") + (of_nodes ? "node" : "edge") + " ID " + std::to_string(id) + " is not in the valid range [0, " + std::to_string(end) + ")");
      }
      out.push_back(static_cast<std::uint64_t>(id));
    }
    return out;
  }
  /// Edges of a type (or all) at a local node of a part; `owned_alone`: only those that the part owns.
  static std::uint64_t degree_at(const part_graph& at, std::size_t local, bool in, std::optional<type_id> type, bool owned_alone) {
    if (!type && !owned_alone) return in ? at.in_degree(local) : at.out_degree(local);
    std::uint64_t count = 0;
    const auto see = [&](std::size_t, std::size_t edge) { count += (!owned_alone || at.is_inner_edge(edge)) && (!type || at.edge_type(edge) == *type) ? 1u : 0u; };
    if (in) at.for_each_in_edge(local, see);
    else at.for_each_out_edge(local, see);
    return count;
  }

  template <id_row Row>
  std::vector<std::uint64_t> degrees(bool in, const Row& nodes, type_key etype) const {
    std::vector<std::uint64_t> ids;
    std::optional<type_id> type;
    jointly(*ranks_, [&] {
      if (!(in ? state_->options.part.in_edges : state_->options.part.out_edges)) {
        raise(errc::invalid_argument, std::string("the graph was opened without its ") + (in ? "in" : "out") + "-edges; part_options says which to make ready");
      }
      type = type_of(false, etype);
      ids = type ? to_global(true, in ? schema().target_type(*type) : schema().source_type(*type), nodes) : to_global(true, std::nullopt, nodes);
    });
    row_exchange<Communicator> exchange(*ranks_, state_->options.exchange_bytes);
    std::vector<std::uint64_t> found(ids.size());
    const bool everyone = !in && !has_all_out_edges();
    // Where edges of a node may lie in any part, each rank in turn is asked for all nodes.
    for (std::size_t asked = 0; asked < (everyone ? ranks_->size() : 1); ++asked) {
      std::vector<std::uint64_t> here(ids.size());
      const auto rank = [&](std::uint64_t id) { return everyone ? asked : rank_of(true, id); };
      const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
        std::uint64_t count = 0;
        const auto node = static_cast<global_id>(id);
        if (everyone) {
          for (const auto& at : parts()) {
            if (const auto local = at.local_of(node)) count += degree_at(at, *local, in, type, true);
          }
        } else {
          const auto& at = *part(part_of_node(node));
          count = degree_at(at, *at.local_of(node), in, type, false);
        }
        std::memcpy(row.data(), &count, sizeof count);
      };
      exchange.fetch(ids, sizeof here[0], rank, serve, std::as_writable_bytes(std::span(here)));
      for (std::size_t i = 0; i < ids.size(); ++i) found[i] += here[i];
    }
    return found;
  }

  const Communicator* ranks_;
  std::shared_ptr<const detail::dist_state> state_;
};

template <communicator Communicator = single_rank>
using DistGraph = dist_graph<Communicator>;  ///< the name DGL's users know

namespace detail {

/// Are all ranks looking at the folder of one run? Where each has a folder of its own (dispatch's --local-output), a manifest
/// lists that rank's parts alone: what two manifests both say must agree. Collective.
template <communicator Communicator>
void check_same_run(const Communicator& ranks, const partition_config& config, std::uint64_t of_config, const std::optional<manifest>& made) {
  const auto of_all = [&](const std::vector<std::uint64_t>& mine) {
    std::vector<std::uint64_t> all(mine.size() * ranks.size());
    check_ranks(ranks.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))));
    return all;
  };
  const auto mixed = [&](const char* what, std::size_t one, std::size_t other) {
    raise(errc::mismatch, std::string("the ") + what + " of rank " + std::to_string(other) + " is not that of rank " + std::to_string(one) +
                              ": folders of different runs are mixed; every rank needs the config and its parts of one run",
          {config.path, {}, {}});
  };
  const auto configs = of_all({of_config});
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    if (configs[r] != configs[0]) mixed("config", 0, r);
  }
  // How the run was made, then each part's files; 0: nothing is said of it.
  std::vector<std::uint64_t> said(1 + config.num_parts);
  if (made) {
    said[0] = digest64{}.update(std::as_bytes(std::span(made->version))).update(std::as_bytes(std::span(made->command))).value();
    for (std::size_t p = 0; p < std::min(config.num_parts, config.parts.size()); ++p) {  // paths_of() says which are missing
      digest64 of_part;
      for (const auto& name : {config.parts[p].graph, config.parts[p].node_features, config.parts[p].edge_features}) {
        const auto* const entry = name.empty() ? nullptr : made->find(name);
        if (entry != nullptr) said[1 + p] = of_part.update(std::as_bytes(std::span(&entry->digest, 1))).value();
      }
    }
  }
  const auto all = of_all(said);
  for (std::size_t k = 0; k < said.size(); ++k) {
    std::size_t first = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::uint64_t it = all[r * said.size() + k], before = all[first * said.size() + k];
      if (before == 0) first = r;
      else if (it != 0 && it != before) mixed("manifest", first, r);
    }
  }
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
          raise(code, "feature " + graph_schema::quoted(one.name) + " of part " + std::to_string(part) + " " + what, {path, {}, {}});
        };
        type_id type = 0;
        try {
          type = of_nodes ? book.node_type_number(of) : book.edge_type_number(of);
        } catch (const error& problem) {
          fail(problem.code(), "is of a type that the config lacks: " + problem.message());
        }
        const std::uint64_t owned = of_nodes ? book.nodes().count(part, type) : book.edges().count(part, type);
        if (one.value.rank() == 0 || one.value.rows() != owned) {
          fail(errc::mismatch, "has shape " + to_string(one.value.shape()) + "; the config gives the part " + std::to_string(owned) + " rows of it");
        }
        const std::string name = one.name.substr(slash + 1);
        auto column = std::find_if(state.columns.begin(), state.columns.end(),
                                   [&](const dist_column& c) { return c.of_nodes == of_nodes && c.type == type && c.name == name; });
        if (column == state.columns.end()) {
          state.columns.push_back({of_nodes, type, name, one.value.type(), {one.value.row_shape().begin(), one.value.row_shape().end()},
                                   std::vector<tensor>(static_cast<std::size_t>(state.held.size())), owned != 0});
          column = state.columns.end() - 1;
        } else if (owned != 0 && !column->certain) {
          column->item = one.value.type();
          column->row_shape.assign(one.value.row_shape().begin(), one.value.row_shape().end());
          column->certain = true;
        }
        if (owned == 0) continue;
        if (column->item != one.value.type() || !std::equal(column->row_shape.begin(), column->row_shape.end(), one.value.row_shape().begin(), one.value.row_shape().end())) {
          fail(errc::mismatch, "has dtype " + std::string(halograph::name(one.value.type())) + " and shape " + to_string(one.value.shape()) + "; another part's is " +
                                   std::string(halograph::name(column->item)) + " with rows of " + to_string(column->row_shape));
        }
        column->rows[static_cast<std::size_t>(p - state.held.begin)] = std::move(one.value);
      }
    }
  }
}

/// One line for each feature of this rank; then those of all ranks, in an order that does not depend on who holds what.
template <communicator Communicator>
void agree_on_columns(const Communicator& ranks, dist_state& state) {
  std::string lines;
  for (const auto& column : state.columns) {
    lines += std::string(column.of_nodes ? "n" : "e") + (column.certain ? "+" : "?") + std::to_string(column.type) + " " + std::to_string(static_cast<int>(column.item)) + " " + std::to_string(column.row_shape.size());
    for (const auto extent : column.row_shape) lines += " " + std::to_string(extent);
    lines += " " + std::to_string(column.name.size()) + " " + column.name;
  }
  std::vector<std::uint64_t> ends;
  const auto all = gather_texts(ranks, std::as_bytes(std::span(lines.data(), lines.size())), ends);
  const std::string_view text(reinterpret_cast<const char*>(all.data()), all.size());
  std::vector<dist_column> merged;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (; at < text.size() && text[at] != ' '; ++at) value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
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
    column.name = std::string(text.substr(at, length));
    at += length;
    const auto key = [](const dist_column& c) { return std::tuple(!c.of_nodes, c.type, std::string_view(c.name)); };
    const auto place = std::lower_bound(merged.begin(), merged.end(), column, [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (place == merged.end() || key(*place) != key(column)) {
      column.rows.resize(static_cast<std::size_t>(state.held.size()));
      merged.insert(place, std::move(column));
    } else if (!place->certain) {
      if (!column.certain) continue;
      place->item = column.item;
      place->row_shape = column.row_shape;
      place->certain = true;
    } else if (column.certain && (place->item != column.item || place->row_shape != column.row_shape)) {
      raise(errc::mismatch, "feature " + graph_schema::quoted(column.name) + " has rows of dtype " + std::string(name(place->item)) + " and shape " + to_string(place->row_shape) +
                                " in one part, of " + std::string(name(column.item)) + " and " + to_string(column.row_shape) + " in another; folders of different runs are mixed",
            {state.config.path, {}, {}});
    }
  }
  for (auto& column : state.columns) {
    for (auto& into : merged) {
      if (into.of_nodes == column.of_nodes && into.type == column.type && into.name == column.name) into.rows = std::move(column.rows);
    }
  }
  state.columns = std::move(merged);
}

/// A part that owns rows of a type has each feature of it.
inline void check_columns(const dist_state& state) {
  for (const auto& column : state.columns) {
    for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
      const auto part = static_cast<std::size_t>(p);
      const std::uint64_t owned = column.of_nodes ? state.book->nodes().count(part, column.type) : state.book->edges().count(part, column.type);
      const auto& rows = column.rows[static_cast<std::size_t>(p - state.held.begin)];
      if (owned != rows.rows()) {
        raise(errc::not_found, "part " + std::to_string(p) + " has no feature " + graph_schema::quoted(column.name) + ", which other parts have; folders of different runs are mixed",
              {state.config.path, {}, {}});
      }
    }
  }
}

}  // namespace detail

/// Open a partition folder on all ranks. Collective. Rank r of R holds the parts even_share(parts, r, R); files of other
/// parts are not touched, so each rank needs the config and its own parts alone. (Configs of DGL 0.6 to 0.9 with several
/// node types name relations alone: a part that has an edge of each is read for their ends.)
///
/// @param ranks    over whom; must outlive the graph and its copies
/// @param path     the config JSON, as this rank sees it
/// @param files    opens files: mapped_files for views that cost nothing until touched, or read_files
/// @param codec    parses JSON
/// @param formats  the formats it may be in: format_set<dgl_serializer, native_serializer>
/// @errors         raises, on all ranks: those of reading a config and a part; mismatch: ranks, or a part and the config,
///                 are of different runs; unsupported: a folder made without relabelling (`--no-reshuffle`), whose parts
///                 own no ranges of IDs
/// @complexity     O(size of this rank's parts)
template <communicator Communicator, file_opener Files, json_codec Codec, class Formats>
dist_graph<Communicator> open_dist_graph(const Communicator& ranks, const std::string& path, const Files& files, const Codec& codec, const Formats& formats,
                                         const dist_options& options) {
  auto state = std::make_shared<detail::dist_state>();
  state->options = options;
  std::optional<manifest> made;
  std::uint64_t of_config = 0;
  jointly(ranks, [&] {
    state->config = read_config(path, files, codec);
    of_config = digest64{}.update(files(path).bytes).value();
    try {
      const std::string place = state->config.folder() + std::string(manifest_name);
      const file_bytes content = files(place);
      made = parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, place);
    } catch (const error& problem) {
      if (problem.code() != errc::not_found) throw;  // DGL writes none
    }
    if (!state->config.reshuffled()) {
      detail::raise_in(state->config, errc::unsupported, "the folder was made without relabelling, so no part owns a range of IDs; partition again without --no-reshuffle");
    }
  });
  detail::check_same_run(ranks, state->config, of_config, made);
  jointly(ranks, [&] {
    resolve_relations(state->config, files, formats);
    state->held = even_share(state->config.num_parts, ranks.rank(), ranks.size());
    const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(state->held.begin, state->config.num_parts - 1));
    state->book = std::make_shared<const partition_book>(std::get<partition_book>(load_partition_book(state->config, first, files)));
    state->rank_of.resize(state->config.num_parts);
    for (std::size_t p = 0; p < state->rank_of.size(); ++p) state->rank_of[p] = static_cast<std::size_t>(even_share_of(state->config.num_parts, p, ranks.size()));
    for (std::uint64_t p = state->held.begin; p < state->held.end; ++p) {
      state->parts.push_back(open_part_graph(state->config, static_cast<part_id>(p), state->book, files, formats, made ? &*made : nullptr, options.part));
    }
    if (options.features) detail::open_columns(*state, files, formats);
  });
  detail::agree_on_columns(ranks, *state);
  jointly(ranks, [&] { detail::check_columns(*state); });
  std::array<std::uint64_t, 1> from_inner{};
  for (const auto& part : state->parts) from_inner[0] += part.edges_from_inner();
  check_ranks(ranks.sum(from_inner));
  state->complete_out_edges = from_inner[0] == state->book->edges().size();
  return dist_graph<Communicator>(ranks, std::move(state));
}
template <communicator Communicator, file_opener Files, json_codec Codec, class Formats>
dist_graph<Communicator> open_dist_graph(const Communicator& ranks, const std::string& path, const Files& files, const Codec& codec, const Formats& formats) {
  return open_dist_graph(ranks, path, files, codec, formats, dist_options{});
}
/// Ranks that end with the call would be gone before the graph.
template <communicator Communicator, class... Arguments>
void open_dist_graph(const Communicator&& ranks, const Arguments&...) = delete;

}  // namespace halograph
