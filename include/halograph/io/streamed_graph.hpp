// SPDX-License-Identifier: BSL-1.0
/// @file streamed_graph.hpp
/// A graph that is not held in memory: edges are read in blocks and features by ranges of rows, any
/// number of times.
/// Layer: io. Words: README.md.
///
/// The input of chunk_graph(), and the input and output of what may be done before (reverse edges,
/// self-loops, normalized features). Calls go through std::function, once for thousands of edges or
/// rows.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Takes a block of edges of one type, typed IDs: sources [n], targets [n], and the first one's
/// edge ID.
using edge_block_visitor =
    std::function<void(std::span<const std::uint64_t> sources,
                       std::span<const std::uint64_t> targets, std::uint64_t first)>;

/// One feature of one type, read by ranges of rows.
struct streamed_feature {
  type_id type = 0;
  std::string name{};
  dtype element = dtype::float32;
  tensor_shape row_shape{};
  std::uint64_t rows = 0;
  /// Rows [first, last) into `out`, row-major, in the machine's byte order. `out` has their size.
  std::function<void(std::uint64_t first, std::uint64_t last, std::span<std::byte> out)> read{};

  std::size_t row_elements() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape));
  }
  std::size_t row_bytes() const noexcept { return row_elements() * item_bytes(element); }
};

/// Names, counts, and functions that read edges and features. Reading is repeatable (the same range
/// gives the same edges and rows each time) and not thread-safe.
struct streamed_graph {
  std::string name{};
  graph_schema schema{};
  std::vector<std::uint64_t> node_counts{};  ///< [T]
  std::vector<std::uint64_t> edge_counts{};  ///< [R]
  /// Edges [first, last) of edge type r, in blocks of any size, in order.
  std::function<void(type_id r, std::uint64_t first, std::uint64_t last,
                     const edge_block_visitor& visit)>
      read_edges{};
  std::vector<streamed_feature> node_features{};
  std::vector<streamed_feature> edge_features{};
  std::vector<std::string> notes{};  ///< messages for the user

  std::uint64_t num_nodes() const noexcept {
    return std::accumulate(node_counts.begin(), node_counts.end(), std::uint64_t{0});
  }
  std::uint64_t num_edges() const noexcept {
    return std::accumulate(edge_counts.begin(), edge_counts.end(), std::uint64_t{0});
  }
};

/// Edges in a block where the source chooses the size.
inline constexpr std::uint64_t edges_per_block = std::uint64_t{1} << 16;
/// Bytes of rows that are read at once, unless a single row is larger.
inline constexpr std::uint64_t row_block_bytes = std::uint64_t{1} << 20;

/// f(first, last) over the rows of a feature, in order, in blocks of about row_block_bytes.
template <class Function>
void for_each_row_block(const streamed_feature& feature, std::uint64_t first, std::uint64_t last,
                        Function&& f) {
  const std::uint64_t step = std::clamp<std::uint64_t>(
      row_block_bytes / std::max<std::size_t>(feature.row_bytes(), 1), 1, 1 << 18);
  for (; first < last; first += std::min(step, last - first))
    f(first, first + std::min(step, last - first));
}

namespace detail {

/// [first, last) of two columns, widened block by block.
template <class Node>
void visit_columns(std::span<const Node> source, std::span<const Node> target, std::uint64_t first,
                   std::uint64_t last, const edge_block_visitor& visit) {
  if constexpr (std::is_same_v<Node, std::uint64_t>) {
    const auto count = static_cast<std::size_t>(last - first);
    if (count != 0)
      visit(source.subspan(static_cast<std::size_t>(first), count),
            target.subspan(static_cast<std::size_t>(first), count), first);
  } else {
    std::vector<std::uint64_t> from, to;
    for (; first < last; first += from.size()) {
      const auto at = static_cast<std::size_t>(first),
                 count = static_cast<std::size_t>(std::min(edges_per_block, last - first));
      from.resize(count);
      to.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        from[i] = index(source[at + i]);
        to[i] = index(target[at + i]);
      }
      visit(from, to, first);
    }
  }
}

}  // namespace detail

