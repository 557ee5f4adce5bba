// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/count_allocations.hpp>
#include <support/open_chunks.hpp>
#include <support/same_files.hpp>
#include <support/sure_rank.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory_resource>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::temporary_folder;

namespace {

using hg::testing::allocations_left;
using hg::testing::sure_rank;

template <class T>
hg::chunked_tensor rows(std::uint64_t count, std::uint64_t columns) {
  std::vector<T> values(static_cast<std::size_t>(count * columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(3 * i + 1);
  return hg::chunked_tensor(hg::tensor::from(std::move(values), {count, columns}));
}

/// A chunked graph and an assignment on disk: several types, some empty, and a hub; or one type of
/// each.
struct scene {
  temporary_folder folder{};
  std::uint64_t parts;

  scene(std::uint64_t seed, std::uint64_t size, std::uint64_t count, std::uint64_t chunks,
        bool one_type = false)
      : parts(count) {
    hg::random_stream draw(seed);
    hg::dataset<std::uint32_t, std::uint32_t> data;
    data.name = "drawn";
    std::vector<std::uint64_t> edges;
    if (one_type) {
      data.schema.add_node_type("_N");
      data.schema.add_edge_type(*hg::canonical_etype::parse("_N:_E:_N"));
      data.node_counts = {9 * size};
      edges = {35 * size};
    } else {
      for (const auto* type : {"paper", "author", "nobody"}) data.schema.add_node_type(type);
      for (const auto* type : {"paper:cites:paper", "nobody:is:paper", "author:writes:paper"})
        data.schema.add_edge_type(*hg::canonical_etype::parse(type));
      data.node_counts = {5 * size, 3 * size, 0};
      edges = {20 * size, 0, 9 * size};
    }
    for (std::size_t r = 0; r < edges.size(); ++r) {
      hg::edge_columns<std::uint32_t> columns;
      const auto type = static_cast<hg::type_id>(r);
      for (std::uint64_t e = 0; e < edges[r]; ++e) {
        columns.source.push_back(static_cast<std::uint32_t>(
            draw.below(data.node_counts[data.schema.source_type(type)])));
        columns.target.push_back(draw.below(4) == 0
                                     ? 0u
                                     : static_cast<std::uint32_t>(draw.below(
                                           data.node_counts[data.schema.target_type(type)])));
      }
      data.edges.push_back(std::move(columns));
    }
    data.features.nodes.push_back({0, "feat", rows<float>(data.node_counts[0], 3)});
    data.features.nodes.push_back({0, "none", rows<double>(data.node_counts[0], 0)});
    data.features.edges.push_back({0, "weight", rows<double>(edges[0], 1)});
    if (!one_type) data.features.edges.push_back({2, "since", rows<std::uint8_t>(edges[2], 5)});
    data.finish();
    hg::write_chunked(data, folder("input"), {.chunks = chunks});
    std::vector<hg::part_id> owner(static_cast<std::size_t>(data.num_nodes()));
    for (auto& part : owner) part = static_cast<hg::part_id>(draw.below(parts));
    fs::create_directories(folder("assignment"));
    hg::write_assignment(folder("assignment"), data.schema, data.node_counts,
                         std::span<const hg::part_id>(owner), parts, "random");
  }

  using told = std::vector<std::string>;
  /// Dispatch on several ranks. @return what each threw, or "", and the result of the first rank
  /// @param left  the number of allocations of the last rank before one fails; out: how many
  /// remain.
  ///     0: none fails
  std::pair<told, hg::dispatch_result> dispatch(std::size_t ranks,
                                                const hg::dispatch_options& options,
                                                const std::string& out, std::size_t& left) const {
    std::pair<told, hg::dispatch_result> result{told(ranks), {}};
    hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
      const auto input = hg::testing::open_chunks(folder("input"));
      const std::string path = folder(
          options.own_folders ? "rank" + std::to_string(me.rank()) + "/" + out : out);
      const std::string assignment = folder("assignment");
      const hg::dgl_folder target{path};
      const sure_rank sure(me);
      const bool last = me.rank() + 1 == ranks;
      try {
        if (last) allocations_left = left;
        auto made = hg::dispatch_at<std::uint32_t, std::uint32_t>(
            input, assignment, static_cast<hg::part_id>(parts), target, options, hg::sequential{},
            sure);
        if (last) left = std::exchange(allocations_left, 0);
        if (me.rank() == 0) result.second = std::move(made);
      } catch (const hg::joint_error& problem) {
        result.first[me.rank()] = problem.what();
      } catch (const hg::error& problem) {
        result.first[me.rank()] = (ranks == 1 ? "" : "alone: ") + std::string(problem.what());
      } catch (...) {
        result.first[me.rank()] = "alone: something else";
      }
      allocations_left = 0;
    });
    return result;
  }
  std::pair<told, hg::dispatch_result> dispatch(std::size_t ranks,
                                                const hg::dispatch_options& options,
                                                const std::string& out) const {
    std::size_t none = 0;
    return dispatch(ranks, options, out, none);
  }
};

using hg::testing::files_of;
void expect_same(const std::string& got, const std::string& want) {
  hg::testing::expect_same_files(got, want);
}
void expect_well(const std::vector<std::string>& said) {
  for (const auto& one : said) EXPECT_EQ(one, "");
}

TEST(dispatch_ranks, any_number_of_ranks_writes_the_same_bytes) {
  struct job {
    std::uint64_t parts, chunks;
    bool one_type;
    hg::dispatch_options options;
  };
  const job jobs[] = {
      {4, 3, false, {.hops = 1, .save_original_nodes = true, .save_original_edges = true}},
      {5, 1, false, {.hops = 3, .store_original_ids = true, .formats = hg::sparse_formats::all()}},
      {3, 2, true, {.hops = 1}},
      {4, 5, true, {.hops = 2}},
      {4, 2, true, {.hops = 2, .halo = hg::dispatch_halo::in}},
      {3, 2, false, {.hops = 1, .halo = hg::dispatch_halo::in}},
      {3, 2, false, {.hops = 2, .halo = hg::dispatch_halo::in_as_found}},
      {4, 2, false, {.hops = 0, .drop_cut_edges = true, .save_original_edges = true}},
      {1, 2, false, {.hops = 1, .save_original_edges = true}},
  };
  std::uint64_t seed = 0;
  for (const auto& one : jobs) {
    const scene here(++seed, 12, one.parts, one.chunks, one.one_type);
    expect_well(here.dispatch(1, one.options, "wanted").first);
    for (std::size_t ranks = 2; ranks <= 4; ++ranks) {
      if (seed > 2 && ranks != 2 + seed % 3)
        continue;  // each number of ranks in some, all in the first two
      SCOPED_TRACE("job " + std::to_string(seed) + " on " + std::to_string(ranks) + " ranks");
      const auto [said, made] = here.dispatch(ranks, one.options, "out");
      expect_well(said);
      expect_same(here.folder("out"), here.folder("wanted"));
      EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
      EXPECT_EQ(made.report.parts.size(), one.parts);
    }
  }
}

/// Parts of nodes of several types, taken in pieces.
struct assigned {
  std::vector<std::uint64_t> counts{700, 0, 300}, offsets{0, 700, 700, 1000};
  std::vector<std::int32_t> part = std::vector<std::int32_t>(1000);

