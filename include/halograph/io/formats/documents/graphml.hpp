// SPDX-License-Identifier: BSL-1.0
/// @file graphml.hpp
/// A small graph from GraphML, an XML format.
/// Layer: io. Words: README.md.
///
/// | element | in | holds |
/// | --- | --- | --- |
/// | `key` | `graphml` | an attribute: `id`, `for`, `attr.name`, `attr.type`, and perhaps an element `default` |
/// | `graph` | `graphml`, once | `edgedefault`: directed or undirected |
/// | `node` | `graph` | `id` |
/// | `edge` | `graph` | `source`, `target`, and `directed` where it differs from the graph |
/// | `data` | `node`, `edge` | a value of the attribute `key` |
///
/// Other elements are passed over, except hyperedges and graphs in nodes, which are refused.
///
/// Not Boost.Graph's read_graphml(): it is in the compiled library boost_graph, which nothing else
/// here needs, holds the document as a tree and every value as text, names no line in its errors,
/// makes nodes of IDs that only edges have, and refuses a graph with edges of both kinds.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/formats/documents/attributed_graph.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <string>
#include <string_view>

namespace halograph {

/// Does a text begin as GraphML does?
bool is_graphml(std::string_view text) noexcept;

/// Read a GraphML document. The document is held while it is read, its edges as long as the stream.
///
/// IDs, mirror images of undirected edges, and features are as stream_node_link() makes them; IDs
/// are integers where each is written as one. The types int and long make int64 columns, float and
/// double make float64; others are left out, and a note names them.
///
/// @errors malformed, truncated: not well-formed, or an element that is not as above; out_of_range:
///     an edge of a node that is not listed; all with the line. unsupported: hyperedges, graphs in
///     graphs, several graphs, more than 1000 keys, and as xml_reader::next(); memory: the graph
///     can take more than options.most_bytes
/// @complexity O(bytes + (V + E) log V), and a default value for each node or edge and key
/// @source Brandes, Eiglsperger, Herman, Himsolt, Marshall: GraphML Progress Report, GD 2001; the
///     GraphML Primer
streamed_graph stream_graphml(const std::string& path, const any_file_opener& open = {},
                              const document_options& options = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/documents/impl/graphml.ipp>
#endif
