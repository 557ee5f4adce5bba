// SPDX-License-Identifier: BSL-1.0
/// @file unshuffle.hpp
/// Put rows in new order back into original order.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace halograph {

/// out[mapping[i]] = rows[i], rows of `row_bytes` bytes each.
///
/// @param mapping    [N] original ID of each new ID, a permutation
/// @param rows       [N * row_bytes] in new order
/// @param out        [N * row_bytes] in original order; must not overlap rows
/// @errors       mismatch: sizes disagree; out_of_range at i: mapping[i] is out of range
/// @complexity   O(N * row_bytes)
template <id Id>
status unshuffle_bytes(std::span<const Id> mapping, std::size_t row_bytes,
                       std::span<const std::byte> rows, std::span<std::byte> out) noexcept {
  // Compare without a product that could overflow.
  const bool fitting = row_bytes == 0 || mapping.empty()
                           ? rows.empty()
                           : rows.size() % row_bytes == 0 &&
                                 rows.size() / row_bytes == mapping.size();
  if (!fitting || out.size() != rows.size()) return status::mismatch.at(rows.size());
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    const std::size_t to = index(mapping[i]);
    if (to >= mapping.size()) return status::out_of_range.at(i);
    if (row_bytes != 0)
      std::memcpy(out.data() + to * row_bytes, rows.data() + i * row_bytes, row_bytes);
  }
  return status::ok;
}

/// out[mapping[i]] = rows[i] for rows of any number of values.
///
/// @param mapping  [N] original ID of each new ID
/// @param rows     [N * w] values in new order, w = rows.size() / N per row
/// @param out      [N * w] a container or span; must not overlap rows
/// @errors         as unshuffle_bytes
template <class Mapping, class Rows, class Out>
  requires requires(const Mapping& m, const Rows& r, Out& o) {
    std::span(m);
    std::span(r);
    std::span(o);
  }
constexpr status unshuffle(const Mapping& mapping, const Rows& rows, Out&& out) {
  const std::span m(mapping);
  const std::span r(rows);
  const std::span o(out);
  if (r.size() != o.size() || (m.empty() ? !r.empty() : r.size() % m.size() != 0))
    return status::mismatch.at(r.size());
  const std::size_t width = m.empty() ? 0 : r.size() / m.size();
  for (std::size_t i = 0; i < m.size(); ++i) {
    const std::size_t to = index(m[i]);
    if (to >= m.size()) return status::out_of_range.at(i);
    for (std::size_t k = 0; k < width; ++k) o[to * width + k] = r[i * width + k];
  }
  return status::ok;
}

}  // namespace halograph
