// SPDX-License-Identifier: BSL-1.0
// Every algorithm over graphs, partitioners, refiners, orders and executors, run on the archetypes:
// it uses no more than its concepts grant, and gives the same results as for our own storage.
// tests/structure/algorithms.cpp checks that none is missing.
#include <halograph/embedded/fixed.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/neighbors.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/connected/connected_parts.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/pipeline/measure.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/small_graphs.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;

namespace {

using drawn = hg::small_graph<std::int8_t, std::uint16_t>;
using ends = std::vector<archetype::ends<std::int8_t>>;

ends ends_of(const drawn& g) {
  ends out;
  for (std::size_t e = 0; e < g.num_edges(); ++e) out.push_back({g.source()[e], g.target()[e]});
  return out;
}

// f(archetype, our own) for each small graph and each kind of graph.
template <class F>
void on_each_graph(F&& f) {
  for (const auto& g : hg::small_graphs<std::int8_t, std::uint16_t>()) {
    SCOPED_TRACE(g.name());
    const ends edges = ends_of(g);
    f(archetype::edge_list<>(g.num_nodes(), edges), g);
    f(archetype::in_adjacency<>(g.num_nodes(), edges), g);
    f(archetype::out_adjacency<>(g.num_nodes(), edges), g);
  }
}
template <class F>
void on_each_in_adjacency(F&& f) {
  for (const auto& g : hg::small_graphs<std::int8_t, std::uint16_t>()) {
    SCOPED_TRACE(g.name());
    const ends edges = ends_of(g);
    f(archetype::in_adjacency<>(g.num_nodes(), edges), g);
  }
}

std::vector<std::uint8_t> two_parts(const drawn& g) {
  std::vector<std::uint8_t> owner(g.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<std::uint8_t>(v % 2);
  return owner;
}

TEST(on_graphs, rows_pairs_and_neighbors) {
  on_each_graph([](const auto& model, const drawn& own) {
    std::size_t edges = 0;
    hg::visit_edges(model, [&](auto u, auto v, auto e) {
      EXPECT_EQ(own.source()[e], u);
      EXPECT_EQ(own.target()[e], v);
      ++edges;
    });
    EXPECT_EQ(edges, own.num_edges());
    const auto rows = hg::build_csc<std::int8_t, std::uint16_t>(model),
               ours = hg::build_csc<std::int8_t, std::uint16_t>(own);
    EXPECT_EQ(rows.sources, ours.sources);
    EXPECT_EQ(rows.edges, ours.edges);
    std::vector<std::uint16_t> offsets(own.num_nodes() + 1), ids(own.num_edges());
    std::vector<std::int8_t> sources(own.num_edges());
    EXPECT_EQ(hg::build_csc_into(model, std::span(offsets), std::span(sources), std::span(ids)),
              hg::status::ok);
    EXPECT_EQ(offsets, ours.offsets);

    const archetype::executor threads(0);
    EXPECT_EQ((hg::build_csc<std::int8_t, std::uint16_t>(model, threads).sources), ours.sources);
    std::vector<std::uint16_t> several_rows(3 * own.num_nodes());
    EXPECT_EQ(hg::build_csc_into(model, std::span(offsets), std::span(sources), std::span(ids),
                                 std::span(several_rows), threads),
              hg::status::ok);
    EXPECT_EQ(offsets, ours.offsets);
    EXPECT_EQ(hg::edge_slices(model, threads), 1u);
    const auto both_ways = hg::symmetrize(model),
               ours_both_ways = hg::symmetrize(own, hg::pairs_once{}, threads);
    EXPECT_EQ(both_ways.neighbors, ours_both_ways.neighbors);
    EXPECT_EQ(hg::most_undirected_entries(model), hg::most_undirected_entries(own, threads));
    EXPECT_GE(hg::most_undirected_entries(model, threads), both_ways.num_edges());
    hg::symmetric_graph<std::uint16_t, std::int32_t> counted;
    EXPECT_EQ(hg::symmetrize_into(model, hg::pairs_by_multiplicity{}, counted, threads),
              hg::status::ok);
    EXPECT_EQ(counted.num_edges(), both_ways.num_edges());
    const auto sizes = hg::symmetrize_size(own.num_nodes(), own.num_edges());
    std::vector<std::size_t> positions(sizes.positions);
    std::vector<std::uint8_t> lower(sizes.lower);
    std::size_t pairs = 0;
    EXPECT_EQ(hg::collect_pairs(model, hg::pairs_once{},
                                hg::pair_scratch<std::uint8_t, std::int64_t>{positions, lower, {}},
                                pairs),
              hg::status::ok);
    EXPECT_EQ(2 * pairs, both_ways.neighbors.size());
    std::vector<std::uint8_t> row_begin(own.num_nodes() + 1), neighbors_of(2 * pairs);
    EXPECT_EQ(hg::expand_pairs(own.num_nodes(),
                               hg::pair_scratch<std::uint8_t, std::int64_t>{positions, lower, {}},
                               std::span(row_begin), std::span(neighbors_of),
                               std::span<std::int64_t>(), threads),
              hg::status::ok);
    EXPECT_TRUE(std::equal(neighbors_of.begin(), neighbors_of.end(), both_ways.neighbors.begin(),
                           both_ways.neighbors.end()));

    using neighbors = hg::neighbor_rows<std::remove_cvref_t<decltype(model)>>;
    std::vector<std::uint64_t> memory(neighbors::words(own.num_nodes(), own.num_edges(), true));
    neighbors near;
    ASSERT_EQ(neighbors::build(model, hg::every_neighbor{}, memory, near), hg::status::ok);
    EXPECT_EQ(hg::lists_both_directions<decltype(model)>, false);
  });
}

TEST(on_graphs, assignments_and_their_quality) {
  on_each_graph([](const auto& model, const drawn& own) {
    const std::size_t nodes = own.num_nodes();
    EXPECT_EQ(hg::assign(model, archetype::partitioner(0)), std::vector<std::uint8_t>(nodes));
    archetype::able_partitioner able(0);
    able.parts = 2;
    EXPECT_EQ(hg::assign(model, able), std::vector<std::uint8_t>(nodes, 1));
    std::vector<std::uint8_t> owner(nodes, 9);
    EXPECT_EQ(hg::assign_into(model, archetype::partitioner(0), std::span(owner)), hg::status::ok);
    const archetype::partitioner_in_memory in_memory(0);
    EXPECT_EQ(hg::assign_scratch_size(model, in_memory), 1u);
    std::array<std::uint64_t, 1> word{};
    EXPECT_EQ(hg::assign_into(model, in_memory, std::span(owner), std::span<std::uint64_t>(word)),
              hg::status::ok);
    EXPECT_EQ(
        hg::assign(model, in_memory, hg::assign_context().on(archetype::executor(0)).in(word)),
        owner);
    EXPECT_EQ(owner, std::vector<std::uint8_t>(nodes));

    const archetype::streaming_partitioner stream(0);
    const hg::stream_shape shape = hg::shape_of(model);
    EXPECT_EQ(shape.edges, own.num_edges());
    std::vector<std::uint64_t> memory(
        hg::streaming_scratch_size<std::remove_cvref_t<decltype(model)>>(stream, shape));
    owner.assign(nodes, 9);
    EXPECT_EQ(hg::assign_by_streaming(stream, model, shape, std::span(owner), memory),
              hg::status::ok);
    EXPECT_EQ(owner, std::vector<std::uint8_t>(nodes));

    owner = two_parts(own);
    const std::span<const std::uint8_t> owners(owner);
    const auto quality = hg::measure_quality(model, owners, 2),
               ours = hg::measure_quality(own, owners, 2);
    EXPECT_EQ(quality.edge_cut, ours.edge_cut);
    EXPECT_EQ(quality.communication_volume, ours.communication_volume);
    std::uint64_t cut = 0, pairs = 0, volume = 0;
    EXPECT_EQ(hg::directed_cut_into(model, owners, cut), hg::status::ok);
    EXPECT_EQ(cut, ours.directed_cut);
    std::vector<std::size_t> positions(hg::symmetrize_size(nodes, 0).positions);
    std::vector<std::uint8_t> lower(static_cast<std::size_t>(cut));
    EXPECT_EQ(hg::edge_cut_into(model, owners, std::span(positions), std::span(lower), pairs),
              hg::status::ok);
    EXPECT_EQ(pairs, ours.edge_cut);
    std::vector<std::uint64_t> scratch(nodes);
    EXPECT_EQ(hg::communication_volume_into(model, owners, 2, std::span(scratch), volume),
              hg::status::ok);
    EXPECT_EQ(volume, ours.communication_volume);
    hg::quality_report report;
    hg::measure_into(report, model, owners, 2, {});
    EXPECT_EQ(report.edge_cut, ours.edge_cut);
    const auto balance = hg::balance_like_dgl(model, {}, true),
               our_balance = hg::balance_like_dgl(own, {}, true);
    ASSERT_EQ(balance.constraints().size(), 1u);
    for (std::size_t v = 0; v < nodes; ++v)
      EXPECT_EQ(balance.constraints()[0].load[v], our_balance.constraints()[0].load[v]);
  });
}

TEST(on_graphs, policies_and_what_is_chained) {
  on_each_graph([](const auto& model, const drawn& own) {
    const hg::basic_fennel<std::uint8_t> streaming{.parts = 2};
    EXPECT_EQ(hg::assign(model, streaming), hg::assign(own, streaming));
    const hg::basic_label_propagation<std::uint8_t> propagation{.parts = 2};
    auto refined = two_parts(own), ours = refined;
    EXPECT_EQ(propagation.refine(model, std::span(refined)), hg::status::ok);
    EXPECT_EQ(propagation.refine(own, std::span(ours)), hg::status::ok);
    EXPECT_EQ(refined, ours);
    const auto start = two_parts(own);
    std::vector<int> signed_parts(start.begin(), start.end());
    hg::refine(model, propagation, signed_parts);
    EXPECT_EQ(std::vector<std::uint8_t>(signed_parts.begin(), signed_parts.end()), ours);
    std::vector<int> moved(own.num_nodes(), 0);
    hg::refine(model, archetype::refiner(0), moved);
    EXPECT_EQ(moved, std::vector<int>(own.num_nodes(), 1));
    const hg::basic_connected_parts<std::uint8_t> connected{.parts = 2, .tolerance = 9};
    EXPECT_EQ(connected.refine(model, std::span(refined)), hg::status::ok);
    EXPECT_EQ(connected.refine(own, std::span(ours)), hg::status::ok);
    EXPECT_EQ(refined, ours);
    EXPECT_EQ(hg::count_components(model, std::span<const std::uint8_t>(refined), 2),
              hg::count_components(own, std::span<const std::uint8_t>(ours), 2));
    std::vector<std::uint8_t> scratch(hg::num_nodes(model));
    std::vector<hg::part_connection> counted(2);
    EXPECT_EQ(hg::count_components_into(model, std::span<const std::uint8_t>(refined),
                                        std::span(scratch), std::span(counted)),
              hg::status::ok);
    EXPECT_EQ(counted, hg::count_components(own, std::span<const std::uint8_t>(ours), 2));
    std::vector<std::uint32_t> old(hg::num_nodes(model), hg::new_nodes::no_part);
    for (std::size_t v = 0; v < old.size(); v += 2) old[v] = v % 4 == 0 ? 0 : 1;
    const hg::new_nodes grown{.parts = 2, .fixed = old};
    std::vector<std::uint32_t> placed(old.size()), here(old.size());
    EXPECT_EQ(grown.assign(model, std::span(placed)), hg::status::ok);
    EXPECT_EQ(grown.assign(own, std::span(here)), hg::status::ok);
    EXPECT_EQ(placed, here);
    // Everything to part 0, then everything to the other one.
    using pair = hg::chained<archetype::partitioner, archetype::refiner>;
    const pair both{
        .parts = 2, .first = archetype::partitioner(0), .second = archetype::refiner(0)};
    EXPECT_EQ(hg::assign(model, both), std::vector<std::uint8_t>(own.num_nodes(), 1));
  });
}

TEST(on_graphs, halo_expansion) {
  on_each_graph([](const auto& model, const drawn& own) {
    if (own.num_nodes() < 2) return;
    const auto owner = two_parts(own);
    EXPECT_EQ(hg::expand_halo(model, owner, 1, {.hops = 2}).nodes,
              hg::expand_halo(own, owner, 1, {.hops = 2}).nodes);
  });
  on_each_in_adjacency([](const auto& model, const drawn& own) {
    if (own.num_nodes() < 2) return;
    const auto owner = two_parts(own);
    const std::span<const std::uint8_t> owners(owner);
    hg::halo_expander expander(model, owners, 2);
    const auto halo = expander.expand(1, {.hops = 2}),
               ours = hg::expand_halo(own, owner, 1, {.hops = 2});
    EXPECT_EQ(halo.nodes, ours.nodes);
    EXPECT_EQ(halo.edges, ours.edges);

    const std::uint64_t cut = hg::count_cut_edges(model, owners);
    EXPECT_EQ(cut, hg::count_cut_edges(own, owners));
    std::vector<std::uint64_t> begin(hg::member_begin_count(2));
    std::vector<std::int8_t> members(own.num_nodes()), targets(static_cast<std::size_t>(cut));
    ASSERT_EQ(hg::group_members_into(owners, 2, std::span(begin), std::span(members)),
              hg::status::ok);
    std::vector<std::uint16_t> cursor(own.num_nodes()), offsets(own.num_nodes() + 1),
        cut_ids(static_cast<std::size_t>(cut));
    ASSERT_EQ(hg::group_cut_edges_into(model, owners, std::span<const std::int8_t>(members),
                                       std::span(cursor), std::span(offsets), std::span(targets),
                                       std::span(cut_ids)),
              hg::status::ok);
    const hg::halo_index_view<std::int8_t, std::uint16_t> plan{
        begin, members, {offsets, targets, cut_ids}};
    std::vector<std::uint8_t> local(own.num_nodes(), hg::absent<std::uint8_t>);
    std::vector<std::int8_t> room(own.num_nodes());
    std::vector<archetype::halo_output::edge_seen> seen(own.num_edges());
    archetype::halo_output out(room, seen);
    ASSERT_EQ(hg::expand_into(model, owners, plan, 1, {.hops = 2}, std::span(local), out),
              hg::status::ok);
    EXPECT_EQ(out.node_count(), ours.nodes.size() - ours.inner_nodes);
    ASSERT_EQ(out.edge_count(), ours.edges.size());
    for (std::size_t i = 0; i < out.edge_count(); ++i) {
      EXPECT_EQ(seen[i].edge, ours.edges[i]);
      EXPECT_EQ(seen[i].source, ours.sources[i]);
    }
  });
}

TEST(on_graphs, relabeling_and_plans) {
  const archetype::executor pool(0);
  const archetype::node_order backwards(0);
  on_each_graph([&](const auto& model, const drawn& own) {
    const auto owner = two_parts(own);
    const auto plan = hg::relabel(model, owner, 2, backwards),
               ours = hg::relabel(own, owner, 2, backwards);
    EXPECT_EQ(plan.old_node, ours.old_node);
    EXPECT_EQ(plan.new_edge, ours.new_edge);
    const std::vector<hg::part_id> owners(owner.begin(), owner.end());
    const auto parts = hg::make_partition_plan<std::int8_t, std::uint16_t>(model, owners, 2, {},
                                                                           pool, backwards);
    EXPECT_TRUE(std::ranges::equal(parts.old_node.values(), plan.old_node));
    // The same rows and lists by their steps.
    const std::size_t nodes = own.num_nodes(), edges = own.num_edges();
    const auto cut = hg::row_buckets::of(nodes, 2);
    std::vector<std::uint64_t> counts(cut.counts()), begin(3);
    std::vector<hg::row_entry_with_id<std::int8_t, std::uint16_t>> entries(edges);
    std::vector<std::uint16_t> offsets(nodes + 1), ids(edges);
    std::vector<std::int8_t> sources(edges);
    ASSERT_EQ(hg::relabel_rows_into(model, std::span<const std::int8_t>(plan.new_node), cut,
                                    std::span(counts), std::span(entries), std::span(offsets),
                                    std::span(sources), std::span(ids), pool),
              hg::status::ok);
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), parts.old_edge.values().begin()));
    const hg::csc_view<std::int8_t, std::uint16_t> rows(offsets, sources);
    counts.assign(hg::cut_counts_count(2, 3), 0);
    ASSERT_EQ(
        hg::count_cut_lists(rows, parts.part_begin, 3, std::span(counts), std::span(begin), pool),
        hg::status::ok);
    EXPECT_EQ(begin, parts.cut_begin);
    std::vector<hg::cut_edge<std::int8_t, std::uint16_t>> lists(
        static_cast<std::size_t>(begin.back()));
    ASSERT_EQ(
        hg::fill_cut_lists(rows, parts.part_begin, 3, std::span(counts), std::span(lists), pool),
        hg::status::ok);
    for (std::size_t i = 0; i < lists.size(); ++i)
      EXPECT_EQ(lists[i].position, parts.cut_list[i].position);
  });
  on_each_in_adjacency([&](const auto& model, const drawn& own) {
    const auto owner = two_parts(own);
    const std::span<const std::uint8_t> owners(owner);
    const std::size_t nodes = own.num_nodes(), edges = own.num_edges();
    const std::vector<std::uint64_t> type_begin{0, nodes}, edge_begin{0, edges};
    std::vector<std::uint64_t> bounds(3), edge_bounds(3);
    std::vector<std::int8_t> old_of_new(nodes), new_of_old(nodes);
    ASSERT_EQ(hg::relabel_nodes_into(model, owners, std::span<const std::uint64_t>(type_begin), 2,
                                     backwards, std::span(bounds), std::span(old_of_new),
                                     std::span(new_of_old), hg::order_scratch<std::int8_t>{}),
              hg::status::ok);
    std::vector<std::uint16_t> new_of_edge(edges);
    ASSERT_EQ(hg::relabel_edges_into(model, owners, std::span<const std::int8_t>(old_of_new),
                                     std::span<const std::uint64_t>(bounds),
                                     std::span<const std::uint64_t>(edge_begin), hg::same_edge_id{},
                                     false, std::span(edge_bounds), std::span(new_of_edge), pool),
              hg::status::ok);
    const auto ours = hg::relabel(own, owner, 2, backwards);
    EXPECT_EQ(new_of_old, ours.new_node);
    EXPECT_EQ(new_of_edge, ours.new_edge);
  });
}

