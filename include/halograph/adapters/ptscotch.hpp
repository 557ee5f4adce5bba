// SPDX-License-Identifier: BSL-1.0
/// @file ptscotch.hpp
/// Partition a graph over the ranks of MPI with PT-Scotch: few cut edges, one load balanced.
/// Layer: adapters (PT-Scotch 7). Words: README.md.
///
/// What PT-Scotch 7.0 does, measured on Debian's 7.0.3 (32- and 64-bit integers), and what this
/// header does about it:
///
/// | PT-Scotch | here |
/// | --- | --- |
/// | its libraries of 32 and of 64 bits have the same names at run time: one may be loaded for the other's header | the width is asked for before the first call; another is refused |
/// | balances one load | several constraints are refused |
/// | where memory ends it prints that, and may crash, on one rank alone | nothing: `memory` is answered where it says so; leave it room |
/// | prints its complaints about graphs | graphs are checked before the call |
/// | draws from a state of the whole process | each call has a context of its own, with the policy's seed, deterministic, on one thread |
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
#include <halograph/partition/partitioner.hpp>

#include <mpi.h>
#include <ptscotch.h>

#include <array>
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

enum class scotch_reason : std::uint8_t {
  none,
  width,
  constraints,
  index,
  tolerance,
  no_mpi,
  build,
  strategy,
  partition,
  parts
};

constexpr status scotch_status(errc code, scotch_reason reason) noexcept {
  return {code, (std::uint64_t{1} << 63) | static_cast<std::uint64_t>(reason)};
}

/// The rows of one rank in PT-Scotch's own type, and room for its answer: whatever is allocated for
/// the library, which must not fail on one rank while the others wait in it.
struct scotch_rows {
  std::vector<SCOTCH_Num> offsets{}, neighbors{}, loads{}, weights{};
  std::vector<SCOTCH_Num> owner{};  ///< [n] out

  /// @param loaded, weighed  does any rank say loads of nodes, weights of neighbors: everywhere or
  ///     nowhere  @pre n > 0
  template <id Node, id Offset>
  scotch_rows(const distributed_graph_view<Node, Offset>& local, bool loaded, bool weighed)
      : offsets(local.offsets.begin(), local.offsets.end()), owner(local.num_nodes(), -1) {
    neighbors.reserve(local.neighbors.size() + 1);  // no null pointers
    neighbors.assign(local.neighbors.begin(), local.neighbors.end());
    if (loaded) {
      loads.reserve(owner.size());
      for (std::size_t v = 0; v < owner.size(); ++v)
        loads.push_back(static_cast<SCOTCH_Num>(local.load(v, 0)));
    }
    if (weighed) {
      weights.reserve(neighbors.size() + 1);
      for (std::size_t i = 0; i < neighbors.size(); ++i)
        weights.push_back(static_cast<SCOTCH_Num>(local.weight(i)));
      if (weights.empty()) weights.assign(1, 1);
    }
  }
};

