// SPDX-License-Identifier: BSL-1.0
// slow: half a minute to compile, every reader on every archetype
// Everything that reads, streams, chunks, assigns and dispatches inputs, run on archetypes of
// openers, codecs, executors, tables and feature stores. tests/structure/algorithms.cpp checks that
// no algorithm is missing.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/chunked/generate.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/formats/plain.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/convert_ranks.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/import.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/parmetis/ranks.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;
using hg::testing::npy;
using hg::testing::temporary_folder;

namespace {

const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 2}};

const archetype::executor pool(0);
const hg::any_json_codec codec(archetype::json_codec([](std::string_view text,
                                                        hg::json::value& out) {
  return hg::nlohmann_codec{}.parse(text, out);
}));
hg::any_file_opener disk() {
  return archetype::file_opener([](const std::string& path) { return hg::read_files{}(path); });
}
hg::basic_feature_set<archetype::feature_store> pairs() {
  hg::basic_feature_set<archetype::feature_store> set;
  set.nodes.push_back({0, "pair", archetype::feature_store(4)});
  return set;
}
archetype::able_partitioner two_parts() {
  archetype::able_partitioner policy(0);
  policy.parts = 2;
  return policy;
}

TEST(on_openers, text_and_arrays_of_every_kind) {
  const temporary_folder place;
  const auto open = disk();
  place.write("list.txt", "0 3\n1 2\n");
  EXPECT_EQ(hg::read_edge_list(place("list.txt"), {}, open, pool).num_edges(), 2u);
  EXPECT_EQ(hg::stream_edge_list(place("list.txt"), {}, open, pool).edge_counts[0], 2u);
  place.write("mesh.graph", "3 2\n2\n1 3\n2\n");
  EXPECT_EQ(hg::read_metis_graph(place("mesh.graph"), open).num_nodes(), 3u);
  place.write(
      "plain/meta.json",
      R"({"name": "p", "directed": true, "num_nodes": {"a": 3, "b": 2}, "num_edges": {"a:to:b": 2}})");
  place.write("plain/edges/a.to.b.txt", "0 1\n2 0\n");
  EXPECT_EQ(hg::read_plain(place("plain"), {}, open, codec, pool).num_edges(), 2u);
  EXPECT_EQ(hg::load_dataset(place("plain"), {}, open, codec, pool).num_edges(), 2u);
  place.write("hosts.txt", "10.0.0.1 30050\n10.0.0.2 30050\n");
  EXPECT_EQ(hg::read_ip_config(place("hosts.txt"), open).size(), 2u);

  place.write("ogb/a___to___a/edge_index.npy", npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 2}));
  const auto ogb = hg::stream_ogb(place("ogb"), open, codec);
  EXPECT_EQ(ogb.edge_counts[0], 2u);
  EXPECT_EQ((hg::materialize<std::int16_t, std::int16_t>(ogb).num_edges()), 2u);
  EXPECT_EQ(hg::recognize_input(place("ogb"), open, codec).format, hg::input_format::ogb);
  place.write(
      "tables/spec.json",
      R"({"nodes": {"a": {"keys": "integer"}}, "edges": {"a:to:a": {"files": ["e.csv"], "source": "x", "target": "y"}}})");
  place.write("tables/e.csv", "x,y\n7,9\n9,9\n");
  const hg::tables_spec spec = hg::read_tables_spec(place("tables/spec.json"), open, codec);
  EXPECT_EQ(hg::stream_tables(spec, {.scratch = place()}, open).node_counts[0], 2u);

  hg::dgl::graph_file content;
  hg::dgl::graph_data graph;
  graph.node_types.push_back({.name = "_N", .nodes = 2});
  graph.relations.push_back({.name = "_E", .edges = 1});
  graph.relations[0].coo = hg::coo_columns{hg::tensor::from(std::vector<std::int64_t>{0}),
                                           hg::tensor::from(std::vector<std::int64_t>{1})};
  content.graphs.push_back(graph);
  hg::memory_sink sink;
  hg::dgl::write_graphs(sink, content);
  place.write("g.dgl", hg::testing::text_of(sink.bytes()));
  EXPECT_EQ(hg::read_dgl_graph(place("g.dgl"), {}, open).num_edges(), 1u);
  EXPECT_EQ(hg::stream_dgl_graph(place("g.dgl"), {}, open).edge_counts[0], 1u);

  place.write("features/_N/feat.npy", npy<float>("<f4", "(4,)", {1, 2, 3, 4}));
  EXPECT_EQ(hg::read_feature_folder(place("features"), hg::graph_schema::homogeneous(), open)
                .nodes.size(),
            1u);
}

