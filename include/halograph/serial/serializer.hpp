// SPDX-License-Identifier: BSL-1.0
/// @file serializer.hpp
/// What a file format of partitions must be able to do: lay out its files from counts, types and
/// shapes alone, so that data can be written in any order, and read them back.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Edges as pairs: edge i leads from source[i] to target[i]. Integer columns [M].
struct coo_columns {
  tensor source{};
  tensor target{};
};

/// Adjacency by rows. `edges` is [M], or [0] where the ID of an edge is its position.
struct compressed_columns {
  tensor offsets{};    ///< [rows + 1]
  tensor neighbors{};  ///< [M]
  tensor edges{};
};

/// The graph of a part as stored: at least one of coo, csr (rows are sources) and csc (rows are
/// targets), and the columns by the names they have in the file ("_ID", "inner_node", ...).
struct loaded_structure {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::optional<coo_columns> coo{};
  std::optional<compressed_columns> csr{};
  std::optional<compressed_columns> csc{};
  std::vector<named_tensor> node_columns{};
  std::vector<named_tensor> edge_columns{};
};

namespace detail {
template <class S>
concept names_format = requires(const S& s) {
  { s.name() } -> std::convertible_to<std::string_view>;
};
template <class S>
concept lays_out_parts = requires(const S& s, const part_description& plan) {
  { s.layout(plan) } -> std::same_as<part_layout>;
};
template <class S>
concept reads_structures = requires(const S& s, const file_bytes& bytes, const std::string& file) {
  { s.read_structure(bytes, file) } -> std::same_as<loaded_structure>;
};
template <class S>
concept reads_features = requires(const S& s, const file_bytes& bytes, const std::string& file) {
  { s.read_features(bytes, file) } -> std::same_as<std::vector<named_tensor>>;
};
template <class S>
concept reads_features_by_column = requires(const S& s, const file_bytes& bytes,
                                            const std::string& file) {
  { s.read_features(bytes, file, column::node_feature) } -> std::same_as<std::vector<named_tensor>>;
};
}  // namespace detail

/// A file format of partitions. `name()` is the word in a config's key `serializer`; the file name
/// given to the readers is for their errors. `read_features` reads every file but that of the
/// graph; where one file holds several of node features, edge features and original IDs of nodes
/// and edges, it takes a third argument that tells which are wanted: column::node_feature,
/// edge_feature, original_nodes or original_edges. Laws: the sections of a layout fit their files
/// without overlap (check_layout()), each column the plan asks for is there once, and reading gives
/// back what was written.
template <class S>
concept serializer =
    (detail::names_format<S> || unmet<"serializer: needs a string_view name() const">()) &&
    (detail::lays_out_parts<S> ||
     unmet<"serializer: needs part_layout layout(const part_description&) const">()) &&
    (detail::reads_structures<S> ||
     unmet<
         "serializer: needs loaded_structure read_structure(file_bytes, const std::string& file) const">()) &&
    (detail::reads_features<S> || detail::reads_features_by_column<S> ||
     unmet<
         "serializer: needs vector<named_tensor> read_features(file_bytes, const std::string& file) const">());

/// The features or original IDs in a file of a part. @param what  node_feature, edge_feature,
/// original_nodes, original_edges
/// @errors the format's
template <serializer Format>
std::vector<named_tensor> read_features_of(const Format& format, const file_bytes& bytes,
                                           const std::string& file, column what) {
  if constexpr (detail::reads_features_by_column<Format>) {
    return format.read_features(bytes, file, what);
  } else {
    return format.read_features(bytes, file);
  }
}

/// Has a layout a file for everything in the part, and can the format tell apart what shares one?
/// @errors unsupported: no file for features or original IDs that the part has; invalid_argument:
///     one file holds several of them, and the format's read_features takes no column
template <class Format>
void check_roles(const Format& format, const part_description& plan, const part_layout& layout) {
  struct role {
    const std::string& file;
    bool wanted;
    const char* what;
  };
  const role roles[] = {
      {layout.node_feature_file, !plan.node_features.empty(), "node features"},
      {layout.edge_feature_file, !plan.edge_features.empty(), "edge features"},
      {layout.original_nodes_file, !plan.original_nodes.empty(), "original node IDs"},
      {layout.original_edges_file, !plan.original_edges.empty(), "original edge IDs"}};
  const auto format_name = [&] { return "format \"" + std::string(format.name()) + "\""; };
  for (const role& one : roles) {
    if (one.wanted && one.file.empty())
      raise(errc::unsupported,
            format_name() + " lays out no file for " + one.what +
                ", which the part has; leave them out, or name the file in its layout");
    if constexpr (!detail::reads_features_by_column<Format>) {
      for (const role* before = roles; before != &one; ++before) {
        if (one.file.empty() || one.file != before->file) continue;
        raise(
            errc::invalid_argument,
            format_name() + " keeps " + before->what + " and " + one.what +
                " in one file, which its read_features(bytes, file) cannot tell apart; let it take the column that is wanted, too",
            {.file = one.file});
      }
    }
  }
}

}  // namespace halograph
