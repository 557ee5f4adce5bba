// SPDX-License-Identifier: BSL-1.0
/// @file id_converter.hpp
/// Typed IDs to global IDs and back, and names of types to their numbers and back.
/// Layer: schema (allocates its own offsets and the answers that are containers). Words: README.md.
///
/// Without a heap or without names use type_offsets, which this wraps.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/fwd.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// Type numbers and typed IDs of many global IDs.
template <id ID>
struct typed_ids {
  std::vector<type_id> types{};  ///< [n]
  std::vector<ID> ids{};         ///< [n]
  friend bool operator==(const typed_ids&, const typed_ids&) = default;
};

/// Converts between **typed** (heterogeneous) and **global** (homogeneous) IDs of the input: types
/// are end to end in the order of the schema. Immutable: reading is safe from several threads.
///
///     hg::id_converter ids(schema, std::vector{200, 200}, std::vector{90, 0, 40, 70});
///     ids.nid_het2hom("T1", 0);          // 200
///     auto [type, id] = ids.nid_hom2het(200);   // type 1, id 0
///
/// Calls that return a value raise: out_of_range with the valid range, not_found with the unknown
/// name. Calls that write into the caller's memory return status, and take types by number.
/// @tparam Node, Edge hold all global IDs: a graph too large for them is rejected
template <id Node, id Edge>
class basic_id_converter {
 public:
  using node_id = Node;  ///< homogenized and typed IDs of nodes
  using edge_id = Edge;  ///< homogenized and typed IDs of edges

  /// @param schema      T node types and R edge types
  /// @param node_counts [T] nodes of each type   @param edge_counts [R] edges of each type
  /// @errors mismatch: not one count per type; invalid_argument: a negative count; overflow: Node
  ///     or Edge cannot hold all IDs
  template <id_row NodeCounts, id_row EdgeCounts>
  basic_id_converter(graph_schema schema, const NodeCounts& node_counts,
                     const EdgeCounts& edge_counts)
      : schema_(std::move(schema)),
        node_offsets_(offsets<Node>("node", schema_.num_node_types(), node_counts)),
        edge_offsets_(offsets<Edge>("edge", schema_.num_edge_types(), edge_counts)),
        node_index_(table<Node>(node_offsets_)),
        edge_index_(table<Edge>(edge_offsets_)) {}

  const graph_schema& schema() const noexcept { return schema_; }  ///< the names, by type number
  /// The conversion of node IDs without names or exceptions; valid while this lives unmoved.
  basic_type_offsets<Node> nodes() const noexcept {
    return {std::span<const std::uint64_t>(node_offsets_), node_index_};
  }
  /// Where the IDs of each edge type begin.
  basic_type_offsets<Edge> edges() const noexcept {
    return {std::span<const std::uint64_t>(edge_offsets_), edge_index_};
  }

  /// @name Names and numbers of types
  /// @errors not_found; for a relation name that connects several types: invalid_argument,
  ///     with candidates
  /// @{
  type_id ntype2id(std::string_view ntype) const {
    if (const auto found = schema_.node_type(ntype)) return *found;
    raise(error_kind::not_found, "unknown node type " + graph_schema::quoted(ntype));
  }
  /// The number of "source:relation:target", or of a relation name that is unique.
  type_id etype2id(std::string_view etype) const { return schema_.resolve_edge_type(etype); }
  type_id etype2id(const canonical_etype& etype) const {
    if (const auto found = schema_.edge_type(etype)) return *found;
    raise(error_kind::not_found, "no edge type is called " + graph_schema::quoted(etype.str()));
  }
  template <std::integral Number>
  const std::string& id2ntype(Number number) const {
    return schema_.node_type_name(known("node", number, schema_.num_node_types()));
  }
  template <std::integral Number>
  const canonical_etype& id2etype(Number number) const {
    return schema_.edge_type_name(known("edge", number, schema_.num_edge_types()));
  }
  /// @}

