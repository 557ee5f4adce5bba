// SPDX-License-Identifier: BSL-1.0
/// @file dataset.hpp
/// A whole graph in memory as it came from files: names, typed edges, features, weights.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Reject more edges than a memory budget allows.
/// @param bytes_each  memory of an edge while the file is read   @param most  the budget, in bytes
/// @errors memory
void require_room_for_edges(std::uint64_t edges, std::uint64_t bytes_each, std::uint64_t most,
                            const std::string& path);

namespace detail {

/// Check a graph's numbers of nodes, all that dataset::finish() checks of them, before anything is
/// read.
/// @errors overflow: more nodes than Node can number; those of check_graph_size()
template <id Node>
void check_node_total(const graph_schema& schema, std::span<const std::uint64_t> counts,
                      const std::string& file) {
  check_graph_size(schema, counts, {}, {.file = file});
  std::uint64_t total = 0;
  for (const auto count : counts) {
    if (count > id_capacity<Node>() - total) {
      raise(error_kind::overflow,
            "the graph has more nodes than a node ID of " + std::to_string(sizeof(Node) * 8) +
                " bits can number (" + std::to_string(id_capacity<Node>()) +
                "); read it with a wider one",
            {.file = file});
    }
    total += count;
  }
}

}  // namespace detail

/// The edges of one edge type, in the order of their IDs.
template <id Node = std::uint64_t>
struct edge_columns {
  std::vector<Node> source{};  ///< [E_r] typed IDs
  std::vector<Node> target{};  ///< [E_r] typed IDs
};

namespace detail {

/// @errors raises mismatch: rows that are not one for each node or edge
void check_rows(bool known_type, std::uint64_t rows, std::uint64_t count, const char* kind,
                const std::string& name);

}  // namespace detail

/// A graph with its names, features and weights; what the readers in this folder return.
///
/// Fill the public members, then call finish(); after that leave `schema`, `node_counts` and
/// `edges` alone. Moving a finished dataset keeps every span and view of it valid, graph()
/// included: they point into the vectors' buffers. Copying is disabled because a copy's views would
/// point into the original. Several threads may read at the same time.
///
/// Node holds global IDs, too: a graph too large for Node or Edge is refused by finish()
/// with error_kind::overflow, and the caller may read it again at a wider type.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
class dataset {
 public:
  using node_id = Node;  ///< of typed and global node IDs
  using edge_id = Edge;  ///< of global edge IDs

  std::string name{};                        ///< of the graph, from the input or its file's name
  graph_schema schema{};                     ///< T node types and R edge types
  std::vector<std::uint64_t> node_counts{};  ///< [T] nodes of each type
  std::vector<edge_columns<Node>> edges{};   ///< [R] edges of each type, typed IDs
  feature_set features{};                    ///< rows by typed ID
  /// [constraint][V] weights of nodes, by global ID, that came with the input (METIS files), or
  /// empty
  std::vector<std::vector<std::int64_t>> node_weights{};
  std::vector<std::int64_t> node_sizes{};  ///< [V] communication sizes (METIS vsize), or empty
  std::string edge_weight_feature{};       ///< the edge feature that came as weights, or ""
  std::vector<std::string> notes{};        ///< messages for the user

  dataset() = default;
  dataset(const dataset&) = delete;
  dataset& operator=(const dataset&) = delete;
  /// Moves keep spans and views valid.
  /// @{
  dataset(dataset&&) noexcept = default;
  dataset& operator=(dataset&&) noexcept = default;
  /// @}
  ~dataset() = default;

  /// Check the parts against each other and make graph() ready. IDs must be in range already:
  /// readers check them while they know the line; for other columns call graph().validate().
  /// @errors mismatch: counts, columns or feature rows disagree with the schema; overflow: Node or
  ///     Edge cannot hold the global IDs; malformed, out_of_range: as check_graph_size(); memory:
  ///     more nodes than this machine can address
  /// @complexity O(T + R + features)
  void finish();

  /// The graph in global IDs, viewing this dataset's columns. @pre finish() has returned
  hetero_view<Node, Edge> graph() const noexcept {
    return {node_offsets_, edge_offsets_, relations_};
  }

