// SPDX-License-Identifier: BSL-1.0
/// @file ogb.hpp
/// A graph from the raw layout of the Open Graph Benchmark's large data sets: arrays in folders,
/// read in place.
/// Layer: io. Words: README.md.
///
/// | path, below the folder or its `processed/` | holds |
/// | --- | --- |
/// | `<source>___<relation>___<target>/edge_index.npy` | edges of the type, integers [2, E]: all sources, all targets |
/// | `<source>___<relation>___<target>/edge_<feature>.npy` | a feature of these edges, a row each |
/// | `<type>/node_<feature>.npy` | a feature of the type's nodes, a row each: `node_feat.npy` is `feat`, `node_label.npy` `label` |
/// | `edge_index.npy`, `edge_<feature>.npy`, `node_<feature>.npy` | instead, of a graph without types |
/// | `num_nodes.json`, `meta_info.json` | optional: type -> number of nodes, at the top or under `num_nodes` |
///
/// Arrays of other names are features, too, if they have a row for each node or edge; otherwise
/// they are omitted, and a note says so. The number of nodes of a type is taken from the JSON file,
/// else from the rows of its features, else it is the largest ID plus one, and a note says so.
/// Types are in the order of the JSON file, followed by all others in the order of their names.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// The folder that holds the arrays: the path itself or its `processed/`; nothing where neither is
/// of this layout.
std::optional<std::string> ogb_folder(const std::string& path);

/// [2, E] integers of a file, E of them from each row.
class edge_index_array {
 public:
  edge_index_array(file_bytes content, std::string file);

  std::uint64_t edges() const noexcept { return edges_; }

  /// f(sources, targets, first edge) for edges [first, last), in blocks.
  /// @errors out_of_range: an ID is not below its count
  void read(std::uint64_t first, std::uint64_t last, std::uint64_t sources, std::uint64_t targets,
            const edge_block_visitor& f) const;

 private:
  file_bytes content_;
  std::string file_;
  std::uint64_t edges_ = 0;
  dtype type_ = dtype::int64;
  bool swapped_ = false;
  const std::byte* data_ = nullptr;
  std::size_t stride_ = 0, second_ = 0;
};

class ogb_streamer {
 public:
  ogb_streamer(std::string folder, const any_file_opener& open, const any_json_codec& codec)
      : folder_(std::move(folder)), open_(open), codec_(codec) {}

  streamed_graph run(std::string name);

 private:
  void read_folders();

  void read_counts();

  /// The .npy files of a folder but the edge index, by name.
  static std::vector<std::string> arrays_of(const std::string& folder);

  void count_nodes(std::size_t t, bool typed);

  void read_features(std::size_t t, bool of_nodes, bool typed);

  std::string folder_;
  any_file_opener open_;
  any_json_codec codec_;
  std::vector<std::string> node_folders_{}, edge_folders_{};
  std::vector<std::pair<std::string, std::uint64_t>> announced_{};
  std::string counts_file_{};
  std::vector<std::shared_ptr<const edge_index_array>> edges_{};
  streamed_graph graph_{};
};

}  // namespace detail

/// Does a folder hold a graph in this layout?
inline bool is_ogb_folder(const std::string& path) { return detail::ogb_folder(path).has_value(); }

/// Stream a graph from a folder of this layout. With mapped files nothing is read before it is
/// requested.
/// @errors not_found: no such folder; malformed, mismatch, unsupported: an array that does not fit,
///     with its file; out_of_range: an ID that is not a node, when its edge is read
/// @complexity O(files); and a pass over the edges of types whose number of nodes is not given
streamed_graph stream_ogb(const std::string& path, const any_file_opener& open,
                          const any_json_codec& codec);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/ogb.ipp>
#endif
