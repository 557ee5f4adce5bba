// SPDX-License-Identifier: BSL-1.0
/// @file partition.ipp
/// Bodies of the plain functions of parmetis/partition.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/partition/distributed.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::vector<std::string> parmetis_part_files(const parmetis_names& names,
                                                              std::uint64_t parts) {
  std::vector<std::string> out;
  for (std::uint64_t p = 0; p < parts; ++p) {
    out.push_back(names.part_nodes(p));
    out.push_back(names.part_edges(p));
    out.push_back(names.part_stats(p));
  }
  out.push_back(names.assignment(parts));
  return out;
}

}  // namespace halograph
