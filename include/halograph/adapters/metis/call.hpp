// SPDX-License-Identifier: BSL-1.0
/// @file call.hpp
/// One call of METIS: its arguments in METIS's types, and its answer as a status.
/// Layer: adapters (METIS). Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>

#include <metis.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace halograph {

/// How METIS gets to K parts.
enum class metis_method : std::uint8_t {
  k_way,     ///< K parts of a coarse graph, refined together
  recursive  ///< halves of halves; better balance for few parts, slower for many
};

namespace detail {

/// Why an argument is refused; the low byte of a status's position, the index of a constraint above
/// it.
enum class metis_reason : std::uint8_t {
  none,
  no_parts,
  part_width,
  owner_size,
  index_width,
  load_size,
  load_negative,
  load_sum,
  bad_tolerance,
  target_size,
  target_value,
  edge_weight_count,
  edge_weight_value,
  edge_weight_sum,
  sizes_count,
  sizes_value,
  sizes_sum,
  bad_iterations,
  volume_needs_k_way,
  contiguous_needs_k_way,
  connectivity_needs_k_way,
  random_start_needs_recursive,
  sizes_need_volume,
  volume_ignores_weights,
  weights_twice,
  not_connected,
  not_contiguous,
  heavy_contiguous,
  bad_edge,
  refused,
  no_memory,
  failed
};

constexpr status metis_status(error_kind code, metis_reason reason,
                              std::uint64_t item = 0) noexcept {
  return {code, static_cast<std::uint64_t>(reason) | (item << 8)};
}

/// The one lock around METIS: it draws from rand() and installs signal handlers, both global.
inline std::mutex& metis_lock() {
  static std::mutex lock;
  return lock;
}

/// Everything a call takes, in METIS's own types.
struct metis_input {
  std::vector<idx_t> offsets{}, neighbors{};  // [V+1], [2 x pairs]
  std::vector<idx_t> pair_weights{};          // [2 x pairs] or empty
  std::vector<idx_t> loads{};                 // [V x constraints], node by node, or empty: 1 each
  std::vector<idx_t> sizes{};                 // [V] or empty
  std::vector<real_t> targets{};              // [K x constraints] or empty
  std::vector<real_t> allowed{};              // [constraints] 1 + tolerance
  idx_t constraints = 1;
  std::array<idx_t, METIS_NOPTIONS> options{};

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
};

template <class T>
T* data_or_null(std::vector<T>& items) {
  return items.empty() ? nullptr : items.data();
}

/// Call METIS. @pre 2 <= parts <= V; arguments are checked
status call_metis(metis_input& in, metis_method method, idx_t parts, std::vector<idx_t>& owner);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/metis/impl/call.ipp>
#endif
