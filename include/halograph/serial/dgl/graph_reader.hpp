// SPDX-License-Identifier: BSL-1.0
/// @file graph_reader.hpp
/// Reads the records of a DGL graph file and checks them.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::dgl {

namespace detail {

/// Reads the records of a graph file; `in` names the byte of each fault.
class graph_reader {
 public:
  graph_reader(const file_bytes& data, const std::string& file, strictness how,
               executor_ref threads = {})
      : data_(data), in_(data, file, how), threads_(threads) {}

  graph_file read(std::optional<std::span<const std::uint64_t>> chosen);

 private:
  /// An array and the byte where its data start.
  struct placed {
    tensor values{};
    std::uint64_t at = 0;
  };
  struct adjacency {
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t at = 0;              // of the record
    placed first{}, second{}, data{};  // indptr, indices, edge IDs; or row, col, edge IDs
  };

  placed array(std::string_view what);

  /// The byte of an element of one of the three arrays of an adjacency.
  static std::uint64_t byte_of(const adjacency& from, int which, std::uint64_t element) {
    const placed& one = which == 0 ? from.first : which == 1 ? from.second : from.data;
    return one.at + element * item_bytes(one.values.type());
  }
  void require(const std::optional<structure_fault>& found, const adjacency& from,
               column base) const {
    if (!found) return;
    const int which = static_cast<int>(found->what) - static_cast<int>(base);
    in_.fail(error_kind::malformed, found->sentence, byte_of(from, which, found->element));
  }

  /// Columns, rows and three arrays, common to coo and csr.
  adjacency matrix(std::uint64_t magic, std::string_view noun, const char* first,
                   const char* second);
  void flag() {
    if (in_.number<std::uint8_t>("a flag") > 1 && in_.strict())
      in_.malformed("a flag must be 0 or 1");
  }
  adjacency compressed() { return matrix(csr_magic, "csr matrix", "offsets", "indices"); }
  adjacency coo() {
    adjacency out = matrix(coo_magic, "coo matrix", "row numbers", "column numbers");
    flag();
    return out;
  }

  void require_compressed(const adjacency& from, column base) const {
    const compressed_columns parts{from.first.values, from.second.values, from.data.values};
    require(check_compressed(parts, base, from.rows, from.columns, threads_), from, base);
  }
  void require_id_type(const placed& one, const char* noun) const;

  /// End types by relation.
  std::vector<std::pair<type_id, type_id>> metagraph(std::uint64_t& vertices);

  /// The metagraph in front of a section says nothing new.
  void unit_metagraph(bool loop);

  sparse_formats formats(std::string_view what, bool stored);

  /// Both numbers of nodes; they are known only behind the relations.
  struct shape_claim {
    std::uint64_t sources, targets, at;
  };

  relation_data relation(std::pair<type_id, type_id> ends, shape_claim& claim);

  /// Put the edges of a coo with explicit edge IDs in the order of their IDs.
  void reorder(coo_columns& edges, const adjacency& from) const;

  std::uint64_t same_count(std::string_view what, std::uint64_t expected, std::string_view of,
                           std::uint64_t least);

  std::vector<named_tensor> columns(std::uint64_t rows, const char* noun);

  graph_data graph();

  /// Where the index starts, found from the end of the file.
  std::uint64_t find_index();

  /// @pre graphs were checked against the size of the file
  std::vector<std::uint64_t> read_index(std::uint64_t graphs, std::uint64_t tail);

  const file_bytes& data_;
  cursor in_;
  executor_ref threads_;
};

}  // namespace detail

}  // namespace halograph::dgl

#if !HALOGRAPH_COMPILED
#include <halograph/serial/dgl/impl/graph_reader.ipp>
#endif
