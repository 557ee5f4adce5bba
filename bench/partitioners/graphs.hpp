// SPDX-License-Identifier: BSL-1.0
/// @file graphs.hpp
/// Graphs as METIS files, and the judge of all assignments: the same code, whoever made them.
/// Part of the benchmarks, not of the library.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace halograph::bench {

/// Write the undirected graph, without loops and duplicates, types laid end to end, as a METIS
/// file.
/// @param input        what `halograph partition --input` takes, or "rmat:SCALE": 16 edges a node
/// @param out          the METIS file
/// @param constraints  also weights: three equal classes of nodes, drawn at random, and the degree
/// @return {name, nodes, edges}
nlohmann::ordered_json prepare_graph(const std::string& input, const std::string& out,
                                     bool constraints);

/// Write a METIS file without weights in CUTTANA's format: "nodes edges", then for each node
/// "ID degree neighbors", from 1.
void write_cuttana_file(const std::string& metis, const std::string& out);

/// What to judge.
struct judged_assignment {
  std::string graph{};    ///< METIS file, as the method read it
  std::string file{};     ///< lines "part", or "node from 1,part"
  std::string rewrite{};  ///< also write it with lines "part" there
  std::uint64_t parts = 1;
  double tolerance = 0.03;
};

/// Measure an assignment. A load is within the tolerance if no part has more than (1 + tolerance)
/// times the mean, rounded up to a whole number as partitioners do, or than the heaviest node where
/// that alone is more; 0.0001 of the mean is forgiven.
/// @return {cut, volume, replication_factor, empty_parts, largest_imbalance, met,
///     balance[{name, imbalance, met}]}
nlohmann::ordered_json judge(const judged_assignment& what);

}  // namespace halograph::bench
