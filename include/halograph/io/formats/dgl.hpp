// SPDX-License-Identifier: BSL-1.0
/// @file dgl.hpp
/// A graph from a file that DGL's save_graphs wrote, with its columns as features: read whole, or
/// streamed from the file's own columns.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Which graph of a DGL file is read, and how.
struct dgl_graph_options {
  std::uint64_t graph = 0;  ///< which graph of the file
  bool features = true;     ///< false: structure alone
  std::uint64_t most_bytes = ~std::uint64_t{
      0};  ///< streams: memory that edges may take where they must be held; more is refused
};

namespace detail {

template <id Node>
void narrow_column(const tensor& from, std::vector<Node>& to) {
  to.resize(static_cast<std::size_t>(from.rows()));
  with_integers(from, [&](auto at) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Node>(at(i));
  });
}

/// Columns by edge ID from rows of neighbors. @pre the reader has checked offsets and edge IDs
template <id Node>
void expand_rows(const compressed_columns& from, std::vector<Node>& row_of,
                 std::vector<Node>& neighbor_of) {
  const auto count = static_cast<std::size_t>(from.neighbors.rows());
  row_of.resize(count);
  neighbor_of.resize(count);
  const bool numbered = from.edges.rows() == count && count != 0;
  with_integers(from.offsets, [&](auto offset) {
    with_integers(from.neighbors, [&](auto neighbor) {
      with_integers(from.edges, [&](auto edge) {
        for (std::uint64_t row = 0; row + 1 < from.offsets.rows(); ++row) {
          for (auto i = static_cast<std::uint64_t>(offset(row));
               i < static_cast<std::uint64_t>(offset(row + 1)); ++i) {
            const auto e = static_cast<std::size_t>(numbered ? static_cast<std::uint64_t>(edge(i))
                                                             : i);
            row_of[e] = static_cast<Node>(row);
            neighbor_of[e] = static_cast<Node>(neighbor(i));
          }
        }
      });
    });
  });
}

/// Everything in a stored graph except its edges: names, counts, columns as features.
template <id Node, id Edge>
dataset<Node, Edge> describe_dgl_graph(const dgl::graph_data& graph, const std::string& path,
                                       bool features) {
  dataset<Node, Edge> data;
  data.name = stem_of(path);
  const auto take_columns = [&](const std::vector<named_tensor>& columns, type_id type,
                                bool of_nodes) {
    for (const auto& column : columns) {
      if (is_reserved_feature(column.name, of_nodes)) {
        data.notes.push_back(path + ": column " + graph_schema::quoted(column.name) +
                             " is left out; its name is reserved for partitions");
        continue;
      }
      check_feature_name(column.name, of_nodes, path);
      (of_nodes ? data.features.nodes : data.features.edges)
          .push_back({type, column.name, chunked_tensor(column.value)});
    }
  };
  try {
    for (const auto& type : graph.node_types) {
      data.schema.add_node_type(type.name);
      data.node_counts.push_back(type.nodes);
    }
    for (const auto& relation : graph.relations) {
      data.schema.add_edge_type({graph.node_types.at(relation.source).name, relation.name,
                                 graph.node_types.at(relation.target).name});
    }
  } catch (const error& problem) {
    raise(problem.code(), problem.message(), {.file = path});
  }
  check_node_total<Node>(data.schema, data.node_counts, path);
  if (features) {
    for (std::size_t t = 0; t < graph.node_types.size(); ++t)
      take_columns(graph.node_types[t].columns, static_cast<type_id>(t), true);
    for (std::size_t r = 0; r < graph.relations.size(); ++r)
      take_columns(graph.relations[r].columns, static_cast<type_id>(r), false);
  }
  return data;
}

}  // namespace detail

/// Read one graph of a DGL graph file. Edges are numbered by DGL's edge IDs, whatever format they
/// are stored in; columns of nodes and edges become features. Columns that a partition has itself
/// (`_ID`, `inner_node`, `inner_edge`) are left out, as DGL does when it partitions, and a note
/// says so.
///
/// @errors those of the opener and of dgl::read_graphs_at() (malformed, truncated, unsupported,
///     with the byte); out_of_range: the file has no such graph; invalid_argument: names that could
///     be paths; overflow
/// @complexity O(nodes + edges); features are not copied
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_dgl_graph(const std::string& path, const dgl_graph_options& options = {},
                                   const any_file_opener& open = {}) {
  const std::array<std::uint64_t, 1> wanted{options.graph};
  const dgl::graph_file file = dgl::read_graphs_at(open(path), path, wanted);
  const dgl::graph_data& graph = file.graphs.at(0);
  dataset<Node, Edge> data = detail::describe_dgl_graph<Node, Edge>(graph, path, options.features);
  data.edges.resize(graph.relations.size());
  for (std::size_t r = 0; r < graph.relations.size(); ++r) {
    const auto& relation = graph.relations[r];
    auto& [source, target] = data.edges[r];
    if (relation.coo) {
      detail::narrow_column(relation.coo->source, source);
      detail::narrow_column(relation.coo->target, target);
    } else if (relation.csr) {
      detail::expand_rows(*relation.csr, source, target);
    } else if (relation.csc) {
      detail::expand_rows(*relation.csc, target, source);
    }
  }
  data.finish();
  return data;
}

/// Stream the graph that read_dgl_graph() reads. Edges that are stored as pairs are read in place;
/// if an edge type is stored as csr or csc only, the whole graph is held, 16 bytes for each edge.
/// @errors, @complexity as read_dgl_graph()
streamed_graph stream_dgl_graph(const std::string& path, const dgl_graph_options& options = {},
                                const any_file_opener& open = {});

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t> read_dgl_graph<std::uint32_t, std::uint32_t>(
    const std::string&, const dgl_graph_options&, const any_file_opener&);
extern template dataset<std::uint64_t, std::uint64_t> read_dgl_graph<std::uint64_t, std::uint64_t>(
    const std::string&, const dgl_graph_options&, const any_file_opener&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/dgl.ipp>
#endif
