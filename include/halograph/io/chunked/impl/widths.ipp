// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// Chunked graphs at the usual widths of IDs, for the compiled
/// library: header-only programs instantiate what they use.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/read.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#if HALOGRAPH_COMPILED
namespace halograph {

template void chunked_graph::stream<std::uint32_t>(
    type_id, std::uint64_t, std::uint64_t,
    function_ref<std::pair<std::span<std::uint32_t>, std::span<std::uint32_t>>(std::uint64_t,
                                                                               std::size_t)>,
    function_ref<void(std::uint64_t, std::size_t)>) const;
template void chunked_graph::stream<std::uint64_t>(
    type_id, std::uint64_t, std::uint64_t,
    function_ref<std::pair<std::span<std::uint64_t>, std::span<std::uint64_t>>(std::uint64_t,
                                                                               std::size_t)>,
    function_ref<void(std::uint64_t, std::size_t)>) const;
template dataset<std::uint32_t, std::uint32_t> read_chunked<std::uint32_t, std::uint32_t>(
    const std::string&, const chunked_options&, const any_file_opener&, const any_json_codec&,
    executor_ref, const any_table_reader&);
template dataset<std::uint64_t, std::uint64_t> read_chunked<std::uint64_t, std::uint64_t>(
    const std::string&, const chunked_options&, const any_file_opener&, const any_json_codec&,
    executor_ref, const any_table_reader&);

}  // namespace halograph
#endif
