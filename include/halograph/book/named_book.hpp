// SPDX-License-Identifier: BSL-1.0
/// @file named_book.hpp
/// A partition book with queries by type name, under DGL's member names.
/// Layer: book (answers are allocated where they are containers; no exceptions but through raise()).
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/id_converter.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Names a node type or edge type in a call: by its number, its name, or a triple. For arguments
/// only: it refers to the caller's strings.
class type_key {
 public:
  /// What a key holds.
  enum class kind : std::uint8_t { all, number, text, triple };
  /// @{
  /// A number, a text or a triple; by default all types together: the global space.
  constexpr type_key() = default;
  template <std::integral T>
  constexpr type_key(T number) noexcept : kind_(kind::number) {
    number_ = std::in_range<type_id>(number) ? static_cast<type_id>(number)
                                             : std::numeric_limits<type_id>::max();
  }
  constexpr type_key(const char* text) noexcept : kind_(kind::text), text_(text) {}
  constexpr type_key(std::string_view text) noexcept : kind_(kind::text), text_(text) {}
  type_key(const std::string& text) noexcept : kind_(kind::text), text_(text) {}
  type_key(const canonical_etype& triple) noexcept : kind_(kind::triple), triple_(&triple) {}
  /// @}

  constexpr kind what() const noexcept { return kind_; }  ///< which of the next three it holds
  constexpr type_id number() const noexcept { return number_; }                  ///< of a number
  constexpr std::string_view text() const noexcept { return text_; }             ///< of a text
  constexpr const canonical_etype& triple() const noexcept { return *triple_; }  ///< of a triple

 private:
  kind kind_ = kind::all;
  type_id number_ = 0;
  std::string_view text_{};
  const canonical_etype* triple_ = nullptr;
};

/// The width that a config records for the IDs of its maps (`node_map_dtype`).
enum class map_dtype : std::uint8_t { int32, int64 };
constexpr std::string_view name(map_dtype dtype) noexcept {
  return dtype == map_dtype::int32 ? "int32" : "int64";
}  ///< "int32" or "int64"

/// One entry of a book's metadata().
struct part_metadata {
  part_id machine_id = 0;       ///< the part
  std::uint64_t num_nodes = 0;  ///< owned, of all types
  std::uint64_t num_edges = 0;  ///< owned, of all types
  friend constexpr bool operator==(const part_metadata&, const part_metadata&) = default;
};

namespace detail {
template <class M>
concept answers_unchecked = requires(const M& m, std::int64_t value, type_id t, std::size_t p) {
  m.part_of_unchecked(value);
  m.to_local_unchecked(p, t, value);
};
}  // namespace detail

namespace detail {

/// Two maps over the same parts: what books without names consist of.
template <class Nodes, class Edges>
class map_pair {
 public:
  constexpr map_pair() = default;
  constexpr map_pair(const Nodes& nodes, const Edges& edges) noexcept
      : nodes_(nodes), edges_(edges) {}
  constexpr const Nodes& nodes() const noexcept { return nodes_; }
  constexpr const Edges& edges() const noexcept { return edges_; }
  constexpr std::size_t num_parts() const noexcept { return nodes_.num_parts(); }

 protected:
  Nodes nodes_{};
  Edges edges_{};
};

/// The storage of a named book: the maps of nodes and of edges, each with its memory.
template <class Nodes, class Edges>
class owned_maps {
 public:
  owned_maps(Nodes nodes, Edges edges) : nodes_(std::move(nodes)), edges_(std::move(edges)) {}
  const auto& nodes() const noexcept { return nodes_.get(); }
  const auto& edges() const noexcept { return edges_.get(); }

 private:
  Nodes nodes_;
  Edges edges_;
};

}  // namespace detail

/// Names and queries over a Storage, a model of partition_book_like whose maps also answer batches
/// (range_map, part_map).
///
/// Types are given as a type_key: name, number or triple. The names `_N`, `_E` and `_N:_E:_N`, and
/// no type at all, mean the **global** space whatever types there are, as in DGL; only
/// map_to_homo_nid and map_to_homo_eid look them up as types. IDs may be of any integer type;
/// containers of IDs are any contiguous range. Queries with `_unchecked` answer what DGL's
/// unchecked ones do. Immutable: reading is safe from several threads.
/// @errors every query raises out_of_range, with the valid range, and not_found, with the name
template <partition_book_like Storage>
class named_book {
 public:
  /// What nodes() is.
  using node_map_type = std::remove_cvref_t<decltype(std::declval<const Storage&>().nodes())>;
  /// What edges() is.
  using edge_map_type = std::remove_cvref_t<decltype(std::declval<const Storage&>().edges())>;
  using node_id = typename node_map_type::id_type;  ///< global and typed IDs of nodes
  using edge_id = typename edge_map_type::id_type;  ///< global and typed IDs of edges

