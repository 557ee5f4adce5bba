// SPDX-License-Identifier: BSL-1.0
/// @file bisector.hpp
/// K parts by METIS's two-way call alone, for loads on which its K-way call fails.
/// Layer: adapters (METIS). Words: README.md.
#pragma once

#include <halograph/adapters/metis/call.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>

#include <metis.h>

#include <cstddef>
#include <vector>

namespace halograph {

namespace detail {

/// K parts by METIS's two-way call alone. Each half gets at least as many nodes as it has parts to
/// make, so that METIS never gets an empty graph, about which it prints.
class metis_bisector {
 public:
  metis_bisector(const metis_input& whole, std::vector<idx_t>& owner)
      : whole_(whole), owner_(owner), local_(whole.num_nodes(), 0) {}

  status run(std::size_t parts);

 private:
  status split(const std::vector<std::size_t>& nodes, std::size_t first, std::size_t parts,
               std::size_t all_parts);

  const metis_input& whole_;
  std::vector<idx_t>& owner_;
  std::vector<std::size_t> local_;
  std::vector<real_t> allowed_{};
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/metis/impl/bisector.ipp>
#endif