// Every way to chunk a graph through archetypes gives the same edges.
struct on_chunks : testing::Test {
  temporary_folder place{};
  archetype::tables::all_tables all{};
  hg::basic_feature_set<archetype::feature_store> features = pairs();
  archetype::tables tables() { return archetype::tables(all); }
  hg::chunked_graph open() {
    return hg::open_chunked(place("in"), disk(), codec, tables(), {}, pool);
  }
  void SetUp() override {
    // Not staged: tables in memory stay where they were written.
    std::filesystem::create_directories(place("in"));
    hg::write_chunked(
        hg::stream_graph(archetype::graph(4, edges), hg::graph_schema::homogeneous(), features,
                         "ring"),
        place("in"),
        {.chunks = 2, .edges = hg::chunk_format::parquet, .features = hg::chunk_format::parquet},
        tables());
  }
};

TEST_F(on_chunks, graphs_streams_and_generators_are_written) {
  EXPECT_FALSE(all.empty());
  const archetype::graph graph(4, edges);
  const auto homogeneous = hg::graph_schema::homogeneous();
  const auto set = pairs();
  hg::chunk_graph(graph, set, place("untyped"), {.edges = hg::chunk_format::parquet}, tables());
  hg::chunk_graph(graph, homogeneous, set, place("again"), {.edges = hg::chunk_format::parquet},
                  tables());
  const auto stream = hg::stream_graph(graph, homogeneous, set, "streamed");
  hg::chunk_graph(stream, place("stream"), {.edges = hg::chunk_format::parquet}, tables(), pool);
  {
    hg::staged_folder staged(place("staged"));
    EXPECT_FALSE(
        hg::write_chunks(stream, staged, {.edges = hg::chunk_format::parquet}, tables(), pool)
            .files.empty());
  }
  std::filesystem::create_directories(place("plain"));
  hg::write_chunked(stream, place("plain"), {.edges = hg::chunk_format::parquet}, tables(), pool);
  const std::vector<std::int8_t> from{0, 1}, to{1, 2};
  const std::vector<hg::relation_view<std::int8_t>> relations{{0, 0, from, to}};
  std::filesystem::create_directories(place("columns"));
  hg::write_chunked(homogeneous, std::vector<std::uint64_t>{4},
                    std::span<const hg::relation_view<std::int8_t>>(relations), set, "columns",
                    place("columns"), {.edges = hg::chunk_format::parquet}, tables());
  const hg::streamed_feature feature = hg::stream_feature(0, "pair", archetype::feature_store(4));
  EXPECT_EQ(feature.rows, 4u);

  const auto ring = hg::make_generated("ring", archetype::generator(5));
  EXPECT_EQ(hg::stream_generated(ring, 1, 0, pool).edge_counts[0], 5u);
  std::filesystem::create_directories(place("ring"));
  hg::generate_chunked(ring, place("ring"), {}, pool);
  EXPECT_EQ(hg::read_chunked(place("ring"), {}, disk(), codec, pool).num_edges(), 5u);
}

