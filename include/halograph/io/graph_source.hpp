// SPDX-License-Identifier: BSL-1.0
/// @file graph_source.hpp
/// One source for each input format: how its graph is streamed, and how it is loaded whole.
/// Layer: io. Words: README.md.
///
/// A source has `stream()`, `load<Node, Edge>()`, or both. load_source() and stream_source() derive
/// the one from the other, so a format needs `load` only where its reader is faster than its
/// stream, or has to hold the edges anyway. A new format needs a reader in formats/, a value of
/// input_format, a line in recognize_input(), and a source and a case here.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/io/add_edges.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/formats/plain.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/streamed_graph.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace halograph {

/// Options of all formats. check_input_options() rejects `num_nodes` and `undirected` where they do
/// not apply.
struct input_options {
  bool features = true;     ///< false: structure alone, feature files are not opened
  bool undirected = false;  ///< edge list, plain form: append the reverse of edge i as m + i
  /// edge list: V, where it is more than the largest ID plus one
  std::optional<std::uint64_t> num_nodes{};
  std::string triples = "train";  ///< plain form: which triples file is the graph
  std::uint64_t graph = 0;        ///< DGL graph: which graph of the file
  /// bytes of memory that the edges of formats that hold them may take while they are read
  std::uint64_t most_bytes = ~std::uint64_t{0};
  /// tables, partition folder: folder for temporary files; empty: the system's
  std::string scratch{};
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< tables, partition folder: bytes to sort with
  std::string dictionaries{};                     ///< tables: as tables_options::dictionaries
  progress_callback on_progress{};
};

namespace detail {

/// A recognized input and all that its reader needs.
template <class Opener, class Codec, class Formats, class Tables, class Executor>
struct input_context {
  recognized_input input{};
  const input_options& options;
  std::shared_ptr<const Opener> open;
  const Codec& codec;
  const Formats& formats;
  std::shared_ptr<const Tables> tables;
  const Executor& executor;

  const std::string& path() const noexcept { return input.path; }
  std::string scratch() const {
    return options.scratch.empty() ? std::filesystem::temp_directory_path().string()
                                   : options.scratch;
  }
};

template <class Source>
concept streams = requires(const Source& source) {
  { source.stream() } -> std::same_as<streamed_graph>;
};
template <class Source, class Node, class Edge>
concept loads_whole = requires(const Source& source) {
  { source.template load<Node, Edge>() } -> std::same_as<dataset<Node, Edge>>;
};

template <class Context>
struct chunked_source {
  const Context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_chunked<Node, Edge>(in.path(), {.features = in.options.features}, *in.open,
                                    in.codec, in.executor, *in.tables);
  }
  streamed_graph stream() const {
    return stream_graph(open_chunked(in.path(), shared_opener{in.open}, in.codec,
                                     shared_tables{in.tables}, {.features = in.options.features},
                                     in.executor));
  }
};

template <class Context>
struct plain_source {
  const Context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_plain<Node, Edge>(in.path(),
                                  {.undirected = in.options.undirected,
                                   .features = in.options.features,
                                   .triples = in.options.triples,
                                   .most_bytes = in.options.most_bytes},
                                  *in.open, in.codec, in.executor);
  }
};

template <class Context>
struct dgl_source {
  const Context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_dgl_graph<Node, Edge>(in.path(), options(), *in.open);
  }
  streamed_graph stream() const { return stream_dgl_graph(in.path(), options(), *in.open); }

  dgl_graph_options options() const {
    return {.graph = in.options.graph,
            .features = in.options.features,
            .most_bytes = in.options.most_bytes};
  }
};

template <class Context>
struct metis_source {
  const Context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_metis_graph<Node, Edge>(in.path(), *in.open, in.executor, in.options.most_bytes);
  }
};

template <class Context>
struct edge_list_source {
  const Context& in;

  template <id Node, id Edge>
  dataset<Node, Edge> load() const {
    return read_edge_list<Node, Edge>(
        in.path(), {.num_nodes = in.options.num_nodes, .undirected = in.options.undirected},
        *in.open, in.executor);
  }
  streamed_graph stream() const {
    auto graph = stream_edge_list(in.path(), {.num_nodes = in.options.num_nodes}, *in.open,
                                  in.executor);
    return in.options.undirected ? add_reverse_edges(std::move(graph)) : std::move(graph);
  }
};

template <class Context>
struct ogb_source {
  const Context& in;

  streamed_graph stream() const {
    auto graph = stream_ogb(in.path(), *in.open, in.codec);
    if (!in.options.features) graph.node_features.clear(), graph.edge_features.clear();
    return graph;
  }
};

template <class Context>
struct tables_source {
  const Context& in;

  streamed_graph stream() const {
    tables_spec spec = read_tables_spec(in.path(), *in.open, in.codec);
    if (!in.options.features) {
      for (auto& node : spec.nodes) node.table.features.clear();
      for (auto& edge : spec.edges) edge.table.features.clear();
    }
    return stream_tables(spec,
                         {.scratch = in.scratch(),
                          .dictionaries = in.options.dictionaries,
                          .memory = in.options.memory,
                          .on_progress = in.options.on_progress},
                         *in.open);
  }
};

template <class Context>
struct partition_source {
  const Context& in;

  streamed_graph stream() const {
    partition_config config = read_config(in.path(), *in.open, in.codec);
    resolve_relations(config, *in.open, in.formats);
    return stream_partition(config,
                            {.features = in.options.features,
                             .scratch = in.scratch(),
                             .memory = in.options.memory,
                             .on_progress = in.options.on_progress},
                            *in.open, in.formats);
  }
};

/// f(source) with the source of an input's format.
/// @errors invalid_argument: an option that does not apply to the format; those of f
template <class Context, class F>
auto with_source(const Context& in, F&& f) {
  check_input_options(in.input.format, in.options.num_nodes.has_value(), in.options.undirected,
                      in.path());
  switch (in.input.format) {
    case input_format::chunked:
      break;
    case input_format::plain:
      return f(plain_source<Context>{in});
    case input_format::dgl_graph:
      return f(dgl_source<Context>{in});
    case input_format::metis_graph:
      return f(metis_source<Context>{in});
    case input_format::edge_list:
      return f(edge_list_source<Context>{in});
    case input_format::ogb:
      return f(ogb_source<Context>{in});
    case input_format::tables:
      return f(tables_source<Context>{in});
    case input_format::partition:
      return f(partition_source<Context>{in});
  }
  return f(chunked_source<Context>{in});
}

/// The whole graph of a source.
template <id Node, id Edge, class Source>
dataset<Node, Edge> load_source(const Source& source) {
  if constexpr (loads_whole<Source, Node, Edge>)
    return source.template load<Node, Edge>();
  else
    return materialize<Node, Edge>(source.stream());
}

/// The graph of a source as a stream; one that cannot stream is held in memory.
template <class Source>
streamed_graph stream_source(const Source& source) {
  if constexpr (streams<Source>)
    return source.stream();
  else
    return stream_dataset(source.template load<std::uint64_t, std::uint64_t>());
}

}  // namespace detail

}  // namespace halograph