  /// V and E, over all types; 0 before finish().
  /// @{
  std::uint64_t num_nodes() const noexcept {
    return node_offsets_.empty() ? 0 : node_offsets_.back();
  }
  std::uint64_t num_edges() const noexcept {
    return edge_offsets_.empty() ? 0 : edge_offsets_.back();
  }
  /// @}

  /// A feature by type and name, or nullptr.
  /// @{
  const feature<>* node_feature(type_id type, std::string_view feature_name) const noexcept {
    return find(features.nodes, type, feature_name);
  }
  const feature<>* edge_feature(type_id type, std::string_view feature_name) const noexcept {
    return find(features.edges, type, feature_name);
  }
  /// @}

 private:
  static const feature<>* find(const std::vector<feature<>>& all, type_id type,
                               std::string_view name) noexcept {
    for (const auto& feature : all) {
      if (feature.type == type && feature.name == name) return &feature;
    }
    return nullptr;
  }

  std::vector<std::uint64_t> node_offsets_{};     // [T+1]
  std::vector<std::uint64_t> edge_offsets_{};     // [R+1]
  std::vector<relation_view<Node>> relations_{};  // [R], into edges' buffers
};

template <id Node, id Edge>
void dataset<Node, Edge>::finish() {
  if (node_counts.size() != schema.num_node_types() || edges.size() != schema.num_edge_types()) {
    raise(error_kind::mismatch, "the schema has " + std::to_string(schema.num_node_types()) +
                                    " node types and " + std::to_string(schema.num_edge_types()) +
                                    " edge types, but there are counts of " +
                                    std::to_string(node_counts.size()) + " and columns of " +
                                    std::to_string(edges.size()));
  }
  detail::check_node_total<Node>(schema, node_counts, {});
  node_offsets_.assign(1, 0);
  for (const auto count : node_counts) node_offsets_.push_back(node_offsets_.back() + count);
  // A column of a few words for each node cannot be longer.
  if (node_offsets_.back() >
      static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 32) {
    raise(error_kind::memory,
          std::to_string(node_offsets_.back()) + " nodes are more than this machine can address");
  }
  edge_offsets_.assign(1, 0);
  relations_.clear();
  for (std::size_t r = 0; r < edges.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    if (edges[r].source.size() != edges[r].target.size()) {
      raise(error_kind::mismatch,
            "edge type " + graph_schema::quoted(schema.edge_type_name(type).str()) + " has " +
                std::to_string(edges[r].source.size()) + " sources and " +
                std::to_string(edges[r].target.size()) + " targets; each edge has one of each");
    }
    if (edges[r].source.size() > id_capacity<Edge>() - edge_offsets_.back()) {
      raise(error_kind::overflow, "the graph has more edges than an edge ID of " +
                                      std::to_string(sizeof(Edge) * 8) + " bits can number (" +
                                      std::to_string(id_capacity<Edge>()) +
                                      "); read it with a wider one");
    }
    edge_offsets_.push_back(edge_offsets_.back() + edges[r].source.size());
    relations_.push_back(
        {schema.source_type(type), schema.target_type(type), edges[r].source, edges[r].target});
  }
  for (const auto& feature : features.nodes) {
    detail::check_rows(feature.type < node_counts.size(), feature.rows.rows(),
                       feature.type < node_counts.size() ? node_counts[feature.type] : 0, "node",
                       feature.name);
  }
  for (const auto& feature : features.edges) {
    detail::check_rows(feature.type < edges.size(), feature.rows.rows(),
                       feature.type < edges.size() ? edges[feature.type].source.size() : 0, "edge",
                       feature.name);
  }
  for (const auto& weights : node_weights) {
    detail::check_rows(true, weights.size(), num_nodes(), "node", "weights");
  }
  if (!node_sizes.empty())
    detail::check_rows(true, node_sizes.size(), num_nodes(), "node", "sizes");
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template void dataset<std::uint32_t, std::uint32_t>::finish();
extern template void dataset<std::uint64_t, std::uint64_t>::finish();
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/dataset.ipp>
#endif
