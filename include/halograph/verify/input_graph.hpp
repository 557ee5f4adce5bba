// SPDX-License-Identifier: BSL-1.0
/// @file input_graph.hpp
/// The graph that was partitioned, viewed alike for all widths of its IDs.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/feature_store.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// A column of non-negative IDs of 1 to 8 bytes.
class input_column {
 public:
  /// @param ids  must outlive this object
  template <id Id>
  explicit input_column(const std::vector<Id>& ids) noexcept
      : ids_(reinterpret_cast<const std::byte*>(ids.data())),
        size_(ids.size()),
        width_(sizeof(Id)) {}

  std::size_t size() const noexcept { return size_; }
  std::uint64_t operator[](std::size_t i) const noexcept {
    return load_unsigned(ids_ + i * width_, width_);
  }

 private:
  const std::byte* ids_;
  std::size_t size_, width_;
};

/// The parts of a dataset that are compared with a folder. The dataset must outlive it.
struct input_graph {
  struct ends {
    input_column source, target;
  };
  const graph_schema& schema;
  const std::vector<std::uint64_t>& node_counts;
  const feature_set& features;
  std::vector<ends> edges{};  ///< [R] typed IDs

  template <id Node, id Edge>
  explicit input_graph(const dataset<Node, Edge>& input)
      : schema(input.schema), node_counts(input.node_counts), features(input.features) {
    for (const auto& one : input.edges)
      edges.push_back({input_column(one.source), input_column(one.target)});
  }

  /// A feature by type and name, or nullptr.
  static const feature<>* find(const std::vector<feature<>>& all, type_id type,
                               std::string_view name) noexcept {
    for (const auto& one : all) {
      if (one.type == type && one.name == name) return &one;
    }
    return nullptr;
  }
};

}  // namespace detail

}  // namespace halograph
