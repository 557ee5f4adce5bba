// SPDX-License-Identifier: BSL-1.0
/// @file attributed_graph.hpp
/// What documents that list nodes and edges with keys and attributes have in common: keys become
/// IDs, and numbers become features.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/feature_store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How a document that lists nodes and edges is read.
struct document_options {
  bool features = true;                          ///< false: structure alone
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< of memory that reading may take
  /// folder that gets `_N.keys`, a key_dictionary, where the keys of nodes are not their IDs;
  /// empty: none
  std::string dictionaries{};
  std::string scratch{};                          ///< for dictionaries: folder of temporary files
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< for dictionaries: bytes to sort with
};

namespace detail {

/// Attributes of rows that come one after another. An attribute becomes a column of int64, or of
/// float64 if one of its values is no integer, where each row has exactly one number for it.
class number_columns {
 public:
  /// Begin the next row.
  void next_row() noexcept { ++rows_; }
  /// Give the row a value.
  void put(std::string_view name, std::int64_t value);
  void put(std::string_view name, double value);
  void put_other(std::string_view name);  ///< what is no number
  /// Has the row a value of this name?
  bool has(std::string_view name) const;

  std::uint64_t rows() const noexcept { return rows_; }
  /// Row i is what row order[i] was; rows may be dropped and repeated.
  void rearrange(std::span<const std::size_t> order);
  /// The columns, in the order in which their names first appeared. What is left out is named in a
  /// note. @param kind "node" or "edge"
  std::vector<feature<>> finish(const char* kind, std::vector<std::string>& notes) &&;

 private:
  struct column {
    std::string name{};
    std::vector<std::int64_t> integers{};
    std::vector<double> floats{};
    std::uint64_t last = 0;  ///< the last row that has a value; rows count from 1
    bool floating = false, whole = true;
  };
  /// The column to append to; nullptr where it is incomplete.
  column* at(std::string_view name);
  void drop(column& one) noexcept;

  std::uint64_t rows_ = 0;
  std::vector<column> columns_{};
  std::map<std::string, std::size_t, std::less<>> places_{};
};

/// The keys of nodes, all integers or all text, in the order of the document.
class node_keys {
 public:
  explicit node_keys(key_kind kind) noexcept : kind_(kind) {}

  /// @param text  kept by reference
  void add(std::string_view text) { texts_.emplace_back(text, texts_.size()); }
  void add(std::int64_t number) { numbers_.emplace_back(number, numbers_.size()); }
  /// Sort the keys, after which nodes can be found.
  /// @return two positions whose keys are equal, the later one first; nothing where all differ
  std::optional<std::pair<std::size_t, std::size_t>> sort();

  key_kind kind() const noexcept { return kind_; }
  std::size_t size() const noexcept { return texts_.size() + numbers_.size(); }
  /// Are the keys 0 to n - 1, in any order? @pre sorted
  bool are_ids() const noexcept;
  /// The position, or where the keys are IDs the ID, of a node. @pre sorted
  /// @complexity O(log n)
  std::optional<std::uint64_t> find(std::string_view text) const noexcept;
  std::optional<std::uint64_t> find(std::int64_t number) const noexcept;

  /// For rearrange(): the position of each ID. @pre are_ids()
  std::vector<std::size_t> positions() const;
  /// The keys of integers by position.
  std::vector<std::int64_t> numbers() const;
  /// As write_key_dictionary(), of a type `_N`. @pre sorted @errors io
  void write(const document_options& options) const;

 private:
  key_kind kind_;
  std::vector<std::pair<std::string_view, std::size_t>> texts_{};
  std::vector<std::pair<std::int64_t, std::size_t>> numbers_{};
};

/// What a document describes.
struct attributed_graph {
  node_keys keys;
  std::vector<endpoint_pair> edges{};  ///< IDs as node_keys::find() has them
  number_columns node_attributes{};
  number_columns edge_attributes{};
  std::vector<std::string> notes{};
};

/// Append the mirror image of each edge that is undirected and no loop, in order, with its
/// attributes.
void mirror_edges(attributed_graph& graph, function_ref<bool(std::size_t)> undirected);

/// The graph as a stream of the types `_N` and `_N:_E:_N`.
/// @param place  "\"nodes\"": where the document lists the nodes, for a note
streamed_graph stream_attributed(attributed_graph graph, const std::string& path, const char* place,
                                 const document_options& options);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/documents/impl/attributed_graph.ipp>
#endif