  explicit assigned(std::uint64_t parts) {
    hg::random_stream draw(parts);
    for (auto& one : part) one = static_cast<std::int32_t>(draw.below(parts));
  }
  /// Number the nodes on several ranks. @return what each has
  std::vector<hg::detail::dispatched_nodes<std::uint32_t>> number(const std::string& folder,
                                                                  std::size_t parts,
                                                                  std::size_t ranks,
                                                                  bool keep_all = false) const {
    std::vector<hg::detail::dispatched_nodes<std::uint32_t>> out(ranks);
    hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
      const sure_rank sure(me);
      const std::string own = folder + std::to_string(me.rank());
      fs::create_directories(own);
      const hg::detail::row_readers share(offsets, me.rank(), ranks);
      auto& made = out[me.rank()];
      hg::run_collective(sure, [&] {
        hg::detail::node_numbers<std::uint32_t> numbers(own, counts, parts, share, made);
        for (std::size_t t = 0; t < counts.size(); ++t) {
          for (auto at = share.rows(t).begin; at < share.rows(t).end; at += 128) {
            numbers.take(
                t,
                std::span<const std::int32_t>(part).subspan(
                    static_cast<std::size_t>(offsets[t] + at),
                    static_cast<std::size_t>(std::min<std::uint64_t>(128, share.rows(t).end - at))),
                at);
          }
          EXPECT_EQ(numbers.parts_of(t).size(), share.rows(t).size());
        }
        numbers.bound(sure);
        if (ranks == 1) return numbers.number();
        numbers.number(sure, hg::detail::rank_shares(part_begin(made, parts), me.rank(), ranks),
                       keep_all, 1000, std::pmr::get_default_resource());
      });
    });
    return out;
  }
  std::vector<std::uint64_t> part_begin(const hg::detail::dispatched_nodes<std::uint32_t>& made,
                                        std::size_t parts) const {
    std::vector<std::uint64_t> out;
    for (std::size_t p = 0; p <= parts; ++p) out.push_back(made.bounds.values()[p * counts.size()]);
    return out;
  }
};

