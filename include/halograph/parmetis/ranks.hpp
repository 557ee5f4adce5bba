// SPDX-License-Identifier: BSL-1.0
/// @file ranks.hpp
/// One rank's share of a graph in ParMETIS's files, as distributed partitioners take it.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/graph.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// The nodes and edges whose rows lie in this rank's share of the bytes, and the undirected
/// adjacency of its nodes.
template <id Node = std::uint64_t>
struct parmetis_share : parmetis_rows<Node> {
  std::vector<std::int64_t> weights{};    ///< [n x columns], node by node
  std::vector<std::uint64_t> offsets{0};  ///< [n+1]
  std::vector<Node> neighbors{};          ///< each neighbor once, without self-loops

  /// The adjacency and weights as distributed partitioners take them; views this object.
  distributed_graph_view<Node> graph() const noexcept {
    return {this->ranges,
            offsets,
            neighbors,
            weights,
            std::max<std::size_t>(1, static_cast<std::size_t>(this->stats.weights)),
            {}};
  }
};

namespace detail {

/// Collect the neighbors of this rank's nodes. Inside run_collective().
template <id Node>
void collect_neighbors(communicator_ref ranks, parmetis_share<Node>& out) {
  const std::size_t nodes = out.node_rows.size();
  const std::uint64_t first = out.ranges[static_cast<std::size_t>(ranks.rank())];
  // Each pair goes to the ranks of both its ends.
  std::vector<std::array<Node, 2>> pairs;
  pairs.reserve(2 * out.source.size());
  for (std::size_t e = 0; e < out.source.size(); ++e) {
    const Node u = out.source[e], v = out.target[e];
    if (u == v) continue;
    pairs.push_back({u, v});
    pairs.push_back({v, u});
  }
  auto came = send_records(ranks, std::span<const std::array<Node, 2>>(pairs),
                           [&](const auto& one) {
                             return rank_of_node(out.ranges, static_cast<std::uint64_t>(one[0]));
                           });
  pairs = {};
  std::vector<std::uint64_t> begin(nodes + 1);
  const auto place_of = [&](Node v) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(v) - first);
  };
  for (const auto& one : came) ++begin[place_of(one[0]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Node> rows(came.size());
  {
    auto at = begin;
    for (const auto& one : came) rows[static_cast<std::size_t>(at[place_of(one[0])]++)] = one[1];
  }
  came = {};
  std::size_t kept = 0;
  out.offsets.reserve(nodes + 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(begin[v]),
               to = rows.begin() + static_cast<std::ptrdiff_t>(begin[v + 1]);
    std::sort(from, to);
    kept = static_cast<std::size_t>(
        std::copy(from, std::unique(from, to), rows.begin() + static_cast<std::ptrdiff_t>(kept)) -
        rows.begin());
    out.offsets.push_back(kept);
  }
  rows.resize(kept);
  rows.shrink_to_fit();
  out.neighbors = std::move(rows);
}

}  // namespace detail

/// Read this rank's share of X_nodes.txt and X_edges.txt. Collective.
///
/// @param folder    where they are; every rank can open them
/// @param open      opens files; mapped ones are read where the rank's share is, others as a whole
/// @param executor  parses pieces of the share
/// @errors          those of read_parmetis_graph, the same on every rank; mismatch: files of other
///     sizes or beginnings on one
/// @complexity      O(bytes / R) time; memory for n nodes and e edges of the rank about 8 n x
///     (weights + 2) bytes, and ten Nodes for each of its e edges on their way, of which four stay
/// @source          formats: ParMETIS files, sections 1 and 2
template <id Node = std::uint64_t>
parmetis_share<Node> read_parmetis_share(communicator_ref ranks, const std::string& folder,
                                         const std::string& graph, const any_file_opener& open,
                                         executor_ref executor = {}) {
  std::optional<parmetis_share<Node>> out;
  run_collective(ranks, [&] {
    out.emplace();  // allocates
    std::vector<std::vector<std::int64_t>> columns;
    detail::read_rows<Node>(ranks, folder, graph, open, executor, *out, columns);
    out->weights.reserve(out->node_rows.size() * columns.size());
    for (std::size_t v = 0; v < out->node_rows.size(); ++v) {
      for (const auto& column : columns) out->weights.push_back(column[v]);
    }
    columns = {};
    detail::collect_neighbors(ranks, *out);
  });
  return std::move(*out);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template parmetis_share<std::uint64_t> read_parmetis_share<std::uint64_t>(
    communicator_ref, const std::string&, const std::string&, const any_file_opener&, executor_ref);
#endif

}  // namespace halograph
