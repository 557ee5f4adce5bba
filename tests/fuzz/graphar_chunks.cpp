// SPDX-License-Identifier: BSL-1.0
// Any bytes as the counts and csv chunks of a GraphAr data set, whose information files are fixed:
// a line "%%" ends one file and begins the next, in the order in which they are opened first.
// Refused, or a graph of 5 nodes whose edges are those of the text, read once more line by line.
#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/formats/graphar/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

constexpr std::string_view graph_info =
    "name: g\nvertices: [v.yml]\nedges: [e.yml]\nversion: gar/v1\n";
constexpr std::string_view vertex_info =
    "type: v\nchunk_size: 3\nprefix: v/\nversion: gar/v1\nproperty_groups:\n"
    "  - file_type: csv\n    properties:\n      - {name: x, data_type: int32, is_primary: false}\n"
    "      - {name: y, data_type: double, is_primary: false}\n";
constexpr std::string_view edge_info =
    "src_type: v\nedge_type: e\ndst_type: v\nchunk_size: 2\nsrc_chunk_size: 3\ndst_chunk_size: 3\n"
    "directed: true\nprefix: e/\nversion: gar/v1\nadj_lists:\n"
    "  - {ordered: false, aligned_by: src, file_type: csv}\nproperty_groups:\n"
    "  - file_type: csv\n    properties:\n      - {name: w, data_type: float, is_primary: false}\n";

/// Two columns of whole numbers below a header that names them, in either order and without quotes.
/// @return nothing where a text is anything else, which csv may still be
std::optional<std::vector<std::pair<std::uint64_t, std::uint64_t>>> plain_edges(
    std::string_view text) {
  constexpr std::string_view heads[] = {"_graphArSrcIndex,_graphArDstIndex\n",
                                        "_graphArDstIndex,_graphArSrcIndex\n"};
  const bool turned = text.starts_with(heads[1]);
  if (!turned && !text.starts_with(heads[0])) return std::nullopt;
  text.remove_prefix(heads[0].size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  while (!text.empty()) {
    if (text.size() < 4 || text[0] < '0' || text[0] > '9' || text[1] != ',' || text[2] < '0' ||
        text[2] > '9' || text[3] != '\n')
      return std::nullopt;
    const auto a = static_cast<std::uint64_t>(text[0] - '0'),
               b = static_cast<std::uint64_t>(text[2] - '0');
    out.push_back(turned ? std::pair(b, a) : std::pair(a, b));
    text.remove_prefix(4);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string scratch = std::filesystem::temp_directory_path().string();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::map<std::string, std::string> files{{"/set/g.graph.yml", std::string(graph_info)},
                                           {"/set/v.yml", std::string(vertex_info)},
                                           {"/set/e.yml", std::string(edge_info)}};
  std::vector<std::string> chunks;  // of the adjacency list, as they were opened
  const auto open = [&](const std::string& path) {
    if (!path.starts_with("/set/") || path.find("..") != std::string::npos) std::abort();
    const auto found = files.try_emplace(path);
    std::string& text = found.first->second;
    if (found.second) {
      const auto end = rest.find("\n%%\n");
      text = rest.substr(0, end == rest.npos ? end : end + 1);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 4);
      // A count: a digit and seven NULs.
      if (path.find("count") != std::string::npos && text.size() == 2 && text[1] == '\n')
        text = std::string(1, static_cast<char>(text[0] - '0')) + std::string(7, '\0');
    }
    if (path.find("adj_list") != std::string::npos) chunks.push_back(path);
    return hg::file_bytes{std::as_bytes(std::span(text)), {}};
  };
  try {
    const auto graph = hg::stream_graphar("/set/g.graph.yml",
                                          {.features = true, .scratch = scratch, .on_progress = {}},
                                          open, hg::yaml_cpp_codec{});
    if (graph.num_edges() > 1 << 16 || graph.num_nodes() > 1 << 16) return 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    graph.read_edges(0, 0, graph.edge_counts[0],
                     [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                         std::uint64_t first) {
                       if (first != found.size()) std::abort();
                       for (std::size_t i = 0; i < from.size(); ++i) {
                         if (from[i] >= graph.node_counts[0] || to[i] >= graph.node_counts[0])
                           std::abort();
                         found.emplace_back(from[i], to[i]);
                       }
                     });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted;
    bool plain = true;
    for (const auto& path : chunks) {
      const auto some = plain_edges(files.at(path));
      plain = plain && some.has_value();
      if (some) wanted.insert(wanted.end(), some->begin(), some->end());
    }
    if (found.size() != graph.edge_counts[0] || (plain && found != wanted)) std::abort();
    std::vector<std::byte> rows;
    for (const auto* const all : {&graph.node_features, &graph.edge_features}) {
      for (const auto& one : *all) {
        rows.resize(static_cast<std::size_t>(one.rows) * one.row_bytes());
        one.read(0, one.rows, rows);
      }
    }
  } catch (const hg::error&) {
  }
  return 0;
}
