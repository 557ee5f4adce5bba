// SPDX-License-Identifier: BSL-1.0
// What DGL's own suites assert of partition_graph and load_partition, on graphs of their sizes.
#include "support/dgl_rows.hpp"
#include "support/partition_model.hpp"

#include <halograph/adapters/metis.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

const char* const stored[] = {"coo", "csc", "coo,csc", "coo,csc,csr"};

class partition_graph_like_dgl
    : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {
 protected:
  std::size_t parts() const { return std::get<0>(GetParam()); }
  hg::partition_options options(unsigned hops) const {
    hg::partition_options out;
    out.hops = hops;
    out.formats = *hg::sparse_formats::parse(std::get<1>(GetParam()));
    return out;
  }
};

TEST_P(partition_graph_like_dgl, of_one_type_is_what_dgl_expects) {
  const auto data = ht::graph_g1();
  ht::expect_what_dgl_expects(data, hg::random_parts{.parts = parts(), .seed = 5}, options(2));
}

TEST_P(partition_graph_like_dgl, of_several_types_is_what_dgl_expects) {
  const auto data = ht::graph_h1();
  ht::expect_what_dgl_expects(data, hg::random_parts{.parts = parts(), .seed = 6}, options(1));
}

INSTANTIATE_TEST_SUITE_P(Grid, partition_graph_like_dgl,
                         testing::Combine(testing::Values(1u, 4u), testing::ValuesIn(stored)),
                         [](const auto& one) {
                           std::string name = std::to_string(std::get<0>(one.param)) + "_" +
                                              std::get<1>(one.param);
                           for (auto& c : name) c = c == ',' ? '_' : c;
                           return name;
                         });

TEST(partition_graph_like_dgl, by_ranges_or_given_owners_is_what_dgl_expects) {
  const auto one = ht::graph_g1(3), several = ht::graph_h1(ht::few::nothing, 4);
  hg::partition_options options;
  ht::expect_what_dgl_expects(one, hg::range_parts{.parts = 3}, options);
  ht::expect_what_dgl_expects(several, hg::range_parts{.parts = 3}, options);
  const auto owners = ht::draw_owners(several.num_nodes(), 5, 8);
  ht::expect_what_dgl_expects(several, hg::given{.parts = 5, .owners = owners}, options);
}

TEST(partition_graph_like_dgl, of_few_edges_leaves_parts_without_some) {
  const auto data = ht::graph_h1(ht::few::edges);
  const auto result = ht::expect_what_dgl_expects(data, hg::random_parts{.parts = 4, .seed = 9},
                                                  {});
  for (const std::size_t r : {4u, 5u}) {
    std::size_t empty = 0;
    for (const auto& range : result.config.edge_map[r]) empty += range.size() == 0 ? 1u : 0u;
    EXPECT_GE(empty, 2u);
  }
}

TEST(partition_graph_like_dgl, of_few_nodes_leaves_parts_without_some) {
  const auto data = ht::graph_h1(ht::few::nodes);
  const auto result = ht::expect_what_dgl_expects(data, hg::random_parts{.parts = 4, .seed = 10},
                                                  {});
  std::uint64_t at = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t t = 0; t < 6; ++t) {
      const auto range = result.config.node_map[t][p];
      EXPECT_EQ(range.begin, at) << "an empty range lies where the range before it ends";
      at = range.end;
    }
  }
  for (const std::size_t t : {3u, 4u, 5u}) {
    std::size_t empty = 0;
    for (const auto& range : result.config.node_map[t]) empty += range.size() == 0 ? 1u : 0u;
    EXPECT_GE(empty, 2u);
  }
}

TEST(partition_graph_like_dgl, with_trainers_names_them_for_nodes_and_edges) {
  for (const std::size_t parts : {1u, 2u}) {
    hg::partition_options options;
    options.trainers_per_machine = 3;
    const auto data = ht::graph_h1(ht::few::nothing, 11, 60);
    const auto result = ht::expect_what_dgl_expects(
        data, hg::random_parts{.parts = 3 * parts, .seed = 12}, options);
    EXPECT_EQ(result.config.num_parts, parts);
  }
}

