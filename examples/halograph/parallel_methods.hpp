// SPDX-License-Identifier: BSL-1.0
/// @file parallel_methods.hpp
/// Partitioners that work as several processes, with what was found when the program was built.
#pragma once

#include "policies.hpp"
#include "ranks.hpp"

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/partition/distributed.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halograph::cli {

/// One of them, by name: a distributed partitioner. Libraries that want MPI get it, begun for them
/// where no launcher was.
struct parallel_method {
  using part = part_id;
  using ranks = checked_communicator<communicator_ref>;

  std::string method{};  ///< label_propagation, ptscotch, parmetis
  std::uint64_t parts = 1;
  double tolerance = 0;
  std::uint64_t seed = 0;
  std::string
      instead{};  ///< what the user could do where several constraints are refused, ", or ..."

  const memory_callback* on_bytes = nullptr;  ///< of label_propagation

  void choose(const policy_inputs& in) { on_bytes = in.on_bytes; }
  /// Give the nodes of this rank parts. Collective, inside run_collective().
  /// @errors raises joint_error with the policy's sentence, the same on every rank
  status assign(const ranks& all, const distributed_graph_view<std::uint32_t>& local,
                std::span<part_id> owner) const;
  status assign(const ranks& all, const distributed_graph_view<std::uint64_t>& local,
                std::span<part_id> owner) const;

  /// What a rank takes at most besides the rows that read_chunked_share gives it, about. @param
  /// nodes, edges  of all ranks
  std::uint64_t bytes(std::uint64_t nodes, std::uint64_t edges, std::size_t constraints,
                      std::size_t rank_count) const;
};

/// The methods that several processes run together, in the order of --help.
inline constexpr std::array<std::string_view, 3> parallel_methods{"label_propagation", "ptscotch",
                                                                  "parmetis"};

/// Is it one of them?
inline bool is_parallel(std::string_view method) {
  return std::find(parallel_methods.begin(), parallel_methods.end(), method) !=
         parallel_methods.end();
}
/// Is it one whose parts depend on the number of ranks? Only the libraries do.
inline bool depends_on_ranks(std::string_view method) {
  return is_parallel(method) && method != parallel_methods.front();
}

/// Is it one that this program was built with? Otherwise a sentence that says what it needs.
/// @return "" where it is
std::string missing_for(const std::string& method);

/// The same with ParMETIS's interface, whose header shares no source file with METIS's. @return its
/// sentence, or ""
status assign_with_parmetis(const parallel_method::ranks& all, const parallel_method& method,
                            const distributed_graph_view<std::uint32_t>& local,
                            std::span<part_id> owner, std::string& sentence);
status assign_with_parmetis(const parallel_method::ranks& all, const parallel_method& method,
                            const distributed_graph_view<std::uint64_t>& local,
                            std::span<part_id> owner, std::string& sentence);

/// What ranks have assigned, measured. Collective, inside run_collective(). @errors as
/// measure_distributed
status measure_parallel(const parallel_method::ranks& all,
                        const distributed_graph_view<std::uint64_t>& local,
                        std::span<const part_id> owner, std::uint64_t parts,
                        distributed_quality& out);

}  // namespace halograph::cli
