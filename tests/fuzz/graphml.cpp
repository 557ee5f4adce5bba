// SPDX-License-Identifier: BSL-1.0
// Any bytes as GraphML: refused, or a graph whose edges are in range.
#include <halograph/io/formats/documents/graphml.hpp>

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
    static_cast<void>(hg::is_graphml({reinterpret_cast<const char*>(data), size}));
    const auto stream = hg::stream_graphml("fuzz", open);
    const auto read = hg::materialize<std::uint32_t, std::uint32_t>(stream);
    if (read.graph().validate() != hg::status::ok) std::abort();
  } catch (const hg::error&) {
  }
  return 0;
}
