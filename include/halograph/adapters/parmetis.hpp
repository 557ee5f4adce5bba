// SPDX-License-Identifier: BSL-1.0
/// @file parmetis.hpp
/// Partition a graph over the ranks of MPI with any library that has ParMETIS's calls: ParMETIS, or
/// Scotch's stand-in for it.
/// Layer: adapters (ParMETIS's interface, version 3). Words: README.md.
///
/// What the libraries do, measured on Debian's libscotchparmetis-dev 7.0.3, and what this header
/// does about it:
///
/// | library | here |
/// | --- | --- |
/// | Scotch's answers several constraints with each of them wholly in one part, and says that all is well | refused there; ParMETIS's own takes them |
/// | Scotch's leaves the edge cut at 0 | it is not looked at: measure_distributed() counts |
/// | Scotch's libraries of 32 and of 64 bits have the same names at run time: one may be loaded for the other's header | the width is asked for, and a graph of four nodes is partitioned and looked at before the first call |
/// | ParMETIS's ends the ranks where one has no node | ranks without a node take no part |
/// | Scotch's draws on where the last call left off, and takes no seed | its numbers start anew for each call, from the policy's seed |
/// | Scotch's works on threads of its own, and a graph of a thousand nodes got other parts from run to run | nothing: ptscotch.hpp is deterministic |
/// | both print their complaints about arguments | graphs are checked before the call |
///
/// parmetis.h of Scotch and metis.h define the same names: no source file can include this header
/// and metis.hpp where parmetis.h is Scotch's.
#pragma once

#if !__has_include(<parmetis.h>) || !__has_include(<mpi.h>)
#error \
    "halograph/adapters/parmetis.hpp needs ParMETIS's interface and MPI: install libscotchparmetis-dev, or leave this header out"
#else

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>

#include <mpi.h>
#include <parmetis.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace halograph {

namespace detail {

template <class Call>
struct parmetis_types;
template <class... Arguments>
struct parmetis_types<int(Arguments...)> {
  template <std::size_t Place>
  using pointee = std::remove_pointer_t<std::tuple_element_t<Place, std::tuple<Arguments...>>>;
  using index = std::remove_const_t<pointee<0>>;
  using real = std::remove_const_t<pointee<9>>;
  static constexpr bool is_scotch = std::is_const_v<pointee<0>>;  // ParMETIS's own promises nothing
};
using parmetis_call = parmetis_types<decltype(ParMETIS_V3_PartKway)>;
using parmetis_index = parmetis_call::index;
using parmetis_real = parmetis_call::real;
static_assert(std::signed_integral<parmetis_index> && std::floating_point<parmetis_real>,
              "parmetis.h has calls of another kind");

// Where the library is Scotch's; its parmetis.h does not tell of them.
extern "C" int SCOTCH_numSizeof(void);
extern "C" void SCOTCH_randomSeed(parmetis_index);
extern "C" void SCOTCH_randomReset(void);

template <class C>
concept has_parmetis_ranks = requires(const C& ranks) {
  { ranks.handle() } -> std::same_as<MPI_Comm>;
};

enum class parmetis_reason : std::uint8_t {
  none,
  width,
  probe,
  constraints,
  tolerances,
  tolerance,
  index,
  no_mpi,
  failed,
  parts
};

constexpr status parmetis_status(errc code, parmetis_reason reason) noexcept {
  return {code, (std::uint64_t{1} << 63) | static_cast<std::uint64_t>(reason)};
}

/// Whatever is allocated for the library, which must not fail on one rank while the others wait in
/// it.
struct parmetis_rows {
  std::vector<parmetis_index> ranges{}, offsets{}, neighbors{}, loads{}, weights{};
  std::vector<parmetis_real> allowed{};  // [constraints] 1 + tolerance
  std::vector<parmetis_real> shares{};   // [parts x constraints]