  /// @param schema  names, numbered as the storage's types
  /// @param storage who owns what
  /// @param partid  the book's own part
  /// @errors invalid_argument: partid is not a part; mismatch: schema and storage differ in their
  ///     number of types, or nodes and edges in their number of parts; overflow: an int32 map is
  ///     too large for it
  named_book(graph_schema schema, Storage storage, part_id partid = 0,
             map_dtype node_dtype = default_dtype<node_id>,
             map_dtype edge_dtype = default_dtype<edge_id>)
      : schema_(std::move(schema)),
        storage_(std::move(storage)),
        partid_(partid),
        node_dtype_(node_dtype),
        edge_dtype_(edge_dtype) {
    if (nodes().num_parts() != edges().num_parts()) {
      raise(error_kind::mismatch, "nodes have " + std::to_string(nodes().num_parts()) +
                                      " parts but edges " + std::to_string(edges().num_parts()) +
                                      "; a book needs the same parts for both");
    }
    if (nodes().num_types() != schema_.num_node_types() ||
        edges().num_types() != schema_.num_edge_types()) {
      raise(error_kind::mismatch,
            "the schema names " + std::to_string(schema_.num_node_types()) + " node types and " +
                std::to_string(schema_.num_edge_types()) + " edge types, the maps hold " +
                std::to_string(nodes().num_types()) + " and " +
                std::to_string(edges().num_types()) + "; they must agree");
    }
    if (partid_ >= nodes().num_parts()) {
      raise(error_kind::invalid_argument, "part " + std::to_string(partid_) +
                                              " is not in the valid range [0, " +
                                              std::to_string(nodes().num_parts()) + ")");
    }
    check_dtype("node", node_dtype_, nodes().size());
    check_dtype("edge", edge_dtype_, edges().size());
  }

  /// Who owns nodes, by type numbers and without raising: a model of ownership.
  decltype(auto) nodes() const noexcept { return storage_.nodes(); }
  decltype(auto) edges() const noexcept { return storage_.edges(); }  ///< the same of edges
  const Storage& storage() const noexcept { return storage_; }        ///< as passed
  const graph_schema& schema() const noexcept { return schema_; }     ///< the types' names

  std::size_t num_partitions() const noexcept { return nodes().num_parts(); }  ///< P
  part_id partid() const noexcept { return partid_; }  ///< the book's own part
  /// [P] what each part owns.
  std::vector<part_metadata> metadata() const {
    std::vector<part_metadata> all(num_partitions());
    for (std::size_t p = 0; p < all.size(); ++p) {
      all[p] = {static_cast<part_id>(p), nodes().count(p), edges().count(p)};
    }
    return all;
  }
  /// Node types by number.
  const std::vector<std::string>& ntypes() const noexcept { return schema_.node_types(); }
  /// Relation names by number of the edge type; a name may repeat.
  std::vector<std::string> etypes() const {
    std::vector<std::string> names;
    names.reserve(schema_.num_edge_types());
    for (const auto& type : schema_.edge_types()) names.push_back(type.relation);
    return names;
  }
  const std::vector<canonical_etype>& canonical_etypes() const noexcept {
    return schema_.edge_types();
  }  ///< [R] by number
  bool is_homogeneous() const noexcept { return schema_.is_homogeneous(); }  ///< T == R == 1

  /// The triple of a relation name, number or triple. @errors not_found; invalid_argument:
  /// ambiguous, with candidates
  const canonical_etype& to_canonical_etype(type_key etype) const {
    return schema_.edge_type_name(edge_type_number(etype));
  }
  map_dtype global_nid_dtype() const noexcept { return node_dtype_; }  ///< of node_map
  map_dtype global_eid_dtype() const noexcept { return edge_dtype_; }  ///< of edge_map

