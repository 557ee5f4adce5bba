// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// A chunked graph, opened and not held: edges and feature rows are read block by block.
/// Layer: io. Words: README.md.
///
/// The format is described atop metadata.hpp; open.hpp opens one.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/chunked/elements.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Open files, shared by concurrent readers. As many unused files stay open as are in use, at least
/// one, so that a thread that reads a file block by block opens it once.
class shared_files {
 public:
  file_bytes open(const std::string& path, const any_file_opener& opener);

 private:
  struct opened_file {
    std::string path{};
    file_bytes content{};
  };
  /// Move the file to the front; null if it is not open.
  file_bytes* find(const std::string& path);
  void close_unused();

  std::mutex lock_{};
  std::vector<opened_file> files_{};  // the one used last first
};

}  // namespace detail

/// A chunked graph of any size: its names and counts, and its edges and rows where they lie. Made
/// by open_chunked().
///
/// Counts are known and agree with the metadata; IDs and numbers are checked as they are read.
/// Memory: names, counts and 24 bytes for each 4 MiB of text; each call takes its buffers, and what
/// the opener takes to open one file (almost nothing if it maps files). All const calls may run at
/// the same time on several threads.
class chunked_graph {
 public:
  std::string name{};                            ///< from the metadata, or the folder's
  graph_schema schema{};                         ///< T node types and R edge types
  std::vector<std::uint64_t> node_counts{};      ///< [T]
  std::vector<std::uint64_t> edge_counts{};      ///< [R]
  std::vector<chunk_list> edges{};               ///< [R] files of each edge type
  std::vector<chunked_feature> node_features{};  ///< in the order of the metadata
  std::vector<chunked_feature> edge_features{};  ///< in the order of the metadata

  /// An empty graph, which open_chunked() fills.
  /// @param open    opens the files of edges and features
  /// @param tables  reads Parquet files, if there are any
  explicit chunked_graph(any_file_opener open = {}, any_table_reader tables = {})
      : open_(std::move(open)),
        tables_(std::move(tables)),
        files_(std::make_unique<detail::shared_files>()) {}

  /// A chunked_rows that views a moved graph must be made again.
  /// @{
  chunked_graph(chunked_graph&&) noexcept;
  chunked_graph& operator=(chunked_graph&&) noexcept;
  /// @}
  ~chunked_graph();

  /// V and E, over all types.
  /// @{
  std::uint64_t num_nodes() const noexcept { return sum(node_counts); }
  std::uint64_t num_edges() const noexcept { return sum(edge_counts); }
  /// @}

  /// A feature by type and name, or nullptr.
  /// @{
  const chunked_feature* node_feature(type_id type, std::string_view feature) const noexcept {
    return find(node_features, type, feature);
  }
  const chunked_feature* edge_feature(type_id type, std::string_view feature) const noexcept {
    return find(edge_features, type, feature);
  }
  /// @}

  /// The edges of a type in pieces that are quick to find, none across files, in order: units of
  /// work for parallel readers. Text: about 4 MiB each; arrays: 2^20 edges; tables: their row
  /// groups.
  std::vector<edge_block> edge_blocks(type_id type) const;

  /// Pass edges [first, last) of a type in order, at most `buffer_rows` at a time: f(span<const
  /// Node> sources, span<const Node> targets, uint64_t ID of the first). Typed IDs.
  ///
  /// @errors out_of_range: no such edges, or an ID that is not a node (file and line, or row);
  ///     malformed, truncated; overflow: Node cannot hold an ID; mismatch: a file has changed since
  ///     it was opened
  /// @complexity O(edges), and of text up to 4 MiB before the first
  template <id Node>
  void read_edges(
      type_id type, std::uint64_t first, std::uint64_t last, std::size_t buffer_rows,
      function_ref<void(std::span<const Node>, std::span<const Node>, std::uint64_t)> f) const {
    std::vector<Node> source(static_cast<std::size_t>(std::min<std::uint64_t>(
        std::max<std::size_t>(buffer_rows, 1), last > first ? last - first : 0)));
    std::vector<Node> target(source.size());
    stream<Node>(
        type, first, last,
        [&](std::uint64_t, std::size_t most) {
          most = std::min(most, source.size());
          return column_spans<Node>{std::span<Node>(source).first(most),
                                    std::span<Node>(target).first(most)};
        },
        [&](std::uint64_t at, std::size_t count) {
          f(std::span<const Node>(source).first(count), std::span<const Node>(target).first(count),
            at);
        });
  }