TEST(partition_graph_like_dgl, keeps_the_out_neighborhood_of_owned_nodes_whole) {
  const auto data = ht::graph_g1(13);
  const auto owners = ht::draw_owners(data.num_nodes(), 4, 14);
  ht::memory_target<hg::dgl_serializer> to;
  const auto result = hg::partition_graph(data, hg::given{.parts = 4, .owners = owners}, to,
                                          {.graph_name = "g", .hops = 2, .return_mapping = true});
  std::vector<std::size_t> degrees(static_cast<std::size_t>(data.num_nodes()));
  for (const auto u : data.edges[0].source) ++degrees[static_cast<std::size_t>(u)];
  std::set<std::uint64_t> seen;
  for (std::size_t p = 0; p < 4; ++p) {
    const auto part = hg::load_partition(
        "g.json", p,
        hg::folder_access(to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{}));
    const auto ids = ht::column_values(part.graph.node_columns, "_ID"),
               inner = ht::column_values(part.graph.node_columns, "inner_node");
    std::vector<std::size_t> found(ids.size());
    for (const auto& [u, v] : ht::ends_of(part.graph)) ++found[static_cast<std::size_t>(u)];
    for (std::size_t v = 0; v < ids.size() && inner[v] == 1; ++v) {
      const auto original = result.node_mapping[0][static_cast<std::size_t>(ids[v])];
      EXPECT_EQ(owners[original], p);
      EXPECT_EQ(found[v], degrees[original]);
      EXPECT_TRUE(seen.insert(original).second);
    }
  }
  EXPECT_EQ(seen.size(), data.num_nodes());
}

TEST(partition_graph_like_dgl, owns_every_edge_exactly_once) {
  for (const unsigned hops : {1u, 2u, 3u}) {
    const auto data = ht::graph_g1(15, 300);
    ht::memory_target<hg::dgl_serializer> to;
    hg::partition_graph(data, hg::random_parts{.parts = 4, .seed = hops}, to,
                        {.graph_name = "g", .hops = hops});
    std::set<std::int64_t> owned;
    for (std::size_t p = 0; p < 4; ++p) {
      const auto part = hg::load_partition(
          "g.json", p,
          hg::folder_access(to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{}));
      const auto ids = ht::column_values(part.graph.edge_columns, "_ID"),
                 inner = ht::column_values(part.graph.edge_columns, "inner_edge");
      for (std::size_t e = 0; e < ids.size(); ++e) {
        if (inner[e] == 1) {
          EXPECT_TRUE(owned.insert(ids[e]).second);
        }
      }
    }
    EXPECT_EQ(owned.size(), data.num_edges());
  }
}

// ---- graphs and policies of a user's own
// -----------------------------------------------------------

/// Three rings of 10 nodes, by target, in three ways.
struct rings {
  std::size_t num_nodes() const { return 30; }
  static std::size_t before(std::size_t v) { return v / 10 * 10 + (v + 9) % 10; }
};
struct numbered_rings : rings {
  void for_each_in_edge(auto v, auto f) const { f(before(hg::index(v)), hg::index(v)); }
};
struct unnumbered_rings : rings {
  void for_each_in_neighbor(auto v, auto f) const { f(before(hg::index(v))); }
};
struct restarting_rings : rings {
  std::size_t first = 0;
  void for_each_in_edge(auto v, auto f) const { f(before(hg::index(v)), first); }
};

template <class Graph>
ht::memory_folder cut(const Graph& g) {
  ht::memory_target<hg::dgl_serializer> to;
  hg::feature_set features;
  std::vector<std::int64_t> number(30);
  for (std::size_t e = 0; e < number.size(); ++e) number[e] = static_cast<std::int64_t>(e);
  features.edges.push_back({0, "number", hg::tensor::from(std::move(number))});
  hg::partition_graph(g, hg::random_parts{.parts = 3, .seed = 2}, to,
                      {.graph_name = "g", .features = features});
  return to.folder;
}

