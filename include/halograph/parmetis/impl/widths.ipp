// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// ParMETIS's files at the usual widths of IDs, for the compiled library: header-only programs
/// instantiate what they use.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/graph.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/parmetis/parts_reader.hpp>
#include <halograph/parmetis/ranks.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/text/writer.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#if HALOGRAPH_COMPILED
namespace halograph {

template parmetis_parts<std::uint32_t, std::uint32_t>
read_parmetis_parts<std::uint32_t, std::uint32_t>(const std::string&, const std::string&,
                                                  const parmetis_schema&,
                                                  const parmetis_parts_options&,
                                                  const any_file_opener&, executor_ref);
template parmetis_parts<std::uint64_t, std::uint64_t>
read_parmetis_parts<std::uint64_t, std::uint64_t>(const std::string&, const std::string&,
                                                  const parmetis_schema&,
                                                  const parmetis_parts_options&,
                                                  const any_file_opener&, executor_ref);
template parmetis_share<std::uint64_t> read_parmetis_share<std::uint64_t>(
    communicator_ref, const std::string&, const std::string&, const any_file_opener&, executor_ref);
template parmetis_export_result export_parmetis(const dataset<std::uint32_t, std::uint32_t>&,
                                                staged_folder&, const parmetis_export_options&);
template parmetis_export_result export_parmetis(const dataset<std::uint64_t, std::uint64_t>&,
                                                staged_folder&, const parmetis_export_options&);

namespace detail {

template void read_rows(communicator_ref, const std::string&, const std::string&,
                        const any_file_opener&, executor_ref, parmetis_rows<std::uint32_t>&,
                        std::vector<std::vector<std::int64_t>>&);
template void read_rows(communicator_ref, const std::string&, const std::string&,
                        const any_file_opener&, executor_ref, parmetis_rows<std::uint64_t>&,
                        std::vector<std::vector<std::int64_t>>&);
template parmetis_write_result write_share(communicator_ref, const parmetis_rows<std::uint32_t>&,
                                           std::span<const part_id>, std::uint64_t,
                                           function_ref<text_writer(const std::string&)>,
                                           const parmetis_write_options&);
template parmetis_write_result write_share(communicator_ref, const parmetis_rows<std::uint64_t>&,
                                           std::span<const part_id>, std::uint64_t,
                                           function_ref<text_writer(const std::string&)>,
                                           const parmetis_write_options&);

}  // namespace detail

}  // namespace halograph
#endif