TEST(dispatch_nodes, nodes_are_numbered_by_part_type_and_original_id) {
  const temporary_folder folder;
  for (const std::size_t parts : {1u, 3u, 256u, 70000u}) {
    const assigned given(parts);
    std::vector<std::uint32_t> wanted(1000), new_of_old(1000);
    for (std::uint32_t v = 0; v < 1000; ++v) wanted[v] = v;
    std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t u, std::uint32_t v) {
      return std::pair(given.part[u], u >= 700) < std::pair(given.part[v], v >= 700);
    });
    for (std::uint32_t i = 0; i < 1000; ++i) new_of_old[wanted[i]] = i;
    for (const std::size_t ranks : {1u, 2u, 3u, 5u}) {
      if (ranks > 1 && parts < ranks) continue;
      for (const bool keep_all : {false, true}) {
        SCOPED_TRACE(std::to_string(parts) + " parts on " + std::to_string(ranks) + " ranks");
        const auto made = given.number(folder("rank"), parts, ranks, keep_all);
        std::size_t seen = 0, kept = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          const auto bounds = made[rank].bounds.values();
          ASSERT_EQ(bounds.back(), 1000u);
          for (std::uint32_t i = 0; i < 1000; ++i) {
            const std::size_t cell = static_cast<std::size_t>(given.part[wanted[i]]) * 3 +
                                     (wanted[i] >= 700 ? 2 : 0);
            EXPECT_TRUE(bounds[cell] <= i && i < bounds[cell + 1]) << i;
          }
          // Each rank has the new IDs of its share, and all together of all.
          const hg::detail::row_readers share(given.offsets, rank, ranks);
          ASSERT_EQ(made[rank].new_node.size(), share.count());
          for (std::uint32_t v = 0; v < 1000; ++v) {
            const std::uint64_t slot = share.slot_of(v);
            EXPECT_EQ(slot < share.count(), share.of(v) == rank);
            if (slot >= share.count()) continue;
            EXPECT_EQ(made[rank].new_node.values()[static_cast<std::size_t>(slot)], new_of_old[v]);
            ++seen;
          }
          // It has the original IDs of the nodes in its parts, or of all.
          const hg::detail::rank_shares shares(given.part_begin(made[rank], parts), rank, ranks);
          const auto own = keep_all ? hg::id_range{0, 1000} : shares.nodes();
          const auto old = made[rank].old_node.values();
          ASSERT_EQ(old.size(), own.size());
          for (std::size_t i = 0; i < old.size(); ++i)
            EXPECT_EQ(old[i], wanted[static_cast<std::size_t>(own.begin) + i]);
          kept += old.size();
        }
        EXPECT_EQ(seen, 1000u);
        EXPECT_EQ(kept, keep_all ? ranks * 1000 : 1000);
      }
    }
  }
}

/// Read a file of an assignment by shares. @return the parts; or what all ranks threw
std::pair<std::vector<std::int32_t>, std::string> read_by_shares(const std::string& file,
                                                                 std::uint64_t nodes,
                                                                 std::size_t ranks) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(nodes), -1);
  std::vector<std::string> said(ranks);
  hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
    const sure_rank sure(me);
    try {
      hg::run_collective(sure, [&] {
        const hg::detail::assigned_file opened(file, "_N", nodes, 99, hg::any_file_opener());
        const auto own = hg::block_range(nodes, me.rank(), ranks);
        const auto from = hg::detail::find_assigned(opened, sure, hg::sequential{});
        EXPECT_LE(from.node, own.begin);
        opened.read_nodes<std::int32_t>(
            from, own, hg::sequential{},
            [&](std::span<const std::int32_t> parts, std::uint64_t first) {
              EXPECT_TRUE(own.begin <= first && first + parts.size() <= own.end);
              std::copy(parts.begin(), parts.end(),
                        out.begin() + static_cast<std::ptrdiff_t>(first));
            });
      });
    } catch (const hg::error& problem) {
      said[me.rank()] = problem.what();
    }
  });
  for (const auto& one : said) EXPECT_EQ(one, said[0]);
  return {out, said[0]};
}

TEST(dispatch_nodes, each_rank_reads_its_share_of_the_assignment) {
  const temporary_folder folder;
  hg::random_stream draw(4);
  for (const std::size_t nodes : {1u, 2u, 7u, 1000u, 900000u}) {  // the last in several pieces
    std::string text;
    std::vector<std::int32_t> wanted;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (draw.below(50) == 0) text += draw.below(2) == 0 ? "# a comment\n" : "\n";
      wanted.push_back(static_cast<std::int32_t>(draw.below(v < nodes / 2 ? 100 : 3)));
      text += std::to_string(wanted.back());
      if (v < nodes / 2) text += "          ";  // so that ranks count far fewer lines than others
      if (v + 1 < nodes || draw.below(2) == 0) text += draw.below(9) == 0 ? "\r\n" : "\n";
    }
    folder.write("parts.txt", text);
    for (const std::size_t ranks : {1u, 2u, 3u, 5u, 8u}) {
      const auto [parts, said] = read_by_shares(folder("parts.txt"), nodes, ranks);
      EXPECT_EQ(said, "") << ranks;
      EXPECT_TRUE(parts == wanted) << nodes << " nodes on " << ranks << " ranks";
    }
  }
}

