// SPDX-License-Identifier: BSL-1.0
/// @file update.hpp
/// Make a partition folder of an earlier one and a change of its graph.
/// Layer: pipeline. Words: README.md.
/// Nodes that the graph had keep their part unless the caller moves them. Two more files of the
/// folder say where everything is now:
///
/// | file | content |
/// | --- | --- |
/// | `new_node_ids.npy` | [V before] int64, by earlier global ID: the global ID of each node now |
/// | `new_edge_ids.npy` | [E before] int64, by earlier global ID: the global ID of each edge now, or -1 where it was removed |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/graph_change.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/pipeline/partition_options.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/partition_target.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The names of an updated folder's files of new IDs.
/// @{
inline constexpr std::string_view new_node_ids_name = "new_node_ids.npy",
                                  new_edge_ids_name = "new_edge_ids.npy";
/// @}

/// The part of a node that is new, where update_folder asks for parts.
inline constexpr part_id no_part_yet = std::numeric_limits<part_id>::max();

/// How a folder is updated. What is referred to must outlive the call.
/// @tparam Order  a node_order: that of the folder
template <class Order = original_order>
struct basic_update_options {
  std::string out{};  ///< the folder to make; "": the config's own, replaced in one step
  /// rows of the added nodes and edges, in their order; types by the config's numbers
  const feature_set* rows = nullptr;
  bool zero_rows = false;           ///< zeros where `rows` has none; false: an error
  json::value command{};            ///< how the result was made, for the manifest
  progress_callback on_progress{};  ///< told of each step
  executor_ref executor{};          ///< where loops run; the bytes are the same for any
  Order order{};                    ///< of the nodes inside each part and type
};
/// Nodes in their original order.
using update_options = basic_update_options<>;

/// What an update did.
struct update_result {
  partition_result made{};          ///< the new folder, and what its assignment is worth
  std::uint64_t added_nodes = 0;    ///< of all types
  std::uint64_t added_edges = 0;    ///< of all types
  std::uint64_t removed_edges = 0;  ///< of all types
  std::uint64_t moved_nodes = 0;    ///< earlier nodes that have another part now
  std::uint64_t kept_files = 0;     ///< files of rows that were linked or copied, not written
  std::uint64_t kept_bytes = 0;     ///< of these files
};

namespace detail {

/// The rows of one type in the parts of a folder and, behind them, those of what was added: a
/// feature_store by the IDs after a change.
class updated_rows {
 public:
  /// Where the earlier rows of a type are.
  struct source {
    std::vector<std::uint64_t> ends{};   ///< [P] rows of the parts up to each
    std::vector<std::uint64_t> place{};  ///< by earlier ID: its row among all; empty: the ID itself
    std::uint64_t kept = 0;              ///< of the rows, those that stay
    const std::vector<std::uint64_t>* removed = nullptr;  ///< of edges; nullptr: all stay
  };
  /// Finds rows, soon where IDs follow each other.
  class cursor {
   public:
    explicit cursor(const source& from) noexcept : from_(from) {}
    /// The part of an earlier ID, and its row there.
    std::pair<std::size_t, std::uint64_t> find(std::uint64_t old) noexcept;

   private:
    const source& from_;
    std::size_t part_ = 0;
    std::uint64_t first_ = 0;
  };

  updated_rows(std::shared_ptr<const source> from, std::vector<tensor> parts, tensor added);

  dtype type() const noexcept { return shaped().type(); }
  std::uint64_t rows() const noexcept { return from_->kept + added_.rows(); }
  std::span<const std::uint64_t> row_shape() const noexcept { return shaped().row_shape(); }
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const noexcept;

 private:
  const tensor& shaped() const noexcept { return parts_[shape_of_]; }

  std::shared_ptr<const source> from_;
  std::vector<tensor> parts_;  // [P]
  tensor added_;
  std::size_t shape_of_ = 0;  // a part that has rows, where one has
};

/// Of each type.
using row_sources = std::vector<std::shared_ptr<const updated_rows::source>>;

/// A folder that is updated: who has which ID in it.
class updated_folder {
 public:
  /// @errors unsupported: the folder keeps original IDs, or edges were dropped
  updated_folder(const partition_config& config, const folder_access& access);

  /// The graph. Checks the folder's IDs, so that all that follows may be called.
  /// @param room  by type: edges that will be added
  template <id ID>
  dataset<ID, ID> load(const progress_callback& on_progress, executor_ref executor,
                       std::span<const std::uint64_t> room) {
    stream_partition_options options;
    options.features = false;
    options.on_progress = on_progress;
    partition_streamer reader(config_, options, access_.files, access_.formats);
    auto out = load_partitioned_graph<ID, ID>(reader, executor, room);
    take_ids(reader);
    return out;
  }

