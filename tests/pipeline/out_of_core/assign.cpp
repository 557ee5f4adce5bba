// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>

#include <gtest/gtest.h>
#include <support/few_threads.hpp>
#include <support/open_chunks.hpp>
#include <support/partition_model.hpp>
#include <support/same_files.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace ht = halograph::testing;
using ht::temporary_folder;

namespace {

/// A partitioner that loads all edges: the part of a node is its largest neighbor modulo the number
/// of parts.
struct by_largest_neighbor {
  using part = std::uint8_t;
  std::uint64_t parts = 1;
  template <class Graph>
  hg::status assign(const Graph& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch.at(hg::num_nodes(g));
    std::vector<std::uint64_t> largest(owner.size());
    hg::visit_edges(g, [&](auto u, auto v, auto) {
      largest[hg::index(v)] = std::max<std::uint64_t>(largest[hg::index(v)], u);
    });
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(largest[v] % parts);
    return hg::status::ok;
  }
};

TEST(assign_chunked, equals_assign_for_any_chunking) {
  for (const auto& data : {ht::graph_g1(3, 300), ht::graph_h1(ht::few::nothing, 2, 200)}) {
    for (const std::uint64_t chunks : {1u, 7u}) {
      const temporary_folder folder;
      hg::write_chunked(
          data, folder("in"),
          {.chunks = chunks,
           .edges = chunks == 1 ? hg::edge_file_format::csv : hg::edge_file_format::numpy});
      const auto graph = ht::open_chunks(folder("in"));
      const auto check = [&](const auto& policy, const std::string& algorithm,
                             const std::string& method) {
        const auto expected = hg::assign(data.graph(), policy);
        const auto made = hg::assign_chunked(graph, policy, folder("out"));
        const auto read = ht::read_owners(folder("out"), data);
        EXPECT_TRUE(
            std::equal(read.owner.begin(), read.owner.end(), expected.begin(), expected.end()))
            << method;
        EXPECT_EQ(read.parts, policy.parts);
        EXPECT_EQ(read.algorithm, algorithm);
        EXPECT_NE(ht::content_of(folder("out/partition_meta.json"))
                      .find("\"method\": \"" + method + "\""),
                  std::string::npos);
        std::uint64_t cut = 0;
        ASSERT_EQ(
            hg::directed_cut_into(data.graph(), std::span<const hg::part_id>(read.owner), cut),
            hg::status::ok);
        EXPECT_TRUE(made.cut_known);
        EXPECT_EQ(made.report.directed_cut, cut) << method;
        ASSERT_EQ(made.nodes.size(), policy.parts);
        std::uint64_t nodes = 0;
        for (const auto& types : made.nodes) {
          for (const auto count : types) nodes += count;
        }
        EXPECT_EQ(nodes, data.num_nodes());
      };
      check(hg::ldg{.parts = 4}, "metis", "ldg");
      check(hg::fennel{.parts = 5, .order = hg::stream_order::shuffled, .seed = 3}, "metis",
            "fennel");
      check(hg::buffered{.parts = 3}, "metis", "buffered");
      check(hg::buffered{.parts = 4, .batch = 1, .order = hg::stream_order::shuffled, .seed = 3},
            "metis", "buffered");
      check(hg::random_parts{.parts = 4, .seed = 5}, "random", "random");
      check(hg::basic_hash_parts<std::uint8_t>{.parts = 3}, "random", "hash");
      check(by_largest_neighbor{.parts = 3}, "metis", "custom");
    }
  }
}

TEST(assign_chunked, balances_nodes_and_the_edges_that_end_in_parts) {
  const temporary_folder folder;
  const auto data = ht::graph_h1(ht::few::nothing, 2, 300);
  hg::write_chunked(data, folder("in"), {.chunks = 2});
  const auto graph = ht::open_chunks(folder("in"));
  hg::assign_options options;
  options.balance.edges = true;
  hg::ldg policy{.parts = 4};
  const auto made = hg::assign_chunked(graph, policy, folder("out"), options);
  // As partition --balance-edges.
  const auto classes = hg::classes_by_type<std::int64_t>(data.graph().node_type_offsets(),
                                                         data.schema.node_types());
  const auto balance = hg::balance_like_dgl(data.graph(), classes, true);
  policy.constraints = balance.constraints();
  const auto expected = hg::assign(data.graph(), policy);
  const auto read = ht::read_owners(folder("out"), data);
  EXPECT_EQ(read.owner, expected);
  const auto lines = hg::measure_balance(std::span<const hg::part_id>(expected), 4,
                                         balance.constraints());
  for (const auto& line : lines) {
    const auto found = std::find_if(made.report.balance.begin(), made.report.balance.end(),
                                    [&](const auto& one) { return one.name == line.name; });
    ASSERT_NE(found, made.report.balance.end()) << line.name;
    EXPECT_EQ(found->imbalance, line.imbalance) << line.name;
  }
  // All types together.
  options.balance.types = false;
  const auto together = hg::assign_chunked(graph, hg::ldg{.parts = 4}, folder("out"), options);
  ASSERT_EQ(together.report.balance.size(), 2u);
  EXPECT_EQ(together.report.balance[0].name, "nodes");
  EXPECT_EQ(together.report.balance[1].name, "in_degree");
  EXPECT_LE(together.report.balance[1].imbalance, 0.1);
  options.balance.edges = false;
  const auto nodes = hg::assign_chunked(graph, hg::ldg{.parts = 4}, folder("out"), options);
  EXPECT_EQ(ht::read_owners(folder("out"), data).owner,
            hg::assign(data.graph(), hg::ldg{.parts = 4, .balance_types = false}));
  EXPECT_TRUE(nodes.report.balance.at(0).met);

  // One type: its name does not matter.
  const auto plain = ht::graph_g1(3, 100);
  hg::write_chunked(plain, folder("plain"), {.chunks = 2});
  options.balance = {.types = true, .edges = true};
  const auto one_type = hg::assign_chunked(ht::open_chunks(folder("plain")), hg::ldg{.parts = 4},
                                           folder("out"), options);
  ASSERT_EQ(one_type.report.balance.size(), 2u);
  EXPECT_EQ(one_type.report.balance[0].name, "nodes");
  EXPECT_EQ(one_type.report.balance[1].name, "in_degree");
  EXPECT_LE(one_type.report.balance[1].imbalance, 0.1);

  EXPECT_THROW(hg::assign_chunked(graph, hg::hash_parts{.parts = 4}, folder("none"), options),
               hg::error);
  EXPECT_GE(hg::estimate_assign(hg::ldg{.parts = 4}, 1000, 1000, 2, options).memory_bytes,
            hg::estimate_assign(hg::ldg{.parts = 4}, 1000, 1000, 2).memory_bytes + 8 * 1000);
}

TEST(stream_neighbors, passes_every_edge_to_its_later_endpoint_with_any_window) {
  ht::temporary_folder folder;
  auto data = ht::graph_g1(8, 400);
  // A node with more edges than a window holds, some of them loops.
  auto& edges = data.edges[0];
  for (std::uint64_t i = 0; i < 3000; ++i) {
    edges.source.push_back(399);
    edges.target.push_back(i % 400);
  }
  data.features = {};
  data.finish();
  hg::write_chunked(data, folder("in"), {.chunks = 3});
  const auto graph = ht::open_chunks(folder("in"));
  for (const bool shuffled : {false, true}) {
    const hg::id_permutation permuted(400, 6);
    const auto order = [&](std::uint64_t k) { return shuffled ? permuted(k) : k; };
    const auto rank = [&](std::uint64_t v) { return shuffled ? permuted.rank(v) : v; };
    std::vector<std::vector<std::uint64_t>> expected(400);
    for (std::size_t e = 0; e < edges.source.size(); ++e) {
      const std::uint64_t u = edges.source[e], v = edges.target[e];
      if (u != v) rank(u) < rank(v) ? expected[v].push_back(u) : expected[u].push_back(v);
    }
    for (const std::uint64_t window :
         {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{1} << 25}) {
      std::uint64_t k = 0;
      const auto push = [&](std::uint64_t v, const auto& neighbors) {
        EXPECT_EQ(v, order(k++));
        std::vector<std::uint64_t> row;
        neighbors([&](auto u) { row.push_back(u); });
        EXPECT_EQ(row, expected[v]) << "node " << v;
      };
      hg::stream_neighbors<std::uint32_t>(graph, order, rank,
                                          {.scratch = folder(), .window_bytes = window}, push);
      EXPECT_EQ(k, 400u);
      for (const std::size_t threads : {2u, 3u, 9u}) {
        // Each neighbor of a window in memory is told of, and most before it is visited.
        k = 0;
        std::uint64_t told = 0, visited = 0;
        const ht::few_threads run{threads};
        hg::stream_neighbors<std::uint64_t>(
            graph, order, rank, {.scratch = folder(), .window_bytes = window},
            [&](std::uint64_t v, const auto& neighbors) {
              push(v, neighbors);
              visited += expected[v].size();
              EXPECT_TRUE(window < 6000 || told >= visited) << v;
            },
            run,
            [&](std::span<const std::uint64_t> soon) {
              told += soon.size();
              for (const std::uint64_t u : soon) EXPECT_LT(u, 400u);
            });
        EXPECT_EQ(k, 400u);
        EXPECT_TRUE(window < 6000 || told == visited) << told << " of " << visited;
      }
    }
  }
  for (const auto& left : std::filesystem::directory_iterator(folder()))
    EXPECT_EQ(left.path().filename(), "in");
}

TEST(stream_undirected, passes_all_neighbors_of_each_node_once_with_any_window) {
  ht::temporary_folder folder;
  auto data = ht::graph_g1(8, 400);
  auto& edges = data.edges[0];
  // A node with more edges than a window holds, most of them again and again, and loops.
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    edges.source.push_back(399);
    edges.target.push_back(i % 3 == 0 ? 399 : i % 400);
  }
  data.features = {};
  data.finish();
  hg::write_chunked(data, folder("in"), {.chunks = 3});
  const auto graph = ht::open_chunks(folder("in"));
  std::vector<std::set<std::uint64_t>> expected(400);
  for (std::size_t e = 0; e < edges.source.size(); ++e) {
    const std::uint64_t u = edges.source[e], v = edges.target[e];
    if (u == v) continue;
    expected[u].insert(v);
    expected[v].insert(u);
  }
  for (const std::uint64_t window :
       {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{1} << 25}) {
    std::uint64_t next = 0;
    const auto push = [&](std::uint64_t v, auto neighbors) {
      EXPECT_EQ(v, next++);
      EXPECT_TRUE(
          std::equal(neighbors.begin(), neighbors.end(), expected[v].begin(), expected[v].end()))
          << "node " << v;
    };
    hg::stream_undirected<std::uint32_t>(graph, {.scratch = folder(), .window_bytes = window},
                                         push);
    EXPECT_EQ(next, 400u);
    next = 0;
    hg::stream_undirected<std::uint64_t>(graph, {.scratch = folder(), .window_bytes = window},
                                         push);
    EXPECT_EQ(next, 400u);
    next = 0;
    const ht::few_threads run{2};  // several rounds of blocks
    hg::stream_undirected<std::uint64_t>(graph, {.scratch = folder(), .window_bytes = window}, push,
                                         run);
    EXPECT_EQ(next, 400u);
  }
  for (const auto& left : std::filesystem::directory_iterator(folder()))
    EXPECT_EQ(left.path().filename(), "in");
}