namespace detail {

template <feature_store Store>
streamed_feature stream_rows(type_id type, std::string name, std::shared_ptr<const Store> store) {
  streamed_feature out{type,          std::move(name),
                       store->type(), {store->row_shape().begin(), store->row_shape().end()},
                       store->rows(), {}};
  out.read = [rows = std::move(store)](std::uint64_t first, std::uint64_t last,
                                       std::span<std::byte> bytes) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(last - first));
    std::iota(ids.begin(), ids.end(), first);
    check(rows->gather(std::span<const std::uint64_t>(ids), bytes),
          "the rows of a feature cannot be read");
  };
  return out;
}

/// A copy of the caller's store, or the store itself if it cannot be copied.
template <feature_store Store>
std::shared_ptr<const Store> shared_store(const Store& store) {
  if constexpr (std::copy_constructible<Store>) {
    return std::make_shared<const Store>(store);
  } else {
    return {std::shared_ptr<void>(), &store};
  }
}

}  // namespace detail

/// A feature from rows by ID. @param store  moved into the stream; views stay views
template <feature_store Store>
streamed_feature stream_feature(type_id type, std::string name, Store store) {
  return detail::stream_rows<Store>(type, std::move(name),
                                    std::make_shared<const Store>(std::move(store)));
}

/// A graph in memory with its features, as a stream. Edges are numbered by the storage's edge IDs.
///
/// @param g         kept by reference where it has columns by edge type (hetero_view); else its
///     edges are copied, 16 bytes each
/// @param features  stores are copied: views stay views; those that cannot be copied are kept by
///     reference
/// @errors mismatch: sizes disagree with the schema; a graph whose edge IDs are not 0 to E - 1;
///     out_of_range: an endpoint is not a node
template <graph Graph, feature_store Store>
streamed_graph stream_graph(const Graph& g, const graph_schema& schema,
                            const basic_feature_set<Store>& features, std::string name) {
  streamed_graph out;
  out.name = std::move(name);
  out.schema = schema;
  if constexpr (typed_graph<Graph> && requires { g.relations(); }) {
    check(g.validate(), "the graph's columns do not fit its types");
    if (g.num_node_types() != schema.num_node_types() ||
        g.num_edge_types() != schema.num_edge_types()) {
      raise(errc::mismatch, "the graph has " + std::to_string(g.num_node_types()) +
                                " node types and " + std::to_string(g.num_edge_types()) +
                                " edge types, but the schema has " +
                                std::to_string(schema.num_node_types()) + " and " +
                                std::to_string(schema.num_edge_types()));
    }
    const auto offsets = g.node_type_offsets();
    for (std::size_t t = 0; t < schema.num_node_types(); ++t)
      out.node_counts.push_back(offsets[t + 1] - offsets[t]);
    const auto relations = g.relations();
    for (std::size_t r = 0; r < relations.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      if (relations[r].source_type != schema.source_type(type) ||
          relations[r].target_type != schema.target_type(type)) {
        raise(errc::mismatch, "edge type " +
                                  graph_schema::quoted(schema.edge_type_name(type).str()) +
                                  " joins other node types in the graph than in the schema");
      }
      out.edge_counts.push_back(relations[r].source.size());
    }
    out.read_edges = [relations](type_id r, std::uint64_t first, std::uint64_t last,
                                 const edge_block_visitor& visit) {
      detail::visit_columns(relations[r].source, relations[r].target, first, last, visit);
    };
  } else {
    if (schema.num_node_types() != 1 || schema.num_edge_types() != 1) {
      raise(errc::mismatch,
            "a graph without types needs a schema of one node type and one edge type");
    }
    struct pair {
      std::uint64_t source = ~std::uint64_t{0}, target = 0;
    };
    const std::uint64_t nodes = num_nodes(g);
    std::uint64_t edges = 0;
    visit_edges(g, [&](auto, auto, auto) { ++edges; });
    auto pairs = std::make_shared<std::vector<pair>>(static_cast<std::size_t>(edges));
    visit_edges(g, [&](auto u, auto v, auto e) {
      if (index(e) >= edges ||
          (*pairs)[static_cast<std::size_t>(index(e))].source != ~std::uint64_t{0}) {
        raise(errc::mismatch, "edge ID " + std::to_string(index(e)) +
                                  " is used twice or is not below the number of edges, " +
                                  std::to_string(edges));
      }
      if (index(u) >= nodes || index(v) >= nodes)
        raise(errc::out_of_range,
              "edge " + std::to_string(index(e)) + " has an endpoint that is not a node");
      (*pairs)[static_cast<std::size_t>(index(e))] = {index(u), index(v)};
    });
    out.node_counts = {nodes};
    out.edge_counts = {edges};
    out.read_edges = [pairs](type_id, std::uint64_t first, std::uint64_t last,
                             const edge_block_visitor& visit) {
      std::vector<std::uint64_t> source, target;
      for (; first < last; first += source.size()) {
        const auto count = static_cast<std::size_t>(std::min(edges_per_block, last - first));
        source.resize(count);
        target.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
          source[i] = (*pairs)[static_cast<std::size_t>(first) + i].source;
          target[i] = (*pairs)[static_cast<std::size_t>(first) + i].target;
        }
        visit(source, target, first);
      }
    };
  }
  for (const auto& one : features.nodes)
    out.node_features.push_back(
        detail::stream_rows(one.type, one.name, detail::shared_store(one.rows)));
  for (const auto& one : features.edges)
    out.edge_features.push_back(
        detail::stream_rows(one.type, one.name, detail::shared_store(one.rows)));
  return out;
}

