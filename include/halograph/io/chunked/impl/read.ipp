// SPDX-License-Identifier: BSL-1.0
/// @file read.ipp
/// Bodies of the plain functions of io/chunked/read.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// A feature's rows: arrays that are kept open as views, anything else in memory of its own.
inline chunked_tensor tensors_of(const chunked_graph& graph, const chunked_feature& feature) {
  std::vector<tensor> chunks;
  const auto& files = feature.list.files;
  if (feature.list.format == chunk_format::numpy &&
      std::all_of(files.begin(), files.end(),
                  [](const auto& file) { return file.rows == 0 || !file.kept.bytes.empty(); })) {
    for (const auto& file : files) {
      if (file.rows != 0) chunks.push_back(read_npy(file.kept, file.path));
    }
  }
  if (chunks.empty()) {
    tensor_shape shape{feature.rows};
    shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
    auto owned = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(feature.rows) *
                                                          feature.row_bytes());
    graph.read_rows(feature, 0, feature.rows, *owned);
    const std::span<const std::byte> view(*owned);
    chunks.emplace_back(feature.dtype, std::move(shape), view, std::move(owned));
  }
  return chunked_tensor(std::move(chunks));
}

}  // namespace detail

HALOGRAPH_INLINE feature_set read_features(const chunked_graph& graph) {
  feature_set out;
  for (const auto& one : graph.node_features)
    out.nodes.push_back({one.type, one.name, detail::tensors_of(graph, one)});
  for (const auto& one : graph.edge_features)
    out.edges.push_back({one.type, one.name, detail::tensors_of(graph, one)});
  return out;
}

}  // namespace halograph