TEST(dispatch_nodes, any_number_of_ranks_says_what_is_wrong_with_an_assignment) {
  const temporary_folder folder;
  std::string lines;
  for (int v = 0; v < 100; ++v) lines += std::to_string(v % 7) + "\n";
  const std::string file = folder("parts.txt");
  for (const std::size_t ranks : {1u, 2u, 3u, 5u}) {
    const auto expect_count = [&](const std::string& text, const std::string& wanted) {
      folder.write("parts.txt", text);
      const std::string said = read_by_shares(file, 100, ranks).second;
      EXPECT_TRUE(said.starts_with(file + wanted +
                                   " lines for 100 nodes of type \"_N\"; there must be one line "
                                   "for each"))
          << said;
    };
    expect_count(lines + "3\n", ", line 101: there are 101");
    expect_count(lines.substr(2), ", line 100: there are 99");
    for (const int line : {0, 49, 99}) {
      std::string wrong = lines;
      wrong[static_cast<std::size_t>(2 * line)] = 'x';
      folder.write("parts.txt", wrong);
      const std::string said = read_by_shares(file, 100, ranks).second;
      EXPECT_NE(said.find(", line " + std::to_string(line + 1)), std::string::npos) << said;
    }
  }
}

TEST(dispatch_nodes, the_sum_of_an_assignment_depends_on_every_part) {
  std::vector<std::int32_t> parts{0, 1, 2, 3, 0, 1};
  const auto sum_of = [](std::span<const std::int32_t> of) {
    return hg::detail::assignment_sum(10, of);
  };
  const std::uint64_t whole = sum_of(parts);
  const std::span<const std::int32_t> all(parts);
  EXPECT_EQ(hg::detail::assignment_sum(13, all.subspan(3)) + sum_of(all.first(3)), whole);
  std::set<std::uint64_t> sums{whole};
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    std::swap(parts[i], parts[i + 1]);
    sums.insert(sum_of(parts));
    std::swap(parts[i], parts[i + 1]);
    ++parts[i];
    sums.insert(sum_of(parts));
    --parts[i];
  }
  EXPECT_EQ(sums.size(), 11u);
}

TEST(dispatch_nodes, any_rank_finds_the_new_id_of_any_node) {
  const temporary_folder folder;
  const assigned given(5);
  const auto all = std::move(given.number(folder("whole"), 5, 1)[0]);
  std::vector<std::uint32_t> wanted(all.new_node.values().begin(), all.new_node.values().end());
  for (const std::size_t ranks : {2u, 3u, 5u}) {
    const auto own = given.number(folder("rank"), 5, ranks);
    for (const std::uint64_t memory : {1u, 1000u, 1u << 20}) {  // of one node a round up to all
      const std::uint64_t known = memory == 1 ? 0 : memory == 1000 ? 64 : 1024;
      hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
        const hg::detail::row_readers share(given.offsets, me.rank(), ranks);
        const sure_rank sure(me);
        hg::run_collective(sure, [&] {
          hg::detail::new_node_table<std::uint32_t> table(own[me.rank()], share, sure, 400, memory,
                                                          known, std::pmr::get_default_resource());
          EXPECT_FALSE(table.is_whole());
          EXPECT_EQ(table.own().size(), share.count());
          hg::random_stream draw(me.rank());
          for (int round = 0; round < 3; ++round) {
            // Another number of requests, and of nodes, on each rank: none on the first.
            std::vector<std::vector<std::uint32_t>> nodes(me.rank() * 2), answers;
            for (auto& one : nodes) {
              one.resize(static_cast<std::size_t>(draw.below(40)));
              for (auto& v : one) v = static_cast<std::uint32_t>(draw.below(1000));
              answers.emplace_back(one.size());
            }
            std::vector<hg::detail::node_request<std::uint32_t>> requests;
            for (std::size_t i = 0; i < nodes.size(); ++i)
              requests.push_back({nodes[i], answers[i]});
            table.find(requests);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
              for (std::size_t k = 0; k < nodes[i].size(); ++k)
                EXPECT_EQ(answers[i][k], wanted[nodes[i][k]]);
            }
          }
        });
      });
    }
  }
}

