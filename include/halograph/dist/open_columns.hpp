// SPDX-License-Identifier: BSL-1.0
/// @file open_columns.hpp
/// Opens the features of local parts, and merges the descriptions of all ranks.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// All-gather of texts, end to end. Inside run_collective().
std::string gather_texts(communicator_ref ranks, const std::string& mine);

/// Open the features of this rank's parts.
void open_columns(dist_state& state, const any_file_opener& files, const format_list& formats);

/// Merge the feature descriptions of all ranks, in an order that does not depend on which rank
/// holds which part. Inside run_collective().
void agree_on_columns(communicator_ref ranks, dist_state& state);

/// Check that a part that owns rows of a type has each feature of it.
void check_columns(const dist_state& state);

/// Open the cached rows of nodes of other ranks.
void open_kept_rows(dist_state& state, std::size_t rank, const any_file_opener& files,
                    const format_list& formats);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/open_columns.ipp>
#endif