  /// All parts are to have even shares of each of `allowed`.
  void share_evenly(std::uint64_t parts) {
    shares.assign(static_cast<std::size_t>(parts) * allowed.size(),
                  static_cast<parmetis_real>(1.0 / static_cast<double>(parts)));
  }
};

/// Allocates nothing itself.  @param owner  [n] out, and more that stays as it is
inline bool call_parmetis(MPI_Comm* comm, parmetis_rows& in, std::uint64_t parts,
                          std::uint64_t seed, std::span<parmetis_index> owner) noexcept {
  using index = parmetis_index;
  auto constraints = static_cast<index>(in.allowed.size()), count = static_cast<index>(parts);
  index numbering = 0, cut = 0;
  index weighed = static_cast<index>((in.weights.empty() ? 0 : 1) + (in.loads.empty() ? 0 : 2));
  std::array<index, 3> options{1, 0, static_cast<index>(mix(seed) & 0x3FFFFFFF)};
  if constexpr (parmetis_call::is_scotch) {
    // It takes no seed, and goes on where the last call left off.
    SCOTCH_randomSeed(options[2]);
    SCOTCH_randomReset();
  }
  return ParMETIS_V3_PartKway(in.ranges.data(), in.offsets.data(), in.neighbors.data(),
                              in.loads.empty() ? nullptr : in.loads.data(),
                              in.weights.empty() ? nullptr : in.weights.data(), &weighed,
                              &numbering, &constraints, &count, in.shares.data(), in.allowed.data(),
                              options.data(), &cut, owner.data(), comm) == METIS_OK;
}

/// Are the library's integers those of the header? Two parts of the path 0 - 1 - 2 - 3, by this
/// rank alone, must be two nodes each, and nothing behind them be touched. Behind every array lie
/// zeros, in case it is read too far.
inline status probe_parmetis() {
  if constexpr (parmetis_call::is_scotch) {
    if (SCOTCH_numSizeof() != static_cast<int>(sizeof(parmetis_index)))
      return parmetis_status(errc::unsupported, parmetis_reason::width);
  }
  parmetis_rows in;
  in.ranges = {0, 4};
  in.offsets = {0, 1, 3, 5, 6};
  in.neighbors = {1, 0, 2, 1, 3, 2};
  in.allowed = {static_cast<parmetis_real>(1.05)};
  in.share_evenly(2);
  for (auto* one : {&in.ranges, &in.offsets, &in.neighbors}) one->resize(64);
  std::array<parmetis_index, 16> owner{};
  owner.fill(77);
  MPI_Comm self = MPI_COMM_SELF;
  bool sound = call_parmetis(&self, in, 2, 1, owner);
  for (std::size_t v = 0; v < owner.size(); ++v)
    sound = sound && (v < 4 ? owner[v] == 0 || owner[v] == 1 : owner[v] == 77);
  sound = sound && owner[0] + owner[1] + owner[2] + owner[3] == 2;
  return sound ? status::ok : parmetis_status(errc::unsupported, parmetis_reason::probe);
}

}  // namespace detail

/// ParMETIS's k-way call as a distributed partitioner.
///
///     const hg::mpi_ranks ranks;                                          // adapters/mpi.hpp
///     const hg::status answer = hg::parmetis{.parts = 8}.assign(ranks, mine, owner);
///
/// Tolerances are goals; measure_distributed() says what came out. Where N <= K, node v gets part
/// v; otherwise parts may stay empty.
///
/// @complexity  the library's; memory: the rank's rows once more, and what the library takes
/// @repeatable  with ParMETIS's own for the same library, number of ranks and ranges; not with
///     Scotch's stand-in, which gave a graph of a thousand nodes other parts from run to run Thread
///     safety: one thread of the process at a time, that which runs MPI; Scotch's random numbers
///     are the process's.
/// @source G. Karypis & V. Kumar, "Parallel multilevel k-way partitioning scheme for irregular
///     graphs", SIAM Review 41(2), 1999; ParMETIS 4.0 manual
template <unsigned_id Part = part_id>
struct basic_parmetis {
  using part = Part;
  static constexpr std::string_view name = "parmetis";
  /// Does the library balance several constraints? Scotch's stand-in says so, but does not.
  static constexpr bool takes_several_constraints = !detail::parmetis_call::is_scotch;

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;  ///< of every constraint
  std::span<const double> tolerances{};  ///< [constraints] of each, or empty: `tolerance`
  std::uint64_t seed = 0;