TEST(dispatch_nodes, a_node_that_is_known_is_not_asked_for_again) {
  const temporary_folder folder;
  const assigned given(5);
  const auto own = given.number(folder("rank"), 5, 2);
  for (const std::uint64_t known : {0u, 512u, 1024u}) {
    hg::run_ranks(2, [&](const hg::thread_rank& me) {
      const hg::detail::row_readers share(given.offsets, me.rank(), 2);
      const sure_rank sure(me);
      hg::run_collective(sure, [&] {
        hg::detail::new_node_table<std::uint32_t> table(own[me.rank()], share, sure, 2000, 1 << 20,
                                                        known, std::pmr::get_default_resource());
        // Each node twice, of which half belong to the other rank.
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t i = 0; i < 2000; ++i) nodes.push_back(i % 1000);
        std::vector<std::uint32_t> answers(nodes.size());
        const hg::detail::node_request<std::uint32_t> request{nodes, answers};
        const auto sent = [&] {
          static_cast<void>(sure.most_bytes());
          table.find({&request, 1});
          return sure.most_bytes() / sizeof(std::uint32_t);
        };
        const std::size_t first = sent(), second = sent();
        const std::uint64_t others = 1000 - share.count();
        if (known == 0) {
          EXPECT_EQ(first, 2 * others);
          EXPECT_EQ(second, 2 * others);
        } else if (known == 1024) {
          EXPECT_EQ(first, others);
          EXPECT_LE(second, 4u);  // counts alone
        } else {
          EXPECT_LT(second, first);
        }
      });
    });
  }
}

TEST(dispatch_ranks, a_rank_needs_no_memory_for_all_nodes) {
  // So many nodes that a table of them does not fit what the edges need.
  const temporary_folder folder;
  hg::dataset<std::uint32_t, std::uint32_t> data;
  data.name = "wide";
  data.schema.add_node_type("_N");
  data.schema.add_edge_type(*hg::canonical_etype::parse("_N:_E:_N"));
  const std::uint64_t nodes = 1'500'000;
  data.node_counts = {nodes};
  hg::edge_columns<std::uint32_t> columns;
  hg::random_stream draw(3);
  for (int e = 0; e < 3000; ++e) {
    columns.source.push_back(static_cast<std::uint32_t>(draw.below(nodes)));
    columns.target.push_back(static_cast<std::uint32_t>(e % 3 == 0 ? 7 : draw.below(nodes)));
  }
  data.edges.push_back(std::move(columns));
  data.finish();
  hg::write_chunked(data, folder("input"), {.chunks = 2});
  std::vector<hg::part_id> owner(static_cast<std::size_t>(nodes));
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = static_cast<hg::part_id>(v * 7 / nodes % 4);
  fs::create_directories(folder("assignment"));
  hg::write_assignment(folder("assignment"), data.schema, data.node_counts,
                       std::span<const hg::part_id>(owner), 4, "range");
  hg::dispatch_need need;
  const auto dispatch = [&](std::size_t ranks, std::uint64_t memory, const std::string& out) {
    hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
      const auto input = hg::testing::open_chunks(folder("input"));
      const hg::dgl_folder target{folder(out)};
      const sure_rank sure(me);
      hg::dispatch_options options{.hops = 2, .memory_bytes = memory};
      if (me.rank() == 0) options.on_need = [&](const hg::dispatch_need& found) { need = found; };
      try {
        hg::dispatch_at<std::uint64_t, std::uint64_t>(input, folder("assignment"), 4, target,
                                                      options, hg::sequential{}, sure);
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.code(), hg::error_kind::memory) << problem.what();
        EXPECT_EQ(memory, 1u) << problem.what();
      }
    });
  };
  dispatch(1, std::uint64_t{1} << 32, "wanted");
  const std::uint64_t alone = need.least_bytes;
  EXPECT_EQ(need.buffers.local_ids, hg::local_lookup::table);
  dispatch(2, 1, "out");
  EXPECT_LT(need.least_bytes, alone);
  EXPECT_FALSE(fs::exists(folder("out")));
  dispatch(2, need.least_bytes, "out");
  EXPECT_EQ(need.buffers.local_ids, hg::local_lookup::hash);
  expect_same(folder("out"), folder("wanted"));
}

