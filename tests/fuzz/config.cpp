// SPDX-License-Identifier: BSL-1.0
// Config JSONs of partition folders: whatever the bytes, a config or one sentence; what is read
// prints and reads again.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/read_config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hg::json::value root;
  if (!hg::nlohmann_codec{}.parse(std::string_view(reinterpret_cast<const char*>(data), size),
                                  root))
    return 0;
  try {
    const auto config = hg::config_from_json(root, "fuzzed.json");
    if (!config.bare_relations.empty()) return 0;  // types that only the parts can tell
    const auto text = hg::json::print(hg::to_json(config));
    hg::json::value again;
    if (!hg::nlohmann_codec{}.parse(text, again)) std::abort();
    if (hg::json::print(hg::to_json(hg::config_from_json(again, "fuzzed.json"))) != text)
      std::abort();
  } catch (const hg::error& problem) {
    if (std::string_view(problem.what()).empty()) std::abort();
  }
  return 0;
}
