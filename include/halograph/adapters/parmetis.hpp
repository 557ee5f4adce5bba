// SPDX-License-Identifier: BSL-1.0
/// @file parmetis.hpp
/// Partition a graph over the ranks of MPI with any library that has ParMETIS's calls: ParMETIS, or
/// Scotch's stand-in for it.
/// Layer: adapters (ParMETIS's interface, version 3). Words: README.md.
///
/// What the libraries do, measured on Debian's libscotchparmetis-dev 7.0.3, and what this header
/// does about it:
///
/// | the library | this header |
/// | --- | --- |
/// | Scotch's stand-in puts each of several constraints wholly into one part and reports success | rejected; ParMETIS itself takes them |
/// | Scotch's reports an edge cut of 0 | ignored: measure_distributed() counts |
/// | Scotch's libraries of 32 and of 64 bits have the same names at run time: one may be loaded for the other's header | the width is checked, and a graph of four nodes is partitioned before the first call |
/// | ParMETIS itself aborts if a rank has no node | ranks without a node do not call it |
/// | Scotch's continues its random numbers from the last call and takes no seed | they are seeded for each call, from the policy's seed |
/// | Scotch's uses its own threads; a graph of a thousand nodes got different parts in each run | nothing: ptscotch.hpp is deterministic |
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
#include <halograph/partition/distributed/library.hpp>
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
  static constexpr bool is_scotch = std::is_const_v<pointee<0>>;  // ParMETIS itself has no const
};
using parmetis_call = parmetis_types<decltype(ParMETIS_V3_PartKway)>;
using parmetis_index = parmetis_call::index;
using parmetis_real = parmetis_call::real;
static_assert(std::signed_integral<parmetis_index> && std::floating_point<parmetis_real>,
              "parmetis.h declares calls of another kind");

// Of Scotch; its parmetis.h does not declare them.
extern "C" int SCOTCH_numSizeof(void);
extern "C" void SCOTCH_randomSeed(parmetis_index);
extern "C" void SCOTCH_randomReset(void);

template <class C>
concept has_parmetis_ranks = requires(const C& ranks) {
  { ranks.handle() } -> std::same_as<MPI_Comm>;
};

/// The arguments of a call in the library's types.
struct parmetis_input {
  library_rows<parmetis_index> rows{};
  std::vector<parmetis_index> ranges{};  // of the ranks that hold nodes
  std::vector<parmetis_real> allowed{};  // [constraints] 1 + tolerance
  std::vector<parmetis_real> shares{};   // [parts x constraints]

  /// All parts get even shares of each constraint of `allowed`.
  void share_evenly(std::uint64_t parts) {
    shares.assign(static_cast<std::size_t>(parts) * allowed.size(),
                  static_cast<parmetis_real>(1.0 / static_cast<double>(parts)));
  }
};

/// Call the library. Allocates nothing itself. @param owner  [n] out; what follows stays as it is
inline bool call_parmetis(MPI_Comm* comm, parmetis_input& in, std::uint64_t parts,
                          std::uint64_t seed, std::span<parmetis_index> owner) noexcept {
  using index = parmetis_index;
  auto constraints = static_cast<index>(in.allowed.size()), count = static_cast<index>(parts);
  index numbering = 0, cut = 0;
  index weighed = static_cast<index>((in.rows.weights.empty() ? 0 : 1) +
                                     (in.rows.loads.empty() ? 0 : 2));
  std::array<index, 3> options{1, 0, static_cast<index>(mix(seed) & 0x3FFFFFFF)};
  if constexpr (parmetis_call::is_scotch) {
    // It takes no seed, and continues from the last call.
    SCOTCH_randomSeed(options[2]);
    SCOTCH_randomReset();
  }
  return ParMETIS_V3_PartKway(in.ranges.data(), in.rows.offsets.data(), in.rows.neighbors.data(),
                              in.rows.loads_or_null(), in.rows.weights_or_null(), &weighed,
                              &numbering, &constraints, &count, in.shares.data(), in.allowed.data(),
                              options.data(), &cut, owner.data(), comm) == METIS_OK;
}

/// Are the library's integers those of the header? Two parts of the path 0 - 1 - 2 - 3, by this
/// rank alone, must have two nodes each, and nothing after them may change. Zeros follow every
/// array, in case the library reads too far.
inline status probe_parmetis() {
  if constexpr (parmetis_call::is_scotch) {
    if (SCOTCH_numSizeof() != static_cast<int>(sizeof(parmetis_index)))
      return library_status(error_kind::unsupported, library_reason::width);
  }
  parmetis_input in;
  in.ranges = {0, 4};
  in.rows.offsets = {0, 1, 3, 5, 6};
  in.rows.neighbors = {1, 0, 2, 1, 3, 2};
  in.allowed = {static_cast<parmetis_real>(1.05)};
  in.share_evenly(2);
  for (auto* one : {&in.ranges, &in.rows.offsets, &in.rows.neighbors}) one->resize(64);
  std::array<parmetis_index, 16> owner{};
  owner.fill(77);
  MPI_Comm self = MPI_COMM_SELF;
  bool sound = call_parmetis(&self, in, 2, 1, owner);
  for (std::size_t v = 0; v < owner.size(); ++v)
    sound = sound && (v < 4 ? owner[v] == 0 || owner[v] == 1 : owner[v] == 77);
  sound = sound && owner[0] + owner[1] + owner[2] + owner[3] == 2;
  return sound ? status::ok : library_status(error_kind::unsupported, library_reason::probe);
}

/// One call of the library, for assign_by_library.
class parmetis_library {
 public:
  using index = parmetis_index;

