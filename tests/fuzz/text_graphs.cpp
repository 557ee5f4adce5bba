// SPDX-License-Identifier: BSL-1.0
// Any bytes as a Matrix Market file, a DIMACS or a Ligra graph, as the first byte says: refused, or
// a graph whose edges are in range.
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/io/formats/dimacs.hpp>
#include <halograph/io/formats/matrix_market.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto open = [&](const std::string&) {
    return hg::file_bytes{std::as_bytes(std::span(data + 1, size - 1)), {}};
  };
  using id = std::uint32_t;
  try {
    const auto read = data[0] % 3 == 0   ? hg::read_matrix_market<id, id>("fuzz", open)
                      : data[0] % 3 == 1 ? hg::read_dimacs_graph<id, id>("fuzz", open)
                                         : hg::read_adjacency_graph<id, id>("fuzz", open);
    if (read.graph().validate() != hg::status::ok) std::abort();
  } catch (const hg::error&) {
  }
  return 0;
}
