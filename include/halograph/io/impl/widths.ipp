// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// Datasets at the usual widths of IDs, for the compiled
/// library: header-only programs instantiate what they use.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/formats/plain.hpp>
#include <halograph/io/streamed_graph.hpp>

#include <cstdint>
#include <string>

#if HALOGRAPH_COMPILED
namespace halograph {

template void dataset<std::uint32_t, std::uint32_t>::finish();
template void dataset<std::uint64_t, std::uint64_t>::finish();
template dataset<std::uint32_t, std::uint32_t> materialize<std::uint32_t, std::uint32_t>(
    const streamed_graph&);
template dataset<std::uint64_t, std::uint64_t> materialize<std::uint64_t, std::uint64_t>(
    const streamed_graph&);
template dataset<std::uint32_t, std::uint32_t> read_metis_graph<std::uint32_t, std::uint32_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint64_t, std::uint64_t> read_metis_graph<std::uint64_t, std::uint64_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint32_t, std::uint32_t> read_plain<std::uint32_t, std::uint32_t>(
    const std::string&, const plain_options&, const any_file_opener&, const any_json_codec&,
    executor_ref);
template dataset<std::uint64_t, std::uint64_t> read_plain<std::uint64_t, std::uint64_t>(
    const std::string&, const plain_options&, const any_file_opener&, const any_json_codec&,
    executor_ref);

}  // namespace halograph
#endif
