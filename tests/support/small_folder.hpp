// SPDX-License-Identifier: BSL-1.0
/// @file small_folder.hpp
/// A typed random graph with features that name their own row, and a partition folder made of it.
/// For tests.
#pragma once

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::testing {

using test_formats = format_set<dgl_serializer>;
struct test_access : folder_access {
  test_access() : folder_access(read_files{}, nlohmann_codec{}, test_formats{}) {}
};

/// Two node types and three relations (typed), or one of each; feature "x" [n, 2] of nodes holds
/// (2i, 2i + 1) of node i, feature "w" of edges holds 10 e of edge e.
inline dataset<> small_dataset(std::uint64_t seed, bool typed, std::uint64_t nodes = 30,
                               std::uint64_t edges = 60) {
  dataset<> data;
  data.name = "small";
  if (typed) {
    data.schema.add_node_type("user");
    data.schema.add_node_type("item");
    data.schema.add_edge_type({"user", "buys", "item"});
    data.schema.add_edge_type({"item", "bought_by", "user"});
    data.schema.add_edge_type({"user", "knows", "user"});
    data.node_counts = {nodes, nodes / 2};
  } else {
    data.schema = graph_schema::homogeneous();
    data.node_counts = {nodes};
  }
  random_stream stream(seed);
  for (std::size_t r = 0; r < data.schema.num_edge_types(); ++r) {
    const auto type = static_cast<type_id>(r);
    auto& columns = data.edges.emplace_back();
    for (std::uint64_t e = 0; e < edges; ++e) {
      columns.source.push_back(stream.below(data.node_counts[data.schema.source_type(type)]));
      columns.target.push_back(stream.below(data.node_counts[data.schema.target_type(type)]));
    }
    std::vector<std::int64_t> w;
    for (std::uint64_t e = 0; e < edges; ++e) w.push_back(static_cast<std::int64_t>(10 * e));
    data.features.edges.push_back({type, "w", tensor::from(std::move(w))});
  }
  for (std::size_t t = 0; t < data.node_counts.size(); ++t) {
    std::vector<float> x;
    for (std::uint64_t i = 0; i < 2 * data.node_counts[t]; ++i) x.push_back(static_cast<float>(i));
    data.features.nodes.push_back(
        {static_cast<type_id>(t), "x", tensor::from(std::move(x), {data.node_counts[t], 2})});
  }
  data.finish();
  return data;
}

/// A part for each node, drawn.
inline std::vector<part_id> drawn_owners(std::uint64_t nodes, part_id parts, std::uint64_t seed) {
  random_stream stream(seed);
  std::vector<part_id> owner;
  for (std::uint64_t v = 0; v < nodes; ++v)
    owner.push_back(static_cast<part_id>(stream.below(parts)));
  return owner;
}

/// Partition `data` by drawn owners. @return the result; the config lies at <folder>/g.json
inline partition_result small_partition(const dataset<>& data, const std::string& folder,
                                        part_id parts, std::uint64_t seed,
                                        partition_options options = {}) {
  const auto owner = drawn_owners(data.num_nodes(), parts, seed);
  options.graph_name = "g";
  return partition_graph(data, given{.parts = parts, .owners = owner}, dgl_folder{.path = folder},
                         options);
}

inline partition_config config_of(const std::string& folder) {
  return read_config(folder + "/g.json", read_files{}, nlohmann_codec{});
}

}  // namespace halograph::testing
