// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// Edge lists, DGL graphs and matrices at the usual widths of IDs, for the compiled
/// library: header-only programs instantiate what they use.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/dimacs.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/matrix_market.hpp>

#include <cstdint>
#include <string>

#if HALOGRAPH_COMPILED
namespace halograph {

template dataset<std::uint32_t, std::uint32_t> read_edge_list<std::uint32_t, std::uint32_t>(
    const std::string&, const edge_list_options&, const any_file_opener&, executor_ref);
template dataset<std::uint64_t, std::uint64_t> read_edge_list<std::uint64_t, std::uint64_t>(
    const std::string&, const edge_list_options&, const any_file_opener&, executor_ref);
template dataset<std::uint32_t, std::uint32_t> read_dgl_graph<std::uint32_t, std::uint32_t>(
    const std::string&, const dgl_graph_options&, const any_file_opener&);
template dataset<std::uint64_t, std::uint64_t> read_dgl_graph<std::uint64_t, std::uint64_t>(
    const std::string&, const dgl_graph_options&, const any_file_opener&);
template dataset<std::uint32_t, std::uint32_t> read_matrix_market<std::uint32_t, std::uint32_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint32_t, std::uint32_t> read_dimacs_graph<std::uint32_t, std::uint32_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint32_t, std::uint32_t> read_adjacency_graph<std::uint32_t, std::uint32_t>(
    const std::string&, const any_file_opener&, std::uint64_t);
template dataset<std::uint64_t, std::uint64_t> read_matrix_market<std::uint64_t, std::uint64_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint64_t, std::uint64_t> read_dimacs_graph<std::uint64_t, std::uint64_t>(
    const std::string&, const any_file_opener&, executor_ref, std::uint64_t);
template dataset<std::uint64_t, std::uint64_t> read_adjacency_graph<std::uint64_t, std::uint64_t>(
    const std::string&, const any_file_opener&, std::uint64_t);

}  // namespace halograph
#endif
