// SPDX-License-Identifier: BSL-1.0
// Any bytes as a chunked graph's metadata.json, or as a plain form's meta.json; every file it lists holds the rest
// behind the first NUL. Refused, or a graph whose edges are in range.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/pipeline/read_chunked.hpp>
#include <halograph/pipeline/read_plain.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto all = std::as_bytes(std::span(data, size));
  const auto middle = std::find(all.begin(), all.end(), std::byte{0}) - all.begin();
  const auto head = all.first(static_cast<std::size_t>(middle));
  const auto tail = all.subspan(std::min(size, static_cast<std::size_t>(middle) + 1));
  const auto open = [&](const std::string& path) {
    return hg::file_bytes{path == "no-folder/m.json" ? head : tail, {}};
  };
  const auto check = [](const auto& graph) {
    if (graph.graph().validate() != hg::status::ok) std::abort();
  };
  try {
    check(hg::read_chunked<std::uint32_t, std::uint32_t>("no-folder/m.json", {}, open, hg::nlohmann_codec{}));
  } catch (const hg::error&) {
  }
  try {
    check(hg::read_plain<std::uint32_t, std::uint32_t>("no-folder/m.json", {.most_dense_bytes = 1 << 16}, open, hg::nlohmann_codec{}));
  } catch (const hg::error&) {
  }
  return 0;
}
