// SPDX-License-Identifier: BSL-1.0
// Any bytes as ParMETIS's files: the first byte is the number of weight columns, then, NUL between
// them, the schema, the stats, nodes and edges of a graph, the nodes and edges of part 0, removed
// edges and an assignment. What is taken is consistent.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/import.hpp>
#include <halograph/parmetis/partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned weights = data[0];
  auto rest = std::as_bytes(std::span(data + 1, size - 1));
  std::map<std::string, std::span<const std::byte>> files;
  for (const char* name : {"g.json", "g_stats.txt", "g_nodes.txt", "g_edges.txt",
                           "p000-g_nodes.txt", "p000-g_edges.txt", "removed", "g_part.4"}) {
    const auto end = static_cast<std::size_t>(std::find(rest.begin(), rest.end(), std::byte{0}) -
                                              rest.begin());
    files[name] = rest.first(end);
    rest = rest.subspan(std::min(rest.size(), end + 1));
  }
  const auto open = [&](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end())
      hg::raise(hg::error_kind::not_found, "there is no such file", {path, {}, {}});
    return hg::file_bytes{found->second, {}};
  };
  try {
    const auto graph = hg::read_parmetis_graph<std::uint16_t>("", "g", open);
    if (!graph.graph().validate() || graph.weights.size() != graph.stats.weights) std::abort();
  } catch (const hg::error&) {
  }
  std::optional<hg::parmetis_schema> schema;
  try {
    schema = hg::read_parmetis_schema("g.json", open, hg::nlohmann_codec{});
    if (hg::parmetis_schema_from_json(hg::to_json(*schema), "g.json") != *schema) std::abort();
  } catch (const hg::error&) {
  }
  if (schema) {
    for (const bool attributes : {false, true}) {
      hg::parmetis_parts_options options;
      options.weights = weights;
      options.removed_edges = files["removed"].empty() ? "" : "removed";
      options.node_attributes = options.edge_attributes = attributes;
      try {
        const auto parts = hg::read_parmetis_parts<std::uint16_t, std::uint16_t>("", "g", *schema,
                                                                                 options, open);
        if (!parts.data.graph().validate() || parts.owner.size() != parts.data.num_nodes())
          std::abort();
      } catch (const hg::error&) {
      }
    }
    try {
      const auto assignment = hg::read_parmetis_assignment("g_part.4", schema->num_nodes(),
                                                           std::nullopt, open);
      for (const auto part : assignment.owner) {
        if (part >= 4) std::abort();
      }
    } catch (const hg::error&) {
    }
  }
  return 0;
}
