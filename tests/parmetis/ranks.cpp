// SPDX-License-Identifier: BSL-1.0
#include "support/count_allocations.hpp"
#include "support/sure_rank.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/parmetis/ranks.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::testing::content_of;
using hg::testing::temporary_folder;

// 61 nodes of types 0, 2 and 3 with two weights, 300 edges with loops and repetitions, a blank line
// here and there.
struct drawn_files {
  temporary_folder folder{};
  std::string nodes{}, edges{};

  drawn_files() {
    hg::random_stream draws(11);
    const std::vector<std::pair<int, std::uint64_t>> types{{0, 20}, {2, 1}, {3, 40}};
    for (const auto& [type, count] : types) {
      for (std::uint64_t v = 0; v < count; ++v) {
        nodes += std::to_string(type) + " " + std::to_string(draws.below(4)) + "\t1 " +
                 std::to_string(count - 1 - v) + (v % 3 == 0 ? " 0.5\n" : "\r\n");
      }
      nodes += "\n";
    }
    for (int e = 0; e < 300; ++e) {
      edges += std::to_string(draws.below(61)) + " " +
               std::to_string(draws.below(e % 2 == 0 ? 61 : 9)) + " " + std::to_string(e) +
               " 0 a\n";
      if (e % 50 == 0) edges += "\n";
    }
    save();
    folder.write("g_stats.txt", "61 300 2\n");
  }
  void save() const {
    folder.write("g_nodes.txt", nodes);
    folder.write("g_edges.txt", edges);
  }
};

struct folder_output {
  std::string folder;
  void add(const std::string&) {}
  const std::string& path() const { return folder; }
};

TEST(parmetis_on_ranks, read_and_write_what_one_rank_does) {
  const drawn_files files;
  const auto whole = hg::read_parmetis_graph<std::uint32_t>(files.folder(), "g", hg::read_files{});
  const auto rows = hg::symmetrize<std::uint32_t>(whole.graph());
  std::vector<hg::part_id> owner(61);
  for (std::size_t v = 0; v < 61; ++v)
    owner[v] = static_cast<hg::part_id>(hg::mix(v) % 5 == 4 ? 2 : hg::mix(v) % 5);
  for (const auto duplicates : {hg::parmetis_duplicates::keep, hg::parmetis_duplicates::last}) {
    const hg::parmetis_write_options options{.duplicates = duplicates, .on_progress = {}};
    const temporary_folder alone;
    folder_output output{alone()};
    const auto expected = hg::write_parmetis_parts(whole, std::span<const hg::part_id>(owner), 6,
                                                   output, options);
    EXPECT_GT(expected.loops, 0u);
    EXPECT_GT(expected.duplicates, 0u);
    for (std::size_t size = 1; size <= 4; ++size) {
      const temporary_folder together;
      hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
        const auto share = hg::read_parmetis_share<std::uint32_t>(ranks, files.folder(), "g",
                                                                  hg::read_files{});
        const std::uint64_t first = share.ranges[ranks.rank()];
        EXPECT_EQ(hg::check_distributed_graph(ranks, share.graph()), hg::status::ok);
        EXPECT_EQ(share.type_begin, whole.type_begin);
        for (std::size_t v = 0; v < share.num_nodes(); ++v) {
          const auto from = share.neighbors.begin() + static_cast<std::ptrdiff_t>(share.offsets[v]),
                     to = share.neighbors.begin() +
                          static_cast<std::ptrdiff_t>(share.offsets[v + 1]);
          const auto node = static_cast<std::size_t>(first) + v;
          EXPECT_EQ(std::vector<std::uint32_t>(from, to),
                    std::vector<std::uint32_t>(rows.neighbors.begin() + rows.offsets[node],
                                               rows.neighbors.begin() + rows.offsets[node + 1]));
          for (std::size_t c = 0; c < 2; ++c)
            EXPECT_EQ(share.weights[2 * v + c], whole.weights[c][node]);
        }
        const auto mine = std::span<const hg::part_id>(owner).subspan(
            static_cast<std::size_t>(first), share.num_nodes());
        const auto made = hg::write_parmetis_share(ranks, share, mine, 6, together(), options);
        EXPECT_EQ(made.part_nodes, expected.part_nodes);
        EXPECT_EQ(made.part_edges, expected.part_edges);
        EXPECT_EQ(made.loops, expected.loops);
        EXPECT_EQ(made.duplicates, expected.duplicates);
        EXPECT_EQ(made.dropped, expected.dropped);
        EXPECT_EQ(made.bytes, expected.bytes);
      });
      const auto names = hg::parmetis_part_files(whole.names, 6);
      EXPECT_EQ(names.size(), 19u);
      for (const auto& name : names)
        EXPECT_EQ(content_of(together(name)), content_of(alone(name)))
            << name << ", " << size << " ranks";
    }
  }
}

