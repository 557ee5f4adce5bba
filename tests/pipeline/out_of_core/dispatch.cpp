// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <gtest/gtest.h>
#include <support/one_file_format.hpp>
#include <support/open_chunks.hpp>
#include <support/same_files.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::temporary_folder;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

using graph_data = hg::dataset<std::uint32_t, std::uint32_t>;

/// Rows of consecutive values.
template <class T>
hg::chunked_tensor rows(std::uint64_t count, std::uint64_t columns) {
  std::vector<T> values(static_cast<std::size_t>(count * columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(3 * i + 1);
  return hg::chunked_tensor(hg::tensor::from(std::move(values), {count, columns}));
}

/// Several types, including a node type and an edge type without members; loops, repeated edges and
/// a hub.
graph_data make_graph(std::uint64_t seed, std::uint64_t size, std::uint64_t wide) {
  hg::random_stream draw(seed);
  graph_data out;
  out.name = "drawn";
  for (const auto* type : {"paper", "author", "nobody", "place"}) out.schema.add_node_type(type);
  for (const auto* type : {"paper:cites:paper", "author:writes:paper", "author:at:place",
                           "place:of:author", "nobody:is:paper"}) {
    out.schema.add_edge_type(*hg::canonical_etype::parse(type));
  }
  out.node_counts = {5 * size, 3 * size, 0, size};
  const std::uint64_t edges[] = {20 * size, 9 * size, 3 * size, 3 * size, 0};
  for (std::size_t r = 0; r < 5; ++r) {
    hg::edge_columns<std::uint32_t> columns;
    const auto type = static_cast<hg::type_id>(r);
    const auto from = out.node_counts[out.schema.source_type(type)],
               to = out.node_counts[out.schema.target_type(type)];
    for (std::uint64_t e = 0; e < edges[r]; ++e) {
      columns.source.push_back(static_cast<std::uint32_t>(draw.below(from)));
      columns.target.push_back(draw.below(4) == 0 ? 0u
                                                  : static_cast<std::uint32_t>(draw.below(to)));
    }
    out.edges.push_back(std::move(columns));
  }
  out.features.nodes.push_back({0, "feat", rows<float>(out.node_counts[0], 3)});
  out.features.nodes.push_back({1, "year", rows<std::int16_t>(out.node_counts[1], 1)});
  out.features.nodes.push_back({0, "none", rows<double>(out.node_counts[0], 0)});
  out.features.edges.push_back({0, "weight", rows<double>(edges[0], 1)});
  if (wide != 0) out.features.edges.push_back({0, "wide", rows<float>(edges[0], wide)});
  out.features.edges.push_back({2, "since", rows<std::uint8_t>(edges[2], 5)});
  out.finish();
  return out;
}

std::vector<hg::part_id> draw_parts(std::uint64_t seed, std::uint64_t nodes, std::uint64_t parts) {
  hg::random_stream draw(seed);
  std::vector<hg::part_id> out(static_cast<std::size_t>(nodes));
  for (auto& part : out) part = static_cast<hg::part_id>(draw.below(parts));
  return out;
}

/// A folder with a chunked graph and an assignment, and what partition_graph makes of them.
struct scene {
  temporary_folder folder{};
  graph_data data;
  std::uint64_t parts;
  std::vector<hg::part_id> owner;

  scene(std::uint64_t seed, std::uint64_t size, std::uint64_t count, std::uint64_t chunks = 1,
        std::uint64_t wide = 0)
      : data(make_graph(seed, size, wide)), parts(count) {
    owner = draw_parts(seed + 1, data.num_nodes(), parts);
    hg::write_chunked(data, folder("input"), {.chunks = chunks});
    data = hg::read_chunked<std::uint32_t, std::uint32_t>(folder("input"), {}, hg::read_files{},
                                                          hg::nlohmann_codec{});
    fs::create_directories(folder("assignment"));
    hg::write_assignment(folder("assignment"), data.schema, data.node_counts,
                         std::span<const hg::part_id>(owner), parts, "random");
  }
  auto open() const { return hg::testing::open_chunks(folder("input")); }
  template <class Node = std::uint32_t, class Edge = std::uint32_t>
  hg::dispatch_result dispatch(const hg::dispatch_options& options,
                               const std::string& out = "out") const {
    const auto input = open();
    return hg::dispatch_at<Node, Edge>(input, folder("assignment"), static_cast<hg::part_id>(parts),
                                       hg::dgl_folder{folder(out)}, options);
  }
  void partition(hg::partition_options options, const std::string& out = "wanted") const {
    options.graph_name = data.name;
    options.part_method = "given";
    hg::partition_graph(data, hg::given{.parts = parts, .owners = owner},
                        hg::dgl_folder{folder(out)}, options);
  }
};

/// The same names and bytes, except for the manifest, which describes the command; its digests are
/// those of the files.
void expect_same(const std::string& got, const std::string& want) {
  hg::testing::expect_same_files(got, want, hg::manifest_name);
  const auto made = hg::read_manifest(got);
  ASSERT_TRUE(made.has_value());
  for (const auto& file : made->files)
    EXPECT_EQ(file, hg::digest_file(got + "/" + file.path, file.path)) << file.path;
}

struct two_threads {
  static constexpr std::size_t concurrency() { return 2; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::exception_ptr problem;
    const std::size_t middle = first + (last - first) / 2;
    std::thread other([&] {
      try {
        if (middle < last) body(middle, last);
      } catch (...) {
        problem = std::current_exception();
      }
    });
    try {
      if (first < middle) body(first, middle);
    } catch (...) {
      other.join();
      throw;
    }
    other.join();
    if (problem) std::rethrow_exception(problem);
  }
};

TEST(dispatch, writes_what_partition_graph_writes) {
  for (const std::uint64_t parts : {1u, 2u, 4u}) {
    const scene here(parts, 40, parts, parts == 2 ? 1 : 3);
    for (const unsigned hops : {1u, 2u, 3u}) {
      SCOPED_TRACE(std::to_string(parts) + " parts, " + std::to_string(hops) + " hops");
      here.partition({.hops = hops,
                      .store_original_ids = hops == 2,
                      .save_mapping = hops != 1,
                      .formats = hops == 3 ? hg::sparse_formats::all() : hg::sparse_formats{}});
      const auto made = here.dispatch(
          {.hops = hops,
           .store_original_ids = hops == 2,
           .save_original_nodes = hops != 1,
           .save_original_edges = hops != 1,
           .formats = hops == 3 ? hg::sparse_formats::all() : hg::sparse_formats{}});
      expect_same(here.folder("out"), here.folder("wanted"));
      EXPECT_EQ(made.config.path, here.folder("out/drawn.json"));
      EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
    }
  }
}

TEST(dispatch, drops_cut_edges_as_partition_graph_does) {
  const scene here(3, 30, 3);
  here.partition({.hops = 0, .drop_cut_edges = true, .save_mapping = true});
  here.dispatch({.hops = 0,
                 .drop_cut_edges = true,
                 .save_original_nodes = true,
                 .save_original_edges = true});
  expect_same(here.folder("out"), here.folder("wanted"));
  try {
    here.dispatch({.hops = 0}, "none");
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::cut_edges);
  }
  EXPECT_FALSE(fs::exists(here.folder("none")));
  EXPECT_FALSE(fs::exists(here.folder(".none.halograph-tmp")));
}

TEST(dispatch, writes_the_same_bytes_for_any_width_budget_chunking_and_threads) {
  scene here(11, 1000, 7, 4, 128);  // "wide" has 10 MB: several windows in the smallest budget
  here.partition({.hops = 1});
  const auto least = here.dispatch({}).need.least_bytes;
  const auto tight = here.dispatch({.memory_bytes = least}, "tight");
  EXPECT_LT(2 * tight.need.buffers.feature_window_bytes, 10'240'000u);
  EXPECT_GT(tight.peak_anonymous_bytes, 0u);
  expect_same(here.folder("out"), here.folder("wanted"));
  expect_same(here.folder("tight"), here.folder("wanted"));
  here.dispatch<std::uint64_t, std::uint64_t>({}, "wide");
  expect_same(here.folder("wide"), here.folder("wanted"));
  hg::write_chunked(here.data, here.folder("input"),
                    {.chunks = 1, .edges = hg::edge_file_format::numpy});
  const auto input = here.open();
  hg::dispatch_at<std::uint32_t, std::uint32_t>(input, here.folder("assignment"), 7,
                                                hg::dgl_folder{here.folder("threads")},
                                                {.memory_bytes = 80 * mib}, two_threads{});
  expect_same(here.folder("threads"), here.folder("wanted"));
}

TEST(dispatch, writes_the_native_format) {
  const scene here(5, 25, 3);
  const auto input = here.open();
  hg::partition_graph(here.data, hg::given{.parts = 3, .owners = here.owner},
                      hg::native_folder{here.folder("wanted")},
                      {.graph_name = "drawn", .save_mapping = true, .part_method = "given"});
  hg::dispatch_at<std::uint32_t, std::uint32_t>(
      input, here.folder("assignment"), 3, hg::native_folder{here.folder("out")},
      {.save_original_nodes = true, .save_original_edges = true});
  expect_same(here.folder("out"), here.folder("wanted"));
}

TEST(dispatch, writes_a_format_of_one_file_per_part) {
  using one_file = hg::format_folder<hg::testing::one_file_format>;
  const scene here(5, 25, 3);
  const auto input = here.open();
  for (const bool mapping : {false, true}) {
    hg::partition_graph(here.data, hg::given{.parts = 3, .owners = here.owner},
                        one_file{here.folder("wanted"), {}},
                        {.graph_name = "drawn", .save_mapping = mapping, .part_method = "given"});
    hg::dispatch_at<std::uint32_t, std::uint32_t>(
        input, here.folder("assignment"), 3, one_file{here.folder("out"), {}},
        {.save_original_nodes = mapping, .save_original_edges = mapping});
    expect_same(here.folder("out"), here.folder("wanted"));
  }
}

TEST(dispatch, rejects_a_budget_that_is_too_small_and_names_one_that_suffices) {
  const scene here(4, 30, 2);
  hg::dispatch_need told;
  try {
    here.dispatch(
        {.memory_bytes = mib, .on_need = [&](const hg::dispatch_need& need) { told = need; }});
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::memory);
    const std::string figure = std::to_string((told.least_bytes + mib - 1) / mib) + "MiB";
    EXPECT_NE(problem.message().find("smallest that suffices is " + figure), std::string::npos)
        << problem.message();
  }
  EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
  EXPECT_NO_THROW(here.dispatch({.memory_bytes = told.least_bytes}));
}