TEST_F(on_chunks, are_opened_read_and_streamed) {
  const auto graph = open();
  EXPECT_EQ(graph.edge_counts, (std::vector<std::uint64_t>{5}));
  const hg::chunked_rows rows(graph, graph.node_features.at(0));
  EXPECT_EQ(rows.rows(), 4u);
  const hg::chunked_graph& same = graph;
  EXPECT_EQ(same.num_nodes(), 4u);
  EXPECT_EQ(hg::stream_graph(open()).edge_counts[0], 5u);
  EXPECT_EQ(hg::read_chunked(place("in"), {}, disk(), codec, pool, tables()).num_edges(), 5u);
  EXPECT_EQ(hg::load_dataset(place("in"), {}, disk(), codec, pool, tables()).num_nodes(), 4u);
  using formats = hg::format_set<archetype::serializer>;
  const formats known{archetype::serializer(0)};
  EXPECT_EQ(hg::open_stream(place("in"), {.scratch = place()}, disk(), codec, known, tables(), pool)
                .format,
            "chunked graph");
  EXPECT_EQ(hg::copy_chunked(
                place("in"), place("out"), {}, [](const std::string&) { return disk(); }, codec,
                known, tables(), pool)
                .format(),
            "chunked graph");
}

TEST_F(on_chunks, are_shared_among_ranks) {
  const auto graph = open();
  const std::vector<std::uint8_t> owner{0, 1, 0, 1};
  const auto cut = hg::count_cut_edges_of<std::uint32_t>(graph,
                                                         std::span<const std::uint8_t>(owner));
  EXPECT_GT(cut, 0u);
  const std::vector<std::uint64_t> counts{4};
  std::filesystem::create_directories(place("shared"));
  std::filesystem::create_directories(place("whole"));
  hg::write_assignment(place("whole"), hg::graph_schema::homogeneous(), counts,
                       std::vector<int>(owner.begin(), owner.end()), 2, "metis");
  hg::run_ranks(2, [&](const hg::thread_rank& threads) {
    const archetype::communicator ranks(threads);
    hg::run_collective(ranks, [&] {
      const auto share = hg::read_chunked_share<std::uint8_t>(ranks, graph);
      const auto mine = std::span<const std::uint8_t>(owner).subspan(
          static_cast<std::size_t>(share.ranges[threads.rank()]), share.num_nodes());
      EXPECT_EQ(hg::all_reduce_sum(ranks, hg::count_cut_edges_of_share(ranks, graph, share, mine)),
                cut);
      hg::write_assignment_share(ranks, place("shared"), hg::graph_schema::homogeneous(), counts,
                                 share.ranges, mine, 2, "metis");
    });
    EXPECT_EQ(hg::estimate_assign(two_parts(), 4, 5, 1, {}, ranks).edges, hg::edge_access::loaded);
  });
  const auto one_more = disk();
  const auto read = hg::read_assignment(place("shared"), hg::graph_schema::homogeneous(), counts,
                                        {}, one_more, codec);
  EXPECT_EQ(read.owner, std::vector<hg::part_id>(owner.begin(), owner.end()));
  EXPECT_EQ(hg::read_assignment(place("whole"), hg::graph_schema::homogeneous(), counts, {},
                                one_more, codec)
                .owner,
            read.owner);
}