  /// Where the rows of node types are.
  const row_sources& nodes() const noexcept { return nodes_; }
  /// The same of edge types after a change, which must outlive it.
  row_sources edges(const applied_change& change) const;
  /// The part of each node by its ID in the stream; new ones have none. @return [V]
  std::vector<part_id> owners(std::span<const std::uint64_t> nodes_now,
                              executor_ref executor) const;
  /// The rows that nodes and edges have after the change.
  /// @param edges  of edges(change)
  basic_feature_set<updated_rows> rows(const row_sources& edges,
                                       std::span<const std::uint64_t> nodes_now,
                                       std::span<const std::uint64_t> edges_now,
                                       const feature_set* added, bool zero_rows) const;
  /// What the folder's files say of how it was made. @pre load() was called
  void describe(partition_options& options) const;
  /// Further names of the config: one that is not that of the graph, and the second one of parts
  /// that hold in-edges alone.
  std::vector<std::string> other_names() const;
  /// The format of its files, with their names.
  any_serializer format() const;

 private:
  void take_ids(const partition_streamer& reader);
  std::uint64_t rows_of(std::size_t part, entity_type of) const;
  /// Where rows are that have the order of the IDs in the stream.
  updated_rows::source ranges_of(entity_type of) const;

  const partition_config& config_;
  const folder_access& access_;
  bool edges_restored_ = false;
  stored_form form_{};
  row_sources nodes_{};
};

/// The IDs that nodes or edges have now, by their earlier global IDs.
class new_ids {
 public:
  new_ids(const partition_config& config, entity kind, row_sources types);

  /// As id_listener. Thread-safe: each ID is told once.
  void take(type_id type, std::uint64_t first, std::span<const std::uint64_t> original);
  /// @pre all were told
  void write(any_output& output, const std::string& name, executor_ref threads);

 private:
  const std::vector<std::vector<id_range>>& map_;  // the earlier one
  row_sources types_;
  uninitialized_array<std::int64_t> now_;
};

/// Files of earlier rows that the new folder has as they are.
struct kept_row_files {
  std::map<std::string, std::string> files{};  ///< name -> path of the earlier one
  bool link = false;                           ///< the earlier folder will be gone
  std::uint64_t count = 0, bytes = 0;          ///< kept so far
  std::mutex mutex{};
};

/// The parts whose nodes' rows, and whose edges' rows, are not as they were.
struct changed_parts {
  std::vector<bool> nodes{}, edges{};  // [P]
};

/// Name the files of unchanged rows: those of a folder that we have written ourselves, whose order
/// of rows is that of the new one.
void find_kept_files(const partition_config& config, const changed_parts& changed,
                     kept_row_files& out);

/// A folder in which files of rows may stay as they are.
struct update_target {
  std::string path{};
  any_serializer files;
  kept_row_files* kept = nullptr;
  any_file_opener opener{};

  struct output {
    staged_folder staged;
    kept_row_files* kept;
    any_file_opener opener;
    any_sink create(const std::string& name, std::uint64_t bytes);
    std::string commit(std::string_view command);
  };
  const any_serializer& format() const { return files; }
  output begin() const { return {staged_folder(path), kept, opener}; }
};

/// A policy of parts that are found elsewhere.
template <id ID>
struct update_policy {
  using part = part_id;
  std::uint64_t parts = 1;
  function_ref<void(const hetero_view<ID, ID>&, std::span<part_id>)> decide;
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    decide(g, owner);
    return status::ok;
  }
};

std::string folder_to_make(const partition_config& config, const std::string& out);
/// @errors infeasible: a node has no part, or one that there is not
void require_parts(std::span<const part_id> owner, std::size_t parts);

/// The parts that a change leaves with other rows.
template <id ID>
changed_parts find_changed_parts(const hetero_view<ID, ID>& g, std::span<const part_id> before,
                                 std::span<const part_id> now, std::size_t parts,
                                 const applied_change& applied, const graph_change<ID>& change) {
  changed_parts out{std::vector<bool>(parts), std::vector<bool>(parts)};
  for (std::size_t v = 0; v < now.size(); ++v) {
    if (before[v] == now[v]) continue;
    out.nodes[now[v]] = true;
    if (before[v] == no_part_yet) continue;
    out.nodes[before[v]] = out.edges[before[v]] = out.edges[now[v]] = true;
  }
  const auto types = g.node_type_offsets();
  for (std::size_t r = 0; r < g.relations().size(); ++r) {
    const auto& relation = g.relations()[r];
    const auto first = static_cast<std::size_t>(types[relation.target_type]);
    for (auto e = static_cast<std::size_t>(applied.kept_edges(static_cast<type_id>(r)));
         e < relation.target.size(); ++e)
      out.edges[now[first + index(relation.target[e])]] = true;
    if (r >= change.removed.size()) continue;
    for (const ID target : change.removed[r].target) {
      const std::size_t v = first + index(target);
      out.edges[now[v]] = true;
      if (before[v] != no_part_yet) out.edges[before[v]] = true;
    }
  }
  return out;
}

}  // namespace detail

