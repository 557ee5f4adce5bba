// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// The whole graph of a partition folder as a stream, in the order of the input if the folder keeps
/// the mapping.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// How a partition folder is read.
struct stream_partition_options {
  bool features = true;  ///< false: structure alone, feature files are not opened
  std::string
      scratch{};  ///< folder for temporary files: edges, and the features as large as they are
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< bytes to sort edges with
  progress_callback on_progress{};                ///< called with parts read; empty: no reports
};

namespace detail {

/// The ends of an edge, by typed IDs.
struct stream_edge {
  std::uint64_t source = 0, target = 0;
};

/// Takes edges of a type: their numbers in the stream, and their ends.
using edge_taker =
    function_ref<void(std::size_t, std::span<const std::uint64_t>, std::span<const stream_edge>)>;

/// How the graph of a part is stored.
struct stored_form {
  sparse_formats formats = sparse_formats::none();
  bool original_ids = false;  ///< in a column of the nodes
};

class partition_streamer {
 public:
  partition_streamer(const partition_config& config, const stream_partition_options& options,
                     const any_file_opener& files, const format_list& formats)
      : config_(config), options_(options), files_(files), formats_(formats) {}

  streamed_graph run();
  /// Read all but features into memory of the caller, each part by all threads.
  /// @param prepare  called once with all but the edges
  /// @param put      given each edge, in any order, by several threads at once
  /// @return         all but the edges
  streamed_graph read_into(executor_ref executor, function_ref<void(const streamed_graph&)> prepare,
                           edge_taker put);
  /// After run(): do nodes have original IDs, and do edges?
  /// @{
  bool nodes_restored() const noexcept { return nodes_restored_; }
  bool edges_restored() const noexcept { return edges_restored_; }
  /// @}
  /// After run(): [T] the IDs in the stream of a type's nodes, by new ID.
  const std::vector<std::vector<std::uint64_t>>& node_ids() const noexcept { return node_ids_; }
  /// After run(): that of the first part.
  const stored_form& form() const noexcept { return form_; }

 private:
  using ends = stream_edge;
  struct column {
    type_id type = 0;
    std::string name{};
    dtype element = dtype::float32;
    tensor_shape row_shape{};
    std::uint64_t rows = 0;  // seen so far
    bool known = false;      // dtype and shape come from a part with rows
    std::shared_ptr<scratch_file> file{};
  };

  [[noreturn]] void fail(error_kind code, const std::string& sentence,
                         const std::string& file) const {
    raise(code, sentence, {.file = file});
  }

  /// What comes before the edges: names, counts, the order of nodes and edges.
  /// @param executor  runs the loops of this and of all that follows
  void begin(executor_ref executor);

  /// Check the config's counts against the files before memory is allocated by them.
  void check_sizes() const;
  void check_part(std::size_t p, const loaded_structure& part, const std::string& file) const;

  /// Choose the order of nodes and edges: the input's, or that of the new IDs.
  void find_order();
  /// Does the folder hold the original IDs of all nodes, or of all edges?
  bool knows(entity kind, std::size_t types);
  /// The part of each node by original ID, where the folder has that file.
  std::optional<tensor> owner_of_node() const;

  /// The graph of a part, which stays in memory until another one is opened.
  const loaded_structure& open_part(std::size_t p);
  std::vector<std::uint64_t> originals(std::size_t part, entity_type of) const {
    return load_original_ids(config_, part, of, files_, formats_,
                             open_ && open_number_ == part ? &*open_ : nullptr);
  }

  /// The place of a part's first entity of a type among all of the type, by new IDs.
  std::uint64_t new_begin(std::size_t part, entity_type of) const;

  /// Takes the edges of one type in any order, and has them in a file in the order of their
  /// numbers. Those that come in order go straight to the file; only others are sorted.
  class edge_queue {
   public:
    /// @param folder  for temporary files   @param memory  bytes to sort with
    edge_queue(const std::string& folder, std::uint64_t memory)
        : folder_(folder),
          memory_(memory),
          file_(std::make_shared<scratch_file>(folder, std::size_t{1} << 20)) {}

    void add(std::uint64_t number, const ends& edge) {
      if (sorter_ == nullptr && number == in_file_)
        append(edge);
      else
        sort(number, edge);
    }
    /// Append the sorted ones to the file.
    /// @return the number of edges, or nothing where a number is missing or occurs twice: the
    ///     first one of these is in_order()
    std::optional<std::uint64_t> finish();
    /// Edges that are in the file.
    std::uint64_t in_order() const noexcept { return in_file_; }
    const std::shared_ptr<scratch_file>& file() const noexcept { return file_; }

   private:
    void append(const ends& edge) {
      file_->append(std::as_bytes(std::span(&edge, 1)));
      ++in_file_;
    }
    void sort(std::uint64_t number, const ends& edge);

    std::string folder_;
    std::uint64_t memory_, in_file_ = 0;
    std::shared_ptr<scratch_file> file_;
    std::unique_ptr<external_sorter<ends>> sorter_{};
  };

  static constexpr std::uint64_t no_node = ~std::uint64_t{0};
  /// By local ID: the places of a part's nodes among those of all types, by their IDs in the
  /// stream; no_node where the part's file has an ID that no node has.
  std::vector<std::uint64_t> nodes_of(const loaded_structure& part, const tensor& node_ids,
                                      executor_ref executor) const;

  /// The IDs in the stream of a part's inner entities of a type, in local order.
  std::vector<std::uint64_t> ids_of(std::size_t part, entity_type of) const;

