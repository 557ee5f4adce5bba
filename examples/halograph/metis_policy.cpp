// SPDX-License-Identifier: BSL-1.0
#include "metis_policy.hpp"

#if defined(HALOGRAPH_WITH_METIS)
#include <halograph/adapters/metis.hpp>
#endif

namespace halograph::cli {

#if defined(HALOGRAPH_WITH_METIS)

namespace {

struct program_metis : metis {
  void choose(const policy_inputs& in) {
    objective = in.volume ? halograph::objective::volume : halograph::objective::cut;
    if (in.volume) node_sizes = in.node_sizes;
  }
};

}  // namespace

std::string missing_metis() { return {}; }
policy_entry metis_entry() { return entry_of<program_metis>(); }

std::uint64_t bytes_of_metis(std::uint64_t nodes, std::uint64_t entries, std::uint64_t constraints,
                             std::uint64_t parts) {
  return metis_bytes(nodes, entries, constraints, parts);
}

#else

namespace {

/// The word of --method, which is refused before anything is done.
struct absent_metis {
  using part = part_id;
  static constexpr std::string_view name = "metis";
  std::uint64_t parts = 1;
  std::uint64_t seed = 0;
  double tolerance = default_tolerance;
  std::span<const constraint> constraints{};
  std::span<const std::int64_t> edge_weights{};
  bool balance_types = true;

  template <graph G>
  status assign(const G&, std::span<part>) const {
    return status::unsupported;
  }
};

}  // namespace

std::string missing_metis() {
  return "method metis needs METIS, which was not found when the program was built (Debian: libmetis-dev)";
}
policy_entry metis_entry() { return entry_of<absent_metis>(); }

std::uint64_t bytes_of_metis(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
  return 0;
}

#endif

}  // namespace halograph::cli
