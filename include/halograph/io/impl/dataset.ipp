// SPDX-License-Identifier: BSL-1.0
/// @file dataset.ipp
/// Bodies of the plain functions of io/dataset.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void require_room_for_edges(std::uint64_t edges, std::uint64_t bytes_each,
                                             std::uint64_t most, const std::string& path) {
  if (edges <= most / bytes_each) return;
  raise(
      error_kind::memory,
      "each of its " + std::to_string(edges) + " edges takes " + std::to_string(bytes_each) +
          " bytes of memory while the file is read, more than the " + std::to_string(most) +
          " bytes that the budget leaves for edges; increase the budget, or use a format that is read in blocks, such as an edge list",
      {.file = path, .line = {}, .byte = {}});
}

namespace detail {

HALOGRAPH_INLINE void check_rows(bool known_type, std::uint64_t rows, std::uint64_t count,
                                 const char* kind, const std::string& name) {
  if (!known_type) {
    raise(error_kind::mismatch, std::string(kind) + " feature " + graph_schema::quoted(name) +
                                    " belongs to a type that the schema does not have");
  }
  if (rows != count) {
    raise(error_kind::mismatch, std::string(kind) + " feature " + graph_schema::quoted(name) +
                                    " has " + std::to_string(rows) + " rows for " +
                                    std::to_string(count) + " " + kind +
                                    "s; it needs one row each");
  }
}

}  // namespace detail

}  // namespace halograph
