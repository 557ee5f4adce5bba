// SPDX-License-Identifier: BSL-1.0
// The second reader, which knows nothing of the library, reads every file that DGL wrote, to the
// last byte, as DGL read it; the library's readers find the same in it.
#include "support/second_reader.hpp"

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

namespace {

namespace hg = halograph;
namespace dgl = halograph::dgl;
namespace fs = std::filesystem;
using nlohmann::json;

const fs::path golden = fs::path(HALOGRAPH_SHARED_DIR) / "golden";

std::vector<fs::path> files_of(const fs::path& below, bool graphs) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(below)) {
    if (entry.path().extension() != ".dgl") continue;
    const bool is_graph = entry.path().filename() == "graph.dgl" ||
                          entry.path().parent_path().parent_path().filename() == "graphs";
    if (is_graph == graphs) out.push_back(entry.path());
  }
  return out;
}

void expect_array(const second_reader::array& found, const json& wanted, const fs::path& folder) {
  EXPECT_EQ(found.dtype, wanted.at("dtype").get<std::string>());
  EXPECT_EQ(found.shape, wanted.at("shape").get<std::vector<std::int64_t>>());
  if (wanted.contains("file")) {
    // The elements end an .npy file: nothing follows them.
    const auto npy = second_reader::bytes_of_file(folder / wanted.at("file").get<std::string>());
    ASSERT_GE(npy.size(), found.data.size());
    EXPECT_EQ(npy.substr(npy.size() - found.data.size()), found.data);
  } else {
    EXPECT_EQ(found.integers(), wanted.at("data").get<std::vector<std::int64_t>>());
  }
}

void expect_arrays(const second_reader::arrays& found, const json& wanted, const fs::path& folder) {
  EXPECT_EQ(found.size(), wanted.size());
  for (const auto& [name, value] : found) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(wanted.contains(name));
    expect_array(value, wanted.at(name), folder);
  }
}

/// The library's answer against the second reader's.
void expect_same(const std::vector<hg::named_tensor>& ours, const second_reader::arrays& theirs) {
  EXPECT_EQ(ours.size(), theirs.size());
  for (const auto& one : ours) {
    SCOPED_TRACE(one.name);
    ASSERT_TRUE(theirs.count(one.name));
    const auto& other = theirs.at(one.name);
    EXPECT_EQ(hg::name(one.value.type()), other.dtype);
    EXPECT_EQ(std::vector<std::int64_t>(one.value.shape().begin(), one.value.shape().end()),
              other.shape);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(one.value.bytes().data()),
                          one.value.bytes().size()),
              other.data);
  }
}

json parse(const fs::path& path) {
  std::ifstream in(path);
  return json::parse(in);
}

/// Graph `wanted` as golden/README.md describes the files' JSON.
void expect_graph(const second_reader::graph& found, const json& wanted, const fs::path& folder) {
  ASSERT_EQ(found.types.size(), wanted.at("ntypes").size());
  for (std::size_t t = 0; t < found.types.size(); ++t) {
    const auto& type = found.types[t];
    EXPECT_EQ(type.name, wanted.at("ntypes")[t]);
    EXPECT_EQ(type.nodes, wanted.at("num_nodes").at(type.name));
    expect_arrays(type.columns, wanted.at("ndata").at(type.name), folder);
  }
  ASSERT_EQ(found.relations.size(), wanted.at("etypes").size());
  for (std::size_t r = 0; r < found.relations.size(); ++r) {
    const auto& edges = found.relations[r];
    const auto name = found.types[static_cast<std::size_t>(edges.source_type)].name + ":" +
                      edges.name + ":" +
                      found.types[static_cast<std::size_t>(edges.target_type)].name;
    SCOPED_TRACE(name);
    ASSERT_EQ(name, wanted.at("etypes")[r]);
    const json& relation = wanted.at("relations").at(name);
    EXPECT_EQ(edges.id_dtype, wanted.at("idtype").get<std::string>());
    EXPECT_EQ(edges.edges.size(), relation.at("num_edges").get<std::size_t>());
    EXPECT_EQ(edges.allowed, wanted.at("formats_allowed").get<std::set<std::string>>());
    for (const char* format : {"coo", "csr", "csc"})
      EXPECT_EQ(edges.formats.count(format), relation.count(format)) << format;
    if (relation.contains("coo")) {
      second_reader::edge_list wanted_edges;
      for (std::size_t e = 0; e < edges.edges.size(); ++e) {
        wanted_edges.emplace_back(relation.at("coo").at("src").at("data")[e],
                                  relation.at("coo").at("dst").at("data")[e]);
      }
      EXPECT_EQ(edges.edges, wanted_edges);
    }
    for (const char* format : {"csr", "csc"}) {
      if (!relation.contains(format)) continue;
      const auto offsets =
          relation.at(format).at("indptr").at("data").get<std::vector<std::size_t>>();
      for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
        for (auto k = offsets[row]; k < offsets[row + 1]; ++k) {
          const auto e = relation.at(format).at("eids").at("data")[k].get<std::size_t>();
          const std::int64_t here = static_cast<std::int64_t>(row),
                             other = relation.at(format).at("indices").at("data")[k];
          EXPECT_EQ(edges.edges.at(e),
                    format == std::string("csr") ? std::pair(here, other) : std::pair(other, here));
        }
      }
    }
    expect_arrays(edges.columns, wanted.at("edata").at(name), folder);
  }
}

