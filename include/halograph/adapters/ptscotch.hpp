// SPDX-License-Identifier: BSL-1.0
/// @file ptscotch.hpp
/// Partition a graph over the ranks of MPI with PT-Scotch: few cut edges, one load balanced.
/// Layer: adapters (PT-Scotch 7). Words: README.md.
///
/// What PT-Scotch 7.0 does, measured on Debian's 7.0.3 (32- and 64-bit integers), and what this
/// header does about it:
///
/// | PT-Scotch | this header |
/// | --- | --- |
/// | its libraries of 32 and of 64 bits have the same names at run time: one may be loaded for the other's header | the width is checked before the first call |
/// | balances one load | several constraints are rejected |
/// | prints and may crash on one rank when memory runs out | nothing: `memory` is answered where PT-Scotch reports it |
/// | prints its complaints about graphs | graphs are checked before the call |
/// | keeps random numbers per process | each call has its own context: seeded by the policy, deterministic, one thread |
#pragma once

#if !__has_include(<ptscotch.h>) || !__has_include(<mpi.h>)
#error \
    "halograph/adapters/ptscotch.hpp needs PT-Scotch 7 and MPI: install libptscotch-dev, or leave this header out"
#else

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/distributed/library.hpp>
#include <halograph/partition/partitioner.hpp>

#include <mpi.h>
#include <ptscotch.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

static_assert(sizeof(SCOTCH_Num) == 4 || sizeof(SCOTCH_Num) == 8,
              "ptscotch.h must count in 32 or 64 bits");
static_assert(SCOTCH_VERSION >= 7,
              "adapters/ptscotch.hpp needs PT-Scotch 7: earlier ones have no contexts");

template <class C>
concept has_scotch_ranks = requires(const C& ranks) {
  { ranks.handle() } -> std::same_as<MPI_Comm>;
};

/// PT-Scotch's random numbers and strategy of one call. Made by each rank alone, and may fail
/// there.
class scotch_tools {
 public:
  /// @param ranks  how many hold nodes
  scotch_tools(std::uint64_t ranks, std::uint64_t parts, double tolerance, std::uint64_t seed) {
    has_context_ = SCOTCH_contextInit(&context_) == 0;
    has_strategy_ = SCOTCH_stratInit(&strategy_) == 0;
    if (!has_context_ || !has_strategy_) {
      made_ = library_status(error_kind::memory,
                             has_context_ ? library_reason::strategy : library_reason::build);
      return;
    }
    const bool set = SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                     SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0;
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(mix(seed) & 0x3FFFFFFF));
    SCOTCH_contextRandomReset(&context_);
    if (!set) {
      made_ = library_status(error_kind::internal, library_reason::build);
    } else if (SCOTCH_stratDgraphMapBuild(&strategy_, SCOTCH_STRATDEFAULT,
                                          static_cast<SCOTCH_Num>(ranks),
                                          static_cast<SCOTCH_Num>(parts), tolerance) != 0) {
      made_ = library_status(error_kind::internal, library_reason::strategy);
    }
  }
  scotch_tools(const scotch_tools&) = delete;
  scotch_tools& operator=(const scotch_tools&) = delete;
  ~scotch_tools() {
    if (has_strategy_) SCOTCH_stratExit(&strategy_);
    if (has_context_) SCOTCH_contextExit(&context_);
  }
  status made() const noexcept { return made_; }
  SCOTCH_Context* context() noexcept { return &context_; }
  SCOTCH_Strat* strategy() noexcept { return &strategy_; }

 private:
  SCOTCH_Context context_;
  SCOTCH_Strat strategy_;
  bool has_context_ = false, has_strategy_ = false;
  status made_ = status::ok;
};

/// One call of PT-Scotch, for assign_by_library.
class scotch_call {
 public:
  using index = SCOTCH_Num;

  scotch_call(std::uint64_t parts, double tolerance, std::uint64_t seed)
      : parts_(parts), tolerance_(tolerance), seed_(seed) {}