  /// Read edges [first, first + source.size()) of a type into the caller's columns. As
  /// read_edges().
  template <id Node>
  void read_edges_into(type_id type, std::uint64_t first, std::span<Node> source,
                       std::span<Node> target) const {
    if (target.size() != source.size()) {
      raise(error_kind::mismatch, "columns of " + std::to_string(source.size()) + " sources and " +
                                      std::to_string(target.size()) +
                                      " targets cannot hold edges; each edge has one of each");
    }
    stream<Node>(
        type, first, first + source.size(),
        [&](std::uint64_t at, std::size_t most) {
          const auto from = static_cast<std::size_t>(at - first);
          return column_spans<Node>{source.subspan(from, most), target.subspan(from, most)};
        },
        [](std::uint64_t, std::size_t) {});
  }

  /// Read rows [first, last) of a feature of this graph into `out`, row-major, in the machine's
  /// byte order.
  ///
  /// @errors out_of_range: no such rows; capacity: `out` is too small; malformed; mismatch: the
  ///     file has changed
  /// @complexity O(bytes read), and of text up to 4 MiB before the first
  void read_rows(const chunked_feature& feature, std::uint64_t first, std::uint64_t last,
                 std::span<std::byte> out) const;

  /// The opener and the table reader with which the graph was opened.
  /// @{
  const any_file_opener& opener() const noexcept { return open_; }
  const any_table_reader& tables() const noexcept { return tables_; }
  /// @}

 private:
  static std::uint64_t sum(const std::vector<std::uint64_t>& counts) noexcept {
    std::uint64_t total = 0;
    for (const auto count : counts) total += count;
    return total;
  }
  static const chunked_feature* find(const std::vector<chunked_feature>& all, type_id type,
                                     std::string_view feature) noexcept {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
      return one.type == type && one.name == feature;
    });
    return found == all.end() ? nullptr : &*found;
  }
  const chunk_list& list_of(type_id type) const;
  /// The file that holds a row: the last that begins at or before it.
  static std::size_t file_of(const std::vector<chunk_file>& files, std::uint64_t row) noexcept {
    const auto found = std::upper_bound(
        files.begin(), files.end(), row,
        [](std::uint64_t r, const chunk_file& file) { return r < file.first; });
    return found == files.begin() ? 0 : static_cast<std::size_t>(found - files.begin()) - 1;
  }
  [[noreturn]] static void raise_changed(const std::string& path) {
    raise(error_kind::mismatch,
          "the file has changed since it was opened; it must not change while it is read",
          {.file = path});
  }
  file_bytes content(const chunk_file& file) const {
    return file.kept.owner != nullptr || !file.kept.bytes.empty() ? file.kept
                                                                  : files_->open(file.path, open_);
  }

  /// Memory for sources and targets.
  template <id Node>
  using column_spans = std::pair<std::span<Node>, std::span<Node>>;

  /// @param room    memory for the next edges: room(the first one's ID, no more than this)
  /// @param filled  called when they lie there: filled(the first one's ID, their number)
  template <id Node>
  void stream(type_id type, std::uint64_t first, std::uint64_t last,
              function_ref<column_spans<Node>(std::uint64_t, std::size_t)> room,
              function_ref<void(std::uint64_t, std::size_t)> filled) const;
  static std::size_t most_rows(std::uint64_t rows) noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(rows, static_cast<std::size_t>(-1)));
  }

  /// Convert a run of one end of edges. @param row the row of the first in its file
  template <id Node>
  static void ids(dtype type, const std::byte* at, std::size_t stride, bool swapped,
                  std::uint64_t count, std::span<Node> out, const char* end,
                  const std::string& path, std::uint64_t row);

  void rows_of_file(const chunked_feature& feature, const chunk_file& file, std::uint64_t first,
                    std::uint64_t last, std::span<std::byte> out) const;

  template <class Value>
  static void text_rows(const chunked_feature& feature, const chunk_file& file,
                        text_records& records, std::span<std::byte> out) {
    const auto columns = static_cast<std::size_t>(feature.row_shape[0]);
    std::vector<Value> buffer(std::max<std::size_t>(
        columns, std::min<std::size_t>(out.size() / sizeof(Value), 8192 / columns * columns)));
    while (!out.empty()) {
      const auto some = std::span(buffer).first(
          std::min(buffer.size(), out.size() / sizeof(Value)));
      if (records.read_rows<Value>(columns, some) * columns != some.size())
        raise_changed(file.path);
      std::memcpy(out.data(), some.data(), some.size_bytes());
      out = out.subspan(some.size_bytes());
    }
  }

  /// Elements of the feature's rows, counted row-major through the file, out of the table's rows
  /// that hold them.
  void table_rows(const chunked_feature& feature, const chunk_file& file, std::uint64_t first,
                  std::uint64_t last, std::span<std::byte> out) const;

  any_file_opener open_;
  any_table_reader tables_;
  std::unique_ptr<detail::shared_files> files_;
};

