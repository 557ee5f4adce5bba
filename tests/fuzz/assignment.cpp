// SPDX-License-Identifier: BSL-1.0
// Any bytes as an assignment folder: the first byte is the number of nodes, up to the first NUL
// stands partition_meta.json, behind it the file of each type. Also an ip_config. What is read lies
// below the parts.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/ip_config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto all = std::as_bytes(std::span(data + 1, size - 1));
  const auto middle = static_cast<std::size_t>(std::find(all.begin(), all.end(), std::byte{0}) -
                                               all.begin());
  const auto open = [&](const std::string& path) {
    return hg::file_bytes{path == "f/partition_meta.json"
                              ? all.first(middle)
                              : all.subspan(std::min(all.size(), middle + 1)),
                          {}};
  };
  hg::graph_schema schema;
  schema.add_node_type("a");
  schema.add_node_type("b");
  const std::vector<std::uint64_t> counts{data[0], data[0]};
  try {
    const auto assignment = hg::read_assignment("f", schema, counts, std::nullopt, open,
                                                hg::nlohmann_codec{});
    for (const auto part : assignment.owner) {
      if (part >= assignment.parts) std::abort();
    }
  } catch (const hg::error&) {
  }
  try {
    static_cast<void>(hg::read_ip_config("f", open));
  } catch (const hg::error&) {
  }
  return 0;
}
