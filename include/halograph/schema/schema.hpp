// SPDX-License-Identifier: BSL-1.0
/// @file schema.hpp
/// The names of a graph's node types and canonical edge types, numbered in the order of insertion.
/// Layer: schema (allocates only its own names). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/schema/fwd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// `source:relation:target`, the full name of an edge type. One relation name may connect
/// several types.
struct canonical_etype {
  std::string source{};    ///< name of a node type
  std::string relation{};  ///< name; may occur in several triples
  std::string target{};    ///< name of a node type

  /// "source:relation:target".
  std::string str() const;

  /// Split at the colons; nothing where there are not exactly three non-empty fields.
  static std::optional<canonical_etype> parse(std::string_view text);

  friend bool operator==(const canonical_etype&, const canonical_etype&) = default;
  /// By source, then relation, then target.
  friend auto operator<=>(const canonical_etype&, const canonical_etype&) = default;
};

/// May this name be written into a file and become part of a path? UTF-8 without control characters
/// (U+0000 to U+001F, U+007F to U+009F), '/' and '\\', not ".", "..", not empty, at most 200 bytes.
/// Any other name from a file is rejected as hostile.
constexpr bool is_safe_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 200 || name == "." || name == "..") return false;
  while (!name.empty()) {
    const utf8_character c = first_utf8(name);
    if (c.bytes == 0 || is_control(c.value) || c.value == U'/' || c.value == U'\\') return false;
    name.remove_prefix(c.bytes);
  }
  return true;
}

/// Node types and edge types of a graph. The number of a type is its position in the order of
/// insertion.
class graph_schema {
 public:
  /// The schema of a graph without types: `_N` and `_N:_E:_N`, as DGL names them.
  static graph_schema homogeneous();

  /// Append a node type. @errors exists: the name is taken; invalid_argument: it is not a
  /// safe name (is_safe_name) or holds a colon. @complexity O(log² T), amortized
  type_id add_node_type(std::string name);

  /// Append an edge type between node types already there. @errors exists, not_found,
  /// invalid_argument. @complexity O(log² T + log² R), amortized
  type_id add_edge_type(canonical_etype type);

  std::size_t num_node_types() const noexcept { return node_types_.size(); }  ///< T
  std::size_t num_edge_types() const noexcept { return edge_types_.size(); }  ///< R
  /// [T] names by number.
  const std::vector<std::string>& node_types() const noexcept { return node_types_; }
  /// [R] by number.
  const std::vector<canonical_etype>& edge_types() const noexcept { return edge_types_; }
  /// @errors raises out_of_range: no such type, for this and the next three
  const std::string& node_type_name(type_id t) const { return at(node_types_, t, "node type "); }
  /// @errors raises out_of_range: no such type
  const canonical_etype& edge_type_name(type_id t) const {
    return at(edge_types_, t, "edge type ");
  }
  /// Number of the node type at which edges begin. @errors raises out_of_range: no such type
  type_id source_type(type_id edge_type) const { return at(ends_, edge_type, "edge type ").first; }
  /// Number of the node type at which edges end. @errors raises out_of_range: no such type
  type_id target_type(type_id edge_type) const { return at(ends_, edge_type, "edge type ").second; }

  /// The number of a node type. @complexity O(log² T)
  std::optional<type_id> node_type(std::string_view name) const noexcept;
  /// The number of an edge type. @complexity O(log² R)
  std::optional<type_id> edge_type(const canonical_etype& name) const noexcept;
  /// The number of an edge type given as "source:relation:target", or as a relation name that is
  /// unique.
  /// @errors not_found; invalid_argument: the relation connects several types, the first of which
  ///     are listed
  /// @complexity O(log² R) for a triple, O(R) for a relation
  type_id resolve_edge_type(std::string_view name) const;

  /// One node type and at most one edge type.
  bool is_homogeneous() const noexcept {
    return node_types_.size() <= 1 && edge_types_.size() <= 1;
  }

  friend bool operator==(const graph_schema&, const graph_schema&) = default;

  /// A name in quotation marks for an error's sentence: UTF-8; control characters and bytes that
  /// are not UTF-8 as `\xNN`, byte by byte; cut at about 100 bytes.
  static std::string quoted(std::string_view name);

 private:
  template <class Element>
  static const Element& at(const std::vector<Element>& row, type_id t, const char* what) {
    if (t >= row.size()) {
      raise(error_kind::out_of_range, what + std::to_string(t) + " does not exist; there are " +
                                          std::to_string(row.size()) + ", numbered from 0");
    }
    return row[t];
  }

  std::vector<std::string> node_types_;
  std::vector<canonical_etype> edge_types_;
  std::vector<std::pair<type_id, type_id>> ends_;
  // The types by name, in the runs of impl/schema.ipp: a file may list a million of them.
  std::vector<type_id> node_types_by_name_, edge_types_by_name_;
};

/// IDs in files are int64: a graph has at most this many nodes, and at most this many edges.
inline constexpr std::uint64_t most_file_ids = 0x7FFFFFFFFFFFFFFFu;

/// Check what every reader and writer of graphs relies on: at least one node type, and IDs that
/// files can hold. A graph may have 0 nodes, 0 edges and 0 edge types.
/// @param node_counts, edge_counts  [types] what is known of them
/// @param where                     what was read, for errors
/// @errors malformed: no node type; out_of_range: more than most_file_ids nodes or edges
void check_graph_size(const graph_schema& schema, std::span<const std::uint64_t> node_counts,
                      std::span<const std::uint64_t> edge_counts = {}, const location& where = {});

/// Check a graph's name: it becomes a file name. @return "" or a sentence of warning
/// @errors invalid_argument: the name could be a path
std::string check_graph_name(std::string_view name);

namespace detail {
/// Sort names: one loop for all that list types, features and files.
void sort_names(std::vector<std::string>& names);
}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/schema/impl/schema.ipp>
#endif
