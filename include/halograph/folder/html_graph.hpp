// SPDX-License-Identifier: BSL-1.0
/// @file html_graph.hpp
/// The drawing of a graph, and the matrix of edges between its parts, on a page for browsers.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/report.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::detail::html {

/// The parts that tables list: all, or those that hold most and least.
std::vector<std::size_t> listed_parts(std::span<const part_report> parts);

/// [shown] HALO nodes of a part by hop, the last with those of all further hops.
std::vector<std::uint64_t> hops_of(const part_report& part, std::size_t shown);

/// A sentence: the share of each of `shown` hops in all stored nodes; the last includes all further
/// hops. @param more  there are further hops
std::string hop_shares(std::span<const part_report> parts, std::size_t shown, bool more);

/// Edges between groups of neighboring parts, so that there are at most `most_rows` groups.
struct grouped_matrix {
  std::size_t groups = 0, parts_per_group = 1;
  std::vector<std::uint64_t> edges{};  ///< [groups][groups] by source, then target
  std::uint64_t most = 0;              ///< between two of them, of all folders

  /// 0: none; 5: more than half of the most; each step below: half of that.
  unsigned level(std::size_t source, std::size_t target) const {
    const auto here = edges[source * groups + target];
    if (here == 0) return 0;
    unsigned out = 5;
    for (auto bound = most / 2; out > 1 && here <= bound; bound /= 2) --out;
    return out;
  }
};

/// @pre found.figures
grouped_matrix matrix_of(const folder_report& found);

/// A table with colored cells or, of more than 12 groups, a heat map and tables.
/// @param of  ends captions: which folder it is
std::string matrix_html(const grouped_matrix& all, std::size_t parts, std::string_view of);

/// The drawing with a key to its colors and shapes. @param nodes  of the whole graph
std::string drawing_html(const graph_drawing& drawn, std::size_t parts, std::uint64_t nodes,
                         std::string_view of);

}  // namespace halograph::detail::html

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/html_graph.ipp>
#endif
