// SPDX-License-Identifier: BSL-1.0
/// @file ptscotch.hpp
/// Partition a graph over the ranks of MPI with PT-Scotch: few cut edges, one load balanced.
/// Layer: adapters (PT-Scotch 7). Words: README.md.
///
/// What PT-Scotch 7.0 does, measured on Debian's 7.0.3 (32- and 64-bit integers), and what this header does about it:
///
/// | PT-Scotch | here |
/// | --- | --- |
/// | its libraries of 32 and of 64 bits have the same names at run time: one may be loaded for the other's header | the width is asked for before the first call; another is refused |
/// | balances one load | several constraints are refused |
/// | prints its complaints about graphs | graphs are checked before the call |
/// | draws from a state of the whole process | each call has a context of its own, with the policy's seed, deterministic, on one thread |
#pragma once

#if !__has_include(<ptscotch.h>) || !__has_include(<mpi.h>)
#error "halograph/adapters/ptscotch.hpp needs PT-Scotch 7 and MPI: install libptscotch-dev, or leave this header out"
#else

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>

#include <mpi.h>
#include <cstdint>
#include <cstdio>
#include <ptscotch.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

static_assert(sizeof(SCOTCH_Num) == 4 || sizeof(SCOTCH_Num) == 8, "ptscotch.h must count in 32 or 64 bits");
static_assert(SCOTCH_VERSION >= 7, "adapters/ptscotch.hpp needs PT-Scotch 7: earlier ones have no contexts");

template <class C>
concept has_scotch_ranks = requires(const C& ranks) {
  { ranks.handle() } -> std::same_as<MPI_Comm>;
};

enum class scotch_reason : std::uint8_t { none, width, constraints, index, tolerance, no_mpi, build, strategy, partition, parts };

constexpr status scotch_status(errc code, scotch_reason reason) noexcept { return {code, (std::uint64_t{1} << 63) | static_cast<std::uint64_t>(reason)}; }

/// The rows of one rank in PT-Scotch's own type.
struct scotch_rows {
  std::vector<SCOTCH_Num> offsets{}, neighbours{}, loads{}, weights{};
};

/// @param owner  [n] out  @pre the rows are sound, and n > 0
inline status call_scotch(MPI_Comm comm, scotch_rows& in, std::uint64_t parts, double tolerance, std::uint64_t seed, std::vector<SCOTCH_Num>& owner) {
  int ranks = 1;
  if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return scotch_status(errc::io, scotch_reason::no_mpi);
  const auto nodes = static_cast<SCOTCH_Num>(in.offsets.size() - 1), entries = static_cast<SCOTCH_Num>(in.neighbours.size());
  in.neighbours.reserve(1);  // no null pointers
  owner.assign(in.offsets.size(), -1);
  SCOTCH_Context context;
  if (SCOTCH_contextInit(&context) != 0) return scotch_status(errc::memory, scotch_reason::build);
  status answer = status::ok;
  SCOTCH_Dgraph graph, bound;
  SCOTCH_Strat strategy;
  const bool set = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 && SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0;
  SCOTCH_contextRandomSeed(&context, static_cast<SCOTCH_Num>(mix(seed) & 0x3FFFFFFF));
  SCOTCH_contextRandomReset(&context);
  if (!set || SCOTCH_dgraphInit(&graph, comm) != 0) {
    answer = scotch_status(errc::internal, scotch_reason::build);
  } else {
    if (SCOTCH_dgraphBuild(&graph, 0, nodes, nodes, in.offsets.data(), in.offsets.data() + 1, in.loads.empty() ? nullptr : in.loads.data(), nullptr,
                           entries, entries, in.neighbours.data(), nullptr, in.weights.empty() ? nullptr : in.weights.data()) != 0 ||
        SCOTCH_contextBindDgraph(&context, &graph, &bound) != 0) {
      answer = scotch_status(errc::internal, scotch_reason::build);
    } else {
      if (SCOTCH_stratInit(&strategy) != 0) {
        answer = scotch_status(errc::memory, scotch_reason::strategy);
      } else {
        if (SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATDEFAULT, static_cast<SCOTCH_Num>(ranks), static_cast<SCOTCH_Num>(parts), tolerance) != 0) {
          answer = scotch_status(errc::internal, scotch_reason::strategy);
        } else if (SCOTCH_dgraphPart(&bound, static_cast<SCOTCH_Num>(parts), &strategy, owner.data()) != 0) {
          answer = scotch_status(errc::internal, scotch_reason::partition);
        }
        SCOTCH_stratExit(&strategy);
      }
      SCOTCH_dgraphExit(&bound);
    }
    SCOTCH_dgraphExit(&graph);
  }
  SCOTCH_contextExit(&context);
  return answer;
}

}  // namespace detail

