// SPDX-License-Identifier: BSL-1.0
/// @file linkage.hpp
/// Header-only, or with the bodies of plain functions in a compiled library: which of the two.
/// Layer: core (no allocation, no exceptions). Words: README.md.
///
/// By default every header includes the bodies of its plain functions (impl/*.ipp). The CMake
/// target halograph::compiled has them in a library instead and defines HALOGRAPH_COMPILED=1 for
/// all who link it; users define nothing themselves. A program uses one of the two throughout:
/// where both meet, the linker names the symbol below, which is thread-local in one and not in the
/// other.
#pragma once

#if !defined(HALOGRAPH_COMPILED)
/// 1 in a program that links halograph::compiled, which sets it; 0: functions are in the headers.
#define HALOGRAPH_COMPILED 0
#endif

/// The same for the adapters that hosted.hpp binds: target halograph::compiled_hosted.
#if !defined(HALOGRAPH_COMPILED_HOSTED)
#define HALOGRAPH_COMPILED_HOSTED 0
#endif

#if HALOGRAPH_COMPILED
#define HALOGRAPH_INLINE
#else
/// Stands before every plain function: `inline`, or nothing where the library is compiled.
#define HALOGRAPH_INLINE inline
#endif
#if HALOGRAPH_COMPILED_HOSTED
#define HALOGRAPH_HOSTED_INLINE
#else
/// The same for the adapters that hosted.hpp binds.
#define HALOGRAPH_HOSTED_INLINE inline
#endif

#if HALOGRAPH_COMPILED
extern "C" {
// Both in one file of the library, which the second makes the linker take.
extern __thread char halograph_is_header_only_here_and_compiled_there;
extern const char halograph_compiled;
}
namespace halograph::detail {
[[gnu::used]] inline bool one_mode() {
  return halograph_is_header_only_here_and_compiled_there == halograph_compiled;
}
}  // namespace halograph::detail
#else
extern "C" {
/// @cond
[[gnu::used]] inline char halograph_is_header_only_here_and_compiled_there = 0;
/// @endcond
}
#endif
