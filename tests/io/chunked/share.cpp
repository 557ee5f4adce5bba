// SPDX-License-Identifier: BSL-1.0
#include "support/count_allocations.hpp"

#include <halograph/comm/alltoallv.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/open_chunks.hpp>
#include <support/partition_model.hpp>
#include <support/same_files.hpp>
#include <support/sure_rank.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace ht = halograph::testing;
using ht::temporary_folder;

namespace {

TEST(chunked_share, gives_each_rank_the_rows_and_the_loads_of_its_nodes) {
  // Two node types, loops and repeated edges; rounds of a few records.
  auto data = ht::graph_h1(ht::few::nothing, 2, 60);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.chunks = 5});
  const auto graph = ht::open_chunks(folder("in"));
  const auto whole = hg::symmetrize<std::uint32_t>(data.graph());
  const auto types = data.graph().node_type_offsets();
  std::vector<std::int64_t> in_degree(static_cast<std::size_t>(data.num_nodes()));
  hg::visit_edges(data.graph(), [&](auto, auto v, auto) { ++in_degree[hg::index(v)]; });
  std::vector<hg::part_id> owner(in_degree.size());
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = static_cast<hg::part_id>(hg::mix(v) % 3);
  std::uint64_t expected_cut = 0;
  ASSERT_EQ(hg::directed_cut_into(data.graph(), std::span<const hg::part_id>(owner), expected_cut),
            hg::status::ok);
  for (const std::uint64_t round_bytes : {std::uint64_t{200}, hg::node_exchange_bytes}) {
    for (const std::size_t size : {1u, 3u, 4u}) {
      hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
        hg::chunked_share<std::uint32_t> share;
        hg::run_collective(ranks, [&] {
          share = hg::read_chunked_share<std::uint32_t>(
              ranks, graph, {.types = true, .edges = true}, {}, round_bytes);
        });
        EXPECT_EQ(hg::check_distributed_graph(ranks, share.graph()), hg::status::ok);
        const auto first = static_cast<std::size_t>(share.ranges[ranks.rank()]);
        EXPECT_LE(2 * share.num_nodes(), size == 1 ? 2 * owner.size() : owner.size() + 20)
            << "shares are about even";
        std::size_t classes = 0;
        for (std::size_t t = 0; t + 1 < types.size(); ++t)
          classes += types[t] != types[t + 1] ? 1u : 0u;
        EXPECT_EQ(share.constraints.size(), 2 * classes);
        EXPECT_EQ(share.constraints.front().substr(0, 6), "ntype:");
        EXPECT_EQ(share.constraints.back().substr(0, 16), "in_degree:ntype:");
        for (std::size_t v = 0; v < share.num_nodes(); ++v) {
          const auto row = [](const auto& offsets, const auto& neighbors, std::size_t i) {
            return std::vector<std::uint64_t>(
                neighbors.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                neighbors.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
          };
          auto wanted = row(whole.offsets, whole.neighbors, first + v);
          std::sort(wanted.begin(), wanted.end());
          EXPECT_EQ(row(share.offsets, share.neighbors, v), wanted);
          std::int64_t ones = 0, ends = 0;
          for (std::size_t c = 0; c < classes; ++c) {
            ones += share.weights[v * 2 * classes + c];
            ends += share.weights[v * 2 * classes + classes + c];
            EXPECT_TRUE(share.weights[v * 2 * classes + c] != 0 ||
                        share.weights[v * 2 * classes + classes + c] == 0)
                << "of its own class";
          }
          EXPECT_EQ(ones, 1);
          EXPECT_EQ(ends, in_degree[first + v]);
        }
        std::uint64_t cut = 0;
        hg::run_collective(ranks, [&] {
          cut = hg::all_reduce_sum(
              ranks, hg::count_cut_edges_of_share(
                         ranks, graph, share,
                         std::span<const hg::part_id>(owner).subspan(first, share.num_nodes()), {},
                         round_bytes));
        });
        EXPECT_EQ(cut, expected_cut);
      });
    }
  }
}