TEST(dispatch, names_the_malformed_line_of_an_assignment) {
  const scene here(4, 30, 2);
  const auto refused = [&](const std::string& content) -> hg::error {
    here.folder.write("assignment/author.txt", content);
    try {
      here.dispatch({});
    } catch (const hg::error& problem) {
      return problem;
    }
    return hg::error(hg::error_kind::ok, "nothing");
  };
  std::string lines;
  for (int i = 0; i < 89; ++i) lines += "1\n";
  const auto few = refused(lines), many = refused(lines + "1\n0\n"),
             beyond = refused(lines + "2\n"), text = refused("0\nx\n");
  EXPECT_EQ(few.code(), hg::error_kind::mismatch);
  EXPECT_EQ(few.where().line, 90u);
  EXPECT_EQ(many.code(), hg::error_kind::mismatch);
  EXPECT_EQ(many.where().line, 91u);
  EXPECT_EQ(beyond.code(), hg::error_kind::out_of_range);
  EXPECT_EQ(beyond.where().line, 90u);
  EXPECT_EQ(text.code(), hg::error_kind::malformed);
  EXPECT_EQ(text.where().line, 2u);
  EXPECT_FALSE(fs::exists(here.folder("out")));
  EXPECT_FALSE(fs::exists(here.folder(".out.halograph-tmp")));
}