  parmetis_library(std::uint64_t parts, double tolerance, std::span<const double> tolerances,
                   std::uint64_t seed)
      : parts_(parts), tolerance_(tolerance), tolerances_(tolerances), seed_(seed) {}

  template <id Node, id Offset>
  status prepare(const distributed_graph_view<Node, Offset>& local, const library_totals& totals) {
    if (const status probed = probe_parmetis(); !probed) return probed;
    if (local.num_nodes() == 0) return status::ok;
    in_.rows.fill(local, totals);
    in_.ranges.push_back(0);
    for (std::size_t r = 1; r < local.ranges.size(); ++r) {
      if (local.ranges[r] != local.ranges[r - 1])
        in_.ranges.push_back(static_cast<index>(local.ranges[r]));
    }
    for (std::size_t c = 0; c < (totals.has_loads ? local.constraints : 1); ++c) {
      const double allowed = tolerances_.empty() ? tolerance_ : tolerances_[c];
      in_.allowed.push_back(static_cast<parmetis_real>(1 + allowed));
    }
    in_.share_evenly(parts_);
    return status::ok;
  }
  static auto group() {
    return rank_group(MPI_COMM_NULL, &MPI_Comm_split, &MPI_Comm_free, MPI_UNDEFINED, MPI_SUCCESS);
  }
  template <class Group>
  status call(Group& group, std::span<index> owner) noexcept {
    return call_parmetis(group.address(), in_, parts_, seed_, owner)
               ? status::ok
               : library_status(error_kind::internal, library_reason::failed);
  }

 private:
  std::uint64_t parts_;
  double tolerance_;
  std::span<const double> tolerances_;
  std::uint64_t seed_;
  parmetis_input in_{};
};

}  // namespace detail

/// ParMETIS's k-way call as a distributed partitioner.
///
///     const hg::mpi_ranks ranks;                                          // adapters/mpi.hpp
///     const hg::status answer = hg::assign_into(mine, hg::parmetis{.parts = 8}, owner, ranks);
///
/// Tolerances are goals; measure_distributed() gives the result. Where N <= K, node v gets part
/// v; otherwise parts may stay empty.
///
/// @complexity  the library's; memory: the rank's rows once more, and what the library takes
/// @repeatable  with ParMETIS's own for the same library, number of ranks and ranges; not with
///     Scotch's stand-in, which gave a graph of a thousand nodes different parts in each run
///
/// Thread safety: only the thread that runs MPI may call; Scotch's random numbers belong to the
/// process.
/// @source G. Karypis & V. Kumar, "Parallel multilevel k-way partitioning scheme for irregular
///     graphs", SIAM Review 41(2), 1999; ParMETIS 4.0 manual
template <unsigned_id Part = part_id>
struct basic_parmetis {
  using part = Part;                                    ///< see distributed_partitioner
  static constexpr std::string_view name = "parmetis";  ///< see named_policy
  /// Does the library balance several constraints? Scotch's stand-in accepts them, but does not.
  static constexpr bool takes_several_constraints = !detail::parmetis_call::is_scotch;

  std::uint64_t parts = 1;               ///< how many parts to make
  double tolerance = default_tolerance;  ///< of every constraint
  std::span<const double> tolerances{};  ///< [constraints] of each, or empty: `tolerance`
  std::uint64_t seed = 0;                ///< of the library's random numbers; folded to 30 bits

  /// Collective, over a communicator whose handle() is MPI's own (mpi_ranks).
  /// @errors  the same on every rank: those of check_distributed_graph; unsupported: several
  ///     constraints of a library that does not balance them, or a library of another width than
  ///     its header; overflow: more than it can count; invalid_argument: 0 parts, a tolerance that
  ///     is not positive; mismatch: owner is not [n]; internal: the library failed. explain() has
  ///     the sentences
  template <communicator C, id Node, id Offset>
    requires detail::has_parmetis_ranks<C>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    return detail::assign_by_library(
        ranks, local, detail::asked_of({parts, seed}, tolerance, tolerances),
        check(local.num_nodes(), local.constraints, owner), parts, owner,
        detail::parmetis_library(parts, tolerance, tolerances, seed));
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    constexpr std::size_t bits = 8 * sizeof(detail::parmetis_index);
    switch (detail::reason_of(answer)) {
      case reason::width:
        return "parmetis.h has integers of " + std::to_string(bits) +
               " bits, and the loaded library does not; link the library of the header's width statically, or by its path";
      case reason::probe:
        return "the ParMETIS library does not partition a path of four nodes; its integers may not have the " +
               std::to_string(bits) + " bits of its header";
      case reason::constraints:
        return "Scotch's stand-in for ParMETIS puts each of several constraints wholly into one part; use label_propagation, metis, or ParMETIS itself";
      case reason::tolerances:
        return "there must be one tolerance for each constraint, or none";
      default:
        return detail::explain_library<part>(answer, parts, "ParMETIS", bits);
    }
  }

 private:
  using reason = detail::library_reason;

  status check(std::size_t nodes, std::size_t constraints, std::span<const part> owner) const {
    if (const status sound = detail::check_library_options<detail::parmetis_index>(parts, tolerance,
                                                                                   nodes, owner);
        !sound)
      return sound;
    if (!tolerances.empty() && tolerances.size() != constraints)
      return detail::library_status(error_kind::mismatch, reason::tolerances);
    for (const double one : tolerances) {
      if (!(one > 0 && one <= 1e6))
        return detail::library_status(error_kind::invalid_argument, reason::tolerance);
    }
    return constraints == 1 || takes_several_constraints
               ? status::ok
               : detail::library_status(error_kind::unsupported, reason::constraints);
  }
};

using parmetis = basic_parmetis<>;  ///< of part_id

}  // namespace halograph

#endif
