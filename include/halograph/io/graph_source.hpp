// SPDX-License-Identifier: BSL-1.0
/// @file graph_source.hpp
/// One source for each input format: how its graph is streamed, and how it is loaded whole.
/// Layer: io. Words: README.md.
///
/// A source has `stream()`, `load<Node, Edge>()`, or both. load_input() and stream_input() derive
/// the one from the other, so a format needs `load` only where its reader is faster than its
/// stream, or has to hold the edges anyway. A new format needs a reader in formats/, a value of
/// input_format, a line in recognize_input(), and a source and two cases here.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/io/add_edges.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/dimacs.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/edge_pairs.hpp>
#include <halograph/io/formats/galois.hpp>
#include <halograph/io/formats/gap.hpp>
#include <halograph/io/formats/graphar/infos.hpp>
#include <halograph/io/formats/matrix_market.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/formats/parhip.hpp>
#include <halograph/io/formats/plain.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/streamed_graph.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace halograph {

/// Options of all formats. check_input_options() rejects `num_nodes` and `undirected` where they do
/// not apply.
struct input_options {
  bool features = true;     ///< false: structure alone, feature files are not opened
  bool undirected = false;  ///< edge lists, plain form: append the reverse of edge i as m + i
  /// edge lists, binary ones too: V, where it is more than the largest ID plus one
  std::optional<std::uint64_t> num_nodes{};
  std::string triples = "train";  ///< plain form: which triples file is the graph
  std::uint64_t graph = 0;        ///< DGL graph: which graph of the file
  /// bytes of memory that the edges of formats that hold them, or a whole document, may take
  /// while they are read
  std::uint64_t most_bytes = ~std::uint64_t{0};
  /// tables, documents, partition folder, GraphAr: folder for temporary files; empty: the
  /// system's
  std::string scratch{};
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< tables, partition folder: bytes to sort with
  /// tables, documents: as tables_options::dictionaries and document_options::dictionaries
  std::string dictionaries{};
  progress_callback on_progress{};  ///< tables, partition folder, GraphAr: called as files are read
  any_json_codec yaml = no_yaml{};  ///< GraphAr: parses YAML; yaml_cpp_codec does
};

namespace detail {

/// A recognized input and all that its reader needs.
struct input_context {
  recognized_input input{};
  const input_options& options;
  any_file_opener open;
  any_json_codec codec;
  format_list formats;
  any_table_reader tables;
  executor_ref executor;

  const std::string& path() const noexcept { return input.path; }
  std::string scratch() const {
    return options.scratch.empty() ? std::filesystem::temp_directory_path().string()
                                   : options.scratch;
  }
  /// @errors invalid_argument: an option that does not apply to the format
  void check() const {
    check_input_options(input.format, options.num_nodes.has_value(), options.undirected, path());
  }
};

struct chunked_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_chunked<Node, Edge>(in.path(), {.features = in.options.features}, in.open, in.codec,
                                    in.executor, in.tables);
  }
  streamed_graph stream() const {
    return stream_graph(open_chunked(in.path(), in.open, in.codec, in.tables,
                                     {.features = in.options.features}, in.executor));
  }
};

struct plain_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_plain<Node, Edge>(in.path(),
                                  {.undirected = in.options.undirected,
                                   .features = in.options.features,
                                   .triples = in.options.triples,
                                   .most_bytes = in.options.most_bytes},
                                  in.open, in.codec, in.executor);
  }
};

struct dgl_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_dgl_graph<Node, Edge>(in.path(), options(), in.open);
  }
  streamed_graph stream() const { return stream_dgl_graph(in.path(), options(), in.open); }

  dgl_graph_options options() const {
    return {.graph = in.options.graph,
            .features = in.options.features,
            .most_bytes = in.options.most_bytes};
  }
};

struct metis_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_metis_graph<Node, Edge>(in.path(), in.open, in.executor, in.options.most_bytes);
  }
};

