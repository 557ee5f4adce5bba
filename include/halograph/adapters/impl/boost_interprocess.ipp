// SPDX-License-Identifier: BSL-1.0
/// @file boost_interprocess.ipp
/// Bodies of the plain functions of adapters/boost_interprocess.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/boost_interprocess.hpp>
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

HALOGRAPH_HOSTED_INLINE file_bytes mapped_files::operator()(const std::string& path) const {
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
    raise(code == ipc::not_found_error       ? error_kind::not_found
          : code == ipc::out_of_memory_error ? error_kind::memory
                                             : error_kind::io,
          std::string("cannot map: ") + problem.what(), {.file = path});
  }
}

}  // namespace halograph
