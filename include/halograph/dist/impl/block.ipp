// SPDX-License-Identifier: BSL-1.0
/// @file block.ipp
/// Bodies of the plain functions of dist/block.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/block.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE block to_block(sampled_edges frontier, std::vector<std::uint32_t>& table) {
  const std::size_t seeds = frontier.seeds.size(), edges = frontier.neighbors.size();
  if (frontier.offsets.size() != seeds + 1 || frontier.offsets.back() != edges ||
      frontier.edges.size() != edges) {
    raise(error_kind::mismatch,
          concat({"the frontier has ", frontier.offsets.size(), " offsets, ", edges,
                  " neighbors and ", frontier.edges.size(), " edges for ", seeds,
                  " nodes; it needs one more offset than nodes, and a neighbor for each edge"}));
  }
  block out;
  out.num_dst = seeds;
  out.nodes.resize(seeds + edges);
  out.sources.resize(edges);
  table.resize(std::max(table.size(), block_table_size(seeds, edges)));
  std::size_t count = 0;
  const status made = to_block_into(std::span<const std::int64_t>(frontier.seeds),
                                    std::span<const std::int64_t>(frontier.neighbors),
                                    std::span(out.nodes), count, std::span(out.sources),
                                    std::span(table));
  if (made == status::invalid_argument) {
    raise(made.code, concat({"node ", frontier.seeds[static_cast<std::size_t>(made.position)],
                             " occurs twice among the destinations; a block has each once"}));
  }
  check(made, "a block has at most 4294967294 nodes and edges; sample fewer at a time");
  out.nodes.resize(count);
  out.offsets = std::move(frontier.offsets);
  out.edges = std::move(frontier.edges);
  return out;
}

}  // namespace halograph
