// SPDX-License-Identifier: BSL-1.0
/// @file boost_interprocess.hpp
/// Open files by mapping them, with Boost.Interprocess: nothing is read before it is touched.
/// Layer: adapters (models file_opener of serial/files/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<boost/interprocess/mapped_region.hpp>)
#error \
    "halograph/adapters/boost_interprocess.hpp needs Boost.Interprocess 1.70 or newer (Debian: apt install libboost-dev)."
#else

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstdint>
#include <string>

namespace halograph {

/// How a mapped file will be read; a hint to the operating system, without effect on
/// results.
enum class access_pattern : std::uint8_t {
  normal,
  sequential,  ///< once, from front to back: read ahead, release what was read
  scattered,   ///< here and there: do not read ahead
  all_of_it    ///< soon and completely: start reading now
};

/// Opens a file by mapping it read-only. The mapping lives as long as a copy of the file_bytes
/// does.
///
/// Small files are read instead, which takes less time than mapping them. If another process
/// shortens a mapped file, touching the lost part ends this process (SIGBUS), as with any mapping.
/// Where inputs may change during a run,
/// use `read_files`, or handle the signal as the program does (examples/halograph/inputs.cpp);
/// recorded_files (serial/files/input_record.hpp) finds what changed in any other way. Thread-safe.
/// @errors not_found; io: not a regular file, or the operating system refused; memory: no memory or
///     address space left; truncated: a small file became shorter while it was read
/// @complexity O(`small`) and the pages touched
struct mapped_files {
  access_pattern access = access_pattern::normal;  ///< advice to the kernel, which may ignore it
  std::uint64_t small = 16384;                     ///< largest file that is read, in bytes

  /// Open the file at `path`.
  file_bytes operator()(const std::string& path) const;
};
static_assert(file_opener<mapped_files>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/impl/boost_interprocess.ipp>
#endif

#endif