  /// Number of nodes: of one type, or one past the largest global ID.
  std::uint64_t num_nodes(type_key ntype = {}) const {
    const auto where = node_space(ntype);
    return where.global ? nodes().size() : nodes().size(where.type);
  }
  std::uint64_t num_edges(type_key etype = {}) const {
    const auto where = edge_space(etype);
    return where.global ? edges().size() : edges().size(where.type);
  }  ///< The same of edges.

  /// @{
  /// Global IDs to types and typed IDs, and back.
  template <id In>
  typed_id<node_id> map_to_per_ntype(In nid) const {
    return to_typed(nodes(), "node", nid);
  }
  template <id_row Row>
  typed_ids<node_id> map_to_per_ntype(const Row& nids) const {
    return to_typed_all(nodes(), "node", nids);
  }
  template <id In>
  typed_id<edge_id> map_to_per_etype(In eid) const {
    return to_typed(edges(), "edge", eid);
  }
  template <id_row Row>
  typed_ids<edge_id> map_to_per_etype(const Row& eids) const {
    return to_typed_all(edges(), "edge", eids);
  }
  template <id In>
  node_id map_to_homo_nid(In nid, type_key ntype) const {
    return to_global(nodes(), {"node", node_type_number(ntype), false}, nid);
  }
  template <id_row Row>
  std::vector<node_id> map_to_homo_nid(const Row& nids, type_key ntype) const {
    return to_global_all(nodes(), {"node", node_type_number(ntype), false}, nids);
  }
  template <id In>
  edge_id map_to_homo_eid(In eid, type_key etype) const {
    return to_global(edges(), {"edge", edge_type_number(etype), false}, eid);
  }
  template <id_row Row>
  std::vector<edge_id> map_to_homo_eid(const Row& eids, type_key etype) const {
    return to_global_all(edges(), {"edge", edge_type_number(etype), false}, eids);
  }
  /// @}

  /// @{
  /// IDs to parts.
  template <id In>
  part_id nid2partid(In nid, type_key ntype = {}) const {
    return part_of(nodes(), node_space(ntype), nid);
  }
  template <id_row Row>
  std::vector<part_id> nid2partid(const Row& nids, type_key ntype = {}) const {
    return part_of_all(nodes(), node_space(ntype), nids);
  }
  template <id In>
  part_id eid2partid(In eid, type_key etype = {}) const {
    return part_of(edges(), edge_space(etype), eid);
  }
  template <id_row Row>
  std::vector<part_id> eid2partid(const Row& eids, type_key etype = {}) const {
    return part_of_all(edges(), edge_space(etype), eids);
  }
  /// As DGL: an ID below 0 is of part 0, one beyond the last of part num_partitions().
  template <id In>
    requires detail::answers_unchecked<node_map_type>
  part_id nid2partid_unchecked(In nid, type_key ntype = {}) const {
    return part_of_unchecked(nodes(), node_space(ntype), nid);
  }
  template <id In>
    requires detail::answers_unchecked<edge_map_type>
  part_id eid2partid_unchecked(In eid, type_key etype = {}) const {
    return part_of_unchecked(edges(), edge_space(etype), eid);
  }  ///< As DGL, like that of nodes.
  /// @}

  /// @{
  /// Parts to IDs, ascending. @errors invalid_argument: no such part
  template <id Part>
  std::vector<node_id> partid2nids(Part part, type_key ntype = {}) const {
    return owned(nodes(), node_space(ntype), part);
  }
  template <id Part>
  std::vector<edge_id> partid2eids(Part part, type_key etype = {}) const {
    return owned(edges(), edge_space(etype), part);
  }
  /// @}

