// SPDX-License-Identifier: BSL-1.0
/// @file library.hpp
/// What every adapter does around a library that partitions a graph over ranks.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/distributed.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace halograph::detail {

/// Why a library was not called, or failed; each adapter has its own sentences.
enum class library_reason : std::uint8_t {
  none,
  width,        // the loaded library has other integers than its header
  probe,        // the loaded library fails on a graph of four nodes
  constraints,  // it does not balance several
  tolerances,   // not one for each constraint
  tolerance,    // not a positive number
  index,        // its integers are too narrow for the graph
  no_mpi,       // MPI gave no communicator
  build,        // it refused its input
  strategy,     // it refused its options
  failed,
  parts  // it left a node without a part
};

/// A status that names a reason, distinguished by a position that no node or edge has.
constexpr status library_status(error_kind code, library_reason reason) noexcept {
  return {code, (std::uint64_t{1} << 63) | static_cast<std::uint64_t>(reason)};
}
/// The reason that a status names, or none.
constexpr library_reason reason_of(status answer) noexcept {
  if ((answer.position >> 63) == 0 || answer.position == ~std::uint64_t{0})
    return library_reason::none;
  return static_cast<library_reason>(answer.position & 0xFF);
}

/// The sentence of a status that any of the libraries may answer, or "".
/// @param library  its name   @param bits  of its integers
template <unsigned_id Part>
std::string explain_library(status answer, std::uint64_t parts, const std::string& library,
                            std::size_t bits) {
  switch (reason_of(answer)) {
    case library_reason::none:
      break;
    case library_reason::tolerance:
      return "the tolerance must be a number above 0, such as 0.03";
    case library_reason::index:
      return "the graph has more nodes, neighbors or weight than a " + library + " of " +
             std::to_string(bits) + " bits can count";
    case library_reason::no_mpi:
      return "MPI refused a communicator of the ranks that hold nodes";
    case library_reason::failed:
      return library + " failed; it may not have had enough memory";
    case library_reason::parts:
      return library + " left a node without a part; please report";
    default:
      return {};
  }
  if (answer == status::invalid_argument && parts == 0)
    return "the number of parts is 0; it must be at least 1";
  if (answer == status::overflow && parts > id_capacity<Part>())
    return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
  return explain_distributed_graph(answer);
}

