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

dist_graph dist_case::open(communicator_ref ranks, dist_options how) const {
  how.exchange_bytes = 100;
  return open_dist_graph(ranks, "g.json", folder_access(folder, dist_codec{}, dist_formats{}), how);
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

void expect_features(const dist_case& made, const dist_graph& g) {
  const auto& all = made.model;
  for (const bool of_nodes : {true, false}) {
    for (const auto& one : of_nodes ? made.data.features.nodes : made.data.features.edges) {
      const auto& ids_of_type = of_nodes ? made.node_of[one.type] : made.edge_of[one.type];
      const auto space = of_nodes ? g.nodes(one.type) : g.edges(one.type);
      const auto rows = space.data(one.name);
      EXPECT_EQ(rows.rows(), ids_of_type.size());
      EXPECT_EQ(space.size(), ids_of_type.size());
      const auto ids = draw_ids(ids_of_type.size(), g.ranks().rank(), one.type + one.name.size());
      const tensor got = rows[ids];
      ASSERT_EQ(got.rows(), ids.size());
      EXPECT_TRUE(std::equal(got.row_shape().begin(), got.row_shape().end(),
                             one.rows.row_shape().begin(), one.rows.row_shape().end()));
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto global = ids_of_type[static_cast<std::size_t>(ids[i])];
        const auto original = of_nodes ? all.old_node[global] - all.node_base[one.type]
                                       : all.old_edge[global] - all.edge_base[one.type];
        const auto row = made.row(one.rows, original);
        const auto bytes = got.bytes().subspan(i * row.size(), row.size());
        ASSERT_TRUE(std::equal(row.begin(), row.end(), bytes.begin())) << one.name << " " << ids[i];
        if (rows.is_local(ids[i])) {
          const auto there = rows.local_row(ids[i]);
          EXPECT_TRUE(std::equal(row.begin(), row.end(), there.begin(), there.end()));
        }
      }
    }
  }
}

void expect_structure(const dist_case& made, const dist_graph& g) {
  const auto& all = made.model;
  const std::size_t nodes = all.old_node.size(), edges = all.old_edge.size(),
                    rank = g.ranks().rank();
  EXPECT_EQ(g.num_nodes(), nodes);
  EXPECT_EQ(g.num_edges(), edges);
  for (const auto& part : g.parts()) expect_part(made, part);
  for (std::size_t p = 0; p < g.num_parts(); ++p)
    EXPECT_EQ(g.part(static_cast<part_id>(p)) != nullptr,
              g.rank_of_part(static_cast<part_id>(p)) == rank);

  const auto ids = draw_ids(edges, rank, 1);
  const auto [sources, targets] = g.find_edges(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto e = all.old_edge[static_cast<std::size_t>(ids[i])];
    EXPECT_EQ(sources[i], static_cast<global_id>(all.new_node[all.source[e]]));
    EXPECT_EQ(targets[i], static_cast<global_id>(all.new_node[all.target[e]]));
  }
  std::vector<std::uint64_t> in(nodes), out(nodes);
  for (const auto e : all.old_edge) {
    ++in[all.new_node[all.target[e]]];
    ++out[all.new_node[all.source[e]]];
  }
  const auto some = draw_ids(nodes, rank, 2);
  const auto in_found = g.in_degrees(some), out_found = g.out_degrees(some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(in_found[i], in[static_cast<std::size_t>(some[i])]);
    EXPECT_EQ(out_found[i], out[static_cast<std::size_t>(some[i])]);
  }
  for (std::size_t r = 0; r < made.edge_of.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const auto from = g.schema().source_type(type), to = g.schema().target_type(type);
    const auto typed = draw_ids(made.edge_of[r].size(), rank, 3 + r);
    const auto ends = g.find_edges(typed, type);
    for (std::size_t i = 0; i < typed.size(); ++i) {
      const auto e = all.old_edge[made.edge_of[r][static_cast<std::size_t>(typed[i])]];
      EXPECT_EQ(made.node_of[from][static_cast<std::size_t>(ends.first[i])],
                all.new_node[all.source[e]]);
      EXPECT_EQ(made.node_of[to][static_cast<std::size_t>(ends.second[i])],
                all.new_node[all.target[e]]);
    }
    std::vector<std::uint64_t> in_r(nodes), out_r(nodes);
    for (const auto global : made.edge_of[r]) {
      ++in_r[all.new_node[all.target[all.old_edge[global]]]];
      ++out_r[all.new_node[all.source[all.old_edge[global]]]];
    }
    const auto heads = draw_ids(made.node_of[to].size(), rank, 4 + r),
               tails = draw_ids(made.node_of[from].size(), rank, 5 + r);
    const auto in_typed = g.in_degrees(heads, type), out_typed = g.out_degrees(tails, type);
    for (std::size_t i = 0; i < heads.size(); ++i)
      EXPECT_EQ(in_typed[i], in_r[made.node_of[to][static_cast<std::size_t>(heads[i])]]);
    for (std::size_t i = 0; i < tails.size(); ++i)
      EXPECT_EQ(out_typed[i], out_r[made.node_of[from][static_cast<std::size_t>(tails[i])]]);
  }
}

}  // namespace halograph::testing
