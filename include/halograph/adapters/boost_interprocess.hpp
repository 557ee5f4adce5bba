// SPDX-License-Identifier: BSL-1.0
/// @file boost_interprocess.hpp
/// Open files by mapping them, with Boost.Interprocess: nothing is read before it is touched.
/// Layer: adapters (models file_opener of serial/files/file.hpp). Words: README.md.
#pragma once

#if !__has_include(<boost/interprocess/mapped_region.hpp>)
#error \
    "halograph/adapters/boost_interprocess.hpp needs Boost.Interprocess 1.70 or newer (Debian: apt install libboost-dev)."
#else

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

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
  access_pattern access = access_pattern::normal;
  std::uint64_t small = 16384;  ///< largest file that is read, in bytes

  file_bytes operator()(const std::string& path) const {
    namespace ipc = boost::interprocess;
    std::uint64_t size = 0;
    // Opened here first: Boost would wait for the writer of a FIFO, and cannot map an empty file.
    const detail::descriptor fd = detail::open_regular(path, size);
    if (size <= small) return detail::read_opened(fd, size, path);
    try {
      const ipc::file_mapping file(path.c_str(), ipc::read_only);
      auto region = std::make_shared<ipc::mapped_region>(file, ipc::read_only);
      switch (access) {
        case access_pattern::normal:
          break;
        // A kernel may ignore the advice.
        case access_pattern::sequential:
          region->advise(ipc::mapped_region::advice_sequential);
          break;
        case access_pattern::scattered:
          region->advise(ipc::mapped_region::advice_random);
          break;
        case access_pattern::all_of_it:
          region->advise(ipc::mapped_region::advice_willneed);
          break;
      }
      const std::span<const std::byte> bytes(static_cast<const std::byte*>(region->get_address()),
                                             region->get_size());
      return {bytes, std::move(region)};
    } catch (const ipc::interprocess_exception& problem) {
      const auto code = problem.get_error_code();
      raise(code == ipc::not_found_error       ? errc::not_found
            : code == ipc::out_of_memory_error ? errc::memory
                                               : errc::io,
            std::string("cannot map: ") + problem.what(), {.file = path});
    }
  }
};
static_assert(file_opener<mapped_files>);

}  // namespace halograph

#endif
