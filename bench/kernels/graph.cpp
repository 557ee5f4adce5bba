// SPDX-License-Identifier: BSL-1.0
// Edges into rows: compressed by target or source, and as an undirected graph without duplicates.
#include "ladder.hpp"

#include <halograph/graph/build.hpp>
#include <halograph/graph/symmetrize.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph::bench {

namespace {

/// The loop without a library: bucket by target, keep the edge IDs.
void plain_csc(const edge_graph& g, std::vector<narrow_id>& offsets,
               std::vector<narrow_id>& sources, std::vector<narrow_id>& edges) {
  std::fill(offsets.begin(), offsets.end(), 0u);
  for (const narrow_id v : g.target) ++offsets[v + 1];
  for (std::size_t v = 0; v < g.nodes; ++v) offsets[v + 1] += offsets[v];
  for (std::size_t e = 0; e < g.edges(); ++e) {
    const std::size_t at = offsets[g.target[e]]++;
    sources[at] = g.source[e];
    edges[at] = static_cast<narrow_id>(e);
  }
  for (std::size_t v = g.nodes; v > 0; --v) offsets[v] = offsets[v - 1];
  offsets[0] = 0;
}

/// Bucket both directions, sort each row, drop repetitions.
void plain_symmetrize(const edge_graph& g, std::vector<narrow_id>& offsets,
                      std::vector<narrow_id>& neighbors) {
  std::vector<narrow_id> ends(g.nodes + 1, 0);
  for (std::size_t e = 0; e < g.edges(); ++e) {
    if (g.source[e] == g.target[e]) continue;
    ++ends[g.source[e] + 1];
    ++ends[g.target[e] + 1];
  }
  for (std::size_t v = 0; v < g.nodes; ++v) ends[v + 1] += ends[v];
  std::vector<narrow_id> all(ends.back());
  for (std::size_t e = 0; e < g.edges(); ++e) {
    if (g.source[e] == g.target[e]) continue;
    all[ends[g.source[e]]++] = g.target[e];
    all[ends[g.target[e]]++] = g.source[e];
  }
  offsets.assign(1, 0);
  neighbors.clear();
  narrow_id begin = 0;
  for (std::size_t v = 0; v < g.nodes; ++v) {
    const auto first = all.begin() + begin, last = all.begin() + ends[v];
    std::sort(first, last);
    neighbors.insert(neighbors.end(), first, std::unique(first, last));
    offsets.push_back(static_cast<narrow_id>(neighbors.size()));
    begin = ends[v];
  }
}

void add_kernels(const subject& s) {
  const double in = 8 * s.edges(), out = 8 * s.edges() + 4 * s.nodes();
  const auto csc = std::make_shared<csc_arrays<narrow_id, narrow_id>>();
  const auto room = [&s, csc] {
    csc->offsets.resize(s.g.nodes + 1);
    csc->sources.resize(s.g.edges());
    csc->edges.resize(s.g.edges());
  };
  add(s, {"coo_to_csc/plain", s.edges(), in, out}, [&s, csc, room] {
    room();
    plain_csc(s.g, csc->offsets, csc->sources, csc->edges);
  });
  add(s, {"coo_to_csc/span", s.edges(), in, out}, [&s, csc, room] {
    room();
    check(build_csc_into(s.g.view(), std::span(csc->offsets), std::span(csc->sources),
                         std::span(csc->edges)),
          "rows by target");
  });
  add(s, {"coo_to_csc/full", s.edges(), in, out},
      [&s] { keep(build_csc<narrow_id, narrow_id>(s.g.view())); });
  add(s, {"coo_to_csr/full", s.edges(), in, out}, [&s] {
    const coo_view<narrow_id, narrow_id> turned(s.g.nodes, s.g.target, s.g.source);
    keep(build_csc<narrow_id, narrow_id>(turned));
  });

  // The size of the result is not known in advance; about both directions of each pair.
  const double symmetric = 8 * s.edges() + 4 * s.nodes();
  const auto rows = std::make_shared<symmetric_graph<std::int32_t, std::int32_t>>();
  add(s, {"symmetrize/plain", s.edges(), in, symmetric}, [&s] {
    std::vector<narrow_id> offsets, neighbors;
    plain_symmetrize(s.g, offsets, neighbors);
    keep(neighbors);
  });
  const lazy<std::vector<std::size_t>> positions(
      [&s] { return std::vector<std::size_t>(symmetrize_size(s.g.nodes, s.g.edges()).positions); });
  const lazy<std::vector<std::int32_t>> lower(
      [&s] { return std::vector<std::int32_t>(s.g.edges()); });
  add(s, {"symmetrize/span", s.edges(), in, symmetric}, [&s, rows, positions, lower] {
    const pair_scratch<std::int32_t, std::int32_t> scratch{*positions, *lower, {}};
    std::size_t pairs = 0;
    check(collect_pairs(s.g.view(), pairs_once{}, scratch, pairs), "pairs");
    rows->offsets.resize(s.g.nodes + 1);
    rows->neighbors.resize(2 * pairs);
    check(expand_pairs(s.g.nodes, scratch, std::span(rows->offsets), std::span(rows->neighbors),
                       std::span<std::int32_t>()),
          "rows of pairs");
  });
  add(s, {"symmetrize/full", s.edges(), in, symmetric},
      [&s] { keep(symmetrize<std::int32_t, std::int32_t>(s.g.view())); });
}

const ladder these(add_kernels);

}  // namespace
}  // namespace halograph::bench
