// SPDX-License-Identifier: BSL-1.0
// Manifests of output folders: whatever the bytes, a manifest or one sentence; what is read prints
// and reads again.
#include <halograph/serial/files/manifest.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto made = hg::parse_manifest(
        std::string_view(reinterpret_cast<const char*>(data), size), "fuzzed");
    const auto text = hg::print(made);
    if (hg::print(hg::parse_manifest(text, "fuzzed")) != text) std::abort();
  } catch (const hg::error& problem) {
    if (std::string_view(problem.what()).empty()) std::abort();
  }
  return 0;
}
