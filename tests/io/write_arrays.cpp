// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"
#include "support/words.hpp"

#include <halograph/io/write_arrays.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;

hg::tensor array_of(const std::string& path) { return hg::read_npy(hg::read_files{}(path), path); }
std::vector<std::int64_t> numbers_of(const std::string& path) {
  const hg::tensor all = array_of(path);
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < hg::element_count(all.shape()); ++i) out.push_back(all.integer(i));
  return out;
}
/// The dataset as a stream, which it must outlive.
hg::streamed_graph stream_of(const hg::dataset<>& data) {
  return hg::stream_graph(data.graph(), data.schema, data.features, data.name);
}
std::string text_of(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}
void write_bolt(const hg::streamed_graph& g, const std::string& folder,
                const hg::write_arrays_options& options = {}) {
  hg::staged_folder staged(folder);
  hg::write_graphbolt(g, staged, options);
  staged.commit();
}
void write_parts(const hg::streamed_graph& g, const std::vector<hg::part_id>& owner,
                 hg::part_id parts, const std::string& folder,
                 const hg::write_arrays_options& options = {}) {
  hg::staged_folder staged(folder);
  hg::write_pyg(g, owner, parts, staged, options);
  staged.commit();
}
/// Of all files in a folder, by name.
std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& one : std::filesystem::recursive_directory_iterator(folder)) {
    if (one.is_regular_file())
      out[std::filesystem::relative(one.path(), folder).string()] = text_of(one.path().string());
  }
  return out;
}

TEST(write_graphbolt, names_what_is_in_a_graph_without_types) {
  const temporary_folder place;
  auto data = small_dataset(1, false);
  data.name = "my \"graph\" \xC3\xA9";
  write_bolt(stream_of(data), place("out"));
  EXPECT_EQ(text_of(place("out/metadata.yaml")),
            "dataset_name: \"my \\\"graph\\\" \\U000000E9\"\n"
            "graph:\n"
            "  nodes:\n"
            "    - num: 30\n"
            "  edges:\n"
            "    - format: numpy\n"
            "      path: \"edges/edges.npy\"\n"
            "feature_data:\n"
            "  - domain: node\n"
            "    name: \"x\"\n"
            "    format: numpy\n"
            "    path: \"node_data/x.npy\"\n"
            "  - domain: edge\n"
            "    name: \"w\"\n"
            "    format: numpy\n"
            "    path: \"edge_data/w.npy\"\n");
  EXPECT_EQ(array_of(place("out/node_data/x.npy")), data.features.nodes[0].rows.chunks()[0]);
  EXPECT_EQ(array_of(place("out/edge_data/w.npy")), data.features.edges[0].rows.chunks()[0]);
  EXPECT_EQ(array_of(place("out/edges/edges.npy")).shape(), (hg::tensor_shape{2, 60}));
  const auto ends = array_of(place("out/edges/edges.npy")).values<std::int64_t>();
  const auto& columns = data.edges[0];
  EXPECT_TRUE(std::equal(columns.source.begin(), columns.source.end(), ends.begin()));
  EXPECT_TRUE(std::equal(columns.target.begin(), columns.target.end(), ends.begin() + 60));
  EXPECT_FALSE(std::filesystem::exists(place("out/csc/types.json")));
}

TEST(write_graphbolt, orders_types_by_name_as_graphbolt_does) {
  const temporary_folder place;
  const auto data = small_dataset(2, true);
  write_bolt(stream_of(data), place("out"));
  const std::string yaml = text_of(place("out/metadata.yaml"));
  EXPECT_LT(yaml.find("type: \"item\"\n      num: 15"), yaml.find("type: \"user\"\n      num: 30"));
  EXPECT_NE(yaml.find("path: \"edges/user:buys:item.npy\""), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("  - domain: node\n    type: \"user\"\n    name: \"x\""), std::string::npos);
  EXPECT_EQ(numbers_of(place("out/csc/node_type_offset.npy")),
            (std::vector<std::int64_t>{0, 15, 45}));
  EXPECT_EQ(array_of(place("out/csc/type_per_edge.npy")).type(), hg::dtype::uint8);
  EXPECT_EQ(array_of(place("out/csc/indices.npy")).type(), hg::dtype::int32);
}

