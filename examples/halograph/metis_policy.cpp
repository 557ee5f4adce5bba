// SPDX-License-Identifier: BSL-1.0
#include "metis_policy.hpp"

#include <halograph/adapters/metis.hpp>

namespace halograph::cli {

namespace {

struct program_metis : metis {
  void choose(const policy_inputs& in) {
    objective = in.volume ? halograph::objective::volume : halograph::objective::cut;
    if (in.volume) node_sizes = in.node_sizes;
  }
};

}  // namespace

policy_entry metis_entry() { return entry_of<program_metis>(); }

std::uint64_t bytes_of_metis(std::uint64_t nodes, std::uint64_t entries, std::uint64_t constraints,
                             std::uint64_t parts) {
  return metis_bytes(nodes, entries, constraints, parts);
}

}  // namespace halograph::cli