/// A dataset as a stream that owns it. Node weights and sizes that are not features (METIS's) are
/// omitted, and a note says so.
template <id Node, id Edge>
streamed_graph stream_dataset(dataset<Node, Edge> data) {
  auto owner = std::make_shared<const dataset<Node, Edge>>(std::move(data));
  const auto whole = owner->graph();
  streamed_graph out = stream_graph(whole, owner->schema, owner->features, owner->name);
  out.read_edges = [owner, inner = std::move(out.read_edges)](
                       type_id r, std::uint64_t first, std::uint64_t last,
                       const edge_block_visitor& visit) { inner(r, first, last, visit); };
  out.notes = owner->notes;
  if (!owner->node_weights.empty() || !owner->node_sizes.empty()) {
    out.notes.push_back(
        "node weights and sizes cannot be stored in a chunked graph and are omitted");
  }
  return out;
}

/// Check that the members of a stream agree with each other, as writers require. Edges are checked
/// while they are read.
/// @errors mismatch, invalid_argument, exists: names and sizes that do not fit; as
///     check_graph_size() and check_graph_name()
inline void validate(const streamed_graph& g) {
  if (g.node_counts.size() != g.schema.num_node_types() ||
      g.edge_counts.size() != g.schema.num_edge_types()) {
    raise(errc::mismatch, "there are counts of " + std::to_string(g.node_counts.size()) +
                              " node types and " + std::to_string(g.edge_counts.size()) +
                              " edge types, but the schema has " +
                              std::to_string(g.schema.num_node_types()) + " and " +
                              std::to_string(g.schema.num_edge_types()));
  }
  check_graph_size(g.schema, g.node_counts, g.edge_counts);
  static_cast<void>(check_graph_name(g.name));
  const auto check_all = [&](const std::vector<streamed_feature>& all,
                             const std::vector<std::uint64_t>& counts, const char* kind) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& one = all[i];
      const std::string who = std::string(kind) + " feature " + graph_schema::quoted(one.name);
      if (!is_safe_name(one.name)) {
        raise(
            errc::invalid_argument,
            who +
                " cannot be part of a file's name; it must be 1 to 200 bytes without '/' and control characters");
      }
      if (one.type >= counts.size() || one.rows != counts[one.type]) {
        raise(errc::mismatch,
              who + " has " + std::to_string(one.rows) + " rows; it needs one for each " + kind +
                  " of its type" +
                  (one.type < counts.size() ? ", " + std::to_string(counts[one.type])
                                            : std::string()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (all[j].type == one.type && all[j].name == one.name)
          raise(errc::exists, who + " is given twice; names must differ");
      }
    }
  };
  check_all(g.node_features, g.node_counts, "node");
  check_all(g.edge_features, g.edge_counts, "edge");
}