/// Edges of all types, from the CSC arrays and from the graph.
void expect_same_edges(const hg::dataset<>& data, const std::string& folder) {
  const bool typed = data.schema != hg::graph_schema::homogeneous();
  const auto begin = numbers_of(folder + "/csc/csc_indptr.npy"),
             sources = numbers_of(folder + "/csc/indices.npy"),
             ids = numbers_of(folder + "/csc/original_edge_id.npy");
  const auto types = typed ? numbers_of(folder + "/csc/type_per_edge.npy")
                           : std::vector<std::int64_t>(sources.size());
  // Types by name, written down anew.
  std::vector<std::pair<std::string, std::size_t>> node_types, edge_types;
  for (std::size_t t = 0; t < data.node_counts.size(); ++t)
    node_types.emplace_back(data.schema.node_types()[t], t);
  for (std::size_t r = 0; r < data.edges.size(); ++r)
    edge_types.emplace_back(data.schema.edge_types()[r].str(), r);
  std::sort(node_types.begin(), node_types.end());
  std::sort(edge_types.begin(), edge_types.end());
  std::vector<std::int64_t> base(node_types.size());
  std::int64_t nodes = 0;
  for (const auto& [name, t] : node_types) {
    base[t] = nodes;
    nodes += static_cast<std::int64_t>(data.node_counts[t]);
  }
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> expected, found;
  for (std::size_t i = 0; i < edge_types.size(); ++i) {
    const std::size_t r = edge_types[i].second;
    const auto type = static_cast<hg::type_id>(r);
    for (std::size_t e = 0; e < data.edges[r].source.size(); ++e) {
      expected.emplace_back(
          base[data.schema.target_type(type)] + static_cast<std::int64_t>(data.edges[r].target[e]),
          static_cast<std::int64_t>(i), static_cast<std::int64_t>(e),
          base[data.schema.source_type(type)] + static_cast<std::int64_t>(data.edges[r].source[e]));
    }
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(begin.size(), static_cast<std::size_t>(nodes) + 1);
  for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
    for (auto i = static_cast<std::size_t>(begin[v]); i < static_cast<std::size_t>(begin[v + 1]);
         ++i)
      found.emplace_back(static_cast<std::int64_t>(v), types[i], ids[i], sources[i]);
  }
  EXPECT_EQ(found, expected);
}

TEST(write_graphbolt, puts_edges_in_columns_whatever_the_memory) {
  for (const bool typed : {false, true}) {
    const temporary_folder place;
    const auto data = small_dataset(4, typed);
    write_bolt(stream_of(data), place("out"));
    expect_same_edges(data, place("out"));
    write_bolt(stream_of(data), place("narrow"), {.memory = 32 * 20});
    EXPECT_EQ(files_of(place("narrow")), files_of(place("out")));
  }
}

TEST(write_graphbolt, refuses_what_memory_does_not_hold) {
  const temporary_folder place;
  const auto data = small_dataset(4, false);
  const auto code = [&](const hg::write_arrays_options& options) {
    return refusal_of([&] { write_bolt(stream_of(data), place("out"), options); }).code();
  };
  EXPECT_EQ(code({.most_bytes = 400}), hg::error_kind::memory);
  EXPECT_EQ(code({.memory = 32}), hg::error_kind::memory) << "one edge at a time";
  EXPECT_FALSE(std::filesystem::exists(place("out")));
}

TEST(write_graphbolt, refuses_edges_that_change_while_they_are_read) {
  const temporary_folder place;
  auto g = hg::stream_dataset(small_dataset(4, false));
  auto count = std::make_shared<int>(0);
  g.read_edges = [count](hg::type_id, std::uint64_t first, std::uint64_t,
                         const hg::edge_block_visitor& visit) {
    const std::vector<std::uint64_t> all(60, static_cast<std::uint64_t>((*count)++));
    visit(all, all, first);
  };
  EXPECT_EQ(refusal_of([&] { write_bolt(g, place("out")); }).code(), hg::error_kind::mismatch);
}

