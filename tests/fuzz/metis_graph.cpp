// SPDX-License-Identifier: BSL-1.0
// Any bytes as a METIS graph: refused, or a graph whose edges are in range.
#include <halograph/io/formats/metis.hpp>

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
    const auto graph = hg::read_metis_graph<std::uint32_t, std::uint32_t>("fuzz.graph", open);
    if (graph.graph().validate() != hg::status::ok) std::abort();
  } catch (const hg::error&) {
  }
  return 0;
}