// What every rank raises, whatever their number.
std::string refusal(const drawn_files& files, std::size_t size) {
  std::string said;
  std::mutex one;
  std::size_t raised = 0;
  hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
    try {
      static_cast<void>(
          hg::read_parmetis_share<std::uint8_t>(ranks, files.folder(), "g", hg::read_files{}));
    } catch (const hg::error& problem) {
      const std::lock_guard lock(one);
      ++raised;
      EXPECT_TRUE(said.empty() || said == problem.what()) << said << "\n" << problem.what();
      said = problem.what();
    }
  });
  EXPECT_TRUE(raised == 0 || raised == size);
  return said;
}

TEST(parmetis_on_ranks, report_the_error_of_one_rank_and_its_line_on_all) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to,
                           bool last = false) {
    const auto at = last ? text.rfind(from) : text.find(from);
    return text.replace(at, from.size(), to);
  };
  const auto expect = [](const drawn_files& files, const std::string& part) {
    for (const std::size_t size : {1u, 3u, 4u})
      EXPECT_NE(refusal(files, size).find(part), std::string::npos)
          << size << " ranks: " << refusal(files, size);
  };
  drawn_files files;
  EXPECT_EQ(refusal(files, 3), "");
  const std::string nodes = files.nodes, edges = files.edges;
  files.edges = replaced(edges, " 299 0 a", " 299", true);
  files.save();
  expect(files, "g_edges.txt, line 306");
  files.edges = replaced(edges, " 299 0 a\n", " 299 0 a\n1 2 3 4\n");
  files.save();
  expect(files, "there are 301 rows");
  files.edges = edges;
  files.nodes = replaced(nodes, "1 0 0.5\n\n", "1 1 0.5\n\n",
                         true);  // the last of type 3: 40 nodes
  files.save();
  expect(files, "g_nodes.txt, line 63: column 4 is 1, which occurs twice");
  files.nodes = replaced(nodes, "1 0 0.5\n\n", "1 40 0.5\n\n", true);
  files.save();
  expect(files, "line 63: column 4 is 40; it must be the node's ID in its type, 0 to 39");
  files.nodes = replaced(nodes, "\n3 ", "\n1 ", true);
  files.save();
  expect(files, "line 63: a node of type 1 follows one of type 3");
  files.nodes = nodes;
  files.save();
  files.folder.write("g_stats.txt", "256 300 2\n");
  expect(files, "256 nodes are more");
  files.folder.write("g_stats.txt", "62 300 2\n");
  expect(files, "there are 61 rows");
  std::filesystem::remove(files.folder("g_stats.txt"));
  expect(files, "g_stats.txt");
}

TEST(parmetis_on_ranks, fail_together_where_they_read_or_write_different_things) {
  const drawn_files files, other;
  // Of the same size, another edge.
  other.folder.write("g_edges.txt", (files.edges[0] == '1' ? "2" : "1") + files.edges.substr(1));
  const auto said = [&](const std::string& in, std::uint64_t parts,
                        hg::parmetis_duplicates duplicates) {
    const temporary_folder out;
    std::vector<std::string> all(2);
    hg::run_ranks(2, [&](const hg::thread_rank& me) {
      const bool second = me.rank() == 1;
      try {
        const auto share = hg::read_parmetis_share<std::uint32_t>(me, second ? in : files.folder(),
                                                                  "g", hg::read_files{});
        const std::vector<hg::part_id> owner(share.num_nodes());
        const hg::parmetis_write_options options{
            .duplicates = second ? duplicates : hg::parmetis_duplicates::keep, .on_progress = {}};
        static_cast<void>(hg::write_parmetis_share(me, share, std::span<const hg::part_id>(owner),
                                                   second ? parts : 2, out(), options));
      } catch (const hg::joint_error& problem) {
        all[me.rank()] = problem.what();
      }
    });
    EXPECT_EQ(all[1], all[0]);
    return all[0];
  };
  EXPECT_EQ(said(files.folder(), 2, hg::parmetis_duplicates::keep), "");
  EXPECT_EQ(said(other.folder(), 2, hg::parmetis_duplicates::keep),
            "rank 1 reads another g_edges.txt than rank 0; it must be the same for all ranks");
  const std::string refused =
      "rank 1 writes other parts than rank 0; their number and what becomes of duplicates must be the same on all ranks";
  EXPECT_EQ(said(files.folder(), 3, hg::parmetis_duplicates::keep), refused);
  EXPECT_EQ(said(files.folder(), 2, hg::parmetis_duplicates::last), refused);
}

