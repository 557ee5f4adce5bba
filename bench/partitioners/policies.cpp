// SPDX-License-Identifier: BSL-1.0
// Our policies, each on a METIS file: read, assign, write.
#include "../measure.hpp"
#include "../words.hpp"
#include "methods.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/tbb.hpp>
#if defined(HALOGRAPH_WITH_METIS)
#include <halograph/adapters/metis.hpp>
#endif
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::bench {

namespace {

using loaded = dataset<std::uint32_t, std::uint32_t>;

/// What a policy gets.
struct job {
  const loaded& graph;
  const assignment_request& request;
  std::span<const constraint> constraints;
  const tbb_threads& threads;
};

template <class Policy>
std::vector<part_id> run(Policy policy, const job& at) {
  policy.parts = at.request.parts;
  if constexpr (requires { policy.seed = std::uint64_t{}; }) {
    if (at.request.seed) policy.seed = *at.request.seed;
  }
  if constexpr (requires { policy.tolerance = 0.0; }) policy.tolerance = at.request.tolerance;
  if constexpr (takes_constraints<Policy>) policy.constraints = at.constraints;
  return assign(at.graph.graph(), policy, at.threads);
}

multilevel with_effort(const multilevel_effort& effort) {
  multilevel out;
  out.effort = effort;
  return out;
}

struct entry {
  own_policy about;
  std::function<std::vector<part_id>(const job&)> run;
};

template <class Policy>
entry entry_of(std::string name, Policy policy, bool threads, bool ours = true) {
  return {{std::move(name), takes_constraints<Policy>, threads, ours},
          [policy](const job& at) { return run(policy, at); }};
}

const std::vector<entry>& entries() {
  static const std::vector<entry> all{
      entry_of("random", random_parts{}, false),
      entry_of("hash", hash_parts{}, false),
      entry_of("ldg", ldg{}, false),
      entry_of("fennel", fennel{}, false),
      entry_of("buffered", buffered{}, true),
      entry_of("multilevel:fast", with_effort(multilevel_effort::fast()), true),
      entry_of("multilevel:balanced", with_effort(multilevel_effort::balanced()), true),
      entry_of("multilevel:strong", with_effort(multilevel_effort::strong()), true),
#if defined(HALOGRAPH_WITH_METIS)
      entry_of("metis", metis{}, false, false),
#endif
  };
  return all;
}

/// The columns of weights as constraints. Columns of 0 and 1 of which each node has one 1 are
/// classes: one class number for each node.
balance_set constraints_of(loaded& graph, double tolerance) {
  balance_set out;
  auto& columns = graph.node_weights;
  const auto nodes = static_cast<std::size_t>(graph.num_nodes());
  std::size_t classes = 0;
  while (classes < columns.size() && std::all_of(
                                         columns[classes].begin(), columns[classes].end(),
                                         [](std::int64_t w) { return w == 0 || w == 1; }))
    ++classes;
  node_classes found;
  found.of.assign(nodes, static_cast<std::uint32_t>(classes));
  bool one_each = classes > 1;
  for (std::size_t c = 0; c < classes; ++c) {
    found.names.push_back("class:" + std::to_string(c));
    for (std::size_t v = 0; v < nodes; ++v) {
      if (columns[c][v] == 0) continue;
      one_each = one_each && found.of[v] == classes;
      found.of[v] = static_cast<std::uint32_t>(c);
    }
  }
  one_each = one_each && std::find(found.of.begin(), found.of.end(), classes) == found.of.end();
  if (one_each)
    out.add_classes(std::move(found), std::nullopt, tolerance);
  else
    classes = 0;
  for (std::size_t c = classes; c < columns.size(); ++c)
    out.add("weight:" + std::to_string(c), std::move(columns[c]), tolerance);
  columns.clear();
  return out;
}

void write_owners(const std::vector<part_id>& owner, const std::string& path) {
  std::string text;
  text.reserve(owner.size() * 3);
  char digits[24];
  for (const auto part : owner) {
    const auto end = std::to_chars(digits, digits + sizeof digits, std::uint64_t{part}).ptr;
    text.append(digits, end);
    text += '\n';
  }
  write_file(path, text);
}

}  // namespace

std::vector<own_policy> own_policies() {
  std::vector<own_policy> out;
  for (const auto& one : entries()) out.push_back(one.about);
  return out;
}

void assign_by_policy(const std::string& policy, const assignment_request& request) {
  const entry* chosen = nullptr;
  for (const auto& one : entries()) {
    if (one.about.name == policy) chosen = &one;
  }
  if (chosen == nullptr) raise(error_kind::not_found, "no policy has the name " + policy);
  const tbb_threads threads(request.threads);
  const double begin = clocks().wall;
  auto graph = read_metis_graph<std::uint32_t, std::uint32_t>(request.graph, mapped_files{},
                                                              threads);
  const balance_set balance = constraints_of(graph, request.tolerance);
  const double read = clocks().wall;
  const auto owner = chosen->run({graph, request, balance.constraints(), threads});
  const double assigned = clocks().wall;
  write_owners(owner, request.out);
  std::cout << "read " << read - begin << " assign " << assigned - read << " write "
            << clocks().wall - assigned << "\n";
}

}  // namespace halograph::bench
