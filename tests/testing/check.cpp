// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/testing/check.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace laws = halograph::laws;
namespace archetype = halograph::archetype;

namespace {

void expect_broken(const laws::verdict& verdict, const std::string& why) {
  EXPECT_FALSE(verdict) << "must be broken: " << why;
  EXPECT_NE(verdict.why.find(why), std::string::npos) << verdict.why;
}

// One line each, as users would write them.
TEST(check, the_built_in_models_keep_all_laws) {
  EXPECT_EQ(laws::check_partitioner(hg::random_parts{}).why, "");
  EXPECT_EQ(laws::check_partitioner(hg::range_parts{}).why, "");
  EXPECT_EQ(laws::check_partitioner(hg::hash_parts{}).why, "");
  EXPECT_EQ(laws::check_partitioner(hg::ldg{}).why, "");
  EXPECT_EQ(laws::check_partitioner(hg::fennel{}).why, "");
  EXPECT_EQ(laws::check_refiner(hg::label_propagation{}).why, "");
  EXPECT_EQ(laws::check_node_order(hg::original_order{}).why, "");
  EXPECT_EQ(laws::check_node_order(hg::descending_degree{}).why, "");
  EXPECT_EQ(laws::check_node_order(hg::breadth_first{}).why, "");
  EXPECT_EQ(laws::check_serializer(hg::native_serializer{}).why, "");
  EXPECT_EQ(laws::check_executor(hg::sequential{}).why, "");
  EXPECT_EQ(laws::check_communicator(hg::single_rank{}).why, "");
  EXPECT_EQ(laws::check_json_codec(hg::nlohmann_codec{}).why, "");
  EXPECT_EQ(laws::check_feature_store(hg::tensor::from(std::vector<int>{1, 2, 3})).why, "");
}

TEST(check, the_archetypes_keep_all_laws) {
  EXPECT_EQ(laws::check_partitioner(archetype::partitioner(0), 1).why, "");
  EXPECT_EQ(laws::check_partitioner(archetype::able_partitioner(0)).why, "");
  EXPECT_EQ(laws::check_partitioner(archetype::streaming_partitioner(0), 1).why, "");
  EXPECT_EQ(laws::check_refiner(archetype::refiner(0), 2).why, "");
  EXPECT_EQ(laws::check_distributed_partitioner(archetype::distributed_partitioner(0), 1).why, "");
  EXPECT_EQ(laws::check_node_order(archetype::node_order(0)).why, "");
  EXPECT_EQ(laws::check_serializer(archetype::serializer(0)).why, "");
  EXPECT_EQ(laws::check_executor(archetype::executor(0)).why, "");
  EXPECT_EQ(laws::check_feature_store(archetype::feature_store(4)).why, "");
  hg::run_ranks(3, [](const hg::thread_rank& ranks) {
    EXPECT_EQ(laws::check_communicator(archetype::communicator(ranks)).why, "");
  });
}

struct by_degree {  // has one fault at a time
  using part = std::uint8_t;
  enum { none, last_node, stores, zero } fault = none;
  std::uint64_t parts = 1;
  template <class Graph>
  hg::status assign(const Graph& g, std::span<part> owner) const {
    if (parts == 0 && fault != zero) return hg::status::invalid_argument;
    if (parts == 0) return hg::status::ok;
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (auto& one : owner) one = 0;
    hg::visit_edges(g, [&](auto, auto v, auto) {
      owner[hg::index(v)] = static_cast<part>((owner[hg::index(v)] + 1u) % parts);
    });
    if (fault == last_node && owner.size() == 7) owner[6] = static_cast<part>(parts);
    if (fault == stores && owner.size() == 4 && parts > 1)
      owner[0] = hg::in_adjacency<Graph> ? 1 : 0;
    return hg::status::ok;
  }
};

struct by_rank {  // depends on the number of ranks
  using part = std::uint8_t;
  template <class Communicator, class Graph>
  hg::status assign(const Communicator& ranks, const Graph& local, std::span<part> owner) const {
    const hg::status mine = owner.size() == local.num_nodes() ? hg::status::ok
                                                              : hg::status::mismatch;
    for (auto& one : owner) one = static_cast<part>(ranks.rank());
    return hg::agree(ranks, mine);
  }
};

TEST(check_distributed_partitioner, says_on_which_graph_and_how_many_ranks) {
  expect_broken(laws::check_distributed_partitioner(by_rank{}, 4),
                "graph \"one node\", 4 parts: the owners differ from those on one rank (2 ranks)");
  expect_broken(laws::check_distributed_partitioner(by_rank{}, 1),
                "graph \"one node\", 1 part: in range: node 0 is in part 1 of 1 (2 ranks)");
}

TEST(check_partitioner, says_on_which_graph_and_with_how_many_parts) {
  EXPECT_EQ(laws::check_partitioner(by_degree{}).why, "");
  expect_broken(laws::check_partitioner(by_degree{by_degree::last_node}),
                "graph \"untidy\", 1 part: in range: node 6 is in part 1 of 1");
  expect_broken(
      laws::check_partitioner(by_degree{by_degree::stores}),
      "graph \"cycle\", 2 parts: the owners differ when the same graph is a plain edge list");
  expect_broken(laws::check_partitioner(by_degree{by_degree::zero}), "0 parts must be rejected");
}

struct short_sighted : by_degree {  // claims to read no edges
  static constexpr bool reads_edges = false;
};
struct picky {  // accepts one seed only
  using part = std::uint8_t;
  std::uint64_t seed = 0;
  hg::status assign(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (auto& one : owner) one = static_cast<part>(seed);
    return hg::status::ok;
  }
};
struct modest : by_degree {  // rejects more parts than nodes
  hg::status assign(const auto& g, std::span<part> owner) const {
    return parts > hg::num_nodes(g) ? hg::status::infeasible : by_degree::assign(g, owner);
  }
};
struct stubborn : by_degree {  // rejects graphs of one node
  hg::status assign(const auto& g, std::span<part> owner) const {
    return hg::num_nodes(g) == 1 ? hg::status::infeasible : by_degree::assign(g, owner);
  }
};

TEST(check_partitioner, looks_at_edges_seeds_and_graphs_that_are_too_small) {
  expect_broken(laws::check_partitioner(short_sighted{}),
                "reads_edges is false, but the owners differ");
  expect_broken(laws::check_partitioner(picky{}, 1),
                "graph \"one node\", 1 part: seed 1: in range");
  EXPECT_EQ(laws::check_partitioner(modest{}).why, "");
  expect_broken(laws::check_partitioner(stubborn{}),
                "graph \"one node\", 1 part: rejects the graph with infeasible");
}

struct forgetful_stream : hg::hash_parts {  // a stream that reassigns nodes
  struct stream {
    hg::hash_parts::stream good{};
    std::span<part> owner{};
    template <class Neighbors>
    hg::status push(std::uint64_t v, Neighbors&& neighbors) {
      const hg::status answer = good.push(v, neighbors);
      if (answer && v == 0 && owner.size() == 5) owner[4] = static_cast<part>(1 - owner[4]);
      return answer;
    }
  };
  hg::status begin(const hg::stream_shape& shape, std::span<part> owner,
                   std::span<std::uint64_t> memory, stream& out) const {
    out.owner = owner;
    return hg::hash_parts::begin(shape, owner, memory, out.good);
  }
};

TEST(check_partitioner, puts_streams_through_their_law) {
  expect_broken(laws::check_partitioner(forgetful_stream{}),
                "graph \"path\", 1 part: as a stream: ");
  expect_broken(laws::check_partitioner(forgetful_stream{}), "which had been assigned");
}

struct wild {
  using part = std::uint8_t;
  hg::status refine(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (auto& one : owner) one = 9;
    return hg::status::ok;
  }
};
struct backwards {
  hg::order_sizes sizes(std::size_t, std::size_t) const { return {}; }
  template <hg::unsigned_id Part, hg::id Node>
  hg::status arrange(const auto&, const hg::node_cells<Part, Node>& cells,
                     hg::order_scratch<Node>) const {
    std::reverse(cells.nodes.begin(), cells.nodes.end());
    return hg::status::ok;
  }
};

TEST(check_refiner_and_order, say_on_which_graph) {
  expect_broken(laws::check_refiner(wild{}, 2),
                "graph \"one node\", 2 parts: in range: node 0 moves to part 9 of 2");
  expect_broken(laws::check_node_order(backwards{}), "does not keep its nodes");
}

TEST(check_storage, finds_lost_edges_and_nodes) {
  using ids = std::span<const std::uint32_t>;
  const auto rows = [](std::size_t nodes, ids from, ids to) {
    std::vector<std::vector<std::uint32_t>> out(nodes);
    for (std::size_t e = 0; e < from.size(); ++e) out[from[e]].push_back(to[e]);
    return out;
  };
  EXPECT_EQ(laws::check_storage(rows).why, "");
  EXPECT_EQ(laws::check_storage([](std::size_t nodes, ids from, ids to) {
              return hg::coo_view<std::uint32_t>{nodes, from, to};
            }).why,
            "");
  const auto simple = [&](std::size_t nodes, ids from, ids to) {  // drops repeated edges
    auto out = rows(nodes, from, to);
    for (auto& row : out) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return out;
  };
  expect_broken(laws::check_storage(simple),
                "graph \"untidy\": does not have the edges that were stored");
  const auto longer = [&](std::size_t nodes, ids from, ids to) {
    return rows(nodes + 1, from, to);
  };
  expect_broken(laws::check_storage(longer), "graph \"empty\": has 1 nodes, not 0");
  const auto blind = [](std::size_t, ids from, ids to) {
    return hg::coo_view<std::uint32_t>{1, from, to};
  };
  expect_broken(laws::check_storage(blind), "graph \"");
}

}  // namespace
