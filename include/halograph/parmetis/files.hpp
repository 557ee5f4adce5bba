// SPDX-License-Identifier: BSL-1.0
/// @file files.hpp
/// ParMETIS's text files, in and out: their names, schema and rows.
/// Layer: parmetis. Words: README.md.
///
/// | file | a row |
/// | --- | --- |
/// | `X_nodes.txt` | `type weight... typed_ID [attribute...]`, row i is node i, types concatenated |
/// | `X_edges.txt` | `source target typed_ID type [attribute...]`; no self-loops, each (source, target) once |
/// | `X_removed_edges.txt` | the rows that were removed for that |
/// | `X_stats.txt` | `nodes edges weights`; the last is the number of weight columns |
/// | `X.json` | `nid` and `eid`: type -> [first, last + 1] of the IDs over all types |
/// | `p007-X_nodes.txt` | `new_ID` and the node's row, for the nodes of part 7 |
/// | `p007-X_edges.txt` | `new_source new_target` and the edge's row, for the edges that end in part 7 |
/// | `X_part.K` | `node part` |
/// Fields are separated by one blank; any blanks and tabs are accepted. X.json has keys of our own,
/// which DGL's script ignores: `edge_types`, relation -> source:relation:target, and
/// `node_attributes` and `edge_attributes`, which describe the attribute columns of a type:
/// [{type, name, dtype, shape}], in the order of the columns.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>
#include <halograph/serial/text/writer.hpp>

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

/// The names of the files of a graph X, without folders; the table atop says what each holds.
struct parmetis_names {
  std::string graph{};  ///< X, the name of the graph

  /// Files of the whole graph: X_nodes.txt, X_edges.txt, X_stats.txt, X_removed_edges.txt, X.json.
  /// @{
  std::string nodes() const { return graph + "_nodes.txt"; }
  std::string edges() const { return graph + "_edges.txt"; }
  std::string stats() const { return graph + "_stats.txt"; }
  std::string removed_edges() const { return graph + "_removed_edges.txt"; }
  std::string schema() const { return graph + ".json"; }
  /// @}
  /// X_part.K, the part of each node; K is `parts`.
  std::string assignment(std::uint64_t parts) const {
    return graph + "_part." + std::to_string(parts);
  }
  /// Files of one part, as p007-X_nodes.txt.
  /// @{
  std::string part_nodes(std::uint64_t part) const { return prefix(part) + nodes(); }
  std::string part_edges(std::uint64_t part) const { return prefix(part) + edges(); }
  std::string part_stats(std::uint64_t part) const { return prefix(part) + stats(); }
  /// @}

 private:
  /// At least three digits: p000, p012, p1000.
  static std::string prefix(std::uint64_t part) {
    const std::string digits = std::to_string(part);
    return "p" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + "-";
  }
};

/// A feature stored as attribute columns of one type, in row-major order.
struct parmetis_attribute {
  type_id type = 0;                ///< node type or edge type
  std::string name{};              ///< of the feature
  dtype element = dtype::float32;  ///< of its elements; a column of text holds one
  tensor_shape row_shape{};        ///< of one row; empty: a single column

  /// Columns of text that a row takes.
  std::uint64_t columns() const noexcept { return element_count(row_shape); }
  friend bool operator==(const parmetis_attribute&, const parmetis_attribute&) = default;
};

/// The types of a graph in ParMETIS's files, in the order of their numbers.
struct parmetis_schema {
  std::vector<std::string> node_types{};  ///< [T] names
  std::vector<id_range> node_ranges{};    ///< [T] consecutive, from 0 to V
  std::vector<std::string>
      edge_names{};  ///< relations, or source:relation:target if a relation occurs twice
  std::vector<id_range> edge_ranges{};  ///< [R] first and last + 1 of the IDs over all types
  std::vector<std::optional<canonical_etype>> edge_types{};  ///< [R] if known
  /// Attribute columns of all types; those of one type in the order of its columns. Empty: the
  /// schema does not describe them.
  /// @{
  std::vector<parmetis_attribute> node_attributes{};
  std::vector<parmetis_attribute> edge_attributes{};
  /// @}

  /// V, nodes of all types.
  std::uint64_t num_nodes() const noexcept {
    return node_ranges.empty() ? 0 : node_ranges.back().end;
  }
  /// The type of a node by its ID over all types. @pre it is below num_nodes()  @complexity O(log
  /// T)
  std::size_t node_type(std::uint64_t node) const noexcept {
    const auto after = std::upper_bound(
        node_ranges.begin(), node_ranges.end(), node,
        [](std::uint64_t wanted, const id_range& one) { return wanted < one.end; });
    return static_cast<std::size_t>(after - node_ranges.begin());
  }
  friend bool operator==(const parmetis_schema&, const parmetis_schema&) = default;
};