TEST(even_ranges, share_nodes_and_ends_as_finely_as_they_were_counted) {
  std::vector<std::uint64_t> before;
  // A hub: whoever has it has little else.
  const std::vector<std::uint64_t> ends{0, 90, 10, 10, 10, 10};
  EXPECT_EQ(hg::detail::even_ranges(ends, 0, 6, 3, before),
            (std::vector<std::uint64_t>{0, 1, 2, 6}));
  EXPECT_EQ(before, (std::vector<std::uint64_t>{0, 0, 90, 130}));
  EXPECT_EQ(hg::detail::even_ranges(ends, 0, 6, 1, before), (std::vector<std::uint64_t>{0, 6}));
  EXPECT_EQ(hg::detail::even_ranges(ends, 1, 11, 2, before).back(), 11u);
  EXPECT_EQ(hg::detail::even_ranges(std::vector<std::uint64_t>{0}, 0, 0, 3, before),
            (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

TEST(largest_shares, bound_what_ranks_get_where_edges_lie_unevenly) {
  std::vector<std::uint64_t> before;
  const auto shares_of = [&](const std::vector<std::uint64_t>& ends, std::size_t ranks) {
    const auto ranges = hg::detail::even_ranges(ends, 0, ends.size(), ranks, before);
    std::vector<hg::share_size> out;
    for (std::size_t r = 0; r < ranks; ++r)
      out.push_back({ranges[r + 1] - ranges[r], before[r + 1] - before[r]});
    return out;
  };
  // All edges between the first tenth of the nodes: of four ranks the last two have half of the
  // nodes each.
  std::vector<std::uint64_t> ends(1000);
  std::fill(ends.begin(), ends.begin() + 100, 20);
  const auto most = hg::largest_shares(1000, 1000, 4);
  EXPECT_LE(shares_of(ends, 4).back().nodes, most[0].nodes);
  EXPECT_GE(shares_of(ends, 4).back().nodes + 25, most[0].nodes);
  EXPECT_EQ(most[0].ends, 0u);
  EXPECT_LE(shares_of(ends, 4).front().ends, most[1].ends);
  EXPECT_LE(most[1].ends, 1002u);
  // One rank has all; bounds stay numbers.
  const auto whole = hg::largest_shares(1000, 300, 1);
  for (const auto& one : whole) EXPECT_TRUE(one.nodes == 1000 && one.ends == 600);
  EXPECT_EQ(hg::largest_shares(~std::uint64_t{0}, ~std::uint64_t{0}, 1)[1].ends, ~std::uint64_t{0});
  // Whatever a node and an end cost, no rank takes more, but for what one node has.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::fill(ends.begin(), ends.end(), 0);
    const std::uint64_t edges = 100 + hg::mix(seed) % 3000,
                        nodes_with_edges = 200 + hg::mix(seed + 100) % 801;
    for (std::uint64_t i = 0; i < 2 * edges; ++i)
      ++ends[static_cast<std::size_t>(hg::mix(seed * 10000 + i) % nodes_with_edges)];
    const std::uint64_t most_of_one = *std::max_element(ends.begin(), ends.end());
    for (const std::size_t ranks : {2u, 3u, 7u}) {
      for (const std::uint64_t of_node : {0u, 1u, 2u, 64u}) {
        for (const std::uint64_t of_end : {0u, 1u, 32u}) {
          const auto cost = [&](const hg::share_size& one) {
            return of_node * one.nodes + of_end * one.ends;
          };
          const auto bound = hg::largest_shares(1000, edges, ranks);
          for (const auto& one : shares_of(ends, ranks)) {
            EXPECT_LE(cost(one), std::max(cost(bound[0]), cost(bound[1])) +
                                     (of_node + of_end) * (most_of_one + 2))
                << seed << ", " << ranks << " ranks";
          }
        }
      }
    }
  }
}

TEST(estimate_assign, of_shared_edges_counts_on_the_largest_share) {
  hg::run_ranks(4, [](const hg::thread_rank& ranks) {
    constexpr std::uint64_t many = 1000000000;
    const auto need = hg::estimate_assign(hg::distributed_label_propagation{.parts = 4}, many, many,
                                          1, {}, ranks);
    EXPECT_EQ(need.edges, hg::edge_access::shared);
    EXPECT_GE(need.memory_bytes, many * (4 + 8))
        << "half of the edges, by both their ends: what stays, and records on their way";
    EXPECT_LE(need.memory_bytes, many * (4 + 8) + many / 4);
    hg::assign_options policy_alone;
    policy_alone.policy_bytes = 10 * many;
    EXPECT_GE(hg::estimate_assign(hg::distributed_label_propagation{.parts = 4}, many, many, 1,
                                  policy_alone, ranks)
                  .memory_bytes,
              many * (6 + 10))
        << "half of the nodes";
  });
}

TEST(assign_chunked,
     shares_everything_among_ranks_where_the_policy_does_and_gives_the_same_on_any_number) {
  const auto data = ht::graph_h1(ht::few::nothing, 2, 200);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.chunks = 3});
  const auto graph = ht::open_chunks(folder("in"));
  hg::distributed_label_propagation policy{
      .parts = 4, .tolerance = 0.2, .seed = 5, .coarsest_entries = 200};
  for (const bool edges : {false, true}) {
    hg::assign_options options;
    options.balance.edges = edges;
    options.method = "label_propagation";
    hg::assign_result alone;
    hg::run_ranks(1, [&](const hg::thread_rank& ranks) {
      alone = hg::assign_chunked(graph, policy, folder("one"), options, hg::sequential{},
                                 ht::sure_rank(ranks));
    });
    EXPECT_EQ(alone.need.edges, hg::edge_access::shared);
    EXPECT_EQ(hg::name(alone.need.edges), "shared");
    const auto read = ht::read_owners(folder("one"), data);
    std::uint64_t cut = 0;
    ASSERT_EQ(hg::directed_cut_into(data.graph(), std::span<const hg::part_id>(read.owner), cut),
              hg::status::ok);
    EXPECT_EQ(alone.report.directed_cut, cut);
    EXPECT_LT(10 * cut, 9 * data.num_edges() * 3 / 4) << "better than chance";
    std::size_t told = 0;
    for (const auto& line : alone.report.balance) {
      told += line.name.substr(0, 9) == "in_degree" ? 1u : 0u;
      EXPECT_TRUE(line.met || line.name.substr(0, 6) != "ntype:")
          << line.name << " " << line.imbalance;
    }
    EXPECT_EQ(told, edges ? data.node_counts.size() : 0);
    for (const std::size_t size : {2u, 4u}) {
      std::mutex one;
      hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
        const auto made = hg::assign_chunked(graph, policy, folder("several"), options,
                                             hg::sequential{}, ht::sure_rank(ranks));
        const std::lock_guard lock(one);
        EXPECT_EQ(made.report.directed_cut, cut);
        EXPECT_EQ(made.nodes, alone.nodes);
        // One rank exchanges nothing.
        EXPECT_LT(made.need.memory_bytes - hg::node_exchange_bytes, alone.need.memory_bytes);
      });
      ht::expect_same_files(folder("one"), folder("several"));
    }
  }
}

