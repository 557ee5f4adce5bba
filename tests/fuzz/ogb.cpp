// SPDX-License-Identifier: BSL-1.0
// Any bytes as the files of an OGB folder, with types or without, as the first byte says; the
// second to eighth byte are how long each of the others is, in steps of 16 bytes. Refused, or a
// graph whose edges are those of the array, read once more.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/serial/npy.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 7> typed{"a___r___b/edge_index.npy",
                                           "a___r___b/edge_w.npy",
                                           "b___s___b/edge_index.npy",
                                           "a/node_feat.npy",
                                           "b/other.npy",
                                           "num_nodes.json",
                                           "meta_info.json"};
constexpr std::array<const char*, 7> plain{"edge_index.npy", "edge_w.npy", "node_feat.npy",
                                           "node_label.npy", "other.npy",  "num_nodes.json",
                                           "meta_info.json"};

/// Folders with empty files of these names, which the reader looks for; what they hold is given by
/// the opener.
const std::string& folder_of(bool with_types) {
  static const auto made = [] {
    std::array<std::string, 2> out;
    const std::string base = fs::temp_directory_path() / ("fuzz_ogb." + std::to_string(getpid()));
    for (const bool types : {false, true}) {
      out[types ? 1 : 0] = base + (types ? "/typed" : "/plain");
      for (const char* const name : types ? typed : plain) {
        const fs::path file = fs::path(out[types ? 1 : 0]) / name;
        fs::create_directories(file.parent_path());
        std::ofstream{file};
      }
    }
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(fs::temp_directory_path() / ("fuzz_ogb." + std::to_string(getpid())), ignored);
    });
    return out;
  }();
  return made[with_types ? 1 : 0];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const bool types = data[0] % 2 != 0;
  const std::string& folder = folder_of(types);
  const auto& names = types ? typed : plain;
  std::map<std::string, std::span<const std::byte>> files;
  auto rest = std::as_bytes(std::span(data + 8, size - 8));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t bytes = std::min<std::size_t>(rest.size(), data[1 + i] * std::size_t{16});
    files[folder + "/" + names[i]] = rest.first(bytes);
    rest = rest.subspan(bytes);
  }
  const auto open = [&](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) std::abort();  // nothing else is there
    return hg::file_bytes{found->second, {}};
  };
  try {
    const auto graph = hg::stream_ogb(folder, open, hg::nlohmann_codec{});
    if (graph.num_edges() > 1 << 16) return 0;
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = graph.schema.edge_type_name(static_cast<hg::type_id>(r));
      const std::string file = folder +
                               (types ? "/" + type.source + "___" + type.relation + "___" +
                                            type.target
                                      : std::string()) +
                               "/edge_index.npy";
      const hg::tensor wanted = hg::read_npy(hg::file_bytes{files.at(file), {}}, file);
      const std::uint64_t count = graph.edge_counts[r];
      if (wanted.shape() != hg::tensor_shape{2, count}) std::abort();
      std::uint64_t next = 0;
      graph.read_edges(
          static_cast<hg::type_id>(r), 0, count,
          [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
              std::uint64_t first) {
            if (first != next || from.size() != to.size()) std::abort();
            for (std::size_t i = 0; i < from.size(); ++i, ++next) {
              const auto at = static_cast<std::size_t>(next);
              if (static_cast<std::int64_t>(from[i]) != wanted.integer(at) ||
                  static_cast<std::int64_t>(to[i]) !=
                      wanted.integer(static_cast<std::size_t>(count) + at) ||
                  from[i] >=
                      graph.node_counts[graph.schema.source_type(static_cast<hg::type_id>(r))])
                std::abort();
            }
          });
      if (next != count) std::abort();
    }
    std::vector<std::byte> rows;
    for (const auto* const all : {&graph.node_features, &graph.edge_features}) {
      for (const auto& one : *all) {
        if (one.rows > 1 << 16) continue;
        rows.resize(static_cast<std::size_t>(one.rows) * one.row_bytes());
        one.read(0, one.rows, rows);
      }
    }
  } catch (const hg::error&) {
  }
  return 0;
}