/// May a library with integers of type Index be asked for this? @return ok, or why not
template <std::signed_integral Index, unsigned_id Part>
constexpr status check_library_options(std::uint64_t parts, double tolerance, std::size_t nodes,
                                       std::span<const Part> owner) noexcept {
  if (const status fits = check_parts<Part>(parts, nodes, owner); !fits) return fits;
  if (parts >= static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
    return library_status(error_kind::overflow, library_reason::index);
  return tolerance > 0 && tolerance <= 1e6
             ? status::ok
             : library_status(error_kind::invalid_argument, library_reason::tolerance);
}

/// The ranks that hold nodes, as MPI's handle, freed at the end. MPI's names come from the adapter:
/// rank_group(MPI_COMM_NULL, &MPI_Comm_split, &MPI_Comm_free, MPI_UNDEFINED, MPI_SUCCESS).
template <class Handle, class Split, class Free>
class rank_group {
 public:
  rank_group(Handle none, Split split, Free free, int undefined, int success)
      : handle_(none),
        none_(none),
        split_(split),
        free_(free),
        undefined_(undefined),
        success_(success) {}
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;
  ~rank_group() {
    if (handle_ != none_) static_cast<void>(free_(&handle_));
  }
  /// Collective. @return false: MPI refused
  bool make(Handle all, bool takes_part, std::size_t rank) {
    return split_(all, takes_part ? 0 : undefined_, static_cast<int>(rank), &handle_) == success_;
  }
  Handle* address() noexcept { return &handle_; }
  Handle get() const noexcept { return handle_; }

 private:
  Handle handle_, none_;
  Split split_;
  Free free_;
  int undefined_, success_;
};

/// Sums over the rows of all ranks, to compare with a library's integers.
struct library_totals {
  std::uint64_t entries = 0, edge_weight = 0;
  bool has_loads = false, has_weights = false;  // on any rank; loads that are all 0 are none
  std::uint64_t largest = 0;                    // of these sums and of the loads

  template <communicator C, id Node, id Offset>
  static status sum(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                    library_totals& out) {
    std::vector<std::uint64_t> sums(4 + local.constraints);
    sums[0] = local.neighbors.size();
    for (std::size_t i = 0; i < local.neighbors.size(); ++i) sums[1] += local.weight(i);
    sums[2] = local.node_weights.empty() ? 0 : 1;
    sums[3] = local.edge_weights.empty() ? 0 : 1;
    for (std::size_t v = 0; v < local.num_nodes(); ++v) {
      for (std::size_t c = 0; c < local.constraints; ++c) sums[4 + c] += local.load(v, c);
    }
    if (const status answer = ranks.sum(sums); !answer) return answer;
    const bool loaded = std::any_of(sums.begin() + 4, sums.end(),
                                    [](std::uint64_t sum) { return sum != 0; });
    out = {sums[0], sums[1], sums[2] != 0 && loaded, sums[3] != 0,
           *std::max_element(sums.begin(), sums.end())};
    return status::ok;
  }
};

/// The rows of one rank in a library's integers. Only the loads and weights that the graph does not
/// have are null pointers.
template <class Integer>
struct library_rows {
  std::vector<Integer> offsets{}, neighbors{};
  std::vector<Integer> loads{}, weights{};  // [n x constraints] or empty, [m] or empty

  Integer* loads_or_null() noexcept { return loads.empty() ? nullptr : loads.data(); }
  Integer* weights_or_null() noexcept { return weights.empty() ? nullptr : weights.data(); }

  template <id Node, id Offset>
  void fill(const distributed_graph_view<Node, Offset>& local, const library_totals& totals) {
    offsets.assign(local.offsets.begin(), local.offsets.end());
    neighbors.reserve(local.neighbors.size() + 1);
    neighbors.assign(local.neighbors.begin(), local.neighbors.end());
    if (totals.has_loads) {
      loads.reserve(local.num_nodes() * local.constraints);
      for (std::size_t v = 0; v < local.num_nodes(); ++v) {
        for (std::size_t c = 0; c < local.constraints; ++c)
          loads.push_back(static_cast<Integer>(local.load(v, c)));
      }
    }
    if (totals.has_weights) {
      weights.reserve(local.neighbors.size() + 1);
      for (std::size_t i = 0; i < local.neighbors.size(); ++i)
        weights.push_back(static_cast<Integer>(local.weight(i)));
      if (weights.empty()) weights.assign(1, 1);
    }
  }
};

/// Partition a graph by a library: check the graph, convert the rows, call the library on the ranks
/// that hold nodes, check its parts. Collective.
/// @param asked    digest of the policy's options
/// @param checked  what is wrong with them on this rank
/// @param owner    [n] out
/// @param library  `index`, its integer; `prepare(local, totals)`, on each rank alone, allocates
///     whatever the call needs, so that no rank waits in the library for one without memory;
///     `group()`, an empty rank_group; `call(group, out)`, which allocates nothing itself
template <communicator C, id Node, id Offset, unsigned_id Part, class Library>
status assign_by_library(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                         std::uint64_t asked, status checked, std::uint64_t parts,
                         std::span<Part> owner, Library&& library) {
  if (const status sound = check_distributed_graph(ranks, local, asked); !sound) return sound;
  if (const status all = agree(ranks, checked); !all) return all;
  using index = typename std::remove_cvref_t<Library>::index;
  const std::size_t nodes = local.num_nodes();
  library_totals totals;
  if (const status answer = library_totals::sum(ranks, local, totals); !answer) return answer;
  if (std::max(totals.largest, local.num_nodes_everywhere()) >=
      static_cast<std::uint64_t>(std::numeric_limits<index>::max()))
    return library_status(error_kind::overflow, library_reason::index);
  if (assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()), owner))
    return status::ok;
  std::vector<index> found(nodes, -1);
  if (const status all = agree(ranks, library.prepare(local, totals)); !all) return all;
  status mine = status::ok;
  {
    auto group = library.group();
    if (!group.make(ranks.handle(), nodes != 0, static_cast<std::size_t>(ranks.rank())))
      mine = library_status(error_kind::io, library_reason::no_mpi);
    if (const status all = agree(ranks, mine); !all) return all;
    if (nodes != 0) mine = library.call(group, std::span<index>(found));
  }
  for (std::size_t v = 0; v < nodes && mine; ++v) {
    if (found[v] < 0 || static_cast<std::uint64_t>(found[v]) >= parts)
      mine = library_status(error_kind::internal, library_reason::parts);
    else
      owner[v] = static_cast<Part>(found[v]);
  }
  return agree(ranks, mine);
}

}  // namespace halograph::detail
