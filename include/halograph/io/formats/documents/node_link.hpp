// SPDX-License-Identifier: BSL-1.0
/// @file node_link.hpp
/// A small graph from JSON that lists nodes and links, as NetworkX and D3 have it.
/// Layer: io. Words: README.md.
///
/// | member | holds |
/// | --- | --- |
/// | `directed` | false, or missing: each link is an edge both ways |
/// | `nodes` | a list of objects with `id`, all integers or all text, and attributes |
/// | `links` or `edges` | a list of objects with `source`, `target`, and attributes; `key`, which tells parallel edges apart, is passed over |
///
/// Other members are passed over.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/formats/documents/attributed_graph.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

namespace detail {

/// What a look at JSON text tells that reads no values: where the lists of a node-link document
/// are, and how much memory all of it can take once it is parsed. Text that is no JSON is the
/// parser's concern.
struct node_link_outline {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t nodes = none, links = none, edges = none;  ///< byte of each list's '['
  std::uint64_t most_bytes = 0;

  explicit node_link_outline(std::string_view text) noexcept;
  /// Are there nodes, and links or edges?
  bool complete() const noexcept { return nodes != none && (links != none || edges != none); }
};

/// The byte at which an element of a list begins. @param list  the byte of its '['
std::size_t byte_of_element(std::string_view text, std::size_t list,
                            std::uint64_t element) noexcept;

}  // namespace detail

/// Is a text a JSON object whose `nodes` and whose `links` or `edges` are lists?
/// @complexity O(bytes), without memory
inline bool is_node_link(std::string_view text) noexcept {
  return detail::node_link_outline(text).complete();
}

/// Read a node-link document. The document is held while it is read, its edges as long as the
/// stream.
///
/// Where the `id`s are the integers 0 to n - 1, they are the IDs of nodes; otherwise IDs are the
/// order of `nodes`, and integers become the feature `id`. Of an undirected graph, the mirror
/// images of links that are no loops follow all links, in order. An attribute becomes a feature of
/// type int64, or float64 if one value is not an integer, where every node, or every edge, has a
/// number for it; a note names those left out.
///
/// @errors malformed: no JSON, at the byte; a node or edge that is not as above, at its byte; two
///     nodes with one id; out_of_range: an edge of a node that is not listed; unsupported: the
///     codec refuses the depth; memory: the document can take more than options.most_bytes
/// @complexity O(bytes + (V + E) log V)
/// @source NetworkX, networkx.readwrite.json_graph.node_link_data
streamed_graph stream_node_link(const std::string& path, const any_file_opener& open,
                                const any_json_codec& codec, const document_options& options = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/documents/impl/node_link.ipp>
#endif