template <id Node>
void chunked_graph::stream(type_id type, std::uint64_t first, std::uint64_t last,
                           function_ref<column_spans<Node>(std::uint64_t, std::size_t)> room,
                           function_ref<void(std::uint64_t, std::size_t)> filled) const {
  const chunk_list& list = list_of(type);
  if (first > last || last > edge_counts[type]) {
    raise(error_kind::out_of_range,
          "edges " + std::to_string(first) + " to " + std::to_string(last) + " of " +
              graph_schema::quoted(schema.edge_type_name(type).str()) +
              " are requested; there are " + std::to_string(edge_counts[type]));
  }
  const std::uint64_t sources = node_counts[schema.source_type(type)],
                      targets = node_counts[schema.target_type(type)];
  for (std::size_t i = file_of(list.files, first); first < last; ++i) {
    const chunk_file& file = list.files[i];
    const std::uint64_t end = std::min(last, file.first + file.rows);
    if (first >= end) continue;
    if (list.format == chunk_format::csv) {
      const file_bytes opened = content(file);
      if (opened.bytes.size() != file.text.bytes) raise_changed(file.path);
      const text_place& place = file.text.before(first - file.first);
      text_records records(opened.bytes, place, list.text, file.path);
      records.skip(first - file.first - place.record);
      const edge_text_options options{
          .format = list.text, .source_count = sources, .target_count = targets};
      while (first < end) {
        const auto [source, target] = room(first, most_rows(end - first));
        const std::size_t count = records.read_edges(options, source, target);
        if (count != source.size()) raise_changed(file.path);
        filled(first, count);
        first += count;
      }
    } else if (list.format == chunk_format::numpy) {
      const file_bytes opened = content(file);
      const npy_view array = view_npy(opened.bytes, file.path);
      if (array.shape.size() != 2 || array.shape[1] != 2 || array.rows() != file.rows ||
          !is_integer(array.type))
        raise_changed(file.path);
      const std::size_t width = item_bytes(array.type),
                        stride = array.column_major ? width : 2 * width;
      const std::size_t second = array.column_major ? static_cast<std::size_t>(array.rows()) * width
                                                    : width;
      while (first < end) {
        const auto [source, target] = room(first, most_rows(end - first));
        const std::byte* const at = array.elements.data() +
                                    static_cast<std::size_t>(first - file.first) * stride;
        ids(array.type, at, stride, array.swapped, sources, source, "source", file.path,
            first - file.first);
        ids(array.type, at + second, stride, array.swapped, targets, target, "target", file.path,
            first - file.first);
        filled(first, source.size());
        first += source.size();
      }
    } else {
      tables_.read(
          file.path, file.table, first - file.first, end - file.first,
          [&](std::uint64_t row, std::uint64_t rows, std::span<const table_values> columns) {
            if (columns.size() != 2 || row != first - file.first || rows > end - first)
              raise_changed(file.path);
            const std::size_t widths[] = {item_bytes(columns[0].type), item_bytes(columns[1].type)};
            for (std::size_t done = 0; done < rows;) {
              const auto [source, target] = room(first, static_cast<std::size_t>(rows) - done);
              ids(columns[0].type, columns[0].values.data() + done * widths[0], widths[0], false,
                  sources, source, "source", file.path, row + done);
              ids(columns[1].type, columns[1].values.data() + done * widths[1], widths[1], false,
                  targets, target, "target", file.path, row + done);
              filled(first, source.size());
              first += source.size();
              done += source.size();
            }
          });
      if (first != end) raise_changed(file.path);
    }
  }
}