namespace detail {

json::value attributes_to_json(const std::vector<parmetis_attribute>& attributes,
                               const std::vector<std::string>& types);

std::vector<parmetis_attribute> attributes_from_json(const json::value& root, const char* key,
                                                     const std::vector<std::string>& types,
                                                     const std::string& file);

/// The members of an object of ranges, stably sorted by begin.
void ranges_from_json(const json::value& root, const char* key, std::vector<std::string>& names,
                      std::vector<id_range>& ranges, const std::string& file);

}  // namespace detail

/// The schema as DGL's script reads it; print it with json::print.
json::value to_json(const parmetis_schema& schema);

/// Interpret a schema. Types are numbered in the order of their first IDs.
/// @errors not_found, malformed, exists, mismatch (the node ranges leave a gap), naming the file
///     and the key
parmetis_schema parmetis_schema_from_json(const json::value& root, const std::string& file);

/// Read a schema. @errors as read_json and parmetis_schema_from_json
inline parmetis_schema read_parmetis_schema(const std::string& path, const any_file_opener& open,
                                            const any_json_codec& codec) {
  return parmetis_schema_from_json(read_json(path, open, codec), path);
}

/// The line of a stats file.
struct parmetis_stats {
  std::uint64_t nodes = 0;    ///< rows of the nodes' file
  std::uint64_t edges = 0;    ///< rows of the edges' file, so without removed edges
  std::uint64_t weights = 0;  ///< number of weight columns
};

/// Write the line of a stats file.
inline void write_stats(text_writer& file, const parmetis_stats& stats) {
  file.number(stats.nodes).put(' ').number(stats.edges).put(' ').number(stats.weights).put('\n');
}

namespace detail {

/// Fields are separated by blanks and tabs only.
inline constexpr text_format parmetis_text{.delimiter = ' ', .comments = false};

/// A digest of a text's size and first 4 KiB, to compare the files of ranks without reading them.
inline std::uint64_t glance_at(std::string_view text) {
  const auto beginning = text.substr(0, 4096);
  return digest_of(std::as_bytes(std::span(beginning.data(), beginning.size())), text.size());
}

/// A rank's share of a text: the lines that begin in its share of the bytes.
std::string_view share_of_text(std::string_view text, std::size_t rank, std::size_t ranks);

/// The line of an offset in a text.
inline location line_at(std::string_view text, std::uint64_t offset, const std::string& file) {
  return {.file = file, .line = 1 + count_line_ends(text.data(), text.data() + offset)};
}

/// The rest of the line from an offset on, without its end.
inline std::string_view line_from(std::string_view text, std::uint64_t offset) noexcept {
  auto line = text.substr(static_cast<std::size_t>(offset));
  line = line.substr(0, line.find('\n'));
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// A field that must be an integer from 0 to limit - 1.
struct id_field {
  const char* what;  // "a source node"
  std::uint64_t limit;
};

/// Raise the first problem of rows made of such fields.
template <class FieldAt>
void raise_row_problem(const std::vector<text_piece>& pieces, const std::string& file,
                       const FieldAt& field_at) {
  raise_first_problem(pieces, parmetis_text, file, [&](const text_problem& problem) {
    const id_field field = field_at(problem.column);
    std::string sentence = field.what;
    sentence += field.limit == 0 ? ", of which there are none"
                : field.limit == ~std::uint64_t{0}
                    ? ", a non-negative integer"
                    : ", an integer from 0 to " + std::to_string(field.limit - 1);
    return std::pair{sentence, error_kind::out_of_range};
  });
}

/// Take the next field of a row. @param column from 1
inline text_problem take_id(text_cursor& cursor, unsigned column, std::uint64_t limit,
                            std::uint64_t& out) noexcept {
  const char* before = cursor.at();
  if (column != 1 && !cursor.next_column()) return {text_fault::missing_column, column, before};
  before = cursor.at();
  if (const auto fault = cursor.unsigned_number(out); fault != text_fault::none)
    return {fault, column, before};
  if (out >= limit) return {text_fault::out_of_range, column, before};
  return {};
}

}  // namespace detail

/// Read a stats file. @errors malformed, out_of_range, with the line
parmetis_stats read_parmetis_stats(const std::string& path, const any_file_opener& open);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/files.ipp>
#endif
