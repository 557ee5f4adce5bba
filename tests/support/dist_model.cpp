// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <support/dist_model.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace halograph::testing {

status dist_codec::parse(std::string_view text, json::value& out) const {
  return nlohmann_codec{}.parse(text, out);
}

dist_case::dist_case(bool typed, std::uint64_t seed, std::size_t parts, unsigned hops, bool native,
                     bool closing)
    : data(small_graph(typed, seed)) {
  std::uint64_t nodes = 0;
  for (const auto count : data.node_counts) nodes += count;
  owner = draw_owners(nodes, parts, seed);
  model = model_partition(data, owner, parts, hops);
  options.graph_name = "g";
  options.hops = hops;
  options.closing_out_edges = closing;
  options.drop_cut_edges = hops == 0;
  options.save_mapping = true;
  const given policy{.parts = parts, .owners = owner};
  if (native) {
    options.formats = sparse_formats::none().with(
        sparse_format::csc);  // views, and edges as pairs made of them
    partition_graph(data, policy, memory_target<native_serializer>{folder, {}}, options);
  } else {
    partition_graph(data, policy, memory_target<dgl_serializer>{folder, {}}, options);
  }
  const auto list = [](const auto& map) {
    std::vector<std::vector<std::size_t>> out(map.size());
    for (std::size_t t = 0; t < map.size(); ++t) {
      for (const auto& [begin, end] : map[t]) {
        for (std::size_t v = begin; v < end; ++v) out[t].push_back(v);
      }
    }
    return out;
  };
  node_of = list(model.node_map);
  edge_of = list(model.edge_map);
}

memory_folder dist_case::not_relabeled() const {
  memory_target<dgl_serializer> to;
  partition_graph(data, given{.parts = model.parts.size(), .owners = owner}, to,
                  {.graph_name = "g", .reshuffle = false});
  return to.folder;
}

std::vector<std::byte> dist_case::row(const chunked_tensor& rows, std::size_t original) const {
  std::vector<std::byte> out(rows.row_bytes());
  const std::array<std::uint64_t, 1> id{original};
  EXPECT_TRUE(rows.gather(std::span<const std::uint64_t>(id), out));
  return out;
}

std::vector<std::int32_t> draw_ids(std::size_t n, std::size_t rank, std::uint64_t seed) {
  std::vector<std::int32_t> out;
  auto stream = random_stream::at(seed, rank);
  if (n == 0 || (rank == 0 && seed % 2 == 0)) return out;
  for (std::size_t i = 0; i < 20 + 7 * rank; ++i)
    out.push_back(static_cast<std::int32_t>(stream.below(n)));
  return out;
}

void expect_part(const dist_case& made, const part_graph& part) {
  const auto& all = made.model;
  const auto& wanted = all.parts[part.part()];
  ASSERT_EQ(part.num_nodes(), wanted.nodes.size());
  ASSERT_EQ(part.num_inner_nodes(), wanted.inner_nodes);
  ASSERT_EQ(part.num_edges(), wanted.edges.size());
  ASSERT_EQ(part.num_inner_edges(), wanted.inner_edges);
  std::set<std::size_t> here;
  for (std::size_t v = 0; v < wanted.nodes.size(); ++v) {
    const auto original = wanted.nodes[v];
    here.insert(all.new_node[original]);
    EXPECT_EQ(part.global_of(v), static_cast<global_id>(all.new_node[original]));
    EXPECT_EQ(part.owner_of(v), made.owner[original]);
    EXPECT_EQ(part.node_type(v), all.node_type[original]);
    EXPECT_EQ(part.local_of(part.global_of(v)), v);
    EXPECT_EQ(part.is_inner(v), made.owner[original] == part.part());
  }
  for (std::size_t v = 0; v < all.new_node.size(); ++v)
    EXPECT_EQ(part.local_of(static_cast<global_id>(v)).has_value(), here.count(v) == 1) << v;
  EXPECT_FALSE(part.local_of(-1));

  std::vector<std::set<std::pair<std::size_t, std::size_t>>> in(wanted.nodes.size()),
      out(wanted.nodes.size());
  for (std::size_t e = 0; e < wanted.edges.size(); ++e) {
    const auto id = all.new_edge.at(wanted.edges[e]);
    const auto [u, v] = wanted.ends[e];
    EXPECT_EQ(part.global_edge_of(e), static_cast<global_id>(id));
    EXPECT_EQ(part.edge_type(e), all.edge_type[wanted.edges[e]]);
    EXPECT_EQ(part.local_inner_edge_of(static_cast<global_id>(id)).has_value(),
              e < wanted.inner_edges);
    EXPECT_EQ(part.source_of(e), static_cast<std::size_t>(u));
    EXPECT_EQ(part.target_of(e), static_cast<std::size_t>(v));
    in[static_cast<std::size_t>(v)].emplace(u, e);
    out[static_cast<std::size_t>(u)].emplace(v, e);
  }
  // Nearer than the last hop along in-edges: every in-edge is here.
  std::set<std::size_t> complete(
      wanted.nodes.begin(), wanted.nodes.begin() + static_cast<std::ptrdiff_t>(wanted.inner_nodes));
  for (unsigned hop = 1; hop < made.options.hops; ++hop) {
    const auto before = complete;
    for (std::size_t e = 0; e < all.source.size(); ++e) {
      if (before.count(all.target[e]) == 1) complete.insert(all.source[e]);
    }
  }
  for (std::size_t v = 0; v < wanted.nodes.size(); ++v) {
    std::set<std::pair<std::size_t, std::size_t>> seen_in, seen_out;
    part.for_each_in_edge(v, [&](std::size_t u, std::size_t e) { seen_in.emplace(u, e); });
    part.for_each_out_edge(v, [&](std::size_t u, std::size_t e) { seen_out.emplace(u, e); });
    EXPECT_EQ(seen_in, in[v]);
    EXPECT_EQ(seen_out, out[v]);
    EXPECT_EQ(part.in_degree(v), in[v].size());
    EXPECT_EQ(part.out_degree(v), out[v].size());
    EXPECT_EQ(part.has_all_in_edges(v), complete.count(wanted.nodes[v]) == 1) << v;
  }
}

}  // namespace halograph::testing