  /// @name Typed to global
  /// @param ntype, etype a name (of an edge type also a triple) or a number
  /// @{
  template <class Type, id In>
  Node nid_het2hom(const Type& ntype, In nid) const {
    return to_global(nodes(), "node", node_number(ntype), nid);
  }
  template <class Type, id_row Row>
  std::vector<Node> nid_het2hom(const Type& ntype, const Row& nids) const {
    return to_global_all(nodes(), "node", node_number(ntype), nids);
  }
  template <class Type, id In>
  Edge eid_het2hom(const Type& etype, In eid) const {
    return to_global(edges(), "edge", edge_number(etype), eid);
  }
  template <class Type, id_row Row>
  std::vector<Edge> eid_het2hom(const Type& etype, const Row& eids) const {
    return to_global_all(edges(), "edge", edge_number(etype), eids);
  }
  /// Into the caller's memory. @errors not_found, out_of_range at the position, mismatch
  template <id In>
  status nid_het2hom(type_id ntype, In nid, Node& out) const noexcept {
    return nodes().to_global(ntype, nid, out);
  }
  template <id_row Row>
  status nid_het2hom(type_id ntype, const Row& nids, std::span<Node> out) const noexcept {
    return nodes().to_global(ntype, nids, out);
  }
  template <id In>
  status eid_het2hom(type_id etype, In eid, Edge& out) const noexcept {
    return edges().to_global(etype, eid, out);
  }
  template <id_row Row>
  status eid_het2hom(type_id etype, const Row& eids, std::span<Edge> out) const noexcept {
    return edges().to_global(etype, eids, out);
  }
  /// @}

  /// @name Global to typed, O(log T)
  /// @{
  template <id In>
  typed_id<Node> nid_hom2het(In nid) const {
    return to_typed(nodes(), "node", nid);
  }
  template <id_row Row>
  typed_ids<Node> nid_hom2het(const Row& nids) const {
    return to_typed_all(nodes(), "node", nids);
  }
  template <id In>
  typed_id<Edge> eid_hom2het(In eid) const {
    return to_typed(edges(), "edge", eid);
  }
  template <id_row Row>
  typed_ids<Edge> eid_hom2het(const Row& eids) const {
    return to_typed_all(edges(), "edge", eids);
  }
  /// Into the caller's memory. @errors out_of_range at the position, mismatch
  template <id In>
  status nid_hom2het(In nid, typed_id<Node>& out) const noexcept {
    return nodes().to_typed(nid, out);
  }
  template <id_row Row, id_output Types>
  status nid_hom2het(const Row& nids, Types&& types, std::span<Node> typed) const noexcept {
    return nodes().to_typed(nids, types, typed);
  }
  template <id In>
  status eid_hom2het(In eid, typed_id<Edge>& out) const noexcept {
    return edges().to_typed(eid, out);
  }
  template <id_row Row, id_output Types>
  status eid_hom2het(const Row& eids, Types&& types, std::span<Edge> typed) const noexcept {
    return edges().to_typed(eids, types, typed);
  }
  /// @}

 private:
  template <id ID, class Counts>
  static std::vector<std::uint64_t> offsets(const char* word, std::size_t types,
                                            const Counts& counts) {
    const auto row = ids_of(counts);
    if (row.size() != types) {
      raise(error_kind::mismatch, "there are " + std::to_string(types) + " " + word +
                                      " types but " + std::to_string(row.size()) +
                                      " counts; there must be one count per type");
    }
    std::vector<std::uint64_t> result(types + 1);
    status answer = offsets_from_counts(row, result);
    if (answer == status::invalid_argument) {
      raise(
          error_kind::invalid_argument,
          std::string(word) + " type " + std::to_string(answer.position) + " has a negative count");
    }
    if (answer) answer = basic_type_offsets<ID>(std::span<const std::uint64_t>(result)).validate();
    if (!answer) {
      raise(error_kind::overflow, std::string("the ") + word +
                                      "s of all types are more than the ID type can number, " +
                                      std::to_string(id_capacity<ID>()) + "; use a wider one");
    }
    return result;
  }