struct edge_list_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_edge_list<Node, Edge>(
        in.path(), {.num_nodes = in.options.num_nodes, .undirected = in.options.undirected},
        in.open, in.executor);
  }
  streamed_graph stream() const {
    auto graph = stream_edge_list(in.path(), {.num_nodes = in.options.num_nodes}, in.open,
                                  in.executor);
    return in.options.undirected ? add_reverse_edges(std::move(graph)) : std::move(graph);
  }
};

struct matrix_market_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_matrix_market<Node, Edge>(in.path(), in.open, in.executor, in.options.most_bytes);
  }
  streamed_graph stream() const { return stream_matrix_market(in.path(), in.open, in.executor); }
};

struct dimacs_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_dimacs_graph<Node, Edge>(in.path(), in.open, in.executor, in.options.most_bytes);
  }
  streamed_graph stream() const { return stream_dimacs_graph(in.path(), in.open, in.executor); }
};

struct adjacency_source {
  const input_context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_adjacency_graph<Node, Edge>(in.path(), in.open, in.options.most_bytes);
  }
  streamed_graph stream() const { return stream_adjacency_graph(in.path(), in.open); }
};

struct galois_source {
  const input_context& in;

  streamed_graph stream() const { return stream_galois_graph(in.path(), in.open); }
};

struct gap_source {
  const input_context& in;

  streamed_graph stream() const { return stream_gap_graph(in.path(), in.open); }
};

struct parhip_source {
  const input_context& in;

  streamed_graph stream() const { return stream_parhip_graph(in.path(), in.open); }
};

struct edge_pairs_source {
  const input_context& in;

  streamed_graph stream() const {
    auto graph = stream_edge_pairs(in.path(), pair_id_bytes(in.path()), in.options.num_nodes,
                                   in.open);
    return in.options.undirected ? add_reverse_edges(std::move(graph)) : std::move(graph);
  }
};

struct ogb_source {
  const input_context& in;

  streamed_graph stream() const {
    auto graph = stream_ogb(in.path(), in.open, in.codec);
    if (!in.options.features) graph.node_features.clear(), graph.edge_features.clear();
    return graph;
  }
};

struct document_source {
  const input_context& in;

  streamed_graph stream() const;
};

struct tables_source {
  const input_context& in;

  streamed_graph stream() const;
};

struct graphar_source {
  const input_context& in;

  streamed_graph stream() const;
};

struct partition_source {
  const input_context& in;

  streamed_graph stream() const;
};

/// The graph of an input as a stream; one that cannot stream is held in memory.
/// @errors invalid_argument: an option that does not apply to the format; those of its reader
streamed_graph stream_input(const input_context& in);

/// The whole graph of an input.
/// @errors invalid_argument: an option that does not apply to the format; those of its reader
template <id Node, id Edge>
dataset<Node, Edge> load_input(const input_context& in) {
  in.check();
  switch (in.input.format) {
    case input_format::chunked:
      return chunked_source{in}.load<Node, Edge>();
    case input_format::plain:
      return plain_source{in}.load<Node, Edge>();
    case input_format::dgl_graph:
      return dgl_source{in}.load<Node, Edge>();
    case input_format::metis_graph:
      return metis_source{in}.load<Node, Edge>();
    case input_format::edge_list:
      return edge_list_source{in}.load<Node, Edge>();
    case input_format::matrix_market:
      return matrix_market_source{in}.load<Node, Edge>();
    case input_format::dimacs:
      return dimacs_source{in}.load<Node, Edge>();
    case input_format::adjacency:
      return adjacency_source{in}.load<Node, Edge>();
    case input_format::ogb:
    case input_format::tables:
    case input_format::partition:
    case input_format::galois:
    case input_format::gap:
    case input_format::parhip:
    case input_format::edge_pairs:
    case input_format::node_link:
    case input_format::graphml:
    case input_format::graphar:
      break;
  }
  return materialize<Node, Edge>(stream_input(in));
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/graph_source.ipp>
#endif