  /// @{
  /// IDs to positions inside this book's own part. For the positions in any part ask
  /// nodes().to_local or edges().to_local.
  /// @errors invalid_argument: part is not partid(); out_of_range: an ID that this part does not
  ///     own
  template <id In, id Part>
  node_id nid2localnid(In nid, Part part, type_key ntype = {}) const {
    return local(nodes(), node_space(ntype), own_part(part), nid);
  }
  template <id_row Row, id Part>
  std::vector<node_id> nid2localnid(const Row& nids, Part part, type_key ntype = {}) const {
    return local_all(nodes(), node_space(ntype), own_part(part), nids);
  }
  template <id In, id Part>
  edge_id eid2localeid(In eid, Part part, type_key etype = {}) const {
    return local(edges(), edge_space(etype), own_part(part), eid);
  }
  template <id_row Row, id Part>
  std::vector<edge_id> eid2localeid(const Row& eids, Part part, type_key etype = {}) const {
    return local_all(edges(), edge_space(etype), own_part(part), eids);
  }
  /// As DGL: the distance from the part's first ID, of any ID at all.
  template <id In, id Part>
    requires detail::answers_unchecked<node_map_type>
  std::int64_t nid2localnid_unchecked(In nid, Part part, type_key ntype = {}) const {
    return local_unchecked(nodes(), node_space(ntype), own_part(part), nid);
  }
  template <id In, id Part>
    requires detail::answers_unchecked<edge_map_type>
  std::int64_t eid2localeid_unchecked(In eid, Part part, type_key etype = {}) const {
    return local_unchecked(edges(), edge_space(etype), own_part(part), eid);
  }  ///< As DGL: the distance from the part's first ID, of any ID at all.
  /// @}

  /// [T+1] where each node type starts among this part's nodes, from 0.
  std::vector<std::uint64_t> local_ntype_offset() const { return local_offsets(nodes()); }
  /// [R+1] where each edge type starts among this part's edges, from 0.
  std::vector<std::uint64_t> local_etype_offset() const { return local_offsets(edges()); }

  /// The number of a node type, `_N` being looked up like any other. @errors not_found
  type_id node_type_number(type_key ntype) const {
    switch (ntype.what()) {
      case type_key::kind::number:
        if (ntype.number() < schema_.num_node_types()) return ntype.number();
        raise(error_kind::not_found, "node type number " + std::to_string(ntype.number()) +
                                         " is not in the valid range [0, " +
                                         std::to_string(schema_.num_node_types()) + ")");
      case type_key::kind::text:
        if (const auto found = schema_.node_type(ntype.text())) return *found;
        raise(error_kind::not_found, "no node type is called " +
                                         graph_schema::quoted(ntype.text()) + "; there are " +
                                         listed());
      case type_key::kind::all:
        raise(error_kind::invalid_argument, "this query needs the name of a node type");
      case type_key::kind::triple:
        raise(error_kind::invalid_argument, "edge type " +
                                                graph_schema::quoted(ntype.triple().str()) +
                                                " is given where a node type is needed");
    }
    raise(error_kind::internal, "a type_key of unknown kind");
  }
  /// The number of an edge type given by number, triple, its text, or a relation name that is
  /// unique.
  /// @errors not_found; invalid_argument: ambiguous, with the candidates
  type_id edge_type_number(type_key etype) const {
    switch (etype.what()) {
      case type_key::kind::number:
        if (etype.number() < schema_.num_edge_types()) return etype.number();
        raise(error_kind::not_found, "edge type number " + std::to_string(etype.number()) +
                                         " is not in the valid range [0, " +
                                         std::to_string(schema_.num_edge_types()) + ")");
      case type_key::kind::text:
        return schema_.resolve_edge_type(etype.text());
      case type_key::kind::triple:
        if (const auto found = schema_.edge_type(etype.triple())) return *found;
        raise(error_kind::not_found,
              "no edge type is called " + graph_schema::quoted(etype.triple().str()));
      case type_key::kind::all:
        raise(error_kind::invalid_argument, "this query needs the name of an edge type");
    }
    raise(error_kind::internal, "a type_key of unknown kind");
  }

 private:
  // The space of a query: all types together, or one; and the word for its error messages.
  struct space {
    const char* word;
    type_id type;
    bool global;
  };

  template <class ID>
  static constexpr map_dtype default_dtype = sizeof(ID) <= 4 ? map_dtype::int32 : map_dtype::int64;

  static void check_dtype(const char* word, map_dtype dtype, std::uint64_t size) {
    if (dtype == map_dtype::int32 && size > 0x7FFFFFFFu) {
      raise(error_kind::overflow, std::string("the ") + word +
                                      " map is declared int32 but reaches ID " +
                                      std::to_string(size) + "; it must be int64");
    }
  }