TEST(write_pyg, puts_each_edge_into_the_part_of_its_target) {
  for (const bool typed : {false, true}) {
    SCOPED_TRACE(typed);
    const temporary_folder place;
    const auto data = small_dataset(5, typed);
    constexpr hg::part_id parts = 3;
    const auto owner = drawn_owners(data.num_nodes(), parts, 6);
    write_parts(stream_of(data), owner, parts, place("out"));
    write_parts(stream_of(data), owner, parts, place("narrow"), {.memory = 32 * 20});
    EXPECT_EQ(files_of(place("narrow")), files_of(place("out")));
    std::vector<std::uint64_t> first{0};
    for (const auto count : data.node_counts) first.push_back(first.back() + count);
    for (std::size_t t = 0; t < data.node_counts.size(); ++t) {
      const std::string& type = data.schema.node_types()[t];
      const auto map = numbers_of(
          place(typed ? "out/node_map/" + type + ".npy" : std::string("out/node_map.npy")));
      const auto x = data.features.nodes[t].rows.chunks()[0].values<float>();
      std::vector<std::vector<std::int64_t>> ids(parts);
      for (std::uint64_t v = 0; v < data.node_counts[t]; ++v) {
        EXPECT_EQ(map.at(v), owner[first[t] + v]);
        ids[owner[first[t] + v]].push_back(static_cast<std::int64_t>(first[t] + v));
      }
      for (std::size_t p = 0; p < parts; ++p) {
        const std::string at = place("out/part_" + std::to_string(p) + "/node_feats/" +
                                     (typed ? type + "/" : std::string()));
        EXPECT_EQ(numbers_of(at + "global_id.npy"), ids[p]);
        const hg::tensor rows = array_of(at + "feats/x.npy");
        EXPECT_EQ(rows.shape(), (hg::tensor_shape{ids[p].size(), 2}));
        const auto values = rows.values<float>();
        for (std::size_t i = 0; i < ids[p].size(); ++i) {
          const auto v = static_cast<std::size_t>(ids[p][i]) - first[t];
          EXPECT_EQ(values[2 * i], x[2 * v]);
          EXPECT_EQ(values[2 * i + 1], x[2 * v + 1]);
        }
        EXPECT_EQ(std::filesystem::exists(at + "id.npy"), typed);
      }
    }
    std::int64_t edges = 0;
    for (std::size_t r = 0; r < data.edges.size(); ++r) {
      const auto& columns = data.edges[r];
      const auto r_id = static_cast<hg::type_id>(r);
      const auto& name = data.schema.edge_types()[r];
      const std::string type = name.source + "__" + name.relation + "__" + name.target;
      const auto target = data.schema.target_type(r_id);
      std::vector<std::vector<std::pair<std::uint64_t, std::size_t>>> in(parts);
      const auto map = numbers_of(
          place(typed ? "out/edge_map/" + type + ".npy" : std::string("out/edge_map.npy")));
      for (std::size_t e = 0; e < columns.source.size(); ++e) {
        const auto p = owner[first[target] + columns.target[e]];
        EXPECT_EQ(map.at(e), p);
        in[p].emplace_back(columns.target[e], e);
      }
      for (std::size_t p = 0; p < parts; ++p) {
        const std::string part = place("out/part_" + std::to_string(p)),
                          below = typed ? type + "/" : std::string();
        std::vector<std::int64_t> kept, w;
        for (const auto& [v, e] : in[p]) kept.push_back(static_cast<std::int64_t>(e));
        for (const auto e : kept) w.push_back(10 * e);
        EXPECT_EQ(numbers_of(part + "/edge_feats/" + below + "global_id.npy"), kept);
        EXPECT_EQ(numbers_of(part + "/edge_feats/" + below + "feats/w.npy"), w);
        std::sort(in[p].begin(), in[p].end());
        std::vector<std::int64_t> row, col, id;
        for (const auto& [v, e] : in[p]) {
          row.push_back(static_cast<std::int64_t>(columns.source[e]));
          col.push_back(static_cast<std::int64_t>(v));
          id.push_back(edges + static_cast<std::int64_t>(e));
        }
        EXPECT_EQ(numbers_of(part + "/graph/" + below + "row.npy"), row);
        EXPECT_EQ(numbers_of(part + "/graph/" + below + "col.npy"), col);
        EXPECT_EQ(numbers_of(part + "/graph/" + below + "edge_id.npy"), id);
        EXPECT_EQ(numbers_of(part + "/graph/" + below + "size.npy"),
                  (std::vector<std::int64_t>{
                      static_cast<std::int64_t>(data.node_counts[data.schema.source_type(r_id)]),
                      static_cast<std::int64_t>(data.node_counts[target])}));
      }
      edges += static_cast<std::int64_t>(columns.source.size());
    }
  }
}

