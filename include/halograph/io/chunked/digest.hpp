// SPDX-License-Identifier: BSL-1.0
/// @file digest.hpp
/// A digest of a chunked graph, by which ranks check that they read the same one.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// A digest of names, counts and features, and of each file the format, the size, the places of its
/// lines or pieces, and the first 4 KiB. Neither paths nor whole files are included: a file of the
/// same size and beginning counts as the same.
/// @complexity O(names) and reading 4 KiB of each file
std::uint64_t digest_of_input(const chunked_graph& graph);

/// Check that all ranks read the same chunked graph. Collective, inside run_collective(). @errors
/// as require_same()
inline void require_same_input(communicator_ref ranks, const chunked_graph& graph) {
  if (ranks.size() == 1) return;
  require_same(ranks, digest_of_input(graph), "reads another chunked graph than",
               "metadata.json and the files that it names must be the same for all ranks");
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/digest.ipp>
#endif
