// SPDX-License-Identifier: BSL-1.0
/// @file streamed_graph.ipp
/// Bodies of the plain functions of io/streamed_graph.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void for_each_row_block(const streamed_feature& feature, std::uint64_t first,
                                         std::uint64_t last,
                                         function_ref<void(std::uint64_t, std::uint64_t)> f) {
  const std::uint64_t step = std::clamp<std::uint64_t>(
      row_block_bytes / std::max<std::size_t>(feature.row_bytes(), 1), 1, 1 << 18);
  for (; first < last; first += std::min(step, last - first))
    f(first, first + std::min(step, last - first));
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE streamed_feature stream_rows(type_id type, std::string name,
                                              feature_store_ref rows,
                                              std::shared_ptr<const void> owner) {
  const auto shape = rows.row_shape();
  streamed_feature out{
      type, std::move(name), rows.type(), {shape.begin(), shape.end()}, rows.rows(), {}};
  out.read = [rows, owner = std::move(owner)](std::uint64_t first, std::uint64_t last,
                                              std::span<std::byte> bytes) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(last - first));
    std::iota(ids.begin(), ids.end(), first);
    check(rows.gather(std::span<const std::uint64_t>(ids), bytes),
          "the rows of a feature cannot be read");
  };
  return out;
}

HALOGRAPH_INLINE void stream_pairs(streamed_graph& out, std::uint64_t nodes,
                                   std::shared_ptr<const std::vector<endpoint_pair>> pairs) {
  out.node_counts = {nodes};
  out.edge_counts = {pairs->size()};
  out.read_edges = [pairs = std::move(pairs)](type_id, std::uint64_t first, std::uint64_t last,
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void validate(const streamed_graph& g) {
  if (g.node_counts.size() != g.schema.num_node_types() ||
      g.edge_counts.size() != g.schema.num_edge_types()) {
    raise(error_kind::mismatch, "there are counts of " + std::to_string(g.node_counts.size()) +
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
            error_kind::invalid_argument,
            who +
                " cannot be part of a file's name; it must be 1 to 200 bytes without '/' and control characters");
      }
      if (one.type >= counts.size() || one.rows != counts[one.type]) {
        raise(error_kind::mismatch,
              who + " has " + std::to_string(one.rows) + " rows; it needs one for each " + kind +
                  " of its type" +
                  (one.type < counts.size() ? ", " + std::to_string(counts[one.type])
                                            : std::string()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (all[j].type == one.type && all[j].name == one.name)
          raise(error_kind::exists, who + " is given twice; names must differ");
      }
    }
  };
  check_all(g.node_features, g.node_counts, "node");
  check_all(g.edge_features, g.edge_counts, "edge");
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE streamed_graph with_checked_edges(const streamed_graph& g) {
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
                     raise(error_kind::out_of_range,
                           "edge " + std::to_string(at + i) + " of " + name() + " has " +
                               (source ? "source " : "target ") +
                               std::to_string(source ? from[i] : to[i]) + "; its type has " +
                               std::to_string(source ? sources : targets) +
                               " nodes, numbered from 0");
                   }
                   visit(from, to, at);
                 });
    if (expected != last)
      raise(error_kind::mismatch,
            "the edges of " + name() +
                " are not those that were requested; the input may have changed");
  };
  return out;
}

HALOGRAPH_INLINE chunked_tensor tensor_of(const streamed_feature& feature) {
  tensor_shape shape{feature.rows};
  shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
  std::uint64_t bytes = 0;
  if (!tensor_bytes_into(shape, feature.element, bytes) || !fits<std::size_t>(bytes)) {
    raise(error_kind::memory, "feature " + graph_schema::quoted(feature.name) + " of shape " +
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

}  // namespace halograph::detail