  space node_space(type_key ntype) const {
    if (ntype.what() == type_key::kind::all ||
        (ntype.what() == type_key::kind::text && ntype.text() == "_N")) {
      return {"node", 0, true};
    }
    return {"node", node_type_number(ntype), false};
  }
  space edge_space(type_key etype) const {
    const bool special = etype.what() == type_key::kind::all ||
                         (etype.what() == type_key::kind::text &&
                          (etype.text() == "_E" || etype.text() == "_N:_E:_N")) ||
                         (etype.what() == type_key::kind::triple &&
                          etype.triple() == canonical_etype{"_N", "_E", "_N"});
    if (special) return {"edge", 0, true};
    return {"edge", edge_type_number(etype), false};
  }

  std::string listed() const {
    std::string all;
    for (std::size_t t = 0; t < schema_.num_node_types() && t < 20; ++t) {
      all += (t ? ", " : "") +
             graph_schema::quoted(schema_.node_type_name(static_cast<type_id>(t)));
    }
    if (schema_.num_node_types() > 20) all += ", ...";
    return all.empty() ? "none" : all;
  }
  std::string label(space where) const {
    std::string text = std::string(where.word) + " ID ";
    if (where.global) return "global " + text;
    return text;
  }
  std::string of_type(space where) const {
    if (where.global) return "";
    const std::string name_of = where.word[0] == 'n' ? schema_.node_type_name(where.type)
                                                     : schema_.edge_type_name(where.type).str();
    return " of type " + graph_schema::quoted(name_of);
  }
  template <class Map, class In>
  [[noreturn]] void reject(const Map& map, space where, status answer, In value, bool many) const {
    const std::string place = many ? " at place " + std::to_string(answer.position) : "";
    const std::uint64_t size = where.global ? map.size() : map.size(where.type);
    if (answer != status::out_of_range)
      raise(answer.code,
            label(where) + std::to_string(value) + of_type(where) + " cannot be converted");
    if (detail::in_space(value, size)) {
      raise(error_kind::out_of_range, label(where) + std::to_string(value) + of_type(where) +
                                          place + " is in a gap between the ranges of the book");
    }
    raise(error_kind::out_of_range, label(where) + std::to_string(value) + of_type(where) + place +
                                        " is not in the valid range [0, " + std::to_string(size) +
                                        ")");
  }
  template <class Map, class In>
  [[noreturn]] void reject_local(const Map& map, space where, std::size_t p, status answer,
                                 In value, bool many) const {
    if (answer != status::out_of_range) reject(map, where, answer, value, many);
    std::string valid;
    const std::uint64_t count = where.global ? map.count(p) : map.count(p, where.type);
    if (count != 0) {
      const auto first = where.global ? map.nth(p, 0) : map.nth(p, where.type, 0);
      const auto last = where.global ? map.nth(p, count - 1) : map.nth(p, where.type, count - 1);
      valid = "; its IDs are in the valid range [" + std::to_string(first) + ", " +
              std::to_string(last) + "]";
    } else {
      valid = "; it owns none";
    }
    raise(error_kind::out_of_range,
          label(where) + std::to_string(value) + of_type(where) +
              (many ? " at place " + std::to_string(answer.position) : "") +
              " is not owned by part " + std::to_string(p) + valid);
  }

