// SPDX-License-Identifier: BSL-1.0
// Any bytes as Zstandard: decompressed or refused.
// A frame may state a window of 128 MiB, which is allocated at once.
// libFuzzer: -malloc_limit_mb=160
#include <halograph/adapters/zstd.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(halograph::decompress_zstd(std::as_bytes(std::span(data, size)), "fuzz.zst"));
  } catch (const halograph::error&) {
  }
  return 0;
}
