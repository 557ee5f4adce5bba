// SPDX-License-Identifier: BSL-1.0
/// @file verify.hpp
/// Prove that a partition folder agrees with its config and with its input graph.
/// Layer: verify. Words: README.md.
/// Written from the format's rules alone: ownership, the HALO and the endpoints of edges are
/// derived here a second time, independently of the code that writes folders. Keep it so: this is
/// the oracle.
///
/// | check | proves |
/// | --- | --- |
/// | book | ranges tile all IDs part by part, type by type; the library's book agrees |
/// | digests | files are those of the manifest, if there is one |
/// | mapping | original IDs are a permutation of each type; the compact mapping fits the ranges |
/// | structure | files are complete; IDs in range; formats hold the same edges; columns have legal dtypes |
/// | nodes, edges | inner first, `_ID` without gaps; flags, owners, types, endpoints agree with book and schema |
/// | crossing edges | an edge held by several parts has the same endpoints in all of them |
/// | halo | HALO nodes and edges are exactly those of the config's hops |
/// | features | a row for each inner node or edge; the same dtypes and row shapes in all parts |
/// | input | each input edge is inner in one part with its endpoints; features equal the input's, bit for bit |
/// | assignment | owners are those assigned |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/options.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

namespace detail {

/// @param input  the graph that was partitioned, or null
verification verify(const std::string& path, const input_graph* input, const folder_access& access,
                    const verify_options& options, executor_ref executor);

}  // namespace detail

/// Prove a partition folder by itself: that its parts fit its config and one another.
///
/// @param path     the config JSON
/// @param access   reads the folder; mapped files cost least, because parts are read twice
/// @param executor  checks several parts at a time, at most 16; the result does not depend on it
/// @return         the findings, and which checks ran
/// @errors         those of read_config, without which nothing can be checked; memory: the checks
///     need more than options.most_bytes
/// @complexity     O(V + E + sizes of the parts) time; with 32-bit IDs for each part checked at
///     once 9 bytes per node, and with more than 1 hop 4 per node and edge. Where files are not
///     mapped, the graphs of all parts are in memory, too. 4 bytes for each edge between parts save
///     reading all edges twice for each part; 16 more per edge are needed where parts hold rows
///     instead of pairs of ends, or IDs of nodes and edges are not contiguous
inline verification verify_partition(const std::string& path, const folder_access& access,
                                     const verify_options& options = {},
                                     executor_ref executor = {}) {
  if (!options.assignment.empty())
    raise(error_kind::invalid_argument,
          "an assignment can only be verified against an input graph");
  return detail::verify(path, nullptr, access, options, executor);
}

/// The same, and prove that it is a partitioning of `input`: through its saved original IDs or,
/// without them, through the assignment and the order in which partition_graph numbers.
///
/// @param input    the graph and features that were partitioned
/// @errors         those of read_config; not_found: neither original IDs nor an assignment;
/// mismatch: the assignment has
///     another number of nodes
/// @complexity     as above, 20 bytes more per edge and 12 per node; O(E log E) time by assignment
template <id Node, id Edge>
verification verify_partition(const std::string& path, const dataset<Node, Edge>& input,
                              const folder_access& access, const verify_options& options = {},
                              executor_ref executor = {}) {
  const detail::input_graph compared(input);
  return detail::verify(path, &compared, access, options, executor);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/verify.ipp>
#endif