TEST(assign_chunked, gives_the_same_parts_of_compressed_rows) {
  ht::temporary_folder folder;
  const auto data = ht::graph_h1(ht::few::nothing, 2, 300);
  hg::write_chunked(data, folder("in"), {.chunks = 3});
  const auto graph = ht::open_chunks(folder("in"));
  for (const bool edges : {false, true}) {
    hg::multilevel policy{.parts = 3};
    hg::assign_options options{.balance = {.edges = edges}};
    const auto loaded = hg::assign_chunked(graph, policy, folder("loaded"), options);
    policy.compress = true;
    const auto packed = hg::assign_chunked(graph, policy, folder("packed"), options);
    ht::expect_same_files(folder("packed"), folder("loaded"));
    EXPECT_EQ(packed.report.directed_cut, loaded.report.directed_cut);
    EXPECT_EQ(loaded.need.disk_bytes, 0u);
    EXPECT_EQ(packed.need.disk_bytes, 16 * graph.num_edges());
  }
}

TEST(estimate_assign, of_compressed_rows_counts_their_stream_and_keeps_to_a_budget) {
  const std::uint64_t nodes = 1'000'000, edges = 50'000'000, mib = 1 << 20;
  hg::multilevel policy{.parts = 4, .compress = true};
  // As long as the policy takes less, the rows and their stream decide: 20 bits an entry.
  const auto need = [&](std::uint64_t policy_bytes, std::uint64_t budget) {
    return hg::estimate_assign(policy, nodes, edges, 1,
                               {.memory_bytes = budget, .policy_bytes = policy_bytes});
  };
  const auto free = need(0, 0);
  EXPECT_EQ(free.edges, hg::edge_access::loaded);
  EXPECT_EQ(free.window_bytes, mib);
  EXPECT_EQ(free.memory_bytes, free.least_memory_bytes);
  EXPECT_GT(free.least_memory_bytes, 100'000'000 * 20 / 8 + 4 * nodes);
  const auto roomy = need(0, free.memory_bytes + 10 * mib);
  EXPECT_EQ(roomy.window_bytes, 11 * mib);
  EXPECT_EQ(roomy.memory_bytes, free.memory_bytes + 10 * mib);
  EXPECT_EQ(need(0, 100 * free.memory_bytes).window_bytes, 32 * mib);
  // A policy that takes more leaves room for the window.
  const auto large = need(2'000'000'000, 0);
  EXPECT_EQ(large.window_bytes, 32 * mib);
  EXPECT_EQ(large.memory_bytes, large.least_memory_bytes);
  EXPECT_GT(large.memory_bytes, 2'000'000'000u);
  policy.compress = false;
  EXPECT_GT(need(0, 0).memory_bytes, 8 * edges);
}

TEST(estimate_assign, does_not_grow_with_the_edges_unless_they_are_loaded) {
  const std::uint64_t nodes = 1'000'000, edges = 10'000'000;
  const auto need = [&](const auto& policy, std::uint64_t e) {
    return hg::estimate_assign(policy, nodes, e, 2);
  };
  EXPECT_EQ(need(hg::hash_parts{.parts = 4}, edges).memory_bytes,
            need(hg::hash_parts{.parts = 4}, 1000 * edges).memory_bytes);
  EXPECT_EQ(need(hg::ldg{.parts = 4}, edges).memory_bytes,
            need(hg::ldg{.parts = 4}, 1000 * edges).memory_bytes);
  EXPECT_EQ(need(hg::ldg{.parts = 4}, edges).disk_bytes, 8 * edges);
  EXPECT_EQ(need(hg::ldg{.parts = 4}, edges).result_bytes, 2 * nodes);
  EXPECT_EQ(hg::estimate_assign(hg::hash_parts{.parts = 4}, ~std::uint64_t{0}, 1, 1).result_bytes,
            ~std::uint64_t{0})
      << "saturates";
  EXPECT_GE(need(by_largest_neighbor{.parts = 4}, 2 * edges).memory_bytes,
            need(by_largest_neighbor{.parts = 4}, edges).memory_bytes + 8 * edges);
  EXPECT_EQ(need(by_largest_neighbor{.parts = 4}, edges).edges, hg::edge_access::loaded);
  // The report of each part counts, and the memory of the caller.
  EXPECT_GE(
      need(hg::hash_parts{.parts = 1 << 30}, edges).memory_bytes,
      need(hg::hash_parts{.parts = 4}, edges).memory_bytes + (std::uint64_t{88} << 30) - 4 * 88);
  EXPECT_EQ(hg::estimate_assign(hg::hash_parts{.parts = 4}, nodes, edges, 2, {.caller_bytes = 77})
                .memory_bytes,
            need(hg::hash_parts{.parts = 4}, edges).memory_bytes + 77);
}

TEST(assign_chunked, reports_its_need_before_it_starts_and_rejects_a_smaller_budget) {
  const temporary_folder folder;
  const auto data = ht::graph_g1(4, 100);
  hg::write_chunked(data, folder("in"));
  const auto graph = ht::open_chunks(folder("in"));
  hg::assign_options options;
  hg::assign_need told;
  options.on_need = [&](const hg::assign_need& need) { told = need; };
  const auto made = hg::assign_chunked(graph, hg::ldg{.parts = 2}, folder("out"), options);
  EXPECT_EQ(told.edges, hg::edge_access::streamed);
  EXPECT_EQ(told.memory_bytes, made.need.memory_bytes);
  const auto before = ht::content_of(folder("out/_N.txt"));
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 100);

  options.memory_bytes = told.least_memory_bytes - 1;
  try {
    hg::assign_chunked(graph, hg::ldg{.parts = 2, .tolerance = 0.5}, folder("out"), options);
    ADD_FAILURE() << "taken";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::memory);
    EXPECT_NE(std::string(problem.what())
                  .find(std::to_string(told.least_memory_bytes) + " bytes suffice"),
              std::string::npos)
        << problem.what();
  }
  options.memory_bytes = told.least_memory_bytes;
  EXPECT_EQ(
      hg::assign_chunked(graph, hg::ldg{.parts = 2}, folder("out"), options).need.memory_bytes,
      told.least_memory_bytes);
  EXPECT_EQ(ht::content_of(folder("out/_N.txt")), before);
}

TEST(assign_chunked, keeps_an_earlier_result_if_it_fails) {
  const temporary_folder folder;
  const auto data = ht::graph_g1(4, 100);
  hg::write_chunked(data, folder("in"));
  const auto graph = ht::open_chunks(folder("in"));
  hg::assign_chunked(graph, hg::hash_parts{.parts = 2}, folder("out"));
  const auto before = ht::content_of(folder("out/_N.txt"));
  hg::assign_options options;
  options.on_progress = [](const hg::progress& at) {
    if (at.step == "measure") throw hg::error(hg::error_kind::canceled, "enough");
  };
  EXPECT_THROW(hg::assign_chunked(graph, hg::fennel{.parts = 2}, folder("out"), options),
               hg::error);
  EXPECT_EQ(ht::content_of(folder("out/_N.txt")), before);
  EXPECT_THROW(hg::assign_chunked(graph, hg::hash_parts{.parts = 0}, folder("out")), hg::error);
  std::size_t entries = 0;
  for (const auto& one : std::filesystem::directory_iterator(folder()))
    entries += one.exists() ? 1u : 0u;
  EXPECT_EQ(entries, 2u) << "nothing staged is left";
}

}  // namespace
