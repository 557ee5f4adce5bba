// SPDX-License-Identifier: BSL-1.0
// Any bytes as DGL's graph file. Refused, or graphs that survive writing. The 4064 reserved bytes,
// which no reader looks at, are left out of the input, so that it stays small. What the second
// reader reads is what the strict one does.
#include "support/against_second_reader.hpp"
#include "support/second_reader.hpp"

#include <halograph/serial/dgl/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> file(std::as_bytes(std::span(data, size)).begin(),
                              std::as_bytes(std::span(data, size)).end());
  if (size > 32) file.insert(file.begin() + 32, 4064, std::byte{0});
  const hg::file_bytes bytes{file, nullptr};
  std::optional<hg::dgl::graph_file> strictly;
  for (const auto how : {hg::dgl::strictness::strict, hg::dgl::strictness::lenient}) {
    try {
      const auto found = hg::dgl::read_graphs(bytes, "fuzz", how);
      if (how == hg::dgl::strictness::lenient) continue;
      hg::memory_sink sink;
      hg::dgl::write_graphs(sink, found);
      if (hg::dgl::read_graphs({sink.bytes(), nullptr}, "again").graphs.size() !=
          found.graphs.size())
        std::abort();
      strictly = found;
    } catch (const hg::error& problem) {
      if (problem.where().file != "fuzz") std::abort();
    }
    try {
      const std::uint64_t positions[] = {0, 1};
      hg::dgl::read_graphs_at(bytes, "fuzz", positions, how);
    } catch (const hg::error&) {
    }
  }
  try {
    const auto second = second_reader::read_graphs(
        {reinterpret_cast<const char*>(file.data()), file.size()});
    if (!strictly || !second_reader::difference(*strictly, second).empty()) std::abort();
  } catch (const std::runtime_error& doubt) {
    if (strictly && !second_reader::is_of_no_account(doubt)) std::abort();
  }
  return 0;
}
