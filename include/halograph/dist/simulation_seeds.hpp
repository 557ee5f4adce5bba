// SPDX-License-Identifier: BSL-1.0
/// @file simulation_seeds.hpp
/// The seeds of a simulation: all nodes of a type, a mask, or a file.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// All nodes of a type as seeds, or of all types: [P] ascending global IDs, each of the part that
/// owns them; those of parts of other ranks are empty.
std::vector<std::vector<global_id>> all_seeds(const dist_graph& g,
                                              std::optional<type_id> type = {});

/// The nodes of a type whose row of a feature is not zero (a mask): [P], those of parts of other
/// ranks are empty.
/// @errors raises not_found: no such feature; mismatch: not one integer or boolean for each node
std::vector<std::vector<global_id>> seeds_of_feature(const dist_graph& g, type_id type,
                                                     std::string_view feature);

/// The nodes of a type that a `.npy` file lists by their original IDs, such as a `train_idx`: [P]
/// ascending global IDs, those of parts of other ranks are empty.
/// @errors raises not_found: the folder has no mapping; mismatch: not a column of integers;
///     out_of_range: no such node; exists: one is listed twice; those of the opener
std::vector<std::vector<global_id>> seeds_of_file(const dist_graph& g, type_id type,
                                                  const std::string& path,
                                                  const any_file_opener& files,
                                                  const format_list& formats);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/simulation_seeds.ipp>
#endif
