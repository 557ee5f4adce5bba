// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/concepts.hpp>
#include <halograph/book/split.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/embedded/fixed.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;
namespace near_miss = halograph::near_miss;

// Each archetype models its concept and no neighboring one.
static_assert(hg::id<std::int8_t> && hg::id<std::uint64_t> && hg::unsigned_id<std::uint8_t> &&
              hg::unsigned_id<std::uint64_t>);
static_assert(hg::id_row<archetype::id_row<>> && hg::selection<archetype::id_row<>> &&
              !hg::id_output<archetype::id_row<>>);
static_assert(hg::id_output<archetype::id_output<>> && !hg::id_row<archetype::id_output<>>);
static_assert(hg::edge_list<archetype::edge_list<>> && !hg::in_adjacency<archetype::edge_list<>> &&
              !hg::out_adjacency<archetype::edge_list<>>);
static_assert(hg::sliced_edge_list<archetype::sliced_edge_list<>> &&
              !hg::sliced_edge_list<near_miss::sliced_edge_list_without_slices>);
static_assert(hg::in_adjacency<archetype::in_adjacency<>> &&
              !hg::edge_list<archetype::in_adjacency<>> &&
              !hg::out_adjacency<archetype::in_adjacency<>>);
static_assert(hg::out_adjacency<archetype::out_adjacency<>> &&
              !hg::edge_list<archetype::out_adjacency<>> &&
              !hg::in_adjacency<archetype::out_adjacency<>>);
static_assert(hg::edge_list<archetype::in_neighbors<>> &&
              !hg::in_adjacency<archetype::in_neighbors<>> &&
              !hg::out_adjacency<archetype::in_neighbors<>>);
static_assert(hg::edge_list<archetype::out_neighbors<>> &&
              !hg::in_adjacency<archetype::out_neighbors<>> &&
              !hg::out_adjacency<archetype::out_neighbors<>>);
static_assert(!hg::graph<near_miss::neighbors_not_const> &&
              !hg::edge_list<near_miss::neighbors_beside_edge_ids> &&
              hg::in_adjacency<near_miss::neighbors_beside_edge_ids>);
static_assert(hg::graph<archetype::graph> && hg::graph<archetype::in_adjacency<>> &&
              hg::graph<archetype::out_adjacency<>>);
static_assert(hg::typed_graph<archetype::typed_graph> && !hg::typed_graph<archetype::graph>);
static_assert(hg::generators::generator<archetype::generator> &&
              hg::validates<archetype::generator>);
static_assert(hg::halo_output<archetype::halo_output, std::int8_t, unsigned, std::uint16_t>);
static_assert(hg::executor<archetype::executor> && hg::communicator<archetype::communicator>);
static_assert(hg::byte_sink<archetype::byte_sink> && !hg::byte_source<archetype::byte_sink>);
static_assert(hg::byte_source<archetype::byte_source> &&
              !hg::memory_source<archetype::byte_source> && !hg::byte_sink<archetype::byte_source>);
static_assert(hg::memory_source<archetype::memory_source>);
static_assert(hg::file_opener<archetype::file_opener> && hg::json_codec<archetype::json_codec> &&
              hg::feature_store<archetype::feature_store>);
static_assert(hg::table_reader<archetype::tables> && hg::table_writer<archetype::tables>);
static_assert(hg::serializer<archetype::serializer> &&
              hg::partition_target<archetype::partition_target>);
static_assert(hg::partitioner<archetype::partitioner, archetype::graph> &&
              !hg::streaming_partitioner<archetype::partitioner>);
static_assert(!hg::names_parts<archetype::partitioner> && !hg::takes_seed<archetype::partitioner> &&
              !hg::takes_edge_weights<archetype::partitioner> &&
              !hg::takes_constraints<archetype::partitioner> &&
              !hg::explains_status<archetype::partitioner> &&
              !hg::assigns_in_memory<archetype::partitioner, archetype::graph>);
static_assert(hg::partitioner<archetype::able_partitioner, archetype::graph> &&
              hg::names_parts<archetype::able_partitioner> &&
              hg::takes_seed<archetype::able_partitioner> &&
              hg::takes_edge_weights<archetype::able_partitioner> &&
              hg::takes_constraints<archetype::able_partitioner> &&
              hg::takes_tolerance<archetype::able_partitioner> &&
              hg::balances_types<archetype::able_partitioner> &&
              hg::chooses_order<archetype::able_partitioner> &&
              hg::named_policy<archetype::able_partitioner> &&
              hg::explains_status<archetype::able_partitioner>);