TEST(dispatch_ranks, a_rank_has_files_of_its_own_nodes_alone) {
  const scene here(9, 400, 8, 3);  // 3200 nodes, evenly in 8 parts
  const auto entries_of_file = [&](const hg::dispatch_options& asked, const std::string& name) {
    std::map<std::uint64_t, std::uint64_t> found;  // by rank
    std::mutex mutex;
    hg::run_ranks(4, [&](const hg::thread_rank& me) {
      const auto input = hg::testing::open_chunks(here.folder("input"));
      const hg::dgl_folder target{here.folder("out")};
      auto options = asked;
      options.on_progress = [&](const hg::progress& now) {
        if (now.step != "parts") return;
        const auto bytes = fs::file_size(here.folder(".out.halograph-tmp/scratch/rank") +
                                         std::to_string(me.rank()) + "/" + name);
        const std::lock_guard lock(mutex);
        found[me.rank()] = bytes / 4;
      };
      const sure_rank sure(me);
      hg::dispatch_at<std::uint32_t, std::uint32_t>(input, here.folder("assignment"), 8, target,
                                                    options, hg::sequential{}, sure);
    });
    EXPECT_EQ(found.size(), 4u) << name;
    return found;
  };
  const auto expect_shares = [&](const hg::dispatch_options& options, const std::string& name) {
    std::uint64_t sum = 0;
    for (const auto& [rank, entries] : entries_of_file(options, name)) {
      EXPECT_LT(entries, 1000u) << name << " of rank " << rank;
      sum += entries;
    }
    EXPECT_TRUE(sum == 3200 || sum == 3204) << name << ": " << sum;
  };
  for (const unsigned hops : {1u, 2u}) {
    for (const auto* name : {"old_node", "new_node", "offsets"})
      expect_shares({.hops = hops}, name);
  }
  expect_shares({.hops = 1}, "held_offsets");
  // HALO nodes stored with their original IDs, and rows of any node, are the exceptions.
  for (const auto& [rank, entries] :
       entries_of_file({.hops = 1, .store_original_ids = true}, "old_node"))
    EXPECT_EQ(entries, 3200u) << rank;
  for (const auto& [rank, entries] : entries_of_file({.hops = 2}, "held_offsets"))
    EXPECT_EQ(entries, 3201u) << rank;
}

TEST(dispatch_ranks, many_rounds_and_buckets_write_the_same_bytes) {
  const scene here(50, 4000, 6, 7);  // 116000 edges in pieces of some thousand
  expect_well(here.dispatch(1, {}, "wanted").first);
  const auto least = here.dispatch(3, {}, "out").second.need.least_bytes;
  expect_same(here.folder("out"), here.folder("wanted"));
  const auto [said, made] = here.dispatch(3, {.hops = 1, .memory_bytes = least}, "tight");
  expect_well(said);
  expect_same(here.folder("tight"), here.folder("wanted"));
  EXPECT_EQ(made.need.ranks, 3u);
}

TEST(dispatch_ranks, each_rank_may_have_its_own_folder) {
  const scene here(7, 20, 5, 2);
  expect_well(here.dispatch(1, {}, "wanted").first);
  expect_well(here.dispatch(3, {.own_folders = true}, "out").first);
  std::set<std::string> parts;
  for (std::size_t r = 0; r < 3; ++r) {
    const auto files = files_of(here.folder("rank" + std::to_string(r) + "/out"));
    EXPECT_EQ(files.count("drawn.json"), 1u);
    for (const auto& [name, bytes] : files) {
      if (name == hg::manifest_name) continue;
      EXPECT_TRUE(bytes == hg::testing::content_of(here.folder("wanted/" + name))) << name;
      if (name == "drawn.json" || name == "owners.npy") continue;  // each folder has them
      EXPECT_TRUE(parts.insert(name).second) << name << " is on two ranks";
    }
    EXPECT_FALSE(hg::foreign_entry(here.folder("rank" + std::to_string(r) + "/out")));
  }
  EXPECT_EQ(parts.size() + 3, files_of(here.folder("wanted")).size());
}

TEST(dispatch_ranks, all_throw_the_error_of_one_and_leave_nothing) {
  const scene here(8, 20, 3, 3);
  const auto file = here.folder("input/edge_index/paper:cites:paper2.txt");
  const auto content = hg::testing::content_of(file);
  here.folder.write("input/edge_index/paper:cites:paper2.txt",
                    content.substr(0, content.find('\n') + 1) + "7 x\n" +
                        content.substr(content.find('\n', content.find('\n') + 1) + 1));
  for (std::size_t ranks = 1; ranks <= 4; ++ranks) {
    const auto said = here.dispatch(ranks, {}, "out").first;
    for (const auto& one : said) {
      EXPECT_NE(one.find("line 2"), std::string::npos) << one;
      EXPECT_EQ(one, said[0]);
    }
    EXPECT_FALSE(fs::exists(here.folder("out")));
    EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
  }
}

/// How the request of one rank differs from the others.
struct request {
  hg::dispatch_options options{};
  std::string input, assignment;
  hg::part_id parts;
};

