// SPDX-License-Identifier: BSL-1.0
/// @file options.hpp
/// The checks of verify_partition, its options and its result.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/serial/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The checks of verify_partition, in this order.
enum class check_kind : std::uint8_t {
  book,
  digests,
  mapping,
  structure,
  nodes,
  edges,
  crossing_edges,
  halo,
  features,
  input,
  assignment
};
/// The number of check_kind values.
inline constexpr std::size_t check_kinds = 11;

/// The check's name, as `--json` prints it.
constexpr std::string_view name(check_kind kind) noexcept {
  constexpr std::string_view names[check_kinds] = {
      "book",           "digests", "mapping",  "structure", "nodes",     "edges",
      "crossing edges", "halo",    "features", "input",     "assignment"};
  return names[static_cast<std::size_t>(kind)];
}

/// One problem: the file, where in it, and what would be right.
struct finding {
  check_kind check = check_kind::structure;  ///< the check that failed
  std::string file{};      ///< path of the file, or of the config where several files disagree
  std::string sentence{};  ///< what is wrong and what would be right, for the user
};

/// The result of one check.
struct check_outcome {
  bool done = false;           ///< false: not requested, or not possible (see verification::notes)
  std::uint64_t findings = 0;  ///< number of findings
};

/// The result of verify_partition.
struct verification {
  std::size_t parts = 0;           ///< number of parts checked
  std::uint64_t nodes = 0;         ///< of the whole graph
  std::uint64_t edges = 0;         ///< of the whole graph, as the config counts them
  std::uint64_t memory_bytes = 0;  ///< an upper bound on what the checks took, see most_bytes
  std::uint64_t least_bytes = 0;   ///< with less they are refused; they take longer than with more
  std::uint64_t count = 0;         ///< all findings
  std::vector<finding>
      findings{};  ///< the first ones, up to most_findings; at most three of a kind
  std::array<check_outcome, check_kinds> checks{};  ///< by check_kind; also by operator[]
  std::vector<std::string> notes{};                 ///< what could not be checked, and why

  /// Is there no finding? Checks that did not run have none: see check_outcome::done.
  bool ok() const noexcept { return count == 0; }
  /// The outcome of one check.
  const check_outcome& operator[](check_kind kind) const noexcept {
    return checks[static_cast<std::size_t>(kind)];
  }
};

/// How to verify.
struct verify_options {
  std::optional<std::size_t> part{};  ///< check this part only
  std::size_t most_findings = 100;    ///< sentences to keep; all findings are counted
  /// [V] against an input: the part (or trainer) of each node by the input's homogenized IDs, or
  /// empty
  std::span<const part_id> assignment{};
  /// T: the assignment names trainers, part = trainer / T; 0: find out
  std::size_t trainers_per_machine = 0;
  progress_callback on_progress{};  ///< called as parts are verified; empty: no reports
  /// of memory that the checks may take, besides the input and the pages of mapped files
  std::uint64_t most_bytes = ~std::uint64_t{0};
};

/// The answer as the members of a JSON object: parts, nodes, edges, checks, count, findings, notes.
json::value to_json(const verification& answer);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/options.ipp>
#endif
