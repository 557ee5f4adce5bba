// SPDX-License-Identifier: BSL-1.0
/// @file serializer.hpp
/// Parts in DGL's file formats: a serializer whose files DGL's trainers load.
/// Layer: serial. Words: README.md.
///
/// The files of a part (formats: dgl/graph.hpp, dgl/tensors.hpp):
///
///     graph.dgl                        one graph, node type _N, edge type _E, IDs int64, columns
///                                      nodes: _ID int64, inner_node uint8, [part_id int64],
///                                      [_TYPE int32], [orig_id int64];
///                                      edges: _ID int64, inner_edge uint8, [_TYPE int32],
///                                      [orig_id int64]
///     node_feats.dgl, edge_feats.dgl   "type/name" -> rows of inner nodes or edges (DGL itself
///                                      calls the files node_feat.dgl and edge_feat.dgl)
///     [orig_nids.dgl, orig_eids.dgl]   type -> original IDs, int64
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What the feature files are called; readers follow the config in any case.
enum class dgl_file_names : std::uint8_t {
  guide,  ///< node_feats.dgl, edge_feats.dgl: as DGL's user guide prints them
  dgl     ///< node_feat.dgl, edge_feat.dgl: as DGL's programs write them
};

/// DGL's formats of a part's files.
struct dgl_serializer {
  dgl_file_names file_names = dgl_file_names::guide;  ///< those that layout() gives

  /// The name of the format; a config without the key `serializer` means this one.
  static constexpr std::string_view name() noexcept { return "dgl"; }

  /// @errors invalid_argument: no sparse format, a feature without rows as its first extent;
  ///     exists: a feature is there twice; overflow
  /// @complexity O(n log n) in the number of features; independent of nodes and edges
  part_layout layout(const part_description& plan) const;

  /// The one graph of a part's file, of any DGL from 0.5 on; names of its types are not looked at.
  /// @errors as dgl::read_graphs(); malformed: not one graph with one node type and one edge type
  /// @param threads  check the IDs
  loaded_structure read_structure(const file_bytes& data, const std::string& file,
                                  executor_ref threads = {}) const;

  /// Features or original IDs. @errors as dgl::read_tensors()
  std::vector<named_tensor> read_features(const file_bytes& data, const std::string& file) const {
    return dgl::read_tensors(data, file);
  }

 private:
  static file_layout graph_layout(const std::string& file, const part_description& plan);

  static std::vector<dgl::tensor_plan> features(const std::vector<feature_plan>& plans,
                                                column what);

  static std::vector<dgl::tensor_plan> originals(const std::vector<mapping_plan>& plans,
                                                 column what);
};
static_assert(serializer<dgl_serializer>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/dgl/impl/serializer.ipp>
#endif