// Runs out of memory, on one rank alone, between what ranks say to each other.
struct forgetful {
  using part = std::uint8_t;
  std::uint64_t parts = 2;
  std::size_t rank = 0;
  template <hg::communicator C, class View>
  hg::status assign(const C& ranks, const View&, std::span<part> owner) const {
    if (const auto told = ranks.barrier(); !told) return told;
    if (ranks.rank() == rank) throw std::bad_alloc();
    std::fill(owner.begin(), owner.end(), part{0});
    return ranks.barrier();
  }
};

TEST(assign_chunked, tells_every_rank_what_one_of_them_met) {
  const auto data = ht::graph_g1(3, 40);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.chunks = 4, .edges = hg::edge_file_format::csv});
  const auto graph = ht::open_chunks(folder("in"));
  const auto said = [&](const auto& policy, const hg::chunked_graph& of) {
    std::vector<std::string> all(3);
    hg::run_ranks(3, [&](const hg::thread_rank& ranks) {
      try {
        hg::assign_chunked(of, policy, folder("out"), {}, hg::sequential{}, ht::sure_rank(ranks));
      } catch (const hg::joint_error& problem) {
        all[ranks.rank()] = problem.what();
      }
    });
    EXPECT_EQ(all[1], all[0]);
    EXPECT_EQ(all[2], all[0]);
    EXPECT_FALSE(std::filesystem::exists(folder("out")));
    return all[0];
  };
  EXPECT_EQ(said(forgetful{.rank = 1}, graph), "not enough memory (on rank 1 of 3)");
  EXPECT_EQ(said(forgetful{.rank = 2}, graph), "not enough memory (on rank 2 of 3)");
  EXPECT_NE(said(hg::distributed_label_propagation{.parts = 2, .tolerance = -1}, graph)
                .find("tolerances must be 0 or more"),
            std::string::npos);
  // A graph keeps a file open that it has used, the last one here.
  const auto unread = ht::open_chunks(folder("in"));
  const std::string chunk = unread.edges[0].files.front().path;
  folder.write(std::filesystem::path(chunk).lexically_relative(folder()).string(), "1 2\n");
  EXPECT_NE(said(hg::distributed_label_propagation{.parts = 2}, unread)
                .find("has changed since it was opened"),
            std::string::npos);
}

