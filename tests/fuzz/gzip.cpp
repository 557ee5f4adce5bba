// SPDX-License-Identifier: BSL-1.0
// Any bytes as gzip: inflated or refused.
#include <halograph/adapters/zlib.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(halograph::inflate_gzip(std::as_bytes(std::span(data, size)), "fuzz.gz"));
  } catch (const halograph::error&) {
  }
  return 0;
}