TEST(dispatch, resumes_after_being_stopped_anywhere) {
  const scene here(21, 20, 2);
  here.partition({.hops = 2});
  struct stop {};
  // Stop at the n-th progress report; every step of every stage reports. Repeat for resumed runs.
  int total = 0;
  here.dispatch({.hops = 2, .on_progress = [&](const hg::progress&) { ++total; }}, "count");
  ASSERT_GT(total, 10);
  std::size_t resumed = 0;
  for (int n = 1; n <= total; ++n) {
    int seen = 0;
    try {
      here.dispatch({.hops = 2, .on_progress = [&](const hg::progress&) {
                       if (++seen == n) throw stop{};
                     }});
      FAIL() << n;
    } catch (const stop&) {
    }
    EXPECT_FALSE(fs::exists(here.folder("out")));
    const auto made = here.dispatch(
        {.hops = 2, .memory_bytes = (n % 2 ? 64u : 256u) * mib, .resume = true});
    resumed += made.resumed.size();
    expect_same(here.folder("out"), here.folder("wanted"));
    EXPECT_EQ(made.report.parts.size(), 2u);
    fs::remove_all(here.folder("out"));
  }
  EXPECT_GT(resumed, 0u);
}

TEST(dispatch, reports_the_progress_of_all_features_from_0_to_the_total) {
  const scene here(22, 50, 3);
  for (const std::string step : {"node features", "edge features"}) {
    std::uint64_t rows_bytes = 0, done = 0, total = 0;
    for (const auto& one : step[0] == 'n' ? here.open().node_features : here.open().edge_features)
      rows_bytes += one.rows * one.row_bytes();
    here.dispatch({.on_progress = [&](const hg::progress& at) {
      if (at.step != step) return;
      EXPECT_GE(at.done, done);
      EXPECT_EQ(at.total, rows_bytes);
      done = at.done;
      total = at.total;
    }});
    EXPECT_GT(total, 0u) << step;
    EXPECT_EQ(done, total) << step;
    fs::remove_all(here.folder("out"));
  }
}

