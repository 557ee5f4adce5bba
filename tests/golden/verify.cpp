// SPDX-License-Identifier: BSL-1.0
// What DGL wrote is right by itself, and against the input that it was made of.
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::check_kind;

namespace {

const fs::path golden = fs::path(HALOGRAPH_SHARED_DIR) / "golden";
const hg::format_set<hg::dgl_serializer> formats;

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const char* kind : {"partition", "dispatch"}) {
    for (const auto& entry : fs::directory_iterator(golden / kind)) {
      if (fs::exists(entry.path() / "dgl"))
        names.push_back(std::string(kind) + "/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string config_of(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") return entry.path().string();
  }
  return {};
}

std::string told(const hg::verification& answer) {
  std::string out;
  for (const auto& one : answer.findings)
    out += std::string(name(one.check)) + ": " + one.file + ": " + one.sentence + "\n";
  for (const auto& one : answer.notes) out += "note: " + one + "\n";
  return out;
}

/// Original IDs beside the parts, where DGL's pipeline puts them, from what partition_graph
/// returned to its caller.
void save_mapping(const fs::path& folder, const std::string& config_path,
                  const nlohmann::json& mapping) {
  const auto config = hg::read_config(config_path, hg::read_files{}, hg::nlohmann_codec{});
  for (const bool of_nodes : {true, false}) {
    const auto& ranges = of_nodes ? config.node_map : config.edge_map;
    std::vector<std::size_t> done(ranges.size());
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      std::vector<hg::named_tensor> columns;
      for (std::size_t t = 0; t < ranges.size(); ++t) {
        const auto type = of_nodes ? config.schema.node_types()[t]
                                   : config.schema.edge_types()[t].str();
        const auto all =
            mapping[of_nodes ? "node_map" : "edge_map"][type].get<std::vector<std::int64_t>>();
        const auto count = static_cast<std::size_t>(ranges[t][p].size());
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(done[t]);
        columns.push_back({type, hg::tensor::from(std::vector<std::int64_t>(
                                     first, first + static_cast<std::ptrdiff_t>(count)))});
        done[t] += count;
      }
      hg::memory_sink sink;
      hg::dgl::write_tensors(sink, columns);
      const auto file = folder / ("part" + std::to_string(p)) /
                        (of_nodes ? "orig_nids.dgl" : "orig_eids.dgl");
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(sink.bytes().data()),
                 static_cast<std::streamsize>(sink.bytes().size()));
    }
  }
}

}  // namespace

class GoldenVerify : public testing::TestWithParam<std::string> {};

TEST_P(GoldenVerify, HasNothingWrongAlone) {
  const auto config = config_of(golden / GetParam() / "dgl");
  const auto answer = hg::verify_partition(
      config, hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats));
  EXPECT_EQ(answer.count, 0u) << told(answer);
  EXPECT_TRUE(answer.notes.empty()) << told(answer);
  for (const auto kind :
       {check_kind::book, check_kind::structure, check_kind::nodes, check_kind::edges,
        check_kind::crossing_edges, check_kind::halo, check_kind::features}) {
    EXPECT_TRUE(answer[kind].done) << name(kind);
  }
}

TEST_P(GoldenVerify, IsAPartitioningOfItsInput) {
  const fs::path folder = golden / GetParam();
  const auto input = hg::read_chunked<std::uint32_t, std::uint32_t>(
      (folder / "input").string(), {}, hg::read_files{}, hg::nlohmann_codec{});
  const auto assigned = hg::read_assignment((folder / "assignment").string(), input.schema,
                                            input.node_counts, std::nullopt, hg::read_files{},
                                            hg::nlohmann_codec{});
  hg::testing::temporary_folder scratch;
  const fs::path copy = scratch("dgl");
  fs::copy(folder / "dgl", copy, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(copy))
    fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add);
  fs::permissions(copy, fs::perms::owner_all, fs::perm_options::add);
  const auto config = config_of(copy);
  if (fs::exists(folder / "expected" / "mapping.json")) {
    save_mapping(copy, config,
                 nlohmann::json::parse(
                     hg::testing::content_of((folder / "expected" / "mapping.json").string())));
  }
  const hg::verify_options options{.part = {}, .most_findings = 100, .assignment = assigned.owner};
  const auto answer = hg::verify_partition(
      config, input, hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats), options);
  EXPECT_EQ(answer.count, 0u) << told(answer);
  EXPECT_TRUE(answer[check_kind::input].done && answer[check_kind::assignment].done &&
              answer[check_kind::halo].done);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenVerify, testing::ValuesIn(cases()), [](const auto& named) {
  std::string name = named.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});