namespace detail {

/// The same stream, whose edges are checked as they are read: endpoints are nodes, and blocks come
/// in order. It views `g`.
/// @errors out_of_range: an endpoint is not a node; mismatch: other edges than were asked for
inline streamed_graph with_checked_edges(const streamed_graph& g) {
  streamed_graph out = g;
  out.read_edges = [&g](type_id type, std::uint64_t first, std::uint64_t last,
                        const edge_block_visitor& visit) {
    const std::uint64_t sources = g.node_counts[g.schema.source_type(type)],
                        targets = g.node_counts[g.schema.target_type(type)];
    const auto name = [&] { return graph_schema::quoted(g.schema.edge_type_name(type).str()); };
    std::uint64_t expected = first;
    g.read_edges(type, first, last,
                 [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                     std::uint64_t at) {
                   if (at != expected || from.size() != to.size() || from.size() > last - at)
                     expected = last + 1;
                   if (expected > last) return;
                   expected = at + from.size();
                   const auto largest = [](std::span<const std::uint64_t> ids) {
                     std::uint64_t most = 0;
                     for (const auto v : ids) most = std::max(most, v);
                     return most;
                   };
                   if (!from.empty() && (largest(from) >= sources || largest(to) >= targets)) {
                     std::size_t i = 0;
                     while (from[i] < sources && to[i] < targets) ++i;
                     const bool source = from[i] >= sources;
                     raise(errc::out_of_range, "edge " + std::to_string(at + i) + " of " + name() +
                                                   " has " + (source ? "source " : "target ") +
                                                   std::to_string(source ? from[i] : to[i]) +
                                                   "; its type has " +
                                                   std::to_string(source ? sources : targets) +
                                                   " nodes, numbered from 0");
                   }
                   visit(from, to, at);
                 });
    if (expected != last)
      raise(errc::mismatch, "the edges of " + name() +
                                " are not those that were requested; the input may have changed");
  };
  return out;
}

/// All rows of a feature, in memory.
inline chunked_tensor tensor_of(const streamed_feature& feature) {
  tensor_shape shape{feature.rows};
  shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
  std::uint64_t bytes = 0;
  if (!tensor_bytes_into(shape, feature.element, bytes) || !fits<std::size_t>(bytes)) {
    raise(errc::memory, "feature " + graph_schema::quoted(feature.name) + " of shape " +
                            to_string(shape) + " does not fit into memory");
  }
  auto rows = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  const std::span<std::byte> out(*rows);
  const std::size_t width = feature.row_bytes();
  for_each_row_block(feature, 0, feature.rows, [&](std::uint64_t first, std::uint64_t last) {
    if (width != 0)
      feature.read(first, last,
                   out.subspan(static_cast<std::size_t>(first) * width,
                               static_cast<std::size_t>(last - first) * width));
  });
  return tensor(feature.element, std::move(shape), out, std::move(rows));
}

}  // namespace detail

/// Load the whole graph of a stream into memory.
/// @errors overflow: Node or Edge is too narrow; out_of_range: an endpoint is not a node; mismatch:
///     as validate(); those of the stream's source
/// @complexity O(nodes + edges + bytes of features); memory: the dataset
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> materialize(const streamed_graph& g) {
  validate(g);
  detail::check_node_total<Node>(g.schema, g.node_counts, {});
  dataset<Node, Edge> out;
  out.name = g.name;
  out.schema = g.schema;
  out.node_counts = g.node_counts;
  out.notes = g.notes;
  const streamed_graph checked = detail::with_checked_edges(g);
  for (std::size_t r = 0; r < g.edge_counts.size(); ++r) {
    edge_columns<Node>& columns = out.edges.emplace_back();
    columns.source.reserve(static_cast<std::size_t>(g.edge_counts[r]));
    columns.target.reserve(static_cast<std::size_t>(g.edge_counts[r]));
    checked.read_edges(
        static_cast<type_id>(r), 0, g.edge_counts[r],
        [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to, std::uint64_t) {
          for (const auto v : from) columns.source.push_back(static_cast<Node>(v));
          for (const auto v : to) columns.target.push_back(static_cast<Node>(v));
        });
  }
  for (const auto& one : g.node_features)
    out.features.nodes.push_back({one.type, one.name, detail::tensor_of(one)});
  for (const auto& one : g.edge_features)
    out.features.edges.push_back({one.type, one.name, detail::tensor_of(one)});
  out.finish();
  return out;
}

}  // namespace halograph
