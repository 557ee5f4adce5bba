// SPDX-License-Identifier: BSL-1.0
// Distributed graphs and tensors, opened and used with archetypes of everything they take:
// communicators, openers, codecs, formats. tests/structure/algorithms.cpp checks that nothing
// is missing.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/dist/dist_embedding.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/dist/simulate_sampling.hpp>
#include <halograph/dist/simulation_seeds.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;

namespace {

hg::any_json_codec make_codec() {
  return archetype::json_codec([](std::string_view text, hg::json::value& out) {
    return hg::nlohmann_codec{}.parse(text, out);
  });
}
hg::any_file_opener make_opener() {
  return archetype::file_opener([](const std::string& path) { return hg::read_files{}(path); });
}
const hg::any_file_opener disk = make_opener();
hg::format_list formats() {
  return hg::format_set<archetype::serializer>(archetype::serializer(0));
}
const hg::format_list known = formats();
hg::folder_access access() { return hg::folder_access(make_opener(), make_codec(), formats()); }

TEST(on_ranks, graphs_and_tensors_of_several) {
  const hg::testing::temporary_folder place;
  archetype::able_partitioner policy(0);
  policy.parts = 2;
  hg::basic_feature_set<archetype::feature_store> pairs;
  pairs.nodes.push_back({0, "pair", archetype::feature_store(4)});
  const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 2}};
  hg::partition_graph(archetype::graph(4, edges), policy,
                      hg::any_target(hg::format_folder<archetype::serializer>{
                          place("cut"), archetype::serializer(0)}),
                      {.features = pairs});
  hg::run_ranks(2, [&](const hg::thread_rank& each) {
    const archetype::communicator ranks(each);
    const hg::dist_graph g = hg::open_dist_graph(ranks, place("cut/graph.json"), access());
    EXPECT_EQ(g.num_edges(), 5u);
    const std::array<std::int16_t, 2> ids{3, 0};
    const hg::dist_type nodes = g.nodes();
    const hg::dist_rows pair = nodes.data("pair");
    EXPECT_EQ(pair[ids].rows(), 2u);
    EXPECT_EQ(g.find_edges(ids).first.size(), 2u);
    EXPECT_EQ(g.out_degrees(ids).size(), 2u);
    hg::dist_tensor x(g, {.shape = {4}, .name = "x"}, hg::constant{1});
    const std::vector<float> ones{1, 1};
    x.add(ids, std::as_bytes(std::span(ones)));
    EXPECT_EQ(x[ids].values<float>(), (std::vector<float>{3, 3}));
    hg::dist_embedding learned(g, 4, 1, "e");
    learned.step(hg::sparse_sgd{.rate = 1}, ids, ones);
    EXPECT_EQ(learned(ids).values<float>(), (std::vector<float>{-2, -2}));

    hg::neighbor_sampler sampler(g, disk, known);
    EXPECT_EQ(hg::sample_neighbors(sampler, ids, {.fanout = {1}}).num_edges(), 2u);
    EXPECT_EQ(hg::in_subgraph(sampler, ids).num_edges(), 2u);

    const auto book = std::make_shared<const hg::partition_book>(g.book());
    const auto part = hg::open_part_graph(
        g.config(), static_cast<hg::part_id>(g.part_range().begin), book, disk, known);
    EXPECT_EQ(part.num_inner_nodes(), g.parts()[0].num_inner_nodes());
    hg::row_exchange exchange(ranks);
    std::array<std::byte, 1> row{};
    const std::array<std::uint64_t, 1> other{each.rank() == 0 ? 1u : 0u};
    exchange.fetch(
        other, 1, [](std::uint64_t id) { return id; },
        [](std::uint64_t id, std::span<std::byte> out) { out[0] = static_cast<std::byte>(7 + id); },
        row);
    EXPECT_EQ(row[0], static_cast<std::byte>(8 - each.rank()));

    hg::draw_exchange draws(ranks);
    bool asked = false;
    std::int64_t answered = 0;
    const auto next = [&](std::size_t& rank, hg::draw_request& request) {
      rank = static_cast<std::size_t>(other[0]);
      request = {.node = 5, .seed = 0};
      return !std::exchange(asked, true);
    };
    const auto answer = [&](const hg::draw_request& one, std::vector<std::int64_t>& out) {
      out.push_back(one.node + static_cast<std::int64_t>(each.rank()));
    };
    hg::run_collective(ranks, [&] {
      draws.run(false, 1, next, answer,
                [&](std::span<const std::int64_t> words) { answered = words[0]; });
    });
    EXPECT_EQ(answered, 5 + static_cast<std::int64_t>(other[0]));
  });
}

TEST(on_ranks, trainers_of_all_parts) {
  const hg::testing::temporary_folder place;
  archetype::able_partitioner policy(0);
  policy.parts = 2;
  const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 2}};
  hg::partition_graph(archetype::graph(4, edges), policy,
                      hg::any_target(hg::format_folder<archetype::serializer>{
                          place("cut"), archetype::serializer(0)}),
                      {.save_mapping = true});
  const hg::single_rank alone;
  const auto g = hg::open_dist_graph(alone, place("cut/graph.json"), access());
  hg::neighbor_sampler sampler(g, disk, known);
  place.write("seeds.npy", hg::testing::npy<std::int16_t>("<i2", "(2,)", {3, 1}));
  const auto seeds = hg::seeds_of_file(g, 0, place("seeds.npy"), disk, known);
  EXPECT_EQ(seeds[0].size() + seeds[1].size(), 2u);
  const archetype::executor pool(0);
  const auto found = hg::simulate_sampling(sampler, hg::all_seeds(g),
                                           {.fanout = {hg::all_neighbors}}, pool);
  EXPECT_EQ(found.parts[0].edges + found.parts[1].edges, 5u);
  EXPECT_THROW(hg::seeds_of_feature(g, 0, "none"), hg::error);
}

}  // namespace
