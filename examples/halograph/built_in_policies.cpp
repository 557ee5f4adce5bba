// SPDX-License-Identifier: BSL-1.0
#include "metis_policy.hpp"
#include "policies.hpp"
#include "starting_parts.hpp"

#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>

namespace halograph::cli {

namespace {

struct program_multilevel : multilevel {
  void choose(const policy_inputs& in) {
    objective = in.volume ? halograph::objective::volume : halograph::objective::cut;
    node_sizes = in.node_sizes;
    effort = effort_of(in.preset);
    from = in.from;
    fixed = in.fixed;
    max_moved = in.max_moved;
    part_weights = in.part_weights;
    on_progress = in.on_progress;
    on_bytes = in.on_bytes;
    compress = in.compress;
  }
};

struct program_buffered : buffered {
  void choose(const policy_inputs& in) {
    if (in.batch != 0) batch = 2 * in.batch;
  }
};

}  // namespace

const std::vector<policy_entry>& built_in_policies() {
  static const std::vector<policy_entry> all{entry_of<program_multilevel>(),
                                             metis_entry(),
                                             entry_of<random_parts>(),
                                             entry_of<ldg>(),
                                             entry_of<fennel>(),
                                             entry_of<program_buffered>(),
                                             entry_of<hash_parts>(),
                                             entry_of<range_parts>()};
  return all;
}

const policy_entry* offered_policies::find(std::string_view method) const {
  for (const auto* all : {&built_in_policies(), &given}) {
    for (const auto& one : *all) {
      if (one.name == method) return &one;
    }
  }
  return nullptr;
}

bool is_streaming(std::string_view method) {
  for (const auto& one : built_in_policies()) {
    if (one.name == method) return one.can.streams;
  }
  return false;
}

std::uint64_t bytes_in_memory(std::string_view method, std::uint64_t nodes, std::uint64_t entries,
                              std::uint64_t constraints, std::uint64_t parts, std::uint64_t batch,
                              const multilevel_inputs& given) {
  return method == "metis"            ? bytes_of_metis(nodes, entries, constraints, parts)
         : method == multilevel::name ? multilevel_bytes(nodes, entries, constraints, parts, given)
         : method == buffered::name
             ? buffered_bytes(nodes, entries / 2, batch == 0 ? buffered::default_batch : 2 * batch,
                              constraints, parts)
             : 0;
}

std::uint64_t first_bytes_in_memory(std::string_view method, std::uint64_t nodes,
                                    std::uint64_t edges, std::uint64_t entries,
                                    std::uint64_t constraints, std::uint64_t parts,
                                    std::size_t threads, const multilevel_inputs& given) {
  // It tells nothing of these; and coding rows takes what is not known before.
  if (method != multilevel::name || given.volume || given.compress || given.fixed || given.from)
    return 0;
  return multilevel_first_bytes(nodes, edges, entries, constraints, parts, threads, given);
}

std::unique_ptr<chosen_policy> given_parts(std::uint64_t parts, std::span<const part_id> owners) {
  return erased(halograph::given{.parts = parts, .owners = owners});
}

}  // namespace halograph::cli
