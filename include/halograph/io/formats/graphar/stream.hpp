// SPDX-License-Identifier: BSL-1.0
/// @file stream.hpp
/// A graph from an Apache GraphAr data set: chunks of csv or Parquet, whose rows are IDs already.
/// Layer: io. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `<vertex prefix>/vertex_count` | number of nodes, 8 bytes, little-endian |
/// | `<vertex prefix>/<group>/chunk<k>` | properties of nodes k * chunk_size and on, a row each |
/// | `<edge prefix>/<list>/edge_count<p>` | number of edges of part p, 8 bytes, little-endian |
/// | `<edge prefix>/<list>/adj_list/part<p>/chunk<k>` | columns `_graphArSrcIndex` and `_graphArDstIndex` |
/// | `<edge prefix>/<list>/<group>/part<p>/chunk<k>` | properties of the same edges |
///
/// infos.hpp describes the information files. Node n of a type is row n of its chunks; edges are
/// numbered part by part in the order of their chunks. Of the adjacency lists of an edge type one
/// is read, ordered_by_source where there is a choice. Properties that are numbers, or in Parquet
/// lists of them, become features; all others are left out, and a note says so.
/// @source the GraphAr format, version gar/v1 (graphar.apache.org/docs/specification/format)
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/formats/graphar/infos.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How a data set is read.
struct graphar_options {
  bool features = true;   ///< false: chunks of properties are not opened
  std::string scratch{};  ///< folder for temporary files: 16 bytes for each edge, and the features
  progress_callback on_progress{};  ///< called with rows of chunks; empty: no reports
};

namespace detail {

/// A column of chunks on its way into a temporary file.
struct graphar_column {
  std::string name{};
  dtype element = dtype::uint64;
  bool list = false;
  std::uint64_t below = 0;  ///< of a column of IDs: the number of nodes
  std::uint64_t width = 0;  ///< of lists, once a row has been seen
  std::shared_ptr<scratch_file> file{};
  std::string missing{};  ///< where a value is missing, and the column is not read on
};

class graphar_streamer {
 public:
  graphar_streamer(const graphar_infos& infos, const graphar_options& options,
                   const any_file_opener& open, const any_table_reader& tables)
      : infos_(infos), options_(options), open_(open), tables_(tables) {}

  streamed_graph run();

 private:
  using columns = std::vector<graphar_column>;

  /// The number in a file of 8 bytes.
  std::uint64_t count_in(const std::string& path) const;
  /// Append the rows of a chunk to the columns' files.
  void take(graphar_file type, const std::string& path, std::uint64_t rows, columns& to) const;
  void take_csv(const std::string& path, std::uint64_t rows, columns& to) const;
  void take_table(const std::string& path, std::uint64_t rows, columns& to) const;
  /// The chunks of `folder`, which have `rows` rows together.
  void take_chunks(graphar_file type, const std::string& folder, std::uint64_t chunk_size,
                   std::uint64_t rows, columns& to) const;
  /// The columns of a group that are features; the names of the others go to `left_out`.
  columns features_of(const graphar_group& group, const std::string& of,
                      std::string& left_out) const;
  void give(columns from, const std::string& of, type_id type, std::uint64_t rows,
            std::vector<streamed_feature>& out);
  void note_left_out(const std::string& of, const std::string& left_out);
  void read_nodes(std::size_t t);
  void read_edges(std::size_t r);

  const graphar_infos& infos_;
  const graphar_options& options_;
  any_file_opener open_;
  any_table_reader tables_;
  streamed_graph graph_{};
  std::vector<std::pair<std::shared_ptr<scratch_file>, std::shared_ptr<scratch_file>>> ends_{};
};

}  // namespace detail

/// Read the chunks of a data set once and stream its graph from temporary files.
///
/// @param path    the graph's info, `<name>.graph.yml`
/// @param yaml    parses YAML (yaml_cpp_codec); no_yaml says what is missing
/// @param tables  reads Parquet
/// @errors those of read_graphar_infos(); with file and, in csv, line: malformed (numbers, records,
///     counts), mismatch (a chunk has another number of rows than the counts say), out_of_range (an
///     endpoint is not a node), not_found (a file, a column); io: the disk is full; memory
/// @complexity O(bytes); memory of one chunk
streamed_graph stream_graphar(const std::string& path, const graphar_options& options,
                              const any_file_opener& open, const any_json_codec& yaml,
                              const any_table_reader& tables = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/graphar/impl/stream.ipp>
#endif
