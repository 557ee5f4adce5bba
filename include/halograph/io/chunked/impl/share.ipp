// SPDX-License-Identifier: BSL-1.0
/// @file share.ipp
/// Bodies of the plain functions of io/chunked/share.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/partition/balance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<std::uint64_t> even_ranges(std::span<const std::uint64_t> ends,
                                                        unsigned shift, std::uint64_t nodes,
                                                        std::size_t ranks,
                                                        std::vector<std::uint64_t>& ends_before) {
  // A row's own arrays weigh about as much as two entries.
  const auto nodes_before = [&](std::size_t i) {
    return std::min<std::uint64_t>(std::uint64_t{i} << shift, nodes);
  };
  const std::vector<std::uint64_t> before = offsets_of(ends);
  const auto weight = [&](std::size_t i) { return before[i] + 2 * nodes_before(i); };
  std::vector<std::uint64_t> out{0};
  ends_before.assign(1, 0);
  std::size_t at = 0;
  for (std::size_t r = 1; r < ranks; ++r) {
    const std::uint64_t wanted = block_range(weight(ends.size()), r, ranks).begin;
    while (at < ends.size() && weight(at + 1) <= wanted) ++at;
    if (at < ends.size() && weight(at) < wanted && weight(at + 1) - wanted < wanted - weight(at))
      ++at;
    out.push_back(nodes_before(at));
    ends_before.push_back(before[at]);
  }
  out.push_back(nodes);
  ends_before.push_back(before.back());
  return out;
}

HALOGRAPH_INLINE chunked_classes classes_of(const chunked_graph& graph,
                                            const assign_balance& asked) {
  chunked_classes out;
  std::uint64_t end = 0;
  for (std::size_t t = 0; t < graph.node_counts.size(); ++t) {
    end += graph.node_counts[t];
    if (graph.node_counts[t] == 0 || !asked.types) continue;
    out.names.push_back(class_of_type(graph.schema.node_types()[t]));
    out.end.push_back(end);
  }
  if (out.names.size() < 2) {
    out.names.assign(1, std::string(all_nodes_class));
    out.end.assign(1, end);
  }
  return out;
}

}  // namespace halograph::detail