/// What PT-Scotch wants besides rows: its random numbers and its strategy. Made by each rank alone,
/// and may fail there.
class scotch_tools {
 public:
  /// @param ranks  that have nodes
  scotch_tools(std::uint64_t ranks, std::uint64_t parts, double tolerance, std::uint64_t seed) {
    has_context_ = SCOTCH_contextInit(&context_) == 0;
    has_strategy_ = SCOTCH_stratInit(&strategy_) == 0;
    if (!has_context_ || !has_strategy_) {
      made_ = scotch_status(errc::memory,
                            has_context_ ? scotch_reason::strategy : scotch_reason::build);
      return;
    }
    const bool set = SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                     SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0;
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(mix(seed) & 0x3FFFFFFF));
    SCOTCH_contextRandomReset(&context_);
    if (!set) {
      made_ = scotch_status(errc::internal, scotch_reason::build);
    } else if (SCOTCH_stratDgraphMapBuild(&strategy_, SCOTCH_STRATDEFAULT,
                                          static_cast<SCOTCH_Num>(ranks),
                                          static_cast<SCOTCH_Num>(parts), tolerance) != 0) {
      made_ = scotch_status(errc::internal, scotch_reason::strategy);
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

/// Collective. Allocates nothing itself.  @pre the rows are sound, and n > 0; the tools are made
inline status call_scotch(MPI_Comm comm, scotch_rows& in, scotch_tools& tools,
                          std::uint64_t parts) noexcept {
  const auto nodes = static_cast<SCOTCH_Num>(in.owner.size()),
             entries = static_cast<SCOTCH_Num>(in.neighbors.size());
  status answer = status::ok;
  SCOTCH_Dgraph graph, bound;
  if (SCOTCH_dgraphInit(&graph, comm) != 0)
    return scotch_status(errc::internal, scotch_reason::build);
  if (SCOTCH_dgraphBuild(&graph, 0, nodes, nodes, in.offsets.data(), in.offsets.data() + 1,
                         in.loads.empty() ? nullptr : in.loads.data(), nullptr, entries, entries,
                         in.neighbors.data(), nullptr,
                         in.weights.empty() ? nullptr : in.weights.data()) != 0 ||
      SCOTCH_contextBindDgraph(tools.context(), &graph, &bound) != 0) {
    answer = scotch_status(errc::internal, scotch_reason::build);
  } else {
    if (SCOTCH_dgraphPart(&bound, static_cast<SCOTCH_Num>(parts), tools.strategy(),
                          in.owner.data()) != 0) {
      answer = scotch_status(errc::internal, scotch_reason::partition);
    }
    SCOTCH_dgraphExit(&bound);
  }
  SCOTCH_dgraphExit(&graph);
  return answer;
}

}  // namespace detail

/// PT-Scotch as a distributed partitioner.
///
///     const hg::mpi_ranks ranks;                                          // adapters/mpi.hpp
///     const hg::status answer = hg::ptscotch{.parts = 8}.assign(ranks, mine, owner);
///
/// One load is balanced, as PT-Scotch takes the tolerance: as a goal; measure_distributed() says
/// what came out. Ranks without a node take no part. Where N <= K, node v gets part v; otherwise
/// parts may stay empty.
///
/// @complexity  PT-Scotch's; memory: the rank's rows once more, and what PT-Scotch takes
/// @repeatable  for the same PT-Scotch, number of ranks and ranges; not for another number of ranks
///     Thread safety: one thread of the process at a time, that which runs MPI.
/// @source C. Chevalier & F. Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering",
///     Parallel Computing 34, 2008
template <unsigned_id Part = part_id>
struct basic_ptscotch {
  using part = Part;
  static constexpr std::string_view name = "ptscotch";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;
  std::uint64_t seed = 0;

