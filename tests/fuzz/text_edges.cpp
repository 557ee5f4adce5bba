// SPDX-License-Identifier: BSL-1.0
// Any bytes as an edge list: the first two bytes choose the options. What is read lies below the
// bounds, and reads again from our own writing.
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr char delimiters[] = {'\0', ' ', '\t', ',', ';', '|', '#', 'x'};
  hg::edge_text_options options;
  options.format = {.delimiter = delimiters[data[0] % 8], .comments = (data[0] & 8) != 0};
  options.weights = static_cast<hg::edge_weights>(data[0] / 16 % 3);
  options.source_count = options.target_count = data[1] == 0 ? ~std::uint64_t{0} : data[1];
  const auto text = std::as_bytes(std::span(data + 2, size - 2));
  try {
    const auto edges = hg::read_edges<std::uint16_t>(text, "fuzz", options);
    if (edges.source.size() != edges.target.size()) std::abort();
    for (std::size_t e = 0; e < edges.source.size(); ++e) {
      if (edges.source[e] >= options.source_count || edges.target[e] >= options.target_count)
        std::abort();
    }
    std::string written;
    hg::append_edges<std::uint16_t>(written, edges.source, edges.target);
    const auto again = hg::read_edges<std::uint16_t>(std::as_bytes(std::span(written)), "again");
    if (again.source != edges.source || again.target != edges.target) std::abort();
  } catch (const hg::error&) {
  }
  try {
    static_cast<void>(hg::read_columns<std::int32_t>(
        text, "fuzz", 1 + data[1] % 3u, {.format = options.format, .integral_floats = true}));
  } catch (const hg::error&) {
  }
  return 0;
}