/// Dispatch on three ranks, where `change` changes the request of the second. @return what all
/// throw, or ""
template <class Change>
std::string dispatch_otherwise(const scene& here, const Change& change, bool own_folders = false) {
  std::vector<std::string> said(3);
  hg::run_ranks(3, [&](const hg::thread_rank& me) {
    request asked{{.own_folders = own_folders},
                  here.folder("input"),
                  here.folder("assignment"),
                  static_cast<hg::part_id>(here.parts)};
    if (me.rank() == 1) change(asked);
    const sure_rank sure(me);
    try {
      const auto input = hg::testing::open_chunks(asked.input);
      const hg::dgl_folder target{here.folder(
          (own_folders ? "rank" + std::to_string(me.rank()) + "/" : std::string()) + "out")};
      hg::dispatch_at<std::uint32_t, std::uint32_t>(input, asked.assignment, asked.parts, target,
                                                    asked.options, hg::sequential{}, sure);
    } catch (const hg::joint_error& problem) {
      said[me.rank()] = std::string(hg::name(problem.code())) + " " + problem.what();
    } catch (const hg::error& problem) {
      said[me.rank()] = "alone: " + std::string(problem.what());
    }
  });
  for (const auto& one : said) EXPECT_EQ(one, said[0]);
  EXPECT_EQ(fs::exists(here.folder("out")), said[0].empty() && !own_folders);
  EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
  return said[0];
}

TEST(dispatch_ranks, all_throw_if_options_differ) {
  const scene here(11, 5, 3, 2);
  const std::string refused =
      "mismatch rank 1 dispatches with other options than rank 0; they must be the same on all ranks";
  EXPECT_EQ(dispatch_otherwise(here, [](request& asked) { asked.options.hops = 2; }), refused);
  EXPECT_EQ(
      dispatch_otherwise(here, [](request& asked) { asked.options.save_original_nodes = true; }),
      refused);
  EXPECT_EQ(dispatch_otherwise(here, [](request& asked) { asked.options.part_method = "metis"; }),
            refused);
  EXPECT_EQ(dispatch_otherwise(here, [](request& asked) { asked.options.resume = true; }), refused);
  EXPECT_EQ(dispatch_otherwise(here, [](request& asked) { asked.parts = 4; }), refused);
  // What belongs to a rank alone may differ.
  EXPECT_EQ(dispatch_otherwise(here, [](request& asked) { asked.options.memory_bytes /= 2; }), "");
}

TEST(dispatch_ranks, all_throw_if_inputs_differ) {
  const scene here(12, 5, 3, 2), other(13, 5, 3, 2);  // with the same counts
  EXPECT_EQ(
      dispatch_otherwise(here, [&](request& asked) { asked.input = other.folder("input"); }),
      "mismatch rank 1 reads another chunked graph than rank 0; metadata.json and the files that it names must be the same for all ranks");
  // The parts of two nodes are swapped: no count differs.
  fs::create_directories(here.folder("swapped"));
  fs::copy(here.folder("assignment"), here.folder("swapped"), fs::copy_options::recursive);
  auto lines = hg::testing::content_of(here.folder("assignment/paper.txt"));
  const auto at = std::min(lines.find("0\n1\n"), lines.find("1\n0\n"));
  ASSERT_NE(at, std::string::npos);
  std::swap(lines[at], lines[at + 2]);
  here.folder.write("swapped/paper.txt", lines);
  for (const bool own_folders : {false, true}) {
    EXPECT_EQ(
        dispatch_otherwise(
            here, [&](request& asked) { asked.assignment = here.folder("swapped"); }, own_folders),
        "mismatch rank 1 reads another assignment than rank 0; its files must be the same for all ranks");
  }
  // Where the beginning is the same, it shows where each rank reads all.
  const scene large(12, 900, 3, 2);
  auto parts = hg::testing::content_of(large.folder("assignment/paper.txt"));
  ASSERT_GT(parts.size(), 8192u);
  ASSERT_NE(parts[parts.size() - 2], parts[parts.size() - 4]);
  std::swap(parts[parts.size() - 2], parts[parts.size() - 4]);
  fs::create_directories(large.folder("swapped"));
  fs::copy(large.folder("assignment"), large.folder("swapped"), fs::copy_options::recursive);
  large.folder.write("swapped/paper.txt", parts);
  EXPECT_EQ(
      dispatch_otherwise(
          large, [&](request& asked) { asked.assignment = large.folder("swapped"); }, true),
      "mismatch rank 1 reads another assignment than rank 0; its files must be the same for all ranks");
  // The same files may have other paths.
  fs::create_directories(here.folder("copies"));
  for (const auto* name : {"input", "assignment"})
    fs::copy(here.folder(name), here.folder("copies") + "/" + name, fs::copy_options::recursive);
  EXPECT_EQ(dispatch_otherwise(here,
                               [&](request& asked) {
                                 asked.input = here.folder("copies/input");
                                 asked.assignment = here.folder("copies/assignment");
                               }),
            "");
}

