// SPDX-License-Identifier: BSL-1.0
// What several ranks do together, simulated in orders that seeds draw: they make the same as one
// rank, or, where one of them dies, the others end with one sentence each and leave nothing half
// written. HALOGRAPH_RANK_ORDERS: how many seeds (12); HALOGRAPH_RANK_SEED: the first of them (1).
#include <halograph/core/random.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/parmetis/ranks.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/open_chunks.hpp>
#include <support/same_files.hpp>
#include <support/small_folder.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;

namespace {

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const set = std::getenv(variable);
  return set == nullptr ? otherwise : std::strtoull(set, nullptr, 10);
}

/// Run `body` on 2 to 4 ranks for each seed. With every third seed a rank dies at one of its first
/// calls. @param made  called after each run in which none has died
void for_each_seed(const std::function<void(const hg::thread_rank&)>& body,
                   const std::function<void()>& made, const std::function<void()>& died) {
  const std::uint64_t first = number("HALOGRAPH_RANK_SEED", 1),
                      count = number("HALOGRAPH_RANK_ORDERS", 12);
  std::size_t deaths = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("HALOGRAPH_RANK_ORDERS=1 HALOGRAPH_RANK_SEED=" + std::to_string(seed));
    hg::random_stream draw(seed);
    const auto ranks = static_cast<std::size_t>(2 + draw.below(3));
    hg::rank_schedule schedule{.seed = seed};
    if (seed % 3 == 0) {
      schedule.dying_rank = static_cast<std::size_t>(draw.below(ranks));
      schedule.dying_call = draw.below(40);
    }
    std::vector<std::string> said(ranks, "died");
    const bool one_died = hg::run_ranks(
        ranks,
        [&](const hg::thread_rank& me) {
          try {
            body(me);
            said[me.rank()].clear();
          } catch (const hg::error& problem) {
            said[me.rank()] = problem.what();
          }
        },
        schedule);
    deaths += one_died ? 1 : 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      if (one_died && r == schedule.dying_rank)
        EXPECT_EQ(said[r], "died");
      else if (one_died)  // a rank that needs the others no more has finished
        EXPECT_TRUE(said[r].empty() ||
                    (said[r] != "died" && said[r].find('\n') == std::string::npos))
            << said[r];
      else
        EXPECT_EQ(said[r], "");
    }
    (one_died ? died : made)();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(deaths, count / 6) << "ranks die as well";
}

struct chunked_input {
  temporary_folder folder{};
  hg::dataset<> data = small_dataset(5, true, 40, 90);
  std::vector<hg::part_id> owner = drawn_owners(60, 3, 7);
  chunked_input() {
    hg::write_chunked(data, folder("input"), {.chunks = 2});
    fs::create_directories(folder("assignment"));
    hg::write_assignment(folder("assignment"), data.schema, data.node_counts,
                         std::span<const hg::part_id>(owner), 3, "random");
  }
};

TEST(rank_orders, dispatch_writes_the_same_bytes) {
  const chunked_input in;
  const auto dispatch = [&](const std::string& out) {
    return [&, out](const hg::thread_rank& me) {
      const auto input = open_chunks(in.folder("input"));
      hg::dispatch_at<std::uint32_t, std::uint32_t>(input, in.folder("assignment"), 3,
                                                    hg::dgl_folder{in.folder(out)}, {.hops = 1},
                                                    hg::sequential{}, me);
    };
  };
  hg::run_ranks(1, dispatch("wanted"), {});
  const auto complete = [&] {
    expect_same_files(in.folder("out"), in.folder("wanted"));
    EXPECT_FALSE(fs::exists(in.folder(".out.halograph-tmp")));
    fs::remove_all(in.folder("out"));
  };
  for_each_seed(dispatch("out"), complete, [&] {
    if (fs::exists(in.folder("out"))) complete();
    fs::remove_all(in.folder(".out.halograph-tmp"));
  });
}