TEST(partition_graph_of_adapters, numbers_edges_by_position_where_the_graph_has_no_edge_ids) {
  const auto by_id = cut(numbered_rings{}), by_position = cut(unnumbered_rings{});
  ASSERT_EQ(by_id.names(), by_position.names());
  for (const auto& name : by_id.names()) {
    EXPECT_EQ(by_id.text(name), by_position.text(name)) << name;
  }
}

TEST(partition_graph_of_adapters, refuses_edge_ids_that_are_not_a_permutation) {
  const auto refusal = [](std::size_t first) -> std::string {
    try {
      cut(restarting_rings{{}, first});
    } catch (const hg::error& problem) {
      return std::string(hg::name(problem.code())) + ": " + problem.what();
    }
    return "nothing was raised";
  };
  // In the order of the parts, in original IDs: any two edges of the rings.
  const std::string twice = refusal(0), beyond = refusal(30);
  EXPECT_EQ(twice.find("mismatch: edges "), 0u) << twice;
  EXPECT_NE(twice.find(" both have ID 0; edge IDs must be 0 to 29, each given to one edge"),
            std::string::npos)
      << twice;
  const auto ends_of = [](const std::string& text, std::size_t from) {
    const auto arrow = text.find(" -> ", from);
    const auto begin = text.rfind(' ', arrow - 1) + 1;
    return std::pair(std::stoul(text.substr(begin, arrow - begin)),
                     std::stoul(text.substr(arrow + 4)));
  };
  const auto [u, v] = ends_of(twice, 0);
  const auto [w, x] = ends_of(twice, twice.find(" and "));
  EXPECT_EQ(u, rings::before(v)) << twice;
  EXPECT_EQ(w, rings::before(x)) << twice;
  EXPECT_NE(v, x) << twice;
  EXPECT_EQ(beyond.find("out_of_range: edge "), 0u) << beyond;
  EXPECT_NE(beyond.find(" has ID 30; edge IDs must be 0 to 29"), std::string::npos) << beyond;
}

struct nameless {
  using part = std::uint8_t;
  std::uint64_t parts = 2;
  template <class Graph>
  hg::status assign(const Graph& g, std::span<part> owner) const {
    return hg::basic_hash_parts<part>{.parts = parts}.assign(g, owner);
  }
};

template <class Policy>
std::string method_of(const Policy& policy,
                      const hg::partition_options& options = {.graph_name = "g"}) {
  ht::memory_target<hg::dgl_serializer> to;
  hg::partition_graph(std::vector<std::vector<std::uint32_t>>{{1}, {2}, {3}, {0}}, policy, to,
                      options);
  return hg::read_config("g.json", to.folder, hg::nlohmann_codec{}).part_method;
}

TEST(partition_graph_of_adapters, names_the_method_as_the_policy_does) {
  const std::vector<hg::part_id> owners{0, 1, 1, 0};
  EXPECT_EQ(method_of(hg::random_parts{.parts = 2}), "random");
  EXPECT_EQ(method_of(hg::hash_parts{.parts = 2}), "hash");
  EXPECT_EQ(method_of(hg::range_parts{.parts = 2}), "range");
  EXPECT_EQ(method_of(hg::given{.parts = 2, .owners = owners}), "given");
  EXPECT_EQ(method_of(hg::ldg{.parts = 2}), "ldg");
  EXPECT_EQ(method_of(hg::fennel{.parts = 2}), "fennel");
  EXPECT_EQ(method_of(hg::rebalanced<hg::chained<hg::ldg, hg::label_propagation>>{.parts = 2}),
            "ldg+label_propagation+balance_repair");
  EXPECT_EQ(method_of(nameless{}), "custom");
  EXPECT_EQ(method_of(nameless{}, {.graph_name = "g", .part_method = "mine"}), "mine");
  static_assert(hg::name_of_policy<hg::metis>() == "metis");
}

}  // namespace
