// SPDX-License-Identifier: BSL-1.0
/// @file inputs.hpp
/// How the program opens files and runs loops, with what was found when it was built.
#pragma once

#include "progress.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/core/executor.hpp>
#if defined(HALOGRAPH_WITH_DUCKDB)
#include <halograph/adapters/duckdb.hpp>
#else
#include <halograph/serial/table.hpp>
#endif
#if defined(HALOGRAPH_WITH_TBB)
#include <halograph/adapters/tbb.hpp>
#endif
#if defined(HALOGRAPH_WITH_ZLIB)
#include <halograph/adapters/zlib.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <string>

namespace halograph::cli {

/// Maps files, and counts their bytes for the rates of progress.hpp.
struct counted_files {
  file_bytes operator()(const std::string& path) const {
    auto opened = mapped_files{}(path);
    count_bytes(opened.bytes.size());
    return opened;
  }
};

#if defined(HALOGRAPH_WITH_ZLIB)
using input_files = gz_files<counted_files>;
#else
using input_files = counted_files;
#endif

/// Opens files for streams: .gz are inflated into temporary files of a folder.
#if defined(HALOGRAPH_WITH_ZLIB)
using streamed_files = spilled_gz_files<counted_files>;
inline streamed_files files_with_scratch(const std::string& folder) { return {{}, folder}; }
#else
using streamed_files = counted_files;
inline streamed_files files_with_scratch(const std::string&) { return {}; }
#endif

#if defined(HALOGRAPH_WITH_DUCKDB)
using input_tables = duckdb_tables;
#else
using input_tables = no_tables;
#endif

#if defined(HALOGRAPH_WITH_TBB)
using program_threads = tbb_threads;
inline program_threads make_threads(std::size_t threads) { return tbb_threads(threads); }
#else
using program_threads = sequential;
inline program_threads make_threads(std::size_t) { return {}; }
#endif

bool is_folder(const std::string& path);
bool is_file(const std::string& path);

/// Memory that this process can still take without swapping, in bytes: the machine's, or less where its
/// control group allows less.
std::uint64_t available_memory();

/// Bytes free on the file system that `path` is on, or will be.
std::uint64_t available_disk(const std::string& path);

}  // namespace halograph::cli
