// SPDX-License-Identifier: BSL-1.0
/// @file write_tables.hpp
/// Writes a streamed graph as Parquet files, one table for each node type and edge type.
/// Layer: io. Words: README.md.
///
/// | file | columns |
/// | --- | --- |
/// | `nodes/TYPE.parquet` | `id`, from 0; features |
/// | `edges/SOURCE:RELATION:TARGET.parquet` | `source`, `target`: IDs within their types; features |
/// | `tables.json` | the specification by which the files are read back (formats/tables_spec.hpp) |
///
/// IDs are int64. A feature is a column of its name: of numbers, or of lists, where a row is a
/// tensor of several dimensions laid end to end.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/table.hpp>

namespace halograph {

/// Write a graph as tables into a staging folder; the caller commits. Rows are in the order of
/// their IDs. Not thread-safe.
/// @param tables  writes Parquet files
/// @return        how many files and bytes
/// @errors exists: a feature has the name of a column of IDs, or of another feature but for upper
///     and lower case; unsupported: no library, or a dtype that it cannot write; io; those of
///     validate() and the stream
/// @complexity O(bytes written); memory: what the library takes for a group of rows
written_arrays write_tables(const streamed_graph& g, staged_folder& staged,
                            const any_table_writer& tables);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/write_tables.ipp>
#endif
