// SPDX-License-Identifier: BSL-1.0
/// @file custom_partitioner.hpp
/// The partitioner of custom_partitioner.cpp and custom_method.cpp.
#pragma once

#include <halograph/core/status.hpp>

#include <cstdint>
#include <span>
#include <string_view>

/// Deals `width` consecutive nodes at a time to the parts in turn.
struct in_stripes {
  using part = std::uint16_t;
  static constexpr std::string_view name = "stripes";  // what --method calls it
  part parts = 1;
  std::uint32_t width = 64;

  halograph::status assign(const auto&, std::span<part> owner) const {
    if (parts == 0 || width == 0) return halograph::status::invalid_argument;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(v / width % parts);
    return halograph::status::ok;
  }
};