TEST(dispatch, does_not_resume_another_job_or_use_a_changed_file) {
  const scene here(22, 30, 2);
  here.partition({});
  struct stop {};
  const auto interrupt = [&] {
    EXPECT_THROW(here.dispatch({.on_progress =
                                    [](const hg::progress& at) {
                                      if (at.step == "features") throw stop{};
                                    }}),
                 stop);
  };
  interrupt();
  for (const unsigned hops : {2u, 3u}) {
    try {
      here.dispatch({.hops = hops, .resume = true});
      FAIL();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::mismatch);
      EXPECT_NE(problem.message().find("cannot be resumed"), std::string::npos);
    }
  }
  EXPECT_FALSE(here.dispatch({.resume = true}).resumed.empty())
      << "a refused run leaves what there is";
  interrupt();
  // A file that the earlier run left was damaged: its stage runs again.
  for (const std::string file :
       {"scratch/old_node", "scratch/sources", "scratch/cut_list", "part1/graph.dgl"}) {
    const auto path = here.folder(".out.halograph-tmp/" + file);
    ASSERT_TRUE(fs::exists(path)) << file;
    {
      std::fstream damage(path, std::ios::in | std::ios::out | std::ios::binary);
      damage.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
      damage.put('\x5A');
    }
    here.dispatch({.resume = true});
    expect_same(here.folder("out"), here.folder("wanted"));
    interrupt();
  }
  // Other inputs: an edge file was written again.
  const auto edges = here.folder("input/edge_index/paper:cites:paper0.txt");
  auto text = hg::testing::content_of(edges);
  ASSERT_FALSE(text.empty());
  here.folder.write("input/edge_index/paper:cites:paper0.txt", text + "\n");
  EXPECT_THROW(here.dispatch({.resume = true}), hg::error);
  // Without resume, stale files are removed.
  here.dispatch({});
  expect_same(here.folder("out"), here.folder("wanted"));
}

TEST(dispatch, removes_files_of_others_from_the_staging_folder) {
  const scene here(22, 30, 2);
  here.partition({});
  const auto litter = [&] {
    here.folder.write(".out.halograph-tmp/part7/graph.dgl", "x");
    here.folder.write(".out.halograph-tmp/part0/orig_nids.dgl", "x");
    here.folder.write(".out.halograph-tmp/junk", "x");
  };
  const auto check = [&](const hg::dispatch_result& made, bool told) {
    expect_same(here.folder("out"), here.folder("wanted"));
    EXPECT_EQ(hg::foreign_entry(here.folder("out")), std::nullopt);
    EXPECT_FALSE(fs::exists(here.folder("out/part7")));
    EXPECT_FALSE(fs::exists(here.folder("out/part0/orig_nids.dgl")));
    EXPECT_EQ(std::count_if(made.notes.begin(), made.notes.end(),
                            [](const auto& note) {
                              return note.find("nothing to resume") != std::string::npos;
                            }),
              told ? 1 : 0);
    fs::remove_all(here.folder("out"));
  };
  // Left by another command, which has no list of stages.
  litter();
  check(here.dispatch({.resume = true}), true);
  check(here.dispatch({.resume = true}), false);
  // Beside files that a run of this job left.
  struct stop {};
  EXPECT_THROW(here.dispatch({.on_progress =
                                  [](const hg::progress& at) {
                                    if (at.step == "features") throw stop{};
                                  }}),
               stop);
  litter();
  const auto made = here.dispatch({.resume = true});
  EXPECT_FALSE(made.resumed.empty());
  check(made, false);
}

