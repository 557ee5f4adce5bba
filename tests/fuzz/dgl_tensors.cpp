// SPDX-License-Identifier: BSL-1.0
// Any bytes as DGL's tensor dictionary. Refused, or tensors that survive writing.
#include <halograph/serial/dgl/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hg::file_bytes file{std::as_bytes(std::span(data, size)), nullptr};
  for (const auto how : {hg::dgl::strictness::strict, hg::dgl::strictness::lenient}) {
    try {
      const auto found = hg::dgl::read_tensors(file, "fuzz", how);
      hg::memory_sink sink;
      hg::dgl::write_tensors(sink, found);
      if (hg::dgl::read_tensors({sink.bytes(), nullptr}, "again").size() != found.size())
        std::abort();
    } catch (const hg::error& problem) {
      // What was read is legal to write.
      if (problem.where().file != "fuzz") std::abort();
    }
  }
  return 0;
}