  template <id Node, id Offset>
  status prepare(const distributed_graph_view<Node, Offset>& local, const library_totals& totals) {
    if (local.num_nodes() == 0) return status::ok;
    std::uint64_t with_nodes = 0;
    for (std::size_t r = 1; r < local.ranges.size(); ++r)
      with_nodes += local.ranges[r] != local.ranges[r - 1] ? 1u : 0u;
    rows_.fill(local, totals);
    tools_.emplace(with_nodes, parts_, tolerance_, seed_);
    return tools_->made();
  }
  static auto group() {
    return rank_group(MPI_COMM_NULL, &MPI_Comm_split, &MPI_Comm_free, MPI_UNDEFINED, MPI_SUCCESS);
  }
  template <class Group>
  status call(Group& group, std::span<SCOTCH_Num> owner) noexcept {
    const auto nodes = static_cast<SCOTCH_Num>(owner.size()),
               entries = static_cast<SCOTCH_Num>(rows_.neighbors.size());
    status answer = status::ok;
    SCOTCH_Dgraph graph, bound;
    if (SCOTCH_dgraphInit(&graph, group.get()) != 0)
      return library_status(error_kind::internal, library_reason::build);
    if (SCOTCH_dgraphBuild(&graph, 0, nodes, nodes, rows_.offsets.data(), rows_.offsets.data() + 1,
                           rows_.loads_or_null(), nullptr, entries, entries, rows_.neighbors.data(),
                           nullptr, rows_.weights_or_null()) != 0 ||
        SCOTCH_contextBindDgraph(tools_->context(), &graph, &bound) != 0) {
      answer = library_status(error_kind::internal, library_reason::build);
    } else {
      if (SCOTCH_dgraphPart(&bound, static_cast<SCOTCH_Num>(parts_), tools_->strategy(),
                            owner.data()) != 0) {
        answer = library_status(error_kind::internal, library_reason::failed);
      }
      SCOTCH_dgraphExit(&bound);
    }
    SCOTCH_dgraphExit(&graph);
    return answer;
  }

 private:
  std::uint64_t parts_;
  double tolerance_;
  std::uint64_t seed_;
  library_rows<SCOTCH_Num> rows_{};
  std::optional<scotch_tools> tools_{};
};

}  // namespace detail

/// PT-Scotch as a distributed partitioner.
///
///     const hg::mpi_ranks ranks;                                          // adapters/mpi.hpp
///     const hg::status answer = hg::assign_into(mine, hg::ptscotch{.parts = 8}, owner, ranks);
///
/// One load is balanced, and the tolerance is a goal; measure_distributed() gives the
/// result. Ranks without a node do not call PT-Scotch. Where N <= K, node v gets part v; otherwise
/// parts may stay empty.
///
/// @complexity  PT-Scotch's; memory: the rank's rows once more, and what PT-Scotch takes
/// @repeatable  for the same PT-Scotch, number of ranks and ranges; not for another number of ranks
///
/// Thread safety: only the thread that runs MPI may call.
/// @source C. Chevalier & F. Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering",
///     Parallel Computing 34, 2008
template <unsigned_id Part = part_id>
struct basic_ptscotch {
  using part = Part;                                    ///< see distributed_partitioner
  static constexpr std::string_view name = "ptscotch";  ///< see named_policy

  std::uint64_t parts = 1;               ///< how many parts to make
  double tolerance = default_tolerance;  ///< largest load wanted / mean - 1
  std::uint64_t seed = 0;                ///< of PT-Scotch's random numbers; folded to 30 bits

  /// Collective, over a communicator whose handle() is MPI's own (mpi_ranks).
  /// @errors  the same on every rank: those of check_distributed_graph; unsupported: several
  ///     constraints, or the library counts in another width than its header; overflow: more than
  ///     it can count; invalid_argument: 0 parts, a tolerance that is not positive; mismatch: owner
  ///     is not [n]; internal: PT-Scotch failed. explain() has the sentence of each
  template <communicator C, id Node, id Offset>
    requires detail::has_scotch_ranks<C>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    // Each host has its own library.
    const bool same_width = SCOTCH_numSizeof() == static_cast<int>(sizeof(SCOTCH_Num));
    if (const status all = agree(
            ranks, same_width ? status::ok
                              : detail::library_status(error_kind::unsupported, reason::width));
        !all)
      return all;
    return detail::assign_by_library(ranks, local, detail::asked_of({parts, seed}, tolerance),
                                     check(local.num_nodes(), local.constraints, owner), parts,
                                     owner, detail::scotch_call(parts, tolerance, seed));
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    constexpr std::size_t bits = 8 * sizeof(SCOTCH_Num);
    switch (detail::reason_of(answer)) {
      case reason::width:
        return "PT-Scotch's header has integers of " + std::to_string(bits) +
               " bits, and the loaded library of " + std::to_string(8 * SCOTCH_numSizeof()) +
               "; link the library of the header's width statically, or by its path";
      case reason::constraints:
        return "PT-Scotch balances one load; use label_propagation or metis for several constraints";
      case reason::build:
        return "PT-Scotch refused its input, which was checked, or did not have enough memory";
      case reason::strategy:
        return "PT-Scotch refused its strategy, or did not have enough memory";
      default:
        return detail::explain_library<part>(answer, parts, "PT-Scotch", bits);
    }
  }

 private:
  using reason = detail::library_reason;

  status check(std::size_t nodes, std::size_t constraints, std::span<const part> owner) const {
    if (const status sound = detail::check_library_options<SCOTCH_Num>(parts, tolerance, nodes,
                                                                       owner);
        !sound)
      return sound;
    return constraints == 1 ? status::ok
                            : detail::library_status(error_kind::unsupported, reason::constraints);
  }
};

using ptscotch = basic_ptscotch<>;  ///< of part_id

}  // namespace halograph

#endif