TEST_F(on_chunks, are_assigned_and_dispatched) {
  const auto graph = open();
  const auto policy = two_parts();
  hg::assign_chunked(graph, policy, place("parts"), {}, pool);
  std::vector<std::uint8_t> owner(4);
  hg::assign_chunked_into<std::uint32_t, std::uint32_t>(graph, policy, std::span(owner),
                                                        std::uint64_t{1} << 20, place(), {}, pool);
  EXPECT_EQ(owner, (std::vector<std::uint8_t>{1, 1, 1, 1}));
  EXPECT_EQ((hg::count_cut_edges_of<std::uint32_t>(graph, std::span<const std::uint8_t>(owner), {},
                                                   pool)),
            0u);
  const auto one_more = disk();
  EXPECT_EQ(hg::resolve_num_parts(place("parts"), {}, {}, one_more, codec).parts, 2u);
  const std::vector<std::uint64_t> counts{4};
  const auto homogeneous = hg::graph_schema::homogeneous();
  EXPECT_EQ(
      hg::read_assignment(place("parts"), homogeneous, counts, {}, one_more, codec, pool).parts,
      2u);
  EXPECT_EQ(hg::count_parts_assigned(place("parts"), homogeneous, counts, one_more, pool), 2u);
  std::size_t lines = 0;
  hg::for_each_part_assigned(
      place("parts/_N.txt"), "_N", 4, 1, one_more, pool,
      [&](std::span<const std::int32_t> values, std::uint64_t) { lines += values.size(); });
  EXPECT_EQ(lines, 4u);

  const hg::format_folder<archetype::serializer> target{place("out"), archetype::serializer(0)},
      wide{place("wide"), archetype::serializer(0)};
  hg::dispatch(graph, place("parts"), 2, target, {}, pool);
  hg::dispatch_at<std::uint32_t, std::uint32_t>(graph, place("parts"), 2, wide, {}, pool);
  EXPECT_EQ(hg::testing::content_of(place("out/part1/graph.hgp")),
            hg::testing::content_of(place("wide/part1/graph.hgp")));
}

// The minimal target of copied files.
struct plain_output {
  std::string folder;
  void add(const std::string&) {}
  const std::string& path() const { return folder; }
};

TEST(on_parmetis, there_and_back) {
  const temporary_folder place;
  plain_output out{place()};
  hg::export_parmetis(archetype::graph(4, edges), hg::graph_schema::homogeneous(), pairs(), out,
                      {.graph_name = "ring"});
  const auto open = disk();
  const auto schema = hg::read_parmetis_schema(place("ring.json"), open, codec);
  EXPECT_EQ(hg::read_parmetis_stats(place("ring_stats.txt"), open).nodes, 4u);
  const auto graph = hg::read_parmetis_graph(place(), "ring", open, pool);
  const std::vector<hg::part_id> owner{0, 0, 1, 1};
  hg::write_parmetis_parts(graph, std::span<const hg::part_id>(owner), 2, out);
  hg::run_ranks(2, [&](const hg::thread_rank& threads) {
    const archetype::communicator ranks(threads);
    const auto share = hg::read_parmetis_share(ranks, place(), "ring", open, pool);
    const auto mine = std::span<const hg::part_id>(owner).subspan(
        static_cast<std::size_t>(share.ranges[threads.rank()]), share.num_nodes());
    EXPECT_EQ(hg::write_parmetis_share(ranks, share, mine, 2, place()).part_nodes,
              (std::vector<std::uint64_t>{2, 2}));
  });
  EXPECT_EQ(hg::read_parmetis_assignment(place("ring_part.2"), 4, {}, open, pool).owner, owner);
  EXPECT_EQ(hg::read_node_counts(place("ring.json"), open, codec).second,
            (std::vector<std::uint64_t>{4}));
  hg::parmetis_parts_options options;
  options.parts = 2;
  const auto parts = hg::read_parmetis_parts<std::uint8_t, std::uint8_t>(place(), "ring", schema,
                                                                         options, open, pool);
  archetype::files files;
  hg::convert_parmetis(parts, 2, archetype::partition_target(files), {.executor = pool});
  EXPECT_TRUE(files.committed);
  hg::run_ranks(2, [&](const hg::thread_rank& threads) {
    const archetype::communicator ranks(threads);
    const auto made = hg::write_parmetis_chunks(place(), "ring", schema, options, place("chunks"),
                                                open, pool, ranks);
    EXPECT_EQ(made.missing, parts.missing);
  });
  EXPECT_TRUE(std::filesystem::exists(place("chunks/metadata.json")));
}

}  // namespace