TEST(dispatch, writes_changed_feature_files_again) {
  const scene here(23, 30, 2);
  here.partition({});
  struct stop {};
  // Every byte of the files that hold rows: headers, and rows of a completed and of a later
  // feature.
  for (const std::string name : {"node_feats.dgl", "edge_feats.dgl"}) {
    const auto interrupt = [&] {
      EXPECT_THROW(here.dispatch({.on_progress =
                                      [&](const hg::progress& at) {
                                        if (at.step == "finish") throw stop{};
                                      }}),
                   stop);
    };
    interrupt();
    const auto path = here.folder(".out.halograph-tmp/part1/" + name);
    const auto size = fs::file_size(path);
    for (std::uintmax_t place = 0; place < size; place += 1 + size / 23) {
      {
        std::fstream damage(path, std::ios::in | std::ios::out | std::ios::binary);
        damage.seekg(static_cast<std::streamoff>(place));
        const int byte = damage.get();
        damage.seekp(static_cast<std::streamoff>(place));
        damage.put(static_cast<char>(byte ^ 0x11));
      }
      // Without the records that the files are complete, as if the run had been killed before.
      const auto stages = here.folder(".out.halograph-tmp/" + std::string(hg::stages_name));
      const auto list = hg::testing::content_of(stages);
      const auto last = list.rfind(" features ");
      ASSERT_NE(last, std::string::npos);
      std::ofstream(stages, std::ios::binary) << list.substr(0, list.rfind('\n', last) + 1);
      const auto made = here.dispatch({.resume = true});
      EXPECT_FALSE(made.resumed.empty());
      expect_same(here.folder("out"), here.folder("wanted"));
      fs::remove_all(here.folder("out"));
      interrupt();
    }
  }
}

TEST(dispatch, counts_parts_without_metadata) {
  const scene here(8, 20, 4);
  EXPECT_EQ(hg::count_parts_assigned(here.folder("assignment"), here.data.schema,
                                     here.data.node_counts, hg::read_files{}),
            4u);
}

TEST(dispatch, writes_a_script_that_copies_to_machines) {
  const scene here(9, 20, 4);
  here.dispatch({.machines = {{"10.0.0.1", {}}, {"10.0.0.2", {}}}});
  const auto script = here.folder("out/copy_to_machines.sh");
  EXPECT_NE(fs::status(script).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_NE(hg::testing::content_of(script).find(
                "copy '10.0.0.2' 'drawn.json' 'owners.npy' '.halograph-manifest' part1 part3"),
            std::string::npos);
  EXPECT_EQ(hg::foreign_entry(here.folder("out")), std::nullopt);
  EXPECT_THROW(here.dispatch({.machines = {{"a", {}}, {"b", {}}, {"c", {}}}}), hg::error);
}

TEST(dispatch, writes_a_graph_without_nodes_or_edges) {
  temporary_folder folder;
  graph_data data;
  data.name = "empty";
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {0};
  data.edges.resize(1);
  data.finish();
  hg::write_chunked(data, folder("input"));
  const auto input = hg::testing::open_chunks(folder("input"));
  hg::dispatch_at<std::uint32_t, std::uint32_t>(input, folder("none"), 2,
                                                hg::dgl_folder{folder("out")}, {});
  hg::partition_graph(data, hg::given{.parts = 2, .owners = {}}, hg::dgl_folder{folder("wanted")},
                      {.graph_name = "empty", .part_method = "given"});
  expect_same(folder("out"), folder("wanted"));
}

}  // namespace