  /// Collect the stream IDs of all nodes, by new ID, and check that each occurs once.
  void index_nodes();
  /// The same from that file, in one pass. @return whether there is one
  bool index_nodes_by_owner();
  [[noreturn]] void mapping_size(std::size_t part, entity_type of, std::size_t found) const;

  /// [type] the ranges of IDs in the parts' files.
  std::vector<std::vector<id_range>> ranges(entity kind) const;

  /// A range of global new IDs, of one type.
  struct cell {
    std::uint64_t begin = 0, end = 0;
    std::size_t type = 0;
    std::uint64_t before = 0;  ///< IDs of that type in earlier ranges
    bool has(std::uint64_t id) const noexcept { return id >= begin && id < end; }
    /// The place of an ID among those of its type.
    std::uint64_t place_of(std::uint64_t id) const noexcept { return before + (id - begin); }
  };
  /// Finds the range that contains an ID.
  class cell_finder {
   public:
    explicit cell_finder(const std::vector<std::vector<id_range>>& map);
    /// nullptr: none
    const cell* find(std::uint64_t id) const;

   private:
    std::vector<cell> cells_{};
  };

  const tensor& column_of(const std::vector<named_tensor>& columns, std::string_view name,
                          std::uint64_t rows, const std::string& file) const;

  void read_structure(std::size_t p, edge_taker take);
  void read_edges(std::size_t p, const loaded_structure& part, const std::string& file,
                  edge_taker put) const;
  class part_edges;
  class entry_reader;

  void take_features(std::size_t p, const std::vector<named_tensor>& all, entity kind,
                     std::vector<column>& columns);

  /// Write row i at place ids[i], runs of consecutive IDs at once.
  static void scatter(const tensor& rows, const std::vector<std::uint64_t>& ids, scratch_file& out);

  void give_features(std::vector<column>& columns, const std::vector<std::uint64_t>& counts,
                     std::vector<streamed_feature>& out, entity kind);

  /// Write the edges of each type in order; each number must occur once.
  void give_edges(std::vector<edge_queue> edges);
  [[noreturn]] void missing_edge(std::size_t type, std::uint64_t number) const;
  /// Do the parts hold as many edges as the config says?
  void check_count(std::size_t type, std::uint64_t found) const;

  const partition_config& config_;
  const stream_partition_options& options_;
  any_file_opener files_;
  format_list formats_;
  bool nodes_restored_ = true, edges_restored_ = true;
  std::vector<std::vector<std::uint64_t>> node_ids_{};
  std::vector<std::uint64_t> first_nodes_{};  // of each type, among those of all types
  stored_form form_{};
  executor_ref threads_{};                  // which read and check the parts
  std::optional<loaded_structure> open_{};  // of part open_number_
  std::size_t open_number_ = 0;
  streamed_graph graph_{};
};

}  // namespace detail

/// Reassemble the graph of a partition folder. Nodes and edges have their original IDs if the
/// folder keeps them (save_mapping, orig_id columns, reshuffle off, one part; nodes by the compact
/// mapping, too), else their new ones, type by type; a note says so.
///
/// @param config   as read; relations resolved
/// @param formats  those the folder may be in
/// @errors not_found, malformed, mismatch, out_of_range: what does not fit, with the part's file;
///     io: the disk is full
/// @complexity O(parts) readings of each part; a sort of the edges where they have original IDs.
///     Memory: options.memory, 8 bytes a node, for one part 16 bytes a node and its mapping of
///     edges, and what `files` takes for one part
inline streamed_graph stream_partition(const partition_config& config,
                                       const stream_partition_options& options,
                                       const any_file_opener& files, const format_list& formats) {
  return detail::partition_streamer(config, options, files, formats).run();
}

namespace detail {

/// Load the graph of a partition folder, without features, in the order of stream_partition().
/// @param executor  reads each part
/// @param room      by type: edges that the caller will append
/// @errors          those of stream_partition; overflow: Node or Edge is too narrow
/// @complexity      O(nodes + edges) time; memory: the dataset, a bit for each edge, and for one
///     part what `files` takes for it and 8 bytes a node
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> load_partitioned_graph(partition_streamer& reader, executor_ref executor,
                                           std::span<const std::uint64_t> room = {}) {
  dataset<Node, Edge> out;
  const streamed_graph read = reader.read_into(
      executor,
      [&](const streamed_graph& g) {
        check_node_total<Node>(g.schema, g.node_counts, {});
        for (const auto count : g.edge_counts) {
          const std::size_t type = out.edges.size();
          auto& columns = out.edges.emplace_back();
          executor.parallel_for(0, 2, 1, [&](std::size_t first, std::size_t last) {
            for (; first < last; ++first) {
              auto& ends = first == 0 ? columns.source : columns.target;
              ends.reserve(static_cast<std::size_t>(count + (type < room.size() ? room[type] : 0)));
              resize_in_large_pages(ends, static_cast<std::size_t>(count));
            }
          });
        }
      },
      [&](std::size_t type, std::span<const std::uint64_t> numbers,
          std::span<const stream_edge> edges) {
        auto& [source, target] = out.edges[type];
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          source[static_cast<std::size_t>(numbers[i])] = static_cast<Node>(edges[i].source);
          target[static_cast<std::size_t>(numbers[i])] = static_cast<Node>(edges[i].target);
        }
      });
  out.name = read.name;
  out.schema = read.schema;
  out.node_counts = read.node_counts;
  out.notes = read.notes;
  out.finish();
  return out;
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/partition.ipp>
#include <halograph/io/formats/impl/partition_edges.ipp>
#endif
