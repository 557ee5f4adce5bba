// SPDX-License-Identifier: BSL-1.0
/// @file serializer.hpp
/// What a file format of partitions must be able to do: lay out its files from counts, types and
/// shapes alone, so that data can be written in any order, and read them back.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// Edges as pairs: edge i leads from source[i] to target[i]. Integer columns [M].
struct coo_columns {
  tensor source{};  ///< [M]
  tensor target{};  ///< [M]
};

/// Adjacency by rows. `edges` is [M], or [0] where the ID of an edge is its position.
struct compressed_columns {
  tensor offsets{};    ///< [rows + 1]
  tensor neighbors{};  ///< [M] column of each entry: a target in csr, a source in csc
  tensor edges{};      ///< [M] edge ID of each entry, or [0]
};

/// The graph of a part as stored: at least one of coo, csr (rows are sources) and csc (rows are
/// targets), and the columns by the names they have in the file ("_ID", "inner_node", ...).
struct loaded_structure {
  std::uint64_t nodes = 0;                   ///< N, halo included
  std::uint64_t edges = 0;                   ///< M, inner and other
  std::optional<coo_columns> coo{};          ///< edge i has ID i
  std::optional<compressed_columns> csr{};   ///< rows are sources
  std::optional<compressed_columns> csc{};   ///< rows are targets
  std::vector<named_tensor> node_columns{};  ///< each [N]
  std::vector<named_tensor> edge_columns{};  ///< each [M]
  /// check_coo() and check_compressed() found nothing when the formats were read
  bool formats_checked = false;
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
concept reads_structures_by_threads = requires(const S& s, const file_bytes& bytes,
                                               const std::string& file, executor_ref threads) {
  { s.read_structure(bytes, file, threads) } -> std::same_as<loaded_structure>;
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
/// edge_feature, original_nodes or original_edges. `read_structure` may take an executor_ref as
/// third argument, which checks what it reads. Laws: the sections of a layout fit their files
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

namespace detail {

/// Read the graph of a part. @param threads  check what is read, where the format can use them
template <class Format>
loaded_structure read_structure_by(const Format& format, const file_bytes& bytes,
                                   const std::string& file, [[maybe_unused]] executor_ref threads) {
  if constexpr (reads_structures_by_threads<Format>)
    return format.read_structure(bytes, file, threads);
  else
    return format.read_structure(bytes, file);
}

}  // namespace detail

/// Any serializer, owned, and shared by its copies: code that takes it is compiled once for all of
/// them. Thread-safe if the serializer is.
class any_serializer {
 public:
  /// Take over a serializer; one allocation.
  template <class Format>
    requires(!std::same_as<Format, any_serializer> && serializer<Format>)
  any_serializer(Format format)
      : held_(std::make_shared<const holder<Format>>(std::move(format))) {}

  /// As the held serializer; see serializer. @errors its own
  /// @{
  std::string_view name() const { return held_->name(); }
  part_layout layout(const part_description& plan) const { return held_->layout(plan); }
  /// @}
  /// The graph of a part. @param threads  check what is read, where the format can use them
  /// @errors those of the serializer
  loaded_structure read_structure(const file_bytes& bytes, const std::string& file,
                                  executor_ref threads = {}) const {
    return held_->read_structure(bytes, file, threads);
  }
  /// The features or original IDs in a file of a part. @param what  node_feature, edge_feature,
  /// original_nodes, original_edges: needed where one file holds several of them
  std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file,
                                          column what) const {
    return held_->read_features(bytes, file, what);
  }
  /// Does the format's read_features take the column that is wanted?
  bool tells_columns_apart() const noexcept { return held_->by_column; }

 private:
  struct base {
    explicit base(bool by_column_) noexcept : by_column(by_column_) {}
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    virtual std::string_view name() const = 0;
    virtual part_layout layout(const part_description&) const = 0;
    virtual loaded_structure read_structure(const file_bytes&, const std::string&,
                                            executor_ref) const = 0;
    virtual std::vector<named_tensor> read_features(const file_bytes&, const std::string&,
                                                    column) const = 0;
    const bool by_column;
  };
  template <class Format>
  struct holder final : base {
    explicit holder(Format&& format)
        : base(detail::reads_features_by_column<Format>), inner(std::move(format)) {}
    std::string_view name() const override { return inner.name(); }
    part_layout layout(const part_description& plan) const override { return inner.layout(plan); }
    loaded_structure read_structure(const file_bytes& bytes, const std::string& file,
                                    executor_ref threads) const override {
      return detail::read_structure_by(inner, bytes, file, threads);
    }
    std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file,
                                            [[maybe_unused]] column what) const override {
      if constexpr (detail::reads_features_by_column<Format>) {
        return inner.read_features(bytes, file, what);
      } else {
        return inner.read_features(bytes, file);
      }
    }
    Format inner;
  };

  std::shared_ptr<const base> held_;
};
static_assert(serializer<any_serializer>);

/// Has a layout a file for everything in the part, and can the format tell apart what shares one?
/// @errors unsupported: no file for features or original IDs that the part has; invalid_argument:
///     one file holds several of them, and the format's read_features takes no column
void check_roles(const any_serializer& format, const part_description& plan,
                 const part_layout& layout);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/serializer.ipp>
#endif