static_assert(hg::assigns_in_memory<archetype::partitioner_in_memory, archetype::graph> &&
              hg::assigns_in_context<archetype::partitioner_in_memory, archetype::graph,
                                     hg::assign_context<hg::sequential, std::span<std::uint64_t>>>);
static_assert(hg::streaming_partitioner<archetype::streaming_partitioner> &&
              !hg::partitioner<archetype::streaming_partitioner, archetype::graph>);
static_assert(hg::distributed_partitioner<archetype::distributed_partitioner, hg::single_rank> &&
              !hg::partitioner<archetype::distributed_partitioner, archetype::graph>);
static_assert(hg::refiner<archetype::refiner, archetype::graph> &&
              !hg::partitioner<archetype::refiner, archetype::graph>);
static_assert(hg::node_order<archetype::node_order, archetype::graph> &&
              hg::error_hook<archetype::error_hook>);
static_assert(hg::ownership<archetype::ownership> &&
              hg::partition_book_like<archetype::partition_book>);
static_assert(!std::is_default_constructible_v<archetype::graph> &&
              !std::is_copy_constructible_v<archetype::graph> &&
              std::is_move_constructible_v<archetype::graph>);

// Each clause rejects the type that lacks only that clause.
static_assert(!hg::id<near_miss::id_that_is_bool> && !hg::id<near_miss::id_that_is_a_character> &&
              !hg::id<near_miss::id_that_is_no_integer>);
static_assert(!hg::unsigned_id<near_miss::unsigned_id_that_is_signed>);
static_assert(!hg::id_row<near_miss::id_row_in_pieces<int>> &&
              !hg::id_row<near_miss::id_row_of_characters>);
static_assert(!hg::id_output<near_miss::id_row_in_pieces<int>> &&
              !hg::id_output<near_miss::id_row_of_characters> &&
              !hg::id_output<near_miss::id_output_of_const>);
static_assert(!hg::selection<near_miss::selection_of_numbers> &&
              !hg::selection<near_miss::id_row_in_pieces<int>>);
static_assert(!hg::graph<near_miss::graph_without_nodes> &&
              !hg::graph<near_miss::graph_without_edges>);
static_assert(!hg::graph<near_miss::graph_of_characters> && !hg::graph<near_miss::graph_not_const>);
static_assert(!hg::edge_list<near_miss::graph_without_nodes> &&
              !hg::edge_list<near_miss::edge_list_by_target>);
static_assert(!hg::in_adjacency<near_miss::graph_without_nodes> &&
              !hg::in_adjacency<near_miss::in_adjacency_by_source>);
static_assert(!hg::out_adjacency<near_miss::graph_without_nodes> &&
              !hg::out_adjacency<near_miss::out_adjacency_as_list>);
static_assert(!hg::typed_graph<near_miss::typed_graph_without_node_types> &&
              !hg::typed_graph<near_miss::typed_graph_without_edge_types> &&
              !hg::typed_graph<near_miss::typed_graph_without_graph>);
static_assert(!hg::generators::generator<near_miss::generator_of_int_counts> &&
              !hg::generators::generator<near_miss::generator_of_pairs> &&
              !hg::generators::generator<near_miss::generator_without_validate>);
static_assert(!hg::validates<near_miss::generator_without_validate>);
static_assert(!hg::halo_output<near_miss::halo_output_without_nodes, int, unsigned, int> &&
              !hg::halo_output<near_miss::halo_output_of_plain_edges, int, unsigned, int> &&
              !hg::halo_output<near_miss::halo_output_without_hops, int, unsigned, int>);
static_assert(!hg::communicator<near_miss::communicator_without_size> &&
              !hg::communicator<near_miss::communicator_without_barrier> &&
              !hg::communicator<near_miss::communicator_without_root> &&
              !hg::communicator<near_miss::communicator_of_one_length> &&
              !hg::communicator<near_miss::communicator_of_int_counts> &&
              !hg::communicator<near_miss::communicator_not_const>);