TEST(write_pyg, writes_parts_that_own_nothing_and_more_than_are_open_at_once) {
  const temporary_folder place;
  const auto data = small_dataset(5, false);
  constexpr hg::part_id parts = 66;
  const auto owner = drawn_owners(data.num_nodes(), parts, 6);
  write_parts(stream_of(data), owner, parts, place("out"));
  std::uint64_t nodes = 0, edges = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::string part = place("out/part_" + std::to_string(p));
    nodes += array_of(part + "/node_feats/feats/x.npy").rows();
    edges += array_of(part + "/graph/row.npy").rows();
  }
  EXPECT_EQ(nodes, 30u);
  EXPECT_EQ(edges, 60u);
  EXPECT_NE(text_of(place("out/META.json")).find("\"is_hetero\": false"), std::string::npos);
}

TEST(write_pyg, writes_features_of_several_blocks) {
  const temporary_folder place;
  const auto data = small_dataset(5, false, 300'000, 3);
  std::vector<hg::part_id> owner;
  for (std::uint64_t v = 0; v < data.num_nodes(); ++v) owner.push_back(v % 2);
  write_parts(stream_of(data), owner, 2, place("out"));
  for (std::size_t p = 0; p < 2; ++p) {
    const auto x = array_of(place("out/part_" + std::to_string(p) + "/node_feats/feats/x.npy"))
                       .values<float>();
    ASSERT_EQ(x.size(), 300'000u);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(x[i], static_cast<float>(4 * (i / 2) + 2 * p + i % 2)) << p << " " << i;
  }
}

TEST(write_pyg, refuses_parts_that_do_not_fit_and_names_that_become_one) {
  const temporary_folder place;
  const auto data = small_dataset(5, false);
  const auto code = [&](const hg::dataset<>& of, std::size_t owners, hg::part_id part) {
    return refusal_of([&] {
             write_parts(stream_of(of), std::vector<hg::part_id>(owners, part), 2, place("out"));
           })
        .code();
  };
  EXPECT_EQ(code(data, 29, 0), hg::error_kind::mismatch);
  EXPECT_EQ(code(data, 30, 2), hg::error_kind::out_of_range);
  hg::dataset<> twice;
  twice.name = "g";
  for (const char* type : {"a", "a__b", "c"}) twice.schema.add_node_type(type);
  twice.schema.add_edge_type({"a", "b__r", "c"});
  twice.schema.add_edge_type({"a__b", "r", "c"});
  twice.node_counts = {1, 1, 1};
  twice.edges.resize(2);
  twice.finish();
  const auto refused = refusal_of(
      [&] { write_parts(stream_of(twice), std::vector<hg::part_id>(3), 2, place("out")); });
  EXPECT_EQ(refused.code(), hg::error_kind::exists);
  EXPECT_NE(refused.message().find("two edge types become"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(place("out")));
}

TEST(write_pyg, takes_owners_of_any_integer_type) {
  const temporary_folder place;
  const auto data = small_dataset(1, false);
  std::vector<hg::part_id> owner(data.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<hg::part_id>(v % 2);
  write_parts(stream_of(data), owner, 2, place("plain"));
  std::vector<std::int16_t> narrow(owner.begin(), owner.end());
  {
    hg::staged_folder staged(place("narrow"));
    hg::write_pyg(stream_of(data), narrow, 2, staged);
    staged.commit();
  }
  EXPECT_EQ(files_of(place("narrow")), files_of(place("plain")));
  narrow[1] = -1;
  hg::staged_folder staged(place("no"));
  try {
    hg::write_pyg(stream_of(data), narrow, 2, staged);
    FAIL() << "a negative part is accepted";
  } catch (const hg::error& problem) {
    EXPECT_STREQ(problem.what(), "node 1 has part -1; there are 2");
  }
}

}  // namespace