  template <class Map, class In>
  typed_id<typename Map::id_type> to_typed(const Map& map, const char* word, In value) const {
    typed_id<typename Map::id_type> out;
    if (const auto bad = map.to_typed(value, out); !bad)
      reject(map, {word, 0, true}, bad, value, false);
    return out;
  }
  template <class Map, class Row>
  typed_ids<typename Map::id_type> to_typed_all(const Map& map, const char* word,
                                                const Row& row) const {
    const auto ids = ids_of(row);
    typed_ids<typename Map::id_type> out{std::vector<type_id>(ids.size()),
                                         std::vector<typename Map::id_type>(ids.size())};
    if (const auto bad = map.to_typed(ids, std::span(out.types), std::span(out.ids)); !bad) {
      reject(map, {word, 0, true}, bad, at(ids, bad), true);
    }
    return out;
  }
  template <class Map, class In>
  typename Map::id_type to_global(const Map& map, space where, In value) const {
    typename Map::id_type out{};
    if (const auto bad = map.to_global(where.type, value, out); !bad)
      reject(map, where, bad, value, false);
    return out;
  }
  template <class Map, class Row>
  std::vector<typename Map::id_type> to_global_all(const Map& map, space where,
                                                   const Row& row) const {
    const auto ids = ids_of(row);
    std::vector<typename Map::id_type> out(ids.size());
    if (const auto bad = map.to_global(where.type, ids, std::span(out)); !bad)
      reject(map, where, bad, at(ids, bad), true);
    return out;
  }
  template <class Map, class In>
  part_id part_of(const Map& map, space where, In value) const {
    part_id out = 0;
    const auto bad = where.global ? map.part_of(value, out) : map.part_of(where.type, value, out);
    if (!bad) reject(map, where, bad, value, false);
    return out;
  }
  template <class Map, class Row>
  std::vector<part_id> part_of_all(const Map& map, space where, const Row& row) const {
    const auto ids = ids_of(row);
    std::vector<part_id> out(ids.size());
    const auto bad = where.global ? map.part_of(ids, std::span(out))
                                  : map.part_of(where.type, ids, std::span(out));
    if (!bad) reject(map, where, bad, at(ids, bad), true);
    return out;
  }
  template <class Map, class In>
  static part_id part_of_unchecked(const Map& map, space where, In value) {
    return where.global ? map.part_of_unchecked(value) : map.part_of_unchecked(where.type, value);
  }
  template <class Map, class Part>
  std::vector<typename Map::id_type> owned(const Map& map, space where, Part part) const {
    const std::size_t p = any_part(part);
    const std::uint64_t count = where.global ? map.count(p) : map.count(p, where.type);
    std::vector<typename Map::id_type> out(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = where.global ? map.nth(p, k) : map.nth(p, where.type, k);
    return out;
  }
  template <class Map, class In>
  typename Map::id_type local(const Map& map, space where, std::size_t p, In value) const {
    typename Map::id_type out{};
    const auto bad = where.global ? map.to_local(p, value, out)
                                  : map.to_local(p, where.type, value, out);
    if (!bad) reject_local(map, where, p, bad, value, false);
    return out;
  }
  template <class Map, class Row>
  std::vector<typename Map::id_type> local_all(const Map& map, space where, std::size_t p,
                                               const Row& row) const {
    const auto ids = ids_of(row);
    std::vector<typename Map::id_type> out(ids.size());
    const auto bad = where.global ? map.to_local(p, ids, std::span(out))
                                  : map.to_local(p, where.type, ids, std::span(out));
    if (!bad) reject_local(map, where, p, bad, at(ids, bad), true);
    return out;
  }
  template <class Map, class In>
  static std::int64_t local_unchecked(const Map& map, space where, std::size_t p, In value) {
    return where.global ? map.to_local_unchecked(p, value)
                        : map.to_local_unchecked(p, where.type, value);
  }
  template <class Map>
  std::vector<std::uint64_t> local_offsets(const Map& map) const {
    std::vector<std::uint64_t> offsets(map.num_types() + 1);
    for (std::size_t t = 0; t < map.num_types(); ++t) {
      offsets[t + 1] = offsets[t] + map.count(partid_, static_cast<type_id>(t));
    }
    return offsets;
  }

  // The ID at which a batch failed. Other failures have no place in the batch.
  template <class Ids>
  static auto at(Ids ids, status answer) {
    return answer == status::out_of_range ? ids[static_cast<std::size_t>(answer.position)]
                                          : std::remove_cvref_t<decltype(ids[0])>{};
  }
  template <class Part>
  std::size_t any_part(Part part) const {
    if (!detail::in_space(part, num_partitions())) {
      raise(error_kind::invalid_argument, "part " + std::to_string(part) +
                                              " is not in the valid range [0, " +
                                              std::to_string(num_partitions()) + ")");
    }
    return static_cast<std::size_t>(part);
  }
  template <class Part>
  std::size_t own_part(Part part) const {
    const std::size_t p = any_part(part);
    if (p != partid_) {
      raise(error_kind::invalid_argument, "this is the book of part " + std::to_string(partid_) +
                                              ", not for part " + std::to_string(p) +
                                              "; local IDs of another part need its book");
    }
    return p;
  }

  graph_schema schema_;
  Storage storage_;
  part_id partid_;
  map_dtype node_dtype_;
  map_dtype edge_dtype_;
};

}  // namespace halograph