static_assert(!hg::executor<near_miss::executor_without_grain> &&
              !hg::executor<near_miss::executor_without_concurrency>);
static_assert(!hg::byte_sink<near_miss::byte_sink_of_bool>);
static_assert(!hg::byte_source<near_miss::byte_source_without_size> &&
              !hg::byte_source<near_miss::byte_source_not_const>);
static_assert(!hg::memory_source<near_miss::memory_source_without_bytes> &&
              !hg::memory_source<near_miss::memory_source_without_read>);
static_assert(!hg::feature_store<near_miss::feature_store_without_shape> &&
              !hg::feature_store<near_miss::feature_store_without_gather>);
static_assert(!hg::file_opener<near_miss::file_opener_of_span> &&
              !hg::json_codec<near_miss::json_codec_by_value>);
static_assert(!hg::table_reader<near_miss::table_reader_without_examine> &&
              !hg::table_reader<near_miss::table_reader_without_read>);
static_assert(!hg::table_writer<near_miss::table_writer_without_shape>);
static_assert(!hg::serializer<near_miss::serializer_without_name> &&
              !hg::serializer<near_miss::serializer_without_layout> &&
              !hg::serializer<near_miss::serializer_without_structure> &&
              !hg::serializer<near_miss::serializer_without_features>);
static_assert(!hg::partition_target<near_miss::partition_target_of_words> &&
              !hg::partition_target<near_miss::partition_target_without_commit>);
static_assert(!hg::partitioner<near_miss::partitioner_without_part, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_of_signed_parts, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_not_const, archetype::graph>);
static_assert(!hg::partitioner<near_miss::partitioner_of_void, archetype::graph>);
static_assert(!hg::names_parts<near_miss::names_parts_by_function> &&
              !hg::takes_seed<near_miss::takes_seed_never> &&
              !hg::takes_edge_weights<near_miss::takes_edge_weights_to_write> &&
              !hg::takes_constraints<near_miss::takes_constraints_to_write> &&
              !hg::takes_tolerance<near_miss::takes_tolerance_of_each> &&
              !hg::balances_types<near_miss::balances_types_always> &&
              !hg::chooses_order<near_miss::chooses_order_by_number> &&
              !hg::named_policy<near_miss::named_policy_each> &&
              !hg::explains_status<near_miss::explains_status_at_large>);
static_assert(
    !hg::assigns_in_memory<near_miss::assigns_in_memory_without_size, archetype::graph> &&
    !hg::assigns_in_memory<near_miss::assigns_in_memory_without_context, archetype::graph> &&
    !hg::assigns_in_context<near_miss::assigns_in_memory_without_context, archetype::graph>);
static_assert(!hg::streaming_partitioner<near_miss::streaming_of_signed_parts> &&
              !hg::streaming_partitioner<near_miss::streaming_without_stream> &&
              !hg::streaming_partitioner<near_miss::streaming_of_awkward_streams> &&
              !hg::streaming_partitioner<near_miss::streaming_without_words> &&
              !hg::streaming_partitioner<near_miss::streaming_without_memory> &&
              !hg::streaming_partitioner<near_miss::streaming_without_neighbors>);
static_assert(
    !hg::distributed_partitioner<near_miss::distributed_of_signed_parts, hg::single_rank> &&
    !hg::distributed_partitioner<near_miss::distributed_without_ranks, hg::single_rank>);
static_assert(!hg::refiner<near_miss::refiner_of_signed_parts, archetype::graph> &&
              !hg::refiner<near_miss::refiner_not_const, archetype::graph>);
static_assert(!hg::node_order<near_miss::node_order_without_sizes, archetype::graph> &&
              !hg::node_order<near_miss::node_order_without_graph, archetype::graph>);
static_assert(!hg::error_hook<near_miss::error_hook_without_step> &&
              !hg::error_hook<near_miss::error_hook_with_log>);
static_assert(!hg::ownership<near_miss::ownership_without_ids> &&
              !hg::ownership<near_miss::ownership_without_counts> &&
              !hg::ownership<near_miss::ownership_without_typed_part> &&
              !hg::ownership<near_miss::ownership_without_local_ids>);
static_assert(!hg::partition_book_like<near_miss::partition_book_without_nodes> &&
              !hg::partition_book_like<near_miss::partition_book_without_edges>);

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
