// SPDX-License-Identifier: BSL-1.0
/// @file features.ipp
/// Bodies of the plain functions of verify/features.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/features.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void feature_agreement::compare(const verify_context& state,
                                                 finding_list& findings, std::size_t p,
                                                 bool of_nodes, std::size_t t,
                                                 const std::string& feature_name, dtype type,
                                                 const tensor_shape& row, std::uint64_t rows,
                                                 const std::string& file) {
  auto& seen = seen_features_[{of_nodes, t, feature_name}];
  ++seen.parts;
  // DGL's dispatch pipeline writes float32 where a part has no row.
  const auto unsure = [](dtype of, std::uint64_t many) {
    return many == 0 && of == dtype::float32;
  };
  if (seen.parts == 1 || (unsure(seen.type, seen.rows) && !(seen.type == type && rows == 0))) {
    const std::size_t parts = seen.parts;
    seen = {type, row, p, rows, parts};
    return;
  }
  if (seen.type == type && seen.row == row) return;
  if (unsure(type, rows) && seen.type != type) return;
  findings.add(
      check_kind::features, file,
      concat({"feature ", graph_schema::quoted(feature_name), " of type ",
              state.type_name(of_nodes, t), " has dtype ", name(type), " and rows of shape ",
              to_string(row), "; in part ", std::uint64_t{seen.part}, " it has ", name(seen.type),
              " and ", to_string(seen.row)}));
}

HALOGRAPH_INLINE void feature_agreement::check_features_agree(const verify_context& state,
                                                              finding_list& findings,
                                                              std::size_t first,
                                                              std::size_t last) const {
  if (parts_with_features != last - first) return;
  for (const auto& [key, seen] : seen_features_) {
    if (seen.parts == last - first) continue;
    const auto& [of_nodes, t, feature_name] = key;
    findings.add(check_kind::features, state.config.path,
                 concat({"feature ", graph_schema::quoted(feature_name), " of type ",
                         state.type_name(of_nodes, t), " is in ", std::uint64_t{seen.parts},
                         " parts of ", std::uint64_t{last - first}, "; all must have it"}));
  }
}

HALOGRAPH_INLINE void feature_agreement::check_trainers(finding_list& findings) const {
  const auto within = [](const trainer_range& range, std::uint64_t trainers) {
    const auto begin = range.part * trainers;
    return range.low >= 0 && static_cast<std::uint64_t>(range.low) >= begin &&
           static_cast<std::uint64_t>(range.high) < begin + trainers;
  };
  if (trainer_ranges.empty()) return;
  // Try the T that some part allows exactly: one that fits every part is among them.
  std::uint64_t best = 0;
  std::size_t most = 0;
  const auto attempt = [&](std::uint64_t trainers) {
    std::size_t suited = 0;
    for (const auto& range : trainer_ranges) suited += within(range, trainers) ? 1u : 0u;
    if (trainers != 0 && suited > most) {
      most = suited;
      best = trainers;
    }
  };
  for (const auto& range : trainer_ranges) {
    if (range.high < 0) continue;
    attempt(static_cast<std::uint64_t>(range.high) / (range.part + 1) + 1);
    if (range.part != 0 && range.low > 0)
      attempt(static_cast<std::uint64_t>(range.low) / range.part);
  }
  for (const auto& range : trainer_ranges) {
    if (best != 0 && within(range, best)) continue;
    findings.add(
        check_kind::features, range.file,
        concat({"trainer_id of part ", std::uint64_t{range.part}, " reaches from ", range.low,
                " to ", range.high, "; with ", best, " trainers per machine it must be ",
                range.part * best, " to ", (range.part + 1) * best - 1}));
  }
}

}  // namespace halograph::detail
