// SPDX-License-Identifier: BSL-1.0
/// @file assign.ipp
/// Bodies of the plain functions of partition/assign.hpp.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/assign.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace halograph::detail {

HALOGRAPH_INLINE std::string explain_assignment_status(status answer,
                                                       std::optional<std::uint64_t> named,
                                                       std::uint64_t capacity) {
  std::string parts = "the number of parts";
  if (named) parts += " (" + std::to_string(*named) + ")";
  const std::string at = std::to_string(answer.position);
  switch (answer.code) {
    case error_kind::ok:
      return "no error";
    case error_kind::invalid_argument:
      return parts + " must be at least 1, and every option within its range";
    case error_kind::overflow:
      return parts + " does not fit the partitioner's part type; it must be at most " +
             std::to_string(capacity);
    case error_kind::mismatch:
      return "an assignment of " + at + " nodes needs exactly one part for each";
    case error_kind::out_of_range:
      return "node " + at + " is given a part that is not below " + parts;
    case error_kind::internal:
      return "the partitioner put node " + at + " into a part that is not below " + parts +
             "; its assign() must write every owner";
    default:
      return "the partitioner answered \"" + std::string(name(answer.code)) + "\" at " + at;
  }
}

}  // namespace halograph::detail
