// SPDX-License-Identifier: BSL-1.0
// Any bytes as the information files of a GraphAr data set: a line "%%" ends one and begins the
// next. Refused, or folders that lie below that of the graph's file.
#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/formats/graphar/infos.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

namespace {

/// Does a path begin with the folder, and no step of it lead upwards?
void require_below(const std::string& path) {
  if (!path.starts_with("/set") || path.find('\0') != std::string::npos) std::abort();
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find('/'));
    if (step == "..") std::abort();
    rest.remove_prefix(step.size() == rest.size() ? rest.size() : step.size() + 1);
  }
}

void require_below(const std::vector<hg::graphar_group>& groups) {
  for (const auto& group : groups) require_below(group.folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  // The graph's info first, then the others in the order in which they are opened.
  const auto open = [&](const std::string& path) {
    require_below(path);
    const auto end = rest.find("\n%%\n");
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 4);
    return hg::file_bytes{std::as_bytes(std::span(text.data(), text.size())), {}};
  };
  try {
    const auto infos = hg::read_graphar_infos("/set/g.graph.yml", open, hg::yaml_cpp_codec{});
    for (const auto& one : infos.vertices) {
      if (one.chunk_size == 0) std::abort();
      require_below(one.folder);
      require_below(one.groups);
    }
    for (const auto& one : infos.edges) {
      if (one.chunk_size == 0 || one.part_nodes == 0) std::abort();
      require_below(one.folder);
      require_below(one.groups);
    }
  } catch (const hg::error&) {
  }
  return 0;
}
