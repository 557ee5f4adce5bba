// SPDX-License-Identifier: BSL-1.0
/// @file job_checks.ipp
/// Bodies of the plain functions of pipeline/job_checks.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

HALOGRAPH_INLINE void check_num_parts(std::uint64_t parts, std::uint64_t trainers_per_machine) {
  if (parts == 0 || parts > max_parts) {
    raise(error_kind::invalid_argument,
          concat({"the number of parts must be from 1 to ", max_parts, ", not ", parts}));
  }
  if (parts % trainers_per_machine != 0) {
    raise(error_kind::invalid_argument,
          concat({"the number of parts must be a multiple of the ", trainers_per_machine,
                  " trainers per machine, not ", parts}));
  }
}

HALOGRAPH_INLINE std::string check_job(const job_request& asked) {
  std::string warning = check_graph_name(asked.graph_name);
  if (asked.hops > max_halo_hops) {
    raise(error_kind::out_of_range,
          concat({asked.hops, " hops are more than any graph needs; ask for at most ",
                  max_halo_hops}));
  }
  if (asked.trainers_per_machine == 0)
    raise(error_kind::invalid_argument, "trainers per machine must be 1 or more");
  if (asked.formats.empty()) {
    raise(error_kind::invalid_argument,
          "no sparse format is requested; name at least one of coo, csr, csc");
  }
  if (!asked.reshuffle && asked.node_order != original_order::name) {
    raise(error_kind::invalid_argument,
          "nodes cannot keep their original IDs (reshuffle off) and be put in another order; "
          "request only one of the two");
  }
  check_num_parts(asked.parts, asked.trainers_per_machine);
  return warning;
}

}  // namespace halograph
