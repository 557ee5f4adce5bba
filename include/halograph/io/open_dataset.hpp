// SPDX-License-Identifier: BSL-1.0
/// @file open_dataset.hpp
/// Load a graph of any known format into memory.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/graph_source.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace halograph {

/// Load a graph of any known format.
///
/// @param path      what recognize_input() takes
/// @param open      how to open files; gz_files<mapped_files> opens most
/// @param codec     parses JSON
/// @param executor  parses pieces of text files
/// @param tables    reads the Parquet files of chunked graphs; no_tables refuses them
/// @param formats   those that partition folders may be in
/// @errors those of recognize_input(), check_input_options() and the format's reader; overflow:
///     Node or Edge is too narrow, and a wider one may do
/// @complexity that of the format's reader; of OGB folders, tables and partition folders that of
///     their streams, and of materialize()
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> load_dataset(const std::string& path, const input_options& options,
                                 const any_file_opener& open, const any_json_codec& codec,
                                 executor_ref executor = {}, const any_table_reader& tables = {},
                                 const format_list& formats = built_in_formats{}) {
  const detail::input_context in{
      recognize_input(path, open, codec), options, open, codec, formats, tables, executor};
  return detail::load_input<Node, Edge>(in);
}

}  // namespace halograph
