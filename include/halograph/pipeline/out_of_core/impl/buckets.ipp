// SPDX-License-Identifier: BSL-1.0
/// @file buckets.ipp
/// Bodies of the plain functions of pipeline/out_of_core/buckets.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void lists_from_buckets(const spill_buckets& spill, id_range parts,
                                         std::size_t each, std::span<std::uint64_t> begin) {
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < begin.size(); ++p) {
    begin[p] = sum;
    if (p < parts.begin || p >= parts.end) continue;
    for (std::size_t i = 0; i < each; ++i)
      sum += spill.count((p - static_cast<std::size_t>(parts.begin)) * each + i);
  }
}

}  // namespace halograph::detail