  /// Collective, over a communicator whose handle() is MPI's own (mpi_ranks).
  /// @errors  the same on every rank: those of check_distributed_graph; unsupported: several
  ///     constraints of a library that does not balance them, or a library of another width than
  ///     its header; overflow: more than it can count; invalid_argument: 0 parts, a tolerance that
  ///     is none; mismatch: owner is not [n]; internal: the library failed. explain() has the
  ///     sentences
  template <communicator C, id Node, id Offset>
    requires detail::has_parmetis_ranks<C>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    using detail::parmetis_reason;
    using index = detail::parmetis_index;
    if (const status sound = check_distributed_graph(
            ranks, local, detail::asked_of({parts, seed}, tolerance, tolerances));
        !sound)
      return sound;
    const std::size_t nodes = local.num_nodes();
    if (const status all = agree(ranks, check(nodes, local.constraints, owner)); !all) return all;
    std::vector<std::uint64_t> sums(4 + local.constraints);
    sums[0] = local.neighbors.size();
    for (std::size_t i = 0; i < local.neighbors.size(); ++i) sums[1] += local.weight(i);
    sums[2] = local.node_weights.empty() ? 0 : 1;
    sums[3] = local.edge_weights.empty() ? 0 : 1;
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t c = 0; c < local.constraints; ++c) sums[4 + c] += local.load(v, c);
    }
    if (const status told = ranks.sum(sums); !told) return told;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index>::max());
    const std::uint64_t everywhere = local.num_nodes_everywhere();
    bool fits = everywhere < most;
    for (const auto one : sums) fits = fits && one < most;
    if (!fits) return detail::parmetis_status(errc::overflow, parmetis_reason::index);
    if (detail::assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()),
                                 owner))
      return status::ok;
    // Whatever may fail on one rank alone comes before the question that all answer.
    const status probed = detail::probe_parmetis();
    std::vector<index> found(nodes, -1);
    detail::parmetis_rows in;
    if (nodes != 0 && probed)
      fill(in, local,
           sums[2] != 0 && std::any_of(sums.begin() + 4, sums.end(),
                                       [](std::uint64_t sum) { return sum != 0; }),
           sums[3] != 0);
    if (const status all = agree(ranks, probed); !all) return all;
    status mine = status::ok;
    {
      // The library is not asked about ranks without a node.
      detail::rank_group some(MPI_COMM_NULL, &MPI_Comm_free);
      const bool split = MPI_Comm_split(ranks.handle(), nodes != 0 ? 0 : MPI_UNDEFINED,
                                        static_cast<int>(ranks.rank()),
                                        some.address()) == MPI_SUCCESS;
      mine = split ? status::ok : detail::parmetis_status(errc::io, parmetis_reason::no_mpi);
      if (const status all = agree(ranks, mine); !all) return all;
      if (nodes != 0 && !detail::call_parmetis(some.address(), in, parts, seed, found))
        mine = detail::parmetis_status(errc::internal, parmetis_reason::failed);
    }
    for (std::size_t v = 0; v < nodes && mine; ++v) {
      if (found[v] < 0 || static_cast<std::uint64_t>(found[v]) >= parts)
        mine = detail::parmetis_status(errc::internal, parmetis_reason::parts);
      else
        owner[v] = static_cast<part>(found[v]);
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
    const std::string bits = std::to_string(8 * sizeof(detail::parmetis_index));
    switch (static_cast<detail::parmetis_reason>(answer.position & 0xFF)) {
      case detail::parmetis_reason::none:
        return {};
      case detail::parmetis_reason::width:
        return "parmetis.h counts in " + bits +
               " bits and the library that was loaded does not; link the library of the header's width statically, or by its path";
      case detail::parmetis_reason::probe:
        return "the ParMETIS library does not partition a path of four nodes; it may count in another width than the " +
               bits + " bits of its header";
      case detail::parmetis_reason::constraints:
        return "Scotch's stand-in for ParMETIS puts each of several constraints wholly into one part; they need label_propagation, metis, or ParMETIS itself";
      case detail::parmetis_reason::tolerances:
        return "there must be one tolerance for each constraint, or none";
      case detail::parmetis_reason::tolerance:
        return "a tolerance must be a number above 0, such as 0.03";
      case detail::parmetis_reason::index:
        return "the graph has more nodes, neighbors or weight than a ParMETIS of " + bits +
               " bits can count";
      case detail::parmetis_reason::no_mpi:
        return "MPI refused a communicator of the ranks that hold nodes";
      case detail::parmetis_reason::failed:
        return "the ParMETIS library ended with an error; it may not have had enough memory";
      case detail::parmetis_reason::parts:
        return "the ParMETIS library left a node without a part; please report";
    }
    return {};
  }

 private:
  /// @param loaded, weighed  does any rank say loads of nodes, weights of neighbors: everywhere or
  ///     nowhere
  template <id Node, id Offset>
  void fill(detail::parmetis_rows& in, const distributed_graph_view<Node, Offset>& local,
            bool loaded, bool weighed) const {
    using index = detail::parmetis_index;
    const std::size_t nodes = local.num_nodes(), constraints = loaded ? local.constraints : 1;
    in.ranges.push_back(0);
    for (std::size_t r = 1; r < local.ranges.size(); ++r) {
      if (local.ranges[r] != local.ranges[r - 1])
        in.ranges.push_back(static_cast<index>(local.ranges[r]));
    }
    in.offsets.assign(local.offsets.begin(), local.offsets.end());
    in.neighbors.reserve(local.neighbors.size() + 1);  // no null pointers
    in.neighbors.assign(local.neighbors.begin(), local.neighbors.end());
    if (loaded) {
      in.loads.reserve(nodes * constraints);
      for (std::size_t v = 0; v < nodes; ++v) {
        for (std::size_t c = 0; c < constraints; ++c)
          in.loads.push_back(static_cast<index>(local.load(v, c)));
      }
    }
    if (weighed) {
      in.weights.reserve(local.neighbors.size() + 1);
      for (std::size_t i = 0; i < local.neighbors.size(); ++i)
        in.weights.push_back(static_cast<index>(local.weight(i)));
      if (in.weights.empty()) in.weights.assign(1, 1);
    }
    for (std::size_t c = 0; c < constraints; ++c) {
      in.allowed.push_back(
          static_cast<detail::parmetis_real>(1 + (tolerances.empty() ? tolerance : tolerances[c])));
    }
    in.share_evenly(parts);
  }

  status check(std::size_t nodes, std::size_t constraints, std::span<const part> owner) const {
    using detail::parmetis_reason;
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts >= static_cast<std::uint64_t>(std::numeric_limits<detail::parmetis_index>::max()))
      return detail::parmetis_status(errc::overflow, parmetis_reason::index);
    if (!tolerances.empty() && tolerances.size() != constraints)
      return detail::parmetis_status(errc::mismatch, parmetis_reason::tolerances);
    bool sound = tolerance > 0 && tolerance <= 1e6;
    for (const double one : tolerances) sound = sound && one > 0 && one <= 1e6;
    if (!sound) return detail::parmetis_status(errc::invalid_argument, parmetis_reason::tolerance);
    return constraints == 1 || takes_several_constraints
               ? status::ok
               : detail::parmetis_status(errc::unsupported, parmetis_reason::constraints);
  }
};

using parmetis = basic_parmetis<>;

}  // namespace halograph

#endif
