// SPDX-License-Identifier: BSL-1.0
/// @file part_files.hpp
/// For tests of serializers: the plan and data of one small part, and its files in memory.
#pragma once

#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halograph::testing {

template <class T>
tensor column_of(std::vector<T> values) {
  return tensor::from(std::move(values));
}

/// A part with everything that a plan can hold: 3 nodes, edges 2->0, 0->1, 1->2, the last of each
/// not inner.
inline part_description small_part(sparse_formats formats) {
  part_description part;
  part.parts = 2;
  part.nodes = part.edges = 3;
  part.inner_nodes = part.inner_edges = 2;
  part.types = part.part_ids = part.original_ids = part.mapping = true;
  part.formats = formats;
  part.node_features = {{"user/w", dtype::float32, {2, 2}}, {"item/mask", dtype::boolean, {0}}};
  part.edge_features = {{"user:buys:item/n", dtype::int16, {2}}};
  part.original_nodes = {{"user", 2}, {"item", 0}};
  part.original_edges = {{"user:buys:item", 2}};
  return part;
}

/// Its data, as narrow integers, which writing must widen.
inline tensor small_part_data(const section& target) {
  switch (target.what) {
    case column::coo_source:
    case column::csc_sources:
      return column_of<std::int8_t>({2, 0, 1});
    case column::coo_target:
      return column_of<std::int8_t>({0, 1, 2});
    case column::csr_targets:
    case column::csr_edges:
      return column_of<std::uint16_t>({1, 2, 0});
    case column::csr_offsets:
    case column::csc_offsets:
      return column_of<std::uint32_t>({0, 1, 2, 3});
    case column::csc_edges:
      return column_of<std::int64_t>({0, 1, 2});
    case column::node_id:
      return column_of<std::int32_t>({0, 1, 4});
    case column::inner_node:
    case column::inner_edge:
      return column_of<std::uint8_t>({1, 1, 0});
    case column::node_part:
      return column_of<std::uint32_t>({0, 0, 1});
    case column::node_type:
      return column_of<std::uint8_t>({0, 0, 1});
    case column::node_original:
      return column_of<std::int32_t>({3, 5, 7});
    case column::edge_id:
      return column_of<std::int32_t>({0, 1, 5});
    case column::edge_type:
      return column_of<std::uint8_t>({0, 0, 0});
    case column::edge_original:
      return column_of<std::int32_t>({8, 9, 10});
    case column::node_feature:
      return target.item == 0 ? tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2})
                              : tensor::from(std::vector<std::uint8_t>{}, {0}, dtype::boolean);
    case column::edge_feature:
      return column_of<std::int16_t>({-1, 1});
    case column::original_nodes:
      return target.item == 0 ? column_of<std::int32_t>({3, 5}) : column_of<std::int32_t>({});
    case column::original_edges:
      return column_of<std::int32_t>({8, 9});
  }
  return {};
}

/// The bytes of each file of a layout, by name.
inline std::map<std::string, std::vector<std::byte>> small_part_files(const part_layout& layout) {
  std::map<std::string, std::vector<std::byte>> files;
  for (const auto& file : layout.files) {
    memory_sink sink;
    save(file, sink, small_part_data);
    files[file.name] = {sink.bytes().begin(), sink.bytes().end()};
    files[file.name].resize(
        static_cast<std::size_t>(file.bytes));  // zeros at the end may stay unwritten
  }
  return files;
}

}  // namespace halograph::testing
