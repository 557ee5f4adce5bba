// SPDX-License-Identifier: BSL-1.0
/// @file feature_store.hpp
/// Rows by ID: what a feature must be able to do, wherever it lives, and the features of a graph.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {
template <class S>
concept describes_rows = requires(const S& s) {
  { s.type() } -> std::same_as<dtype>;
  { s.rows() } -> std::convertible_to<std::uint64_t>;
  { s.row_shape() } -> std::convertible_to<std::span<const std::uint64_t>>;
};
template <class S>
concept gathers_rows = requires(const S& s, std::span<const std::uint64_t> ids,
                                std::span<std::byte> out) {
  { s.gather(ids, out) } -> std::same_as<status>;
};
}  // namespace detail

/// Rows of one dtype and shape, copied by ID into the caller's memory. `tensor` is one.
template <class S>
concept feature_store =
    (detail::describes_rows<S> ||
     unmet<
         "feature_store: needs dtype type() const, rows() const and span<const uint64_t> row_shape() const">()) &&
    (detail::gathers_rows<S> ||
     unmet<"feature_store: needs status gather(span<const uint64_t> ids, span<byte> out) const">());
static_assert(feature_store<tensor>);

/// Is this the name of a column that partitions have themselves? A feature of this name would be
/// lost or would overwrite that column.
constexpr bool is_reserved_feature(std::string_view name, bool of_nodes) noexcept {
  return name == "_ID" || name == (of_nodes ? "inner_node" : "inner_edge");
}

/// Tensors laid end to end along their first axis: the chunks of one feature, read where they lie.
class chunked_tensor {
 public:
  chunked_tensor() = default;
  /// A tensor as the only chunk.
  chunked_tensor(tensor whole) {
    chunks_.push_back(std::move(whole));
    ends_.push_back(chunks_.back().rows());
  }
  /// @errors raises mismatch: the chunks differ in dtype or in the shape of a row; overflow: more
  ///     than 2^64 rows
  explicit chunked_tensor(std::vector<tensor> chunks);

  /// Element type of all chunks; float32 where there are none.
  dtype type() const noexcept { return chunks_.empty() ? dtype::float32 : chunks_[0].type(); }
  /// Rows of all chunks together.
  std::uint64_t rows() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  /// Extents of one row; empty where rows are single elements or there are no chunks.
  std::span<const std::uint64_t> row_shape() const noexcept {
    return chunks_.empty() ? std::span<const std::uint64_t>{} : chunks_[0].row_shape();
  }
  /// Bytes of one row.
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape())) * item_bytes(type());
  }
  /// The tensors, in the order of their rows.
  const std::vector<tensor>& chunks() const noexcept { return chunks_; }

  /// As tensor::gather. @complexity O(rows asked x log chunks)
  template <class Id>
  status gather(std::span<const Id> ids, std::span<std::byte> out) const noexcept {
    if (chunks_.size() == 1) return chunks_[0].gather(ids, out);
    const std::size_t width = row_bytes();
    return detail::gather_rows(ids, width, rows(), out, [&](std::uint64_t row) {
      const auto chunk = count_not_above<std::uint64_t>(ends_, row);
      const std::uint64_t first = chunk == 0 ? 0 : ends_[chunk - 1];
      return chunks_[chunk].bytes().data() + (row - first) * width;
    });
  }

 private:
  std::vector<tensor> chunks_{};
  std::vector<std::uint64_t> ends_{};
};
static_assert(feature_store<chunked_tensor>);

/// One feature of one node or edge type.
template <feature_store Store = chunked_tensor>
struct feature {
  type_id type = 0;    ///< node type or edge type
  std::string name{};  ///< without the type; "feat"
  Store rows{};        ///< row i belongs to typed ID i, as in the input
};

/// The features of a graph, nodes' and edges', in the order of the input.
template <feature_store Store = chunked_tensor>
struct basic_feature_set {
  std::vector<feature<Store>> nodes{};  ///< of nodes of all types
  std::vector<feature<Store>> edges{};  ///< of edges of all types
};
/// Features in tensors, in memory or mapped: what readers give.
using feature_set = basic_feature_set<>;

/// Any feature store, by reference: an indirect call per block of rows.
class feature_store_ref {
 public:
  /// @param rows  must outlive this object and its copies
  template <class Store>
    requires(!std::same_as<Store, feature_store_ref> && feature_store<Store>)
  feature_store_ref(const Store& rows) noexcept
      : store_(&rows),
        type_([](const void* store) { return static_cast<const Store*>(store)->type(); }),
        rows_([](const void* store) {
          return static_cast<std::uint64_t>(static_cast<const Store*>(store)->rows());
        }),
        row_shape_([](const void* store) {
          return std::span<const std::uint64_t>(static_cast<const Store*>(store)->row_shape());
        }),
        gather_(
            [](const void* store, std::span<const std::uint64_t> ids, std::span<std::byte> out) {
              return static_cast<const Store*>(store)->gather(ids, out);
            }) {}

  /// As the store; see feature_store.
  /// @{
  dtype type() const { return type_(store_); }
  std::uint64_t rows() const { return rows_(store_); }
  std::span<const std::uint64_t> row_shape() const { return row_shape_(store_); }
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const {
    return gather_(store_, ids, out);
  }
  /// @}

 private:
  const void* store_;
  dtype (*type_)(const void*);
  std::uint64_t (*rows_)(const void*);
  std::span<const std::uint64_t> (*row_shape_)(const void*);
  status (*gather_)(const void*, std::span<const std::uint64_t>, std::span<std::byte>);
};
static_assert(feature_store<feature_store_ref>);

/// The features of a graph, whatever their store, by reference. By default there are none.
struct feature_set_ref {
  std::vector<feature<feature_store_ref>> nodes{};  ///< of nodes of all types; rows by reference
  std::vector<feature<feature_store_ref>> edges{};  ///< of edges of all types; rows by reference

  feature_set_ref() = default;
  /// @param set  must outlive this object and its copies
  template <feature_store Store>
  feature_set_ref(const basic_feature_set<Store>& set) {
    for (const auto& one : set.nodes) nodes.push_back({one.type, one.name, one.rows});
    for (const auto& one : set.edges) edges.push_back({one.type, one.name, one.rows});
  }
  feature_set_ref(const basic_feature_set<chunked_tensor>& set);  ///< the same, of most graphs
  /// A temporary would be destroyed before its rows are read.
  template <feature_store Store>
  feature_set_ref(const basic_feature_set<Store>&&) = delete;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/feature_store.ipp>
#endif
