// SPDX-License-Identifier: BSL-1.0
/// @file zstd.hpp
/// For tests: compress bytes to one Zstandard frame.
#pragma once

#include <zstd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace halograph::testing {

/// @param window_log  bytes of the window as a power of two; 0: as the level has it
inline std::string zstd(std::string_view content, int window_log = 0, bool checksum = true) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(::ZSTD_createCCtx(),
                                                                        ::ZSTD_freeCCtx);
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, checksum ? 1 : 0);
  if (window_log != 0) ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
  std::string out(::ZSTD_compressBound(content.size()) + 32, '\0');
  // As a stream of unknown length: with a known one, the content is its own window.
  ZSTD_inBuffer from{content.data(), content.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (::ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_continue) != 0 ||
         from.pos < from.size) {
    if (to.pos == to.size) throw std::runtime_error("zstd");
  }
  if (::ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_end) != 0)
    throw std::runtime_error("zstd");
  out.resize(to.pos);
  return out;
}

}  // namespace halograph::testing
