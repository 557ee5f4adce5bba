// SPDX-License-Identifier: BSL-1.0
/// @file parallel_methods.hpp
/// Partitioners that work as several processes, with what was found when the program was built.
#pragma once

#include "ranks.hpp"

#include <halograph/core/ids.hpp>
#include <halograph/partition/distributed.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace halograph::cli {

struct parallel_method {
  std::string name{};  ///< label_propagation, ptscotch, parmetis
  std::uint64_t parts = 1;
  double tolerance = 0;
  std::uint64_t seed = 0;
};

/// Is it one that this program was built with? Otherwise a sentence that says what it needs.
/// @return "" where it is
std::string missing_for(const std::string& method);

/// Give the nodes of this rank parts. Collective. Libraries that want MPI get it, begun for them where no launcher was.
/// @errors raises joint_error with the policy's sentence, the same on every rank
void assign_parallel(const program_ranks& ranks, const parallel_method& method, const distributed_graph_view<>& local, std::span<part_id> owner);

/// The same with ParMETIS's interface, whose header shares no source file with METIS's. @return its sentence, or ""
status assign_with_parmetis(const program_ranks& ranks, const parallel_method& method, const distributed_graph_view<>& local, std::span<part_id> owner, std::string& sentence);

}  // namespace halograph::cli