  /// Collective, over a communicator whose handle() is MPI's own (mpi_ranks).
  /// @errors  the same on every rank: those of check_distributed_graph; unsupported: several
  ///     constraints, or the library counts in another width than its header; overflow: more than
  ///     it can count; invalid_argument: 0 parts, a tolerance that is none; mismatch: owner is not
  ///     [n]; internal: PT-Scotch failed. explain() has the sentence of each
  template <communicator C, id Node, id Offset>
    requires detail::has_scotch_ranks<C>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    using detail::scotch_reason;
    const bool same_width = SCOTCH_numSizeof() ==
                            static_cast<int>(sizeof(SCOTCH_Num));  // each host has its own library
    if (const status all = agree(
            ranks, same_width ? status::ok
                              : detail::scotch_status(errc::unsupported, scotch_reason::width));
        !all)
      return all;
    if (const status sound = check_distributed_graph(ranks, local,
                                                     detail::asked_of({parts, seed}, tolerance));
        !sound)
      return sound;
    const std::size_t nodes = local.num_nodes();
    std::array<std::uint64_t, 4> sums{local.neighbors.size(), 0,
                                      local.node_weights.empty() ? 0u : 1u,
                                      local.edge_weights.empty() ? 0u : 1u};
    std::uint64_t load = 0;
    for (std::size_t v = 0; v < nodes; ++v) load += local.load(v, 0);
    for (std::size_t i = 0; i < local.neighbors.size(); ++i) sums[1] += local.weight(i);
    std::array<std::uint64_t, 1> loads{load};
    if (const status told = ranks.sum(sums); !told) return told;
    if (const status told = ranks.sum(loads); !told) return told;
    if (const status all = agree(ranks, check(nodes, local.constraints, owner)); !all) return all;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<SCOTCH_Num>::max());
    const std::uint64_t everywhere = local.num_nodes_everywhere();
    if (everywhere >= most || sums[0] >= most || sums[1] >= most || loads[0] >= most)
      return detail::scotch_status(errc::overflow, scotch_reason::index);
    if (detail::assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()),
                                 owner))
      return status::ok;
    // Whatever may fail on one rank alone comes before the question that all answer; loads that are
    // all 0 say nothing.
    std::uint64_t with_nodes = 0;
    for (std::size_t r = 1; r < local.ranges.size(); ++r)
      with_nodes += local.ranges[r] != local.ranges[r - 1] ? 1u : 0u;
    std::optional<detail::scotch_rows> in;
    std::optional<detail::scotch_tools> tools;
    if (nodes != 0) {
      in.emplace(local, sums[2] != 0 && loads[0] != 0, sums[3] != 0);
      tools.emplace(with_nodes, parts, tolerance, seed);
    }
    if (const status all = agree(ranks, tools ? tools->made() : status::ok); !all) return all;
    status mine = status::ok;
    {
      // The library is not asked about ranks without a node.
      detail::rank_group some(MPI_COMM_NULL, &MPI_Comm_free);
      const bool split = MPI_Comm_split(ranks.handle(), nodes != 0 ? 0 : MPI_UNDEFINED,
                                        static_cast<int>(ranks.rank()),
                                        some.address()) == MPI_SUCCESS;
      mine = split ? status::ok : detail::scotch_status(errc::io, scotch_reason::no_mpi);
      if (const status all = agree(ranks, mine); !all) return all;
      if (nodes != 0) mine = detail::call_scotch(some.get(), *in, *tools, parts);
    }
    for (std::size_t v = 0; v < nodes && mine; ++v) {
      const SCOTCH_Num found = in->owner[v];
      if (found < 0 || static_cast<std::uint64_t>(found) >= parts)
        mine = detail::scotch_status(errc::internal, scotch_reason::parts);
      else
        owner[v] = static_cast<part>(found);
    }
    return agree(ranks, mine);
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    if ((answer.position >> 63) == 0 || answer.position == ~std::uint64_t{0}) {
      if (answer == status::invalid_argument && parts == 0)
        return "the number of parts is 0; it must be at least 1";
      if (answer == status::overflow && parts > id_capacity<part>())
        return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
      return explain_distributed_graph(answer);
    }
    const std::string bits = std::to_string(8 * sizeof(SCOTCH_Num));
    switch (static_cast<detail::scotch_reason>(answer.position & 0xFF)) {
      case detail::scotch_reason::none:
        return {};
      case detail::scotch_reason::width:
        return "PT-Scotch's header counts in " + bits +
               " bits and the library that was loaded in " +
               std::to_string(8 * SCOTCH_numSizeof()) +
               "; link the library of the header's width statically, or by its path";
      case detail::scotch_reason::constraints:
        return "PT-Scotch balances one load; several constraints need label_propagation or metis";
      case detail::scotch_reason::index:
        return "the graph has more nodes, neighbors or weight than a PT-Scotch of " + bits +
               " bits can count";
      case detail::scotch_reason::tolerance:
        return "the tolerance must be a number above 0, such as 0.03";
      case detail::scotch_reason::no_mpi:
        return "MPI refused a communicator of the ranks that hold nodes";
      case detail::scotch_reason::build:
        return "PT-Scotch refused its input, though it was checked, or had not enough memory";
      case detail::scotch_reason::strategy:
        return "PT-Scotch refused its strategy, or had not enough memory";
      case detail::scotch_reason::partition:
        return "PT-Scotch ended with an error; it may not have had enough memory";
      case detail::scotch_reason::parts:
        return "PT-Scotch left a node without a part; please report";
    }
    return {};
  }

 private:
  status check(std::size_t nodes, std::size_t constraints, std::span<const part> owner) const {
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts >= static_cast<std::uint64_t>(std::numeric_limits<SCOTCH_Num>::max()))
      return detail::scotch_status(errc::overflow, detail::scotch_reason::index);
    if (!(tolerance > 0) || tolerance > 1e6)
      return detail::scotch_status(errc::invalid_argument, detail::scotch_reason::tolerance);
    return constraints == 1
               ? status::ok
               : detail::scotch_status(errc::unsupported, detail::scotch_reason::constraints);
  }
};

using ptscotch = basic_ptscotch<>;

}  // namespace halograph

#endif