/// PT-Scotch as a distributed partitioner.
///
///     const hg::mpi_ranks ranks;                                          // adapters/mpi.hpp
///     const hg::status answer = hg::ptscotch{.parts = 8}.assign(ranks, mine, owner);
///
/// One load is balanced, as PT-Scotch takes the tolerance: as a goal; measure_distributed() says what came out. Ranks without a
/// node take no part. Where N <= K, node v gets part v; otherwise parts may stay empty.
///
/// @complexity  PT-Scotch's; memory: the rank's rows once more, and what PT-Scotch takes
/// @repeatable  for the same PT-Scotch, number of ranks and ranges; not for another number of ranks
/// Thread safety: one thread of the process at a time, that which runs MPI.
/// @source C. Chevalier & F. Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34, 2008
template <unsigned_id Part = part_id>
struct basic_ptscotch {
  using part = Part;
  static constexpr std::string_view name = "ptscotch";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;
  std::uint64_t seed = 0;

  /// Collective, over a communicator whose handle() is MPI's own (mpi_ranks).
  /// @errors  the same on every rank: those of check_distributed_graph; unsupported: several constraints, or the library counts in
  ///          another width than its header; overflow: more than it can count; invalid_argument: 0 parts, a tolerance that is none;
  ///          mismatch: owner is not [n]; internal: PT-Scotch failed. explain() has the sentence of each
  template <communicator C, id Node, id Offset>
    requires detail::has_scotch_ranks<C>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local, std::span<part> owner) const {
    using detail::scotch_reason;
    const bool same_width = SCOTCH_numSizeof() == static_cast<int>(sizeof(SCOTCH_Num));  // each host has its own library
    if (const status all = agree(ranks, same_width ? status::ok : detail::scotch_status(errc::unsupported, scotch_reason::width)); !all) return all;
    if (const status sound = check_distributed_graph(ranks, local); !sound) return sound;
    const std::size_t nodes = local.num_nodes();
    std::array<std::uint64_t, 4> sums{local.neighbours.size(), 0, local.node_weights.empty() ? 0u : 1u, local.edge_weights.empty() ? 0u : 1u};
    std::uint64_t load = 0;
    for (std::size_t v = 0; v < nodes; ++v) load += local.load(v, 0);
    for (std::size_t i = 0; i < local.neighbours.size(); ++i) sums[1] += local.weight(i);
    std::array<std::uint64_t, 1> loads{load};
    if (const status told = ranks.sum(sums); !told) return told;
    if (const status told = ranks.sum(loads); !told) return told;
    if (const status all = agree(ranks, check(nodes, local.constraints, owner)); !all) return all;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<SCOTCH_Num>::max());
    const std::uint64_t everywhere = local.num_nodes_everywhere();
    if (everywhere >= most || sums[0] >= most || sums[1] >= most || loads[0] >= most) return detail::scotch_status(errc::overflow, scotch_reason::index);
    if (detail::assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()), owner)) return status::ok;
    std::vector<SCOTCH_Num> found;
    status mine = status::ok;
    {
      // The library is not asked about ranks without a node.
      detail::rank_group some(MPI_COMM_NULL, &MPI_Comm_free);
      const bool split = MPI_Comm_split(ranks.handle(), nodes != 0 ? 0 : MPI_UNDEFINED, static_cast<int>(ranks.rank()), some.address()) == MPI_SUCCESS;
      mine = split ? status::ok : detail::scotch_status(errc::io, scotch_reason::no_mpi);
      if (const status all = agree(ranks, mine); !all) return all;
      if (nodes != 0) {
        detail::scotch_rows in;
        in.offsets.assign(local.offsets.begin(), local.offsets.end());
        in.neighbours.assign(local.neighbours.begin(), local.neighbours.end());
        // Everywhere or nowhere; loads that are all 0 say nothing.
        if (sums[2] != 0 && loads[0] != 0) {
          for (std::size_t v = 0; v < nodes; ++v) in.loads.push_back(static_cast<SCOTCH_Num>(local.load(v, 0)));
        }
        if (sums[3] != 0) {
          for (std::size_t i = 0; i < local.neighbours.size(); ++i) in.weights.push_back(static_cast<SCOTCH_Num>(local.weight(i)));
          if (in.weights.empty()) in.weights.assign(1, 1);  // weighed everywhere or nowhere
        }
        mine = detail::call_scotch(some.get(), in, parts, tolerance, seed, found);
      }
    }
    for (std::size_t v = 0; v < nodes && mine; ++v) {
      if (found[v] < 0 || static_cast<std::uint64_t>(found[v]) >= parts) mine = detail::scotch_status(errc::internal, scotch_reason::parts);
      else owner[v] = static_cast<part>(found[v]);
    }
    return agree(ranks, mine);
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    if ((answer.position >> 63) == 0 || answer.position == ~std::uint64_t{0}) {
      if (answer == status::invalid_argument && parts == 0) return "the number of parts is 0; it must be at least 1";
      if (answer == status::overflow && parts > id_capacity<part>()) return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
      return explain_distributed_graph(answer);
    }
    const std::string bits = std::to_string(8 * sizeof(SCOTCH_Num));
    switch (static_cast<detail::scotch_reason>(answer.position & 0xFF)) {
      case detail::scotch_reason::none: return {};
      case detail::scotch_reason::width:
        return "PT-Scotch's header counts in " + bits + " bits and the library that was loaded in " + std::to_string(8 * SCOTCH_numSizeof()) +
               "; link the library of the header's width statically, or by its path";
      case detail::scotch_reason::constraints: return "PT-Scotch balances one load; several constraints need label_propagation or metis";
      case detail::scotch_reason::index: return "the graph has more nodes, neighbours or weight than a PT-Scotch of " + bits + " bits can count";
      case detail::scotch_reason::tolerance: return "the tolerance must be a number above 0, such as 0.03";
      case detail::scotch_reason::no_mpi: return "MPI refused a communicator of the ranks that hold nodes";
      case detail::scotch_reason::build: return "PT-Scotch refused its input, though it was checked, or had not enough memory";
      case detail::scotch_reason::strategy: return "PT-Scotch refused its strategy, or had not enough memory";
      case detail::scotch_reason::partition: return "PT-Scotch ended with an error; it may not have had enough memory";
      case detail::scotch_reason::parts: return "PT-Scotch left a node without a part; please report";
    }
    return {};
  }

 private:
  status check(std::size_t nodes, std::size_t constraints, std::span<const part> owner) const {
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts >= static_cast<std::uint64_t>(std::numeric_limits<SCOTCH_Num>::max())) return detail::scotch_status(errc::overflow, detail::scotch_reason::index);
    if (!(tolerance > 0) || tolerance > 1e6) return detail::scotch_status(errc::invalid_argument, detail::scotch_reason::tolerance);
    return constraints == 1 ? status::ok : detail::scotch_status(errc::unsupported, detail::scotch_reason::constraints);
  }
};

using ptscotch = basic_ptscotch<>;

}  // namespace halograph

#endif
