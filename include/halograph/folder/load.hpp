// SPDX-License-Identifier: BSL-1.0
/// @file load.hpp
/// Open one part of a partition folder: its graph, its features, and the partition book.
/// Layer: folder. Words: README.md.
/// Loading part X opens only the config JSON and the files of part X. The format's reader checks
/// the contents; `verify` proves the rest.
/// Most programs include hosted.hpp, where these calls need no folder_access.
#pragma once

#include <halograph/book/map_book.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// The book of a config: of ranges or, with reshuffle off, of one part per ID.
using any_partition_book = std::variant<partition_book, map_partition_book>;

/// One part in memory, or views of mapped files: what DGL's load_partition returns.
struct loaded_partition {
  std::size_t part = 0;                       ///< which one, below P
  loaded_structure graph{};                   ///< its edges and columns, by local ID
  std::vector<named_tensor> node_features{};  ///< "type/name"; rows of inner nodes by new ID
  /// "source:relation:target/name"; rows of inner edges by new ID
  std::vector<named_tensor> edge_features{};
  any_partition_book book;                ///< of the whole graph, as this part sees it
  std::string graph_name{};               ///< as in the config
  std::vector<std::string> ntypes{};      ///< in the order in which the config lists them
  std::vector<canonical_etype> etypes{};  ///< in the order in which the config lists them
};

/// What to load in addition to the structure.
struct load_options {
  bool features = true;  ///< false: node_features and edge_features stay empty
};

namespace detail {

[[noreturn]] inline void raise_in(const partition_config& config, error_kind code,
                                  const std::string& message) {
  raise(code, message, {config.path, {}, {}});
}

const part_paths& paths_of(const partition_config& config, std::size_t part);

/// The file of a part's node or edge features, as the config names it; "" if its format writes
/// none.
/// @errors not_found: a part in DGL's format that does not name both files
const std::string& features_file(const partition_config& config, std::size_t part, bool of_nodes);

/// The same, where the file will be replaced by one that holds only features.
/// @errors as features_file; unsupported: no such file, or it holds more than these features
const std::string& own_features_file(const partition_config& config, std::size_t part,
                                     bool of_nodes);

inline const tensor* find_column(const std::vector<named_tensor>& columns,
                                 std::string_view name) noexcept {
  for (const auto& column : columns) {
    if (column.name == name) return &column.value;
  }
  return nullptr;
}

}  // namespace detail

/// Read the graph of one part. @param threads  check what is read, where the format can use them
/// @errors those of the opener and the format; not_found, unsupported
inline loaded_structure load_partition_graph(const partition_config& config, std::size_t part,
                                             const any_file_opener& files,
                                             const format_list& formats,
                                             executor_ref threads = {}) {
  const std::string path = config.resolve(detail::paths_of(config, part).graph);
  return formats.of(config).read_structure(files(path), path, threads);
}

/// Node and edge features of one part.
struct partition_features {
  std::vector<named_tensor> nodes{};  ///< "type/name"
  std::vector<named_tensor> edges{};  ///< "source:relation:target/name"
};

/// @{
/// Read the features of one part, from a config or from the folder with this config. Keys that DGL
/// 0.5 wrote without a type get `_N/` and `_N:_E:_N/`.
/// @errors as load_partition_graph; with a path those of read_config, too
partition_features load_partition_feats(const partition_config& config, std::size_t part,
                                        const any_file_opener& files, const format_list& formats);

partition_features load_partition_feats(const std::string& path, std::size_t part,
                                        const folder_access& access);
/// @}

/// Find the node types of edge types that a config of DGL 0.6 to 0.9 names by relation alone, from
/// one edge of each. Newer configs are left unchanged.
/// @errors not_found: a relation has no edge; malformed: the part contradicts the config
/// @source partition-folder rules of DGL's change_etype_to_canonical_etype, with its defect fixed
/// (offsets count from type number 0, not from the first one listed)
void resolve_relations(partition_config& config, const any_file_opener& files,
                       const format_list& formats);

/// The book of a config, from the view of `part`.
/// @errors as partition_book; out_of_range: no such part; map files: those of the opener and of the
///     .npy reader
any_partition_book load_partition_book(const partition_config& config, std::size_t part,
                                       const any_file_opener& files);

/// @{
/// Read the config of a partition folder and resolve its relations.
/// @errors as read_config and resolve_relations
inline partition_config open_config(const std::string& path, const any_file_opener& files,
                                    const any_json_codec& codec, const format_list& formats) {
  partition_config config = read_config(path, files, codec);
  resolve_relations(config, files, formats);
  return config;
}
inline partition_config open_config(const std::string& path, const folder_access& access) {
  return open_config(path, access.files, access.codec, access.formats);
}
/// @}

/// The book of the folder with this config, from the view of `part`.
/// @errors those of open_config and of the call above
inline any_partition_book load_partition_book(const std::string& path, std::size_t part,
                                              const folder_access& access) {
  return load_partition_book(open_config(path, access), part, access.files);
}

/// Load one part.
///
/// @param path     the config JSON
/// @param part     which, below num_parts
/// @param access   reads the folder; views of mapped files cost nothing until touched
/// @errors         not_found, malformed, truncated, unsupported, out_of_range: one sentence with
///     the file; mismatch: the folder was replaced while it was read
/// @complexity     O(size of the part); with mapped files the native format is O(sections)
loaded_partition load_partition(const std::string& path, std::size_t part,
                                const folder_access& access, const load_options& options = {});

/// @{
/// Does not compile: the argument that reads the folder is missing, and hosted.hpp, which would
/// choose it, is not included.
template <class Options = load_options>
  requires std::same_as<Options, load_options>
__attribute__((unavailable(
    "load_partition: needs a folder_access as third argument, or halograph/hosted.hpp, which chooses one")))
loaded_partition
load_partition(const std::string&, std::size_t, const Options& = {});

template <class Features = partition_features>
__attribute__((unavailable(
    "load_partition_feats: needs a folder_access as third argument, or halograph/hosted.hpp, which chooses one")))
Features
load_partition_feats(const std::string&, std::size_t);

template <class Book = any_partition_book>
__attribute__((unavailable(
    "load_partition_book: needs a folder_access as third argument, or halograph/hosted.hpp, which chooses one"))) Book
load_partition_book(const std::string&, std::size_t = 0);

template <class Config = partition_config>
__attribute__((unavailable(
    "open_config: needs a folder_access as second argument, or halograph/hosted.hpp, which chooses one")))
Config
open_config(const std::string&);
/// @}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/load.ipp>
#endif
