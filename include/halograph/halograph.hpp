// SPDX-License-Identifier: BSL-1.0
/// @file halograph.hpp
/// The steps on a graph of your own: assign, expand, relabel, look up, or the whole job at once
/// with partition_graph(). Needs the standard library alone. What works on files and ranks, and on
/// partitions that were written, has headers of its own: README.md lists them.
/// Layer: above core to book and pipeline/partition_graph.hpp. Words: README.md.
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/book/map_book.hpp>
#include <halograph/book/named_book.hpp>
#include <halograph/book/policy.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/book/range_map.hpp>
#include <halograph/book/split.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/core/version.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/compressed.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/indexed_rows.hpp>
#include <halograph/graph/mag.hpp>
#include <halograph/graph/neighbors.hpp>
#include <halograph/graph/row_buckets.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/halo/members.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/greedy_stream.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/permutation.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_graph.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/relabel_rows.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/relabel/unshuffle.hpp>
#include <halograph/schema/id_converter.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>
