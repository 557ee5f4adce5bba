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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE chunked_tensor tensors_of(const chunked_graph& graph,
                                           const chunked_feature& feature) {
  std::vector<tensor> chunks;
  if (feature.list.format == chunk_format::numpy) {
    for (const auto& file : feature.list.files) {
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

}  // namespace halograph::detail
