// SPDX-License-Identifier: BSL-1.0
// The second reader, which knows nothing of the library, reads every file that DGL wrote, to the
// last byte, as DGL read it; the library's readers find the same in it.
#include "support/against_second_reader.hpp"
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
    EXPECT_EQ(
        second_reader::difference(dgl::read_tensors(hg::read_files{}(file), file),
                                  second_reader::read_tensors(second_reader::bytes_of_file(path))),
        "");
    ++read;
  }
  for (const auto& path : files_of(golden, true)) {
    SCOPED_TRACE(path);
    const std::string file = path.string();
    EXPECT_EQ(
        second_reader::difference(dgl::read_graphs(hg::read_files{}(file), file),
                                  second_reader::read_graphs(second_reader::bytes_of_file(path))),
        "");
    ++read;
  }
  EXPECT_EQ(read, 257u);
}

}  // namespace
