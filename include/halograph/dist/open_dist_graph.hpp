// SPDX-License-Identifier: BSL-1.0
/// @file open_dist_graph.hpp
/// Opens a partition folder as one graph on all ranks.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Check that all ranks open the folder of one run. If each has a folder of its own (--local-output
/// of dispatch), a manifest lists only that rank's parts; files listed by two manifests must agree.
/// Inside run_collective().
void check_same_run(communicator_ref ranks, const partition_config& config, std::uint64_t of_config,
                    const std::optional<manifest>& made);

/// An opener that compares the files of a folder with its manifest.
/// @param config, made  must outlive it
/// @param digests       compare digests, not only sizes
any_file_opener as_listed(const partition_config& config, const any_file_opener& files,
                          const std::optional<manifest>& made, bool digests);

}  // namespace detail

/// Open a partition folder on all ranks. Collective. Rank r of R holds the parts block_range(parts,
/// r, R); files of other parts are not touched, so each rank needs the config and its own parts
/// alone. (Configs of DGL 0.6 to 0.9 with several node types name relations only: their endpoint
/// types are read from a part that has an edge of each.)
///
/// If the folder has a manifest, the size of each opened file and the digest of each graph are
/// checked, and the manifests of several ranks must agree. Features of another run that have the
/// same size are detected with dist_options::digest_features, and by verify. Rows that
/// `attach-features --cache-plan` has placed are opened, too.
///
/// @param ranks    must outlive the graph, its copies and what is made from them
/// @param path     the config JSON, as this rank sees it
/// @param access   reads the folder; views of mapped files cost nothing until touched
///
/// @errors         on all ranks: those of reading a config and a part; mismatch: ranks, or a part
///     and the config, are of different runs, or the folder was replaced while it was opened, or
///     the options of the ranks differ; unsupported: a folder made without relabeling
///     (`--no-reshuffle`), whose parts own no ID ranges; memory: more than options.most_bytes, for
///     which graph files are read once more
/// @complexity     O(size of this rank's parts)
dist_graph open_dist_graph(communicator_ref ranks, const std::string& path,
                           const folder_access& access, const dist_options& options = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/open_dist_graph.ipp>
#endif
