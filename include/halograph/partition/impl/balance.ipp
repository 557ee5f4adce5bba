// SPDX-License-Identifier: BSL-1.0
/// @file balance.ipp
/// Bodies of the plain functions of partition/balance.hpp.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/partition/balance.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<std::string> constraint_names(std::span<const std::string> classes,
                                                           bool edges) {
  std::vector<std::string> out(classes.begin(), classes.end());
  for (std::size_t c = 0; c < classes.size() && edges; ++c)
    out.push_back(in_degree_of_class(classes[c]));
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void balance_set::add(std::string name, const load_view& load, double tolerance) {
  if (find(name) != constraints_.end()) {
    raise(error_kind::exists, "constraint \"" + name + "\" is listed twice; names must differ");
  }
  constraints_.push_back({std::move(name), load, tolerance});
}

HALOGRAPH_INLINE void balance_set::add_classes(node_classes classes,
                                               std::optional<std::vector<std::int64_t>> in_degree,
                                               double tolerance) {
  std::vector<detail::class_run> runs(classes.names.size());
  for (std::size_t v = 0; v < classes.of.size(); ++v) {
    if (classes.of[v] < runs.size()) runs[classes.of[v]].add(v);
  }
  const bool scattered = std::any_of(runs.begin(), runs.end(), [](const detail::class_run& run) {
    return run.count != run.last - run.first;
  });
  const std::size_t nodes = classes.of.size();
  if (scattered) class_columns_.push_back(std::move(classes.of));
  add_runs(nodes, classes.names, runs,
           scattered ? std::span<const std::uint32_t>(class_columns_.back())
                     : std::span<const std::uint32_t>(),
           std::move(in_degree), tolerance);
}

HALOGRAPH_INLINE void balance_set::set_tolerance(std::string_view name, double tolerance) {
  check_tolerance(tolerance);
  const auto found = find(name);
  if (found == constraints_.end()) {
    std::string names;
    for (const auto& c : constraints_) names += (names.empty() ? "" : ", ") + c.name;
    raise(error_kind::not_found,
          "no constraint is called \"" + std::string(name) + "\"; there are: " + names);
  }
  found->tolerance = tolerance;
}

HALOGRAPH_INLINE void balance_set::add_runs(std::size_t nodes, std::span<const std::string> names,
                                            std::span<const detail::class_run> runs,
                                            std::span<const std::uint32_t> class_of,
                                            std::optional<std::vector<std::int64_t>> in_degree,
                                            double tolerance) {
  std::span<const std::int64_t> degrees{};
  if (in_degree) degrees = loads_.emplace_back(std::move(*in_degree));
  const auto all = detail::constraint_names(names, in_degree.has_value());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t c = i % names.size();
    add(all[i],
        load_view::of_class(nodes, runs[c].first, runs[c].last, class_of,
                            static_cast<std::uint32_t>(c),
                            i < names.size() ? std::span<const std::int64_t>() : degrees),
        tolerance);
  }
}

#if HALOGRAPH_COMPILED
template std::vector<balance_line> measure_balance(const std::span<const part_id>&, std::uint64_t,
                                                   std::span<const constraint>);
template node_classes classes_by_value(std::span<const std::int64_t>);
template node_classes classes_by_type(std::span<const std::uint64_t>, std::span<const std::string>,
                                      const values_by_type<std::int64_t>&);
#endif

}  // namespace halograph