TEST(golden_second_reader, reads_every_single_file_as_dgl_does) {
  std::size_t read = 0;
  for (const auto& path : files_of(golden / "files", false)) {
    SCOPED_TRACE(path.filename());
    const auto folder = golden / "files" / "tensors" / "expected";
    expect_arrays(second_reader::read_tensors(second_reader::bytes_of_file(path)),
                  parse(folder / (path.stem().string() + ".json")).at("tensors"), folder);
    ++read;
  }
  for (const auto& path : files_of(golden / "files", true)) {
    SCOPED_TRACE(path.filename());
    const auto folder = golden / "files" / "graphs" / "expected";
    const json wanted = parse(folder / (path.stem().string() + ".json"));
    const auto found = second_reader::read_graphs(second_reader::bytes_of_file(path));
    EXPECT_EQ(found.padding_is_zero, path.stem() != "dirty_header");
    expect_arrays(found.labels, wanted.at("labels"), folder);
    ASSERT_EQ(found.graphs.size(), wanted.at("num_graphs"));
    for (std::size_t g = 0; g < found.graphs.size(); ++g)
      expect_graph(found.graphs[g], wanted.at("graphs")[g], folder);
    ++read;
  }
  EXPECT_EQ(read, 33u);
}

TEST(golden_second_reader, finds_in_every_file_what_the_library_finds) {
  std::size_t read = 0;
  for (const auto& path : files_of(golden, false)) {
    SCOPED_TRACE(path);
    const std::string file = path.string();
    expect_same(dgl::read_tensors(hg::read_files{}(file), file),
                second_reader::read_tensors(second_reader::bytes_of_file(path)));
    ++read;
  }
  for (const auto& path : files_of(golden, true)) {
    SCOPED_TRACE(path);
    const std::string file = path.string();
    const auto ours = dgl::read_graphs(hg::read_files{}(file), file);
    const auto theirs = second_reader::read_graphs(second_reader::bytes_of_file(path));
    expect_same(ours.labels, theirs.labels);
    ASSERT_EQ(ours.graphs.size(), theirs.graphs.size());
    for (std::size_t g = 0; g < ours.graphs.size(); ++g) {
      const auto& a = ours.graphs[g];
      const auto& b = theirs.graphs[g];
      ASSERT_EQ(a.node_types.size(), b.types.size());
      for (std::size_t t = 0; t < b.types.size(); ++t) {
        EXPECT_EQ(a.node_types[t].name, b.types[t].name);
        EXPECT_EQ(a.node_types[t].nodes, static_cast<std::uint64_t>(b.types[t].nodes));
        expect_same(a.node_types[t].columns, b.types[t].columns);
      }
      ASSERT_EQ(a.relations.size(), b.relations.size());
      for (std::size_t r = 0; r < b.relations.size(); ++r) {
        const auto& x = a.relations[r];
        const auto& y = b.relations[r];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.source, static_cast<std::uint64_t>(y.source_type));
        EXPECT_EQ(x.target, static_cast<std::uint64_t>(y.target_type));
        EXPECT_EQ(x.edges, y.edges.size());
        expect_same(x.columns, y.columns);
        std::set<std::string> formats;
        if (x.coo) {
          formats.insert("coo");
          for (std::size_t e = 0; e < y.edges.size(); ++e) {
            EXPECT_EQ(std::pair(x.coo->source.integer(e), x.coo->target.integer(e)), y.edges[e]);
          }
        }
        const auto compressed = [&](const hg::compressed_columns& rows, bool by_source) {
          formats.insert(by_source ? "csr" : "csc");
          for (std::size_t row = 0; row + 1 < rows.offsets.rows(); ++row) {
            for (auto k = rows.offsets.integer(row); k < rows.offsets.integer(row + 1); ++k) {
              const auto at = static_cast<std::size_t>(k);
              const auto here = static_cast<std::int64_t>(row), other = rows.neighbors.integer(at);
              const auto e = static_cast<std::size_t>(
                  rows.edges.rows() == 0 ? k : rows.edges.integer(at));
              EXPECT_EQ(by_source ? std::pair(here, other) : std::pair(other, here), y.edges.at(e));
            }
          }
        };
        if (x.csr) compressed(*x.csr, true);
        if (x.csc) compressed(*x.csc, false);
        EXPECT_EQ(formats, y.formats);
      }
    }
    ++read;
  }
  EXPECT_EQ(read, 257u);
}

}  // namespace
