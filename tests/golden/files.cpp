// SPDX-License-Identifier: BSL-1.0
// Every single file that DGL wrote is read as DGL reads it, and survives our writing.
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace hg = halograph;
namespace dgl = halograph::dgl;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const fs::path folder = fs::path(HALOGRAPH_SHARED_DIR) / "golden" / "files";

json expected(const fs::path& kind, const std::string& name) {
  std::ifstream in(folder / kind / "expected" / (name + ".json"));
  return json::parse(in);
}

std::vector<std::string> names(const fs::path& kind) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder / kind / "dgl"))
    found.insert(entry.path().stem());
  return {found.begin(), found.end()};
}

/// {dtype, shape, data} or {dtype, shape, file}; .npy holds bfloat16 and the like as DGL gives
/// them.
void expect_tensor(const hg::tensor& found, const json& wanted, const fs::path& kind,
                   const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(hg::name(found.type()), wanted.at("dtype").get<std::string>());
  ASSERT_EQ(found.shape(), wanted.at("shape").get<hg::tensor_shape>());
  if (wanted.contains("file")) {
    const std::string path = folder / kind / "expected" / wanted.at("file").get<std::string>();
    EXPECT_EQ(found, hg::read_npy(hg::read_files{}(path), path));
  } else {
    const auto data = wanted.at("data").get<std::vector<std::int64_t>>();
    ASSERT_EQ(data.size(), hg::element_count(found.shape()));
    for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(found.integer(i), data[i]) << i;
  }
}

void expect_tensors(const std::vector<hg::named_tensor>& found, const json& wanted,
                    const fs::path& kind) {
  EXPECT_EQ(found.size(), wanted.size());
  for (const auto& one : found) {
    ASSERT_TRUE(wanted.contains(one.name)) << one.name;
    expect_tensor(one.value, wanted.at(one.name), kind, one.name);
  }
}

void expect_compressed(const std::optional<hg::compressed_columns>& found, const json& relation,
                       const char* format) {
  ASSERT_EQ(found.has_value(), relation.contains(format)) << format;
  if (!found) return;
  const json& wanted = relation.at(format);
  expect_tensor(found->offsets, wanted.at("indptr"), "graphs", "indptr");
  expect_tensor(found->neighbors, wanted.at("indices"), "graphs", "indices");
  if (found->edges.rows() != 0 || found->neighbors.rows() == 0) {
    ASSERT_EQ(found->edges.rows(), wanted.at("eids").at("data").size());
    if (found->edges.rows() != 0) expect_tensor(found->edges, wanted.at("eids"), "graphs", "eids");
  } else {
    for (std::size_t i = 0; i < found->neighbors.rows(); ++i)
      ASSERT_EQ(wanted.at("eids").at("data")[i], i);
  }
}

void expect_graph(const dgl::graph_data& found, const json& wanted) {
  ASSERT_EQ(found.node_types.size(), wanted.at("ntypes").size());
  for (std::size_t t = 0; t < found.node_types.size(); ++t) {
    const auto& type = found.node_types[t];
    EXPECT_EQ(type.name, wanted.at("ntypes")[t]);
    EXPECT_EQ(type.nodes, wanted.at("num_nodes").at(type.name));
    expect_tensors(type.columns, wanted.at("ndata").at(type.name), "graphs");
  }
  ASSERT_EQ(found.relations.size(), wanted.at("etypes").size());
  for (std::size_t r = 0; r < found.relations.size(); ++r) {
    const auto& edges = found.relations[r];
    const std::string name = found.node_types[edges.source].name + ":" + edges.name + ":" +
                             found.node_types[edges.target].name;
    SCOPED_TRACE(name);
    ASSERT_EQ(name, wanted.at("etypes")[r]);
    const json& relation = wanted.at("relations").at(name);
    EXPECT_EQ(edges.edges, relation.at("num_edges"));
    std::string allowed;
    for (const auto& format : wanted.at("formats_allowed"))
      allowed += (allowed.empty() ? "" : ",") + format.get<std::string>();
    EXPECT_EQ(edges.allowed, hg::sparse_formats::parse(allowed));
    ASSERT_EQ(edges.coo.has_value(), relation.contains("coo"));
    if (edges.coo) {
      expect_tensor(edges.coo->source, relation.at("coo").at("src"), "graphs", "src");
      expect_tensor(edges.coo->target, relation.at("coo").at("dst"), "graphs", "dst");
    }
    expect_compressed(edges.csr, relation, "csr");
    expect_compressed(edges.csc, relation, "csc");
    expect_tensors(edges.columns, wanted.at("edata").at(name), "graphs");
  }
}