  template <id ID>
  static std::vector<std::uint32_t> table(const std::vector<std::uint64_t>& offsets) {
    std::vector<std::uint32_t> result(basic_type_offsets<ID>::index_size(offsets.size() - 1));
    check(basic_type_offsets<ID>::build_index(offsets, result), "the types' table is too small");
    return result;
  }
  template <class Number>
  static type_id known(const char* word, Number number, std::size_t types) {
    if (!detail::in_space(number, types)) {
      raise(error_kind::not_found, std::string(word) + " type number " + std::to_string(number) +
                                       " is not in the valid range [0, " + std::to_string(types) +
                                       ")");
    }
    return static_cast<type_id>(number);
  }
  template <class Type>
  type_id node_number(const Type& type) const {
    if constexpr (std::integral<Type>)
      return known("node", type, schema_.num_node_types());
    else
      return ntype2id(type);
  }
  template <class Type>
  type_id edge_number(const Type& type) const {
    if constexpr (std::integral<Type>)
      return known("edge", type, schema_.num_edge_types());
    else
      return etype2id(type);
  }

  [[noreturn]] static void refuse(const char* word, std::string value, const std::string& of_type,
                                  std::uint64_t size) {
    raise(error_kind::out_of_range,
          (of_type.empty() ? std::string("global ") : std::string()) + word + " ID " + value +
              of_type + " is not in the valid range [0, " + std::to_string(size) + ")");
  }
  std::string of_type(const char* word, type_id t) const {
    return " of type " + graph_schema::quoted(word[0] == 'n' ? schema_.node_type_name(t)
                                                             : schema_.edge_type_name(t).str());
  }
  template <class ID, class In>
  ID to_global(basic_type_offsets<ID> map, const char* word, type_id t, In value) const {
    ID out = 0;
    if (!map.to_global(t, value, out))
      refuse(word, std::to_string(value), of_type(word, t), map.size(t));
    return out;
  }
  template <class ID, class Row>
  std::vector<ID> to_global_all(basic_type_offsets<ID> map, const char* word, type_id t,
                                const Row& row) const {
    const auto ids = ids_of(row);
    std::vector<ID> out(ids.size());
    if (const auto bad = map.to_global(t, ids, out); !bad) {
      refuse(word, at_position(ids, bad), of_type(word, t), map.size(t));
    }
    return out;
  }
  template <class ID, class In>
  static typed_id<ID> to_typed(basic_type_offsets<ID> map, const char* word, In value) {
    typed_id<ID> out;
    if (!map.to_typed(value, out)) refuse(word, std::to_string(value), "", map.size());
    return out;
  }
  template <class ID, class Row>
  static typed_ids<ID> to_typed_all(basic_type_offsets<ID> map, const char* word, const Row& row) {
    const auto ids = ids_of(row);
    typed_ids<ID> out{std::vector<type_id>(ids.size()), std::vector<ID>(ids.size())};
    if (const auto bad = map.to_typed(ids, out.types, out.ids); !bad) {
      refuse(word, at_position(ids, bad), "", map.size());
    }
    return out;
  }
  template <class Ids>
  static std::string at_position(Ids ids, status answer) {
    return std::to_string(ids[static_cast<std::size_t>(answer.position)]) + " (position " +
           std::to_string(answer.position) + ")";
  }

  graph_schema schema_;
  std::vector<std::uint64_t> node_offsets_;  // [T+1]
  std::vector<std::uint64_t> edge_offsets_;  // [R+1]
  std::vector<std::uint32_t> node_index_;
  std::vector<std::uint32_t> edge_index_;
};
using IDConverter = id_converter;  ///< the name DGL's users know

}  // namespace halograph
