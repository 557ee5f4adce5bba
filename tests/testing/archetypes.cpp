// SPDX-License-Identifier: BSL-1.0
#include <halograph/testing/archetypes.hpp>

#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;
namespace near_miss = halograph::near_miss;

// Each archetype models its concept, and no other that it need not.
static_assert(hg::edge_list<archetype::edge_list<>> && !hg::in_adjacency<archetype::edge_list<>> && !hg::out_adjacency<archetype::edge_list<>>);
static_assert(hg::in_adjacency<archetype::in_adjacency<>> && !hg::edge_list<archetype::in_adjacency<>> && !hg::out_adjacency<archetype::in_adjacency<>>);
static_assert(hg::out_adjacency<archetype::out_adjacency<>> && !hg::edge_list<archetype::out_adjacency<>> && !hg::in_adjacency<archetype::out_adjacency<>>);
static_assert(hg::graph<archetype::graph> && hg::graph<archetype::in_adjacency<>> && hg::graph<archetype::out_adjacency<>>);
static_assert(hg::executor<archetype::executor> && hg::byte_sink<archetype::byte_sink> && hg::byte_source<archetype::byte_source>);
static_assert(!hg::memory_source<archetype::byte_source> && hg::feature_store<archetype::feature_store>);
static_assert(hg::file_opener<archetype::file_opener> && !hg::file_opener<near_miss::file_opener_of_span>);
static_assert(hg::json_codec<archetype::json_codec> && hg::partitioner<archetype::partitioner, archetype::graph>);
static_assert(!std::is_default_constructible_v<archetype::graph> && !std::is_copy_constructible_v<archetype::graph> &&
              std::is_move_constructible_v<archetype::graph>);

// Each clause refuses the type that lacks it alone.
static_assert(!hg::graph<near_miss::graph_without_nodes> && !hg::graph<near_miss::graph_without_edges>);
static_assert(!hg::graph<near_miss::graph_of_characters> && !hg::graph<near_miss::graph_not_const>);
static_assert(!hg::executor<near_miss::executor_without_grain> && !hg::executor<near_miss::executor_without_concurrency>);
static_assert(!hg::byte_sink<near_miss::byte_sink_of_bool>);
static_assert(!hg::byte_source<near_miss::byte_source_without_size> && !hg::byte_source<near_miss::byte_source_not_const>);
static_assert(!hg::feature_store<near_miss::feature_store_without_shape> && !hg::feature_store<near_miss::feature_store_without_gather>);
static_assert(!hg::json_codec<near_miss::json_codec_by_value>);
static_assert(!hg::partitioner<near_miss::partitioner_without_part, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_of_signed_parts, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_not_const, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_of_void, archetype::graph>);

namespace {

TEST(archetype_graph, shows_the_same_edges_whichever_way_it_is_asked) {
  const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {2, 1}, {1, 0}, {1, 1}};
  std::size_t list = 0, in = 0, out = 0;
  hg::visit_edges(archetype::edge_list<>(3, edges), [&](auto, auto, auto) { ++list; });
  hg::visit_edges(archetype::in_adjacency<>(3, edges), [&](auto u, auto v, auto e) {
    EXPECT_EQ(edges[e].source, u);
    EXPECT_EQ(edges[e].target, v);
    ++in;
  });
  hg::visit_edges(archetype::out_adjacency<>(3, edges), [&](auto u, auto v, auto e) {
    EXPECT_EQ(edges[e].source, u);
    EXPECT_EQ(edges[e].target, v);
    ++out;
  });
  EXPECT_EQ(list, 4u);
  EXPECT_EQ(in, 4u);
  EXPECT_EQ(out, 4u);
}

}  // namespace
