// SPDX-License-Identifier: BSL-1.0
/// @file dist_state.hpp
/// The state that copies of a distributed graph share: its options, parts and features.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace halograph {

/// How to open a distributed graph. The same on all ranks.
struct dist_options {
  part_options part{};           ///< what to open of each part
  bool features = true;          ///< also open the features
  bool digest_features = false;  ///< also compare them with the manifest, which reads all of them
  /// gather rows from copies that attach-features --cache-plan has placed
  bool cached_features = true;
  /// the most bytes that a rank receives in one round of an exchange
  std::size_t exchange_bytes = default_exchange_bytes;
  /// what the graphs of a rank's parts may take besides their files; may differ between ranks
  std::uint64_t most_bytes = ~std::uint64_t{0};
};

namespace detail {

/// Cached rows of other ranks.
struct kept_rows {
  std::vector<std::uint64_t> ids{};  // global, ascending
  std::vector<const std::byte*> rows{};
  std::vector<std::uint32_t> table{};  // of a boundary_index over the IDs
  std::vector<tensor> owners{};        // own the memory of the rows

  /// A function that finds a row, or returns null. @complexity expected O(1)
  class finder_type {
   public:
    explicit finder_type(const kept_rows& kept) noexcept
        : ids_(kept.ids), rows_(kept.rows), index_(kept.ids, kept.table) {}
    const std::byte* operator()(std::uint64_t id) const noexcept {
      if (ids_.empty() || id > ids_.back()) return nullptr;
      const std::size_t count = id == ids_.back() ? ids_.size() : index_.count_not_above(id);
      return count != 0 && ids_[count - 1] == id ? rows_[count - 1] : nullptr;
    }

   private:
    std::span<const std::uint64_t> ids_;
    std::span<const std::byte* const> rows_;
    boundary_index<std::uint64_t> index_;
  };
  /// @pre these rows outlive it
  finder_type finder() const noexcept { return finder_type(*this); }
};

/// One feature of one type: its description, the same on all ranks, and the rows of local parts.
struct dist_column {
  bool of_nodes = true;
  type_id type = 0;
  std::string name{};
  dtype item = dtype::float32;
  tensor_shape row_shape{};
  std::vector<tensor> rows{};  // by part of this rank; parts that own none of the type may lack it
  bool certain = false;  // told by a part that has rows: where there are none, DGL writes float32,
                         // whatever it is
  kept_rows kept{};
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape)) * item_bytes(item);
  }
};

/// What copies of a dist_graph share.
struct dist_state {
  partition_config config{};
  std::shared_ptr<const partition_book> book{};
  id_range held{};                     // parts of this rank
  std::vector<std::size_t> rank_of{};  // [P]
  std::vector<part_graph> parts{};
  std::vector<dist_column> columns{};
  bool complete_out_edges = false;
  std::uint64_t memory_bytes = 0;  // of the parts, an upper bound
  dist_options options{};
};

}  // namespace detail

}  // namespace halograph
