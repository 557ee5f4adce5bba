// SPDX-License-Identifier: BSL-1.0
// One rank ends at each of its calls in turn: all others end, too, each with one sentence, nothing
// half written has the name of the output, and the next run writes all of it.
// HALOGRAPH_EACH_DEATH=1: at every call, not at every sixth.
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/random.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/open_chunks.hpp>
#include <support/same_files.hpp>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::temporary_folder;

namespace {

/// What each rank says at its end: "" where it has done its work, "died", or a sentence.
using told = std::vector<std::string>;

/// Run on `ranks`, with one that dies. @return what all say, and whether one has died
std::pair<told, bool> run(std::size_t ranks, const hg::rank_schedule& schedule,
                          const std::function<void(const hg::thread_rank&)>& body) {
  told said(ranks, "died");
  const bool died = hg::run_ranks(
      ranks,
      [&](const hg::thread_rank& me) {
        try {
          body(me);
          said[me.rank()] = "";
        } catch (const hg::error& problem) {
          said[me.rank()] = problem.what();
        }
      },
      schedule);
  return {said, died};
}

/// Let each rank die at each of its calls. @param after  called after each such run
/// @return how many runs there were
std::size_t with_deaths(std::size_t ranks, std::uint64_t step,
                        const std::function<void(const hg::thread_rank&)>& body,
                        const std::function<void()>& after) {
  std::size_t runs = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t call = rank % step;; call += step) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " dies at call " + std::to_string(call));
      const auto [said, died] = run(
          ranks, {.seed = 1 + runs, .dying_rank = rank, .dying_call = call}, body);
      if (!died) {
        for (const auto& one : said) EXPECT_EQ(one, "");
        break;
      }
      ++runs;
      for (std::size_t r = 0; r < ranks; ++r) {
        // Who has no more to do with the others may have finished.
        EXPECT_NE(said[r], r == rank ? "" : "died");
        EXPECT_EQ(said[r].find('\n'), std::string::npos) << said[r];
      }
      after();
      if (testing::Test::HasFailure()) return runs;
    }
  }
  return runs;
}

hg::dataset<std::uint32_t, std::uint32_t> drawn_graph() {
  hg::random_stream draw(5);
  hg::dataset<std::uint32_t, std::uint32_t> data;
  data.name = "drawn";
  for (const auto* type : {"paper", "author"}) data.schema.add_node_type(type);
  for (const auto* type : {"paper:cites:paper", "author:writes:paper"})
    data.schema.add_edge_type(*hg::canonical_etype::parse(type));
  data.node_counts = {40, 25};
  for (hg::type_id r = 0; r < 2; ++r) {
    hg::edge_columns<std::uint32_t> columns;
    for (int e = 0; e < 120; ++e) {
      columns.source.push_back(
          static_cast<std::uint32_t>(draw.below(data.node_counts[data.schema.source_type(r)])));
      columns.target.push_back(
          static_cast<std::uint32_t>(draw.below(data.node_counts[data.schema.target_type(r)])));
    }
    data.edges.push_back(std::move(columns));
  }
  data.finish();
  return data;
}

TEST(rank_deaths, dispatch_leaves_nothing_half_written) {
  const temporary_folder folder;
  const auto data = drawn_graph();
  hg::write_chunked(data, folder("input"), {.chunks = 2});
  std::vector<hg::part_id> owner(65);
  for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<hg::part_id>(v % 4);
  fs::create_directories(folder("assignment"));
  hg::write_assignment(folder("assignment"), data.schema, data.node_counts,
                       std::span<const hg::part_id>(owner), 4, "random");
  const std::uint64_t step = std::getenv("HALOGRAPH_EACH_DEATH") == nullptr ? 6 : 1;
  for (const bool resume : {false, true}) {
    const auto dispatch = [&](const std::string& out) {
      return [&, out](const hg::thread_rank& me) {
        const auto input = hg::testing::open_chunks(folder("input"));
        hg::dispatch_options options{.hops = 1};
        options.resume = resume;
        hg::dispatch_at<std::uint32_t, std::uint32_t>(input, folder("assignment"), 4,
                                                      hg::dgl_folder{folder(out)}, options,
                                                      hg::sequential{}, me);
      };
    };
    const std::string wanted = resume ? "wanted_resumed" : "wanted";
    ASSERT_EQ(run(1, {}, dispatch(wanted)).first, told{""});
    for (const std::size_t ranks : {2u, 3u}) {
      const std::size_t runs = with_deaths(ranks, step, dispatch("out"), [&] {
        if (!fs::exists(folder("out"))) {  // or the other ranks had finished
          EXPECT_EQ(run(ranks, {}, dispatch("out")).first, told(ranks, ""));
        }
        hg::testing::expect_same_files(folder("out"), folder(wanted));
        EXPECT_FALSE(fs::exists(folder(".out.halograph-tmp")));
        fs::remove_all(folder("out"));
      });
      EXPECT_GT(runs, 20u);
      fs::remove_all(folder("out"));
      std::cout << runs << " deaths on " << ranks << " ranks\n";
    }
  }
}

TEST(rank_deaths, label_propagation_ends_on_all_ranks) {
  const hg::generators::grid made{.width = 30, .height = 20};
  std::vector<std::uint64_t> source(made.num_edges()), target(made.num_edges());
  ASSERT_EQ(hg::generators::fill(made, 0, std::span(source), std::span(target)), hg::status::ok);
  for (const std::size_t ranks : {2u, 3u}) {
    std::vector<std::uint64_t> offsets(ranks + 1, 600);
    for (std::size_t r = 0; r < ranks; ++r) offsets[r] = hg::block_range(600, r, ranks).begin;
    const std::size_t runs = with_deaths(
        ranks, 1,
        [&](const hg::thread_rank& me) {
          const auto piece = hg::piece_of(hg::coo_view<>(600, source, target), offsets, me.rank());
          std::vector<hg::part_id> owner(piece.view().num_nodes());
          const hg::distributed_label_propagation policy{.parts = 4};
          hg::run_collective(me, [&] {
            const hg::status done = policy.assign(me, piece.view(), owner);
            if (!done) hg::raise(done.code, policy.explain(done));
          });
        },
        [] {});
    EXPECT_GT(runs, 20u);
  }
}

}  // namespace
