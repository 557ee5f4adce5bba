// SPDX-License-Identifier: BSL-1.0
/// @file call.ipp
/// Bodies of the plain functions of adapters/metis/call.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/metis/call.hpp>
#include <halograph/core/status.hpp>

#include <metis.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace halograph::detail {

HALOGRAPH_HOSTED_INLINE status call_metis(metis_input& in, metis_method method, idx_t parts,
                                          std::vector<idx_t>& owner) {
  auto nodes = static_cast<idx_t>(in.num_nodes());
  idx_t value = 0, no_neighbor = 0;
  idx_t* neighbors = in.neighbors.empty() ? &no_neighbor : in.neighbors.data();
  owner.assign(in.num_nodes(), 0);
  const auto call = method == metis_method::k_way ? &METIS_PartGraphKway
                                                  : &METIS_PartGraphRecursive;
  int answer = 0;
  {
    const std::lock_guard lock(metis_lock());
    answer = call(&nodes, &in.constraints, in.offsets.data(), neighbors, data_or_null(in.loads),
                  data_or_null(in.sizes), data_or_null(in.pair_weights), &parts,
                  data_or_null(in.targets), in.allowed.data(), in.options.data(), &value,
                  owner.data());
  }
  switch (answer) {
    case METIS_OK:
      return status::ok;
    case METIS_ERROR_INPUT:
      return metis_status(error_kind::internal, metis_reason::refused);
    case METIS_ERROR_MEMORY:
      return metis_status(error_kind::memory, metis_reason::no_memory);
    default:
      return metis_status(error_kind::internal, metis_reason::failed);
  }
}

}  // namespace halograph::detail