TEST(assign_chunked, refuses_ranks_that_were_asked_for_different_things) {
  const temporary_folder folder;
  hg::write_chunked(ht::graph_g1(3, 40), folder("in"), {.chunks = 2});
  const auto data = ht::graph_g1(4, 40);
  hg::write_chunked(data, folder("other"), {.chunks = 2});
  using policy = hg::distributed_label_propagation;
  const auto said = [&](const std::string& in, const policy& second,
                        const hg::assign_options& options) {
    std::vector<std::string> all(2);
    hg::run_ranks(2, [&](const hg::thread_rank& me) {
      const bool first = me.rank() == 0;
      const auto graph = ht::open_chunks(folder(first ? "in" : in));
      try {
        hg::assign_chunked(graph, first ? policy{.parts = 2} : second, folder("out"),
                           first ? hg::assign_options{} : options, hg::sequential{},
                           ht::sure_rank(me));
      } catch (const hg::joint_error& problem) {
        all[me.rank()] = problem.what();
      }
    });
    EXPECT_EQ(all[1], all[0]);
    EXPECT_EQ(std::filesystem::exists(folder("out")), all[0].empty());
    return all[0];
  };
  const std::string refused =
      "rank 1 assigns with other options than rank 0; they must be the same on all ranks";
  EXPECT_EQ(said("in", {.parts = 3}, {}), refused);
  EXPECT_EQ(said("in", {.parts = 2, .seed = 1}, {}), refused);
  EXPECT_EQ(said("in", {.parts = 2}, {.measure_cut = false}), refused);
  EXPECT_EQ(said("in", {.parts = 2}, {.settings = hg::json::object{{"objective", "vol"}}}),
            refused);
  EXPECT_EQ(
      said("other", {.parts = 2}, {}),
      "rank 1 reads another chunked graph than rank 0; metadata.json and the files that it names must be the same for all ranks");
  EXPECT_EQ(said("in", {.parts = 2}, {}), "");
}

TEST(assign_chunked, ends_on_every_rank_where_one_of_them_has_no_memory) {
  const auto data = ht::graph_h1(ht::few::nothing, 2, 40);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.chunks = 3});
  const std::string target = folder("out");
  hg::distributed_label_propagation policy{.parts = 2, .tolerance = 0.5, .coarsest_entries = 40};
  // @param left  the allocation of one rank that fails; out: how many were left
  const auto work = [&](std::size_t& left, std::size_t rank = 2) {
    std::vector<std::string> said(3);
    hg::run_ranks(3, [&](const hg::thread_rank& ranks) {
      const auto graph = ht::open_chunks(folder("in"));
      const bool last = ranks.rank() == rank;
      try {
        if (last) ht::allocations_left = left;
        static_cast<void>(
            hg::assign_chunked(graph, policy, target, {}, hg::sequential{}, ht::sure_rank(ranks)));
        if (last) left = std::exchange(ht::allocations_left, 0);
      } catch (const hg::joint_error& problem) {
        if (last) left = std::exchange(ht::allocations_left, 0);
        said[ranks.rank()] = problem.what();
      } catch (const std::exception& problem) {
        said[ranks.rank()] = "alone: " + std::string(problem.what());
      }
      ht::allocations_left = 0;
    });
    return said;
  };
  constexpr std::size_t plenty = std::size_t{1} << 40, trials = 48;
  std::size_t left = plenty;
  // The first rank partitions the coarsest graph alone, and makes the folder.
  for (const std::size_t rank : {std::size_t{0}, std::size_t{2}}) {
    left = plenty;
    EXPECT_EQ(work(left, rank), std::vector<std::string>(3));
    const std::size_t whole = plenty - left;
    ASSERT_GT(whole, trials);
    std::size_t refused = 0;
    const std::string sentence = "memory (on rank " + std::to_string(rank) + " of 3)";
    for (std::size_t i = 0; i < trials; ++i) {
      left = 1 + i * whole / trials;
      const auto said = work(left, rank);
      EXPECT_EQ(said[1], said[0]) << left << " of " << whole;
      EXPECT_EQ(said[2], said[0]) << left << " of " << whole;
      EXPECT_TRUE(said[0].empty() || said[0].find(sentence) != std::string::npos) << said[0];
      refused += said[0].empty() ? 0u : 1u;
    }
    EXPECT_GT(refused, trials / 2);
  }

  // Where the policy refuses: there is memory for the sentence on all ranks or on none.
  policy.tolerance = -1;
  left = plenty;
  const auto told = work(left);
  EXPECT_NE(told[0].find("tolerances must be 0 or more"), std::string::npos);
  const std::size_t needed = plenty - left;
  ASSERT_GT(needed, 12u);
  std::size_t refused = 0;
  for (std::size_t which = needed - 11; which <= needed; ++which) {
    left = which;
    const auto said = work(left);
    EXPECT_EQ(said, std::vector<std::string>(3, said[0])) << which << " of " << needed;
    EXPECT_TRUE(said[0] == told[0] || said[0].find("memory (on rank 2 of 3)") != std::string::npos)
        << said[0];
    refused += said[0] == told[0] ? 0u : 1u;
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
