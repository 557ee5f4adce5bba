// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// Columns and edges of text at the usual widths, for the compiled
/// library: header-only programs instantiate what they use.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/edges.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#if HALOGRAPH_COMPILED
namespace halograph {

template std::vector<std::vector<std::int8_t>> read_columns<std::int8_t>(std::span<const std::byte>,
                                                                         const std::string&,
                                                                         std::size_t,
                                                                         const column_text_options&,
                                                                         executor_ref);
template std::vector<std::vector<std::int32_t>> read_columns<std::int32_t>(
    std::span<const std::byte>, const std::string&, std::size_t, const column_text_options&,
    executor_ref);
template std::vector<std::vector<std::int64_t>> read_columns<std::int64_t>(
    std::span<const std::byte>, const std::string&, std::size_t, const column_text_options&,
    executor_ref);
template edge_text<std::uint32_t> read_edges<std::uint32_t>(std::span<const std::byte>,
                                                            const std::string&,
                                                            const edge_text_options&, executor_ref);
template edge_text<std::uint64_t> read_edges<std::uint64_t>(std::span<const std::byte>,
                                                            const std::string&,
                                                            const edge_text_options&, executor_ref);

}  // namespace halograph
#endif