void expect_file(const dgl::graph_file& found, const json& wanted) {
  expect_tensors(found.labels, wanted.at("labels"), "graphs");
  ASSERT_EQ(found.graphs.size(), wanted.at("num_graphs"));
  for (std::size_t i = 0; i < found.graphs.size(); ++i) {
    SCOPED_TRACE("graph " + std::to_string(i));
    expect_graph(found.graphs[i], wanted.at("graphs")[i]);
  }
}

}  // namespace

TEST(golden_files, are_all_there) {
  EXPECT_EQ(names("tensors").size(), 11u);
  EXPECT_EQ(names("graphs").size(), 22u);
}

TEST(golden_files, of_tensors_are_read_as_dgl_reads_them) {
  for (const auto& name : names("tensors")) {
    SCOPED_TRACE(name);
    const std::string path = folder / "tensors" / "dgl" / (name + ".dgl");
    const auto found = dgl::read_tensors(hg::read_files{}(path), path);
    const json wanted = expected("tensors", name).at("tensors");
    expect_tensors(found, wanted, "tensors");

    hg::memory_sink sink;
    dgl::write_tensors(sink, found);
    // Rank 0 is written as [1].
    if (name != "scalar")
      expect_tensors(dgl::read_tensors({sink.bytes(), nullptr}, name), wanted, "tensors");
  }
}

TEST(golden_files, of_graphs_are_read_as_dgl_reads_them) {
  for (const auto& name : names("graphs")) {
    SCOPED_TRACE(name);
    const std::string path = folder / "graphs" / "dgl" / (name + ".dgl");
    const json wanted = expected("graphs", name);
    const auto found = dgl::read_graphs(hg::read_files{}(path), path);
    expect_file(found, wanted);

    hg::memory_sink sink;
    dgl::write_graphs(sink, found);
    expect_file(dgl::read_graphs({sink.bytes(), nullptr}, name), wanted);
  }
}

TEST(golden_files, of_several_graphs_give_some_of_them) {
  for (const char* name : {"homo_three", "hetero_three"}) {
    SCOPED_TRACE(name);
    const std::string path = folder / "graphs" / "dgl" / (std::string(name) + ".dgl");
    const json wanted = expected("graphs", name);
    const std::uint64_t positions[] = {2, 1};
    const auto found = dgl::read_graphs_at(hg::read_files{}(path), path, positions);
    ASSERT_EQ(found.graphs.size(), 2u);
    expect_graph(found.graphs[0], wanted.at("graphs")[2]);
    expect_graph(found.graphs[1], wanted.at("graphs")[1]);
  }
}

TEST(golden_files, of_all_golden_parts_are_read) {
  std::size_t graphs = 0;
  for (const char* kind : {"partition", "dispatch"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder.parent_path() / kind)) {
      if (entry.path().extension() != ".dgl") continue;
      const auto data = hg::read_files{}(entry.path().string());
      if (dgl::kind_of(data.bytes) == dgl::file_kind::graphs) {
        const auto content = dgl::read_graphs(data, entry.path().string());
        ASSERT_EQ(content.graphs.size(), 1u);
        ++graphs;
      } else {
        dgl::read_tensors(data, entry.path().string());
      }
    }
  }
  EXPECT_GT(graphs, 60u);
}
