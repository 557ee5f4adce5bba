// SPDX-License-Identifier: BSL-1.0
/// @file inputs.hpp
/// How the program opens files and runs loops, with what was found when it was built.
#pragma once

#include "progress.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/table.hpp>
#if defined(HALOGRAPH_WITH_DUCKDB)
#include <halograph/adapters/duckdb.hpp>
#endif
#if defined(HALOGRAPH_WITH_TBB)
#include <halograph/adapters/tbb.hpp>
#endif
#if defined(HALOGRAPH_WITH_ZLIB)
#include <halograph/adapters/zlib.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace halograph::cli {

/// Maps files. A file that another process shortens meanwhile ends the run with a sentence
/// (lost_file()) when the lost part is touched, where a mapping alone would end the process with
/// SIGBUS.
struct watched_files {
  file_bytes operator()(const std::string& path) const;
};

/// From now on somebody asks for lost_file() and ends the run: a thread that touches a lost part
/// waits for that.
void wait_for_lost_files() noexcept;

/// The file that a thread waits in vain for, since it became shorter while it was mapped; that
/// thread goes on no more.
std::optional<std::string> lost_file();

/// Remove what this process has staged: for a run that ends without its destructors.
void remove_staging();

/// The same, with their bytes counted for the rates of progress.hpp.
struct counted_files {
  file_bytes operator()(const std::string& path) const {
    auto opened = watched_files{}(path);
    count_bytes(opened.bytes.size());
    return opened;
  }
};

/// What this run has opened for reading and is going to replace. Every file is opened through it.
const std::shared_ptr<input_record>& inputs_of_this_run();

/// Opens files as Inner does, and keeps the record of the run.
template <file_opener Inner>
struct program_files : recorded_files<Inner> {
  program_files() : program_files(Inner{}) {}
  /// @param of_amended  as `amended` of input_record::opening()
  explicit program_files(Inner through, bool of_amended = false)
      : recorded_files<Inner>{inputs_of_this_run(), std::move(through), of_amended} {}
};

/// Files of inputs, and those of partition folders.
#if defined(HALOGRAPH_WITH_ZLIB)
using input_files = program_files<gz_files<counted_files>>;
#else
using input_files = program_files<counted_files>;
#endif
using folder_files = program_files<watched_files>;

/// Opens files for streams: .gz are inflated into temporary files of a folder.
#if defined(HALOGRAPH_WITH_ZLIB)
using streamed_files = program_files<spilled_gz_files<counted_files>>;
inline streamed_files files_with_scratch(const std::string& folder) {
  return streamed_files({{}, folder});
}
#else
using streamed_files = program_files<counted_files>;
inline streamed_files files_with_scratch(const std::string&) { return {}; }
#endif

#if defined(HALOGRAPH_WITH_DUCKDB)
using found_tables = duckdb_tables;
#else
using found_tables = no_tables;
#endif
struct input_tables : found_tables {
  input_tables() = default;
  table_info examine(const std::string& path) const {
    inputs_of_this_run()->opening(path);
    return found_tables::examine(path);
  }
};

#if defined(HALOGRAPH_WITH_TBB)
using program_threads = tbb_threads;
inline program_threads make_threads(std::size_t threads) { return tbb_threads(threads); }
#else
using program_threads = sequential;
inline program_threads make_threads(std::size_t) { return {}; }
#endif

bool is_folder(const std::string& path);
bool is_file(const std::string& path);

/// Memory that this process can still take without swapping, in bytes: the machine's, or less where
/// its control group allows less.
std::uint64_t available_memory();

/// The folder that `path` is in or, where it does not exist yet, its nearest ancestor that does: a
/// place for temporary files beside an output.
std::string existing_folder_of(const std::string& path);

/// Bytes free on the file system that `path` is on, or will be.
std::uint64_t available_disk(const std::string& path);

}  // namespace halograph::cli
