// SPDX-License-Identifier: BSL-1.0
/// @file boost_graph.hpp
/// Boost.Graph in both directions: Boost's graphs are ours without a copy, our graphs are Boost's,
/// and owners, new and local IDs are property maps.
/// Layer: adapters (models graph of graph/concepts.hpp; Boost.Graph). Words: README.md.
///
///     hg::boost_graph_view view(g);        // any Boost graph with vertices(g) and edges(g)
///     auto owner = hg::assign(view, hg::metis{.parts = 4});
///     auto owners = hg::owner_map(owner);  // get(owners, v) in any algorithm of Boost's
///
/// | Boost's graph | models | edge ID |
/// | --- | --- | --- |
/// | `adjacency_list<..., vecS, ...>` | edge_list | the edge's position in edges(g) |
/// | the same with an edge_index, inside or given | out_adjacency; in_adjacency where Boost has in_edges | the index |
/// | `compressed_sparse_row_graph` | edge_list, out_adjacency; bidirectional: in_adjacency | its own edge_index |
/// | vertices that are not numbers (listS, setS) | as above; adjacency needs the vertices by index | as above |
///
/// An undirected edge is two of ours: edge k of Boost's is 2k from its smaller end to its larger
/// and 2k + 1 back; a loop is both, as Boost counts it twice in the degree. The vertices and edges
/// that a `filtered_graph` lets through are counted each time that they are asked for.
#pragma once

#if !__has_include(<boost/graph/graph_traits.hpp>)
#error \
    "halograph/adapters/boost_graph.hpp needs Boost.Graph's headers, 1.74 or newer (Debian: libboost-dev)"
#else

#include <halograph/adapters/boost_graph/as_boost_graph.hpp>
#include <halograph/adapters/boost_graph/property_maps.hpp>
#include <halograph/adapters/boost_graph/view.hpp>

#endif