TEST(parmetis_on_ranks, fail_together_where_one_runs_out_of_memory) {
  const drawn_files files;
  using hg::testing::allocations_left;
  // @param left  the last rank's allocation that fails; 0: none does. out: how many were left
  const std::string in = files.folder();
  const auto work = [&](std::size_t& left, const std::string& folder) {
    std::vector<std::string> said(3);
    hg::run_ranks(3, [&](const hg::thread_rank& me) {
      const hg::testing::sure_rank ranks(me);
      const bool last = ranks.rank() == 2;
      try {
        if (last) allocations_left = left;
        const auto share = hg::read_parmetis_share<std::uint32_t>(ranks, in, "g", hg::read_files{});
        std::vector<hg::part_id> owner;
        hg::run_collective(ranks, [&] { owner.assign(share.num_nodes(), 1); });
        static_cast<void>(
            hg::write_parmetis_share(ranks, share, std::span<const hg::part_id>(owner), 2, folder));
        if (last) left = std::exchange(allocations_left, 0);
      } catch (const hg::joint_error& problem) {
        said[ranks.rank()] = problem.what();
      } catch (const std::exception& problem) {
        said[ranks.rank()] = "alone: " + std::string(problem.what());
      }
      allocations_left = 0;
    });
    return said;
  };
  const temporary_folder out;
  constexpr std::size_t plenty = std::size_t{1} << 40;
  std::size_t left = plenty;
  EXPECT_EQ(work(left, out()), std::vector<std::string>(3));
  const std::size_t whole = plenty - left;
  ASSERT_GT(whole, 100u);
  std::size_t refused = 0;
  for (std::size_t at = 1; at <= whole; ++at) {
    left = at;
    const auto said = work(left, out());
    EXPECT_EQ(said[1], said[0]) << at;
    EXPECT_EQ(said[2], said[0]) << at;
    EXPECT_TRUE(said[0].empty() || said[0].find("memory (on rank 2 of 3)") != std::string::npos)
        << said[0];
    refused += said[0].empty() ? 0u : 1u;
  }
  EXPECT_GT(refused, whole / 2);
}

TEST(parmetis_on_ranks, fail_together_where_one_cannot_open_a_file_or_has_a_truncated_one) {
  const drawn_files files;
  for (const auto& name : {"g_stats.txt", "g_nodes.txt", "g_edges.txt"}) {
    for (const bool truncated : {true, false}) {
      std::vector<std::string> said(3);
      hg::run_ranks(3, [&](const hg::thread_rank& ranks) {
        const auto open = [&](const std::string& path) {
          auto file = hg::read_files{}(path);
          if (ranks.rank() != 1 || path.find(name) == std::string::npos) return file;
          if (!truncated)
            hg::raise(hg::error_kind::not_found, "is not there",
                      {.file = path, .line = {}, .byte = {}});
          file.bytes = file.bytes.first(2 * file.bytes.size() / 3 - 1);
          return file;
        };
        try {
          static_cast<void>(
              hg::read_parmetis_share<std::uint32_t>(ranks, files.folder(), "g", open));
        } catch (const hg::joint_error& problem) {
          said[ranks.rank()] = problem.what();
        }
      });
      EXPECT_NE(said[0], "") << name;
      EXPECT_NE(said[0].find("g_"), std::string::npos) << said[0];
      EXPECT_EQ(said[1], said[0]);
      EXPECT_EQ(said[2], said[0]);
    }
  }
}

}  // namespace