template <id Node>
void chunked_graph::ids(dtype type, const std::byte* at, std::size_t stride, bool swapped,
                        std::uint64_t count, std::span<Node> out, const char* end,
                        const std::string& path, std::uint64_t row) {
  const std::uint64_t limit = std::min(count, id_capacity<Node>());
  const std::size_t good = detail::ids_from(type, at, stride, swapped, limit, out.data(),
                                            out.size());
  if (good == out.size()) return;
  const std::string value = detail::integer_text(type, at + good * stride, swapped);
  raise(limit == count ? error_kind::out_of_range : error_kind::overflow,
        "row " + std::to_string(row + good) + " has " + end + " " + value +
            (limit == 0 ? "; its type has no nodes"
                        : "; it must be an integer from 0 to " + std::to_string(limit - 1)),
        {.file = path});
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template void chunked_graph::stream<std::uint32_t>(
    type_id, std::uint64_t, std::uint64_t,
    function_ref<std::pair<std::span<std::uint32_t>, std::span<std::uint32_t>>(std::uint64_t,
                                                                               std::size_t)>,
    function_ref<void(std::uint64_t, std::size_t)>) const;
extern template void chunked_graph::stream<std::uint64_t>(
    type_id, std::uint64_t, std::uint64_t,
    function_ref<std::pair<std::span<std::uint64_t>, std::span<std::uint64_t>>(std::uint64_t,
                                                                               std::size_t)>,
    function_ref<void(std::uint64_t, std::size_t)>) const;
#endif

/// A feature of a chunked graph as a feature store; views the graph. Runs of consecutive IDs are
/// read at once.
class chunked_rows {
 public:
  /// Views both, which must outlive this object. @param feature  one of the graph's
  chunked_rows(const chunked_graph& graph, const chunked_feature& feature) noexcept
      : graph_(&graph), feature_(&feature) {}

  /// Dtype, number and shape of the rows.
  /// @{
  dtype type() const noexcept { return feature_->dtype; }
  std::uint64_t rows() const noexcept { return feature_->rows; }
  std::span<const std::uint64_t> row_shape() const noexcept { return feature_->row_shape; }
  /// @}
  /// @errors out_of_range at i: ids[i] is not a row; capacity; raises what
  ///     chunked_graph::read_rows() raises
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const;

 private:
  const chunked_graph* graph_;
  const chunked_feature* feature_;
};
static_assert(feature_store<chunked_rows>);

/// The same as reject_output_over_input() for every file of a chunked graph.
/// @errors raises invalid_argument: a file is inside the folder `target`
void keep_files_of(const std::string& target, const chunked_graph& graph);

/// Call after the last read and before a result is put in place: as settle_inputs() of the opener.
inline void settle_inputs(const chunked_graph& graph) { settle_inputs(graph.opener()); }

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/graph.ipp>
#endif
