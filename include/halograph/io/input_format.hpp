// SPDX-License-Identifier: BSL-1.0
/// @file input_format.hpp
/// The formats that graphs are read from, and which one a path leads to.
/// Layer: io. Words: README.md.
///
/// | path | format |
/// | --- | --- |
/// | folder with `metadata.json` or `<name>.json` that lists parts; such a file | partition folder |
/// | folder with `metadata.json`; a `.json` file, or one of any unknown extension that begins with `{` | chunked graph |
/// | folder with `meta.json`; that file | plain form |
/// | folder with `edge_index.npy`, or with folders `<source>___<relation>___<target>` that have one; also in its `processed/` | OGB folder |
/// | `graph.yml`, `*.graph.yml`, also `.yaml`; folder with one such file | GraphAr data set |
/// | `.json` file with `nodes` and `edges` that are objects | tables |
/// | such a file, or one of any unknown extension, whose `nodes` and `links` or `edges` are lists | node-link graph |
/// | `*.graphml`, also compressed; any unknown extension and an element `graphml` | GraphML graph |
/// | `*.dgl` | DGL graph |
/// | `*.gr`, also compressed | Galois graph, where the first 8 bytes are a version; else DIMACS graph |
/// | `*.sg`, `*.wsg`, also compressed | GAP graph |
/// | `*.parhip`, `*.bgf`, also compressed | ParHIP graph |
/// | `*.bin32`, `*.bin64`, also compressed | binary edge list |
/// | `*.mtx`, also compressed; any unknown extension and `%%MatrixMarket` | Matrix Market file |
/// | `*.adj`, also compressed; any unknown extension and `AdjacencyGraph` | Ligra graph |
/// | `*.graph`, `*.mgraph`, also compressed | METIS graph |
/// | `*.txt`, `*.csv`, `*.tsv`, `*.edges`, `*.el`, `*.wel`, also compressed | edge list |
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The formats of input graphs.
enum class input_format : std::uint8_t {
  chunked,
  plain,
  dgl_graph,
  metis_graph,
  edge_list,
  ogb,
  tables,
  partition,
  matrix_market,
  galois,
  gap,
  edge_pairs,
  dimacs,
  adjacency,
  parhip,
  node_link,
  graphml,
  graphar
};

/// "chunked graph", "plain form", "DGL graph", "METIS graph", "edge list", "OGB folder", "tables",
/// "partition folder", "Matrix Market file", "Galois graph", "GAP graph", "binary edge list",
/// "DIMACS graph", "Ligra graph", "ParHIP graph", "node-link graph", "GraphML graph",
/// "GraphAr data set".
constexpr std::string_view name(input_format format) noexcept {
  switch (format) {
    case input_format::chunked:
      return "chunked graph";
    case input_format::plain:
      return "plain form";
    case input_format::dgl_graph:
      return "DGL graph";
    case input_format::metis_graph:
      return "METIS graph";
    case input_format::edge_list:
      return "edge list";
    case input_format::ogb:
      return "OGB folder";
    case input_format::tables:
      return "tables";
    case input_format::partition:
      return "partition folder";
    case input_format::matrix_market:
      return "Matrix Market file";
    case input_format::galois:
      return "Galois graph";
    case input_format::gap:
      return "GAP graph";
    case input_format::edge_pairs:
      return "binary edge list";
    case input_format::dimacs:
      return "DIMACS graph";
    case input_format::adjacency:
      return "Ligra graph";
    case input_format::parhip:
      return "ParHIP graph";
    case input_format::node_link:
      return "node-link graph";
    case input_format::graphml:
      return "GraphML graph";
    case input_format::graphar:
      return "GraphAr data set";
  }
  return "unknown";
}

/// An input whose format is known.
struct recognized_input {
  input_format format = input_format::chunked;  ///< decides which reader takes `path`
  std::string path{};  ///< what the format's reader takes: of a partition folder the config file
};

/// Reject options that do not apply to a format.
/// @param sized  a number of nodes is given
/// @errors invalid_argument
void check_input_options(input_format format, bool sized, bool undirected, const std::string& path);

namespace detail {

/// What a JSON document describes. One that cannot be parsed counts as a chunked graph's metadata,
/// whose reader says what is wrong.
/// @errors memory
input_format format_of_json(const std::string& file, const any_file_opener& open,
                            const any_json_codec& codec);

/// @errors not_found: the folder holds no graph; invalid_argument: it has several partition configs
///     or GraphAr graphs
recognized_input recognize_folder(const std::string& path, const any_file_opener& open,
                                  const any_json_codec& codec);

}  // namespace detail

/// Determine the format of an input from its name, from the files of a folder, and from the content
/// of JSON documents, of `.gr` files, and of files whose extension says nothing.
/// @param open   opens JSON files   @param codec  parses them
/// @errors not_found: no such file or folder, or the folder holds no graph; unsupported: an unknown
///     file extension; invalid_argument: the folder has several partition configs
///     or GraphAr graphs
recognized_input recognize_input(const std::string& path, const any_file_opener& open,
                                 const any_json_codec& codec);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/input_format.ipp>
#endif