TEST(dispatch_ranks, own_folders_name_their_assignment) {
  const auto command_of = [](const scene& here, std::size_t ranks) {
    expect_well(here.dispatch(ranks,
                              {.own_folders = true,
                               .command = hg::json::object{{"hops", std::uint64_t{1}}}},
                              "out")
                    .first);
    std::set<std::string> said;
    for (std::size_t r = 0; r < ranks; ++r)
      said.insert(hg::read_manifest(here.folder("rank" + std::to_string(r) + "/out"))->command);
    EXPECT_EQ(said.size(), 1u);
    return *said.begin();
  };
  const std::string said = command_of(scene(14, 5, 3, 2), 2);
  EXPECT_EQ(said.substr(0, said.size() - 18), "{\"hops\": 1, \"assignment\": \"");
  EXPECT_EQ(command_of(scene(14, 5, 3, 1), 3), said);
  EXPECT_NE(command_of(scene(15, 5, 3, 2), 2), said);
}

/// Stops the run of one rank at the n-th progress report of a step.
hg::progress_callback stop(std::atomic<int>& reports, std::string_view step, int at) {
  return [&reports, step, at](const hg::progress& now) {
    if (now.step == step && ++reports == at) hg::raise(hg::error_kind::canceled, "stopped");
  };
}

TEST(dispatch_ranks, a_stopped_run_is_resumed_on_as_many_ranks) {
  const scene here(9, 30, 4, 2);
  expect_well(here.dispatch(1, {.hops = 2}, "wanted").first);
  for (const std::string_view step : {"edges", "cut", "parts", "features", "finish"}) {
    SCOPED_TRACE(step);
    std::atomic<int> reports = 0;
    const auto said =
        here.dispatch(3, {.hops = 2, .on_progress = stop(reports, step, 2)}, "out").first;
    for (const auto& one : said)
      EXPECT_NE(one.find("a run with resume continues"), std::string::npos) << one;
    EXPECT_FALSE(fs::exists(here.folder("out")));
    const auto [again, made] = here.dispatch(3, {.hops = 2, .resume = true}, "out");
    expect_well(again);
    EXPECT_FALSE(made.resumed.empty());
    expect_same(here.folder("out"), here.folder("wanted"));
    fs::remove_all(here.folder("out"));
  }
  {
    // Unless nothing is to be kept.
    std::atomic<int> reports = 0;
    for (const auto& one :
         here.dispatch(3, {.keep_complete = false, .on_progress = stop(reports, "parts", 2)}, "out")
             .first) {
      EXPECT_EQ(one.substr(0, 7), "stopped") << one;
      EXPECT_EQ(one.find("resume"), std::string::npos) << one;
    }
    EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
  }
  // On another number of ranks the files of stages are others: the run starts over.
  for (const auto& [before, after] :
       {std::pair<std::size_t, std::size_t>{3, 1}, {3, 2}, {3, 4}, {1, 2}}) {
    SCOPED_TRACE(std::to_string(before) + " ranks, then " + std::to_string(after));
    std::atomic<int> reports = 0;
    here.dispatch(before, {.hops = 2, .on_progress = stop(reports, "parts", 2)}, "out");
    EXPECT_FALSE(fs::exists(here.folder("out")));
    const auto [again, made] = here.dispatch(after, {.hops = 2, .resume = true}, "out");
    expect_well(again);
    EXPECT_TRUE(made.resumed.empty());
    expect_same(here.folder("out"), here.folder("wanted"));
    EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
    fs::remove_all(here.folder("out"));
  }
}

TEST(dispatch_ranks, all_throw_the_same_error_if_an_allocation_fails_on_one) {
  const scene here(10, 4, 4, 2);
  const hg::dispatch_options options{.hops = 2, .store_original_ids = true};
  constexpr std::size_t plenty = std::size_t{1} << 40, trials = 24;
  std::size_t left = plenty;
  expect_well(here.dispatch(3, options, "out", left).first);
  fs::remove_all(here.folder("out"));
  const std::size_t whole = plenty - left;
  ASSERT_GT(whole, 10 * trials);
  hg::random_stream draw(1);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    const std::size_t at = 1 + i * whole / trials +
                           static_cast<std::size_t>(draw.below(whole / trials));
    SCOPED_TRACE("allocation " + std::to_string(at) + " of " + std::to_string(whole));
    left = at;
    const auto said = here.dispatch(3, options, "out", left).first;
    const bool without = said[0].empty();  // a sort also works without memory
    for (const auto& one : said) {
      EXPECT_TRUE(without || one.find("memory (on rank 2 of 3)") != std::string::npos) << one;
      EXPECT_EQ(one, said[0]);
    }
    EXPECT_EQ(fs::exists(here.folder("out")), without);
    fs::remove_all(here.folder("out"));
    refused += without ? 0 : 1;
  }
  EXPECT_GT(refused, trials / 2);
}

}  // namespace
