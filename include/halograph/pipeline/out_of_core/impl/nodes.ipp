// SPDX-License-Identifier: BSL-1.0
/// @file nodes.ipp
/// Bodies of the plain functions of pipeline/out_of_core/nodes.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/serializer.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void update_little_endian(digest64& digest, std::span<const std::int32_t> values) {
  if constexpr (std::endian::native == std::endian::little) {
    digest.update(std::as_bytes(values));
  } else {
    std::vector<std::int32_t> swapped(values.begin(), values.end());
    const auto bytes = std::as_writable_bytes(std::span(swapped));
    swap_elements_to_little_endian(bytes, sizeof(std::int32_t));
    digest.update(bytes);
  }
}

}  // namespace halograph::detail
