// SPDX-License-Identifier: BSL-1.0
/// @file dist_model.hpp
/// For tests: a small graph, the folder of its partitions, and a plain model that holds all of it,
/// to compare a distributed graph over any ranks with.
#pragma once

#include "support/memory_folder.hpp"
#include "support/partition_model.hpp"

#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/native.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace halograph::testing {

/// nlohmann-json, compiled once.
struct dist_codec {
  status parse(std::string_view text, json::value& out) const;
};

using dist_formats = format_set<native_serializer, dgl_serializer>;

/// A graph, its owners, and the folder `g.json` of its partitions.
struct dist_case {
  dataset<> data{};
  std::vector<part_id> owner{};
  partition_options options{};
  partition_model model{};
  memory_folder folder{};
  std::vector<std::vector<std::size_t>> node_of{},
      edge_of{};  ///< [type][new typed ID] -> new global ID

  /// @param closing  hold the out-edges of inner nodes
  dist_case(bool typed, std::uint64_t seed, std::size_t parts, unsigned hops, bool native,
            bool closing = true);

  /// In many rounds.
  dist_graph open(communicator_ref ranks, dist_options how = {}) const;

  /// The folder of the same parts under original IDs.
  memory_folder not_relabeled() const;
  /// Row of a feature of the input as its file holds it.
  std::vector<std::byte> row(const chunked_tensor& rows, std::size_t original) const;
};

/// IDs below n, drawn with repetition; another list on every rank, and none on rank 0 if `seed` is
/// even.
std::vector<std::int32_t> draw_ids(std::size_t n, std::size_t rank, std::uint64_t seed);

/// A part of the model.
void expect_part(const dist_case& made, const part_graph& part);

/// Features of all types, rows of any rank.
void expect_features(const dist_case& made, const dist_graph& g);
/// Endpoints of edges and degrees of nodes, by global and typed IDs.
void expect_structure(const dist_case& made, const dist_graph& g);

}  // namespace halograph::testing
