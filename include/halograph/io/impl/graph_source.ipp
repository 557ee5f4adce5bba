// SPDX-License-Identifier: BSL-1.0
/// @file graph_source.ipp
/// Bodies of the plain functions of io/graph_source.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/io/formats/documents/graphml.hpp>
#include <halograph/io/formats/documents/node_link.hpp>
#include <halograph/io/formats/graphar/stream.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/graph_source.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/streamed_graph.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE streamed_graph tables_source::stream() const {
  tables_spec spec = read_tables_spec(in.path(), in.open, in.codec);
  if (!in.options.features) {
    for (auto& node : spec.nodes) node.table.features.clear();
    for (auto& edge : spec.edges) edge.table.features.clear();
  }
  return stream_tables(spec,
                       {.scratch = in.scratch(),
                        .dictionaries = in.options.dictionaries,
                        .memory = in.options.memory,
                        .on_progress = in.options.on_progress},
                       in.open, in.tables);
}

HALOGRAPH_INLINE streamed_graph graphar_source::stream() const {
  return stream_graphar(in.path(),
                        {.features = in.options.features,
                         .scratch = in.scratch(),
                         .on_progress = in.options.on_progress},
                        in.open, in.options.yaml, in.tables);
}

HALOGRAPH_INLINE streamed_graph partition_source::stream() const {
  partition_config config = read_config(in.path(), in.open, in.codec);
  resolve_relations(config, in.open, in.formats);
  return stream_partition(config,
                          {.features = in.options.features,
                           .scratch = in.scratch(),
                           .memory = in.options.memory,
                           .on_progress = in.options.on_progress},
                          in.open, in.formats);
}

HALOGRAPH_INLINE streamed_graph document_source::stream() const {
  const document_options options{.features = in.options.features,
                                 .most_bytes = in.options.most_bytes,
                                 .dictionaries = in.options.dictionaries,
                                 .scratch = in.scratch(),
                                 .memory = in.options.memory};
  return in.input.format == input_format::graphml
             ? stream_graphml(in.path(), in.open, options)
             : stream_node_link(in.path(), in.open, in.codec, options);
}

HALOGRAPH_INLINE streamed_graph stream_input(const input_context& in) {
  in.check();
  switch (in.input.format) {
    case input_format::chunked:
      break;
    case input_format::plain:
      return stream_dataset(plain_source{in}.load<std::uint64_t, std::uint64_t>());
    case input_format::dgl_graph:
      return dgl_source{in}.stream();
    case input_format::metis_graph:
      return stream_dataset(metis_source{in}.load<std::uint64_t, std::uint64_t>());
    case input_format::edge_list:
      return edge_list_source{in}.stream();
    case input_format::matrix_market:
      return matrix_market_source{in}.stream();
    case input_format::dimacs:
      return dimacs_source{in}.stream();
    case input_format::adjacency:
      return adjacency_source{in}.stream();
    case input_format::galois:
      return galois_source{in}.stream();
    case input_format::gap:
      return gap_source{in}.stream();
    case input_format::parhip:
      return parhip_source{in}.stream();
    case input_format::edge_pairs:
      return edge_pairs_source{in}.stream();
    case input_format::ogb:
      return ogb_source{in}.stream();
    case input_format::node_link:
    case input_format::graphml:
      return document_source{in}.stream();
    case input_format::tables:
      return tables_source{in}.stream();
    case input_format::partition:
      return partition_source{in}.stream();
    case input_format::graphar:
      return graphar_source{in}.stream();
  }
  return chunked_source{in}.stream();
}

}  // namespace halograph::detail