TEST(rank_orders, shares_of_chunks_are_assigned_alike) {
  const chunked_input in;
  std::vector<hg::part_id> owner;
  const auto assign = [&](const hg::thread_rank& me) {
    hg::chunked_share<std::uint32_t> share;
    hg::run_collective(me, [&] {
      share = hg::read_chunked_share<std::uint32_t>(me, open_chunks(in.folder("input")),
                                                    {.types = true}, {}, 200);
    });
    std::vector<hg::part_id> mine(share.num_nodes());
    hg::run_collective(me, [&] {
      const hg::distributed_label_propagation policy{.parts = 3};
      const hg::status done = policy.assign(me, share.graph(), mine);
      if (!done) hg::raise(done.code, policy.explain(done));
    });
    std::copy(mine.begin(), mine.end(),
              owner.begin() + static_cast<std::ptrdiff_t>(share.ranges[me.rank()]));
  };
  owner.resize(60);
  hg::run_ranks(1, assign, {});
  const auto wanted = owner;
  EXPECT_NE(*std::max_element(wanted.begin(), wanted.end()), hg::part_id{0});
  for_each_seed(
      assign,
      [&] {
        EXPECT_EQ(owner, wanted);
        owner.assign(60, hg::part_id{9});
      },
      [] {});
}

TEST(rank_orders, parmetis_files_are_the_same_bytes) {
  const temporary_folder folder;
  hg::random_stream draw(11);
  std::string nodes, edges;
  for (int v = 0; v < 40; ++v)
    nodes += (v < 15 ? "0 1 " : "1 1 ") + std::to_string(v < 15 ? v : v - 15) + "\n";
  for (int e = 0; e < 150; ++e) {
    edges += std::to_string(draw.below(40)) + " " + std::to_string(draw.below(40)) + " " +
             std::to_string(e) + " 0\n";
  }
  folder.write("g_nodes.txt", nodes);
  folder.write("g_edges.txt", edges);
  folder.write("g_stats.txt", "40 150 1\n");
  const auto owner = drawn_owners(40, 3, 2);
  const auto convert = [&](const std::string& out) {
    return [&, out](const hg::thread_rank& me) {
      const auto share = hg::read_parmetis_share<std::uint32_t>(me, folder(), "g",
                                                                hg::read_files{});
      const auto mine = std::span<const hg::part_id>(owner).subspan(
          static_cast<std::size_t>(share.ranges[me.rank()]), share.num_nodes());
      hg::write_parmetis_share(me, share, mine, 3, folder(out), hg::parmetis_write_options{});
    };
  };
  fs::create_directories(folder("wanted"));
  fs::create_directories(folder("out"));
  hg::run_ranks(1, convert("wanted"), {});
  const auto renew = [&] {
    fs::remove_all(folder("out"));
    fs::create_directories(folder("out"));
  };
  for_each_seed(
      convert("out"),
      [&] {
        expect_same_files(folder("out"), folder("wanted"));
        renew();
      },
      renew);
}

TEST(rank_orders, sampled_neighbors_are_the_same) {
  const temporary_folder folder;
  small_partition(small_dataset(3, true, 24, 70), folder(), 3, 4);
  // [seed node] the edges drawn for it.
  std::vector<std::vector<std::int64_t>> drawn(36);
  const auto sample = [&](const hg::thread_rank& me) {
    const auto g = hg::open_dist_graph(me, folder("g.json"), test_access{});
    hg::neighbor_sampler sampler(g, hg::read_files{}, test_formats{});
    std::vector<std::int64_t> mine;
    for (std::size_t v = me.rank(); v < drawn.size(); v += me.size())
      mine.push_back(static_cast<std::int64_t>(v));
    const auto rows = hg::sample_neighbors(sampler, mine, {.fanout = {2}, .seed = 6});
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const auto at = [&](std::uint64_t k) {
        return rows.edges.begin() + static_cast<std::ptrdiff_t>(k);
      };
      drawn[static_cast<std::size_t>(mine[i])].assign(at(rows.offsets[i]), at(rows.offsets[i + 1]));
    }
  };
  hg::run_ranks(1, sample, {});
  const auto wanted = drawn;
  const auto clear = [&] { std::fill(drawn.begin(), drawn.end(), std::vector<std::int64_t>{}); };
  for_each_seed(
      sample,
      [&] {
        EXPECT_EQ(drawn, wanted);
        clear();
      },
      clear);
}

}  // namespace
