// SPDX-License-Identifier: BSL-1.0
/// @file infos.hpp
/// The information files of an Apache GraphAr data set, in YAML: its types, and which folders hold
/// their chunks.
/// Layer: io. Words: README.md.
///
/// | file | keys that are read |
/// | --- | --- |
/// | `<name>.graph.yml` | `name`; `prefix`, the folder of the data; `vertices`, `edges`, paths of the infos below |
/// | `<type>.vertex.yml` | `type`, `chunk_size`, `prefix`, `property_groups` |
/// | `<source>_<relation>_<target>.edge.yml` | `src_type`, `edge_type`, `dst_type`, `chunk_size`, `src_chunk_size`, `dst_chunk_size`, `directed`, `prefix`, `adj_lists`, `property_groups` |
/// | entry of `adj_lists` | `ordered`, `aligned_by`, `prefix`, `file_type` |
/// | entry of `property_groups` | `properties`, each with `name` and `data_type`; `prefix`, `file_type` |
///
/// Older names of the keys (`label`, `src_label`, `edge_label`, `dst_label`) and property groups
/// within an entry of `adj_lists` are read, too. Infos lie beside the graph's; paths in them are
/// relative and lead nowhere else.
/// @source the GraphAr format, version gar/v1 (graphar.apache.org/docs/specification/format)
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// No library for YAML: the sentence that says what is missing.
struct no_yaml {
  /// @errors raises unsupported, always
  status parse(std::string_view text, json::value& out) const;
};
static_assert(json_codec<no_yaml>);

/// What chunks are stored in.
enum class graphar_file : std::uint8_t { csv, parquet };

/// A property of nodes or edges.
struct graphar_property {
  std::string name{};              ///< of the property and of its column
  std::optional<dtype> element{};  ///< of its numbers; nothing where it has none
  bool list = false;               ///< lists of numbers
};

/// Properties that are stored together, in a folder of chunks.
struct graphar_group {
  std::string folder{};                        ///< path
  graphar_file type = graphar_file::csv;       ///< of the chunks
  std::vector<graphar_property> properties{};  ///< one or more
};

/// Nodes of one type: `<folder>/vertex_count`, and `<group's folder>/chunk<k>` of chunk_size rows.
struct graphar_vertex_info {
  std::string file{};                   ///< path of the info, for errors
  std::string type{};                   ///< name of the node type
  std::uint64_t chunk_size = 1;         ///< rows of a chunk, 1 or more; the last may have fewer
  std::string folder{};                 ///< path
  std::vector<graphar_group> groups{};  ///< property groups, empty: no features
};

/// Edges of one type, in one of their adjacency lists. Part p has the edges of nodes
/// [p, p + 1) * part_nodes of the end that the list is aligned by: `<folder>/edge_count<p>`,
/// `<folder>/adj_list/part<p>/chunk<k>` and `<group's folder>/part<p>/chunk<k>` of chunk_size rows.
struct graphar_edge_info {
  std::string file{};                          ///< path of the info, for errors
  canonical_etype type{};                      ///< source, relation and target
  std::uint64_t chunk_size = 1;                ///< rows of a chunk, 1 or more
  std::uint64_t part_nodes = 1;                ///< nodes of a part, 1 or more
  bool by_source = true;                       ///< aligned by source; false: by target
  bool directed = true;                        ///< false: edges are still read as they are stored
  std::string folder{};                        ///< path of the adjacency list's folder
  graphar_file list_type = graphar_file::csv;  ///< of the adjacency list's chunks
  std::vector<graphar_group> groups{};         ///< property groups, empty: no features
};

/// The infos of a data set.
struct graphar_infos {
  std::string name{};                           ///< of the graph
  std::vector<graphar_vertex_info> vertices{};  ///< [T] one or more
  std::vector<graphar_edge_info> edges{};       ///< [R]
};

namespace detail {

/// Reads the members of one info.
class graphar_info_reader {
 public:
  graphar_info_reader(std::string file, const any_file_opener& open, const any_json_codec& yaml);

  const json::value& root() const noexcept { return root_; }
  [[noreturn]] void fail(error_kind code, const std::string& sentence) const {
    raise(code, sentence, {.file = file_});
  }
  /// The text under a key; nothing where the key is missing or has no value.
  const std::string* optional_text(const json::value& entry, std::string_view key) const;
  /// The text under the first of `keys` that is there.
  const std::string& text(const json::value& entry,
                          std::initializer_list<std::string_view> keys) const;
  std::uint64_t positive(const json::value& entry, std::string_view key) const;
  bool flag(const json::value& entry, std::string_view key, bool otherwise) const;
  /// The list under a key, empty where the key is missing or has no value.
  const json::array& list(const json::value& entry, std::string_view key) const;
  /// `folder`/`path`. @errors invalid_argument: the path is absolute, has a NUL, or leads out
  std::string below(const std::string& folder, std::string_view path, std::string_view key) const;
  graphar_file file_type(const json::value& entry, const std::string& of) const;
  std::vector<graphar_group> groups(const json::value& entry, const std::string& folder) const;
  void check_version() const;

  graphar_vertex_info vertex(const std::string& data) const;
  graphar_edge_info edge(const std::string& data) const;

 private:
  graphar_property property(const json::value& entry) const;

  std::string file_;
  json::value root_{};
};

}  // namespace detail

/// Is this the name of a graph's info: `graph.yml`, `<name>.graph.yml`, or with `.yaml`?
bool is_graphar_name(std::string_view name) noexcept;

/// Read a graph's info and all that it names. No chunk is opened.
/// @param yaml  parses YAML into strings, lists and objects (yaml_cpp_codec)
/// @errors with file and key: malformed, not_found, unsupported (another version; chunks that are
///     neither csv nor Parquet), invalid_argument (a path leads out of the folder)
graphar_infos read_graphar_infos(const std::string& path, const any_file_opener& open,
                                 const any_json_codec& yaml);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/graphar/impl/infos.ipp>
#endif
