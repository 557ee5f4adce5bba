// SPDX-License-Identifier: BSL-1.0
/// @file collective_errors.hpp
/// Errors of collective work: it succeeds on all ranks, or all ranks throw the same error.
/// Layer: comm. Words: README.md.
///
/// If one rank threw alone, the others would wait for it forever. So collective work runs inside
/// run_collective(), which ends with an all-reduce of "did this rank fail?". Work that takes
/// several rounds (alltoallv.hpp) begins each round with the same all-reduce, and all ranks leave
/// it by throwing collective_abort. check_peers(), raise_collective(), all_reduce_min() and a
/// nested run_collective() do the same. Between two such calls a rank may throw whatever it likes.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/digest.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// Any exception as an error with a message, including those of the standard library.
error error_of(const std::exception_ptr& thrown);

/// An error that all ranks throw, the same on each, so that no rank waits for another.
class joint_error : public error {
 public:
  using error::error;
};

/// Thrown on all ranks after an all-reduce has shown that one of them failed. Caught by
/// run_collective().
struct collective_abort {
  std::exception_ptr mine{};  ///< the exception of this rank, if it failed
};

/// Throw if a call of the communicator failed. The error is of this rank alone, because the ranks
/// can no longer communicate.
void check_ranks(status answer);

/// Has any rank failed, and has any more to do? run_collective() ends with this call and each round
/// begins with it, so that a rank that fails early meets the ranks that are still working.
/// Collective.
/// @param failed  whether this rank failed   @param more  whether this rank has more to do
/// @return        whether any rank failed, and whether any has more to do
inline std::pair<bool, bool> ask_ranks(communicator_ref ranks, bool failed, bool more) {
  std::array<std::uint64_t, 2> told{failed ? 1u : 0u, more ? 1u : 0u};
  check_ranks(ranks.sum(told));
  return {told[0] != 0, told[1] != 0};
}

/// Throw on all ranks if one of them has failed since the last such call. Inside run_collective(),
/// before a call of the communicator. Collective.
/// @errors collective_abort, on all ranks
inline void check_peers(communicator_ref ranks) {
  if (ask_ranks(ranks, false, false).first) throw collective_abort{};
}

/// Throw an error that all ranks have found, after each of them has built it. Inside
/// run_collective(). Collective.
/// @errors the problem, on all ranks; as check_peers()
[[noreturn]] inline void raise_collective(communicator_ref ranks, joint_error problem) {
  check_peers(ranks);
  throw problem;
}

/// All-gather: the numbers of each rank, in the order of ranks. Collective.
/// @param mine  [n], of one length on all ranks   @return [R x n]   @errors as check_peers()
std::vector<std::uint64_t> gather_numbers(communicator_ref ranks,
                                          std::span<const std::uint64_t> mine);
/// All-gather of one number of each rank. @return [R]
inline std::vector<std::uint64_t> gather_numbers(communicator_ref ranks, std::uint64_t mine) {
  return gather_numbers(ranks, std::span<const std::uint64_t>(&mine, 1));
}

/// Throw the same error on all ranks if their options or inputs differ. Called before they share
/// work, whose rounds or results would not match. Inside run_collective(). Collective.
///
/// @param said     a digest (serial/digest.hpp) of what must be the same on all ranks; not of
///     paths, which may differ
/// @param differs  what a rank does whose digest differs: "samples with other options than"
/// @param right    what would be right: "they must be the same on all ranks"
/// @errors         mismatch, on all ranks: "rank 1 samples with other options than rank 0; they
///     must be ..."; as check_peers()
/// @complexity     one all-gather of a number; nothing for a single rank
void require_same(communicator_ref ranks, std::uint64_t said, std::string_view differs,
                  std::string_view right);
/// The same for a text.
inline void require_same(communicator_ref ranks, std::string_view said, std::string_view differs,
                         std::string_view right) {
  require_same(ranks, digest_of(std::as_bytes(std::span(said.data(), said.size()))), differs,
               right);
}

/// Broadcast a text of any length. Collective.
/// @param text  sent by rank `root`, replaced on the others   @errors as check_peers()
void broadcast_text(communicator_ref ranks, std::string& text, std::size_t root);

namespace detail {

/// All ranks throw the error of rank `root`.
[[noreturn]] void raise_of_rank(communicator_ref ranks, const error* mine, std::size_t root);

}  // namespace detail

/// Run `body()` on every rank, and throw on all of them if any failed. Collective.
///
/// @param body  may communicate through record_exchange::run(), a nested run_collective(), and
///     calls of the communicator that directly follow check_peers()
/// @errors      joint_error, the same on all ranks: the error of the lowest rank that failed, with
///     the number of that rank. A single rank throws what body throws, unchanged
/// @complexity  one all-reduce if no rank fails
void run_collective(communicator_ref ranks, function_ref<void()> body);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/comm/impl/collective_errors.ipp>
#endif