TEST(on_graphs, orders_of_nodes) {
  on_each_in_adjacency([](const auto& model, const drawn& own) {
    const auto owner = two_parts(own);
    for (const bool breadth : {false, true}) {
      const auto plan = breadth ? hg::relabel(model, owner, 2, hg::breadth_first{})
                                : hg::relabel(model, owner, 2, hg::descending_degree{});
      const auto ours = breadth ? hg::relabel(own, owner, 2, hg::breadth_first{})
                                : hg::relabel(own, owner, 2, hg::descending_degree{});
      EXPECT_EQ(plan.old_node, ours.old_node);
    }
  });
}

TEST(on_graphs, typed_graphs_and_generators) {
  const ends edges{{0, 1}, {2, 3}, {1, 3}};
  const std::vector<std::uint64_t> nodes_begin{0, 2, 4}, edges_begin{0, 1, 3};
  const archetype::typed_graph model(4, edges, nodes_begin, edges_begin);
  const auto plan = hg::relabel(model, std::vector<std::uint8_t>{0, 1, 1, 0}, 2);
  EXPECT_EQ(plan.num_node_types(), 2u);
  EXPECT_EQ(plan.node_bounds, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(hg::shape_of(model).node_type_offsets.size(), 3u);

  const archetype::generator ring(5);
  std::vector<std::int8_t> from(5), to(5);
  ASSERT_EQ(hg::generators::fill(ring, 0, std::span(from), std::span(to)), hg::status::ok);
  EXPECT_EQ(to, (std::vector<std::int8_t>{1, 2, 3, 4, 0}));
  std::size_t seen = 0;
  hg::generators::for_each_edge(ring, [&](auto, auto, auto) { ++seen; });
  EXPECT_EQ(seen, 5u);
  const hg::generators::reversed<archetype::generator> back{archetype::generator(5)};
  EXPECT_EQ(back.edge(0), (hg::generators::ends{0, 1}));
  EXPECT_EQ(back.edge(5), (hg::generators::ends{1, 0}));
}

struct fixed_policy : archetype::partitioner {
  using archetype::partitioner::partitioner;
};

TEST(on_graphs, fixed_limits) {
  constexpr hg::fixed_limits limits{.nodes = 8, .edges = 16, .parts = 2};
  const ends edges{{0, 1}, {1, 2}, {2, 0}};
  hg::fixed_partitioning<limits, std::uint8_t, std::uint8_t, std::uint8_t, archetype::error_hook>
      fixed;
  ASSERT_EQ(fixed.partition(archetype::graph(3, edges), fixed_policy(0), archetype::node_order(0)),
            hg::status::ok);
  ASSERT_EQ(fixed.expand(0), hg::status::ok);
  EXPECT_EQ(fixed.partition(archetype::graph(9, edges), fixed_policy(0)), hg::status::capacity);
}

TEST(on_graphs, pieces_on_ranks) {
  const ends edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<std::uint64_t> ranges{0, 2, 5};
  hg::run_ranks(2, [&](const hg::thread_rank& threads) {
    const archetype::communicator ranks(threads);
    const auto piece = hg::piece_of<std::int8_t>(archetype::graph(5, edges), ranges,
                                                 threads.rank());
    EXPECT_EQ(hg::check_distributed_graph(ranks, piece.view()), hg::status::ok);
    std::vector<std::uint8_t> owner(piece.view().num_nodes());
    const hg::basic_distributed_label_propagation<std::uint8_t> policy{.parts = 2};
    EXPECT_EQ(policy.assign(ranks, piece.view(), std::span(owner)), hg::status::ok);
    hg::distributed_quality quality;
    EXPECT_EQ(hg::measure_distributed(ranks, piece.view(), std::span<const std::uint8_t>(owner), 2,
                                      quality),
              hg::status::ok);
    EXPECT_EQ(quality.edge_cut, 1u);
    const archetype::distributed_partitioner zero(0);
    EXPECT_EQ(hg::assign_into(piece.view(), zero, std::span(owner), ranks), hg::status::ok);
    EXPECT_EQ(
        hg::assign_into(piece.view(), zero, std::span(owner), hg::assign_context().over(ranks)),
        hg::status::ok);
  });
}

}  // namespace
