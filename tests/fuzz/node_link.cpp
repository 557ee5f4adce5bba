// SPDX-License-Identifier: BSL-1.0
// Any bytes as a node-link graph in JSON: refused, or a graph whose edges are in range.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/documents/node_link.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto open = [&](const std::string&) {
    return hg::file_bytes{std::as_bytes(std::span(data, size)), {}};
  };
  try {
    const auto stream = hg::stream_node_link("fuzz", open, hg::nlohmann_codec{});
    const auto read = hg::materialize<std::uint32_t, std::uint32_t>(stream);
    if (read.graph().validate() != hg::status::ok) std::abort();
  } catch (const hg::error&) {
  }
  return 0;
}