/// Change the graph of a partition folder, and write the folder that results. Nodes and edges have
/// the IDs in which stream_partition() gives them: original ones where the folder keeps them. The
/// new folder is made as the earlier one was: format, hops, mappings, feature names. Files of rows
/// that are as they were are linked where the folder is replaced, and copied into another; other
/// files that the earlier folder held besides its parts are left out.
///
/// @param config   as read from the folder; relations resolved
/// @param change   types by the config's numbers
/// @param assign   assign(g, owner): owner is [V], the earlier part of each node, and no_part_yet
///     for new ones; gives all nodes their parts; raises what is wrong
/// @param access   reads the folder
/// @errors         those of apply_change, stream_partition, partition_graph and `assign`;
///     not_found: an added node or edge has no row for a feature; mismatch: rows of another dtype,
///     shape or number; unsupported: the folder keeps original IDs or has dropped edges; an error
///     leaves the earlier folder as it is
/// @complexity     that of reading the folder and of partition_graph without its policy; memory:
///     that of partition_graph, 24 bytes for each node, and 8 for each edge, 16 where the folder
///     keeps the original IDs of edges
/// @repeatable     as `assign`
template <id ID, class Order = original_order>
update_result update_folder(
    const partition_config& config, const graph_change<ID>& change,
    function_ref<void(const hetero_view<ID, ID>&, std::span<part_id>)> assign,
    const folder_access& access, const basic_update_options<Order>& options = {}) {
  detail::updated_folder earlier(config, access);
  update_result result;
  const std::string path = detail::folder_to_make(config, options.out);
  detail::kept_row_files kept;
  kept.link = options.out.empty();
  const detail::update_target target{path, earlier.format(), &kept, access.files};
  staged_folder::require_replaceable(path);
  std::vector<std::uint64_t> room;
  for (const auto& edges : change.added) room.push_back(edges.source.size());
  dataset<ID, ID> data = earlier.load<ID>(options.on_progress, options.executor, room);
  const applied_change applied = apply_change(data, change, options.executor);
  std::vector<std::uint64_t> edges_now;
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    edges_now.push_back(data.edges[r].source.size());
    result.removed_edges += applied.removed[r].size();
    result.added_edges += edges_now[r] - applied.kept_edges(static_cast<type_id>(r));
  }
  for (std::size_t t = 0; t < data.node_counts.size(); ++t)
    result.added_nodes += data.node_counts[t] - applied.old_nodes[t];
  const detail::row_sources edges = earlier.edges(applied);
  const auto rows = earlier.rows(edges, data.node_counts, edges_now, options.rows,
                                 options.zero_rows);
  const std::vector<part_id> before = earlier.owners(data.node_counts, options.executor);
  const auto decide = [&](const hetero_view<ID, ID>& g, std::span<part_id> owner) {
    std::copy(before.begin(), before.end(), owner.begin());
    assign(g, owner);
    detail::require_parts(owner, config.num_parts);
    for (std::size_t v = 0; v < owner.size(); ++v)
      result.moved_nodes += before[v] != owner[v] && before[v] != no_part_yet ? 1u : 0u;
    const auto changed = detail::find_changed_parts<ID>(g, before, owner, config.num_parts, applied,
                                                        change);
    if (config.node_order == original_order::name) detail::find_kept_files(config, changed, kept);
  };
  partition_options described;
  earlier.describe(described);
  basic_partition_options<Order> how{.graph_name = described.graph_name,
                                     .hops = described.hops,
                                     .schema = data.schema,
                                     .features = rows,
                                     .closing_out_edges = described.closing_out_edges,
                                     .store_original_ids = described.store_original_ids,
                                     .save_mapping = described.save_mapping,
                                     .compact_mapping = described.compact_mapping,
                                     .formats = described.formats,
                                     .part_method = described.part_method,
                                     .command = options.command,
                                     .on_progress = options.on_progress,
                                     .executor = options.executor,
                                     .order = options.order};
  detail::new_ids node_ids(config, entity::node, earlier.nodes()),
      edge_ids(config, entity::edge, edges);
  how.on_node_ids = [&](type_id type, std::uint64_t first, std::span<const std::uint64_t> old) {
    node_ids.take(type, first, old);
  };
  how.on_edge_ids = [&](type_id type, std::uint64_t first, std::span<const std::uint64_t> old) {
    edge_ids.take(type, first, old);
  };
  how.add_files = [&](any_output& output, const partition_result& made) {
    for (const auto& name : earlier.other_names())
      detail::write_text_file(output, name, json::print(to_json(made.config)));
    node_ids.write(output, std::string(new_node_ids_name), options.executor);
    edge_ids.write(output, std::string(new_edge_ids_name), options.executor);
  };
  result.made = partition_graph(data.graph(), detail::update_policy<ID>{config.num_parts, decide},
                                target, how);
  result.made.notes.insert(result.made.notes.begin(), data.notes.begin(), data.notes.end());
  result.kept_files = kept.count;
  result.kept_bytes = kept.bytes;
  return result;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/update.ipp>
#endif
