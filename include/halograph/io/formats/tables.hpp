// SPDX-License-Identifier: BSL-1.0
/// @file tables.hpp
/// A graph from tables: csv and Parquet files of nodes and edges whose keys, text or integers, are
/// mapped to dense IDs within a memory budget.
/// Layer: io. Words: README.md.
///
/// tables_spec.hpp describes the tables.
///
/// IDs are dense within each type: in the order of the rows of the node files, where each key
/// occurs once; for a type without files, in ascending order of the keys that edges use. Keys are
/// sorted on disk and joined with the edges, twice for each end; the dictionary of each type is
/// kept as
/// `<type>.keys` (key_dictionary.hpp).
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch_folder.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// How tables are read.
struct tables_options {
  std::string scratch{};       ///< folder for temporary files; about twice the keys and IDs of the
                               ///< largest edge type, and all IDs and features
  std::string dictionaries{};  ///< folder that gets `<type>.keys`, created where missing; empty:
                               ///< they are not kept
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< bytes to sort with
  progress_callback on_progress{};                ///< called as tables are read; empty: no reports
};

namespace detail {

/// A folder for the dictionaries of one call: the caller's, or one that is removed at the end.
class dictionary_folder {
 public:
  /// @errors not_found, io
  dictionary_folder(const std::string& kept, const std::string& scratch) : path_(kept) {
    if (kept.empty()) {
      path_ = temporary_.emplace(scratch).path();
      return;
    }
    std::error_code problem;
    std::filesystem::create_directories(path_, problem);
    if (problem) raise_io(path_, "create the folder", problem.value());
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  std::optional<scratch_folder> temporary_{};
};

class tables_streamer {
 public:
  tables_streamer(const tables_spec& spec, const tables_options& options,
                  const any_file_opener& open, const any_table_reader& tables)
      : spec_(spec),
        options_(options),
        open_(open),
        tables_(tables),
        dictionaries_(options.dictionaries, options.scratch) {}

  streamed_graph run();

 private:
  using reader = csv_table_reader;

  std::string path_of(std::size_t node_type) const {
    return dictionaries_.path() + "/" + spec_.nodes[node_type].type + ".keys";
  }
  type_id node_type_of(const std::string& name) const { return *graph_.schema.node_type(name); }

  node_key key_from(const reader& at, std::size_t slot, key_kind kind) const;

  /// The features of a table, collected row by row.
  class feature_columns {
   public:
    feature_columns(const csv_table& table, reader& at, const std::string& scratch);
    void take(const reader& at);
    void give(type_id type, std::uint64_t rows, std::vector<streamed_feature>& out);

   private:
    struct column {
      std::vector<std::size_t> slots{};
      std::vector<std::byte> row{};
      std::optional<std::uint64_t> list{};  // elements of a column of lists
      std::shared_ptr<scratch_file> file{};
    };
    void take_list(const reader& at, column& one, std::size_t item,
                   function_ref<void(std::size_t, std::string_view, std::byte*)> store) const;

    const csv_table& table_;
    std::vector<column> columns_{};
  };

  /// The place of row n (from 0) of a table; the files are read again up to there.
  table_place place_of(const csv_table& table, const csv_column& column, std::uint64_t row) const;

  std::uint64_t keys_of_nodes(std::size_t t);

  std::uint64_t keys_of_edges(std::size_t t);

  /// The endpoints of the edges of a type as IDs, in edge order.
  std::pair<std::shared_ptr<scratch_file>, std::shared_ptr<scratch_file>> resolve(std::size_t r);

  /// Merge sorted keys of edges with a sorted dictionary, and sort the IDs back into edge order.
  std::shared_ptr<scratch_file> join(const edge_table& edge, const csv_column& column,
                                     external_sorter<std::uint64_t>& keys, type_id type);

  const tables_spec& spec_;
  const tables_options& options_;
  any_file_opener open_;
  any_table_reader tables_;
  dictionary_folder dictionaries_;
  streamed_graph graph_{};
};

}  // namespace detail

/// Read tables and stream their graph from temporary files. The dictionaries are in
/// options.dictionaries afterwards.
///
/// @param tables  reads Parquet files, as text
/// @errors with file and line, or row: malformed (quotes, numbers, empty keys, records of another
///     number of fields), exists (two nodes have the same key), not_found (no node has a key, or
///     there is no such column); io: the disk is full; memory
/// @complexity one pass over each table, and one more for each node type without files; two sorts
///     of the keys and IDs of each end of the edges. Memory: options.memory, and what `open` takes
///     for one file
inline streamed_graph stream_tables(const tables_spec& spec, const tables_options& options,
                                    const any_file_opener& open,
                                    const any_table_reader& tables = {}) {
  return detail::tables_streamer(spec, options, open, tables).run();
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/tables.ipp>
#endif
