// SPDX-License-Identifier: BSL-1.0
/// @file inputs.hpp
/// How the program opens files, parses JSON and runs loops, with what was found when it was built.
/// Each library behind these calls is included by one source file.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace halograph::cli {

/// From now on somebody asks for lost_file() and ends the run: a thread that touches a lost part
/// waits for that.
void wait_for_lost_files() noexcept;

/// The file that a thread waits in vain for, since it became shorter while it was mapped; that
/// thread goes on no more.
std::optional<std::string> lost_file();

/// Remove what this process has staged: for a run that ends without its destructors.
void remove_staging();

/// Remove what stands for this process's locks on file systems without them: as remove_staging().
void remove_lock_markers();

/// What this run has opened for reading and is going to replace. Every file is opened through it.
const std::shared_ptr<input_record>& inputs_of_this_run();

// Openers map files. A file that another process shortens meanwhile ends the run with a sentence
// (lost_file()) when the lost part is touched, where a mapping alone would end the process with
// SIGBUS.

/// Opens files of inputs, decompresses .gz and .zst, and counts bytes for the rates of
/// progress.hpp.
any_file_opener input_files();
/// Opens files of partition folders. @param of_amended  as `amended` of input_record::opening()
any_file_opener folder_files(bool of_amended = false);
/// Opens files that this run has written, which are no inputs.
any_file_opener own_files();
/// As input_files(), for streams: .gz and .zst are decompressed into temporary files of a folder.
any_file_opener files_with_scratch(const std::string& folder);

/// Puts the next decompressed bytes of a file into a span: fewer than fit only at the end.
using unpacked_blocks = std::function<std::size_t(std::span<std::byte>)>;
/// The contents of a compressed file from front to back; empty where the name is of no such file.
unpacked_blocks open_packed(const std::string& path);

/// Reads and writes JSON.
any_json_codec json_codec();

/// Reads YAML, where the program was built with it.
any_json_codec yaml_codec();

/// Parquet, where the program was built with it.
any_table_reader input_tables();
any_table_writer output_tables();
bool has_tables() noexcept;

/// What the help says of the graphs that commands read: every format of io/input_format.hpp but
/// tables, which not all commands take.
inline constexpr const char* graph_formats =
    "a chunked graph (its folder or metadata.json), a partition folder (restored to the order of the input where it keeps the "
    "mapping), OGB's raw layout (SRC___REL___DST/edge_index.npy, TYPE/node_*.npy), a folder with meta.json, a .dgl graph, a METIS "
    ".graph, an edge list, .mtx, .gr, .sg, .wsg, .adj, .parhip, .bin32, .bin64, .graphml, node-link JSON or GraphAr (.graph.yml); "
    ".gz and .zst too";

/// Threads for the loops of this run; they live as long as the program.
/// @param threads  0: one for each core
/// @errors io: the system does not allow so many
executor_ref make_threads(std::size_t threads);

bool is_folder(const std::string& path);
bool is_file(const std::string& path);

/// Memory that this process can still take without swapping, in bytes: the machine's, or less where
/// its control group allows less.
std::uint64_t available_memory();
/// Bytes that a run may take: --memory, or what is free where that is less.
/// @param budget  --memory; 0: not given  @param ignore_memory  --ignore-memory: no limit
std::uint64_t memory_allowed(std::uint64_t budget, bool ignore_memory);

/// The folder that `path` is in or, where it does not exist yet, its nearest ancestor that does: a
/// place for temporary files beside an output.
std::string existing_folder_of(const std::string& path);

/// Bytes free on the file system that `path` is on, or will be.
std::uint64_t available_disk(const std::string& path);

}  // namespace halograph::cli
