// SPDX-License-Identifier: BSL-1.0
/// @file custom_partitioner.hpp
/// The partitioner of custom_partitioner.cpp and custom_method.cpp.
#pragma once

#include <halograph/partition/partitioner.hpp>

#include <cstdint>
#include <span>
#include <string_view>

/// Assigns stripes of `width` consecutive nodes to the parts in turn.
struct in_stripes {
  using part = std::uint16_t;
  static constexpr std::string_view name = "stripes";  // what --method calls it
  part parts = 1;
  std::uint32_t width = 64;

  halograph::status assign(const auto& graph, std::span<part> owner) const {
    if (width == 0) return halograph::status::invalid_argument;
    if (const auto fits = halograph::check_parts<part>(parts, halograph::num_nodes(graph), owner);
        !fits)
      return fits;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(v / width % parts);
    return halograph::status::ok;
  }
};
