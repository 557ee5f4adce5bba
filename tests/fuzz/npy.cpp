// SPDX-License-Identifier: BSL-1.0
// Any bytes as a .npy file. Refused, or an array that survives writing.
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto found = hg::read_npy({std::as_bytes(std::span(data, size)), nullptr}, "fuzz");
    hg::memory_sink sink;
    hg::save(hg::npy_layout("fuzz", found.type(), found.shape()), sink,
             [&](const hg::section&) { return found; });
    if (!(hg::read_npy({sink.bytes(), nullptr}, "again") == found)) std::abort();
  } catch (const hg::error& problem) {
    if (problem.where().file != "fuzz") std::abort();
  }
  return 0;
}
